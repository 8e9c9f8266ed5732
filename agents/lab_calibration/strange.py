"""What an instruction asks for beyond one experiment: foreign things, and unknown words where the task is named.

Not every unknown word is an objection. A word that no card and no general lab English knows is one where it stands for
what is to be done: as the verb of a request, beside the words that name the task, or as what shall be measured.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from labwright.agents.lab_calibration.lexicon import BREAKS, FOREIGN, FOREIGN_PHRASES, FOREIGN_VERBS, NEUTRAL
from labwright.agents.lab_calibration.translate_words import asked_words, task_words
from labwright.agents.lab_calibration.word_forms import stem, words
from labwright.tools.knowledge.quantities import WORDS

_NEUTRAL_STEMS = frozenset(map(stem, NEUTRAL))
_FOREIGN_STEMS = frozenset(map(stem, FOREIGN)) - _NEUTRAL_STEMS
_VERB_STEMS = frozenset(map(stem, FOREIGN_VERBS))
_FOREIGN_PAIRS = tuple(frozenset(map(stem, phrase.split())) for phrase in FOREIGN_PHRASES)
_PART = re.compile(r"[,;:()!?\"]+\s*|\.(?:\s+|$)|\s[-–—]\s")
_BEFORE_VERB = frozenset(
    "please pls plz you u to and then us now we i kindly just lets go mind dont can could would will should must one"
    " someone somebody anybody anyone".split()
)
_DETERMINERS = frozenset("the a an my our your this that these those its it their all every each some".split())
_VERBS = frozenset(
    "measure measuring determine find calibrate calibrating characterize characterise estimate extract quantify tune"
    " acquire obtain probe investigate study prepare create make".split()
)
_OF = frozenset("of in on for".split())
_MEASURES = frozenset(
    map(
        stem,
        "measure determine find calibrate characterize estimate extract check test quantify"
        " tune record acquire obtain probe map investigate study need want prepare make create".split(),
    )
)


@dataclass(frozen=True, slots=True)
class Token:
    """One word and what it is: P names the task, Q a qubit, B ends a group, N neutral, K known, F foreign, U"
    " unknown."""

    word: str
    kind: str


def strange(text: str, phrase: frozenset[str], known: frozenset[str], qubits: Iterable[str]) -> list[str]:
    """The words of `text` that ask for what an experiment with the words `known`, asked for as `phrase`, cannot do."""
    names = {qubit.lower() for qubit in qubits}
    found: list[str] = []
    for part in _PART.split(text):
        tokens = _tokens(part or "", phrase, known, names)
        found += [token.word for i, token in enumerate(tokens) if token.kind == "F" and _asked(tokens, i)]
        found += _pairs(tokens, known)
        found += [tokens[i].word for i in _misplaced(tokens)]
    return list(dict.fromkeys(found))


def _tokens(text: str, phrase: frozenset[str], known: frozenset[str], names: set[str]) -> list[Token]:
    parts = words(text)
    roots = [stem(word) for word in parts]
    found = []
    for i, (word, root) in enumerate(zip(parts, roots, strict=True)):
        joined = {a + b for a, b in zip(roots[max(0, i - 1) : i + 1], roots[i : i + 2], strict=False)}
        if word in names or re.fullmatch(r"q\d+", word):
            kind = "Q"
        elif root in phrase or joined & phrase:
            kind = "P"
        elif root in known or joined & known:
            kind = "K"
        elif word in BREAKS:
            kind = "B"
        elif word in FOREIGN_VERBS:
            kind = "F"
        elif word[0].isdigit() or word in WORDS or word in NEUTRAL or root in _NEUTRAL_STEMS:
            kind = "N"
        else:
            kind = "F" if word in FOREIGN or root in _FOREIGN_STEMS else "U"
        found.append(Token(word, kind))
    return found


def _pairs(tokens: list[Token], known: frozenset[str]) -> list[str]:
    """Foreign things of two words: "dynamical decoupling"."""
    roots = [stem(token.word) for token in tokens]
    for phrase in _FOREIGN_PAIRS:
        reach = len(phrase) + 1
        if not phrase <= known and any(
            phrase <= set(roots[i : i + reach]) for i in range(max(len(roots) - reach, 0) + 1)
        ):
            return [" ".join(token.word for token in tokens if stem(token.word) in phrase)]
    return []


def _asked(tokens: list[Token], i: int) -> bool:
    """Whether a foreign word counts: a thing always, a verb where it is what shall be done."""
    word = tokens[i].word
    if word not in FOREIGN_VERBS and stem(word) not in _VERB_STEMS:
        return True
    return i == 0 or tokens[i - 1].word in _BEFORE_VERB or tokens[i - 1].kind == "F"


def _misplaced(tokens: list[Token]) -> Iterator[int]:
    for i, token in enumerate(tokens):
        if token.kind != "U" or len(token.word) < 2:
            continue
        if _is_second(tokens, i) or _is_whose(tokens, i) or _is_object(tokens, i):
            yield i


def _is_second(tokens: list[Token], i: int) -> bool:
    """ "Run Ramsey and Rabi": another task beside this one."""
    if stem(tokens[i].word) not in task_words():
        return False
    before = next(
        (t.word for t in reversed(tokens[:i]) if t.word not in _DETERMINERS and stem(t.word) not in _MEASURES), ""
    )
    return before in ("and", "then", "plus", "also")


def _is_whose(tokens: list[Token], i: int) -> bool:
    """ "T1 of the flywheel": a thing that has what is measured, and is no qubit."""
    for j in range(i - 1, -1, -1):
        if tokens[j].word == "of":
            before = [token for token in tokens[:j] if token.kind != "N"][-1:]
            return bool(before) and before[0].kind == "P" and not any(t.kind in "QP" for t in tokens[j:i])
        if tokens[j].kind in "QP" or (tokens[j].kind == "B" and tokens[j].word not in _DETERMINERS):
            return False
    return False


def _is_object(tokens: list[Token], i: int) -> bool:
    """ "Measure the linewidth of ...": the first thing behind the verb, where it does not name the task."""
    first = i
    while first > 0 and (tokens[first - 1].kind not in "BQ" or tokens[first - 1].word in _DETERMINERS):
        first -= 1
        if tokens[first].word in _VERBS:
            break
    last = i
    while last + 1 < len(tokens) and tokens[last + 1].kind not in "BQ":
        last += 1
    verb = tokens[first].word in _VERBS
    asks = first >= 2 and tokens[first - 1].word in ("is", "are", "was") and tokens[first - 2].word in ("what", "large")
    noun = first <= 1 and last + 1 < len(tokens) and tokens[last + 1].word in _OF  # "A cat state in the cavity"
    named = any(token.kind == "P" for token in tokens[first : last + 1])
    return (verb or asks or noun) and not named and stem(tokens[i].word) not in asked_words()
