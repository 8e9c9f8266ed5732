"""The agent that works out every amount, by tools where they are offered."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.call import AgentCall, Question, Refusal
from labwright.agents.protocol_design.written.planned import Plan, Said, planned
from labwright.agents.protocol_design.written.toolbox import Request, StockVolume, VolumeOfMoles, check_requests
from labwright.tools.liquid_handler.design import Dose, Group
from labwright.tools.liquid_handler.protocol import Made

TOOLS = "tools"


class CalculateIn(BaseModel):
    """A description, what was said so far, and the tools there are."""

    text: str
    said: list[Said]
    tools: list[str] = Field(description="Tools that may be asked for; empty if there are none.")


class CalculateOut(BaseModel):
    """Requests to tools, or the amounts."""

    model_config = ConfigDict(extra="forbid")
    requests: list[Request] = Field(description="Everything to be computed by tools now; empty when done.")
    notes: str = Field(description="When done: the amount of every substance in every vial, with its unit.")


def calculate_by_rules(given: CalculateIn) -> CalculateOut | Question | Refusal:
    """The planner's amounts; tools are asked once for what they can say about them."""
    plan = planned(given.text, given.said)
    if not isinstance(plan, Plan):
        return plan
    requests = requests_for(plan.made) if given.tools and all(one.by != TOOLS for one in given.said) else []
    return CalculateOut(requests=requests, notes="" if requests else amounts_of(plan.made))


def requests_for(made: Made) -> list[Request]:
    """What the tools can compute of a design: volumes of moles, and of stocks of a molarity."""
    found = [one for group in made.design.groups for dose in group.doses for one in _request(dose, group, made)]
    return list({one.model_dump_json(): one for one in found}.values())


def _request(dose: Dose, group: Group, made: Made) -> list[Request]:
    factor = next((one for one in group.factors if one.name == dose.factor), None)
    asked = [one for one in (factor.levels if factor else [dose.amount]) if one is not None and one.value > 0]
    stock = next((one for one in made.design.stocks if one.name == dose.via), None)
    if dose.kind == "molarity" and stock is not None and group.total_volume and stock.basis == "M":
        of, volume = str(stock.concentration), str(group.total_volume)
        return [StockVolume(tool="stock_volume", stock=of, wanted=str(one), volume=volume) for one in asked]
    liquid = made.amounts.cupboard.materials.get(dose.substance)
    if dose.kind == "moles" and liquid is not None and liquid.unit == "uL":
        return [VolumeOfMoles(tool="volume_of_moles", chemical=dose.substance, moles=str(one)) for one in asked]
    return []


def amounts_of(made: Made) -> str:
    """Least and most of every source, for people."""
    lines = []
    for name in (source.name for source in made.protocol.sources):
        values = [vial.additions[name] for vial in made.amounts.vials if name in vial.additions]
        if values:
            unit = made.amounts.cupboard.materials[name].unit
            lines.append(f"{name}: {min(values):g} to {max(values):g} {unit} in {len(values)} vials")
    return "; ".join(lines)


def check_calculation(given: CalculateIn, answer: CalculateOut) -> list[str]:
    """Tools only where there are any, and an end."""
    found = check_requests(given.tools, answer.requests)
    if not answer.requests and not answer.notes.strip():
        found.append("There are neither requests nor notes. Give the amounts, or ask tools for them.")
    return found


CALCULATE = AgentCall(
    "protocol_design.written_calculate",
    "protocol_design/written_calculate.md",
    CalculateIn,
    CalculateOut,
    calculate_by_rules,
    check_calculation,
)
