"""Attack tools at the gate: ``python -m labwright.evaluation.forge.attacks PATH...`` says of each why it is refused.

One that comes in is used: a confined script in a workspace asks it for every input of its tests, again and again and in
every way that scripts do, and compares with what the gate saw. Without a difference the attack is without effect.

An attack is a unified diff against ``NAME.py`` of a good tool (``--- NAME.py`` in its first line), or a folder with
``NAME.py``, and ``test_NAME.py`` and ``contract.yaml`` where they are not those of the good tool NAME in
``evaluation/cases/forge/gate`` or in the toolbox.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from labwright.tools.errors import InputError
from labwright.tools.forge.gate import GATE_CHECKS, RULES, TEXT_CHECKS, GateBench
from labwright.tools.forge.toolset.builtin_tools import Toolbox
from labwright.tools.forge.toolset.contract import Candidate, ToolContract
from labwright.tools.forge.toolset.gate_findings import GateFinding
from labwright.tools.forge.toolset.stored_tool import Tool, ToolRecord
from labwright.tools.forge.toolset.toolset import files_of
from labwright.tools.plain_yaml import read_yaml
from labwright.tools.sandbox import Sandbox, open_sandbox
from labwright.tools.workspace.workspace import Workspace

CASES = Path(__file__).parents[1] / "cases" / "forge"
ATTACKS, GOOD = CASES / "attacks", CASES / "gate"
FORMAL = frozenset(("form", "lint", "mutation"))  # refuse what is badly written or tested, whatever it tries


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


def in_use(sandbox: Sandbox, candidate: Candidate, base: dict[str, Any], times: int = 50) -> dict[str, Any]:
    """What a script finds that uses a tool in a workspace: ``calls`` made, and ``wrong``: way, input and reading.

    Args:
        sandbox: of the script.
        candidate: the tool, admitted or not.
        base: the gate's run of its tests, whose inputs and answers are the measure.
        times: calls at once, beside those one by one.
    """
    name = candidate.name
    seen = {one["given"]: one["gave"] for one in base["seen"] if one.get("given") and one.get("gave")}
    judged = {
        "name": name,
        "module": f"tools.{name}",
        "model": "".join(word.capitalize() for word in name.split("_")) + "Input",
        "inputs": list(seen),
        "answers": [json.loads(one) for one in seen.values()],
        "times": times,
    }
    record = ToolRecord(
        contract=candidate.contract, version=1, source_sha256="", tests_sha256="", candidate_sha256=candidate.sha256,
        made_by="", admitted="", report={},
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for path, content in files_of([Tool(name, "", record, candidate.source, candidate.tests)], {}).items():
            (folder / "tools" / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / "tools" / path).write_bytes(content)
        (folder / "question.md").write_text(f"# Task\n\nHow much is bound? It is {time.asctime()}.\n")
        (folder / "data.csv").write_text("t,y\n0,1\n")
        (folder / "judged.json").write_text(json.dumps(judged))
        script = f"step_{time.time_ns() % 90 + 10}.py"
        (folder / script).write_text((CASES / "in_use.py").read_text())
        done = Workspace(folder, sandbox).run(["python", script]).completed
        if done.ending != "ok" or not (folder / "said.json").exists():
            return {"calls": 0, "wrong": [["", 0, f"{done.ending}: {done.stderr.decode()[-400:]}"]]}
        said: dict[str, Any] = json.loads((folder / "said.json").read_text())
        return said


def judged(gate: GateBench, candidate: Candidate, *, unread: bool) -> tuple[str, list[str]]:
    """``refused``, ``refused for its form only``, ``without effect`` or ``effective``, and the reasons."""
    found = first_findings(gate, candidate, unread=unread)
    if found and (refused_for_what_it_tries(found) or not gate.base):
        word = "refused" if refused_for_what_it_tries(found) else "refused for its form only"
        return word, [str(one)[:400] for one in found[:4]]
    said = in_use(gate.sandbox, candidate, gate.base)
    lines = [f"{said['calls']} answers in use, {len(said['wrong'])} of them others", *map(str, said["wrong"][:3])]
    return ("effective" if said["wrong"] else "without effect"), lines


def main() -> int:
    """Print a verdict an attack; the exit code is the number of those that have an effect."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("path", nargs="*", type=Path, default=attack_paths(), help="all that are here if left out")
    reader.add_argument("--unread", action="store_true", help="leave out the checks that read the texts")
    given = reader.parse_args()
    effective = 0
    with GateBench(open_sandbox()) as gate:
        for path in given.path:
            began = time.monotonic()
            word, lines = judged(gate, read_attack(path), unread=given.unread)
            effective += word == "effective"
            lines = [f"{name_of(path)}  {word}  {time.monotonic() - began:.1f} s", *lines]
            sys.stdout.write("\n    ".join(lines) + "\n")
            sys.stdout.flush()
    return effective


if __name__ == "__main__":
    sys.exit(main())
