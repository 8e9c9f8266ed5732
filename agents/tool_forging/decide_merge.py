"""The merger's decision: whether tools that look alike shall be one, and what that one is."""

from __future__ import annotations

from pydantic import BaseModel, Field

from labwright.agents.call import AgentCall
from labwright.tools.forge.contract import ToolContract


class Similar(BaseModel):
    """A tool of a cluster."""

    contract: ToolContract
    source: str = Field(description="Its source.")


class MergeDecisionIn(BaseModel):
    """Tools that look alike."""

    tools: list[Similar] = Field(min_length=2)


class MergeDecision(BaseModel):
    """What becomes of the cluster."""

    merge: bool
    tools: list[str] = Field(description="Names of those that become one, at least two; empty if nothing is merged.")
    into: ToolContract | None = Field(description="Contract of the one; it may bear the name of one of them.")
    reason: str = Field(description="What they share and what tells them apart, in one or two sentences.")


def decide_by_rules(given: MergeDecisionIn) -> MergeDecision:
    """Only where one tool does all that another does: same package, same outputs, every input of the other and more."""
    contracts = [one.contract for one in given.tools]
    for large in contracts:
        within = [small for small in contracts if small is not large and _does_all(large, small)]
        if within:
            names = [large.name, *(small.name for small in within)]
            return MergeDecision(
                merge=True,
                tools=names,
                into=large,
                reason=f"{large.name} takes every input of {', '.join(names[1:])} and gives the same outputs.",
            )
    return MergeDecision(
        merge=False, tools=[], into=None, reason="None of them takes all inputs of another and gives the same outputs."
    )


def _does_all(large: ToolContract, small: ToolContract) -> bool:
    takes = {(one.name, one.type, one.unit) for one in small.inputs} <= {
        (one.name, one.type, one.unit) for one in large.inputs
    }
    gives = {(one.name, one.unit) for one in small.outputs} <= {(one.name, one.unit) for one in large.outputs}
    equal = len(large.inputs) == len(small.inputs) and len(large.outputs) == len(small.outputs)
    return large.package == small.package and takes and gives and (not equal or large.name < small.name)


def check_decision(given: MergeDecisionIn, answer: MergeDecision) -> list[str]:
    """A merge names at least two tools of the cluster and a contract that loses none of their outputs."""
    if not answer.reason.strip():
        return ["The decision has no reason."]
    if not answer.merge:
        return ["Nothing is merged, so `tools` is empty and `into` null."] if answer.tools or answer.into else []
    contracts = {one.contract.name: one.contract for one in given.tools}
    found = [f"There is no tool {name} in the cluster." for name in answer.tools if name not in contracts]
    if len(set(answer.tools)) < 2 or answer.into is None:
        return [*found, "A merge names at least two tools and the contract of the one that they become."]
    kept = {one.name for one in answer.into.outputs}
    for name in answer.tools:
        lost = sorted({one.name for one in contracts[name].outputs} - kept) if name in contracts else []
        if lost:
            found.append(f"The merged tool loses {', '.join(lost)} of {name}.")
    others = set(contracts) - set(answer.tools)
    if answer.into.name in others:
        found.append(f"{answer.into.name} is the name of a tool that is not merged.")
    return found


DECIDE_MERGE = AgentCall(
    "tool_forging.decide_merge",
    "tool_forging/decide_merge.md",
    MergeDecisionIn,
    MergeDecision,
    decide_by_rules,
    check_decision,
    "general",
)
