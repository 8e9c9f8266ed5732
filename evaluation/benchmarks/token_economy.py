"""How many input tokens a run costs with a model, counted from the bytes of its requests, pictures included.

    python -m labwright.evaluation.benchmarks.token_economy                      # a one-qubit calibration
    python -m labwright.evaluation.benchmarks.token_economy "Measure T1 of Q1"   # another request
    python -m labwright.evaluation.benchmarks.token_economy --log requests.jsonl # requests that are there already
    python -m labwright.evaluation.benchmarks.token_economy --sizzle             # a siZZle search, scaled to 100

A log holds one chat completion request a line. Without one, the request is run on the simulated processor three times
with a model on loopback that answers as the rules do: without figures, with a look at every figure, and with a look
only where the numbers leave doubt. Tokens are counted as `labwright.evaluation.tokens` says.

A siZZle search is done before it has played 100 acquisitions, the number of the k-agents paper. What 100 would cost
follows from its own requests, which grow by a line a drive: a straight line through them, summed to as many more.
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

import numpy as np

from labwright.agents.lab_calibration.sizzle import DRIVE
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
SIZZLE_ROLES = (DRIVE.name,)
EXPERIMENTS = 100  # of the paper's search, which took 1.37 M input tokens
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
    result = {"way": way, **_told(outcome), "run_seconds": seconds, **counted(model.bodies)}
    if any(role_of(body) in SIZZLE_ROLES for body in model.bodies):
        result["scaled_to_100"] = scaled(model.bodies, result["acquisitions"], EXPERIMENTS)
    return result


def scaled(bodies: Iterable[Mapping[str, Any]], acquisitions: int, wanted: int) -> int:
    """Input tokens if the search in `bodies` had played `wanted` acquisitions instead of `acquisitions`."""
    search, others = [], 0
    for body in bodies:
        role, tokens = role_of(body), count_request(body).total
        if role in SIZZLE_ROLES:
            search.append(tokens)
        else:
            others += tokens
    slope, first = np.polyfit(np.arange(len(search)), search, 1)
    number = np.arange(round(len(search) * wanted / acquisitions))
    return others + round(float((first + slope * number).sum()))


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
    parser.add_argument("--log", type=Path, help="count these requests and run nothing")
    parser.add_argument("--sizzle", action="store_true", help="a siZZle search on a drawn pair")
    parser.add_argument("--write", action="store_true", help="write results/token_economy.json, or _sizzle.json")
    given = parser.parse_args(arguments)
    text = SIZZLE if given.sizzle else given.request
    name = "token_economy_sizzle" if given.sizzle else "token_economy"
    options: dict[str, Any] = {"device_options": {"device": "pair:30"}} if given.sizzle else {}
    began = time.monotonic()
    if given.log:
        rows = [counted(read_log(given.log))]
    else:
        with tempfile.TemporaryDirectory() as spare:
            rows = [measured(text, way, Path(spare) / str(i), **options) for i, way in enumerate(WAYS)]
    result = {"suite": name, "request": text, "tokenizer": tokenizer(), "rows": rows}
    if given.write:
        write_atomic(FOLDER / f"{name}.json", to_json({**provenance(time.monotonic() - began), **result}))
    sys.stdout.write(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
