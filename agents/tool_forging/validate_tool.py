"""The validator: a contract of a general tool passes, a script of one task in a tool's clothes does not."""

from __future__ import annotations

import re

from pydantic import BaseModel, Field

from labwright.agents.call import AgentCall
from labwright.tools.forge.contract import ToolContract


class ValidateIn(BaseModel):
    """Contracts that the analyser asks for."""

    task: str = Field(description="Text of question.md, to see what of it went into the contracts.")
    contracts: list[ToolContract]


class Verdict(BaseModel):
    """Whether one contract is of a general tool."""

    name: str = Field(description="Name of the tool.")
    general: bool = Field(description="Whether another task of the field could use it as it is.")
    reason: str = Field(description="Why, in one sentence; for one that is not general: what to make an input.")


class Validation(BaseModel):
    """A verdict for each contract."""

    verdicts: list[Verdict]


# A whole task's work under one name.
_WHOLE = re.compile(
    r"(?:^|_)(?:task|main|pipeline|workflow|script|question|report|everything|all_results|solve_all)(?:_|$)"
)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e[+-]?\d+)?(?!\w|\.\d)", re.I)
_TRIVIAL = frozenset({"0", "1", "2", "3", "4", "10", "100", "0.5", "1.0", "2.0", "0.0"})  # of formulas, of no task


def validate_by_rules(given: ValidateIn) -> Validation:
    """A tool has inputs and outputs, no number of the task in its contract, and does not write the report."""
    return Validation(verdicts=[_verdict(one, given.task) for one in given.contracts])


def _verdict(contract: ToolContract, task: str) -> Verdict:
    baked = sorted(_numbers(contract.purpose) & _numbers(task))
    if _WHOLE.search(contract.name):
        reason = "Its name is that of a whole task; name one calculation that other tasks share."
    elif not contract.inputs:
        reason = "It takes no input, so it can only ever do one thing; make inputs of what it fixes."
    elif not contract.outputs:
        reason = "It gives no output; let it return what it finds, and let a script write files."
    elif baked:
        reason = f"Its purpose fixes {', '.join(baked)} of the task; make an input of it."
    else:
        return Verdict(name=contract.name, general=True, reason="Everything that a task brings is an input.")
    return Verdict(name=contract.name, general=False, reason=reason)


def _numbers(text: str) -> set[str]:
    return set(_NUMBER.findall(text)) - _TRIVIAL


def check_validation(given: ValidateIn, answer: Validation) -> list[str]:
    """One verdict for each contract, each with a reason."""
    asked, said = [one.name for one in given.contracts], [one.name for one in answer.verdicts]
    found = [f"{name} has no verdict." for name in asked if name not in said]
    found += [f"There is no contract {name}." for name in said if name not in asked]
    found += [f"{name} has several verdicts." for name in dict.fromkeys(said) if said.count(name) > 1]
    return found + [f"The verdict on {one.name} has no reason." for one in answer.verdicts if not one.reason.strip()]


VALIDATE = AgentCall(
    "tool_forging.validate_tool",
    "tool_forging/validate_tool.md",
    ValidateIn,
    Validation,
    validate_by_rules,
    check_validation,
    "light",
)
