"""Judging servers again, each time that their files change."""

import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import click
from rich.console import Console

from samewire.build import source_folders
from samewire.cli.output import complain
from samewire.digests import digest_files, source_files
from samewire.manifest import ManifestError, SelectionError, Server
from samewire.toolchains import ToolMissing


def judge_whenever_changed(judge: Callable[[], int], servers: Iterable[Server], console: Console) -> None:
    """Judge at once, and again each time that a source of the servers has changed, until Ctrl-C."""
    folders = sorted({folder for server in servers for folder in source_folders(server)})
    for folder in folders:
        if subprocess.run(["git", "rev-parse"], cwd=folder, capture_output=True).returncode:
            raise click.UsageError(
                f"{folder} is in no git repository. --watch needs one: its .gitignore tells sources from what a build "
                "makes. Run: git init"
            )
    try:
        for _ in whenever_changed(folders):
            try:
                judge()
            except (ManifestError, SelectionError, ToolMissing) as error:
                complain(str(error))
            console.print("waiting for a change; Ctrl-C ends it", style="dim", highlight=False)
    except KeyboardInterrupt:
        return


def whenever_changed(folders: Sequence[Path]) -> Iterator[None]:
    """Yield at once, and again each time that the sources in these folders differ from those of the time before.

    Sources are what git tracks or would track. A change while the caller works counts, too.
    """
    # Only here: it loads a library of its own, and other commands need none.
    from watchfiles import watch

    while True:
        before = _digests(folders)
        yield
        if _digests(folders) == before:
            # It looks again each second: a file may change before the watch begins.
            for _ in watch(*folders, debounce=100, step=20, rust_timeout=1000, yield_on_timeout=True):
                if _digests(folders) != before:
                    break


def _digests(folders: Sequence[Path]) -> list[str]:
    return [digest_files(source_files(folder), folder) for folder in folders]
