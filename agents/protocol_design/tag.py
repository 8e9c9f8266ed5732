"""The tagger: how each addition is dispensed, within what the platform offers for it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.call import AgentCall


class Addition(BaseModel):
    """One Add step, and the ways in which the deck can do it."""

    step: int
    chemical: str
    state: str
    viscosity: str
    volatile: bool
    smallest: float = Field(description="Smallest amount of the step, in `unit`.")
    largest: float
    unit: str
    offered: list[str] = Field(description="Ways that fit state and amount, best first by the platform's rules.")


class TagIn(BaseModel):
    """All additions of a protocol."""

    additions: list[Addition]


class Tagged(BaseModel):
    """The way of one addition."""

    model_config = ConfigDict(extra="forbid")
    step: int
    way: str = Field(description="One of the step's `offered` ways, as written there.")
    reason: str = Field(description="Why, in a few words.")


class TagOut(BaseModel):
    """One way for every addition."""

    model_config = ConfigDict(extra="forbid")
    tags: list[Tagged]


def tag_by_rules(given: TagIn) -> TagOut:
    """The platform's own order of preference."""
    return TagOut(tags=[Tagged(step=one.step, way=one.offered[0], reason=_reason(one)) for one in given.additions])


def _reason(one: Addition) -> str:
    if one.state == "solid":
        return f"{one.chemical} is a solid"
    traits = [trait for trait, holds in (("viscous", one.viscosity == "high"), ("volatile", one.volatile)) if holds]
    return f"{' and '.join(traits) or 'plain'} liquid, {one.smallest:g} to {one.largest:g} {one.unit}"


def check_tags(given: TagIn, answer: TagOut) -> list[str]:
    """One offered way for every addition."""
    offered = {one.step: one.offered for one in given.additions}
    steps = [tag.step for tag in answer.tags]
    found = [f"Step {step} has no way." for step in offered if step not in steps]
    found += [f"Step {step} is tagged more than once." for step in offered if steps.count(step) > 1]
    for tag in answer.tags:
        if tag.step not in offered:
            found.append(f"There is no addition with the step number {tag.step}.")
        elif tag.way not in offered[tag.step]:
            found.append(f"Step {tag.step} cannot be done by {tag.way!r}. Offered: {', '.join(offered[tag.step])}.")
    return found


TAG = AgentCall("protocol_design.tag", "protocol_design/tag.md", TagIn, TagOut, tag_by_rules, check_tags, "light")
