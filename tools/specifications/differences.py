"""What differs between two specifications, path by path."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Difference = tuple[str, Any, Any]
ABSENT = None


def differences(a: Any, b: Any, path: str = "") -> Iterator[Difference]:
    """(path, value in `a`, value in `b`) of each field that differs; None where one has no such field.

    >>> list(differences({"steps": ["t1 Q1"]}, {"steps": ["t1 Q2"], "seed": 3}))
    [('steps.0', 't1 Q1', 't1 Q2'), ('seed', None, 3)]
    """
    if _both(a, b, dict):
        a, b = a or {}, b or {}
        for name in dict.fromkeys([*a, *b]):
            yield from differences(a.get(name, ABSENT), b.get(name, ABSENT), f"{path}.{name}" if path else str(name))
    elif _both(a, b, list):
        for at in range(max(len(a or []), len(b or []))):
            one, other = (each[at] if each and at < len(each) else ABSENT for each in (a, b))
            yield from differences(one, other, f"{path}.{at}" if path else str(at))
    elif a != b or type(a) is not type(b):
        yield path, a, b


def _both(a: Any, b: Any, kind: type) -> bool:
    """Whether both are of a kind, or one is and the other is not there."""
    return isinstance(a if a is not ABSENT else b, kind) and isinstance(b if b is not ABSENT else a, kind)
