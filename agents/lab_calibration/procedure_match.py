"""The procedure translation agent: whether an instruction is an instance of a procedure's title, and of which kind."""

from __future__ import annotations

import re
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.call import AgentCall
from labwright.agents.lab_calibration.qubit_names import qubits_in
from labwright.agents.lab_calibration.recognize import meant
from labwright.agents.lab_calibration.strange import strange
from labwright.agents.lab_calibration.translate_words import (
    accountable,
    main_clause,
    phrase_in,
    phrases_of,
    request,
    ruled_out,
    telling,
)
from labwright.agents.lab_calibration.word_forms import stem, stems, with_joined, words
from labwright.tools.experiments.call import PROCEDURE
from labwright.tools.experiments.check_call import PARTNER, QUBIT_PARAMETERS
from labwright.tools.experiments.stated import stated
from labwright.tools.experiments.wording import names
from labwright.tools.knowledge.procedures import slug_of

# Words that may stand beside any procedure's title without changing what is asked for.
_BESIDE = frozenset(
    map(stem, ("gate", "gates", "complete", "full", "fully", "whole", "entire", "everything", "workflow"))
)
_QUOTED = re.compile(r"\s+(?:of|on|for)?\s*'\w+'")


class ProcedureIn(BaseModel):
    """One instruction for one procedure."""

    instruction: str
    title: str
    parameters: list[str] = Field(description="Names quoted in the title.")
    background: str
    variables: dict[str, Any]
    qubits: list[str]


class Mapped(BaseModel):
    """One parameter of the title and what stands for it."""

    model_config = ConfigDict(extra="forbid")
    name: str
    value: str = Field(description="A qubit, or the value of a variable.")


class ProcedureOut(BaseModel):
    """Analysis first, then the decision."""

    model_config = ConfigDict(extra="forbid")
    analysis: str = Field(description="One to three sentences: whether the instruction asks for this procedure.")
    named: str = Field(description="The words of the instruction that name the task; empty if none do.")
    proper: bool = Field(description="Whether this procedure does what is asked, no less and no more.")
    rewritten: str = Field(description="The title with its parameters replaced; empty if not proper.")
    mapping: list[Mapped] = Field(description="A value for every parameter of the title.")
    missing: list[str] = Field(description="Parameters that nothing tells the value of.")


def translate_procedure_by_rules(given: ProcedureIn) -> ProcedureOut:
    """Proper if the title's words are said and no other word that tells something."""
    bare = _QUOTED.sub("", given.title)
    agent = f"{PROCEDURE}:{slug_of(given.title)}"
    phrases = phrases_of(agent, f"{bare}\n\n{given.background}")
    told = meant(given.instruction, given.qubits) if agent in names() else None
    if told and told.clear and told.name != agent:
        return _improper(f"The instruction does not ask for {bare!r}, but for {told.name}.", "")
    whole = main_clause(given.instruction)
    text = request(whole)
    phrase = phrase_in(text, phrases.asked, given.qubits)
    if not phrase:
        text = whole
        phrase = phrase_in(text, phrases.asked, given.qubits)
    if not phrase and told and told.sure and told.name == agent:
        phrase = telling(text, agent, phrases, given.qubits, told.plain)
    known = frozenset().union(*phrases.asked) | _BESIDE
    foreign = strange(accountable(text, phrase, given.qubits), phrase, known, given.qubits)
    named = " ".join(dict.fromkeys(word for word in words(text) if stem(word) in phrase))
    if not phrase or ruled_out(phrases, text, phrase):
        return _improper(f"The instruction does not ask for {bare!r}.", named)
    if foreign:
        return _improper(f"The instruction asks for more than {bare!r}: {', '.join(foreign)}.", named)
    room = len({*QUBIT_PARAMETERS, PARTNER} & {*given.parameters})
    if stated(given.instruction) or len(qubits_in(text, given.qubits)) > max(room, 1):
        many = "one qubit" if room < 2 else "two qubits"
        return _improper(f"{bare!r} takes no numbers, and {many} at a time.", named)
    values = {name: _value(name, given) for name in given.parameters}
    missing = [name for name, value in values.items() if not value]
    rewritten = given.title
    for name, value in values.items():
        rewritten = rewritten.replace(f"'{name}'", value or f"'{name}'")
    return ProcedureOut(
        analysis=f"The instruction names {named!r}, which is the procedure {bare!r}.",
        named=named,
        proper=True,
        rewritten=rewritten,
        mapping=[Mapped(name=name, value=value) for name, value in values.items() if value],
        missing=missing,
    )


def check_procedure(given: ProcedureIn, answer: ProcedureOut) -> list[str]:
    """Every parameter gets one value, and every value comes from the instruction or the variables."""
    if not answer.proper:
        return []
    found = []
    names = [item.name for item in answer.mapping]
    for name in sorted(set(names) - set(given.parameters)):
        found.append(f"The title has no parameter {name!r}; it has {', '.join(given.parameters) or 'none'}.")
    for name in given.parameters:
        if names.count(name) + answer.missing.count(name) != 1:
            found.append(f"Parameter {name!r} must stand once, in `mapping` or in `missing`.")
    known = {str(value) for value in given.variables.values()} | {given.instruction}
    named = qubits_in(given.instruction, given.qubits)
    for item in answer.mapping:
        if not any(re.search(rf"\b{re.escape(item.value)}\b", text, re.I) for text in known) and named != [item.value]:
            found.append(f"Nothing says that {item.name!r} is {item.value!r}; put it into `missing`.")
        elif item.name in QUBIT_PARAMETERS and named and item.value not in named:
            found.append(f"The instruction names {named[0]}, but {item.name!r} is {item.value!r}.")
    values = {item.value for item in answer.mapping}
    if named and (left_out := [name for name in named if name not in values]):
        found.append(f"The instruction also names {', '.join(left_out)}, which the title has no place for; not proper.")
    if stated(given.instruction):
        numbers = ", ".join(mention.text.strip() for mention in stated(given.instruction))
        found.append(f"A procedure takes no numbers, but the instruction sets {numbers}; it is not proper.")
    absent = set(stems(answer.named)) - with_joined(stems(given.instruction))
    if absent:
        found.append(f"`named` must quote the instruction, which does not say {sorted(absent)}.")
    return found


def procedure_code(slug: str, answer: ProcedureOut) -> str:
    """The candidate code; empty while something is missing."""
    if answer.missing:
        return ""
    return f"{PROCEDURE}({', '.join([repr(slug), *(f'{item.name}={item.value!r}' for item in answer.mapping)])})"


def _value(name: str, given: ProcedureIn) -> str:
    named = qubits_in(given.instruction, given.qubits)
    if name in QUBIT_PARAMETERS and named:
        return named[0]
    if name == PARTNER and len(named) > 1:
        return named[1]
    for known in (name, *(QUBIT_PARAMETERS if name in QUBIT_PARAMETERS else ())):
        if isinstance(given.variables.get(known), str):
            return str(given.variables[known])
    return given.qubits[0] if name in QUBIT_PARAMETERS and len(given.qubits) == 1 else ""


def _improper(why: str, named: str) -> ProcedureOut:
    return ProcedureOut(analysis=why, named=named, proper=False, rewritten="", mapping=[], missing=[])


TRANSLATE_PROCEDURE = AgentCall(
    "lab_calibration.translate_procedure",
    "lab_calibration/translate_procedure.md",
    ProcedureIn,
    ProcedureOut,
    translate_procedure_by_rules,
    check_procedure,
    "general",
)
