"""In which tier each member of a family runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def sampled(
    members: Iterable[Any],
    every: int = 5,
    name: Callable[[Any], str] | None = None,
    marks: tuple[str, str] = ("", "slow"),
) -> list[Any]:
    """Parameters of a test: one of each `every` members by default, the others where slow tests run.

    Args:
        members: values, or tuples of them for a test with several parameters.
        every: how many members stand for one that runs by default.
        name: what a member is called; pytest's own names without it.
        marks: of the one, and of the others; empty for none.
    """
    return [
        pytest.param(
            *(one if isinstance(one, tuple) else (one,)),
            id=name(one) if name else None,
            marks=[getattr(pytest.mark, mark) for mark in [marks[number % every > 0]] if mark],
        )
        for number, one in enumerate(members)
    ]
