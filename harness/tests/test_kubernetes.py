import re
import shutil
import subprocess

import kubernetes_validate
import pytest
import yaml

from samewire.containers import compose
from samewire.containers.kubernetes import BASE, FOLDER, Cluster
from samewire.languages import language_of
from samewire.manifest import find_servers

VERSION = "1.34"
"""The Kubernetes whose schemas the files are held to."""
OPERATORS = {"Cluster", "MongoDBCommunity", "Hyperfoil"}
"""Kinds whose schemas are not Kubernetes' own; docs/how-to/run-on-kubernetes.md says how they were checked."""
KUSTOMIZATIONS = sorted(FOLDER.rglob("kustomization.yaml"))
SERVERS = find_servers()


def _shown(path):
    return path.relative_to(FOLDER).as_posix()


def _check(text):
    kinds = set()
    for resource in yaml.safe_load_all(text):
        kinds.add(resource["kind"])
        if resource["kind"] not in OPERATORS:
            kubernetes_validate.validate(resource, VERSION, strict=True)
    return kinds


def test_the_files_are_as_the_manifests_say():
    files = Cluster(SERVERS).files()
    assert not compose.out_of_date(files), "run: samewire kubernetes"
    assert set(BASE.glob("*/*")) <= set(files), "run: samewire kubernetes"


@pytest.mark.parametrize("server", SERVERS, ids=lambda server: server.id)
def test_a_server_runs_as_the_user_of_its_image(server):
    users = re.findall(r"^USER (\S+)$", (server.folder / "Dockerfile").read_text(), re.MULTILINE)
    user = language_of(server.folder).user
    assert users[-1] == f"{user}:{user}"


def test_every_resource_keeps_its_schema():
    resources = [path for path in FOLDER.rglob("*.yaml") if path not in KUSTOMIZATIONS and ".hf." not in path.name]
    kinds = set().union(*(_check(path.read_text()) for path in resources))
    assert kinds == {"Deployment", "Service", "Job"} | OPERATORS


def test_a_resource_that_breaks_its_schema_is_noticed():
    text = next(text for path in BASE.glob("*/*.yaml") if "Deployment" in (text := path.read_text()))
    with pytest.raises(kubernetes_validate.ValidationError):
        _check(text.replace("readOnlyRootFilesystem", "readOnlyRoot"))


@pytest.mark.parametrize("kustomization", KUSTOMIZATIONS, ids=_shown)
def test_a_kustomization_names_only_what_is_there(kustomization):
    content = yaml.safe_load(kustomization.read_text())
    generated = [name for one in content.get("secretGenerator", []) for name in one.get("envs", [])]
    for name in [*content.get("resources", []), *content.get("components", []), *generated]:
        assert (kustomization.parent / name).resolve().is_relative_to(FOLDER)
        assert (kustomization.parent / name).exists(), name


def test_the_base_has_every_service():
    base = yaml.safe_load((FOLDER / "base/kustomization.yaml").read_text())
    assert base["resources"] == sorted({one.service for one in SERVERS})


@pytest.mark.skipif(not shutil.which("kustomize"), reason="there is no kustomize on the PATH")
@pytest.mark.parametrize("overlay", ["overlays/shortener", "overlays/everything", "hyperfoil"])
def test_kustomize_renders_resources_that_keep_their_schemas(overlay):
    done = subprocess.run(["kustomize", "build", FOLDER / overlay], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert _check(done.stdout)
