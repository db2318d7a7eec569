import pytest

from samewire import toolchains


def test_the_newest_jdk_is_taken(tmp_path, monkeypatch):
    for version in ("17.0.15", "25.0.3", "9.0.1"):
        home = tmp_path / f"jdk-{version}"
        (home / "bin").mkdir(parents=True)
        (home / "bin/javac").touch()
        (home / "release").write_text(f'JAVA_VERSION="{version}"\n')
    monkeypatch.setattr(toolchains, "Path", _rooted(tmp_path))
    monkeypatch.setattr(toolchains.shutil, "which", lambda *_, **__: None)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    found = toolchains.jdk.__wrapped__()
    assert found.version == "25.0.3"
    assert found.path.name == "jdk-25.0.3"


def _rooted(folder):
    real = toolchains.Path
    return lambda path: folder if str(path) == "/usr/lib/jvm" else real(path)


def test_what_is_missing_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(toolchains.TOOLS, "node", lambda: toolchains.Tool("node", None, "", "make setup"))
    with pytest.raises(toolchains.ToolMissing, match="node is missing: make setup"):
        toolchains.environment(["node"])


def test_a_chosen_tool_comes_before_the_path_and_nothing_hides_it(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setitem(toolchains.TOOLS, "jdk", lambda: toolchains.Tool("jdk", tmp_path, "25", ""))
    maven = toolchains.Tool("maven", toolchains.Path("/usr/bin/mvn"), "3", "")
    monkeypatch.setitem(toolchains.TOOLS, "maven", lambda: maven)
    variables = toolchains.environment(["maven", "jdk"])
    assert variables["PATH"].split(":")[:2] == [str(tmp_path / "bin"), "/usr/bin"]
    assert variables["JAVA_HOME"] == str(tmp_path)


def test_a_jvm_that_lives_briefly_does_not_optimise_unless_its_manifest_says_so():
    argv = ("java", "-XX:TieredStopAtLevel=4", "-jar", "server.jar")
    assert toolchains.brief(argv) == ["java", "-XX:TieredStopAtLevel=1", *argv[1:]]
    assert toolchains.brief(("node", "server.ts")) == ["node", "server.ts"]
