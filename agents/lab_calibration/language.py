"""The little English that the plan and decision policies read: sentences, steps, conditions, flow."""

from __future__ import annotations

import re

BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(.*)$")
SENTENCE_END = re.compile(r"(?<=[.;!?])\s+(?=[A-Z(`'\"])|;\s*")
FLOW_WORDS = (
    "if|when|whenever|unless|otherwise|else|on (success|failure)|in case"
    "|after (\\w+ )?(failures?|successes?|attempts?)|repeat|retry|go (back )?to|then go|at most|stop if|abort|fail"
    "|give up|continue|proceed|step back"
)
FLOW_START = re.compile(rf"^({FLOW_WORDS})\b", re.IGNORECASE)
# A sentence that starts so does not order a new measurement, it says how to do the last one.
DETAIL_START = re.compile(
    r"^(use|using|with|set|take|keep|choose|make sure|its?\b|the (sweep|step|range|offset))", re.I
)
VERBS = (
    "acquire benchmark bring calibrate carry characteri[sz]e check conduct determine do estimate execute extract find"
    " fine-?tune fit get implement investigate locate look measure obtain optimi[sz]e perform prepare quantify"
    " recalibrate redo refine report run scan search see start sweep test tune verify"
).split()
VERB = re.compile(rf"(?:please\s+|also\s+|finally\s+|next\s+)*(?:{'|'.join(VERBS)})\b", re.IGNORECASE)
JOINT = re.compile(
    r"\s*(?:,?\s+and\s+then\s+|,?\s*\bthen\s+|,?\s+followed by\s+|,?\s+and\s+|,\s+|\s+before\s+)", re.IGNORECASE
)


PREPOSITION = re.compile(r"\b(with|using|from|to|at|by|between|in|over|up|until|against|out|the following)\b", re.I)


def blocks(text: str) -> list[str]:
    """The bullet points of a list, or the whole text as one block. Wrapped lines join their bullet."""
    found: list[str] = []
    listed = any(BULLET.match(line) for line in text.splitlines())
    for line in text.splitlines():
        if not line.strip():
            continue
        bullet = BULLET.match(line)
        if bullet:
            found.append(bullet.group(1).strip())
        elif found and (not listed or line[:1].isspace()):
            found[-1] += " " + line.strip()
        else:
            found.append(line.strip())
    return found


def sentences(block: str) -> list[str]:
    """The sentences of a block, without their full stops."""
    return [part.strip().rstrip(".;") for part in SENTENCE_END.split(block) if part and part.strip(" .;")]


def is_flow(sentence: str) -> bool:
    """Whether a sentence says what comes next instead of what to measure."""
    return bool(FLOW_START.match(sentence)) or bool(re.search(r"\bgo (back )?to\b", sentence, re.IGNORECASE))


def is_detail(sentence: str) -> bool:
    """Whether a sentence only adds parameters to the one before."""
    return bool(DETAIL_START.match(sentence))


def orders(sentence: str) -> list[str]:
    """One sentence as single orders: cut where a joining word is followed by a verb of measurement."""
    cuts = [0]
    for joint in JOINT.finditer(sentence):
        if VERB.match(sentence, joint.end()):
            cuts.append(joint.end())
    parts = [sentence[a:b] for a, b in zip(cuts, [*cuts[1:], len(sentence)], strict=True)]
    tail = re.compile(r"(?:,?\s+and\s+then|,?\s*\bthen|,?\s+followed by|,?\s+and|,|\s+before)\s*$", re.IGNORECASE)
    return [tail.sub("", part).strip(" ,") for part in parts if part.strip(" ,")]


def each_object(order: str, qubits: list[str]) -> list[str]:
    """One order an object where one verb has several: "measure T1 and the echo time of Q2" becomes two orders.

    Only a plain list right behind the verb counts. Behind a preposition, "and" joins parameters.
    """
    verb = VERB.match(order)
    if verb is None:
        return [order]
    tail = re.search(r"\s+(?:of|on|for)\s", order)
    end = tail.start() if tail else len(order)
    listed = order[verb.end() : end]
    objects = [part.strip() for part in re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+", listed) if part.strip()]
    if len(objects) < 2 or PREPOSITION.search(listed) or any(part in qubits for part in objects):
        return [order]
    return [f"{verb.group(0)} {part}{order[end:]}" for part in objects]


def qubits_named(text: str, qubits: list[str]) -> list[str]:
    """The qubits of `qubits` that `text` names, in its order."""
    places = [(found.start(), name) for name in qubits if (found := re.search(rf"\b{re.escape(name)}\b", text))]
    return [name for _, name in sorted(places)]


def each_qubit(order: str, qubits: list[str]) -> list[str]:
    """One order a qubit where a list of qubits is named: "on Q1 and Q2" becomes two orders."""
    name = "|".join(re.escape(q) for q in sorted(qubits, key=len, reverse=True))
    if not name:
        return [order]
    listed = re.search(rf"(?:qubits\s+)?\b((?:{name})(?:(?:\s*,\s*|\s+and\s+|\s*,\s*and\s+)(?:{name}))+)\b", order)
    if listed is None:
        return [order]
    before, after = order[: listed.start()], order[listed.end() :]
    return [f"{before}{qubit}{after}" for qubit in qubits_named(listed.group(1), qubits)]


def stems(text: str) -> set[str]:
    """Content words cut to four letters, enough to match "oscillation" with "oscillations"."""
    skip = {
        "the",
        "a",
        "an",
        "is",
        "are",
        "was",
        "of",
        "in",
        "on",
        "to",
        "it",
        "than",
        "too",
        "and",
        "or",
        "be",
        "with",
    }
    return {word[:4] for word in re.findall(r"[a-z][a-z0-9]*", text.lower()) if word not in skip}
