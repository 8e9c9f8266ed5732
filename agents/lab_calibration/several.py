"""Several things in one sentence: cut where each part names a task of its own, or the same task for other qubits."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from labwright.agents.lab_calibration import language, sharing
from labwright.agents.lab_calibration.qubit_names import qubits_in
from labwright.agents.lab_calibration.recognize import meant, room
from labwright.agents.lab_calibration.switches import NOT_UPDATE
from labwright.agents.lab_calibration.translate_words import (
    is_request,
    phrase_in,
    phrases_of,
    ruled_out,
    states,
    weight,
)
from labwright.agents.lab_calibration.word_forms import stem, words
from labwright.tools.experiments.call import PROCEDURE
from labwright.tools.experiments.stated import stated
from labwright.tools.experiments.wording import names
from labwright.tools.knowledge.quantities import Mention

_JOIN = (
    r"(?:;|,(?!(?<=\d,)\d)|\band\b|\bthen\b|\b(?:right |directly )?after(?: that| this| it| which)\b|\bafterwards?\b"
    r"|\bfollowed by\b|\bnext\b|\bthereafter\b|\bplus\b"
    r"|&|\bbefore\b|\bas well as\b|\b(?:when|once|as soon as) (?:that|it|this)(?:['’]?s| is"
    r"| has)?(?: been)? (?:done|finished|through|over|ready|complete)\b|\btogether with\b"
    r"|\bfinally\b|\bat (?:the end|last)\b|\b(?:in the end|lastly|at first|to finish)\b"
    r"|\bsubsequently\b|\bseparately\b|\blater\b|\bin addition\b|\balso\b|\s\+\s|\s/\s|\||->|→|:)"
)
JOINT = re.compile(rf"\s*{_JOIN}(?:\s*{_JOIN})*\s*", re.IGNORECASE)
_NUMBERED = re.compile(
    r"(?:(?<=\s)|^)(?:\(?\d{1,2}\)|\[\d{1,2}\]|\(?[a-e]\))\s+|(?:(?<=[:;,.]\s)|^)\d{1,2}\.\s+(?=[A-Za-z])"
)
_ALL_OF_THEM = re.compile(
    r"\b(?:the two|these two|both|them|the pair|this pair|that pair|the three|all three)\b", re.IGNORECASE
)
# "that of Q8", "the same on Q2": the task before, for other qubits.
_SAME = re.compile(
    r"^(?:(?:that|one|ditto|(?:the )?same(?: (?:thing|one|experiment|measurement))?|likewise|again"
    r"|another(?: one)?)\s+)?"
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
_DESIRE = re.compile(
    r"\b(?:is|are|has|have) (?:now )?(?:to be|needed|wanted|required|requested|due)\b|\bshould (?:now |please )?be\b"
    r"|\b(?:i|we) (?:would|should|need|want|wish|suggest|propose|am missing|are missing|miss)\b|\bmay (?:i|we) ask\b"
    r"|\bmust be\b|\bplease\b",
    re.IGNORECASE,
)
_FILLING = frozenset("a also an and at by each for from in it of on once only please the then this to up with".split())
_WISH = re.compile(r"^\W*(?:i|we)\s+(?:need|want|miss|require|am|are|would like|wish)\b", re.IGNORECASE)
_COMPARED = re.compile(
    r"(?P<first>\bcompar\w+\s[^,.;]*?)\s(?:with|to|against|versus|vs)\s(?!and\b|or\b|without\b)", re.IGNORECASE
)
_CALL = re.compile(r"^\s*\w+\([^()]*\)\s*$")  # "experiment(Q1, Q2, shots=500)"
LEAST = 0.3  # weight of words that name a task
CERTAIN = 0.1  # score of a part that speaks of a task without any of its phrases


@dataclass
class Part:
    """A stretch of a sentence with the task it names, and its qubits."""

    text: str
    task: str
    qubits: list[str]


def numbered(text: str, qubits: Sequence[str] = ()) -> str:
    """`text` with inline numbers ("1) ... 2) ...") as a list, and what stands before them as its heading.

    Of a heading before items that name tasks of their own, only the qubits are kept.
    """
    marks = list(_NUMBERED.finditer(text))
    if len(marks) < 2:
        return text
    head = text[: marks[0].start()].strip(" :;,-")
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    items = [text[mark.end() : end].strip(" ,;") for mark, end in zip(marks, ends, strict=True)]
    if head and all(task_of(item, qubits) for item in items):
        named = " and ".join(qubits_in(head, qubits))
        return "\n".join(
            f"- {named}: {item}" if named and not qubits_in(item, qubits) else f"- {item}" for item in items
        )
    return "\n".join(f"- {head}: {item}" if head else f"- {item}" for item in items)


def parted(sentence: str, qubits: Sequence[str]) -> list[str]:
    """The orders of one sentence, each with its qubits; the sentence itself if it names one task only."""
    sentence = language.AFTERWARDS.sub("", sentence)
    parts: list[Part] = []
    begin, apart = 0, False
    joints = [joint for joint in JOINT.finditer(sentence) if not _within_list(sentence, joint, qubits)]
    for joint in [*(joint for joint in joints if not _enclosed(sentence[: joint.start()])), None]:
        end = joint.start() if joint else len(sentence)
        piece = sentence[begin:end].strip()
        if piece:
            _add(parts, piece, sentence[:begin], qubits, apart)
        begin, apart = (joint.end() if joint else end), joint is not None and joint.group().strip() != ":"
    tasks = [part for part in parts if part.task]
    if len(tasks) < 2:
        return [sentence]
    return [_whole(part, parts, i) for i, part in enumerate(parts) if part.task]


def _enclosed(before: str) -> bool:
    """Whether a parenthesis is open behind `before`."""
    return before.count("(") > before.count(")")


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
    argued = bool(listed and re.search(r"\bq?\d+$", last.text if last else "", re.I)) or _argued(before, qubits)
    if last is None:
        parts.append(Part(piece, task, named))
    elif apart and last.task and not task and named and named != last.qubits and _SAME.match(piece):
        parts.append(Part(_again(last, piece, named, qubits), last.task, named))
        if re.search(r"\beach\b", piece, re.IGNORECASE) and not stated(last.text):
            last.text = f"{last.text} {_settings(piece, named).strip()}"
    elif apart and last.task and not task and not named and (again := sharing.again_at(piece, last.text)):
        parts.append(Part(again, last.task, last.qubits))
    elif task and last.task and not argued and (task != last.task or (named and last.qubits and named != last.qubits)):
        parts.append(Part(piece, task, named))
    else:
        last.text = f"{last.text}, {piece}" if not _listed(last, piece, named) else f"{last.text} and {piece}"
        last.task, last.qubits = last.task or task, list(dict.fromkeys([*last.qubits, *named]))


def _listed(last: Part, piece: str, named: list[str]) -> bool:
    """Whether a piece goes on with a list of qubits: "Q1" and "Q2"."""
    return bool(named) and bool(last.qubits) and len(piece.split()) <= 2


def _argued(before: str, qubits: Sequence[str]) -> bool:
    """Whether what follows `before` is an argument of a task in it: "RB of Q1 with the T1 and the echo ..."."""
    clause = _clause(before)
    found = _ARGUMENT.search(clause)
    if found and re.search(r"\bcompar\w+\b", clause[: found.start()], re.IGNORECASE):
        return False  # "compare T1 with the echo time" measures both
    return found is not None and (not clause[: found.start()].strip() or bool(task_of(clause[: found.start()], qubits)))


def _clause(before: str) -> str:
    return re.split(
        r"[;.]|,?\s*\b(?:then|and then|after|afterwards|next|finally|and at (?:the end|last)|in the end|lastly)\b",
        before.rstrip(" ,;"),
    )[-1]


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
    if _ALL_OF_THEM.search(text):
        near = list(dict.fromkeys(name for other in parts[:i] for name in other.qubits))
        if len(near) > 1:
            return f"{text} on {' and '.join(near)}"
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
    told = meant(text, qubits)
    if told.clear and (told.name in found or (not found and told.score >= CERTAIN)):
        return told.name
    best = max(found.values(), default=0.0)
    winners = [name for name, told in found.items() if told == best]
    return winners[0] if winners else ""


def orders(sentence: str, qubits: Sequence[str]) -> list[str]:
    """One sentence as single orders; one behind another that repeats something on a named qubit runs it."""
    if _CALL.match(sentence):
        return [sentence]
    both = _COMPARED.sub(r"\g<first> and ", sentence)
    sentence = both if len({task_of(part, qubits) for part in both.split(" and ")} - {""}) > 1 else sentence
    bare, tail = sharing.shared_tail(sentence)
    pairs = sharing.each_pair(bare, qubits)
    if len(pairs) > 1 and len({task_of(one, qubits) for one in pairs}) == 1:
        return [f"{one} {tail}".strip() for one in pairs]
    found = sharing.headed(bare, qubits, lambda text: _orders(text, qubits), lambda text: task_of(text, qubits))
    found = [
        f"{one} {tail}".strip() for order in found or _orders(bare, qubits) for one in sharing.each_pair(order, qubits)
    ]
    first, *others = found
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


def each_qubit(order: str, qubits: list[str]) -> list[str]:
    """One order a qubit where several are named, unless its task is for several at once."""
    task = task_of(order, qubits)
    if task and not task.startswith(PROCEDURE) and room(task) != 1 and len(qubits_in(order, qubits)) > 1:
        return [order]
    return language.each_qubit(order, qubits)


def explains(sentence: str, following: str, qubits: Sequence[str]) -> bool:
    """Whether a wish only says for what the next request is: that names tasks, and no qubit of its own."""
    if (
        not _WISH.match(sentence)
        or not is_request(following)
        or re.search(r"\b(?:also|too|as well|then)\b", following[:30])
    ):
        return False
    wished, task = task_of(sentence, qubits), task_of(following, qubits)
    own = bool(wished) and not wished.startswith(PROCEDURE) and wished != task
    return bool(qubits_in(sentence, qubits)) and not qubits_in(following, qubits) and bool(task) and not own


def for_pair(order: str, qubits: Sequence[str]) -> bool:
    """Whether the task of `order` is for two qubits."""
    task = task_of(order, qubits)
    return bool(task) and room(task) == 2


def only_wishes(sentence: str, qubits: Sequence[str]) -> bool:
    """Whether a sentence wishes something that is no measurement: no task, no number, no qubit."""
    return not (is_request(sentence) or task_of(sentence, qubits) or stated(sentence) or qubits_in(sentence, qubits))


def is_setting(sentence: str, behind: bool) -> bool:
    """Whether a statement sets something of the measurement before it: numbers, or that nothing is stored."""
    if is_request(sentence) or not states(sentence):
        return bool(NOT_UPDATE.fullmatch(sentence))
    return behind and bool(NOT_UPDATE.search(sentence) or stated(sentence))


def asks(sentence: str) -> bool:
    """Whether a sentence clearly orders or requests something."""
    return is_request(sentence) or bool(_DESIRE.search(sentence))


LONGEST = 80  # words of a sentence that is cut by its tasks
