"""Suite `protocols`: descriptions by others, through the whole graph to the finished plate, beside one prompt.

`--data DIR` is a folder with NAME.txt and NAME.expected.yaml (see docs/protocol-cases.md), or the folder `autolabs`
with the published queries, whose vials are compared with the authors' tables and whose steps with our references.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field
from scipy.optimize import linear_sum_assignment

from labwright.agents.protocol_design.draft import data_of, page
from labwright.agents.typed_call import AgentCall, Refusal, without_words
from labwright.agents.typed_call import Question as Asked
from labwright.evaluation.autolabs_scores import normalised_error
from labwright.evaluation.language_suites import RIGHT, outcome_of
from labwright.evaluation.protocol_contents import unlike
from labwright.evaluation.protocol_experiment_suite import compared
from labwright.evaluation.protocol_grading import faults, key
from labwright.evaluation.protocol_reference_procedures import load_experiments, procedure_of
from labwright.evaluation.runner import Context, Options, Row, Suite, spent
from labwright.evaluation.scripted_signer import named_person
from labwright.graphs.protocol_design.choices import Choices
from labwright.graphs.protocol_design.running import DesignRequest, start
from labwright.graphs.questions import Answer, Question
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.experiment_design import ExperimentDesign
from labwright.tools.liquid_handler.lsr_reader import read_lsr
from labwright.tools.liquid_handler.protocol_planner import Made, make_protocol
from labwright.tools.liquid_handler.vial_amounts import Refusal as Unfit
from labwright.tools.plain_yaml import read_yaml
from labwright.tools.specifications.protocol import ProtocolSpec
from labwright.tools.specifications.yaml_files import read_document, validated


class ControlIn(BaseModel):
    """A description, and how a protocol is written."""

    words: str
    page: str


class ControlOut(BaseModel):
    """The protocol."""

    model_config = ConfigDict(extra="forbid")
    protocol: str = Field(description="The whole protocol as YAML.")


CONTROL = AgentCall(
    "evaluation.one_protocol", "evaluation/one_protocol.md", ControlIn, ControlOut, without_words, tier="reasoning"
)


Plain = Mapping[str, Any]
MOST_QUESTIONS = 6
# What the authors of the published queries meant, by experiment and by words of the question. The facts are from their
# own texts: the table of 1-propanol, the steps ("Add water (ul) to vials in Plate 2"), and the query that the
# paraphrase is one of ("28% aqueous ammonia", "the total solution volume is 2ml", "6 compositions with salt 1 and 2").
_ACIDS = {"propanol": "1-propanol", "total volume": "2 mL in total, filled up with water", "what fills": "water"}
ANSWERS = {
    1: {"total volume": "10 mL"},
    2: {
        "first two salts": "6 vials with lithium perchlorate and 6 further vials with lithium tetrafluoroborate",
        "total volume": "500 uL",
    },
    3: {"overnight": "16 h", "ammonia": "28 % w/w", "total volume": "1 mL", "what fills": "water"},
    4: {"dilute": "water", "diluent": "water", "diluted": "water", **_ACIDS},
    5: _ACIDS,
}


@dataclass(frozen=True, slots=True)
class Text:
    """One description, and what should come of it."""

    name: str
    seed: int
    words: str
    expected: dict[str, Any] = field(default_factory=dict)


def cases_of(options: Options) -> list[Text]:
    """Every text of the folder, or those that `tasks` names.

    Raises:
        InputError: no folder is named, it holds no texts, or one has nothing that is expected.
    """
    if not options["data"]:
        raise InputError("Name the folder of the descriptions: --data DIR (see docs/protocol-cases.md).")
    folder = Path(options["data"]).expanduser()
    found = _published(folder) if (folder / "queries.json").is_file() else _sealed(folder)
    if not found:
        raise InputError(f"{folder} holds no descriptions (NAME.txt with NAME.expected.yaml).")
    if options["tasks"]:
        found = [each for each in found if each[0] in options["tasks"]]
    return [Text(name, seed, words, wanted) for seed in range(options["seeds"]) for name, words, wanted in found]


def _sealed(folder: Path) -> list[tuple[str, str, dict[str, Any]]]:
    found = []
    for path in sorted(folder.glob("*.txt")):
        beside = path.with_suffix(".expected.yaml")
        if not beside.is_file():
            raise InputError(f"{beside} is missing: what is expected of {path.name}.")
        plain = read_yaml(beside.read_text(encoding="utf-8"))
        found.append((path.stem, path.read_text(encoding="utf-8"), plain))
    return found


def _published(folder: Path) -> list[tuple[str, str, dict[str, Any]]]:
    items = json.loads((folder / "queries.json").read_text(encoding="utf-8"))["items"]
    tables = {number: _table(folder / f"case{number}_amounts.csv") for number in range(1, 6)}
    return [
        (
            f"case {each['case']}, {each['kind']}",
            each["text"],
            {"kind": "table", "answers": ANSWERS[each["case"]], **tables[each["case"]]},
        )
        for each in items
    ]


def _table(path: Path) -> dict[str, Any]:
    """The authors' amounts, one mapping a vial: head of the column -> uL or mg."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [{name: cell for name, cell in row.items() if name} for row in csv.DictReader(file)]
    vials = [{name: float(cell) for name, cell in row.items() if name != "Vial" and cell} for row in rows]
    return {"case": int(path.stem[4]), "vials": [{k: v for k, v in vial.items() if v} for vial in vials]}


