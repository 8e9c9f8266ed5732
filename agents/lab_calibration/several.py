"""Several things in one sentence: cut where each part names a task of its own, or the same task for other qubits."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from labwright.agents.lab_calibration import language
from labwright.agents.lab_calibration.qubit_names import qubits_in
from labwright.agents.lab_calibration.switches import NOT_UPDATE
from labwright.agents.lab_calibration.translate_words import phrase_in, phrases_of, ruled_out, weight
from labwright.agents.lab_calibration.word_forms import stem, words
from labwright.tools.experiments.stated import stated
from labwright.tools.experiments.wording import names
from labwright.tools.knowledge.quantities import Mention

_JOIN = (
    r"(?:;|,(?!(?<=\d,)\d)|\band\b|\bthen\b|\b(?:right |directly )?after(?: that| this| it| which)\b|\bafterwards?\b"
    r"|\bfollowed by\b|\bnext\b|\bthereafter\b|\bplus\b"
    r"|&|\bbefore\b|\bas well as\b|\b(?:when|once|as soon as) (?:that|it|this)(?:['’]?s| is"
    r"| has)?(?: been)? (?:done|finished|through|over|ready|complete)\b|\btogether with\b"
    r"|\bfinally\b|\bsubsequently\b|\bseparately\b|\blater\b|\bin addition\b|\balso\b|\s\+\s|\s/\s|\||->|→|:)"
)
JOINT = re.compile(rf"\s*{_JOIN}(?:\s*{_JOIN})*\s*", re.IGNORECASE)
_NUMBERED = re.compile(r"(?:(?<=\s)|^)(?:\(?\d{1,2}\)|\[\d{1,2}\]|\(?[a-e]\))\s+")
# "that of Q8", "the same on Q2": the task before, for other qubits.
_SAME = re.compile(
    r"^(?:(?:that|one|ditto|the same(?: (?:thing|one|experiment|measurement))?|likewise|again|another(?: one)?)\s+)?"
    r"(?:of|on|for|with|at)\b",
    re.I,
)
# Behind these a measured thing is an argument: "using the measured t1 and t2_echo".
_ARGUMENT = re.compile(
    r"\b(?:using|use|with|given|known|against|limits?|from|than|versus|vs|instead of|compared? (?:to|with)"
    r"|between|rather|not|take|via|so that|because|since|although|though)\b[^;.]*$"
    r"|\bfirst$",
    re.IGNORECASE,
)  # fmt: skip
_FILLING = frozenset("a also an and at by each for from in it of on once only please the then this to up with".split())
LEAST = 0.3  # weight of words that name a task


@dataclass
class Part:
    """A stretch of a sentence with the task it names, and its qubits."""

    text: str
    task: str
    qubits: list[str]


def numbered(text: str) -> str:
    """`text` with inline numbers ("1) ... 2) ...") as a list, and what stands before them as its heading."""
    marks = list(_NUMBERED.finditer(text))
    if len(marks) < 2:
        return text
    head = text[: marks[0].start()].strip(" :;,-")
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    items = [text[mark.end() : end].strip(" ,;") for mark, end in zip(marks, ends, strict=True)]
    return "\n".join(f"- {head}: {item}" if head else f"- {item}" for item in items)


def parted(sentence: str, qubits: Sequence[str]) -> list[str]:
    """The orders of one sentence, each with its qubits; the sentence itself if it names one task only."""
    sentence = language.AFTERWARDS.sub("", sentence)
    parts: list[Part] = []
    begin, apart = 0, False
    for joint in [*(joint for joint in JOINT.finditer(sentence) if not _within_list(sentence, joint, qubits)), None]:
        end = joint.start() if joint else len(sentence)
        piece = sentence[begin:end].strip()
        if piece:
            _add(parts, piece, sentence[:begin], qubits, apart)
        begin, apart = (joint.end() if joint else end), joint is not None and joint.group().strip() != ":"
    tasks = [part for part in parts if part.task]
    if len(tasks) < 2:
        return [sentence]
    return [_whole(part, parts, i) for i, part in enumerate(parts) if part.task]


def _within_list(sentence: str, joint: re.Match[str], qubits: Sequence[str]) -> bool:
    """Whether a joint stands between two qubits: "Q1 and Q2"."""
    name = "|".join([*map(re.escape, qubits), r"q\d+"])
    plain = re.fullmatch(r"\s*(?:,|and|&|/|, and|\+)\s*", joint.group(), re.IGNORECASE)
    before = re.search(rf"\b(?:{name})$", sentence[: joint.start()], re.IGNORECASE)
    return bool(plain and before and re.match(rf"(?:{name})\b", sentence[joint.end() :], re.IGNORECASE))


def _add(parts: list[Part], piece: str, before: str, qubits: Sequence[str], apart: bool) -> None:
    named, task = qubits_in(piece, qubits), task_of(piece, qubits)
    last = parts[-1] if parts else None
    listed = last is not None and named and re.match(rf"(?:{'|'.join(map(re.escape, named))})\b", piece, re.I)
    argued = bool(listed and re.search(r"\bq?\d+$", last.text if last else "", re.I)) or bool(
        _ARGUMENT.search(_clause(before))
    )
    if last is None:
        parts.append(Part(piece, task, named))
    elif apart and last.task and not task and named and named != last.qubits and _SAME.match(piece):
        parts.append(Part(_again(last, piece, named, qubits), last.task, named))
    elif task and last.task and not argued and (task != last.task or (named and last.qubits and named != last.qubits)):
        parts.append(Part(piece, task, named))
    else:
        last.text = f"{last.text}, {piece}" if not _listed(last, piece, named) else f"{last.text} and {piece}"
        last.task, last.qubits = last.task or task, list(dict.fromkeys([*last.qubits, *named]))


def _listed(last: Part, piece: str, named: list[str]) -> bool:
    """Whether a piece goes on with a list of qubits: "Q1" and "Q2"."""
    return bool(named) and bool(last.qubits) and len(piece.split()) <= 2


def _clause(before: str) -> str:
    return re.split(r"[;.]|,\s*(?:then|and then|after|afterwards|next|finally)\b", before.rstrip(" ,;"))[-1]


def _renamed(last: Part, named: list[str], qubits: Sequence[str]) -> str:
    text = last.text
    for old, new in zip(last.qubits, named, strict=False):
        text = re.sub(rf"\b{re.escape(old)}\b", f"\0{new}", text, flags=re.IGNORECASE)
    return text.replace("\0", "")


def _again(last: Part, piece: str, named: list[str], qubits: Sequence[str]) -> str:
    """The order before, for the qubits of `piece` and with its own values: "on Q8 at amplitude 0.3".

    Values of the order before are replaced where `piece` tells as many of the same kind. Where it tells others, they
    stand instead of those behind the qubit; where it tells some of them, both are kept, and the call is refused.
    """
    same = _renamed(last, named, qubits)
    own, before = stated(piece), stated(last.text)
    if not own:
        return same
    told = _settings(piece, named)
    new, old = _telling(told), _telling(last.text)
    if len(own) == len(before) and new <= old:
        return _replaced(last.text, own, before, lambda text: _renamed(Part(text, "", last.qubits), named, qubits))
    behind = _settings(last.text, last.qubits)
    if new & _telling(behind) or not stated(behind):
        return f"{same} {told}"
    kept = NOT_UPDATE.search(behind)
    head = Part(last.text.removesuffix(behind), "", last.qubits)
    return f"{_renamed(head, named, qubits)}{told}{kept.group() if kept else ''}"


def _replaced(text: str, own: list[Mention], before: list[Mention], rename: Callable[[str], str]) -> str:
    """`text` under other names, with the numbers `own` where those of `before` stand."""
    found, begin = "", 0
    for new, old in zip(own, before, strict=True):
        found, begin = f"{found}{rename(text[begin : old.start])}{new.text}", old.end
    return found + rename(text[begin:])


def _settings(text: str, named: Sequence[str]) -> str:
    """What stands behind the last qubit of `text`."""
    ends = [found.end() for name in named for found in re.finditer(rf"\b{re.escape(name)}\b", text, re.IGNORECASE)]
    return text[max(ends, default=0) :]


def _telling(text: str) -> set[str]:
    """The stems that tell what a number is."""
    return {stem(word) for word in words(text) if word.isalpha() and word not in _FILLING}


def _whole(part: Part, parts: list[Part], i: int) -> str:
    """The part's order, with the qubits of its neighbours if it names none."""
    text = re.sub(r"\bcompare\b", "measure", part.text, flags=re.IGNORECASE)
    text = re.sub(rf"^(?:{_JOIN}\s*)+|^(?:first|please|kindly)[ ,]+", "", text, flags=re.IGNORECASE).strip(" ,;")
    if part.qubits:
        return text
    near = next((other.qubits for other in (*reversed(parts[:i]), *parts[i + 1 :]) if other.qubits), [])
    text = re.sub(
        r"\b(?:on|of|for|with|at) (?:it|them(?: too)?|this pair|that pair|the pair|the same(?: \w+)?|both)\b", "", text
    ).strip()
    return f"{text} on {' and '.join(near)}" if near else text


