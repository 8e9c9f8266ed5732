"""Cards by similarity to free words: the nearest three, or none where too little of the words is about any card."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from labwright.tools.experiments.call import ExperimentCard
from labwright.tools.specifications.catalogue import phrases, roles, spoken

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Scores = NDArray[np.float64]

WORD = re.compile(r"[a-z][a-z0-9*]*")
QUBIT = re.compile(r"\bq\d+\b")
STEM = 5  # letters of a word that are compared: "measuring" is "measure"
# The highest that left 85 % of 500 free lines of others their experiment; on 500 more it left 87 %, and offered nothing
# for 81 % of the lines that no experiment serves (2026-11-23).
LEAST = 0.923
NAMED = 1.5  # what a name of the card in the words adds to what it knows
FIRST = 0.2  # and to its place in the order


class Similar:
    """The cards, indexed.

    The order is by TF-IDF over words and word pairs, over spellings (3 to 5 letters), and over the spellings of each
    name by itself, each relative to its best card; a card that is named goes before. Whether a card is near at all is
    told by how much of the words it knows: with h the weights of the words that the best card's text holds (more if it
    is named) and u those of the others, the score is ``h * h / (h + u) * sqrt(cosine)``; a weight is the inverse
    frequency among the cards.
    """

    def __init__(self, cards: Mapping[str, ExperimentCard]) -> None:
        self.names = list(cards)
        self.cards = [cards[name] for name in self.names]

    def ranked(self, words: str, most: int) -> list[str]:
        """The names of at most `most` cards, the nearest first, however far they are."""
        return [self.names[number] for number in self._order(words)[:most]] if self.cards else []

    def nearest(self, words: str, most: int) -> list[str]:
        """The names of at most `most` cards, the nearest first; none if none is near."""
        if not self.cards or not words.strip():
            return []
        by_word, order = self._by_word(words), self._order(words)
        best = order[0]
        known, unknown = self._known(words, best)
        known += NAMED * self._named(words)[best]
        score = known * known / (known + unknown or 1.0) * math.sqrt(max(0.0, float(by_word[best])))
        return [self.names[number] for number in order[:most]] if score > LEAST else []

    def _order(self, words: str) -> list[int]:
        import numpy as np

        scores = self._scores(words) + FIRST * self._named(words)
        return [int(number) for number in np.argsort(-scores, kind="stable")]

    def _named(self, words: str) -> Scores:
        """1 for each card of which a name stands in the words, else 0."""
        import numpy as np

        low = f" {_joined(words)} "
        return np.array([float(any(f" {_joined(name)} " in low for name in _names(card))) for card in self.cards])

    def _scores(self, words: str) -> Scores:
        found: Scores = sum(
            weight * scores / (scores.max() + 1e-9)
            for weight, scores in ((1, self._by_word(words)), (1, self._byletters(words)), (0.5, self._by_name(words)))
        )
        return found

    def _by_word(self, words: str) -> Scores:
        return cosines(self._word_model, words)

    def _byletters(self, words: str) -> Scores:
        return cosines(self._letter_model, words)

    def _by_name(self, words: str) -> Scores:
        import numpy as np

        scores = cosines(self._name_model, words)
        return np.array([scores[first:last].max() for first, last in self._name_places])

    @cached_property
    def _word_model(self) -> Any:
        return by_words([_text(card) for card in self.cards])

    @cached_property
    def _letter_model(self) -> Any:
        return letters([_text(card) for card in self.cards])

    @cached_property
    def _name_model(self) -> Any:
        return letters([name for card in self.cards for name in _names(card)])

    @cached_property
    def _name_places(self) -> list[tuple[int, int]]:
        ends = [0]
        for card in self.cards:
            ends.append(ends[-1] + len(_names(card)))
        return list(itertools.pairwise(ends))

    @cached_property
    def _stems(self) -> list[frozenset[str]]:
        """Of each card's text, what it is not for left out."""
        texts = [f"{_text(card)} {card.docstring.partition('Not for:')[0]}" for card in self.cards]
        return [frozenset(word[:STEM] for word in WORD.findall(text.lower())) for text in texts]

    def _known(self, words: str, number: int) -> tuple[float, float]:
        """(weight of the words that a card knows, weight of the others)."""
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        said = WORD.findall(QUBIT.sub(" ", words.lower()))
        stems = {word[:STEM] for word in said if word not in ENGLISH_STOP_WORDS and len(word) > 1}
        weights = {stem: self._weight(stem) for stem in sorted(stems)}
        known = sum(weight for stem, weight in weights.items() if stem in self._stems[number])
        return known, sum(weights.values()) - known

    def _weight(self, stem: str) -> float:
        holding = sum(stem in each for each in self._stems)
        return math.log((len(self.cards) + 1) / (holding + 1)) + 1


def by_words(texts: Sequence[str]) -> Any:
    """A model of texts over their words and pairs of words, and its matrix."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    model = TfidfVectorizer(
        sublinear_tf=True, ngram_range=(1, 2), stop_words="english", token_pattern=r"(?u)\b\w[\w*]*"
    )
    return model, model.fit_transform(texts)


def letters(texts: Sequence[str]) -> Any:
    """A model of texts over their spellings, and its matrix."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    model = TfidfVectorizer(sublinear_tf=True, analyzer="char_wb", ngram_range=(3, 5))
    return model, model.fit_transform(texts)


def cosines(model: Any, words: str) -> Scores:
    """How near each text of a model is to `words`."""
    vectorizer, matrix = model
    found: Scores = (vectorizer.transform([words]) @ matrix.T).toarray()[0]
    return found


def _joined(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9*]+", text.lower()))


def _names(card: ExperimentCard) -> list[str]:
    return [*phrases(card), spoken(card.name)]


def _text(card: ExperimentCard) -> str:
    """What a card says of itself: names thrice, the summary twice, what it is for, its parameters."""
    use = card.docstring.partition("Asked for as:")[0]
    parameters = [each.description for each in card.parameters if each.name not in roles(card)]
    return " . ".join([*[*_names(card), card.name] * 3, *[card.summary] * 2, use, *parameters])
