"""The command `samewire`: each group of its commands is a module."""

import signal

import click

from samewire.build import BuildError
from samewire.cli import checkout, contract, generate, judge, labs, new, profile, race, servers, site
from samewire.cli.output import FAILED, MISSING, USAGE, fail
from samewire.containers.engine import EngineError
from samewire.containers.rehearsal.daemon import NoEngine
from samewire.contract.files import ContractError
from samewire.databases import DatabaseError
from samewire.labs import LabError
from samewire.manifest import ManifestError, SelectionError
from samewire.paths import INSTALLED
from samewire.preflight import NotJudged
from samewire.process import StartError
from samewire.toolchains import ToolMissing

_BAD = BuildError, ContractError, DatabaseError, EngineError, LabError, NotJudged, StartError

_WITHOUT_CHECKOUT = {"verify", "serve", "contract", "export", "badge", "new"}


class _Group(click.Group):
    """Turns the harness's own exceptions into one clear message and an exit status.

    Where only a wheel is installed, it has the commands that need no checkout.
    """

    def list_commands(self, context: click.Context) -> list[str]:
        return [name for name in super().list_commands(context) if name in _WITHOUT_CHECKOUT or not INSTALLED]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        command = super().get_command(context, name)
        if command and INSTALLED and name not in _WITHOUT_CHECKOUT:
            fail(f"`samewire {name}` needs a checkout of Samewire.", USAGE)
        return command

    def invoke(self, context: click.Context):
        try:
            return super().invoke(context)
        except (ManifestError, SelectionError) as error:
            fail(error, USAGE)
        except ToolMissing as error:
            fail(error if INSTALLED else f"{error}\n`samewire doctor` shows everything that is missing.", MISSING)
        except NoEngine as error:
            fail(error, MISSING)
        except _BAD as error:
            fail(error, FAILED)
        except KeyboardInterrupt:
            fail("interrupted; everything that was started has been stopped", 130)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Reference servers: start them, prove that they answer identically, race what is proven.

    Exit status: 0 all is well, 1 a verdict is bad, 2 wrong usage, 3 something is missing on this machine.
    """
    # SIGTERM ends a command as Ctrl-C does: through the context managers that stop what was started.
    signal.signal(signal.SIGTERM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))


for command in (
    new.new, servers.list_, servers.build_, servers.up, servers.serve,
    judge.verify, judge.compose_test, judge.atlas, judge.attack, contract.contract, contract.export,
    contract.badge,
    race.race, race.report, race.compare, profile.profile, labs.lab,
    generate.idioms, generate.readme, generate.compose, generate.kubernetes, generate.ledger, generate.models,
    site.site,
    checkout.setup, checkout.doctor, checkout.clean, checkout.lint, checkout.test,
):  # fmt: skip
    main.add_command(command)
