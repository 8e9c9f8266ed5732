"""What several orders of a text share: a heading, a tail for each, a drive, a loop; and one order for several pairs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from labwright.agents.lab_calibration.qubit_names import qubits_in
from labwright.tools.experiments.stated import stated
from labwright.tools.knowledge.quantities import UNITS, Mention

Tasks = Callable[[str], str]  # the task that a text names; empty if none
_HEADING = re.compile(r"^(?P<head>[^:;|]{2,140}):\s+(?P<list>\S.*)$", re.DOTALL)
# ", both with 4000 shots", "; each of them up to 100 us"
_FOR_EACH = re.compile(
    r"[,;]?\s+(?:each|both|all)(?:\s+(?:of (?:them|these|those)|time|one|three|two))?\s+"
    r"(?P<tail>(?:with|at|using|up to|over|for|to|out to|in|from)\b[^;]*?)[.?!]*\s*$",
    re.IGNORECASE,
)
_ON_SAME = re.compile(
    r"[,;]?\s+(?:(?:all|both|each)(?: of (?:it|them|this|these))?\s+)?(?:of|on|for|with) (?:the|this) same"
    r" (?:qubit|pair)[.?!]*\s*$",
    re.IGNORECASE,
)
_SAME_DRIVE = re.compile(
    r"(?:\b(?:with|at|using|for|under|on)\s+)?\b(?:the\s+)?(?:same|this|that)\s+(?:\w+\s+)?"
    r"(?:drive|tone|drive point|working point|frequency and amplitude|point)\b"
    r"(?:\s+(?:frequency|parameters|settings|and amplitude))*",
    re.IGNORECASE,
)
_AMPLITUDE = re.compile(
    r"\b(?:amplitude|amp|ampl|strength)\.?\s*(?:of|=|:|is|at)?\s*(\d*\.?\d+(?:\s?%)?)", re.IGNORECASE
)
_AGAIN = re.compile(
    r"(?:(?:and|then)\s+)*(?:once more|again|another(?: one| time)?|one more|the same(?: thing)?|repeat(?: it)?)\s+"
    r"(?:at|with|for|using|up to|to)\b|(?:and|then)?\s*(?:at|with)\b",
    re.IGNORECASE,
)
_LOOP = re.compile(
    r"^\s*for\s+(?:each\s+)?(?P<name>[A-Za-z_]\w*)\s+in\s+[\[({]?(?P<values>[^\])}:]+)[\])}]?\s*(?P<unit>[GMk]?Hz)?\s*"
    r"(?::|,?\s*do\b:?)\s*(?P<body>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_COMMENT = re.compile(r"\s+(?:#|//)\s+(?P<text>[^#]*)$")
_BETWEEN = re.compile(
    r"\s*(?:,|;|&|\+|and|then|also|first|finally|next|plus|after that|as well as|\s)*\s*", re.IGNORECASE
)
_ROLES = r"(?:as |the |with |is |on |= ?|\()*(?:ctrl|control|tgt|target|driven)?(?: qubit)?\)?"
_ORDINALS = re.compile(
    r"\b(?:the )?(?:first|former)(?: one)?\b(?P<first>.*?)[,;]?\s*(?:and\s+)?\b(?:the )?(?:second|latter|other)"
    r"(?: one)?\b(?P<second>.*)$",
    re.IGNORECASE | re.DOTALL,
)


def looped(text: str) -> str:
    """A programmer's loop as a list of its turns: "for f in (4900, 4950): call(f)"."""
    found = _LOOP.match(text)
    if found is None:
        return text
    values = [value.strip(" '\"") for value in re.split(r"\s*,\s*|\s+and\s+", found["values"]) if value.strip(" '\"")]
    name, unit = found["name"], found["unit"] or ""
    if len(values) < 2 or not re.search(rf"\b{name}\b", found["body"]):
        return text
    bodies = (
        re.sub(rf"(?<==)\s*{name}\b|\b{name}\b(?!\s*=)", f"{value} {unit}".strip(), found["body"]) for value in values
    )
    return "\n".join(f"- {body}" for body in bodies)


def headed(sentence: str, qubits: Sequence[str], cut: Callable[[str], list[str]], task: Tasks) -> list[str]:
    """The orders behind a heading, for its qubits: "Bring-up of Q2: spectroscopy, then Rabi"; empty if it is none."""
    found = _HEADING.match(sentence)
    if found is None:
        return []
    orders = cut(found["list"])
    if len(orders) < 2 or not all(task(order) for order in orders):
        return []
    named = qubits_in(found["head"], qubits)
    return [order if not named or qubits_in(order, qubits) else f"{order} on {' and '.join(named)}" for order in orders]


