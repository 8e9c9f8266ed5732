"""Which members of a family run by default."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def sampled(members: Iterable[Any], every: int = 5, name: Callable[[Any], str] | None = None) -> list[Any]:
    """Parameters of a test: one of each `every` members by default, the others where slow tests run.

    Args:
        members: values, or tuples of them for a test with several parameters.
        every: how many members stand for one that runs by default.
        name: what a member is called; pytest's own names without it.
    """
    return [
        pytest.param(
            *(one if isinstance(one, tuple) else (one,)),
            id=name(one) if name else None,
            marks=[pytest.mark.slow] * (number % every > 0),
        )
        for number, one in enumerate(members)
    ]
