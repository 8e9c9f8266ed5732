"""From words to a calibration plan: one planning call, one translating call, second opinions where two cards fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.typed_call import AgentCall, Question, Refusal, without_words
from labwright.tools.experiments.call import PROCEDURE
from labwright.tools.experiments.needs import conjoined
from labwright.tools.specifications.calibration import Approval
from labwright.tools.specifications.card_text import compact, one_line
from labwright.tools.specifications.catalogue import Catalogue, spoken
from labwright.tools.specifications.plan_completion import DUT, PAIR_ROLES

SHOWN = 60  # cards that the planning agent is shown; beyond, those nearest to each line of the words
NEAREST = 9  # cards a line: the widest round of the k-agents' Algorithm 1
Ask = Callable[[AgentCall[Any, Any], BaseModel], Any]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class PlanIn(BaseModel):
    """What a person wants, and what there is."""

    words: str
    cards: list[str] = Field(description="One line each.")
    qubits: list[str] = Field(description="Of the device.")
    couplers: list[str] = Field(description="Coupled pairs of the device.")
    chosen: list[str] = Field(description="Qubits that were chosen beside the words; empty if none.")


class PlannedStep(_Strict):
    """One order of the words."""

    words: str = Field(description="The words that order it, with all their numbers.")
    card: str = Field(description="Name of the experiment or procedure.")
    other: str = Field(description="Another card that these words fit as well; empty if the card is clear.")
    qubits: list[str] = Field(description='In the order of the roles; ["dut"] with a scope; empty if not said.')
    rules: list[str] = Field(
        description="What the words say about repeating it, or about what follows from its result."
    )


class PlanOut(_Strict):
    """The plan, without values."""

    mode: Literal["calibrate", "maintain"]
    scope: Literal["steps", "each", "pairs"] = Field(
        description="each: several qubits get the same steps independently. pairs: every coupled pair does."
    )
    qubits: list[str] = Field(description="With `each` or `maintain`: which qubits; empty for all.")
    couplers: list[str] = Field(description="Couplers whose gate is wanted after the qubits of `each`; else empty.")
    approval: Approval
    steps: list[PlannedStep]
    left_out: list[str] = Field(description="Phrases that ask for something which no step does; quoted.")


class StepIn(BaseModel):
    """One step as the translating agent sees it."""

    number: int
    label: str
    card: str
    qubits: list[str]
    words: str
    rules: list[str]


class TranslateIn(BaseModel):
    """The steps of one plan and the cards they name."""

    words: str
    steps: list[StepIn]
    cards: list[str]
    settings: list[str] = Field(description="Settings of every qubit that values may refer to, as in Q1.frequency.")


class Setting(_Strict):
    """One parameter."""

    name: str
    value: str


class Rule(_Strict):
    """One transition."""

    condition: str = Field(description="Empty if it cannot be written as a condition; then `free` has the words.")
    go: str = Field(description="Label, next, repeat, previous, COMPLETE or FAILED.")
    change: list[Setting] = Field(description="Parameters of a repeated run that the words name; else empty.")
    free: str = Field(description="The rule in its own words, where no condition says it; else empty.")


class TranslatedStep(_Strict):
    """One step, or what hinders it."""

    number: int
    outcome: Literal["call", "missing", "partial", "not_mine"]
    parameters: list[Setting]
    writes: Literal["settings", "none"]
    repeats: int = Field(description="Most repetitions beside the first run; -1 if the words do not say.")
    on: list[Rule]
    open: str = Field(description="missing: the question to the person. partial: the phrase left over. Else empty.")


class TranslateOut(_Strict):
    """All steps."""

    steps: list[TranslatedStep]


class OpinionIn(BaseModel):
    """One order and one card."""

    words: str
    card: str


class OpinionOut(_Strict):
    """Whether the order is this card's."""

    reason: str
    mine: bool


class KnowingQuestion(Question):
    """A question, with what code knows that its answer should take into account."""

    known: str = ""


@dataclass(frozen=True, slots=True)
class Catalogued:
    """What there is: cards, qubits, coupled pairs, and qubits chosen beside the words."""

    catalogue: Catalogue
    qubits: list[str]
    pairs: list[str]
    chosen: list[str]


@dataclass(frozen=True, slots=True)
class ReadPlan:
    """A draft: plain data of a plan, where each step came from, what is left out."""

    data: dict[str, Any]
    sources: dict[str, str]
    left_out: tuple[str, ...]


