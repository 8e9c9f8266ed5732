"""Which experiment a text speaks of: least squares over words and neighbouring words, learned from the wording.

The phrases and descriptions of `tools/experiments` are the examples (a ridge regression of one-against-all labels,
solved once in a fraction of a second). A phrase that is said in full counts besides, by how much it tells.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import linalg, sparse

from labwright.agents.lab_calibration.qubit_names import qubits_in
from labwright.agents.lab_calibration.switches import NOT_UPDATE
from labwright.agents.lab_calibration.translate_words import (
    asked_part,
    main_clause,
    phrase_in,
    phrases_of,
    request,
    ruled_out,
    spoken,
    unreasoned,
    weight,
    without,
)
from labwright.tools.experiments import registry
from labwright.tools.experiments.call import PROCEDURE
from labwright.tools.experiments.check_call import places
from labwright.tools.experiments.stated import stated
from labwright.tools.experiments.wording import descriptions, names, wording

RIDGE = 0.5  # of the regression; examples have length one
PHRASE, EXCLUDED = 0.6, 0.2  # what a phrase counts that is said, and one that asks for something else
SURE, LEAD = -0.5, 0.15  # least score, and least distance to the next, of what is recognized without any phrase
CLEAR = 0.3  # lead from which nothing else is meant
PLAIN = 0.45
CROWDED = 0.25  # what counts against one that is for another number of qubits than are named
Features = dict[str, float]
# Results of earlier measurements that are handed to another one: "T1 = 80 us", "from the T1 and the echo time".
_RESULT = (
    r"(?:the |an? |its |their )?(?:measured |known |stored )?(?:T[ _]?1|T[ _]?2(?:[ _]?(?:echo|E))?"
    r"|(?:energy )?relaxation time|lifetime|(?:hahn )?echo(?: time)?)"
)
_GIVEN = re.compile(
    rf"\b{_RESULT}\s*(?:error\s*)?(?:=|:|of|is|was|being|[~≈])?\s*(?:about |some )?\d[\d.,]*\s*"
    rf"(?:[nmuµ]?s|[nmuµ]?secs?|\w*seconds?)\b|\b{_RESULT}\s*=\s*\d[\d.]*"
    rf"|\b(?:using|use|from|take|given|known|against|via)\b[^.;,]*?{_RESULT}\s+(?:and|,)\s+{_RESULT}\b[^.;,]*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Meant:
    """What a text speaks of most.

    Attributes:
        name: experiment, or ``procedure:<slug>``.
        score: about 1 for a text like its examples, -1 for one that has nothing of them.
        lead: how far the next one is behind.
    """

    name: str
    score: float
    lead: float

    @property
    def clear(self) -> bool:
        """Whether nothing else can be meant."""
        return self.lead >= CLEAR and self.score >= SURE

    @property
    def plain(self) -> bool:
        """Whether a few words are enough: nothing else comes near."""
        return self.lead >= PLAIN and self.score >= -PLAIN

    @property
    def sure(self) -> bool:
        """Whether this is meant even if none of its phrases is said."""
        return self.lead >= LEAD and self.score >= SURE


def meant(text: str, qubits: Iterable[str] = ()) -> Meant:
    """The shipped experiment or procedure that `text` speaks of most; its requests count twice."""
    return _meant(text, asked_part(text), tuple(qubits))


@cache
def room(name: str) -> int | None:
    """How many qubits a shipped experiment is for; None if for any number, or if it is a procedure."""
    kind = registry.experiments().get(name)
    return places(registry.card(kind)) if kind else None


def told_by_asking(text: str, qubits: Iterable[str] = ()) -> bool:
    """Whether the requests of `text` alone tell what is meant, so that the rest is background."""
    asked, known = asked_part(text), tuple(qubits)
    alone = _meant(asked, asked, known)
    return asked != text and alone.clear and alone.name == meant(text, known).name


@lru_cache(maxsize=2048)
def _meant(text: str, asked: str, qubits: tuple[str, ...]) -> Meant:
    scores = _totals(text, qubits)
    if asked != text:
        requested = _totals(asked, qubits)
        scores = {name: (score + requested.get(name, score)) / 2 for name, score in scores.items()}
    named = len(qubits_in(text, qubits))
    for name in scores if named else ():
        rooms = room(name)
        scores[name] -= CROWDED * (rooms is not None and named in (1, 2) and rooms in (1, 2) and rooms != named)
    first, second = sorted(scores, key=lambda name: -scores[name])[:2]
    return Meant(first, scores[first], scores[first] - scores[second])


def _totals(text: str, qubits: tuple[str, ...]) -> dict[str, float]:
    """What was learned and what phrases are said, together; no procedure where a number is set."""
    text = NOT_UPDATE.sub(" ", text)
    left = _GIVEN.sub(" ", text)
    settings = left != text or bool(stated(text))
    if left != text and any(phrase_in(left, phrases_of(name, "").asked, qubits) for name in names()):
        text = left
    bare = without(text, stated(text))
    scores = _scores(bare, qubits)
    for name in names():
        if name.startswith(PROCEDURE) and settings:  # a procedure takes no numbers
            del scores[name]
            continue
        said, excluded = _said(bare, name, qubits)
        scores[name] += PHRASE * weight(said) - EXCLUDED * excluded
    return scores


def _said(text: str, name: str, qubits: tuple[str, ...]) -> tuple[frozenset[str], bool]:
    """The phrase of `name` that is said, and whether `text` says what asks for something else."""
    phrases, clause = phrases_of(name, ""), main_clause(text)
    for part in (request(clause), unreasoned(clause), clause, text):
        found = phrase_in(part, phrases.asked, qubits)
        if ruled_out(phrases, part, found):
            return frozenset(), True
        if found:
            return found, False
    return frozenset(), False


def _scores(text: str, qubits: tuple[str, ...]) -> dict[str, float]:
    learned = _learned()
    told = _normed(_features(text, qubits), learned.rarity)
    total = learned.offset.copy()
    for feature, value in told.items():
        total += value * learned.weights[learned.places[feature]]
    return dict(zip(learned.names, map(float, total), strict=True))


@dataclass(frozen=True)
class _Learned:
    """Weights of shape (n_features, n_names), the offset (n_names,), and how rare each feature is."""

    names: tuple[str, ...]
    places: dict[str, int]
    rarity: dict[str, float]
    weights: Any
    offset: Any


@cache
def _learned() -> _Learned:
    examples = [(text, name) for name in names() for text in (_name(name), *wording(name).asked, *descriptions(name))]
    counted = [_features(text, ()) for text, _ in examples]
    uses = Counter(feature for one in counted for feature in one)
    rarity = {feature: 1 + math.log((1 + len(examples)) / (1 + times)) for feature, times in uses.items()}
    places = {feature: place for place, feature in enumerate(uses)}
    x = sparse.lil_matrix((len(examples), len(places)))
    for row, features in enumerate(counted):
        for feature, value in _normed(features, rarity).items():
            x[row, places[feature]] = value
    return _solved(x.tocsr(), [name for _, name in examples], places, rarity)


def _name(name: str) -> str:
    return name.removeprefix(f"{PROCEDURE}:").replace("_", " ").replace("-", " ")


def _solved(x: Any, labels: list[str], places: dict[str, int], rarity: dict[str, float]) -> _Learned:
    """The ridge regression in its dual form: as many unknowns as examples."""
    known = names()
    y = np.array([[1.0 if name == label else -1.0 for name in known] for label in labels])
    offset = y.mean(axis=0)
    kernel = (x @ x.T).toarray() + RIDGE * np.eye(x.shape[0])
    weights = x.T @ linalg.solve(kernel, y - offset, assume_a="pos")
    return _Learned(known, places, rarity, weights, offset)


def _features(text: str, qubits: tuple[str, ...]) -> Features:
    """Stems and pairs of neighbours, each counted with falling weight; numbers of several digits are none."""
    parts = [part for part in spoken(text, qubits) if len(part) == 1 or not part[0].isdigit()]
    counted = Counter([*parts, *(f"{left} {right}" for left, right in pairwise(parts))])
    return {feature: 1 + math.log(times) for feature, times in counted.items()}


def _normed(features: Features, rarity: dict[str, float]) -> Features:
    """Known features by their rarity, of length one together."""
    told = {feature: value * rarity[feature] for feature, value in features.items() if feature in rarity}
    length = math.sqrt(sum(value * value for value in told.values())) or 1.0
    return {feature: value / length for feature, value in told.items()}
