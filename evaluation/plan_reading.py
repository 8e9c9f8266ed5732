"""How well words become plans: instructions through the compiled graph to the plan that a person is shown.

    python -m labwright.evaluation.plan_reading graph CASES.yaml --model openai:NAME --out DIR
    python -m labwright.evaluation.plan_reading control CASES.yaml --model openai:NAME --out DIR
    python -m labwright.evaluation.plan_reading table DIR ...

Nothing is measured: the run is cancelled at its first question. A case is right if the steps, qubits, values (in the
card's unit, expressions evaluated), scope, prohibitions and wishes about consent are the expected ones; asked or
refused where that is expected counts as right. Rules after results are typed conditions in the plan and plain
sentences in the cases, so a person grades them: ``{graph: [a12]}`` in DIR/graded.yaml names cases with wrong rules.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from labwright.agents.settings import Settings
from labwright.evaluation.baselines.one_prompt import CONTROL, ControlIn, ControlOut, plan_of
from labwright.evaluation.scoring import wilson
from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.laboratory import laboratory
from labwright.graphs.lab_calibration.reading import PlanReading
from labwright.graphs.lab_calibration.running import CalibrationRequest, start
from labwright.graphs.questions import Answer, Question
from labwright.tools.errors import InputError
from labwright.tools.specifications.calibration import Step
from labwright.tools.specifications.plans import arguments_of
from labwright.tools.specifications.reading import read_document
from labwright.tools.specifications.values import Quantity, evaluated, in_unit, names_in

Plain = dict[str, Any]


def load(path: Path) -> list[Plain]:
    """Cases: {id, words, expected, chosen?, device_options?}."""
    if path.suffix == ".json":  # LeeQ's: which experiment an instruction recalls
        items = json.loads(path.read_text(encoding="utf-8"))["items"]
        return [
            {"id": f"leeq{number:02d}", "words": each["instruction"].replace("`dut`", "the qubit"), "chosen": ["Q1"],
             "expected": _recalled(each)}
            for number, each in enumerate(items)
        ]  # fmt: skip
    return list(yaml.safe_load(path.read_text(encoding="utf-8")))


LEEQ = {
    "T2": ["spin_echo"],
    "Drag": ["drag_calibration"],
    "GMM": ["readout_calibration"],
    "Pingpong": ["amplitude_pingpong"],
    "Rabi": ["rabi"],
    "Ramsey": ["ramsey"],
    "T1": ["t1"],
    "RB1Q": ["single_qubit_rb", "benchmark-single-qubit"],
}


def _recalled(each: Plain) -> Plain:
    """What counts as right for an instruction of LeeQ's: the experiment; or a question about a number without unit."""
    words = each["instruction"]
    only = LEEQ[each["key"]] + (["t2_ramsey"] if each["key"] == "T2" and "echo" not in words else [])
    return {"kind": "run", "only": only, "or_asked": any(character.isdigit() for character in words.replace("T1", ""))}


def through_graph(case: Plain, model: str, root: Path) -> Plain:
    """The plan that the person is shown, or the question, or the refusal."""
    seen: list[Question] = []

    def look(question: Question) -> Answer | None:
        seen.append(question)
        return Answer(id=question.id, decision="cancel") if question.id.startswith(("plan", "words")) else None

    choices = Choices(
        mind=model, approval="always", figures=False, qubits=tuple(case.get("chosen", ())),
        device_options=case.get("device_options", {}),
    )  # fmt: skip
    outcome = start(CalibrationRequest(case["words"], choices), root, on_question=look)
    events = [json.loads(line) for line in (outcome.run_dir / "events.jsonl").read_text().splitlines()]
    drafted = [event["draft"] for event in events if event["kind"] == "drafted"]
    found: Plain = {"id": case["id"], "usage": json.loads((outcome.run_dir / "usage.json").read_text())}
    found["drafted"] = drafted[0] if drafted else None
    found["covered"] = [event["findings"] for event in events if event["kind"] == "covered"]
    if seen and seen[0].id.startswith("plan") and "run" in [option.value for option in seen[0].options]:
        form = seen[0].form_schema or {}
        plan = read_document(form["properties"]["yaml"]["default"]).data
        return {**found, "outcome": "plan", "plan": plan, "shown": seen[0].body_markdown}
    if seen or outcome.questions:
        title = seen[0].title if seen else outcome.questions[0]["title"]
        return {**found, "outcome": "asked", "text": title}
    return {**found, "outcome": outcome.status, "text": outcome.reason}


