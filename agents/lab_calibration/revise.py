"""The reviser: mends a call by what the checks found."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.call import AgentCall, Mind, Refusal, Runtime
from labwright.agents.errors import AgentGaveUp
from labwright.tools.errors import CallSyntaxError
from labwright.tools.experiments.call import PROCEDURE, ExperimentCard, parse_call
from labwright.tools.experiments.check_call import CheckContext, check, repair

if TYPE_CHECKING:
    from labwright.agents.lab_calibration.translate import Library

GATES = ("syntax", "argument_names", "types", "unsupported_numbers")  # no revision may break these


class Fault(BaseModel):
    """A finding as the reviser sees it."""

    check: str
    message: str
    mend: str


class ReviseIn(BaseModel):
    """A call and what is wrong with it."""

    instruction: str
    code: str
    findings: list[Fault]
    card: ExperimentCard
    variables: dict[str, Any]
    qubits: list[str]
    trusted: list[float] = Field(description="Numbers that need no support by the instruction.")


class ReviseOut(BaseModel):
    """The mended call."""

    model_config = ConfigDict(extra="forbid")
    analysis: str = Field(description="One or two sentences: what was changed and why.")
    code: str = Field(description="The whole mended call of the same experiment.")


def revise_by_rules(given: ReviseIn) -> ReviseOut | Refusal:
    """Apply the mends that are computable; refuse where judgement is needed."""
    mends = [fault.mend for fault in given.findings]
    try:
        code = repair(given.code, mends, _context(given))
    except CallSyntaxError:
        code = ""
    if not code:
        return Refusal(reason=" ".join(fault.message for fault in given.findings))
    return ReviseOut(analysis=f"Applied: {' '.join(mends)}", code=code)


def check_revision(given: ReviseIn, answer: ReviseOut) -> list[str]:
    """The same experiment, a real change, and nothing invented."""
    context = _context(given)
    found = [item.message for name in GATES for item in check(name, answer.code, context)]
    if answer.code.strip() == given.code.strip():
        found.append("The call is unchanged; mend what the findings say, or refuse.")
    return found


def revise_call(
    mind: Mind,
    code: str,
    findings: Sequence[Mapping[str, object]],
    context: CheckContext,
    library: Library,
    on_event: Callable[[dict[str, object]], None] | None = None,
) -> str:
    """The mended code; empty if it cannot be mended."""
    card = _card_of(code, library.cards, context)
    if card is None:
        return ""
    given = ReviseIn(
        instruction=context.instruction,
        code=code,
        findings=[
            Fault(check=str(item["check"]), message=str(item["message"]), mend=str(item["mend"])) for item in findings
        ],
        card=card,
        variables=dict(context.variables),
        qubits=list(context.qubits),
        trusted=list(context.trusted),
    )
    try:
        answer = mind.answer(REVISE, given, Runtime(on_event=on_event))
    except AgentGaveUp:  # the findings stand; the caller shows them
        return ""
    return answer.code if isinstance(answer, ReviseOut) else ""


def _card_of(code: str, cards: Mapping[str, ExperimentCard], context: CheckContext) -> ExperimentCard | None:
    """The card of the experiment that `code` calls, even if the call is malformed."""
    try:
        return cards[parse_call(code, cards, context.variables).experiment]
    except CallSyntaxError:
        match = re.search(rf"{PROCEDURE}\(\s*['\"]([\w-]+)|(\w+)\s*\(", code)
        name = (f"{PROCEDURE}:{match[1]}" if match[1] else match[2]) if match else ""
        return cards.get(name)


def _context(given: ReviseIn) -> CheckContext:
    return CheckContext(
        given.instruction,
        {given.card.name: given.card},
        given.variables,
        tuple(given.qubits),
        tuple(given.trusted),
    )


REVISE = AgentCall(
    "lab_calibration.revise_call",
    "lab_calibration/revise_call.md",
    ReviseIn,
    ReviseOut,
    revise_by_rules,
    check_revision,
    "general",
)
