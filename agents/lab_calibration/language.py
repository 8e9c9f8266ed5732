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
    r"\s*(?:,?\s+and\s+(?:then|afterwards|after that)\s+|,?\s*\bthen\s+|,?\s+followed by\s+|,?\s+and\s+|,\s+"
    r"|\s+before\s+)",
    re.IGNORECASE,
)
# These part two orders even where the second has no verb: "Rabi on Q1, then Ramsey on it".
STRONG = re.compile(
    r"\s*(?:,?\s+and\s+(?:then|afterwards|after that)\s+|,\s*then\s+|,?\s+followed by\s+)", re.IGNORECASE
)
NO_ORDER = re.compile(
    r"\d|(?:with|using|from|to|at|by|in|on|over|up|until|if|when|unless|go|continue|stop|again|wait|it|they)\b",
    re.IGNORECASE,
)
# "Once calibrated, benchmark it" only says that the orders keep their order.
AFTERWARDS = re.compile(
    r"^(?:(?:once|when|as soon as|now that|after)\b(?!.*\b(?:not|never|no|again)\b)[^,]*?\b"
    r"(?:calibrated|found|done|known|set|measured|finished|complete|ready|located|tuned)"
    rf"|after\s+(?!.*(?:fail|success|attempt|repe|times))[^,]*),\s*(?:then\s+)?(?={VERB.pattern})",
    re.IGNORECASE,
)
# "If Q1 is lost, run spectroscopy on Q1" is an order that a transition rule cannot carry out.
CONDITIONAL = re.compile(rf"^(?:if|unless|in case)\b[^,]*,\s*(?:then\s+)?(?P<order>{VERB.pattern}.*)$", re.IGNORECASE)
REORDER = re.compile(
    r"^(?:repeat|rerun)\s+(?=(?:the|a|an)\s)(?!.*\b(?:if|until|unless|when|at most|once|twice|times)\b)", re.IGNORECASE
)
COUNTS = {"once": 1, "twice": 2, "thrice": 3, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10}
MOST_TIMES = 20  # orders that one order may become
# "at most 3 times" and "four times the stop time" are no counts of whole orders.
REPEATED = re.compile(
    r"(?<!most )(?<!up to )(?<!than )(?<!only )\b(?:(?P<count>twice|thrice)"
    rf"|(?P<number>\d+|{'|'.join(COUNTS)}) times)\b(?!\s*(?:the|as|its|that|more|\w+er)\b)(?:\s+in a row)?"
    r"(?=\s*$|\s+(?:on|of|for|with|using|up to)\s)",
    re.IGNORECASE,
)
# "The rough amplitude is in, now ...": a clause that says what is over and done, before one that asks.
DONE = re.compile(
    r"(?:(?<=[:;,.])|^)\s*[^,;:.]*\b(?:is|are|was|were|(?:has|have) been)\s+(?:already\s+)?(?:in|done|set|there"
    r"|in place|finished)\s*[,;]\s*(?=(?:so|and|but)?\s*(?:now|please|next)\b)",
    re.IGNORECASE,
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
    if AFTERWARDS.match(sentence):
        return False
    return bool(FLOW_START.match(sentence)) or bool(re.search(r"\bgo (back )?to\b", sentence, re.IGNORECASE))


def without_done(text: str) -> str:
    """`text` without clauses that only say what is over and done."""
    return DONE.sub(" ", text).strip()


def is_detail(sentence: str) -> bool:
    """Whether a sentence only adds parameters to the one before."""
    return bool(DETAIL_START.match(sentence))


def orders(sentence: str) -> list[str]:
    """One sentence as single orders: cut where a joining word is followed by a verb of measurement."""
    sentence = AFTERWARDS.sub("", sentence)
    cuts = [0]
    for joint in JOINT.finditer(sentence):
        if PREPARES.match(sentence) and re.match(r".*\btomography\b", sentence[joint.end() :], re.IGNORECASE):
            continue  # a state is prepared to be measured: one order
        parted = STRONG.fullmatch(joint.group()) and not NO_ORDER.match(sentence, joint.end())
        if parted or VERB.match(sentence, joint.end()):
            cuts.append(joint.end())
    parts = [sentence[a:b] for a, b in zip(cuts, [*cuts[1:], len(sentence)], strict=True)]
    tail = re.compile(
        r"(?:,?\s+and\s+(?:then|afterwards|after that)|,?\s*\bthen|,?\s+followed by|,?\s+and|,|\s+before)\s*$",
        re.IGNORECASE,
    )
    bare = [re.sub(r"^then\s*", "", tail.sub("", part).strip(" ,"), flags=re.IGNORECASE) for part in parts]
    return [part for part in bare if part]


def each_object(order: str, qubits: list[str]) -> list[str]:
    """One order an object where one verb has several: "measure T1 and the echo time of Q2" becomes two orders.

    Only a plain list right behind the verb counts. Behind a preposition, "and" joins parameters.
    """
    verb = VERB.match(order)
    tail = re.search(r"\s+(?:of|on|for)\s", order)
    if verb is None and (tail is None or re.search(r"\b(?:not|don't|no|never|skip|but)\b", order, re.IGNORECASE)):
        return [order]
    begin = verb.end() if verb else 0
    end = tail.start() if tail else len(order)
    listed = order[begin:end]
    objects = [part.strip() for part in re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+", listed) if part.strip()]
    if len(objects) < 2 or PREPOSITION.search(listed) or any(part in qubits for part in objects):
        return [order]
    said = f"{verb.group(0)} " if verb else ""
    return [f"{said}{part}{order[end:]}" for part in _numbers_completed(objects)]


def _numbers_completed(objects: list[str]) -> list[str]:
    """A list that goes on with mere numbers repeats what they are of: "amplitude 0.1, 0.2" has two amplitudes."""
    number = r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?:\s?[A-Za-zµ%]+)?"
    for i, part in enumerate(objects):
        if i and re.fullmatch(number, part) and (found := re.search(rf"(?<!\S){number}$", objects[i - 1])):
            objects[i] = objects[i - 1][: found.start()] + part
    return objects


def each_time(order: str) -> list[str]:
    """The order as often as it says: "measure T1 on Q1 five times" becomes five orders without the count."""
    found = REPEATED.search(order)
    if found is None:
        return [order]
    word = (found["count"] or found["number"]).lower()
    times = int(word) if word.isdigit() else COUNTS[word]
    rest = re.sub(r"\s{2,}", " ", f"{order[: found.start()]} {order[found.end() :]}").strip(" ,")
    return [rest] * times if 1 <= times <= MOST_TIMES else [order]


def qubits_named(text: str, qubits: list[str]) -> list[str]:
    """The qubits of `qubits` that `text` names, in its order."""
    places = [(found.start(), name) for name in qubits if (found := re.search(rf"\b{re.escape(name)}\b", text))]
    return [name for _, name in sorted(places)]


ALL_QUBITS = re.compile(
    r"\b(?:(?:all|every|each)(?: of the| one of the| the| of our| our)?(?: \d+| two| three| four| five"
    r"| sixteen)? qubits?|everything|the whole (?:chip|device|processor))\b",
    re.IGNORECASE,
)


# What is done to several qubits at once, and must not become one order for each.
TOGETHER = re.compile(
    r"\b(?:pairs?|two[- ]qubit|2q|cz|cnot|zz|sizzle|conditional(?:ly)?|cross[- ]?talk|simultaneous(?:ly)?|interleaved"
    r"|entangl\w+|bell|ghz|between|coupl\w+|tomography|stark)\b",
    re.IGNORECASE,
)
PREPARES = re.compile(r"(?:please\s+)?prepare\b", re.IGNORECASE)


def each_qubit(order: str, qubits: list[str]) -> list[str]:
    """One order a qubit where a list of qubits is named: "on Q1 and Q2" becomes two orders."""
    name = "|".join(re.escape(q) for q in sorted(qubits, key=len, reverse=True))
    if not name or (TOGETHER.search(order) and len(qubits_named(order, qubits)) > 1):
        return [order]
    if found := ALL_QUBITS.search(order):
        return [f"{order[: found.start()]}{qubit}{order[found.end() :]}" for qubit in qubits]
    listed = re.search(
        rf"(?:qubits\s+)?\b((?:{name})(?:(?:\s*,\s*|\s+and\s+|\s*,\s*and\s+)(?:(?:of|on|for)\s+)?(?:{name}))+)\b", order
    )
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
