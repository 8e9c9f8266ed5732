"""Known causes of a calibration that fails: their signatures, and what is believed of them after each look.

The table is ``causes.toml``. A belief is a probability for every set of at most two causes. The next look is the one
that is expected to tell most about them for each second of device time (Lindley, Ann. Math. Stat. 27, 986, 1956).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, product
from math import log2
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

MISLED = 0.005  # of the looks tell something else than they should, however small their error
UNSEEN = 0.2  # of the looks see nothing where something blinds them; `MISLED` of them otherwise
FOUND = 0.8  # probability of a cause from which on its correction counts
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Cause:
    """One known cause.

    Attributes:
        says: in a sentence.
        look: that tells it, and the `quantity` of it that decides, in `unit`.
        because: where the bound comes from.
        above: the cause is there where the quantity is larger; `below`: where it is smaller. One of the two.
        writes: the settings that put it right; none: nothing in the settings does.
        hidden_by: causes with which the quantity means nothing.
        ends: nothing can be calibrated as long as it is there.
    """

    says: str
    look: str
    quantity: str
    because: str
    above: float | None = None
    below: float | None = None
    unit: str = ""
    writes: tuple[str, ...] = ()
    hidden_by: tuple[str, ...] = ()
    ends: bool = False

    def beyond(self, value: float, error: float) -> float:
        """Probability that a quantity measured as `value` with one-sigma `error` lies beyond the bound."""
        bound = self.above if self.above is not None else self.below
        assert bound is not None
        side = 1 if self.above is not None else -1
        return float(np.clip(ndtr(side * (value - bound) / max(error, 1e-12)), MISLED, 1 - MISLED))


@dataclass(frozen=True, slots=True)
class Look:
    """A discriminating measurement: device time in s with a good readout, and the causes with which it sees nothing."""

    about: str
    seconds: float
    blinded_by: tuple[str, ...]


@cache
def table() -> tuple[dict[str, Cause], dict[str, Look]]:
    """The known causes and the looks, by name."""
    plain = tomllib.loads((Path(__file__).parent / "causes.toml").read_text(encoding="utf-8"))

    def tidy(entry: dict[str, object]) -> dict[str, object]:
        return {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}

    causes = {name: Cause(**tidy(entry)) for name, entry in plain["causes"].items()}  # type: ignore[arg-type]
    looks = {name: Look(**tidy(entry)) for name, entry in plain["looks"].items()}  # type: ignore[arg-type]
    return causes, looks


Causes = frozenset[str]


def hypotheses() -> list[Causes]:
    """Every set of at most two causes; the empty one is none that is known."""
    return [frozenset(each) for size in range(3) for each in combinations(table()[0], size)]


@dataclass(frozen=True, slots=True)
class Belief:
    """How probable each set of causes is.

    Attributes:
        prior: of `hypotheses`, in their order; sums to 1.
        seen: by the looks, in order: the quantity's cause (empty: whether anything was seen), and the likelihood.
        repaired: causes that were found and put right: they hide nothing any more.
    """

    prior: Array
    seen: tuple[tuple[str, Array], ...] = ()
    repaired: frozenset[str] = frozenset()

    @classmethod
    def at_first(cls, cases: Iterable[Iterable[str]] = ()) -> Belief:
        """Before any look: all sets alike, and each earlier case counts as often as all of them together."""
        sets = hypotheses()
        weights = np.ones(len(sets))
        for case in cases:
            if frozenset(case) in sets:
                weights[sets.index(frozenset(case))] += len(sets)
        return cls(weights / weights.sum())

    @property
    def weights(self) -> Array:
        """Probability of each of `hypotheses`."""
        weights = np.prod([self.prior, *(likelihood for _, likelihood in self.seen)], axis=0)
        return np.asarray(weights / weights.sum())

    @property
    def best(self) -> tuple[Causes, float]:
        """The most probable set, and its probability."""
        weights = self.weights
        top = int(np.argmax(weights))
        return hypotheses()[top], float(weights[top])

    @property
    def singly(self) -> dict[str, float]:
        """Probability of each cause, alone or with another."""
        weights = self.weights
        return {name: float(weights @ _any({name})) for name in table()[0]}

    def after(self, look: str, beyond: Mapping[str, float], share: float = 1.0) -> Belief:
        """The belief after a look; what was seen while a cause hid it is dropped once that cause is put right.

        Args:
            look: which.
            beyond: cause -> probability that its quantity is beyond its bound; empty where the look saw nothing.
            share: of what there is to see it can have seen; a watch of a quarter sees a quarter of the jumps.
        """
        belief = replace(self, seen=(*self.seen, *_seen(look, beyond, self.repaired, share)))
        causes = table()[0]
        seen, singly = {name for name, _ in belief.seen if name}, belief.singly
        found = {name for name in seen - self.repaired if singly[name] > FOUND and causes[name].writes}
        kept = tuple(each for each in belief.seen if not each[0] or not found & set(causes[each[0]].hidden_by))
        return Belief(self.prior, kept, self.repaired | found)

    def gain(self, look: str, share: float = 1.0) -> float:
        """Bits that a look is expected to tell."""
        names = [name for name, cause in table()[0].items() if cause.look == look]
        found = [dict(zip(names, each, strict=True)) for each in product((MISLED, 1 - MISLED), repeat=len(names))]
        before, expected = self.weights, 0.0
        for beyond in ({}, *found):
            joint = np.prod([before, *(each for _, each in _seen(look, beyond, self.repaired, share))], axis=0)
            expected += joint.sum() * _entropy(joint / joint.sum())
        return _entropy(before) - expected


def _seen(look: str, beyond: Mapping[str, float], repaired: Iterable[str], share: float) -> list[tuple[str, Array]]:
    """The likelihoods of what a look gave, for every set; a quantity that is hidden lies on either side alike."""
    causes, looks = table()
    blind = np.where(_any(set(looks[look].blinded_by) - set(repaired)) > 0, UNSEEN, MISLED)
    found = [("", 1 - blind if beyond else blind)]
    for name, p in beyond.items():
        hidden = _any(set(causes[name].hidden_by) - set(repaired))
        there = share * p + (1 - share) * (1 - p)
        found.append((name, np.where(hidden > 0, 0.5, np.where(_any({name}) > 0, there, 1 - p))))
    return found


def _any(names: Iterable[str]) -> Array:
    wanted = frozenset(names)
    return np.array([float(bool(each & wanted)) for each in hypotheses()])


def _entropy(weights: Array) -> float:
    return float(-sum(p * log2(p) for p in weights if p > 0))