def through_graph(case: Text, context: Context) -> Row:
    """The plate that the graph makes, the question where it stands, or the refusal."""
    asked: list[str] = []
    answered: list[str] = []
    left = dict(case.expected.get("answers") or {})

    def answer(question: Question) -> Answer | None:
        asked.append(f"{question.title} {question.body_markdown}"[:2000])
        if len(asked) > MOST_QUESTIONS:
            return None
        said = _said(left, question)
        answered.extend([said] if said else [])
        return Answer(id=question.id, decision=said) if said else None

    choices = Choices(mind=context.options["mind"], approval="auto", figures=False, outputs=(), seed=case.seed)
    with named_person(context.folder, answer) as person:
        outcome = start(DesignRequest(case.words, choices), context.folder, on_question=person)
    found: Row = {"given": {"complete": "done", "stopped": "asked"}.get(outcome.status, "refused")}
    found |= {"text": outcome.reason, "asked": asked, "answered": answered, **spent(outcome.document.get("usage", {}))}
    events = [json.loads(line) for line in (outcome.run_dir / "events.jsonl").read_text().splitlines()]
    drafts = [event["draft"] for event in events if event["kind"] == "drafted"]
    if outcome.status == "complete":
        found["spec"] = (outcome.run_dir / "spec.yaml").read_text(encoding="utf-8")
        found["file"] = str(outcome.run_dir / outcome.result["xml"])
    first = _graded(case, {"given": "done", "data": drafts[0]}) if drafts else {}
    return _row(case, found, draft_right=first.get("verdict") == RIGHT)


def _said(left: dict[str, Any], question: Question) -> str:
    """What the author answers to a question that names what they have an answer for; each answer is given once."""
    if question.kind != "clarify":
        return ""
    text = f"{question.title} {question.body_markdown}".lower()
    return next((str(left.pop(about)) for about in list(left) if str(about).lower() in text), "")


def through_one_prompt(case: Text, context: Context) -> Row:
    """The control: one answer, read by the same code."""
    answer = context.mind.answer(CONTROL, ControlIn(words=case.words, page=page()))
    if isinstance(answer, Asked | Refusal):
        text = answer.text if isinstance(answer, Asked) else answer.reason
        return _row(case, {"given": "asked" if isinstance(answer, Asked) else "refused", "text": text})
    assert isinstance(answer, ControlOut)
    try:
        found = {"given": "done", "data": data_of(answer.protocol), "spec": answer.protocol}
        return _row(case, found)
    except InputError as wrong:
        return _row(case, {"given": "refused", "text": str(wrong)})


