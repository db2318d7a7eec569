"""A start for a server of one's own: it is proven, as far as it goes, from a folder that is nowhere in the checkout."""

import json
import os
import shutil
import subprocess
import sys
import tomllib

import pytest
import yaml

from samewire.contract.services import services
from samewire.manifest import SelectionError, load
from samewire.new import LANGUAGES, NotEmpty, languages, program, write

SAMEWIRE = [sys.executable, "-m", "samewire.cli"]


def _call(folder, *arguments):
    return subprocess.run([*SAMEWIRE, *arguments], cwd=folder, capture_output=True, text=True, timeout=100)


def _program(language):
    """The program without which a server of the language does not run."""
    start = tomllib.loads((LANGUAGES / language / "start.toml").read_text())
    return (start["build"] or [start["run"]])[0][0]


@pytest.mark.parametrize("language", languages())
@pytest.mark.timeout(120)
def test_a_start_answers_healthz_and_its_next_failure_can_be_read(tmp_path, language) -> None:
    if not shutil.which(_program(language)):
        pytest.skip(f"{_program(language)} is missing")
    folder = tmp_path / f"randoms-{language}"
    done = _call(tmp_path, "new", "randoms", "--language", language, "--folder", folder.name)
    assert done.returncode == 0, done.stderr
    done = _call(folder, "verify", ".", "--only", "health/healthy")
    assert done.returncode == 0, done.stdout + done.stderr
    report = tmp_path / "report.ndjson"
    done = _call(folder, "verify", ".", "-x", "--layer", "cases", "--report", f"ndjson={report}")
    assert done.returncode == 1
    assert "/randoms?" in done.stdout
    assert "status" in done.stdout
    assert json.loads(report.read_text().splitlines()[0])["passes"] is False


@pytest.mark.parametrize("service", services())
def test_a_start_for_each_service_is_well_formed(tmp_path, service) -> None:
    for language in (*languages(), "Elixir"):
        folder = tmp_path / f"{service}-{language}"
        made = {file.relative_to(folder).as_posix() for file in write(service, language, folder)}
        assert {"server.toml", "README.md", ".github/workflows/contract.yml"} < made
        server = load(folder / "server.toml", tmp_path)
        assert (server.service, server.language.lower()) == (service, language.lower())
        assert yaml.safe_load((folder / ".github/workflows/contract.yml").read_text())["jobs"]["prove"]["steps"]
        whole = "".join((folder / name).read_text() for name in made)
        assert "[[ " not in whole
        assert "{%" not in whole
        if server.store == "postgresql":
            assert "create table" in (folder / "schema.sql").read_text()
            assert "POSTGRES_URL" in (folder / "README.md").read_text()


def test_a_language_may_have_another_name() -> None:
    assert (program("golang"), program("Node"), program("python"), program("Elixir")) == (
        "go",
        "javascript",
        "python",
        "",
    )


def test_a_language_without_a_program_has_one_that_says_so(tmp_path) -> None:
    done = _call(tmp_path, "new", "randoms", "--language", "Elixir", "--folder", "randoms-elixir")
    assert os.access(tmp_path / "randoms-elixir/server", os.X_OK)
    assert "There is no program in Elixir to begin with" in done.stdout
    done = _call(tmp_path, "verify", "randoms-elixir", "--layer", "cases")
    assert done.returncode == 1
    assert "not written yet. Start your program here" in done.stdout + done.stderr


def test_what_is_there_is_not_overwritten(tmp_path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/notes").write_text("keep")
    with pytest.raises(NotEmpty, match="is not empty"):
        write("todo", "go", tmp_path / "mine")
    with pytest.raises(SelectionError, match=r"no service is called 'tod'; there are: .*todo"):
        write("tod", "go", tmp_path / "other")
    with pytest.raises(SelectionError, match="is no name for a server"):
        write("todo", "go", tmp_path / "a b")
    done = _call(tmp_path, "new", "todo", "--language", "go", "--folder", "mine")
    assert done.returncode == 2
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes"]


def test_a_folder_with_the_name_of_another_server_is_refused(tmp_path) -> None:
    for parent in ("a", "b"):
        write("randoms", "python", tmp_path / parent / "mine")
    done = _call(tmp_path, "verify", "a/mine", "b/mine", "--layer", "cases")
    assert done.returncode == 2
    assert "has the same name. Give the folder another one." in done.stderr
