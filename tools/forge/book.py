"""The recipe book: general tools that are known to work, kept as drafts. Each passes the gate before it is used."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import yaml
from pydantic import ValidationError

from labwright.tools.errors import CorruptRecordError, InputError
from labwright.tools.forge.contract import Candidate, ToolContract

FOLDER = Path(__file__).resolve().parent / "book"
CONTRACT = "contract.yaml"
MOST_FOUND = 10


@dataclass(frozen=True)
class Book:
    """Recipes by name; one folder each with ``contract.yaml``, ``<name>.py`` and ``test_<name>.py``.

    Attributes:
        folder: of the recipes.
    """

    folder: Path = field(default=FOLDER)

    @cached_property
    def contracts(self) -> dict[str, ToolContract]:
        """Every recipe's contract, by name.

        Raises:
            CorruptRecordError: a contract does not read, or bears another name than its folder.
        """
        return {path.parent.name: _contract(path) for path in sorted(self.folder.glob(f"*/{CONTRACT}"))}

    def find(self, name: str) -> ToolContract | None:
        """The contract of a recipe, or None."""
        return self.contracts.get(name)

    def candidate(self, name: str) -> Candidate:
        """A recipe as a draft for the gate.

        Raises:
            InputError: there is no such recipe.
            CorruptRecordError: a file of it is missing.
        """
        contract = self.find(name)
        if contract is None:
            raise InputError(f"The recipe book has no {name!r}.")
        return Candidate(contract, self._read(name, f"{name}.py"), self._read(name, f"test_{name}.py"))

    def search(self, words: str, most: int = MOST_FOUND) -> list[ToolContract]:
        """Recipes whose contracts hold most of `words`, the best first."""
        wanted = _words([words])
        scored = [(len(wanted & _words(_said(one))), one) for one in self.contracts.values()]
        found = sorted((pair for pair in scored if pair[0]), key=lambda pair: (-pair[0], pair[1].name))
        return [one for _, one in found[:most]]

    def _read(self, name: str, file: str) -> str:
        path = self.folder / name / file
        try:
            return path.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise CorruptRecordError(f"The recipe {name} has no {file}. Install Labwright anew.") from None


def _contract(path: Path) -> ToolContract:
    try:
        made = ToolContract.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (ValidationError, yaml.YAMLError) as wrong:
        raise CorruptRecordError(f"The recipe {path.parent.name} has a contract that does not read: {wrong}") from wrong
    if made.name != path.parent.name:
        raise CorruptRecordError(f"The recipe in the folder {path.parent.name} calls itself {made.name}.")
    return made


def _said(contract: ToolContract) -> Iterable[str]:
    yield from (contract.name, contract.purpose, contract.package, contract.method)
    yield from (one.description for one in (*contract.inputs, *contract.outputs))


def _words(texts: Iterable[str]) -> set[str]:
    cut = (word for text in texts for word in "".join(c if c.isalnum() else " " for c in text.lower()).split())
    return {word.rstrip("s") for word in cut if len(word) > 2}