def _row(case: Text, found: Row, *, draft_right: bool = False) -> Row:
    graded = _graded(case, found)
    right = graded["verdict"] == RIGHT
    row = {name: each for name, each in found.items() if name not in ("data", "file")}
    return {
        "expected": case.expected.get("kind"),
        **row,
        **graded,
        "passed": right,
        "draft_right": draft_right,
        "check_refused_right": draft_right and not right,
        "outcome": outcome_of(right, graded["given"]),
        "words": case.words,
    }


def _graded(case: Text, found: Plain) -> Row:
    """What was given, and ``right`` or how it is wrong."""
    expected, given = case.expected, found["given"]
    if given == "done":
        try:
            data = found.get("data") or read_document(str(found["spec"])).data
            design = validated(ProtocolSpec, data).design
            made = make_protocol(design)
        except InputError as wrong:
            return {"given": "refused", "verdict": "refused", "faults": str(wrong)[:500]}
        if isinstance(made, Unfit) or made.blocked:
            kind = "refused" if not isinstance(made, Unfit) or made.infeasible else "asked"
            why = made.message if isinstance(made, Unfit) else "; ".join(each.message for each in made.findings)
            return _held_back(expected, kind, why)
        if expected["kind"] == "table":
            return _against_table(expected, made, str(found.get("file", "")), design)
        if expected["kind"] != "right" and not found.get("answered"):
            return {"given": given, "verdict": "silently wrong", "faults": f"{expected['kind']} was expected"}
        if not expected.get("vials"):  # the question that was due was put first, and answered
            return {"given": "asked", "verdict": RIGHT, "faults": "asked first; no vials to compare the file with"}
        wrong_ = faults(expected, made)
        return {"given": given, "verdict": "silently wrong" if wrong_ else RIGHT, "faults": "; ".join(wrong_)[:500]}
    return _held_back(expected, given, str(found.get("text", "")))


def _held_back(expected: Plain, given: str, why: str) -> Row:
    """A question or a refusal, judged. One that shows why it cannot be done counts for a refusal, too."""
    wanted = {"ask": ("asked",), "refuse": ("refused", "asked")}.get(expected["kind"], ())
    if given in wanted or (given == "asked" and expected.get("may_ask")):
        return {"given": given, "verdict": RIGHT, "faults": ""}
    return {"given": given, "verdict": given, "faults": why[:500]}


def _against_table(expected: Plain, made: Made, file: str, design: ExperimentDesign) -> Row:
    """Vials matched on contents with the authors' amounts; steps with our reference of the same experiment.

    A stock is compared by what it holds and a substance by its identity, whatever they are called.
    """
    mine = [_named(vial.additions, made) for vial in made.amounts.vials]
    theirs = [_heads(vial) for vial in expected["vials"]]
    table, why_table = _table_error(mine, theirs)
    printed, _ = _table_error(mine, [_heads(vial, {}) for vial in expected["vials"]])
    reference = load_experiments()[int(expected["case"]) - 1].reference
    known = {each.name: each.identity or each.name for each in design.chemicals}
    called = {each.name: f"{each.concentration} {known.get(each.solute, each.solute)}" for each in design.stocks}
    called |= known
    called |= {each.name: f"{each.strength} {known[each.name]}" for each in design.chemicals if each.strength}
    steps = procedure_of(read_lsr(Path(file).read_bytes()) if file else made.protocol)
    row = compared(tuple(replace(step, subject=called.get(step.subject, step.subject)) for step in steps), reference)
    why = f"{len(mine)} vials instead of {len(theirs)}" if len(mine) != len(theirs) else ""
    why = why or (f"contents differ by {row['content_nrmse']}" if row["content_nrmse"] > 0.01 else "")
    why = why or (f"step F1 {row['fair_f1']}" if row["fair_f1"] < 1.0 else "")
    scores = {name: row[name] for name in ("content_nrmse", "f1", "fair_f1", "steps_missing", "steps_extra")}
    return {
        "given": "done",
        "verdict": "silently wrong" if why else RIGHT,
        "faults": why,
        "table_nrmse": table,
        "table_differs_in": why_table,
        "table_nrmse_as_printed": printed,
        **scores,
    }


