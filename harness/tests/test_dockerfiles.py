import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest

from samewire.containers.rehearsal.bases import bases_of
from samewire.containers.rehearsal.compose_test import sample
from samewire.databases import URL_VARIABLES
from samewire.manifest import find_servers
from samewire.paths import CHECKOUT, HARNESS

SERVERS = {server.id: server for server in find_servers()}
FILES = [CHECKOUT / server / "Dockerfile" for server in SERVERS] + sorted(HARNESS.glob("containers/**/Dockerfile"))


def instructions(text):
    """(instruction, its words) of a Dockerfile, each on one line, without comments."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    joined = re.sub(r"\s*\\\n\s*", " ", "\n".join(lines))
    return [(line.split()[0], line.partition(" ")[2].strip()) for line in joined.splitlines() if line]


def last_stage(server):
    found = instructions((server.folder / "Dockerfile").read_text())
    starts = [index for index, (instruction, _) in enumerate(found) if instruction == "FROM"]
    return found[starts[-1] :]


def value(server, instruction):
    values = [words for name, words in last_stage(server) if name == instruction]
    assert len(values) == 1, f"{instruction} is there {len(values)} times"
    return values[0]


@pytest.mark.parametrize("name", SERVERS)
def test_an_image_runs_what_the_manifest_runs(name):
    server = SERVERS[name]
    assert re.findall(r'"([^"]*)"', value(server, "CMD")) == list(server.run)
    assert value(server, "WORKDIR") == f"/app/{name}"


@pytest.mark.parametrize("name", [name for name, server in SERVERS.items() if "jdk" in server.needs])
def test_an_image_is_built_as_the_manifest_builds(name):
    server = SERVERS[name]
    found = instructions((server.folder / "Dockerfile").read_text())
    runs = [shlex.split(words) for kind, words in found if kind == "RUN"]
    assert [list(command) for command in server.build if list(command) not in runs] == []


@pytest.mark.parametrize("name", SERVERS)
def test_an_image_stops_as_the_manifest_stops(name):
    server = SERVERS[name]
    signals = [words for kind, words in last_stage(server) if kind == "STOPSIGNAL"]
    assert signals == ([] if server.stop_signal.name == "SIGTERM" else [server.stop_signal.name])


@pytest.mark.parametrize("name", SERVERS)
def test_an_image_listens_for_all_and_is_not_root(name):
    server = SERVERS[name]
    assert {"HOST=0.0.0.0", "PORT=8080"} <= set(value(server, "ENV").split())
    assert value(server, "EXPOSE") == "8080"
    # As numbers: Kubernetes has to see that it is not root.
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", value(server, "USER"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.parent.relative_to(CHECKOUT)))
def test_any_builder_can_build_it(file):
    text = file.read_text()
    assert not re.search(r"<<|--mount|^# *syntax", text, re.MULTILINE)
    for base in bases_of(file):
        assert re.search(r":.*\d", base), f"{base} is not pinned"


def test_stages_are_not_bases(tmp_path):
    file = tmp_path / "Dockerfile"
    file.write_text("FROM maven:3 AS build\nRUN true\nFROM debian:12\nCOPY --from=build a b\nFROM build\n")
    assert bases_of(file) == ["maven:3", "debian:12"]


def test_every_base_has_a_recipe():
    recipes = {path.parent.name for path in HARNESS.glob("containers/bases/*/Dockerfile")} | {"debian"}
    assert {base.partition(":")[0] for file in FILES for base in bases_of(file)} <= recipes


def test_the_stand_in_says_the_version_that_it_is():
    pom = (HARNESS / "databases/mongodb-stand-in/pom.xml").read_text()
    (version,) = re.findall(r"<mongo-java-server.version>(.+)</", pom)
    label = f'samewire.stand-in="mongo-java-server {version}, in memory, not durable"'
    assert label in (HARNESS / "containers/stand-ins/mongodb/Dockerfile").read_text()


def test_the_sample_has_each_language_on_each_database():
    chosen = [(server.language, server.store) for server in sample(find_servers())]
    assert sorted(chosen) == sorted({(s.language, s.store) for s in SERVERS.values() if s.store in URL_VARIABLES})


# Imports a module with no other distributions to be found than those that are named.
IMPORT = """
import importlib, importlib.metadata, sys
module, installed = sys.argv[1], set(sys.argv[2:])
belongs_to = importlib.metadata.packages_distributions()
plain = lambda name: name.lower().replace("_", "-")

class OnlyInstalled:
    def find_spec(self, name, path=None, target=None):
        owners = belongs_to.get(name.partition(".")[0], [])
        if owners and not installed & {plain(owner) for owner in owners} and "samewire" not in owners:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, OnlyInstalled())
importlib.import_module(module)
"""


def test_the_job_that_fills_databases_has_the_packages_that_it_imports():
    text = (HARNESS / "containers/data/Dockerfile").read_text()
    (packages,) = re.findall(r"packages='([^']+)'", text)
    (module,) = re.findall(r'ENTRYPOINT \["python", "-m", "([\w.]+)"\]', text)
    locked = re.findall(r"^([a-z][\w-]*)==", (HARNESS / "requirements.lock").read_text(), re.MULTILINE)
    installed = [name for name in locked if re.fullmatch(packages, name)]
    done = subprocess.run([sys.executable, "-c", IMPORT, module, *installed], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "psycopg" in installed


def test_the_job_that_fills_databases_has_the_tables_of_the_services(tmp_path):
    text = (HARNESS / "containers/data/Dockerfile").read_text()
    assert "find ./contract-tests -name schema.sql" in text
    for file in CHECKOUT.glob("contract-tests/*/schema.sql"):
        copy = tmp_path / file.relative_to(CHECKOUT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    for source, target in re.findall(r"^COPY (contract-tests/\S+) /app/(\S+)$", text, re.MULTILINE):
        shutil.copytree(CHECKOUT / source, tmp_path / target)
    program = "from samewire.datasets import dataset; print(dataset('todo', 1).definition)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"SAMEWIRE_CHECKOUT": str(tmp_path)}, capture_output=True, text=True,
    )  # fmt: skip
    assert "create table todos" in done.stdout, done.stderr
