"""Suite `plans`: words to the plan that a person is shown, beside one prompt that holds every card.

Nothing is measured: the run is cancelled at its first question. A case is right if the steps, qubits, values (in the
card's unit, expressions evaluated), scope, prohibitions and wishes about consent are the expected ones; asked or
refused where that is expected counts as right. Rules after results are typed conditions in the plan and plain sentences
in the cases, so a person grades them: ``{graph: [a12, ...], one_prompt: [...]}`` of the file
``<out>/plans/graded.yaml`` names the cases whose rules are wrong.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.typed_call import AgentCall, without_words
from labwright.evaluation.language_suites import RIGHT, Given, outcome_of
from labwright.evaluation.runner import Context, Options, Row, Suite, frame, spent
from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.request_reading import PlanReading
from labwright.graphs.lab_calibration.run_context import laboratory
from labwright.graphs.lab_calibration.running import CalibrationRequest, start
from labwright.graphs.questions import Answer, Question
from labwright.tools.errors import InputError
from labwright.tools.plain_yaml import read_yaml
from labwright.tools.specifications.calibration import Step
from labwright.tools.specifications.card_text import compact
from labwright.tools.specifications.catalogue import Catalogue, library
from labwright.tools.specifications.examples import example
from labwright.tools.specifications.plan_completion import arguments_of
from labwright.tools.specifications.values import Quantity, evaluated, in_unit, names_in
from labwright.tools.specifications.yaml_files import read_document


class ControlIn(BaseModel):
    """Words and everything there is."""

    words: str
    cards: list[str]
    qubits: list[str]
    couplers: list[str]
    chosen: list[str]
    example: str

    @classmethod
    def of(cls, words: str, catalogue: Catalogue, qubits: list[str], pairs: list[str], chosen: list[str]) -> ControlIn:
        """With the compact cards of the whole catalogue."""
        cards = [compact(card) for card in catalogue.cards.values()]
        return cls(
            words=words, cards=cards, qubits=qubits, couplers=pairs, chosen=chosen, example=example("calibration")
        )


class ControlOut(BaseModel):
    """The plan as YAML."""

    model_config = ConfigDict(extra="forbid")
    plan: str = Field(description="A whole plan in YAML, of the form of the example.")
    kind: Literal["plan"]


def plan_of(answer: ControlOut) -> dict[str, Any]:
    """The plan's plain data.

    Raises:
        SpecificationError: it is not YAML.
    """
    return read_document(answer.plan.strip().removeprefix("```yaml").removesuffix("```")).data


CONTROL = AgentCall(
    "evaluation.one_prompt", "evaluation/one_prompt.md", ControlIn, ControlOut, without_words, tier="general"
)


CASES = Path(__file__).parent / "cases" / "plans"
Plain = dict[str, Any]
GIVEN: dict[str, Given] = {"asked": "asked", "wrong": "done", "complete": "done"}


@dataclass(frozen=True, slots=True)
class Case:
    """One instruction: ``{id, words, expected, chosen?, device_options?}``."""

    name: str
    plain: Plain
    seed: int = 0


def cases_of(options: Options) -> list[Case]:
    """The instructions of the file ``source``, or those of all strangers; ``tasks`` names some."""
    paths = [Path(options["source"])] if options["source"] else sorted(CASES.glob("*.yaml"))
    listed = [each for path in paths for each in load(path)]
    chosen = [each for each in listed if not options["tasks"] or each["id"] in options["tasks"]]
    return [Case(each["id"], each, seed) for seed in range(options["seeds"]) for each in chosen]


def load(path: Path) -> list[Plain]:
    """What a file of cases holds."""
    if path.suffix == ".json":  # LeeQ's: which experiment an instruction recalls
        items = json.loads(path.read_text(encoding="utf-8"))["items"]
        return [
            {"id": f"leeq{number:02d}", "words": each["instruction"].replace("`dut`", "the qubit"), "chosen": ["Q1"],
             "expected": _recalled(each)}
            for number, each in enumerate(items)
        ]  # fmt: skip
    return list(read_yaml(path.read_text(encoding="utf-8")))


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


def through_graph(case: Case, context: Context) -> Row:
    """The plan that the person is shown, or the question, or the refusal."""
    plain = case.plain
    seen: list[Question] = []

    def look(question: Question) -> Answer | None:
        seen.append(question)
        return Answer(id=question.id, decision="cancel") if question.id.startswith(("plan", "words")) else None

    choices = Choices(
        mind=context.options["mind"], approval="always", figures=False, qubits=tuple(plain.get("chosen", ())),
        device_options=plain.get("device_options", {}), seed=case.seed,
    )  # fmt: skip
    outcome = start(CalibrationRequest(plain["words"], choices), context.folder, on_question=look)
    events = [json.loads(line) for line in (outcome.run_dir / "events.jsonl").read_text().splitlines()]
    drafted = [event["draft"] for event in events if event["kind"] == "drafted"]
    found = spent(json.loads((outcome.run_dir / "usage.json").read_text()))
    found["drafted"] = drafted[0] if drafted else None
    found["covered"] = [event["findings"] for event in events if event["kind"] == "covered"]
    if seen and seen[0].id.startswith("plan") and "run" in [option.value for option in seen[0].options]:
        form = seen[0].form_schema or {}
        plan = read_document(form["properties"]["yaml"]["default"]).data
        return _row(case, {**found, "given": "plan", "plan": plan, "shown": seen[0].body_markdown})
    if seen or outcome.questions:
        title = seen[0].title if seen else outcome.questions[0]["title"]
        return _row(case, {**found, "given": "asked", "text": title})
    return _row(case, {**found, "given": outcome.status, "text": outcome.reason})


def through_one_prompt(case: Case, context: Context) -> Row:
    """The control: one prompt with all cards, checked by the same code, without repairs."""
    from labwright.tools.runs.run import create_run

    plain = case.plain
    choices = Choices(
        mind=context.options["mind"], qubits=tuple(plain.get("chosen", ())), seed=case.seed,
        device_options=plain.get("device_options", {}),
    )  # fmt: skip
    run = create_run(context.folder, "lab_calibration", plain["words"], choices.model_dump(mode="json"), case.seed)
    lab = laboratory(str(run.folder), choices.model_dump(mode="json"))
    reading = PlanReading(lab)
    given = ControlIn.of(plain["words"], lab.catalogue, list(lab.device.qubits), lab.pairs, list(choices.qubits))
    answer = lab.ask(CONTROL, given)
    found = spent(lab.meter.state())
    lab.close()
    if not isinstance(answer, ControlOut):
        kind = "asked" if hasattr(answer, "text") else "refused"
        text = getattr(answer, "text", "") or getattr(answer, "reason", "")
        return _row(case, {**found, "given": kind, "text": text})
    try:
        data = plan_of(answer)
        checked = reading.check(data, read=True)
    except InputError as wrong:
        return _row(case, {**found, "given": "invalid", "text": str(wrong)})
    if checked.problems:
        kind = "asked" if all(problem.missing for problem in checked.problems) else "invalid"
        text = " ".join(each.sentence() for each in checked.problems)
        return _row(case, {**found, "given": kind, "text": text})
    return _row(case, {**found, "given": "plan", "plan": checked.data})


def _row(case: Case, found: Row) -> Row:
    """`found` judged: the plan that is shown, and the first draft, which may be right though a check refused it."""
    kind, why = verdict(case.plain["expected"], found)
    right = kind == RIGHT
    drafted = bool(found.get("drafted")) and verdict(case.plain["expected"], found, "drafted")[0] == RIGHT
    return {
        "words": case.plain["words"],
        "expected": case.plain["expected"]["kind"],
        "verdict": kind,
        "passed": right,
        "faults": "" if right else f"{kind}: {why}"[:300],
        "outcome": outcome_of(right, GIVEN.get(kind, "refused")),
        "draft_right": drafted,
        "check_refused_right": drafted and not right,
        **found,
    }


def verdict(expected: Plain, found: Plain, key: str = "plan") -> tuple[str, str]:
    """(right, asked, refused, wrong or invalid; why)."""
    outcome = "plan" if found.get(key) else found["given"].replace("plan", "asked")
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
    catalogue = library()
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
        return bool(wanted == value)
    first, second = _number(wanted, parameter.unit), _number(value, parameter.unit)
    return math.isclose(first, second, rel_tol=1e-4, abs_tol=1e-16)


def _number(value: Any, unit: str) -> float:
    """A value in the card's unit; every name in it stands for a number of its own."""
    text = str(value)
    names = {name: Quantity(1.0 + zlib.crc32(_alias(name).encode()) / 2**32, unit) for name in names_in(text)}
    return in_unit(evaluated(text, names), unit)


