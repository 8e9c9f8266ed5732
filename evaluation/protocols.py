"""Suite `protocols`: descriptions in words, each to become the right vials, a question, or a refusal.

The cases were written, and their vials worked out by hand, before the grammar. A third is sealed: it is run to report,
not to tune.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import yaml

from labwright.agents.call import Question, Refusal
from labwright.agents.protocol_design.reading import Reading, design_of
from labwright.agents.protocol_design.understand import UNDERSTAND, UnderstandIn
from labwright.evaluation.language import RIGHT, Given, judged
from labwright.evaluation.runner import Context, Row, Suite
from labwright.tools.chemistry.chemicals import Chemical, lookup
from labwright.tools.chemistry.quantities import parse_quantity
from labwright.tools.liquid_handler.amounts import Amounts, VialRecipe, calculate
from labwright.tools.liquid_handler.amounts import Refusal as NotFeasible
from labwright.tools.liquid_handler.protocol import Made, make_protocol

CASES = Path(__file__).parent / "cases" / "protocols"
Split = Literal["dev", "sealed"]
TOLERANCE = 0.005  # relative; the hand-worked volumes are rounded, and densities differ between handbooks
SMALLEST = 0.5  # uL or mg that count as equal anyway


@dataclass(frozen=True, slots=True)
class Case:
    """One description and what should come of it.

    Attributes:
        vials: groups of equal vials: ``{"count": 2, "contents": {"methanol": "500 uL"}}``.
        asks: words that the question must contain.
        parameters: what the protocol must set, and to what (None: to anything).
        absent: parameters that it must not set.
        times: how many steps set a parameter.
        seed: number of the draw.
    """

    name: str
    text: str
    outcome: Literal["design", "question", "refused"]
    vials: list[dict[str, Any]] = field(default_factory=list)
    asks: str = ""
    parameters: dict[str, float | None] = field(default_factory=dict)
    absent: list[str] = field(default_factory=list)
    times: dict[str, int] = field(default_factory=dict)
    seed: int = 0


def load_cases(split: Split) -> list[Case]:
    """The cases of one split."""
    return [Case(**plain) for plain in yaml.safe_load((CASES / f"{split}.yaml").read_text(encoding="utf-8"))]


def read(case: Case, context: Context) -> Row:
    """One call, and the vials that its reading makes."""

    def judge(reply: Reading | Question | Refusal) -> tuple[Given, str]:
        return verdict(case, reply)

    _, row = judged(context.mind, UNDERSTAND, UnderstandIn(text=case.text, settled=[]), judge, case.seed)
    return {"expected": case.outcome, **row}


def verdict(case: Case, reply: Reading | Question | Refusal) -> tuple[Given, str]:
    """What a reply comes to, and ``right`` or how it is wrong."""
    if isinstance(reply, Refusal):
        return "refused", _expected(case, "refused", reply.reason)
    if isinstance(reply, Question):
        return "asked", _expected(case, "question", reply.text)
    if reply.not_understood or reply.doubts:
        words = " ".join([*reply.not_understood, *(one.text for one in reply.doubts)])
        return "asked", _expected(case, "question", words)
    design = design_of(reply, case.text)
    amounts = calculate(design)
    if isinstance(amounts, NotFeasible):
        outcome: tuple[Given, str] = ("refused", "refused") if amounts.infeasible else ("asked", "question")
        return outcome[0], _expected(case, outcome[1], amounts.message)
    said = _expected(case, "design", "")
    said = said if said != RIGHT else _compared(case, amounts)
    return "done", said if said != RIGHT else _treated(case, make_protocol(design))


def _treated(case: Case, made: Made | NotFeasible) -> str:
    """What is set for the vials, and what is not."""
    if isinstance(made, NotFeasible) or made.blocked:
        return "a protocol expected, but it does not pass the checks"
    steps = [step for step in made.protocol.steps if step.action == "Set"]
    for name, value in case.parameters.items():
        if not any(step.subject == name and value in (None, *step.amounts.values()) for step in steps):
            return f"{name} {'' if value is None else value} expected, not set"
    if strange := sorted({step.subject for step in steps} & set(case.absent)):
        return f"{strange[0]} is set, which nobody asked for"
    counts = Counter(step.subject for step in steps)
    wrong = [name for name, count in case.times.items() if counts[name] != count]
    return f"{wrong[0]} is set {counts[wrong[0]]} times" if wrong else "right"


def _expected(case: Case, outcome: str, words: str) -> str:
    if case.outcome != outcome:
        return f"{case.outcome} expected, {outcome} given: {words}"
    return "right" if case.asks.lower() in words.lower() else f"asked about something else: {words}"


def _compared(case: Case, amounts: Amounts) -> str:
    """Vials matched by content, in any order."""
    wanted = [contents for group in case.vials for contents in [group["contents"]] * group["count"]]
    left = list(amounts.vials)
    if len(left) != len(wanted):
        return f"{len(wanted)} vials expected, {len(left)} made"
    for contents in wanted:
        found = next((vial for vial in left if _same(contents, vial, amounts)), None)
        if found is None:
            return f"no vial with {contents}"
        left.remove(found)
    return "right"


def _same(contents: dict[str, str], vial: VialRecipe, amounts: Amounts) -> bool:
    wanted = dict(_dispensed(name, text) for name, text in contents.items())
    got = {_plain(name, amounts): value for name, value in vial.additions.items() if value > 0}
    return Counter(wanted).keys() == Counter(got).keys() and all(
        abs(got[name] - value) <= max(TOLERANCE * value, SMALLEST) for name, value in wanted.items()
    )


def _plain(name: str, amounts: Amounts) -> str:
    """A material as the cases name it."""
    found = lookup(name)
    if isinstance(found, Chemical):
        return found.name
    composition = amounts.cupboard.materials[name].composition
    return f"stock of {next(iter(composition))}"


def _dispensed(name: str, text: str) -> tuple[str, float]:
    """Name and amount, moles turned into what is dispensed (mg of solids, uL of liquids)."""
    quantity = parse_quantity(text)
    if not text.rstrip().endswith("mol"):
        return name, quantity.to("mg" if text.rstrip().endswith("mg") else "uL")
    chemical = lookup(name)
    assert isinstance(chemical, Chemical)
    mass = quantity.to("mmol") * chemical.molar_mass
    return name, mass if chemical.state == "solid" else mass / (chemical.density or 1.0)


SUITE = Suite(
    name="protocols",
    doc="Descriptions in words, each to become the right vials, a question, or a refusal",
    cases=lambda options: [
        replace(one, seed=k) for k in range(options["seeds"]) for one in load_cases(options["split"])
    ],
    run=read,
    options={"seeds": 1, "mind": "rules", "split": "dev"},
    columns=("case", "expected", "verdict"),
)
