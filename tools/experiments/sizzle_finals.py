"""The end of a siZZle search: the best drives are timed as gates and benchmarked once more, as they would be played.

A look times a gate to 2 % and the benchmark of a search is the luckiest of many. A gate that is timed may meet a
resonance beside it, which its first benchmark did not show. So the next best drive comes forward wherever one fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from labwright.tools.experiments.sizzle_drive_trials import Trials
from labwright.tools.experiments.sizzle_policy import Attempt
from labwright.tools.qpu.settings import PairSettings

FINALISTS = 3  # drives for which acquisitions are kept back, at most half of them
COST = 2  # acquisitions a finalist: trains, and a benchmark
KINDS = 60  # random sequences of each length; others than those of the search
NEAR = 2.5  # MHz within which drives say something of each other
SPOILT = 1.3  # a neighbour counts as at most so much worse
BESIDE = 6.0  # MHz
RIVAL = 1.15  # a drive elsewhere is second in the finals if its first benchmark is at most so much worse
FINE = 1.0  # MHz from the best gate to its neighbours
HOPELESS = 1.25  # a drive whose first benchmark is so much worse than the best final one is left out


@dataclass(frozen=True, slots=True)
class Finalist:
    """A drive that was timed and benchmarked again: its gate, and the error of that with one sigma."""

    attempt: Attempt
    gate: PairSettings
    error: float
    spread: float


def kept_back(acquisitions: int) -> int:
    """Acquisitions of a search that belong to its finals."""
    return COST * min(FINALISTS, acquisitions // (2 * COST))


def finals(trials: Trials, most: int) -> list[Finalist]:
    """Time and benchmark the best drives, then neighbours of the very best; the best gate first.

    Args:
        trials: what the search has tried.
        most: acquisitions that may have been played in all when this ends.
    """
    judged = [attempt for attempt in trials.attempts if attempt.gate_error]
    found: list[Finalist] = []
    for attempt in spread_out(sorted(judged, key=lambda a: steadied(a, judged))):
        best = min((f.error for f in found), default=np.inf)
        if attempt.gate_error < HOPELESS * best:
            _add(found, trials, attempt, trials.gate(attempt), most)
    tried = [attempt.frequency for attempt in judged]
    while found and trials.bench.acquisitions + COST <= most:
        best_one = min(found, key=lambda f: f.error)
        beside = [best_one.gate.frequency + step for step in (FINE, -FINE)]
        new = next((f for f in beside if min(abs(f - t) for t in tried) > FINE / 2), None)
        if new is None:
            break
        tried.append(new)
        _add(found, trials, replace(best_one.attempt, frequency=new), replace(best_one.gate, frequency=new), most)
    return sorted(found, key=lambda f: f.error)


def _add(found: list[Finalist], trials: Trials, attempt: Attempt, gate: PairSettings, most: int) -> None:
    """One more finalist, if there is budget for it and it is a gate."""
    if trials.bench.acquisitions + COST > most:
        return
    timed = trials.timed(gate)
    if timed is not None:
        found.append(Finalist(attempt, timed, *trials.error_of(timed, KINDS, seed=1)))


def spread_out(ranked: Sequence[Attempt]) -> list[Attempt]:
    """The best first, then what is not beside it before what is: neighbours would share its fate."""
    ahead: list[Attempt] = []
    for attempt in ranked:
        if all(abs(attempt.frequency - a.frequency) > BESIDE for a in ahead):
            ahead.append(attempt)
    close = [a for a in ahead[1:] if a.gate_error < RIVAL * ahead[0].gate_error][:1]
    first = [*ahead[:1], *close]
    return [*first, *(a for a in ranked if a not in first)]


def steadied(attempt: Attempt, judged: Sequence[Attempt]) -> float:
    """The error of a drive, drawn towards its neighbours': luck is a drive's own, a resonance beside it is not."""
    near = [a for a in judged if abs(a.amplitude - attempt.amplitude) < 0.05 * attempt.amplitude]
    weights = [float(np.exp(-(((a.frequency - attempt.frequency) / NEAR) ** 2) / 2)) for a in near]
    errors = [min(a.gate_error, SPOILT * attempt.gate_error) for a in near]
    return float(np.average(errors, weights=weights))
