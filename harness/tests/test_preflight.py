"""What answers at a URL is recognised: real servers of the standard library, which answer as beginners' servers do."""

import socket
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from samewire.contract.services import services
from samewire.manifest import SelectionError
from samewire.preflight import NotJudged, _probes, look
from samewire.process import free_port

PAGE = ("text/html; charset=utf-8", b"<!doctype html><title>It works</title>")
JSON = ("application/json", b"{}")


@contextmanager
def _serving(answers, other=(404, *JSON), **fields):
    """The URL of a server with these answers, (status, type, body) by path, and with these fields in each."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, kind, body = answers.get(self.path, other)
            self.send_response_only(status)
            for name, value in ({"Content-Type": kind, "Content-Length": str(len(body))} | fields).items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_GET = do_HEAD = do_POST = answer

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def _sending(data):
    """The URL of a port at which a program sends these bytes to each client and closes."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve():
            while True:
                try:
                    client, _ = listening.accept()
                except OSError:
                    return
                with client:
                    client.recv(65_536)
                    client.sendall(data)

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)


def test_each_service_has_a_path_that_no_other_has() -> None:
    paths = {service: {path for _, path in _probes(service)} for service in services()}
    assert all(paths.values())
    for service, own in paths.items():
        assert not own & set().union(*(others for other, others in paths.items() if other != service))


def test_a_server_may_be_judged_whose_health_is_wrong() -> None:
    with _serving({"/todos": (200, *JSON)}) as url:
        look(url, "todo")
    with _serving({"/healthz": (503, *JSON), "/todos": (503, *JSON)}) as url:
        look(url, "todo")


def test_a_path_for_post_alone_is_found_without_a_change() -> None:
    with _serving({"/healthz": (200, *JSON), "/links": (400, *JSON)}) as url:
        look(url, "shortener")


@pytest.mark.parametrize(
    ("answers", "other", "fields", "told"),
    [
        ({"/healthz": (200, *JSON), "/messages": (200, *JSON)}, (404, *JSON), {}, "as the service chat.*--service"),
        ({}, (404, *PAGE), {}, "/healthz is a page of HTML .status 404., and there is no /todos"),
        ({}, (200, *PAGE), {}, "/healthz is a page of HTML .status 200."),
        ({}, (404, *JSON), {}, "has no /todos .*a prefix such as /api"),
        ({}, (502, *PAGE), {"Server": "nginx/1.22.1"}, "a proxy .nginx/1.22.1. answers /healthz with 502"),
        ({}, (504, *PAGE), {"Via": "1.1 cache"}, "a proxy .1.1 cache. .*Start the server behind it"),
        ({}, (401, *JSON), {}, "asks for a login"),
        ({}, (308, *JSON), {"Location": "https://example.org/healthz"}, "redirects to https://example.org/healthz"),
    ],
)  # fmt: skip
def test_what_cannot_be_judged_is_recognised(answers, other, fields, told) -> None:
    with _serving(answers, other, **fields) as url, pytest.raises(NotJudged, match=told) as caught:
        look(url, "todo")
    assert url in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "A port for TLS or for a database does that"),
        (b"SSH-2.0-OpenSSH_9.2p1\r\n", "does not speak HTTP/1.1"),
        # What PostgreSQL says to a request: an error without a version of its protocol.
        (b"E\x00\x00\x00\x0bSFATAL\x00\x00", "does not speak HTTP/1.1|does that"),
    ],
)
def test_a_port_of_another_protocol_is_recognised(data, told) -> None:
    with _sending(data) as url, pytest.raises(NotJudged, match=told):
        look(url, "todo")


def test_nothing_listens() -> None:
    with pytest.raises(NotJudged, match=r"nothing listens at http://127.0.0.1:[0-9]+ .*refused.*Start your server"):
        look(f"http://127.0.0.1:{free_port()}", "todo")
    with pytest.raises(NotJudged, match=r"nothing listens at http://host.invalid:80 .*Name or service not known"):
        look("http://host.invalid:80", "todo")


def test_a_server_of_files_is_no_service() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        for service in services():
            with pytest.raises(NotJudged, match=r"/healthz(: status 404| is a page of HTML)"):
                look(f"http://127.0.0.1:{server.server_port}", service)
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("url", ["http://127.0.0.1:abc", "http://127.0.0.1:70000", "http://", "http://:80", "ftp://a"])
def test_what_is_no_address_is_told(url) -> None:
    with pytest.raises(SelectionError, match=r"is no address of a server: give http://HOST:PORT"):
        look(url, "todo")


@pytest.mark.parametrize("path", ["/api", "/api/", "/?key=1"])
def test_a_path_is_no_part_of_an_address(path) -> None:
    with pytest.raises(SelectionError, match=r"has a path.*give http://127.0.0.1:1\."):
        look(f"http://127.0.0.1:1{path}", "todo")
