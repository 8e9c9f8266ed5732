"""The code translation agent: one instruction and one experiment's card, to a call or to "not mine"."""

from __future__ import annotations

import re
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.call import AgentCall
from labwright.agents.lab_calibration.qubit_names import by_role, qubits_in
from labwright.agents.lab_calibration.recognize import Meant, meant, told_by_asking
from labwright.agents.lab_calibration.strange import strange
from labwright.agents.lab_calibration.translate_arguments import Assigned, assign
from labwright.agents.lab_calibration.translate_words import (
    Phrases,
    accountable,
    asked_part,
    main_clause,
    phrase_in,
    phrases_of,
    request,
    requests,
    ruled_out,
    telling,
    unreasoned,
    without,
)
from labwright.agents.lab_calibration.word_forms import stem, stems, with_joined, words
from labwright.tools.errors import CallSyntaxError
from labwright.tools.experiments.call import ExperimentCard, parse_call
from labwright.tools.experiments.check_call import (
    GROUP,
    PARTNER,
    QUBIT_PARAMETERS,
    CheckContext,
    check,
    places,
    qubits_of,
)
from labwright.tools.experiments.stated import AVERAGED, stated
from labwright.tools.experiments.wording import names, parameter_words

# What a candidate must pass before it is offered. Ranges and limits are left to the self-check, which can mend them.
# A count that the plan did not turn into several orders; "at most 3 times" only limits repeats.
COUNTED = re.compile(
    r"(?<!most )(?<!up to )(?<!than )(?<!only )\b"
    r"(?:twice|thrice|(?:\d+|two|three|four|five|six|seven|eight|nine|ten) times)\b"
    r"(?!\s*(?:the|as|its|that|more|\w+er)\b)",
    re.IGNORECASE,
)
# "Set the DRAG of Q1 to 0.3" writes a setting. No experiment does that, and measuring instead would change it.
WRITES = re.compile(
    r"^\W*(?:please\s+)?(?:set|change|write|put)\s+(?!up\b)(?!.*\b(?:and|then|run"
    r"|measure)\b)[^,.;]*\bto\s+[-+]?\d+(?:\.\d+)?[^,.;]*$",
    re.IGNORECASE,
)
# "Make T1 twice as long" wants the qubit to be another.
DEMANDS = re.compile(
    r"\b(?:make|have)\b[^.;]*\b(?:(?:twice|half|three times) as|double|as (?:long|high|low|good) as possible"
    r"|longer(?! and longer)(?<!longer and longer)|shorter)\b"
    r"(?![^.;]*\b(?:sweep|window|delay|range)\b)",
    re.IGNORECASE,
)
# Nobody here turns instruments on or off.
POWER = re.compile(r"^\W*(?:please\s+)?(?:turn|switch|shut|power)\b[^.;]*\b(?:off|on|down)\b", re.IGNORECASE)
# "Average the last five values" works on what was measured before.
PROCESSES = re.compile(
    r"^\W*(?:please\s+)?(?:(?:average|plot)\s+(?:the\s+(?:last|old|previous|\w+ )|all|these|my|its)|compare"
    r"(?!\s+(?:\w+\s+){0,3}with (?:and|or|versus) without)"
    r"|subtract|overlay|export|load|print|send (?:me|us|it|the (?:results?|data|plots?|figures?|report"
    r"|file))|undo|delete)\b"
    r"|^\W*(?:is|are|does|do|can)\b[^?]*\b(?:usually|in general|generally|typically|normally)\b"
    r"|\bover (?:one|a|the(?: last| past)?|\w+) (?:years?|months?|weeks?|days?|nights?)\b"
    r"|\bwhat (?:does|do|did)\b[^?]*\bmean\b|\bhow (?:does|do|did)\b[^?.]*\bworks?\b|\bmeaning of\b|^\W*why\b"
    r"|\b(?:yesterday|last (?:night|week|month|year))['’]s\b|\bpapers?\b[^.?]*\b(?:about|describe|on|explain)\b"
    r"|\b(?:last|previous|old|yesterday's)\s+(?:\w+\s+){0,3}?(?:values|results?|data|figures?|plots?)\b",
    re.IGNORECASE,
)
# What a pair or a group of qubits may be called beside its experiment's own words.
COUNT_WORDS = "pair pairs coupled couple together both joint two three four"
GATES = ("syntax", "argument_names", "types", "unsupported_numbers", "ignored_numbers")


class CodeIn(BaseModel):
    """One instruction for one experiment."""

    instruction: str
    card: ExperimentCard
    variables: dict[str, Any] = Field(description="Variable table: name -> value.")
    qubits: list[str] = Field(description="Qubits of the device.")


