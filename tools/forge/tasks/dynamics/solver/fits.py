"""Least-squares fits of a formula to a curve that was computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from .cases import names_used
from .expression_functions import plain_functions
from .expression_values import CardError, Value, symbol_of
from .expressions import Walker
from .value_arithmetic import add, is_number, kind

MISFIT = 0.02  # root mean square of what is left, as a share of the curve's range
MOST_EVALUATIONS = 2000
Numbers = list[tuple[str, Value]]


@dataclass(frozen=True, slots=True)
class Fit:
    """What is fitted.

    Attributes:
        model: an expression of x and of the names in `guess`.
        guess: name -> expression of where the search begins, in the unit of the result.
        tolerance: the largest misfit, as `MISFIT`.
    """

    model: str
    guess: dict[str, str]
    tolerance: float


def fit_of(one: Mapping[str, Any]) -> Fit:
    """The fields ``model``, ``guess`` and ``tolerance`` of a demand.

    Raises:
        CardError: one is missing or cannot be used.
    """
    guess, model = one.get("guess"), str(one.get("model") or "")
    if not model or not isinstance(guess, Mapping) or not guess:
        example = "Write model: A*exp(-k*x) + c and guess: {A: 1, k: 0.1/us, c: 0}."
        raise CardError("A fit needs a model and a guess of each of its numbers.", example)
    unused = [str(name) for name in guess if str(name) not in names_used(model)]
    if unused or "x" not in names_used(model) or "x" in guess:
        left = ", ".join(unused) or "x, which runs along the curve"
        raise CardError(f"The model {model!r} does not use {left}.", "Write it with x and all of guess.", ("model",))
    tolerance = one.get("tolerance", MISFIT)
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not 0 < tolerance <= 1:
        raise CardError(f"{tolerance!r} is no share of the range.", "Write 0.02 for two percent.", ("tolerance",))
    return Fit(model, {str(name): str(text) for name, text in guess.items()}, float(tolerance))


def fitted(fit: Fit, curve: Value, walker: Walker, time: tuple[str, float] | None, dry: bool) -> Numbers:
    """Each number of the model, its standard error as ``NAME error``, and the rms ``residual``.

    Unweighted least squares on the points of the curve, by Levenberg and Marquardt.

    Args:
        time: the card's unit of time.
        dry: whether the curve is a stand-in, and only the form is checked.

    Raises:
        CardError: the model does not fit into the card, or not to the curve.
    """
    if curve.axis is None or np.iscomplexobj(curve.data):
        raise CardError("A fit needs a real curve.", "Fit a function of time or such as a spectrum; real(...).")
    guesses = {name: walker.value(text) for name, text in fit.guess.items()}
    for name, one in guesses.items():
        if not is_number(one) or isinstance(one.data, complex) or name in walker.names or name in walker.functions:
            raise CardError(
                f"The guess {name!r} is no real number, or the name is taken.", "Rename it.", ("guess", name)
            )
    x = Value(np.asarray(curve.axis.values) * curve.axis.size, curve.axis.of)
    inner = Walker({name: one for name, one in walker.names.items() if is_number(one)}, plain_functions())
    sizes = [_size(one, curve, time, dry) for one in guesses.values()]

    def left(scaled: Any) -> Any:
        pairs = zip(guesses.items(), scaled, sizes, strict=True)
        inner.local = {"x": x, **{name: replace(one, data=float(p) * size) for (name, one), p, size in pairs}}
        found = add(inner.value(fit.model), curve, -1)
        if kind(found) != "list" or np.iscomplexobj(found.data):
            raise CardError(f"{fit.model!r} is no real function of x.", "Write a formula with x.", ("model",))
        return found.data

    begin = np.array([one.data / size for one, size in zip(guesses.values(), sizes, strict=True)])
    left(begin)
    if dry:
        return list(guesses.items())
    return _searched(fit, curve, guesses, np.array(sizes), begin, left)


def _size(guess: Value, curve: Value, time: tuple[str, float] | None, dry: bool) -> float:
    """What one step of a number is measured by: its guess, or for 0 the curve's range or the card's unit."""
    if guess.data != 0:
        return abs(float(guess.data))
    if guess.unit.powers == curve.unit.powers and not dry:
        return float(np.ptp(curve.data)) or 1.0
    return symbol_of(guess.unit, time)[1]


def _searched(fit: Fit, curve: Value, guesses: dict[str, Value], sizes: Any, begin: Any, left: Any) -> Numbers:
    points, extent = len(curve.data), float(np.ptp(curve.data))
    if points <= len(begin) or extent <= 1e-9 * np.abs(curve.data).max():
        raise CardError(f"{points} points, whose range is {extent:g}.", "A fit needs more, and a curve that changes.")

    def safe(scaled: Any) -> Any:
        try:
            return left(scaled) / extent
        except CardError:  # an overflow on the way is a bad step, not a bad card
            return np.full(points, 1e6)

    found = least_squares(safe, begin, method="lm", max_nfev=MOST_EVALUATIONS, xtol=1e-12, ftol=1e-14, gtol=1e-14)
    rms = float(np.sqrt(np.mean(found.fun**2)))
    if not found.success or rms > fit.tolerance:
        raise CardError(
            f"The fit misses the curve by {100 * rms:.3g} % of its range (root mean square),"
            f" more than {100 * fit.tolerance:g} %.",
            "Give closer guesses, another model or other times; a larger tolerance only where the task wants this fit.",
        )
    singular = np.linalg.svd(found.jac, compute_uv=False)
    if singular[-1] < 1e-7 * singular[0]:
        raise CardError("The curve does not fix every number of the model.", "Take out one.", ("model",))
    spread = np.linalg.inv(found.jac.T @ found.jac) * (found.fun @ found.fun) / (points - len(begin))
    made = []
    errors = np.sqrt(np.diag(spread)) * sizes
    for (name, one), value, error in zip(guesses.items(), found.x * sizes, errors, strict=True):
        made += [(name, one.like(float(value))), (f"{name} error", one.like(float(error)))]
    return [*made, ("residual", Value(rms * extent, curve.unit, curve.shown))]
