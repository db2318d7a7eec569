import os
import subprocess
from dataclasses import replace

import pytest
import yaml

from samewire.containers import compose, ports
from samewire.containers.compose import Composition
from samewire.manifest import find_servers
from samewire.paths import CHECKOUT
from samewire.settings import settings

SERVERS = find_servers()
COMPOSITION = Composition(SERVERS)
SERVICES = yaml.safe_load(COMPOSITION.render("docker-compose.yml.jinja"))["services"]
each_server = pytest.mark.parametrize("server", SERVERS, ids=lambda server: server.id)


def _made(folder, service="shortener", **about):
    """A server like the first of the checkout, elsewhere."""
    return replace(SERVERS[0], id=folder, folder=CHECKOUT / folder, service=service, **about)


def test_the_files_are_as_the_manifests_say():
    assert not compose.out_of_date(COMPOSITION.files()), "run: samewire compose"


@pytest.mark.parametrize("profile", ["shortener", "java", "all"])
def test_docker_compose_accepts_the_file(profile):
    done = subprocess.run(
        ["docker-compose", "config", "--quiet"],
        cwd=CHECKOUT, env=os.environ | {"COMPOSE_PROFILES": profile}, capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


@each_server
def test_a_server_in_compose_is_the_one_of_the_manifest(server):
    service = SERVICES[server.folder.name]
    assert service["labels"] == {"samewire.server": server.id}
    assert service["stop_signal"] == server.stop_signal.name
    assert (CHECKOUT / service["build"]["dockerfile"]).parent == server.folder
    assert {"all", server.service, ports.language(server)} <= set(service["profiles"])
    needed = {setting.name for setting in settings(server.service) if setting.required}
    assert needed <= set(service.get("environment", {}))
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert service["healthcheck"]["test"][0] == "CMD"


def test_everything_is_published_on_loopback_alone_and_at_a_port_of_its_own():
    published = [port for service in SERVICES.values() for port in service.get("ports", [])]
    addresses = [port.rsplit(":", 1)[0] for port in published]
    assert all(address.startswith("127.0.0.1:") for address in addresses)
    assert len(set(addresses)) == len(addresses) == len(SERVERS) + len(ports.DATABASES)


@pytest.mark.parametrize("profile", sorted({name for service in SERVICES.values() for name in service["profiles"]}))
def test_a_profile_has_all_that_its_services_wait_for(profile):
    chosen = {name for name, service in SERVICES.items() if profile in service["profiles"]}
    for name in chosen:
        assert set(SERVICES[name].get("depends_on", {})) <= chosen
        hosts = {value.partition("//")[2].partition(":")[0] for value in SERVICES[name].get("environment", {}).values()}
        assert hosts & SERVICES.keys() <= chosen


def test_the_profile_of_a_service_has_its_servers_and_their_databases_and_no_more():
    chosen = {name for name, service in SERVICES.items() if "shortener" in service["profiles"]}
    shorteners = {server.folder.name for server in SERVERS if server.service == "shortener"}
    assert chosen == shorteners | {"postgres", "postgres-data", "mongo", "mongo-data"}


def test_every_server_has_a_database_of_its_own_which_a_job_fills():
    filled = [one for job in ("postgres-data", "mongo-data") for one in SERVICES[job]["command"]]
    urls = [url for service in SERVICES.values() for url in service.get("environment", {}).values()]
    databases = [url.rpartition("/")[2] for url in urls if url.startswith(("postgres:", "mongodb:"))]
    assert {one.rpartition(":")[2] for one in filled} <= set(databases)
    assert len(set(filled)) == len(filled) == sum(server.store in ports.DATABASES for server in SERVERS)


def test_ports_come_in_blocks_of_services_and_groups_of_languages():
    servers = [_made("servers-php/z-b", "z"), _made("servers-php/z-a", "z"), _made("servers-node/z-c", "z"),
               _made("servers-node/a-a", "a"), _made("servers-rust/z-a", "z")]  # fmt: skip
    assert ports.ports(servers) == {
        "servers-node/a-a": 8101, "servers-node/z-c": 8201, "servers-php/z-a": 8261, "servers-php/z-b": 8262,
        "servers-rust/z-a": 8281,
    }  # fmt: skip


def test_too_many_servers_for_a_group_are_an_error_that_says_where():
    with pytest.raises(ports.PortError, match="no room for a in node"):
        ports.ports([_made(f"servers-node/a-{number:02}", "a") for number in range(20)])


def test_a_file_that_is_old_or_should_not_be_there_is_noticed(tmp_path):
    old, gone, right = tmp_path / "old", tmp_path / "gone", tmp_path / "right"
    for file in (old, gone, right):
        file.write_text("text")
    files = {old: "new", gone: None, right: "text", tmp_path / "missing": "text"}
    assert compose.out_of_date(files) == [old, gone, tmp_path / "missing"]