def read_plan(ask: Ask, words: str, known: Catalogued) -> ReadPlan | Question | Refusal:
    """A plan of free words, or what the person has to say first.

    Args:
        ask: one typed call.
        words: of the person.
        known: what there is.
    """
    lines = [one_line(known.catalogue.cards[name]) for name in shortlist(words, known.catalogue)]
    given = PlanIn(words=words, cards=lines, qubits=known.qubits, couplers=known.pairs, chosen=known.chosen)
    planned = ask(PLAN, given)
    if not isinstance(planned, PlanOut):
        return _with_qubits(planned, known.qubits) if isinstance(planned, Question) else planned
    decided = [(_decided(ask, step, known.catalogue), step) for step in planned.steps]
    if unclear := [name for name, _ in decided if isinstance(name, Question)]:
        return _together([*_about_qubits(planned, known), *unclear])
    steps = [(name, step) for name, step in decided if not isinstance(name, Question)]
    if planned.mode == "maintain":
        return ReadPlan({**_head(planned), "mode": "maintain"}, {}, tuple(planned.left_out))
    if not steps:
        return Refusal(reason=f"Nothing that this lab can do is asked for: {'; '.join(planned.left_out) or words}")
    translated = ask(TRANSLATE, _to_translate(words, steps, known))
    if not isinstance(translated, TranslateOut):
        return translated  # type: ignore[no-any-return]
    return _assembled(planned, steps, {each.number: each for each in translated.steps})


def _about_qubits(planned: PlanOut, known: Catalogued) -> list[Question]:
    """What is open about the qubits: a name that the device does not have, or none where there are several."""
    named = [*planned.qubits, *(name for step in planned.steps for name in step.qubits)]
    strange = [f"'{name}'" for name in dict.fromkeys(named) if name not in (*known.qubits, DUT, *PAIR_ROLES)]
    if strange and known.qubits:
        text = f"The device has no {conjoined(strange, 'or')}; it has {conjoined(known.qubits)}. Which one is meant?"
        return [Question(text=text)]
    unnamed = planned.scope == "steps" and not all(step.qubits for step in planned.steps)
    several = len(known.qubits) > 1 and not known.chosen
    return [Question(text="Which qubit is meant?", options=known.qubits)] if unnamed and several else []


def _together(asked: list[Question]) -> Question:
    """All that is open in one question, the first of them as its title, so that one answer in words can settle it."""
    if len(asked) == 1:
        return asked[0]
    first, *rest = (f"{each.text}{f' ({listed})' if (listed := _or(each.options)) else ''}" for each in asked)
    lines = "\n".join(f"- {each}" for each in rest)
    return KnowingQuestion(text=first, known=f"Also open; one answer in words can settle all of it:\n\n{lines}")


def _or(options: list[str]) -> str:
    return conjoined(options, "or") if options else ""


def _with_qubits(asked: Question, qubits: list[str]) -> Question:
    """A question of the planning agent, with the device's qubits where it names none: those of the words may differ."""
    told = " ".join([asked.text, *asked.options])
    if not qubits or any(name in told for name in qubits):
        return asked
    return KnowingQuestion(**asked.model_dump(), known=f"The device has the qubits {conjoined(qubits)}.")


def shortlist(words: str, catalogue: Catalogue) -> list[str]:
    """The cards to show: all of them up to `SHOWN`, else those nearest to each line."""
    if len(catalogue.cards) <= SHOWN:
        return list(catalogue.cards)
    lines = [line for line in words.splitlines() if line.strip()]
    found = {name for line in lines for name in catalogue.similar.ranked(line, NEAREST)}
    return [name for name in catalogue.cards if name in found]


def card_named(text: str, catalogue: Catalogue) -> str:
    """The card that an agent named, in any of its spellings; empty if there is none."""
    plain = text.strip().removeprefix("procedure").lstrip(" :").partition("(")[0].strip()
    for name in (text.strip(), plain, f"{PROCEDURE}:{plain.replace(' ', '-')}"):
        if name in catalogue.cards:
            return name
    return catalogue.named(plain)