def shared_tail(sentence: str) -> tuple[str, str]:
    """The sentence without what holds for each of its orders, and that."""
    sentence = _ON_SAME.sub("", sentence)
    found = _FOR_EACH.search(sentence)
    if found is None or re.search(r"\b(?:in 0|in 1|driven|excited|prepared)\b", found["tail"]):
        return sentence, ""
    return sentence[: found.start()], found["tail"].strip()


def with_drive(text: str) -> str:
    """`text` with "the same drive" told by the frequency and amplitude that stand before it."""
    while found := _SAME_DRIVE.search(text):
        before = text[: found.start()]
        tones = [m for m in stated(before) if m.unit and UNITS[m.unit][0] == "frequency"]
        strengths = list(_AMPLITUDE.finditer(before))
        if not tones or not strengths:
            break
        told = f"at {tones[-1].text.strip()}, amplitude {strengths[-1][1]}"
        text = f"{before}{told}{text[found.end() :]}"
    return text


def again_at(piece: str, before: str) -> str:
    """The order `before` with the one value that `piece` tells anew: "again at 4.94"; empty if that is not clear."""
    own = stated(piece)
    if len(own) != 1 or not _AGAIN.match(piece):
        return ""
    old = [mention for mention in stated(before) if _alike(own[0], mention)]
    if len(old) != 1:
        return ""
    unit = "" if own[0].unit else old[0].text[len(old[0].text.rstrip("GMkHznuµms% ")) :]
    return f"{before[: old[0].start]}{own[0].text.strip()}{unit}{before[old[0].end :]}"


def _alike(new: Mention, old: Mention) -> bool:
    """Whether one number can stand for another: of the same kind, and about as large."""
    value = new.within(old.unit) if new.unit else new.value
    return value is not None and old.value != 0 and 0.2 <= value / old.value <= 5


def each_pair(order: str, qubits: Sequence[str]) -> list[str]:
    """One order a pair where several are listed: "Q2 Q1 and Q1 Q8"; those of one pair or of single qubits stay."""
    name = "|".join(map(re.escape, sorted(qubits, key=len, reverse=True)))
    places = list(re.finditer(rf"\b(?:{name})(?![\w*])|(?<=Q\d)(?:{name})(?![\w*])", order)) if name else []
    if len(places) < 4 or len(places) % 2 or len({found[0] for found in places}) == len(places):
        return [order]
    for left, right in zip(places[1::2], places[2::2], strict=False):
        joint = re.sub(rf"^{_ROLES}|{_ROLES}$", "", order[left.end() : right.start()].strip(), flags=re.IGNORECASE)
        if not _BETWEEN.fullmatch(re.sub(r"\b(?:ctrl|control|tgt|target|pairs?|of|for|on|as|the)\b", " ", joint)):
            return [order]
    lead = re.search(r"(?:(?:ctrl|control|pairs?|of|for|on)\s+)*$", order[: places[0].start()], re.IGNORECASE)
    head, tail = order[: lead.start()] if lead else "", order[places[-1].end() :]
    done = []
    for i in range(0, len(places), 2):
        begin = places[i - 1].end() if i else (lead.start() if lead else 0)
        piece = re.sub(
            r"^(?:[,;\s]|\b(?:and|then|first|finally|next|also|plus)\b)+", "", order[begin : places[i + 1].end()]
        )
        done.append(f"{head}{piece}{tail}")
    return done


def ordinal(sentence: str, orders: list[str]) -> list[str]:
    """Two orders with what a sentence says of "the first" and of "the second"; empty if it says nothing so."""
    found = _ORDINALS.search(sentence)
    if found is None or len(orders) != 2 or not stated(found["first"]) or not stated(found["second"]):
        return []
    details = (found["first"], found["second"])
    return [f"{order} {detail.strip(' ,;.')}" for order, detail in zip(orders, details, strict=True)]


def uncommented(text: str) -> str:
    """`text` without a comment at its end that holds no more than a unit."""
    found = _COMMENT.search(text)
    return text[: found.start()] if found and re.fullmatch(r"[\w./]{1,6}", found["text"].strip()) else text
