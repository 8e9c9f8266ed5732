"""Attack tools at the gate: ``python -m labwright.evaluation.forge.attacks FOLDER...`` says of each why it is refused.

A folder holds ``NAME.py``, and ``test_NAME.py`` and ``contract.yaml`` where they are not those of the good tool NAME in
``evaluation/cases/forge/gate`` or in the toolbox.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from labwright.tools.forge.gate import GATE_CHECKS, RULES, TEXT_CHECKS, GateBench
from labwright.tools.forge.toolset.contract import Candidate, ToolContract
from labwright.tools.forge.toolset.findings import GateFinding
from labwright.tools.forge.toolset.shipped import Toolbox
from labwright.tools.plain_yaml import read_yaml
from labwright.tools.sandbox import open_sandbox

CASES = Path(__file__).parents[1] / "cases" / "forge"
ATTACKS, GOOD = CASES / "attacks", CASES / "gate"
FORMAL = frozenset(("form", "lint"))  # checks by which any text of the wrong form is refused, whatever it tries


def attack_folders() -> list[Path]:
    """All attacks: ``attacks/AUTHOR/ATTACK/``."""
    return sorted(path for path in ATTACKS.glob("*/*") if path.is_dir())


def read_attack(folder: Path) -> Candidate:
    """The candidate in a folder."""
    name = next(path.stem for path in sorted(folder.glob("*.py")) if not path.name.startswith("test_"))
    good = GOOD / name if (GOOD / name).is_dir() else Toolbox().places.get(name, folder)
    files = [f"{name}.py", f"test_{name}.py", "contract.yaml"]
    source, tests, contract = ((folder if (folder / file).exists() else good) / file for file in files)
    return Candidate(ToolContract(**read_yaml(contract.read_text())), source.read_text(), tests.read_text())


def first_findings(gate: GateBench, candidate: Candidate, *, unread: bool) -> list[GateFinding]:
    """What refuses a candidate; with `unread` what does when the text checks are left out."""
    if not unread:
        return list(gate.report(candidate).findings)
    for check in GATE_CHECKS[len(TEXT_CHECKS) :]:
        if found := gate.check(check, candidate):
            return found
    return []


def refused_for_what_it_tries(found: list[GateFinding]) -> bool:
    """Whether more than its form speaks against a candidate."""
    return bool({RULES[one.rule][0] for one in found} - FORMAL)


def main() -> int:
    """Print a verdict an attack; the exit code is the number of those that came in."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("folder", nargs="*", type=Path, default=attack_folders(), help="all that are here if left out")
    reader.add_argument("--unread", action="store_true", help="leave out the checks that read the texts")
    given = reader.parse_args()
    admitted = 0
    with GateBench(open_sandbox()) as gate:
        for folder in given.folder:
            began = time.monotonic()
            found = first_findings(gate, read_attack(folder), unread=given.unread)
            word = (
                "refused" if refused_for_what_it_tries(found) else "REFUSED FOR ITS FORM ONLY" if found else "ADMITTED"
            )
            admitted += word == "ADMITTED"
            lines = [f"{folder.parent.name}/{folder.name}  {word}  {time.monotonic() - began:.1f} s"]
            lines += [f"    {one}"[:400] for one in found[:4]]
            sys.stdout.write("\n".join(lines) + "\n")
    return admitted


if __name__ == "__main__":
    sys.exit(main())