def task_of(text: str, qubits: Sequence[str]) -> str:
    """The shipped experiment or procedure that `text` names; empty if none, or several equally."""
    found: dict[str, float] = {}
    for name in names():
        phrases = phrases_of(name, "")
        phrase = phrase_in(text, phrases.asked, qubits)
        if phrase - {"qubit"} and weight(phrase) >= LEAST and not ruled_out(phrases, text, phrase):
            found[name] = weight(phrase)
    best = max(found.values(), default=0.0)
    winners = [name for name, told in found.items() if told == best]
    return winners[0] if winners else ""


def orders(sentence: str, qubits: Sequence[str]) -> list[str]:
    """One sentence as single orders; one behind another that repeats something on a named qubit runs it."""
    first, *others = _orders(sentence, qubits)
    return [first, *(language.REORDER.sub("Run ", one) if qubits_in(one, qubits) else one for one in others)]


def _orders(sentence: str, qubits: Sequence[str]) -> list[str]:
    """One sentence as single orders: by verbs and lists of objects, or by tasks where that finds more."""
    sentence = language.without_done(sentence)
    by_verb = [
        single
        for order in language.orders(sentence)
        for single in _each_object(order, qubits)
    ]  # fmt: skip
    if len(sentence.split()) > LONGEST:
        return by_verb
    by_task = parted(sentence, qubits)
    whole = all(task_of(order, qubits) for order in by_verb)
    if any(_of_the_same(one, other, qubits) for one, other in pairwise(by_verb)):
        return by_task
    bare = len(by_task) == len(by_verb) > 1 and not all(qubits_in(order, qubits) for order in by_verb)
    if bare and len(qubits_in(sentence, qubits)) > 1:  # each order keeps its pair
        return by_task
    listed = not any(language.VERB.match(order) for order in by_verb[1:])
    if bare and listed and not qubits_in(by_verb[0], qubits):  # "T1, then T2 echo on Q1": all on the one at the end
        return by_task
    return by_task if len(by_task) > len(by_verb) or (len(by_task) > 1 and not whole) else by_verb


def _of_the_same(order: str, following: str, qubits: Sequence[str]) -> bool:
    """Whether the second order is about what the first one makes: "prepare a state and measure its density matrix"."""
    if not re.search(r"\bits\b", following) or re.search(r"\b(?:again|repeat\w*)\b", following):
        return False
    task = task_of(following, qubits)
    return bool(task) and task == task_of(order, qubits) and not qubits_in(following, qubits)


def _each_object(order: str, qubits: Sequence[str]) -> list[str]:
    """A list behind one verb as orders, unless only some of what looks like its items name a task."""
    singles = language.each_object(order, list(qubits))
    named = [bool(task_of(_bare(single, order), qubits)) for single in singles]
    return singles if all(named) or not any(named) else [order]


def _bare(single: str, order: str) -> str:
    """An item without the tail that all items share."""
    tail = re.search(r"\s+(?:of|on|for)\s", order)
    return single.removesuffix(order[tail.start() :]) if tail else single


LONGEST = 80  # words of a sentence that is cut by its tasks
