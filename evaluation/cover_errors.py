"""How well the second reader sees errors: right plans, and the same with one error planted, each beside its words.

    python -m labwright.evaluation.cover_errors CASES.yaml --model openai:NAME --out DIR

A case is {id, words, plan, errors: [{kind, plan}]}, with plans as YAML text. An error is seen if a finding is left
after those that quote nothing and name no field are dropped; a finding on the untouched plan is a false alarm.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import yaml

from labwright.agents.understand.cover import COVER, CoverIn, CoverOut, kept
from labwright.evaluation.scoring import wilson
from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.laboratory import laboratory
from labwright.graphs.lab_calibration.reading import PlanReading
from labwright.graphs.understand.person import shown
from labwright.tools.runs.run import create_run
from labwright.tools.specifications.reading import read_document, to_yaml

Plain = dict[str, Any]


def findings(reading: PlanReading, words: str, plan: str) -> list[Plain]:
    """What the second reader finds in a plan, as the graph would ask it."""
    checked = reading.check(read_document(plan).data, read=True)
    specification, read_back = to_yaml(shown(checked.data)), reading.read_back(checked.data)
    given = CoverIn(words=words, besides=reading.besides(), specification=specification, read_back=read_back)
    answer = reading.ask(COVER, given)
    return [each.model_dump() for each in kept(answer, given, [])] if isinstance(answer, CoverOut) else []


def rows_of(cases: list[Plain], reading: PlanReading, done: set[str], path: Path) -> None:
    """One row for every plan, appended as it comes."""
    for case in cases:
        plans = [("right", case["plan"]), *((each["kind"], each["plan"]) for each in case["errors"])]
        for number, (kind, plan) in enumerate(plans):
            name = f"{case['id']}.{number}"
            if name in done:
                continue
            row = {"id": name, "kind": kind, "findings": findings(reading, case["words"], plan)}
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")


def summary(rows: list[Plain]) -> Plain:
    """Share of planted errors that were seen, by kind, and of false alarms on right plans."""
    planted = [row for row in rows if row["kind"] != "right"]
    right = [row for row in rows if row["kind"] == "right"]
    seen, alarms = sum(bool(row["findings"]) for row in planted), sum(bool(row["findings"]) for row in right)
    missed = [f"{row['id']} {row['kind']}" for row in planted if not row["findings"]]
    return {
        "planted": len(planted),
        "seen": seen,
        "seen_interval": wilson(seen, len(planted)),
        "right": len(right),
        "false_alarms": alarms,
        "alarm_interval": wilson(alarms, len(right)),
        "missed": missed,
        "alarms": [row["id"] for row in right if row["findings"]],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--model", required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    path = options.out / "cover.jsonl"
    options.out.mkdir(parents=True, exist_ok=True)
    done = {json.loads(line)["id"] for line in path.read_text().splitlines()} if path.exists() else set()
    with tempfile.TemporaryDirectory() as folder:
        choices = Choices(mind=options.model).model_dump(mode="json")
        run = create_run(Path(folder), "lab_calibration", "cover", choices, 0)
        lab = laboratory(str(run.folder), choices)
        rows_of(yaml.safe_load(options.cases.read_text(encoding="utf-8")), PlanReading(lab), done, path)
        lab.close()
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    print(json.dumps(summary(rows), indent=1))  # noqa: T201


if __name__ == "__main__":
    main()
