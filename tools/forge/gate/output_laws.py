"""The check ``invariants``, general part: laws that follow from what a field of the output is called.

A field is held to a law only where its name, or the unit-less words of its description, leave no doubt. The tests'
own invariants say the rest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.tools.forge.toolset.contract import Parameter, ToolContract

SLACK = 1e-6  # numerical noise that is still no breach
_FRACTION = re.compile(r"(^|_)(fidelity|fidelities|purity|purities|probability|probabilities|concurrence|visibility)$")
_POPULATION = re.compile(r"(^|_)populations?$")
_NOT_FRACTION = re.compile(r"mulliken|lowdin|orbital|electron|number|log|infidelity|relative", re.IGNORECASE)
_ENTROPY = re.compile(r"(^|_)(entropy|entropies)$")
_CHANGE = re.compile(r"reaction|activation|formation|transition|excess|change|difference|relative|conditional")
_DENSITY = re.compile(r"(^|_)(density_matrix|density_matrices|rho)$")
_UNITARY = re.compile(r"(^|_)unitary$")
_VARIANCE = re.compile(r"(^|_)(variance|variances|std|standard_deviation|standard_error|uncertainty)$")
_DISTRIBUTION = re.compile(r"(^|_)probabilities$")


def broken_laws(contract: ToolContract, outputs: list[str]) -> Iterator[str]:
    """What is physically impossible in some outputs of a tool; one line a field.

    Args:
        contract: of the tool.
        outputs: JSON texts.
    """
    values = [json.loads(text) for text in outputs if text]
    for field in contract.outputs:
        for one in values:
            wrong = _wrong(field, one.get(field.name)) if isinstance(one, dict) else ""
            if wrong:
                yield f"`{field.name}` {wrong}"
                break


def _wrong(field: Parameter, value: Any) -> str:
    numbers = _numbers(value)
    if numbers is None or numbers.size == 0:
        return ""
    name, words = field.name.lower(), f"{field.name} {field.description}"
    real = numbers if numbers.dtype.kind == "f" else numbers.real
    if _DENSITY.search(name):
        return _density(numbers)
    if _UNITARY.search(name):
        return _unitary(numbers)
    plain = field.unit.strip().lower() in ("", "1", "-") and not _NOT_FRACTION.search(words)
    if plain and (_FRACTION.search(name) or _POPULATION.search(name)):
        if real.min() < -SLACK or real.max() > 1 + SLACK:
            return f"lies between {real.min():.6g} and {real.max():.6g}, but must stay between 0 and 1."
        if _DISTRIBUTION.search(name) and "excit" not in words and real.ndim == 1 and "distribution" in words:
            total = float(real.sum())
            return "" if abs(total - 1) < 1e-4 else f"adds up to {total:.6g} instead of 1."
    if _ENTROPY.search(name) and "thermodynamic" not in words and not _CHANGE.search(words) and real.min() < -SLACK:
        return f"falls to {real.min():.6g}; an entropy is not negative."
    if _VARIANCE.search(name) and real.min() < -SLACK:
        return f"falls to {real.min():.6g}; it cannot be negative."
    return ""


def _numbers(value: Any) -> NDArray[np.float64] | None:
    """An array of a number or of nested lists of numbers of one shape; None for anything else."""
    try:
        made = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return None
    return made


def _square(numbers: NDArray[np.float64]) -> NDArray[np.complex128] | None:
    """Complex matrices, (..., n, n), of pairs (..., n, n, 2) or of real matrices."""
    if numbers.ndim >= 3 and numbers.shape[-1] == 2 and numbers.shape[-2] == numbers.shape[-3]:
        return np.asarray(numbers[..., 0] + 1j * numbers[..., 1])
    if numbers.ndim >= 2 and numbers.shape[-1] == numbers.shape[-2]:
        return numbers.astype(complex)
    return None


def _density(numbers: NDArray[np.float64]) -> str:
    rho = _square(numbers)
    if rho is None:
        return ""
    off = float(np.abs(rho - np.swapaxes(rho.conj(), -1, -2)).max())
    if off > SLACK:
        return f"is no density matrix: it differs from its adjoint by {off:.3g}."
    trace = np.trace(rho, axis1=-2, axis2=-1).real
    if float(np.abs(trace - 1).max()) > SLACK:
        return f"is no density matrix: its trace is {float(trace.flat[int(np.abs(trace - 1).argmax())]):.6g}."
    lowest = float(np.linalg.eigvalsh(rho).min())
    return "" if lowest > -SLACK else f"is no density matrix: it has the eigenvalue {lowest:.3g}."


def _unitary(numbers: NDArray[np.float64]) -> str:
    u = _square(numbers)
    if u is None:
        return ""
    off = float(np.abs(u @ np.swapaxes(u.conj(), -1, -2) - np.eye(u.shape[-1])).max())
    return "" if off < SLACK else f"is not unitary: U U^dagger differs from 1 by {off:.3g}."
