"""Whether a request is for one qubit after the other, or for the whole chip: and then what each of its qubits gets."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.call import AgentCall, Question, Refusal
from labwright.agents.lab_calibration import couplers, language
from labwright.agents.lab_calibration.numbers import numbers_in, unsupported

DUT = "'dut'"  # stands for the qubit in the instruction, as in a procedure's title
CHIP = re.compile(
    r"\b(?:(?:all|the|this|our|my|whole|entire|full|complete) )*(?:whole |entire |full |complete )?"
    r"(?:chip|device|processor|qpu|lattice|grid|array)\b",
    re.IGNORECASE,
)
EVERY = re.compile(
    rf"(?:{language.ALL_QUBITS.pattern}|\b(?:all (?:of )?(?:its|\d+|\w+teen|three|two) qubits|(?:its|the) qubits)\b)",
    re.IGNORECASE,
)
TOGETHER = re.compile(
    r",?\s*\b(?:in parallel|at the same time|simultaneously|concurrently|side by side|at once|together)\b",
    re.IGNORECASE,
)
EXCEPT = re.compile(r",?\s*\b(?:except(?: for| of)?|but not|but|without|other than|leaving out|apart from)\b", re.I)
UPKEEP = re.compile(
    r"^(?:please |now |also |just )*"
    r"(?:keep|maintain|refresh|update|bring|check|see|find out|look|(?:re-?)?(?:calibrate|measure|tune)"
    r"|do maintenance)\b"
    r"(?:.*\b(?:calibrated|in (?:spec|tune|shape)|up to date|tuned|stale|drifted|out of (?:spec|date)|expired|outdated"
    r"|fresh|still (?:good|valid))\b|(?<=maintain)|(?<=refresh)|(?<=maintenance))",
    re.IGNORECASE,
)
# Whoever asks for a chip that works, in whatever words, asks for all that it takes.
READY = re.compile(
    r"\b(?:ready|commission|operational|usable|up and running|from scratch|set up|start up|initiali[sz]e|working state"
    r"|bring(?:ing)?[- ]up|bring\b.*\bup)\b",
    re.IGNORECASE,
)
TUNE = re.compile(r"\b(?:re)?(?:calibrat|tun)\w*\b", re.IGNORECASE)


class ScopeIn(BaseModel):
    """A request, and the qubits there are."""

    request: str
    qubits: list[str] = Field(description="The device's qubits.")
    chosen: list[str] = Field(description="Qubits that were chosen beside the text; empty if none.")
    couplers: list[str] = Field(default_factory=list, description="The device's coupled pairs, such as Q1-Q2.")


class ScopeOut(BaseModel):
    """How the request is gone about."""

    model_config = ConfigDict(extra="forbid")
    scope: Literal["chip", "maintain", "steps"] = Field(
        description="chip: the same for several qubits, independently. maintain: measure only what has gone stale."
        " steps: anything else, done step by step."
    )
    qubits: list[str] = Field(description="The qubits that are meant, in the device's order; empty for steps.")
    instruction: str = Field(
        description="For chip: what each qubit gets, close to the original wording, with 'dut' in place of the qubit."
        " Else empty."
    )
    couplers: list[str] = Field(
        default_factory=list,
        description="For chip: the coupled pairs whose two-qubit gate is to be calibrated as well; empty if the request"
        " asks for none.",
    )


STEPS = ScopeOut(scope="steps", qubits=[], instruction="")


def may_be_for_the_chip(request: str, qubits: list[str]) -> bool:
    """Whether it is worth asking for the scope of `request`: whoever names a qubit mostly wants that qubit."""
    marks = (EVERY, CHIP, TOGETHER, UPKEEP)
    return not language.qubits_named(request, qubits) or any(mark.search(request) for mark in marks)


def scope_by_rules(given: ScopeIn) -> ScopeOut | Question | Refusal:
    """One thing for the chip or several named qubits at once, and for chosen couplers; upkeep; else steps."""
    text = " ".join(given.request.split()).rstrip(" .!")
    if told := couplers.parted(text):
        whole = _scope(given, told[0])
        if whole.scope == "chip":
            chosen = couplers.couplers_meant(told[1], told[2], given.couplers, whole.qubits)
            return chosen if isinstance(chosen, Refusal) else whole.model_copy(update={"couplers": chosen})
    return _scope(given, text)


def _scope(given: ScopeIn, text: str) -> ScopeOut:
    """The scope of a request that does not speak of couplers."""
    meant = _meant(given, text)
    if UPKEEP.search(text) and (meant or not language.qubits_named(text, given.qubits)):
        return ScopeOut(scope="maintain", qubits=meant or given.qubits, instruction="")
    if len(meant) < 2 or re.search(r"[.;!?]\s+\S", text) or _divided(text, given.qubits):
        return STEPS
    return ScopeOut(scope="chip", qubits=meant, instruction=_instruction(text, given.qubits))


def _meant(given: ScopeIn, text: str) -> list[str]:
    """The qubits that the text asks to treat alike and independently; empty if it does not."""
    named, left_out = language.qubits_named(text, given.qubits), list[str]()
    if found := EXCEPT.search(text):
        left_out = language.qubits_named(text[found.end() :], given.qubits)
        named = language.qubits_named(text[: found.start()], given.qubits)
    whole = bool(CHIP.search(text) or EVERY.search(text))
    if named and (TOGETHER.search(text) or UPKEEP.search(text)):
        chosen = named
    elif whole and not named:
        chosen = given.chosen or given.qubits
    elif not named and len(given.chosen) > 1 and TOGETHER.search(text):
        chosen = given.chosen
    else:
        return []
    return [name for name in given.qubits if name in chosen and name not in left_out]


def _divided(text: str, qubits: list[str]) -> bool:
    """Whether a later order is for other qubits than the first: "calibrate all qubits and measure T1 of Q3"."""
    orders = language.orders(_without_exceptions(text))
    return any(language.qubits_named(order, qubits) for order in orders[1:])


def _without_exceptions(text: str) -> str:
    """The text without what follows "except"."""
    found = EXCEPT.search(text)
    return text if found is None else text[: found.start()]


def _instruction(text: str, qubits: list[str]) -> str:
    """The request as an order for one qubit."""
    text = TOGETHER.sub("", _without_exceptions(text))
    if READY.search(text) and not TUNE.search(READY.sub("", text)):
        return f"Bring up qubit {DUT}"
    text = (
        re.sub(rf"\s+(?:of|on|for|in) (?:{CHIP.pattern})", "", text, flags=re.IGNORECASE)
        if EVERY.search(text)
        else text
    )
    name = "|".join(re.escape(each) for each in sorted(qubits, key=len, reverse=True))
    listed = rf"(?:qubits?\s+)?\b(?:{name})\b(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?:qubits?\s+)?(?:{name})\b)*"
    for pattern in (EVERY.pattern, listed, CHIP.pattern):
        replaced, count = re.subn(pattern, f"qubit {DUT}", text, count=1, flags=re.IGNORECASE)
        if count:
            text = replaced
            break
    text = re.sub(r"\b(?:them all|all of them|each of them|them|each one|each)\b", "it", text, flags=re.IGNORECASE)
    return re.sub(r"\s{2,}", " ", text).strip(" ,")


def check_scope(given: ScopeIn, answer: ScopeOut) -> list[str]:
    """Only qubits of the device; an instruction that says no more than the request, and that names no qubit."""
    found = []
    if strangers := [name for name in answer.qubits if name not in given.qubits]:
        found.append(f"The device has no qubit {strangers[0]!r}.")
    if len(set(answer.qubits)) < len(answer.qubits):
        found.append("A qubit is listed twice.")
    if answer.scope == "steps":
        return (
            [*found, "For steps, `qubits`, `instruction` and `couplers` are empty."]
            if answer.qubits or answer.instruction or answer.couplers
            else found
        )
    found += _coupler_faults(given, answer)
    if not answer.qubits:
        found.append("At least one qubit must be meant.")
    if answer.scope == "maintain":
        return [*found, "For maintain, `instruction` is empty."] if answer.instruction else found
    if DUT not in answer.instruction:
        found.append(f"The instruction must have {DUT} in place of the qubit.")
    if named := language.qubits_named(answer.instruction, given.qubits):
        found.append(f"The instruction names {named[0]}; write {DUT}.")
    if invented := unsupported(answer.instruction, numbers_in(given.request)):
        found.append(f"The instruction has numbers that the request does not: {', '.join(invented)}.")
    return found


def _coupler_faults(given: ScopeIn, answer: ScopeOut) -> list[str]:
    """Couplers that the device does not have, whose qubits are not worked on, or that nobody asked for."""
    found = [f"The device has no coupler {name!r}." for name in answer.couplers if name not in given.couplers]
    for name in answer.couplers:
        if idle := [qubit for qubit in name.split("-") if qubit not in answer.qubits]:
            found.append(f"The coupler {name} needs {idle[0]}, which is not among `qubits`.")
    if answer.couplers and couplers.parted(" ".join(given.request.split())) is None:
        found.append("The request asks for no couplers; leave `couplers` empty.")
    if answer.couplers and answer.scope == "maintain":
        found.append("For maintain, `couplers` is empty.")
    return found


READ_SCOPE = AgentCall(
    "lab_calibration.read_scope",
    "lab_calibration/read_scope.md",
    ScopeIn,
    ScopeOut,
    scope_by_rules,
    check_scope,
    "general",
)