def _table_error(mine: list[dict[str, float]], theirs: list[dict[str, float]]) -> tuple[float, dict[str, str]]:
    """nRMSE against the authors' table, vials matched on contents, and how far each column is off, mg or uL."""
    rows, columns = linear_sum_assignment([[unlike(a, b) for b in theirs] for a in mine])
    names = sorted({name for vial in [*mine, *theirs] for name in vial})
    got = np.array([[mine[i].get(name, 0.0) for name in names] for i in rows])
    wanted = np.array([[theirs[j].get(name, 0.0) for name in names] for j in columns])
    off = {name: abs(got[:, n] - wanted[:, n]).max() for n, name in enumerate(names)}
    largest = {name: wanted[:, n].max() for n, name in enumerate(names)}
    differs = {name: f"at most {far:.3g} of {largest[name]:.4g}" for name, far in off.items() if far > 0.01}
    return round(normalised_error(got, wanted), 5), differs


def _named(additions: Plain, made: Made) -> dict[str, float]:
    found: dict[str, float] = {}
    called = {use.name: use.identity or use.name for use in made.design.chemicals}
    neat = {use.name for use in made.design.chemicals if use.strength is None}  # others are sold as a solution
    for name, amount in additions.items():
        material = made.amounts.cupboard.materials[name]
        solute = next(iter(material.composition))
        label = key(called[name]) if name in neat else f"{key(called[solute])} stock"
        found[label] = found.get(label, 0.0) + float(amount)
    return found


HEADS = {
    "1% ec in pc": "ethylene carbonate stock",
    "aqueous ammonia": "ammonia stock",
    "sulfuric acid": "sulfuric acid stock",
}


# The authors' tables say propanol for 1-propanol, and that of electrolytes misspells a salt: read as another substance,
# its 6 vials of 20 mg are 12 wrong numbers of 24 x 6, and sqrt(12 x 20**2 / 144) / 500 = 0.01155 is all of it.
MISSPELT = {"lithium tetrafluoroorate": "lithium tetrafluoroborate", "propanol": "1-propanol"}


def _heads(vial: Plain, misspelt: Mapping[str, str] = MISSPELT) -> dict[str, float]:
    """The authors' columns by our names: `_s` marks a stock."""
    found = {}
    for head, amount in vial.items():
        name = head.removesuffix(" ul").strip()
        stock = name.endswith("_s")
        plain = misspelt.get(name, name)
        found[HEADS.get(name.removesuffix("_s").lower(), key(name)) if stock else key(plain)] = float(amount)
    return found


def summarise(rows: Sequence[Row], context: Context) -> dict[str, Any]:
    """How the texts end."""
    names = (RIGHT, "asked", "refused", "silently wrong")
    ends = {name: sum(row["verdict"] == name for row in rows) for name in names}
    return {"summary": {**ends, "requests": sum(row.get("usage", {}).get("calls", 0) for row in rows)}}


ALONE = "alone"  # mode: without the control, which asks the model once more a text

SUITE = Suite(
    name="protocols",
    doc="Descriptions by others, to the finished plate; --data DIR holds them, one prompt beside unless --mode alone",
    cases=cases_of,
    run=through_graph,
    options={"seeds": 1, "mind": "rules", "data": "", "tasks": (), "mode": ""},
    chooses=("seeds", "tasks"),
    beside=lambda options: {} if options["mode"] == ALONE else {"one prompt": through_one_prompt},
    summarise=summarise,
    columns=("case", "expected", "verdict", "faults"),
)
