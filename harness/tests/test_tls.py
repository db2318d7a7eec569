"""A server behind a real proxy that speaks TLS and HTTP/2: Apache httpd, with a certificate made for the test."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath

import pytest

from samewire.http import Request, exchange
from samewire.manifest import Server, find_servers, least_demanding
from samewire.outcomes import BEHIND_TLS
from samewire.preflight import NotJudged, look, tls_of
from samewire.process import free_port, wait_for_port
from samewire.testbed import Testbed
from samewire.toolchains import APACHE_MODULES, tool

CONFIGURATION = """
ServerName localhost
Listen 127.0.0.1:{port}
DocumentRoot {folder}
MaxKeepAliveRequests 0
KeepAliveTimeout 60
StartServers 1
ServerLimit 1
ThreadLimit 400
ThreadsPerChild 400
MaxRequestWorkers 400
PidFile {folder}/pid
ErrorLog {folder}/log
{modules}
Protocols {protocols}
<VirtualHost *:{port}>
  SSLEngine on
  SSLCertificateFile {folder}/certificate.pem
  SSLCertificateKeyFile {folder}/key.pem
  AllowEncodedSlashes NoDecode
  ProxyPreserveHost on
  ProxyPass / {url}/ nocanon upgrade=websocket
  ProxyErrorOverride off
</VirtualHost>
"""
MODULES = ("mpm_event", "authz_core", "ssl", "socache_shmcb", "http2", "proxy", "proxy_http")


@contextmanager
def proxied(server: Server) -> Iterator[tuple[str, Path]]:
    """The https URL of a proxy before a server, and the file of the proxy's certificate."""
    with Testbed(brief=True) as testbed:
        behind = testbed.start(server).target.url
        folder, port = testbed.new_folder("proxy"), free_port()
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
             "-addext", "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out", "certificate.pem"],
            cwd=folder, check=True, capture_output=True,
        )  # fmt: skip
        modules = "\n".join(f"LoadModule {name}_module {APACHE_MODULES}/mod_{name}.so" for name in MODULES)
        text = CONFIGURATION.format(port=port, folder=folder, url=behind, modules=modules, protocols="h2 http/1.1")
        (folder / "httpd.conf").write_text(text)
        argv = [str(tool("apache-php").path), "-f", str(folder / "httpd.conf"), "-D", "FOREGROUND"]
        proxy = subprocess.Popen(argv)
        try:
            assert wait_for_port(port, 10, lambda: proxy.poll() is None), (folder / "log").read_text()
            yield f"https://localhost:{port}", folder / "certificate.pem"
        finally:
            proxy.terminate()
            proxy.wait()


@pytest.fixture(scope="module")
def url():
    """The https URL of a proxy before a server of the TODO service, and the proxy's certificate."""
    with proxied(least_demanding([server for server in find_servers() if server.service == "todo"])) as both:
        yield both


def _verify(service, url, *options):
    # Whatever this process trusts.
    environment = {name: value for name, value in os.environ.items() if name != "SSL_CERT_FILE"} | {"CI": "true"}
    argv = [sys.executable, "-m", "samewire.cli", "verify", service, url, *options]
    return subprocess.run(argv, env=environment, capture_output=True, text=True, timeout=100)


@pytest.mark.timeout(120)
def test_a_server_is_proven_behind_tls(url, tmp_path) -> None:
    address, certificate = url
    report = tmp_path / "report.ndjson"
    done = _verify("todo", address, "--cacert", str(certificate), "--layer", "cases", f"--report=ndjson={report}")
    assert done.returncode == 0, done.stdout + done.stderr
    run = json.loads(report.read_text().splitlines()[0])
    assert run["passes"]
    assert run["tls"] == {address.removeprefix("https://"): "TLSv1.3, ALPN h2"}
    assert BEHIND_TLS in " ".join(done.stdout.split())


def test_a_certificate_that_nobody_vouches_for_is_told(url) -> None:
    done = _verify("todo", url[0], "--layer", "cases")
    assert done.returncode == 1
    assert "self-signed certificate" in done.stderr
    assert "--cacert" in done.stderr


@pytest.mark.timeout(180)
@pytest.mark.parametrize(
    ("transport", "layers", "of_transport"),
    [
        ("socket.io", "cases wire browser", {"test_sockets.py", "test_sockets_protocol.py", "test_browser.py"}),
        ("websocket", "cases wire", {"test_websocket.py", "test_websocket_frames.py"}),
    ],
)
def test_a_chat_is_proven_behind_tls(transport, layers, of_transport, tmp_path) -> None:
    able = [server for server in find_servers() if server.service == "chat" and server.transport == transport]
    if not able:
        pytest.skip(f"no chat speaks {transport}")
    with proxied(least_demanding(able)) as (address, certificate):
        report = tmp_path / "report.ndjson"
        options = (
            "-k",
            "socket or browser",
            f"--report=ndjson={report}",
            *(f"--layer={one}" for one in layers.split()),
        )
        done = _verify("chat", address, "--cacert", str(certificate), *options)
    assert done.returncode == 0, done.stdout + done.stderr
    tests = [json.loads(line) for line in report.read_text().splitlines()[1:]]
    files = {PurePath(one["test"].partition("::")[0]).name for one in tests if one["outcome"] == "passed"}
    assert files >= of_transport


def test_clear_text_to_a_port_of_tls_and_tls_to_one_of_clear_text(url, monkeypatch) -> None:
    address, certificate = url
    with pytest.raises(NotJudged, match=r"400|TLS"):
        look(address.replace("https", "http"), "todo")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with Testbed(brief=True) as testbed:
        clear = testbed.start(least_demanding([one for one in find_servers() if one.service == "randoms"])).target.url
        with pytest.raises(NotJudged, match="no TLS with"):
            look(clear.replace("http", "https"), "randoms")


def test_alpn_is_asked_and_host_has_no_usual_port(url) -> None:
    assert tls_of("http://127.0.0.1:1") == ""
    assert Request("GET", "/").as_curl(f"{url[0]}") == f"curl -i --globoff --path-as-is {url[0]}/"
    with pytest.raises(Exception, match="self-signed"):
        exchange(url[0], Request("GET", "/healthz"))
