"""The agent that says which vials stand on which plate."""

from __future__ import annotations

from pydantic import BaseModel

from labwright.agents.call import AgentCall, Question, Refusal
from labwright.agents.protocol_design.written.planned import Plan, Said, planned
from labwright.agents.protocol_design.written.understand import Notes


class ArrangeIn(BaseModel):
    """A description, and what was said and worked out so far."""

    text: str
    said: list[Said]


def arrange_by_rules(given: ArrangeIn) -> Notes | Question | Refusal:
    """The planner's plates."""
    plan = planned(given.text, given.said)
    if not isinstance(plan, Plan):
        return plan
    plates = [f"{one.name}: {one.rows} x {one.columns}, {one.vial / 1000:g} mL" for one in plan.made.protocol.plates]
    return Notes(notes=f"{'; '.join(plates)}. Vials stand row by row.")


ARRANGE = AgentCall(
    "protocol_design.written_arrange", "protocol_design/written_arrange.md", ArrangeIn, Notes, arrange_by_rules
)
