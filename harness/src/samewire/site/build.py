"""Building the site with MkDocs, and showing it."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from samewire.digests import digest_files, source_files
from samewire.locking import exclusive
from samewire.paths import CHECKOUT, STATE
from samewire.site import SiteError, style
from samewire.site.check import problems
from samewire.site.staging import Staged, stage

SITE = CHECKOUT / "docs/site"
"""Where the site goes; ignored by git, since it follows from the rest."""

_STAMP = ".made-of"


def build(folder: Path = SITE) -> bool:
    """Build the site into a folder; False if it is there already, of the very same files.

    Raises SiteError with a line for each dead link and for each page to which nothing leads.
    """
    with exclusive(STATE / "site/lock"):
        made_of = f"{version('mkdocs')} {version('mkdocs-material')} {digest_files(source_files(CHECKOUT), CHECKOUT)}"
        stamp = folder / _STAMP
        if stamp.exists() and stamp.read_text() == made_of:
            return False
        stamp.unlink(missing_ok=True)
        staged = stage(STATE / "site/pages")
        _run_mkdocs(staged, folder)
        if found := problems(folder, staged.sources):
            raise SiteError("\n".join(found))
        stamp.write_text(made_of)
    return True


def _run_mkdocs(staged: Staged, folder: Path) -> None:
    """MkDocs, strictly: each of its warnings is a problem."""
    from mkdocs.commands.build import build as mkdocs_build
    from mkdocs.config import load_config
    from mkdocs.exceptions import MkDocsException

    with _warnings() as warned:
        try:
            mkdocs_build(
                load_config(
                    str(files(__package__) / "mkdocs.yml"),
                    nav=staged.nav,
                    docs_dir=str(staged.folder),
                    site_dir=str(folder),
                    extra_css=style.of_kind(staged.folder, ".css"),
                    extra_javascript=style.of_kind(staged.folder, ".js"),
                )
            )
        except MkDocsException as error:
            warned.append(str(error))
    if warned:
        raise SiteError("\n".join(warned))
    # Of use to a server in the open alone.
    for name in ("404.html", "sitemap.xml", "sitemap.xml.gz"):
        (folder / name).unlink(missing_ok=True)


@contextmanager
def _warnings() -> Iterator[list[str]]:
    """What MkDocs warns of, and what it finds wrong."""
    found: list[str] = []

    class Collect(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(record.getMessage())

    handler, logger = Collect(logging.WARNING), logging.getLogger("mkdocs")
    logger.addHandler(handler)
    try:
        yield found
    finally:
        logger.removeHandler(handler)


def serve(folder: Path, port: int) -> ThreadingHTTPServer:
    """A server of the site on this machine alone, still to be run. Raises SiteError if the port is taken."""

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    try:
        return ThreadingHTTPServer(("127.0.0.1", port), partial(Handler, directory=str(folder)))
    except OSError as error:
        raise SiteError(f"port {port}: {error.strerror}. Give another one: samewire site --serve --port 0") from error
