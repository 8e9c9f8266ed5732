"""How many input tokens a run costs with a model, counted from the bytes of its requests, pictures included.

    python -m labwright.evaluation.benchmarks.token_economy                      # a one-qubit calibration
    python -m labwright.evaluation.benchmarks.token_economy "Measure T1 of Q1"   # another request
    python -m labwright.evaluation.benchmarks.token_economy --log requests.jsonl # requests that are there already

A log holds one chat completion request a line. Without one, the request is run on the simulated processor three times
with a model on loopback that answers as the rules do: without figures, with a look at every figure, and with a look
only where the numbers leave doubt. Tokens are counted as `labwright.evaluation.tokens` says; the activation sentences,
which are made once for a laboratory and kept, are counted apart.
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

from labwright.agents.lab_calibration.activation import ACTIVATION
from labwright.evaluation.benchmarks.policy_model import SPEC, PolicyModel, pointed_at, role_of
from labwright.evaluation.committed import FOLDER
from labwright.evaluation.results import provenance
from labwright.evaluation.tokens import Counted, count_request, tokenizer
from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.running import CalibrationRequest, Outcome, start
from labwright.tools.durable import write_atomic
from labwright.tools.runs.files import to_json

REQUEST = "Calibrate qubit Q1 and benchmark it"
WAYS: dict[str, dict[str, Any]] = {
    "numbers": {"figures": False},
    "figures where in doubt": {"figures": True, "look": "doubt"},
    "every figure": {"figures": True, "look": "always"},
}


def counted(bodies: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """What requests cost: {requests, text, schema, images, image_tokens, input_tokens, once, by_role}.

    `once` is what a laboratory pays once; it is in no other number.
    """
    by_role: dict[str, Counted] = {}
    for body in bodies:
        by_role.setdefault(role_of(body), Counted()).add(count_request(body))
    once = by_role.pop(ACTIVATION.name, Counted())
    total = Counted()
    for one in by_role.values():
        total.add(one)
    roles = {role: {**asdict(one), "input_tokens": one.total} for role, one in sorted(by_role.items())}
    return {**asdict(total), "input_tokens": total.total, "once": once.total, "by_role": roles}


def read_log(path: Path) -> list[dict[str, Any]]:
    """The requests of a log, one a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


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
    return {"status": outcome.status, "experiments": sum(bool(stage.get("experiment")) for stage in stages)}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the counts as JSON; ``--write`` puts them beside the committed results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("request", nargs="?", default=REQUEST)
    parser.add_argument("--log", type=Path, help="count these requests and run nothing")
    parser.add_argument("--write", action="store_true", help="write results/token_economy.json")
    given = parser.parse_args(arguments)
    began = time.monotonic()
    if given.log:
        rows = [counted(read_log(given.log))]
    else:
        with tempfile.TemporaryDirectory() as spare:
            rows = [measured(given.request, way, Path(spare) / str(i)) for i, way in enumerate(WAYS)]
    result = {"suite": "token_economy", "request": given.request, "tokenizer": tokenizer(), "rows": rows}
    if given.write:
        write_atomic(FOLDER / "token_economy.json", to_json({**provenance(time.monotonic() - began), **result}))
    sys.stdout.write(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