def _alias(name: str) -> str:
    """``t1`` and ``t1.t1`` are the same number."""
    first, _, last = name.partition(".")
    return last if last and not first.startswith("Q") else name


def summarise(rows: list[Row], context: Context) -> dict[str, Any]:
    """Both ways as a person has graded their rules, and how often the first draft was right."""
    path = context.folder / "graded.yaml"
    wrong: dict[str, list[str]] = read_yaml(path.read_text(encoding="utf-8")) if path.exists() else {}
    graded = [_graded(row, wrong.get("graph", [])) for row in rows]
    return {
        "rows": graded,
        "notes": [f"first drafts right: {sum(row['draft_right'] for row in rows)} of {len(rows)}"],
        "baselines": {
            name: frame([_graded(row, wrong.get(name, [])) for row in theirs])
            for name, theirs in context.beside.items()
        },
    }


def _graded(row: Row, wrong: Sequence[str]) -> Row:
    """The row as it is after a person has read its rules."""
    if not row["passed"] or row["case"] not in wrong:
        return row
    return {**row, "passed": False, "verdict": "wrong", "outcome": "wrong", "faults": "wrong: rules"}


SUITE = Suite(
    name="plans",
    doc="Words to the plan that a person is shown, beside one prompt that holds every card",
    cases=cases_of,
    run=through_graph,
    options={"seeds": 1, "mind": "rules", "source": None, "tasks": ()},
    summarise=summarise,
    beside=lambda options: {} if options["mind"] == "rules" else {"one_prompt": through_one_prompt},
    columns=("case", "expected", "verdict", "faults"),
    chooses=("seeds", "source", "tasks"),
)
