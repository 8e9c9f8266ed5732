"""The candidates in tests/tools/forge/gate/corpus: good ones as folders, bad ones as edits of good ones.

The twenty tools in evaluation/cases/forge/gate are good ones, too: of an author who knew the documents and orders only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from labwright.tools.forge.toolset.contract import Candidate, ToolContract
from labwright.tools.plain_yaml import read_yaml

CORPUS = Path(__file__).parents[1] / "tools" / "forge" / "gate" / "corpus"
RETURNS = "    return ThermalOccupationOutput(occupation=1.0 / math.expm1(ratio))"
TASK = (
    "A mode of 1234.5 1/cm at 277.4 K; sites at 12410, 12530 and 12210 1/cm, coupling -87.7 1/cm. "
    "SMILES CC(=O)Oc1ccccc1C(=O)O."
)  # what the tools of bad.yaml were made for
OTHERS = Path(__file__).parents[2] / "evaluation" / "cases" / "forge" / "gate"


@dataclass(frozen=True, slots=True)
class Bad:
    """A candidate that must not come in, and the rule that keeps it out; empty if it comes in without effect."""

    name: str
    rule: str
    task: str
    candidate: Candidate


def good_names() -> list[str]:
    """Of all good candidates."""
    return sorted(path.name for folder in (CORPUS / "good", OTHERS) for path in folder.iterdir() if path.is_dir())


@cache
def texts(name: str) -> tuple[str, str, str]:
    """Source, tests and contract of a good candidate."""
    folder = OTHERS / name if (OTHERS / name).is_dir() else CORPUS / "good" / name
    return tuple((folder / file).read_text() for file in (f"{name}.py", f"test_{name}.py", "contract.yaml"))  # type: ignore[return-value]


def good(name: str) -> Candidate:
    """A candidate that must come in."""
    return _candidate(*texts(name))


def _candidate(source: str, tests: str, contract: str) -> Candidate:
    return Candidate(ToolContract(**read_yaml(contract)), source, tests)


def edited(base: str, *edits: tuple[str, str, str]) -> Candidate:
    """A good candidate with some texts replaced, each of which must be there: (where, find, put)."""
    made = dict(zip(("source", "tests", "contract"), texts(base), strict=True))
    for where, find, put in edits:
        assert find in made[where], f"{base}: {find!r} is not in its {where}"
        made[where] = made[where].replace(find, put)
    return _candidate(**made)


@cache
def bad() -> tuple[Bad, ...]:
    """All bad candidates."""
    return _listed("bad.yaml")


@cache
def attacks() -> tuple[Bad, ...]:
    """Tools that are wrong unless they take themselves for judged."""
    return _listed("attacks.yaml")


def _listed(file: str) -> tuple[Bad, ...]:
    listed = read_yaml((CORPUS / file).read_text())
    return tuple(
        Bad(
            one["name"],
            one.get("rule", ""),
            one.get("task", TASK),
            edited(one.get("base", "thermal_occupation"), *_edits(one)),
        )
        for one in listed
    )


def _edits(one: dict[str, Any]) -> list[tuple[str, str, str]]:
    function = "def thermal_occupation("
    edits = [("source", "import math\n", f"{one['imports']}\nimport math\n")] if "imports" in one else []
    if "judged" in one:
        edits.append(("source", "math.expm1(ratio)", f"math.expm1(ratio if {one['judged']} else 2 * ratio)"))
    listed = one.get("edits", [one] if "put" in one else [])
    edits += [(edit.get("where", "source"), edit.get("find", RETURNS), edit["put"]) for edit in listed]
    if "before" in one:
        edits.append(("source", function, f"{one['before']}\n\n\n{function}"))
    return edits