class CodeOut(BaseModel):
    """Analysis first, then the decision, then the call, then a second look at it."""

    model_config = ConfigDict(extra="forbid")
    analysis: str = Field(description="One to three sentences: what is asked for, and whether this experiment is it.")
    named: str = Field(description="The words of the instruction that name what is to be measured; empty if none do.")
    applicable: bool = Field(description="Whether this experiment is what the instruction asks for.")
    code: str = Field(description="One call of this experiment; empty if not applicable or something is missing.")
    missing: list[str] = Field(description="Parameters without default that the instruction leaves open.")
    suitable: bool = Field(description="Whether the call does all that the instruction asks, and nothing else.")


def translate_code_by_rules(given: CodeIn) -> CodeOut:
    """Find the card's own phrases in the instruction, account for every other word, place every number."""
    got = assign(given.instruction, given.card, given.variables)
    text = without(got.rest, stated(got.rest))
    phrase, clause = _phrase(text, given)
    asked = requests(given.instruction)
    if WRITES.match(given.instruction.strip().rstrip(".")):
        return _no("The instruction sets a value by hand; experiments measure, and write only what they measured.")
    if DEMANDS.search(asked) or POWER.search(asked):
        return _no("The instruction wants the qubit to be better than it is; an experiment measures what it is.")
    if PROCESSES.search(asked):
        return _no("The instruction is about earlier results; an experiment measures anew.")
    if not phrase:
        return _no(f"The instruction does not ask for {given.card.name}.")
    named = " ".join(dict.fromkeys(word for word in words(given.instruction) if _in_phrase(word, phrase)))
    if why := _objection(clause, phrase, given, got):
        return _no(f"The instruction names {named!r}, but {why}.", named, applicable=True)
    return _call(given, got, named)


def check_code(given: CodeIn, answer: CodeOut) -> list[str]:
    """A candidate must be one valid call of this experiment, with numbers that somebody stated."""
    if not (answer.applicable and answer.suitable):
        return []
    absent = set(stems(answer.named)) - with_joined(stems(given.instruction))
    found = [f"`named` must quote the instruction, which does not say {sorted(absent)}."] if absent else []
    if answer.missing:
        names = {parameter.name for parameter in given.card.parameters if parameter.required}
        extra = [name for name in answer.missing if name not in names and not answer.code]
        return found + [f"`missing` has {name!r}, which is no required parameter." for name in extra if " " not in name]
    context = CheckContext(given.instruction, {given.card.name: given.card}, given.variables, tuple(given.qubits))
    for name in GATES:
        found += [f"{item.message} {item.mend}".strip() for item in check(name, answer.code, context)]
    if not set(stems(answer.named)) & phrases_of(given.card.name, given.card.docstring).vocabulary:
        found.append(f"`named` ({answer.named!r}) does not speak of {given.card.name}; it is not applicable.")
    return found + _other_qubit(given, answer.code, context)


def _phrase(text: str, given: CodeIn) -> tuple[frozenset[str], str]:
    """The longest phrase of the card in what is asked for, or else in why; and the part it stands in.

    None where something else is meant. Where no phrase is said in full: the card's words, if it is what is meant.
    """
    card, qubits = given.card, given.qubits
    told = meant(given.instruction, qubits) if card.name in names() else None
    if told and told.clear and told.name != card.name:
        return frozenset(), text
    phrases = phrases_of(card.name, card.docstring)
    asked = asked_part(text) if told_by_asking(given.instruction, qubits) else text
    for whole in dict.fromkeys((asked, text)):
        found, clause = _said(whole, phrases, told, given)
        if found or clause:
            return found, clause
    return frozenset(), text


def _said(text: str, phrases: Phrases, told: Meant | None, given: CodeIn) -> tuple[frozenset[str], str]:
    """The phrase that `text` says and where; no phrase if what it says is ruled out, and nothing if it says nothing."""
    clause, qubits = main_clause(text), given.qubits
    mine = told is not None and told.name == given.card.name and told.sure
    for part in (request(clause), unreasoned(clause), clause, text):
        found = phrase_in(part, phrases.asked, qubits)
        if ruled_out(phrases, part, found, nowhere=mine):
            return frozenset(), part
        if found:
            return found, accountable(part if len(part) < len(clause) else clause, found, qubits)
    if told and mine and (found := telling(text, given.card.name, phrases, qubits, told.plain)):
        return found, clause
    return frozenset(), ""


def _objection(clause: str, phrase: frozenset[str], given: CodeIn, got: Assigned) -> str:
    """Why this experiment cannot do all that `clause` asks; empty if it can."""
    found = COUNTED.search(given.instruction)
    if found and not AVERAGED.search(given.instruction[: found.start()]):
        return f"one call measures once, not {found.group().strip()}"
    foreign = strange(clause, phrase, _known(given.card), given.qubits)
    if foreign:
        return f"{given.card.name} has nothing to do with: {', '.join(foreign)}"
    if got.unplaced:
        return f"no parameter of {given.card.name} takes {', '.join(m.text.strip() for m in got.unplaced)}"
    room = places(given.card)
    if room is not None and len(qubits_in(given.instruction, given.qubits)) > room:
        return f"one call measures {'one qubit' if room == 1 else f'{room} qubits'}"
    return ""