def through_one_prompt(case: Plain, model: str, root: Path) -> Plain:
    """The control: one prompt with all cards, checked by the same code, without repairs."""
    from labwright.tools.runs.run import create_run

    choices = Choices(mind=model, qubits=tuple(case.get("chosen", ())), device_options=case.get("device_options", {}))
    run = create_run(root, "lab_calibration", case["words"], choices.model_dump(mode="json"), 0)
    lab = laboratory(str(run.folder), choices.model_dump(mode="json"))
    reading = PlanReading(lab)
    given = ControlIn.of(case["words"], lab.catalogue, list(lab.device.qubits), lab.pairs, list(choices.qubits))
    answer = lab.ask(CONTROL, given)
    found: Plain = {"id": case["id"], "usage": lab.meter.state()}
    lab.close()
    if not isinstance(answer, ControlOut):
        kind = "asked" if hasattr(answer, "text") else "refused"
        return {**found, "outcome": kind, "text": getattr(answer, "text", "") or getattr(answer, "reason", "")}
    try:
        data = plan_of(answer)
        checked = reading.check(data, read=True)
    except InputError as wrong:
        return {**found, "outcome": "invalid", "text": str(wrong)}
    if checked.problems:
        kind = "asked" if all(problem.missing for problem in checked.problems) else "invalid"
        return {**found, "outcome": kind, "text": " ".join(each.sentence() for each in checked.problems)}
    return {**found, "outcome": "plan", "plan": checked.data}


def verdict(case: Plain, found: Plain, key: str = "plan") -> tuple[str, str]:
    """(right, asked, refused, wrong or invalid; why)."""
    expected = case["expected"]
    outcome = "plan" if found.get(key) else found["outcome"].replace("plan", "asked")
    if expected["kind"] != "run":
        wanted = {"ask": "asked", "refuse": "refused"}[expected["kind"]]
        if outcome == wanted or (outcome in ("asked", "refused")):
            return ("right" if outcome == wanted else outcome), found.get("text", "")
        return "wrong", "a plan where none was expected"
    if outcome == "asked" and expected.get("or_asked"):
        return "right", "asked about a number without unit"
    if outcome != "plan":
        return outcome, found.get("text", "")
    if only := expected.get("only"):
        steps = found[key].get("steps", [])
        names = [step.get("experiment") or step.get("procedure") for step in steps]
        return ("right", "") if len(names) == 1 and names[0] in only else ("wrong", f"{names}")
    why = differences(expected, found[key])
    return ("right", "") if not why else ("wrong", "; ".join(why))


def differences(expected: Plain, plan: Plain) -> list[str]:
    """How a plan differs from the expected one, rules left out."""
    catalogue = _catalogue()
    wanted, got = expected["steps"], [Step.model_validate(step) for step in plan.get("steps", [])]
    scope = plan.get("for", "")
    found = []
    several = expected.get("for", "steps").startswith("all")
    if several != (scope == "all" or (isinstance(scope, list) and len(scope) > 1)):
        found.append(f"scope {scope!r}")
    if expected.get("approval", "") != plan.get("approval", "as the run says").replace("as the run says", ""):
        found.append(f"approval {plan.get('approval', '')!r}")
    if several:
        got = [step.model_copy(update={"qubits": scope if isinstance(scope, list) else ["all"]}) for step in got]
        wanted = [each for each in wanted if not _is_coupler(each)]
        pairs = {"-".join(each["qubits"]) for each in expected["steps"] if _is_coupler(each)}
        found += [f"couplers {plan.get('couplers')}"] if pairs != set(plan.get("couplers", [])) else []
    if len(wanted) != len(got):
        return [*found, f"{len(got)} steps for {len(wanted)}"]
    for number, (one, step) in enumerate(zip(wanted, got, strict=True)):
        found += [f"step {number}: {each}" for each in _step_differences(one, step, catalogue)]
    return found


def _is_coupler(step: Plain) -> bool:
    return "sizzle gate" in step.get("procedure", "")


