"""What runs in compose, with an engine that is made up: the real one is in `make compose-test`."""

import os
import signal
from collections import deque
from dataclasses import replace

import psutil
import pytest

from samewire.containers import composed, engine, own
from samewire.containers.composed import ComposedTestbed
from samewire.containers.engine import Container, EngineError
from samewire.containers.own import ContainerTestbed
from samewire.manifest import Variant, find_servers

SERVER = replace(find_servers()[0], service="chat", store="memory")
"""Any will do, as one that needs nothing."""


def _container(server=SERVER, *, running=True, **host):
    confined = {
        "Memory": 1 << 29, "NanoCpus": 10**9, "CpusetCpus": "", "Init": True, "ReadonlyRootfs": True,
        "Tmpfs": {"/tmp": "rw,exec"}, "CapDrop": ["ALL"], "SecurityOpt": ["no-new-privileges:true"],
    }  # fmt: skip
    return Container(
        {
            "Id": "ab12", "Name": f"/main_{server.folder.name}_1", "Image": "sha256:cd",
            "Config": {"Labels": {"samewire.server": server.id}, "Env": ["A=b=c"]},
            "State": {"Running": running, "Pid": 0, "ExitCode": 0, "StartedAt": "2026-11-21T17:00:00Z"},
            "HostConfig": confined | host,
            "NetworkSettings": {
                "Ports": {"8080/tcp": [{"HostIp": "127.0.0.1", "HostPort": "8101"}]},
                "Networks": {"main_default": {"IPAddress": "172.18.0.3"}},
            },
        }
    )  # fmt: skip


@pytest.fixture
def fake(monkeypatch):
    """An engine with the containers of the list that is returned, and a record of what was asked of it."""
    there, asked = [], []
    monkeypatch.setattr(engine, "containers", lambda label: there if label == "samewire.server" else [])
    monkeypatch.setattr(Container, "again", lambda self: self)
    for module in (engine, composed, own):
        monkeypatch.setattr(module, "docker", lambda *arguments: asked.append(arguments) or "")
    monkeypatch.setattr(composed, "Spawned", lambda argv, **_: type("Output", (), {"kill": lambda self: None})())
    return there, asked


def test_a_container_tells_where_it_is():
    container = _container()
    assert (container.name, container.address) == (f"main_{SERVER.folder.name}_1", "172.18.0.3")
    assert container.environment == {"A": "b=c"}
    assert (container.published(8080), container.published(9090)) == (8101, None)
    assert container.pid is None


def test_another_container_can_be_as_confined():
    assert _container().options() == [
        "--memory", str(1 << 29), "--init", "--read-only", "--tmpfs=/tmp:rw,exec", "--cap-drop=ALL",
        "--security-opt=no-new-privileges:true",
    ]  # fmt: skip


def test_servers_that_do_not_run_are_an_error_that_says_how_to_start_them(fake):
    fake[0].append(_container(running=False))
    assert composed.running([SERVER]) == {}
    with pytest.raises(EngineError, match=rf"docker compose up -d {SERVER.folder.name}$"):
        composed.required([SERVER])


def test_a_server_that_runs_twice_is_an_error(fake):
    fake[0].extend([_container(), _container()])
    with pytest.raises(EngineError, match=f"{SERVER.id} runs twice"):
        composed.running([SERVER])


def test_what_runs_is_judged_at_its_published_port_and_left_running(fake):
    there, asked = fake
    there.append(_container())
    with ComposedTestbed([SERVER]) as testbed:
        running = testbed.spawn(SERVER)
        assert running.target.url == "http://127.0.0.1:8101"
        assert testbed.images == {SERVER.id: "sha256:cd"}
        running.kill()
    assert not asked


def test_what_is_raced_starts_anew_on_its_cores_and_everything_is_put_back(fake):
    there, asked = fake
    there.append(_container())
    with ComposedTestbed([SERVER]) as testbed:
        assert testbed.spawn(SERVER, cpus={1}).target.url == "http://172.18.0.3:8080"
    everywhere = f"0-{os.cpu_count() - 1}"
    assert asked == [
        ("stop", "ab12"),
        ("update", "--cpuset-cpus", "1", "--cpus", "1", "ab12"),
        ("start", "ab12"),
        ("update", "--cpuset-cpus", everywhere, "--cpus", "1", "ab12"),
        ("start", "ab12"),
    ]


def test_a_container_of_our_own_has_the_image_the_limits_and_the_variables(fake, monkeypatch, tmp_path):
    fake[0].append(_container())
    started = deque()
    monkeypatch.setattr(own, "ContainerServer", lambda *a, **k: started.append((a, k)) or _Started())
    with ContainerTestbed() as testbed:
        testbed.spawn(SERVER, env={"PORT": None, "FOLDER": str(tmp_path)})
    (_, _, argv), options = started.pop()
    assert argv[:3] == ["docker", "run", "--rm"]
    assert argv[-1] == "sha256:cd"
    assert [argv[i + 1] for i, word in enumerate(argv) if word == "--env"] == [
        "HOST=127.0.0.1", "PORT", f"FOLDER={tmp_path}"
    ]  # fmt: skip
    assert f"{tmp_path}:{tmp_path}" in argv
    assert set(_container().options()) <= set(argv)
    # Unset there as well, or docker would hand on ours.
    assert "PORT" not in options["env"]


def test_a_variant_with_a_command_of_its_own_has_it_in_a_container_too(fake, monkeypatch):
    fake[0].append(_container())
    started = deque()
    monkeypatch.setattr(own, "ContainerServer", lambda *a, **k: started.append(a) or _Started())
    server = replace(SERVER, variants={"other": Variant("", run=("other", "command")), "env": Variant("", {"A": "b"})})
    with ContainerTestbed() as testbed:
        testbed.spawn(server, variant="other")
        testbed.spawn(server, variant="env")
    assert [argv[argv.index("sha256:cd") + 1 :] for _, _, argv in started] == [["other", "command"], []]


class _Started:
    alive = False


def test_containers_that_a_killed_lab_left_behind_are_removed(fake, monkeypatch):
    _, asked = fake
    owners = [Container({"Id": str(pid), "Config": {"Labels": {"samewire.owner": str(pid)}}}) for pid in (1, 2)]
    monkeypatch.setattr(engine, "containers", lambda label: owners if label == "samewire.owner" else [])
    monkeypatch.setattr(psutil, "pid_exists", lambda pid: pid == 1)
    with ContainerTestbed():
        assert asked == [("rm", "--force", "2")]


def test_a_signal_to_what_does_not_run_says_so(monkeypatch):
    def refuse(*_):
        raise EngineError("no such container")

    monkeypatch.setattr(engine, "docker", refuse)
    assert engine.signal("x", signal.SIGTERM) is False
    assert engine.container("x") is None
