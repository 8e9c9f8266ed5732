"""From a request or a procedure to stages: first the orders, then what follows from each one's result."""

from __future__ import annotations

import re
from itertools import pairwise

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.call import AgentCall, Question, Refusal
from labwright.agents.lab_calibration import language, several, sharing
from labwright.agents.lab_calibration.numbers import numbers_in, unsupported
from labwright.agents.lab_calibration.qubit_names import qubits_in, with_names
from labwright.agents.lab_calibration.translate_words import states

# An abbreviation's dot ends no sentence.
_WRITTEN_OUT = re.compile(
    r"\b(cond|approx|resp|freq|ampl?|spec|max|min|cal|calib|temp|meas|exp|nr|ham|tomo|res|incl|avg|reps?|vs|ca|ctrl|tgt"
    r"|osc|coeff|param|params|seq|pts?)\.(?=\s)",
    re.IGNORECASE,
)
_PLUS_MINUS = re.compile(r"\bplus\s*(?:and|or|/)\s*minus\s+", re.IGNORECASE)
DEFAULT_RULE = "On success go on. Otherwise repeat with the proposed parameters."


class ExtractIn(BaseModel):
    """A request in plain words, or the Steps section of a procedure."""

    title: str = ""
    background: str = ""
    text: str
    qubits: list[str] = Field(default_factory=list, description="The device's qubits.")


class ExtractOut(BaseModel):
    """The orders, each for one experiment or one procedure, in order."""

    model_config = ConfigDict(extra="forbid")
    instructions: list[str] = Field(description="One experiment or procedure each, close to the original wording.")


class RulesIn(BaseModel):
    """The text again, and the stages that were found in it."""

    text: str
    stages: list[str] = Field(description='Such as "Stage 1: Measure T1 of Q1".')


class RulesOut(BaseModel):
    """What follows from each stage's result."""

    model_config = ConfigDict(extra="forbid")
    rules: list[str] = Field(description="One transition rule a stage, in the order of the stages.")


def extract_by_rules(given: ExtractIn) -> ExtractOut | Question | Refusal:
    """Split at bullets, sentences and joining words; resolve "it" and a qubit that is named only once."""
    orders = [order for _, orders, _ in _blocks(given) for order in orders]
    for _, own, flow in _blocks(given):
        for sentence in () if own else flow:
            conditional = language.CONDITIONAL.match(sentence)
            if conditional and language.qubits_named(conditional["order"], given.qubits):
                return Refusal(
                    reason=f"The step {sentence!r} orders a measurement under a condition of its own. Make the"
                    " measurement a step, and say in the step before it when to go there."
                )
    if not orders:
        return Refusal(reason="The text orders nothing: no step asks for a measurement or a procedure.")
    return ExtractOut(instructions=orders)


def rules_by_rules(given: RulesIn) -> RulesOut | Refusal:
    """Give each stage the flow sentences that follow its order in the text; refuse a way to a stage that is not."""
    rules: list[str] = []
    for _, orders, flow in _blocks(ExtractIn(text=given.text, qubits=_qubits_of(given.stages))):
        rules += [DEFAULT_RULE] * (len(orders) - 1)
        if orders:
            rules.append(". ".join(flow) + "." if flow else DEFAULT_RULE)
        elif rules:
            rules[-1] = " ".join([*([rules[-1]] if rules[-1] != DEFAULT_RULE else []), ". ".join(flow) + "."])
    rules = rules[: len(given.stages)]
    if astray := _astray(rules, given.stages):
        return Refusal(reason=astray)
    return RulesOut(rules=rules + [DEFAULT_RULE] * (len(given.stages) - len(rules)))


def _astray(rules: list[str], stages: list[str]) -> str:
    """What is wrong with a written rule that leads to a stage which does not exist; empty if none does."""
    labels = [stage.split(":")[0].strip() for stage in stages]
    for label, rule in zip(labels, rules, strict=False):
        for name in re.findall(r"\bstage \d+\b", rule, re.IGNORECASE):
            if name.capitalize() not in labels:
                return (
                    f'The step of {label} says "{rule}", but there is no {name.capitalize()}; the stages are'
                    f" {', '.join(labels)}. Name one of these, COMPLETE or FAILED."
                )
    return ""


def _qubits_of(stages: list[str]) -> list[str]:
    return sorted({name for stage in stages for name in re.findall(r"\b[A-Za-z]+\d+\b", stage)})


def _blocks(given: ExtractIn) -> list[tuple[str, list[str], list[str]]]:
    """(block, orders, flow sentences) of each bullet."""
    found: list[tuple[str, list[str], list[str]]] = []
    named = ""  # the qubit that "it" means
    text = _WRITTEN_OUT.sub(r"\1", _PLUS_MINUS.sub("+/- ", given.text))
    text = sharing.looped(sharing.uncommented(with_names(text, given.qubits)))
    text = sharing.with_drive(text)
    text = re.sub(r"\([^()]*\)", lambda found: found[0].replace(";", ","), text)
    for block in language.blocks(several.numbered(text, given.qubits)):
        orders: list[str] = []
        flow: list[str] = []
        for sentence, asked in _asked_for(language.sentences(block), given.qubits):
            if not asked:  # background: it may tell whom the next order is for
                named = ", ".join(language.qubits_named(sentence, given.qubits)) or named
                continue
            # A list item of its own that repeats a named experiment on a named qubit is a step, not a rule.
            if not orders and not flow and found and language.qubits_named(sentence, given.qubits):
                sentence = language.REORDER.sub("Run ", sentence)
            if language.is_flow(sentence):
                flow.append(sentence)
            elif details := sharing.ordinal(sentence, orders):
                orders = details
            elif orders and (language.is_detail(sentence) or several.is_setting(sentence, True)):
                orders[-1] += f". {sentence}"
            else:
                for order in several.orders(sentence, given.qubits):
                    order, named = _resolve(order, named, given.qubits)
                    for one in several.each_qubit(order, given.qubits):
                        orders += language.each_time(one)
        found.append((block, orders, flow))
    return found


