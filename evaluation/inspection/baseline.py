"""What a single number can do: a result is good if R^2, or the signal-to-noise ratio, lies above one threshold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from labwright.evaluation.inspection.case import Measured
from labwright.evaluation.runner import Row
from labwright.tools.experiments.fits import Fit

NUMBERS = ("r_squared", "snr")
HEIGHTS = {"rabi": "amplitude", "ramsey": "amplitude", "t1": "amplitude", "resonator_spectroscopy": "height"}


def numbers_of(case: Measured) -> dict[str, float]:
    """R^2 of the fit, and the height of the signal in units of the scatter around it; 0 where nothing was fitted."""
    experiment: Any = case.experiment
    if case.kind.experiment == "readout_calibration":
        mixture, spread = experiment.mixture, float(np.var(experiment.data["iq"]))
        return {"r_squared": 1 - 2 * mixture.sigma**2 / spread, "snr": mixture.separation / mixture.sigma}
    fit: Fit | None = experiment.dip if case.kind.experiment == "resonator_spectroscopy" else experiment.fitted
    if fit is None:
        return {"r_squared": 0.0, "snr": 0.0}
    scatter = float(np.sqrt(np.mean((fit.y - fit.curve(fit.x)) ** 2)))
    if case.kind.experiment == "drag_calibration":
        height = abs(fit["slope_1"] - fit["slope_2"]) * float(np.ptp(experiment.data["drag"])) / 2
    else:
        height = abs(fit[HEIGHTS[case.kind.experiment]])
    return {"r_squared": fit.r_squared, "snr": height / max(scatter, 1e-9)}


def best_threshold(values: Sequence[float], good: Sequence[bool]) -> float:
    """The threshold above which calling a result good is right most often."""
    order = np.argsort(values)
    ordered, truth = np.asarray(values)[order], np.asarray(good)[order]
    # right ones if the first k are called bad, for every k
    right = np.concatenate([[0], np.cumsum(~truth)]) + truth.sum() - np.concatenate([[0], np.cumsum(truth)])
    place = int(np.argmax(right))
    edges = np.concatenate([[ordered[0] - 1], (ordered[1:] + ordered[:-1]) / 2, [ordered[-1] + 1]])
    return float(edges[place])


def scores(training: Sequence[Row], tested: Sequence[Row]) -> dict[str, float]:
    """Share of right calls, good or not, of each number's best threshold; one for all, and one an experiment.

    Rows have ``experiment``, ``good``, and the numbers by their names.
    """
    names = sorted({row["experiment"] for row in tested})
    found = {}
    for number in NUMBERS:
        found[number] = _right(training, tested, number) / len(tested)
        parts = (_right(of(training, experiment=name), of(tested, experiment=name), number) for name in names)
        found[f"{number}, one an experiment"] = sum(parts) / len(tested)
    return found


def of(rows: Sequence[Row], **columns: str) -> list[Row]:
    """The rows that have these values."""
    return [row for row in rows if all(row[name] == value for name, value in columns.items())]


def _right(training: Sequence[Row], tested: Sequence[Row], number: str) -> int:
    threshold = best_threshold([row[number] for row in training], [row["good"] for row in training])
    return sum((row[number] > threshold) == row["good"] for row in tested)
