"""bench/kubernetes, the part that follows from the manifests: a Deployment and a Service for each server.

What does not follow from them (databases, load, overlays to begin with) is beside it, written by hand.
"""

from dataclasses import dataclass
from pathlib import Path

from samewire.containers import compose
from samewire.links import links
from samewire.paths import BENCH

FOLDER = BENCH / "kubernetes"
BASE = FOLDER / "base"
HASHES = 2007
"""The length of a user's list in the study."""


@dataclass(frozen=True)
class Cluster(compose.Composition):
    """All servers as Deployments."""

    def files(self) -> dict[Path, str]:
        """The text of each file: all services and each, the data of each store, and what the load asks for."""
        files = {FOLDER / "hyperfoil/hashes.txt": "".join(f"{hash_}\n" for hash_, _ in links(HASHES))}
        for service in sorted({server.service for server in self.servers}):
            some = [server for server in self.servers if server.service == service]
            for one in some:
                files[BASE / service / f"{compose.name(one)}.yaml"] = self._render("server.yaml.jinja", server=one)
            resources = sorted(f"{compose.name(server)}.yaml" for server in some)
            files[BASE / service / "kustomization.yaml"] = self._kustomization(resources)
        files[BASE / "kustomization.yaml"] = self._kustomization(sorted({server.service for server in self.servers}))
        for store in compose.HOSTS:
            if self.datasets(store):
                files[BASE / f"data-{store}/job.yaml"] = self._render("data.yaml.jinja", store=store)
                files[BASE / f"data-{store}/kustomization.yaml"] = self._kustomization(["job.yaml"])
        return files

    def _render(self, template: str, **about: object) -> str:
        return (
            compose.templates()
            .get_template(f"kubernetes/{template}")
            .render(composition=self, database_name=compose.database_name, **about)
        )

    def _kustomization(self, resources: list[str]) -> str:
        return self._render("kustomization.yaml.jinja", resources=resources)
