"""What a server is known to answer to the inputs: `atlas.yaml` in its folder, which a command writes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from samewire.atlas.ask import Asked
from samewire.manifest import Server

FILE = "atlas.yaml"
_HEAD = "# What this server answers to the inputs of the atlas. `samewire atlas --update` writes this file.\n"


@dataclass
class Pins:
    """The content of the file."""

    answers: dict[str, str] = field(default_factory=dict)
    """Id of an input → what came, as `Asked.line`."""
    fields: dict[str, list[str]] = field(default_factory=dict)
    """Status and media type → the names of header fields that such answers have, a text for each set of them."""

    def differences(self, several: Iterable[Asked]) -> list[str]:
        """Where these servers' answers are not as pinned, a sentence each."""
        found = []
        for asked in several:
            if asked.input.by_chance or asked.spoilt:
                continue
            pinned = self.answers.get(asked.input.id)
            if pinned != asked.line:
                found.append(f"{asked.input.id}: {asked.line}; pinned: {pinned or 'nothing'}")
            for answer, names in asked.fields.items():
                for unknown in sorted(names - {*self.fields.get(answer, ())}):
                    found.append(f"{asked.input.id}: header fields of {answer} that are not pinned: {unknown}")
        return found

    def add(self, several: Iterable[Asked]) -> None:
        """Pin what came."""
        for asked in several:
            if asked.input.by_chance or asked.spoilt:
                continue
            self.answers[asked.input.id] = asked.line
            for answer, names in asked.fields.items():
                self.fields[answer] = sorted(names | {*self.fields.get(answer, ())})


def file_of(server: Server) -> Path:
    """Where the pins of a server are."""
    return server.folder / FILE


def read(server: Server) -> Pins:
    """The pins of a server; none if there is no file."""
    file = file_of(server)
    if not file.exists():
        return Pins()
    content: Mapping = yaml.load(file.read_text(), yaml.CSafeLoader)
    fields = {name: sets if isinstance(sets, list) else [sets] for name, sets in content["fields"].items()}
    return Pins(dict(content["answers"]), fields)


def write(server: Server, pins: Pins) -> None:
    """Write the pins of a server, in the order of the alphabet."""
    fields = {name: sets[0] if len(sets) == 1 else sets for name, sets in pins.fields.items()}
    content = {"answers": pins.answers, "fields": fields}
    file_of(server).write_text(_HEAD + yaml.dump(content, Dumper=yaml.CSafeDumper, allow_unicode=True, width=4000))
