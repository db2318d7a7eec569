"""The command that builds and shows the site."""

import contextlib
from pathlib import Path

import click

from samewire.cli.output import FAILED, console, fail


@click.command()
@click.option("--serve", "serve_", is_flag=True, help="Then show it at an address of this machine, until Ctrl-C.")
@click.option("--port", default=8000, show_default=True, help="The port of --serve; 0 is any that is free.")
@click.option("--folder", type=click.Path(path_type=Path, file_okay=False), help="Build it there, not in docs/site.")
def site(serve_: bool, port: int, folder: Path | None) -> None:
    """Build the site of all pages, to be read from its files or by --serve: docs/site/index.html."""
    from samewire.site import SiteError, build

    folder = (folder or build.SITE).resolve()
    try:
        with console.status("the site"):
            made = build.build(folder)
        console.print(f"site: {folder / 'index.html'}{'' if made else ', unchanged'}", soft_wrap=True, highlight=False)
        if serve_:
            with build.serve(folder, port) as server, contextlib.suppress(KeyboardInterrupt):
                console.print(f"http://127.0.0.1:{server.server_port}/  Ctrl-C stops it.", highlight=False)
                server.serve_forever()
    except SiteError as error:
        fail(error, FAILED)
