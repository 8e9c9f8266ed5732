"""Attack tools at the gate: ``python -m labwright.evaluation.forge.attacks ATTACK...`` says of each why it is refused.

One that comes in is used: a confined script in a workspace asks it for every input of its tests, again and again and in
every way that scripts do, and compares with what the gate saw. Without a difference the attack is without effect.

Attacks are edits of a good tool, in ``evaluation/cases/forge/attacks/AUTHOR.yaml``. New ones may lie in folders: a tool
``NAME.py``, with ``test_NAME.py`` and ``contract.yaml`` where they are not those of the good tool NAME in
``evaluation/cases/forge/gate`` or in the toolbox.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

from labwright.tools.forge.gate import GATE_CHECKS, RULES, TEXT_CHECKS, GateBench
from labwright.tools.forge.toolset.contract import Candidate, ToolContract
from labwright.tools.forge.toolset.findings import GateFinding
from labwright.tools.forge.toolset.shelf import Tool, ToolRecord
from labwright.tools.forge.toolset.shipped import Toolbox
from labwright.tools.forge.toolset.toolset import files_of
from labwright.tools.plain_yaml import read_yaml
from labwright.tools.sandbox import Sandbox, open_sandbox
from labwright.tools.workspace.workspace import Workspace

CASES = Path(__file__).parents[1] / "cases" / "forge"
ATTACKS, GOOD = CASES / "attacks", CASES / "gate"
FORMAL = frozenset(("form", "lint", "mutation"))  # refuse what is badly written or tested, whatever it tries


@cache
def _listed() -> dict[str, dict[str, Any]]:
    return {
        f"{path.stem}/{one['name']}": one
        for path in sorted(ATTACKS.glob("*.yaml"))
        for one in read_yaml(path.read_text())
    }


def attack_names() -> list[str]:
    """Of all attacks that are here: ``AUTHOR/ATTACK``."""
    return list(_listed())


def read_attack(name: str, base: str = "binding_isotherm") -> Candidate:
    """An attack by its name: the good tool `base` with texts replaced, each of which must be there."""
    made = dict(zip(("source", "tests", "contract"), _texts(GOOD / base, base), strict=True))
    for edit in _listed()[name]["edits"]:
        if made[edit["where"]].count(edit["find"]) != 1:
            raise ValueError(f"{name}: {edit['find']!r} does not stand once in the {edit['where']} of {base}.")
        made[edit["where"]] = made[edit["where"]].replace(edit["find"], edit["put"])
    return Candidate(ToolContract(**read_yaml(made["contract"])), made["source"], made["tests"])


def read_folder(folder: Path) -> Candidate:
    """The candidate in a folder."""
    name = next(path.stem for path in sorted(folder.glob("*.py")) if not path.name.startswith("test_"))
    source, tests, contract = _texts(folder, name)
    return Candidate(ToolContract(**read_yaml(contract)), source, tests)


def _texts(folder: Path, name: str) -> list[str]:
    good = GOOD / name if (GOOD / name).is_dir() else Toolbox().places.get(name, folder)
    files = [f"{name}.py", f"test_{name}.py", "contract.yaml"]
    return [((folder if (folder / file).exists() else good) / file).read_text() for file in files]


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
    reader.add_argument(
        "attack", nargs="*", default=attack_names(), help="a name or a folder; all that are here if none"
    )
    reader.add_argument("--unread", action="store_true", help="leave out the checks that read the texts")
    given = reader.parse_args()
    effective = 0
    with GateBench(open_sandbox()) as gate:
        for name in given.attack:
            began, folder = time.monotonic(), Path(name)
            candidate = read_folder(folder) if folder.is_dir() else read_attack(name)
            word, lines = judged(gate, candidate, unread=given.unread)
            effective += word == "effective"
            lines = [f"{name}  {word}  {time.monotonic() - began:.1f} s", *lines]
            sys.stdout.write("\n    ".join(lines) + "\n")
            sys.stdout.flush()
    return effective


if __name__ == "__main__":
    sys.exit(main())
