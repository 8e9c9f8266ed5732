"""One agent that does everything: understands, computes, arranges and writes the steps."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.call import AgentCall, Question, Refusal
from labwright.agents.protocol_design.similar import Similar
from labwright.agents.protocol_design.written.calculate import TOOLS, requests_for
from labwright.agents.protocol_design.written.judged import faults
from labwright.agents.protocol_design.written.planned import Plan, Said, planned
from labwright.agents.protocol_design.written.tagged import tagged
from labwright.agents.protocol_design.written.toolbox import Request, check_requests


class SingleIn(BaseModel):
    """A description, what was said so far, the tools there are, and what was done before in like cases."""

    text: str
    said: list[Said]
    tools: list[str] = Field(description="Tools that may be asked for; empty if there are none.")
    similar: list[Similar]


class SingleOut(BaseModel):
    """Requests to tools, or the whole protocol."""

    model_config = ConfigDict(extra="forbid")
    requests: list[Request] = Field(description="Everything to be computed by tools now; empty when done.")
    steps: str = Field(description="When done: the protocol in the tagged form; empty while tools are asked.")


def single_by_rules(given: SingleIn) -> SingleOut | Question | Refusal:
    """The planner's steps, written out; tools are asked once before."""
    plan = planned(given.text, given.said)
    if not isinstance(plan, Plan):
        return plan
    requests = requests_for(plan.made) if given.tools and all(one.by != TOOLS for one in given.said) else []
    return SingleOut(requests=requests, steps="" if requests else tagged(plan.made))


def check_single(given: SingleIn, answer: SingleOut) -> list[str]:
    """Tools only where there are any; else steps that read."""
    found = check_requests(given.tools, answer.requests)
    return found if found or answer.requests else faults(answer.steps)


SINGLE = AgentCall(
    "protocol_design.written_single",
    "protocol_design/written_single.md",
    SingleIn,
    SingleOut,
    single_by_rules,
    check_single,
)
