"""Suite `adopt`: foreign measurements to cards by a model, each run on the simulated device beside its author's card.

A card is right if the measurement keeps the contract and gives every result that the author's card has, within four
errors, on the same device with the same seed. The control has the form and the source and what the owners say, but no
draft, no check and no second try.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from labwright.agents.call import Question, Refusal
from labwright.agents.errors import AgentGaveUp
from labwright.agents.lab_calibration.adopt_card import ADOPT, AdoptIn, AdoptOut
from labwright.evaluation.language import RIGHT, Given, outcome_of
from labwright.evaluation.runner import Context, Options, Row, Suite
from labwright.tools.adoption.card import AdoptionCard, read_card
from labwright.tools.adoption.install import install
from labwright.tools.adoption.reading import drafted, foreign_in
from labwright.tools.errors import InputError
from labwright.tools.experiments.call import ExperimentCall
from labwright.tools.experiments.perform import perform
from labwright.tools.experiments.registry import experiments
from labwright.tools.plain_yaml import read_yaml
from labwright.tools.qpu.opening import open_device

ADOPT_ALONE = replace(
    ADOPT, name="evaluation.adopt_alone", prompt="evaluation/adopt_alone.md", check=lambda _given, _answer: []
)


CASES = Path(__file__).parent / "cases" / "adoption"
# So far off that a wrong sign or unit of a frequency is seen.
DEVICE: dict[str, float | str] = {"frequency_offset": 0.15, "amplitude_error": 0.0, "drag": 0.5}
SEED, SHOTS, WITHIN, MODEL = 2, 4000, 4.0, 0.03  # errors, and what default arguments may change a result by


@dataclass(frozen=True, slots=True)
class Case:
    """One object of a foreign module: ``answer``, ``ask`` or ``refuse`` is expected, or any of several."""

    name: str
    file: str
    expect: tuple[str, ...]
    card: str = ""  # file of its author's card
    also: tuple[tuple[str, float, float], ...] = ()  # where the code leaves what need not be taken, value, tolerance
    seed: int = 0


def cases(options: Options) -> list[Case]:
    """Those of ``cases.yaml``; ``tasks`` names some."""
    listed = read_yaml((CASES / "cases.yaml").read_text(encoding="utf-8"))
    every = [
        Case(each["object"], each["file"], tuple(each["expect"]), each.get("card", ""),
             tuple((where, *value) for where, value in each.get("also", {}).items()))
        for each in listed
    ]  # fmt: skip
    return [case for case in every if not options["tasks"] or case.name in options["tasks"]]


def through_agent(case: Case, context: Context) -> Row:
    """With draft, checks and repairs."""
    rejected: list[AdoptOut] = []

    def check(given: AdoptIn, answer: AdoptOut) -> list[str]:
        found = ADOPT.check(given, answer)
        rejected.extend([answer] if found else [])
        return found

    return _row(case, context, replace(ADOPT, check=check), rejected)


def through_one_prompt(case: Case, context: Context) -> Row:
    """One prompt, one answer."""
    return _row(case, context, ADOPT_ALONE, [])


def _row(case: Case, context: Context, call: Any, rejected: list[AdoptOut]) -> Row:
    path = CASES / case.file
    [foreign] = [each for each in foreign_in(path) if each.name == case.name]
    notes = (CASES / "README.txt").read_text(encoding="utf-8")
    given = AdoptIn(source=path.read_text(encoding="utf-8"), notes=notes, draft=drafted(path, foreign))
    try:
        reply = context.mind.answer(call, given)
    except AgentGaveUp as error:
        reply = Refusal(reason=str(error))
    kind, why = verdict(case, reply, context.folder)
    right, before = why == RIGHT, any(verdict(case, each, context.folder)[1] == RIGHT for each in rejected)
    told: Row = {"verdict": why, "passed": right, "outcome": outcome_of(right, kind)}
    return {**told, "faults": "" if right else why[:300], "check_refused_right": before and not right}


def verdict(case: Case, reply: AdoptOut | Question | Refusal, folder: Path) -> tuple[Given, str]:
    """What a reply did, and ``right`` or how it is wrong."""
    if isinstance(reply, Question):
        return "asked", RIGHT if "ask" in case.expect else f"asks: {reply.text}"
    if isinstance(reply, Refusal):
        return "refused", RIGHT if "refuse" in case.expect else f"refuses: {reply.reason}"
    try:
        found = results(reply.card, folder / "found")
    except InputError as error:
        return "refused", str(error)
    if "answer" not in case.expect:
        return "done", "A card where none can be right."
    wanted = results((CASES / case.card).read_text(encoding="utf-8"), folder / "wanted")
    differ = [where for where, value in wanted.items() if not _alike(value, found.get(where))]
    differ += [where for where, value, near in case.also if where in found and abs(found[where][0] - value) > near]
    return "done", f"differs in {', '.join(differ)}" if differ else RIGHT


def results(text: str, folder: Path) -> Mapping[str, tuple[float, float]]:
    """Value and error of each result that a card names, by where the code leaves it, in units of the code.

    Raises:
        InputError: it is no card of this code, or the measurement breaks the contract, fails, or is not accepted.
    """
    card = read_card(text)
    folder.mkdir(parents=True, exist_ok=True)
    for source in CASES.glob("*.py"):
        (folder / source.name).write_bytes(source.read_bytes())
    where, lab = folder / "card.yaml", folder / f"lab-{len(list(folder.iterdir()))}"
    where.write_text(text, encoding="utf-8")
    install(where, card, lab, (), "simulated")
    device = open_device("simulated", lab / "device", SEED, DEVICE)
    try:
        report = perform(experiments(lab)[card.name], call(card), device, "run").report
    finally:
        device.close()
    if report.verdict != "success":
        raise InputError(f"The measurement is not accepted: {report.analysis}")
    return {
        each.from_: (each.there(found.value), each.there(found.error))
        for name, each in card.results.items()
        if (found := report.estimates.get(name))
    }


def call(card: AdoptionCard) -> ExperimentCall:
    """With its defaults; the largest value where there is none, and a number of shots if the code leaves it to us."""
    needed = {n: g.largest for n, g in card.given.items() if g.is_ in ("number", "count") and g.default is None}
    return ExperimentCall(card.name, {"qubit": "Q1", **({} if "shots" in card.given else {"shots": SHOTS}), **needed})


def _alike(wanted: tuple[float, float], found: tuple[float, float] | None) -> bool:
    if found is None:
        return False
    return abs(wanted[0] - found[0]) < WITHIN * math.hypot(wanted[1], found[1]) + MODEL * abs(wanted[0])


SUITE = Suite(
    name="adopt",
    doc="Foreign measurements to cards by a model, run beside their authors' cards",
    cases=cases,
    run=through_agent,
    options={"mind": "rules", "tasks": ()},
    beside=lambda options: {} if options["mind"] == "rules" else {"one_prompt": through_one_prompt},
    columns=("case", "outcome", "verdict"),
    chooses=("tasks",),
)