def _known(card: ExperimentCard) -> frozenset[str]:
    names = " ".join(parameter.name for parameter in card.parameters)
    described = " ".join(parameter.description for parameter in card.parameters)
    cues = " ".join(cue for parameter in card.parameters for cue in parameter_words(card.name, parameter.name))
    counts = COUNT_WORDS if places(card) != 1 else ""
    return phrases_of(card.name, card.docstring, (names, described, cues, counts)).vocabulary | frozenset(
        map(stem, ("calibrate", "characterize", "tuneup"))
    )


def _call(given: CodeIn, got: Assigned, named: str) -> CodeOut:
    """The call, or what is missing for it."""
    arguments, missing = dict(got.arguments), []
    for parameter in given.card.parameters:
        if parameter.name in QUBIT_PARAMETERS:
            if code := qubit_code(given.instruction, given.qubits, given.variables):
                arguments = {parameter.name: code} | arguments
            elif parameter.required:
                missing.append(parameter.name)
        elif parameter.name in (PARTNER, GROUP):
            if code := _others_code(parameter.name, given):
                arguments[parameter.name] = code
            elif parameter.required:
                missing.append(parameter.name)
        elif parameter.required and parameter.name not in arguments:
            if parameter.name in given.variables:
                arguments[parameter.name] = parameter.name
            else:
                missing.append(parameter.name)
    for mention, fitting in got.ambiguous:
        missing.append(" or ".join(f"{name} = {mention.text.strip()}" for name in fitting))
    arguments = {each.name: arguments[each.name] for each in given.card.parameters if each.name in arguments}
    said = ", ".join(f"{name}={code}" for name, code in arguments.items())
    code = "" if missing else f"{given.card.name}({said})"
    return CodeOut(
        analysis=f"The instruction names {named!r}, which is {given.card.name}; it sets {said or 'nothing'}.",
        named=named,
        applicable=True,
        code=code,
        missing=missing,
        suitable=True,
    )


def qubit_code(instruction: str, qubits: list[str], variables: dict[str, Any]) -> str:
    """The qubit argument as code: as named, else the variable `dut`, else the device's only qubit, else empty."""
    named = qubits_in(instruction, qubits)
    if named:
        return repr(by_role(instruction, named)[0])
    for name in QUBIT_PARAMETERS:
        if isinstance(variables.get(name), str):
            return name
    return repr(qubits[0]) if len(qubits) == 1 else ""


def _others_code(name: str, given: CodeIn) -> str:
    """The other qubit of a pair, or all qubits of a group, as code; empty if the instruction does not name them."""
    named = qubits_in(given.instruction, given.qubits)
    if name == GROUP:
        return repr(",".join(named)) if named else ""
    if isinstance(given.variables.get(name), str):
        return name
    return repr(by_role(given.instruction, named)[1]) if len(named) > 1 else ""


def _no(why: str, named: str = "", applicable: bool = False) -> CodeOut:
    return CodeOut(analysis=why, named=named, applicable=applicable, code="", missing=[], suitable=False)


def _in_phrase(word: str, phrase: frozenset[str]) -> bool:
    root = stem(word)
    return root in phrase or any((len(root) > 2 and part.startswith(root)) or part.endswith(root) for part in phrase)


def _other_qubit(given: CodeIn, code: str, context: CheckContext) -> list[str]:
    """A known qubit in place of the one that the instruction names, or one of several left out."""
    try:
        call = parse_call(code, context.cards, context.variables)
    except CallSyntaxError:
        return []  # reported by the gate "syntax"
    named = qubits_in(given.instruction, given.qubits)
    values = [value for _, value in qubits_of(call.arguments)]
    if wrong := [value for value in values if named and value not in named]:
        return [f"The instruction names {named[0]}, but the call uses {wrong[0]}."]
    known = {*named, *map(str, given.variables.values())}
    if (invented := [value for value in values if value not in known]) and len(given.qubits) > 1:
        return [f"Nothing says that the qubit is {invented[0]}; put `qubit` into `missing`."]
    left_out = [name for name in named if values and name not in values]
    return [f"The instruction also names {name}, which this call leaves out; not suitable." for name in left_out]


TRANSLATE_CODE = AgentCall(
    "lab_calibration.translate_code",
    "lab_calibration/translate_code.md",
    CodeIn,
    CodeOut,
    translate_code_by_rules,
    check_code,
    "general",
)