def _decided(ask: Ask, step: PlannedStep, catalogue: Catalogue) -> str | Question:
    """The card of a step; where two fit, each one's own agent is heard, and the person where both claim it."""
    first, second = card_named(step.card, catalogue), card_named(step.other, catalogue)
    if not second or second == first or not first:
        return first or step.card
    opinions = {
        name: ask(OPINION, OpinionIn(words=step.words, card=compact(catalogue.cards[name]))) for name in (first, second)
    }
    mine = [name for name, answer in opinions.items() if isinstance(answer, OpinionOut) and answer.mine]
    if len(mine) == 2:
        return Question(text=f"{step.words!r} may mean two things. Which one?", options=[spoken(name) for name in mine])
    return mine[0] if mine else first


def _to_translate(words: str, steps: list[tuple[str, PlannedStep]], known: Catalogued) -> TranslateIn:
    cards = {name: compact(known.catalogue.cards[name]) for name, _ in steps if name in known.catalogue.cards}
    return TranslateIn(
        words=words,
        steps=[_step_in(number, name, step) for number, (name, step) in enumerate(steps, 1)],
        cards=list(cards.values()),
        settings=["frequency", "amplitude_pi", "amplitude_pi2", "drag", "anharmonicity", "readout_frequency"],
    )


def _step_in(number: int, name: str, step: PlannedStep) -> StepIn:
    label = f"Stage {number}"
    return StepIn(number=number, label=label, card=name, qubits=step.qubits, words=step.words, rules=step.rules)


def _head(planned: PlanOut) -> dict[str, Any]:
    """The fields of the plan that are not its steps."""
    found: dict[str, Any] = {"system": "lab_calibration"}
    if planned.scope == "pairs":
        found["for"] = planned.couplers or "pairs"
    elif planned.scope == "each" or planned.mode == "maintain":
        found["for"] = planned.qubits or "all"
        if planned.couplers:
            found["couplers"] = planned.couplers
    if planned.approval != "as the run says":
        found["approval"] = planned.approval
    return found


def _assembled(
    planned: PlanOut, steps: list[tuple[str, PlannedStep]], translated: dict[int, TranslatedStep]
) -> ReadPlan | Question | Refusal:
    """The plan's plain data; a question where a value is missing."""
    found: list[dict[str, Any]] = []
    sources: dict[str, str] = {}
    left_out, missing = list(planned.left_out), list[Question]()
    for number, (name, step) in enumerate(steps, 1):
        done = translated.get(number)
        if done is None or done.outcome == "not_mine":
            left_out.append(step.words)
            continue
        if done.outcome == "missing":
            missing.append(Question(text=done.open or f"What is missing for {step.words!r}?"))
            continue
        left_out += [done.open] if done.outcome == "partial" and done.open else []
        sources[f"steps.{len(found)}"] = step.words
        found.append(_step(name, step, done))
    if missing:
        return _together(missing)
    if not found:
        return Refusal(reason=f"No experiment here does this: {'; '.join(left_out)}")
    return ReadPlan({**_head(planned), "steps": found}, sources, tuple(dict.fromkeys(left_out)))


def _step(name: str, step: PlannedStep, done: TranslatedStep) -> dict[str, Any]:
    task = {"procedure": name.removeprefix(f"{PROCEDURE}:")} if name.startswith(PROCEDURE) else {"experiment": name}
    found: dict[str, Any] = {**task, "qubits": list(step.qubits)}
    if done.parameters:
        found["parameters"] = {each.name: each.value for each in done.parameters}
    if done.writes == "none":
        found["writes"] = "none"
    if done.repeats >= 0:
        found["repeats"] = done.repeats
    if done.on:
        found["on"] = [_transition(each) for each in done.on]
    return found


def _transition(rule: Rule) -> dict[str, Any]:
    if not rule.condition:
        return {"rule": rule.free}
    change = {each.name: each.value for each in rule.change}
    return {"if": rule.condition, "go": rule.go, **({"change": change} if change else {})}


PLAN = AgentCall("lab_calibration.plan", "lab_calibration/plan.md", PlanIn, PlanOut, without_words, tier="general")
TRANSLATE = AgentCall(
    "lab_calibration.translate",
    "lab_calibration/translate.md",
    TranslateIn,
    TranslateOut,
    without_words,
    tier="general",
)
OPINION = AgentCall(
    "lab_calibration.opinion", "lab_calibration/opinion.md", OpinionIn, OpinionOut, without_words, tier="light"
)
