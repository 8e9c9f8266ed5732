"""Cards by similarity to free words."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from labwright.tools.experiments.call import ExperimentCard
from labwright.tools.specifications.catalogue import phrases, roles, spoken

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Scores = NDArray[np.float64]

TOKEN = r"(?u)\b\w[\w*]*"
FIRST = 0.2  # what a name of the card in the words adds to its place in the order


class Similar:
    """The cards, indexed.

    The order is by TF-IDF over words and word pairs, over spellings (3 to 5 letters), and over the spellings of each
    name by itself, each relative to its best card; a card that is named goes before.
    """

    def __init__(self, cards: Mapping[str, ExperimentCard]) -> None:
        self.names = list(cards)
        self.cards = [cards[name] for name in self.names]

    def ranked(self, words: str, most: int) -> list[str]:
        """The names of at most `most` cards, the nearest first, however far they are."""
        return [self.names[number] for number in self._order(words)[:most]] if self.cards else []

    def nearest(self, words: str, most: int) -> list[str]:
        """The names of at most `most` cards, the nearest first; none if no card has a word of `words`."""
        known = self.cards and words.strip() and self._by_word(words).any()
        return self.ranked(words, most) if known else []

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


def by_words(texts: Sequence[str]) -> Any:
    """A model of texts over their words and pairs of words, and its matrix."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    model = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2), stop_words="english", token_pattern=TOKEN)
    return model, model.fit_transform(texts)


Scorer = Callable[[str], "Scores"]


def bm25(texts: Sequence[str]) -> Scorer:
    """How near each text is to words: Okapi BM25 over words and pairs of words, as a part of the most there could be.

    Source: Robertson and Zaragoza, Foundations and Trends in Information Retrieval 3, 333 (2009), with k1 = 1.2 and
    b = 0.75.
    """
    import numpy as np
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(stop_words="english", ngram_range=(1, 2), token_pattern=TOKEN)
    counts = vectorizer.fit_transform(texts).toarray().astype(float)
    lengths, holding = counts.sum(axis=1, keepdims=True), (counts > 0).sum(axis=0)
    rarity = np.log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
    weights = rarity * counts / (counts + 1.2 * (0.25 + 0.75 * lengths / lengths.mean()))

    def scores(words: str) -> Scores:
        said = vectorizer.transform([words]).toarray()[0] > 0
        found: Scores = weights @ said / max(float(rarity @ said), 1e-9)
        return found

    return scores


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
