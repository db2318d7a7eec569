"""docker-compose.yml, written from the manifests: whatever it says of a server, the server's manifest said first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import jinja2

from samewire.containers.ports import DATABASES, language, ports
from samewire.databases import URL_VARIABLES
from samewire.databases.postgresql import SETTINGS, USER
from samewire.languages import find_languages, language_of
from samewire.manifest import Server, least_demanding
from samewire.paths import CHECKOUT
from samewire.settings import settings

FILE = CHECKOUT / "docker-compose.yml"
PORT_PAGE = CHECKOUT / "docs/reference/ports.md"
PORT = 8080
"""Where a server listens in its container."""
SERVER_LABEL, DATABASE_LABEL = "samewire.server", "samewire.database"
"""The labels of containers; their values are a server's id and a store."""
EVERYTHING = "all"
"""The profile of every service, which `.env` chooses where nobody else does."""
IMAGES = "samewire"
"""What the names of our images begin with."""
HOSTS: Mapping[str, str] = {"postgresql": "postgres", "mongodb": "mongo"}
"""The databases' services, which are their names in the network."""
SERVER_URLS: Mapping[str, str] = {
    "postgresql": f"postgres://{USER}:{USER}@postgres:5432",
    "mongodb": "mongodb://mongo:27017",
}


def name(server: Server) -> str:
    """A server's name in compose, its image's and its host's."""
    return server.folder.name


def database_name(server: Server) -> str:
    """The name of the server's own database."""
    return name(server).replace("-", "_")


def folder(setting: str) -> str:
    """Where a setting's folder is in a container: UPLOAD_DIR → /uploads."""
    return f"/{setting.removesuffix('_DIR').lower()}s"


@dataclass(frozen=True)
class Composition:
    """All servers as containers."""

    servers: Sequence[Server]

    def upstreams(self, server: Server) -> dict[str, Server]:
        """The servers that a server asks, by the setting that names them: the same for all, as on the host."""
        return {
            setting.name: least_demanding(one for one in self.servers if one.service == setting.service)
            for setting in settings(server.service)
            if setting.service
        }

    def folders(self, server: Server) -> dict[str, str]:
        """The folders that a server writes to, by their settings."""
        return {one.name: folder(one.name) for one in settings(server.service) if one.kind == "folder" and one.required}

    def volumes(self, server: Server) -> list[str]:
        """The volumes of those folders, as VOLUME:PATH."""
        return [f"{name(server)}{path.replace('/', '-')}:{path}" for path in self.folders(server).values()]

    def environment(self, server: Server, server_urls: Mapping[str, str] = SERVER_URLS) -> dict[str, str]:
        """What a server is given besides HOST and PORT, which its image has."""
        variables = {key: f"http://{name(one)}:{PORT}" for key, one in self.upstreams(server).items()}
        variables |= self.folders(server)
        if server.store in URL_VARIABLES:
            variables[URL_VARIABLES[server.store]] = f"{server_urls[server.store]}/{database_name(server)}"
        return variables

    @cached_property
    def profiles(self) -> dict[str, list[str]]:
        """The profiles of each server by its id: its service, its language, and those of the servers that ask it."""
        profiles = {server.id: {EVERYTHING, server.service, language(server)} for server in self.servers}
        for server in self.servers:
            for upstream in self.upstreams(server).values():
                profiles[upstream.id] |= {server.service, language(server)}
        return {server: sorted(names) for server, names in profiles.items()}

    def profiles_of(self, store: str) -> list[str]:
        """The profiles in which a server keeps its records in this store."""
        return sorted({name for one in self.servers if one.store == store for name in self.profiles[one.id]})

    def datasets(self, store: str) -> list[str]:
        """What the job that fills a store's databases is told: STORE:SERVICE:DATABASE for each server."""
        return [f"{store}:{one.service}:{database_name(one)}" for one in self.servers if one.store == store]

    def render(self, template: str) -> str:
        """The text that a template of this package makes."""
        table = ports(self.servers)
        return (
            templates()
            .get_template(template)
            .render(
                composition=self,
                servers=sorted(self.servers, key=lambda one: table[one.id]),
                stores=[store for store in HOSTS if self.profiles_of(store)],
                ports=table,
                languages=[one for one in find_languages() if any(language(each) == one.name for each in self.servers)],
                server_volumes=[volume.partition(":")[0] for one in self.servers for volume in self.volumes(one)],
            )
        )

    def files(self) -> dict[Path, str]:
        """What is written from the manifests: the text of each file."""
        return {FILE: self.render("docker-compose.yml.jinja"), PORT_PAGE: self.render("ports.md.jinja")}


def templates() -> jinja2.Environment:
    """The templates of this package, and what they call."""
    made = jinja2.Environment(
        loader=jinja2.PackageLoader(__package__),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.globals |= {
        "name": name, "folder": lambda server: server.folder.relative_to(CHECKOUT).as_posix(),
        "language_of": lambda server: language_of(server.folder),
        "images": IMAGES, "port": PORT, "hosts": HOSTS, "database_ports": DATABASES, "server_urls": SERVER_URLS,
        "variables": URL_VARIABLES, "user": USER, "server_label": SERVER_LABEL, "database_label": DATABASE_LABEL,
        "postgresql_settings": {key: value for key, value in SETTINGS.items() if key != "listen_addresses"},
    }  # fmt: skip
    return made


def out_of_date(files: Mapping[Path, str | None]) -> list[Path]:
    """Those of the files that are not what they should be; None for one that should not be there."""
    return [path for path, text in files.items() if (path.read_text() if path.exists() else None) != text]
