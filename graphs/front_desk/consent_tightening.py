"""What a person asked for in words about consent: stricter terms for the conversation, until they take that back."""

from __future__ import annotations

from dataclasses import fields
from typing import get_args

from labwright.agents.front_desk.actions import Consent
from labwright.agents.meter import Budget
from labwright.graphs.front_desk.permissions import Terms
from labwright.graphs.questions import Approval
from labwright.tools.errors import InputError

TIGHTENED = ("approval", "budget")
POLICIES: tuple[str, ...] = get_args(Approval)  # auto, risky, always: from the loosest to the strictest


def tightened(terms: Terms, stricter: dict[str, str]) -> Terms:
    """`terms` with each that was tightened, as long as the person has not set the same one anew by a command."""
    plain = terms.model_dump()
    held = {name: stricter[name] for name in TIGHTENED if stricter.get(f"under {name}") == plain[name]}
    return Terms.model_validate({**plain, **held})


def tighten(terms: Terms, stricter: dict[str, str], wish: Consent) -> dict[str, str]:
    """What is tightened after `wish`.

    Raises:
        InputError: it would loosen what was granted, or is no budget.
    """
    now = tightened(terms, stricter)
    found = {"approval": now.approval, "budget": now.budget}
    found |= {f"under {name}": str(getattr(terms, name)) for name in TIGHTENED}
    if wish.approval == "granted":
        found["approval"] = terms.approval
    elif wish.approval:
        if POLICIES.index(wish.approval) < POLICIES.index(now.approval):
            raise InputError(f"Words cannot loosen what runs ask for. Type: /approve {wish.approval}")
        found["approval"] = wish.approval
    if wish.budget:
        found["budget"] = _least(Budget.parse(now.budget), Budget.parse(wish.budget))
    return found


def _least(one: Budget, other: Budget) -> str:
    """The smaller of each limit of two budgets."""
    limits = {each.name: (getattr(one, each.name), getattr(other, each.name)) for each in fields(Budget)}
    known = {name: [value for value in both if value is not None] for name, both in limits.items()}
    return ",".join(f"{name}={min(values)}" for name, values in known.items() if values)