def _step_differences(wanted: Plain, step: Step, catalogue: Any) -> list[str]:
    name = wanted.get("experiment") or wanted["procedure"]
    card = catalogue.card(wanted.get("experiment", ""), wanted.get("procedure", ""))
    own = catalogue.card(step.experiment, step.procedure)
    if own is None or own.name != card.name:
        return [f"{step.experiment or step.procedure} for {name}"]
    found = []
    symmetric = card.name in ("residual_zz", "state_tomography", "two_qubit_rb", "interleaved_rb_cz", "sizzle_search")
    order = sorted if symmetric else list
    if order(step.qubits) != order(wanted["qubits"]):
        found.append(f"qubits {step.qubits}")
    if card.name.startswith("procedure:"):
        return found
    now, late = arguments_of(step, card, {})
    wants = dict(wanted.get("parameters") or {}) | ({"update": False} if _unwritten(wanted, card) else {})
    for parameter in card.parameters:
        if parameter.name in ("qubit", "partner", "qubits"):
            continue
        target = wants.get(parameter.name, parameter.default)
        value = late.get(parameter.name, now.get(parameter.name, parameter.default))
        if not _same(target, value, parameter):
            found.append(f"{parameter.name} {value!r} for {target!r}")
    return found


def _unwritten(wanted: Plain, card: Any) -> bool:
    return wanted.get("writes") == "none" and any(each.name == "update" for each in card.parameters)


def _same(wanted: Any, value: Any, parameter: Any) -> bool:
    if isinstance(wanted, bool) or parameter.type in ("bool", "str"):
        return str(wanted).lower().replace("bell", "ghz") == str(value).lower().replace("bell", "ghz")
    if wanted is None or value is None:
        return wanted is value
    first, second = _number(wanted, parameter.unit), _number(value, parameter.unit)
    return abs(first - second) <= 1e-4 * max(abs(first), abs(second), 1e-12)


def _number(value: Any, unit: str) -> float:
    """A value in the card's unit; every name in it stands for a number of its own."""
    text = str(value)
    names = {name: Quantity(1.0 + zlib.crc32(_alias(name).encode()) / 2**32, unit) for name in names_in(text)}
    return in_unit(evaluated(text, names), unit)


def _alias(name: str) -> str:
    """``t1`` and ``t1.t1`` are the same number."""
    first, _, last = name.partition(".")
    return last if last and not first.startswith("Q") else name


def _catalogue() -> Any:
    from labwright.tools.experiments import registry
    from labwright.tools.knowledge.procedures import load_procedures
    from labwright.tools.specifications.catalogue import catalogue_of

    return catalogue_of({name: registry.card(kind) for name, kind in registry.experiments().items()}, load_procedures())


def summary(rows: list[Plain], cases: Mapping[str, Plain], wrong_rules: set[str], key: str = "plan") -> Plain:
    """Counts, the share of right ones with its 95 % interval, and what it cost."""
    counts: dict[str, int] = {}
    told = []
    for row in rows:
        kind, why = verdict(cases[row["id"]], row, key)
        if kind == "right" and row["id"] in wrong_rules:
            kind, why = "wrong", "rules"
        counts[kind] = counts.get(kind, 0) + 1
        if kind != "right":
            told.append(f"{row['id']}: {kind}: {why}"[:300])
    n = len(rows)
    return {"n": n, **counts, "interval": wilson(counts.get("right", 0), n), "not_right": told}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("way", choices=["graph", "control", "table"])
    parser.add_argument("cases", type=Path)
    parser.add_argument("--model", default="")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", default="", help="Ids, with commas between.")
    options = parser.parse_args()
    cases = {case["id"]: case for case in load(options.cases)}
    rows_file = options.out / f"{options.way}.jsonl"
    options.out.mkdir(parents=True, exist_ok=True)
    if options.way == "table":
        graded = options.out / "graded.yaml"
        wrong = yaml.safe_load(graded.read_text()) if graded.exists() else {}
        for way, key in (("graph", "plan"), ("graph", "drafted"), ("control", "plan")):
            path = options.out / f"{way}.jsonl"
            rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
            rows = [row for row in rows if row["id"] in cases]
            label = {"drafted": "graph without cover"}.get(key, way)
            name = "drafted" if key == "drafted" else way
            print(label, json.dumps(summary(rows, cases, set(wrong.get(name, [])), key), indent=1))  # noqa: T201
        return
    done = {json.loads(line)["id"] for line in rows_file.read_text().splitlines()} if rows_file.exists() else set()
    only = set(filter(None, options.only.split(",")))
    run = through_graph if options.way == "graph" else through_one_prompt
    for name, case in cases.items():
        if name in done or (only and name not in only):
            continue
        with tempfile.TemporaryDirectory() as folder:
            row = run(case, options.model or Settings().model, Path(folder))
        with rows_file.open("a") as file:
            file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
