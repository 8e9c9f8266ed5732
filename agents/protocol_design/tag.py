"""The tagger: how each addition is dispensed, within what the platform offers for it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.call import AgentCall


class Way(BaseModel):
    """One way in which the deck can do an addition."""

    way: str
    purpose: str = Field(description="What it is and what it is for.")
    least: float = Field(description="Smallest amount of one vial that it doses well, in the addition's unit.")
    most: float | None = Field(description="Largest amount that it doses in one go; null if there is no limit.")
    suits: bool = Field(description="All amounts of the addition lie between the two.")


class Addition(BaseModel):
    """One Add step, and the ways in which the deck can do it."""

    step: int
    chemical: str
    state: str
    viscosity: str
    volatile: bool
    mixes_with_water: bool | None = Field(description="Null for a solid.")
    smallest: float = Field(description="Smallest amount of the step, in `unit`.")
    largest: float
    unit: str
    small: bool = Field(description="The smallest amount is below what the syringe pump doses well.")
    offered: list[Way] = Field(description="Ways that fit state and substance, best first by the platform's rules.")


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
    """The platform's own order of preference, among the ways that suit the amounts."""
    return TagOut(tags=[Tagged(step=one.step, way=_best(one), reason=_reason(one)) for one in given.additions])


def _best(one: Addition) -> str:
    return next((way for way in one.offered if way.suits), one.offered[0]).way


def _reason(one: Addition) -> str:
    if one.state == "solid":
        return f"{one.chemical} is a solid"
    known = (
        ("viscous", one.viscosity == "high"),
        ("volatile", one.volatile),
        ("not miscible with water", one.mixes_with_water is False),
    )
    traits = [trait for trait, holds in known if holds]
    return f"{' and '.join(traits) or 'plain'} liquid, {one.smallest:g} to {one.largest:g} {one.unit}"


def check_tags(given: TagIn, answer: TagOut) -> list[str]:
    """One offered way for every addition, and one that suits its amounts if there is any."""
    offered = {one.step: one for one in given.additions}
    steps = [tag.step for tag in answer.tags]
    found = [f"Step {step} has no way." for step in offered if step not in steps]
    found += [f"Step {step} is tagged more than once." for step in offered if steps.count(step) > 1]
    for tag in answer.tags:
        if tag.step not in offered:
            found.append(f"There is no addition with the step number {tag.step}.")
        else:
            found += _unfit(offered[tag.step], tag.way)
    return found


def _unfit(one: Addition, chosen: str) -> list[str]:
    """Why a way is none for an addition."""
    way = next((way for way in one.offered if way.way == chosen), None)
    if way is None:
        names = ", ".join(each.way for each in one.offered)
        return [f"Step {one.step} cannot be done by {chosen!r}. Offered: {names}."]
    better = [each.way for each in one.offered if each.suits]
    if way.suits or not better:
        return []
    text = f"Step {one.step}: {chosen!r} does not dose all of {one.smallest:g} to {one.largest:g} {one.unit} well."
    return [f"{text} Take one whose `suits` is true: {', '.join(better)}."]


TAG = AgentCall("protocol_design.tag", "protocol_design/tag.md", TagIn, TagOut, tag_by_rules, check_tags, "light")
