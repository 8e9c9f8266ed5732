"""The reviser: changes the reading by what the checks found, never an amount that the person stated."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.call import AgentCall, Refusal
from labwright.agents.protocol_design.evidence import faults
from labwright.agents.protocol_design.reading import Reading, Settled, amounts_of


class Fault(BaseModel):
    """A finding as the reviser sees it."""

    check: str
    message: str
    mend: str


class ReviseIn(BaseModel):
    """A reading whose protocol has faults."""

    text: str
    settled: list[Settled]
    reading: Reading
    findings: list[Fault]


class ReviseOut(BaseModel):
    """The mended reading."""

    model_config = ConfigDict(extra="forbid")
    analysis: str = Field(description="One or two sentences: what was changed and why.")
    reading: Reading


def revise_by_rules(given: ReviseIn) -> ReviseOut | Refusal:
    """Close the vials where that is the mend; everything else is a person's decision."""
    names = [fault.check for fault in given.findings]
    if given.reading.cap is False and names and all("cap" in name or "volatile" in name for name in names):
        reading = given.reading.model_copy(update={"cap": True})
        return ReviseOut(analysis="The vials are capped, as the findings ask.", reading=reading)
    return Refusal(reason=" ".join(fault.message for fault in given.findings))


def check_revision(given: ReviseIn, answer: ReviseOut) -> list[str]:
    """A real change; nothing invented, and no stated number lost."""
    found = faults(given.text, given.settled, answer.reading)
    if answer.reading == given.reading:
        found.append("The reading is unchanged; mend what the findings say, or refuse.")
    kept = [(amount.value, amount.unit) for amount in amounts_of(answer.reading)]
    lost = [item for item in amounts_of(given.reading) if (item.value, item.unit) not in kept]
    found += [f"The stated amount {item.value:g} {item.unit} ({item.words!r}) is gone; keep it." for item in lost]
    return found


REVISE = AgentCall(
    "protocol_design.revise",
    "protocol_design/revise.md",
    ReviseIn,
    ReviseOut,
    revise_by_rules,
    check_revision,
    "reasoning",
)
