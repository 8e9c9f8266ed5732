"""How many input tokens a run costs with a model, counted from the bytes of its requests, pictures included.

    python -m labwright.evaluation.benchmarks.token_economy                      # a one-qubit calibration
    python -m labwright.evaluation.benchmarks.token_economy "Measure T1 of Q1"   # another request
    python -m labwright.evaluation.benchmarks.token_economy --sizzle             # a siZZle search

The request is run on the simulated processor three times with a model on loopback that answers as the rules do: without
figures, with a look at every figure, and with a look only where the numbers leave doubt. Tokens are counted as
`labwright.evaluation.tokens` says.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from labwright.evaluation.benchmarks.policy_model import SPEC, PolicyModel, pointed_at, role_of
from labwright.evaluation.committed import FOLDER
from labwright.evaluation.results import provenance
from labwright.evaluation.tokens import Counted, count_request, tokenizer
from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.running import CalibrationRequest, Outcome, start
from labwright.tools.durable import write_atomic
from labwright.tools.runs.files import to_json

REQUEST = "Calibrate qubit Q1 and benchmark it"
SIZZLE = "sizzle_search Q1, Q2, acquisitions = 100"
WAYS: dict[str, dict[str, Any]] = {
    "numbers": {"figures": False},
    "figures where in doubt": {"figures": True, "look": "doubt"},
    "every figure": {"figures": True, "look": "always"},
}


def counted(bodies: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """What requests cost: {requests, text, schema, images, image_tokens, input_tokens, by_role}."""
    by_role: dict[str, Counted] = {}
    for body in bodies:
        by_role.setdefault(role_of(body), Counted()).add(count_request(body))
    total = Counted()
    for one in by_role.values():
        total.add(one)
    roles = {role: {**asdict(one), "input_tokens": one.total} for role, one in sorted(by_role.items())}
    return {**asdict(total), "input_tokens": total.total, "by_role": roles}


def measured(text: str, way: str, folder: Path, seed: int = 0, **options: Any) -> dict[str, Any]:
    """Run `text` on the simulated processor in one of `WAYS`, with every request counted; the log lies in `folder`."""
    choices = Choices(seed=seed, mind=SPEC, approval="auto", answers="defaults", **WAYS[way], **options)
    began = time.perf_counter()
    with PolicyModel() as model, pointed_at(model, folder / "state", vision=WAYS[way]["figures"]):
        outcome = start(CalibrationRequest(text, choices), folder / "runs")
        model.write(folder / "requests.jsonl")
    seconds = round(time.perf_counter() - began, 1)
    return {"way": way, **_told(outcome), "run_seconds": seconds, **counted(model.bodies)}


def _told(outcome: Outcome) -> dict[str, Any]:
    stages = outcome.result.get("stages", [])
    journal = outcome.run_dir / "device" / "journal.jsonl"
    played = len(journal.read_text(encoding="utf-8").splitlines()) if journal.is_file() else 0
    return {
        "status": outcome.status,
        "experiments": sum(bool(stage.get("experiment")) for stage in stages),
        "acquisitions": played,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the counts as JSON; ``--write`` puts them beside the committed results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("request", nargs="?", default=REQUEST)
    parser.add_argument("--sizzle", action="store_true", help="a siZZle search on a drawn pair")
    parser.add_argument("--write", action="store_true", help="write results/token_economy.json, or _sizzle.json")
    given = parser.parse_args(arguments)
    text = SIZZLE if given.sizzle else given.request
    name = "token_economy_sizzle" if given.sizzle else "token_economy"
    options: dict[str, Any] = {"device_options": {"device": "pair:30"}} if given.sizzle else {}
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as spare:
        rows = [measured(text, way, Path(spare) / str(i), **options) for i, way in enumerate(WAYS)]
    result = {"suite": name, "request": text, "tokenizer": tokenizer(), "rows": rows}
    if given.write:
        write_atomic(FOLDER / f"{name}.json", to_json({**provenance(time.monotonic() - began), **result}))
    sys.stdout.write(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
