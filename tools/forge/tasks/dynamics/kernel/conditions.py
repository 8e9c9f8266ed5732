"""Which cases a demand is meant for: ``where: evolution == lindblad and gamma < 0.5``."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from .cases import Case, Label
from .expressions import parsed
from .quantities import CardError, within


def chosen(where: str, case: Case, axes: Mapping[str, set[Label]]) -> bool:
    """Whether a case is meant.

    Args:
        axes: label -> its values in all cases.

    Raises:
        CardError: the condition names no label or no value of one.
    """
    if not where:
        return True
    with within("where"):
        found = _holds(parsed(where), case, axes)
    return bool(found)


def _holds(node: ast.expr, case: Case, axes: Mapping[str, set[Label]]) -> bool:
    if isinstance(node, ast.BoolOp):
        parts = [_holds(one, case, axes) for one in node.values]
        return all(parts) if isinstance(node.op, ast.And) else any(parts)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return not _holds(node.operand, case, axes)
    if (
        not isinstance(node, ast.Compare)
        or len(node.ops) != 1
        or not isinstance(node.left, ast.Name)
        or node.left.id not in axes
    ):
        raise CardError(
            f"It is no condition on {', '.join(axes) or 'cases, of which there is one'}.",
            "Write evolution == lindblad, or gamma < 0.5 and initial != minus.",
        )
    name, right, op = node.left.id, node.comparators[0], node.ops[0]
    value: Any = right.id if isinstance(right, ast.Name) else getattr(right, "value", None)
    if isinstance(right, ast.UnaryOp) and isinstance(right.op, ast.USub) and isinstance(right.operand, ast.Constant):
        value = -right.operand.value  # type: ignore[operator]
    have = case.labels.get(name)
    texts = {str(one): one for one in axes[name]}
    if isinstance(op, ast.Eq | ast.NotEq):
        if str(value) not in texts and value not in axes[name]:
            raise CardError(
                f"{name} is never {value!r}.", f"It is one of {', '.join(map(str, list(axes[name])[:12]))}."
            )
        return (have == value or str(have) == str(value)) == isinstance(op, ast.Eq)
    if not isinstance(value, int | float) or not all(isinstance(one, int | float) for one in axes[name]):
        raise CardError(f"{name} has no order.", "Use == and != for labels.")
    if have is None:
        return False
    assert isinstance(have, int | float)
    return {ast.Lt: have < value, ast.LtE: have <= value, ast.Gt: have > value, ast.GtE: have >= value}.get(
        type(op), False
    )


def axes_of(cases: Sequence[Case]) -> dict[str, set[Label]]:
    """Label -> its values."""
    axes: dict[str, set[Label]] = {}
    for case in cases:
        for name, label in case.labels.items():
            axes.setdefault(name, set()).add(label)
    return axes