def _asked_for(sentences: list[str], qubits: list[str]) -> list[tuple[str, bool]]:
    """The sentences, and whether each orders something; where none clearly does, each is taken for an order.

    A statement that names a task goes together with a request that names none: "How long does it live? Measure it."
    """
    asking = [several.asks(sentence) for sentence in sentences]
    for i, (sentence, following) in enumerate(pairwise(sentences)):  # "I need its coherence. Please measure T1 and ..."
        if asking[i] and asking[i + 1] and several.explains(sentence, following, qubits):
            asking[i] = False
    if not any(asking):
        return [(sentence, True) for sentence in sentences]
    found: list[tuple[str, bool]] = []
    for sentence, asks in zip(sentences, asking, strict=True):
        if asks and found and not several.task_of(sentence, qubits):
            if several.only_wishes(sentence, qubits):
                asks = False
            elif several.task_of(found[-1][0], qubits):
                sentence = f"{found.pop()[0]}. {sentence}"
        told = not asks and (states(sentence) or several.only_wishes(sentence, qubits))
        found.append((sentence, not told or language.is_flow(sentence) or several.is_setting(sentence, bool(found))))
    return found


def _resolve(order: str, named: str, qubits: list[str]) -> tuple[str, str]:
    """Put the last named qubit where an order says "it" or names none, and several where it says "them".

    Returns the order, and who "it" or "them" is now, names parted by commas.
    """
    here = language.qubits_named(order, qubits)
    if here:
        return order, ", ".join(here)
    if not named:
        return order, named
    if "," in named:
        pronoun = r"\b(?:(?:all|each|both) of them|them|these qubits|those qubits)\b"
        order, count = re.subn(pronoun, named, order, count=1)
        pair = not count and named.count(",") == 1 and several.for_pair(f"{order} on {named}", qubits)
        return (f"{order} on {named.replace(', ', ' and ')}" if pair else order), named
    replaced, count = re.subn(r"\b(?:it|the same qubit|this qubit|that qubit)\b", f"qubit {named}", order, count=1)
    return (replaced if count else f"{order} on qubit {named}"), named


def check_extract(given: ExtractIn, answer: ExtractOut) -> list[str]:
    """Orders must come from the text: no new numbers, no new content, no flow left inside."""
    found = []
    if not answer.instructions:
        found.append("There must be at least one instruction.")
    source = numbers_in(given.text + " " + given.title)
    words = language.stems(f"{given.title} {given.text} {' '.join(given.qubits)}")
    for instruction in answer.instructions:
        if invented := unsupported(instruction, source):
            found.append(f"Instruction {instruction!r} has numbers that the text does not: {', '.join(invented)}.")
        if strangers := _strangers(given, instruction):
            found.append(f"Instruction {instruction!r} names {strangers[0]}, which the text does not.")
        own = language.stems(instruction) - {"qubi"}
        if own and len(own & words) < 0.6 * len(own):
            found.append(f"Instruction {instruction!r} says more than the text; keep its wording.")
        if any(language.is_flow(part) for part in language.sentences(instruction)):
            found.append(f"Instruction {instruction!r} says what to do next; leave that to the transition rules.")
    return found


def _strangers(given: ExtractIn, instruction: str) -> list[str]:
    """Qubits of an instruction that the text does not name, although it names some."""
    said = qubits_in(f"{given.title} {given.text}", given.qubits)
    return [name for name in qubits_in(instruction, given.qubits) if said and name not in said]


def check_rules(given: RulesIn, answer: RulesOut) -> list[str]:
    """One rule a stage, naming only stages that exist and numbers that the text has."""
    found = []
    if len(answer.rules) != len(given.stages):
        found.append(f"There must be {len(given.stages)} rules, one a stage, but there are {len(answer.rules)}.")
    labels = {stage.split(":")[0].strip().lower() for stage in given.stages}
    source = numbers_in(given.text)
    for rule in answer.rules:
        for name in re.findall(r"\bstage \d+\b", rule.lower()):
            if name not in labels:
                found.append(f"Rule {rule!r} names {name!r}, which does not exist.")
        if counts := sorted(_repeats(rule) - _repeats(given.text)):
            found.append(f"Rule {rule!r} counts {', '.join(counts)} times, which the text does not.")
        if invented := unsupported(re.sub(r"(?i)\bstage \d+\b", "", rule), source):
            found.append(f"Rule {rule!r} has numbers that the text does not: {', '.join(invented)}.")
    return found


def _repeats(text: str) -> set[str]:
    return set(re.findall(r"\b(\w+) times\b", text.lower()))


EXTRACT = AgentCall(
    "lab_calibration.extract_stages",
    "lab_calibration/extract_stages.md",
    ExtractIn,
    ExtractOut,
    extract_by_rules,
    check_extract,
    "general",
)
RULES = AgentCall(
    "lab_calibration.write_rules",
    "lab_calibration/write_rules.md",
    RulesIn,
    RulesOut,
    rules_by_rules,
    check_rules,
    "general",
)
