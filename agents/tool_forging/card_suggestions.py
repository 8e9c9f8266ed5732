"""Words without a model: nothing is computed; what is said instead leads to a card, or to a model."""

from __future__ import annotations

from labwright.tools.specifications.examples import KINDS, example
from labwright.tools.specifications.task import FREE, task_kinds

NEAREST = 3


def nearest_kinds(words: str, most: int = NEAREST) -> list[str]:
    """The kinds of cards whose descriptions and examples are nearest to `words`, by TF-IDF over spellings."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    kinds = [name for name in KINDS["task"] if name != FREE]
    model = TfidfVectorizer(sublinear_tf=True, analyzer="char_wb", ngram_range=(3, 5))
    cards = model.fit_transform([f"{task_kinds()[name].__doc__} {example('task', name)}" for name in kinds])
    scores = (model.transform([words]) @ cards.T).toarray()[0]
    return [kinds[number] for number in scores.argsort()[::-1][:most]]


def handed_back(words: str) -> str:
    """Why a task in words is not computed without a model, and the ways on."""
    near = nearest_kinds(words)
    first = [f"`{name}` ({(task_kinds()[name].__doc__ or '').partition('.')[0].strip()})" for name in near]
    return (
        "Without a model no words are read, so nothing was computed. Write the task as a card: the nearest kinds are "
        f"{', '.join(first)}. `labwright new task {near[0]} > card.yaml` gives an example,"
        " `labwright run card.yaml` runs it; docs/task-cards.md shows every kind."
        " Or let a model read the words: `--model openai:NAME`."
    )
