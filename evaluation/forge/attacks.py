"""Attack tools at the gate: ``python -m labwright.evaluation.forge.attacks PATH...`` says of each why it is refused.

An attack is a unified diff against ``NAME.py`` of a good tool (``--- NAME.py`` in its first line), or a folder with
``NAME.py``, and ``test_NAME.py`` and ``contract.yaml`` where they are not those of the good tool NAME in
``evaluation/cases/forge/gate`` or in the toolbox.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from dataclasses import replace
from pathlib import Path

from labwright.tools.errors import InputError
from labwright.tools.forge.gate import GATE_CHECKS, RULES, TEXT_CHECKS, GateBench
from labwright.tools.forge.toolset.contract import Candidate, ToolContract
from labwright.tools.forge.toolset.findings import GateFinding
from labwright.tools.forge.toolset.shipped import Toolbox
from labwright.tools.plain_yaml import read_yaml
from labwright.tools.sandbox import open_sandbox

CASES = Path(__file__).parents[1] / "cases" / "forge"
ATTACKS, GOOD = CASES / "attacks", CASES / "gate"
FORMAL = frozenset(("form", "lint"))  # checks by which any text of the wrong form is refused, whatever it tries


def attack_paths() -> list[Path]:
    """All attacks: ``attacks/AUTHOR/ATTACK.diff`` or ``attacks/AUTHOR/ATTACK/``."""
    return sorted(path for path in ATTACKS.glob("*/*") if path.is_dir() or path.suffix == ".diff")


def name_of(path: Path) -> str:
    """``AUTHOR/ATTACK``."""
    return f"{path.parent.name}/{path.stem}"


def patched(text: str, diff: str) -> str:
    """`text` with a unified diff applied.

    Raises:
        InputError: the diff was made for another text.
    """
    lines, made, at = text.splitlines(), list[str](), 0
    for line in diff.splitlines()[2:]:
        if hunk := re.match(r"@@ -(\d+)(?:,(\d+))? ", line):
            start = int(hunk[1]) - (hunk[2] != "0")
            made += lines[at:start]
            at = start
        elif line.startswith("+"):
            made.append(line[1:])
        elif lines[at] != line[1:]:
            raise InputError(f"Line {at + 1} is {lines[at]!r}, but the diff was made for {line[1:]!r}. Make it anew.")
        else:
            made += [] if line.startswith("-") else [line[1:]]
            at += 1
    return "\n".join([*made, *lines[at:]]) + "\n"


def read_attack(path: Path) -> Candidate:
    """The candidate of a diff or in a folder."""
    if path.suffix == ".diff":
        diff = path.read_text()
        good = read_attack(GOOD / diff.partition("\n")[0].removeprefix("--- ").removesuffix(".py"))
        return replace(good, source=patched(good.source, diff))
    name = next(file.stem for file in sorted(path.glob("*.py")) if not file.name.startswith("test_"))
    place = GOOD / name if (GOOD / name).is_dir() else Toolbox().places.get(name, path)
    files = [f"{name}.py", f"test_{name}.py", "contract.yaml"]
    source, tests, contract = ((path if (path / file).exists() else place) / file for file in files)
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
    reader.add_argument("path", nargs="*", type=Path, default=attack_paths(), help="all that are here if left out")
    reader.add_argument("--unread", action="store_true", help="leave out the checks that read the texts")
    given = reader.parse_args()
    admitted = 0
    with GateBench(open_sandbox()) as gate:
        for path in given.path:
            began = time.monotonic()
            found = first_findings(gate, read_attack(path), unread=given.unread)
            word = (
                "refused" if refused_for_what_it_tries(found) else "REFUSED FOR ITS FORM ONLY" if found else "ADMITTED"
            )
            admitted += word == "ADMITTED"
            lines = [f"{name_of(path)}  {word}  {time.monotonic() - began:.1f} s"]
            lines += [f"    {one}"[:400] for one in found[:4]]
            sys.stdout.write("\n".join(lines) + "\n")
    return admitted


if __name__ == "__main__":
    sys.exit(main())
