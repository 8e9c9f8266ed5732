"""What the words of an instruction say: stems, neutral words, and whether a card's own phrases are among them.

Nothing here names an experiment. What an experiment is called comes from its card; this module knows general lab
English only.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from labwright.agents.lab_calibration.language import VERB, VERBS, without_done
from labwright.agents.lab_calibration.lexicon import NEUTRAL
from labwright.agents.lab_calibration.word_forms import stem, stems, with_joined, words
from labwright.tools.experiments.call import PROCEDURE
from labwright.tools.experiments.wording import descriptions, every_wording, names, wording
from labwright.tools.knowledge.quantities import Mention

# Two labelled paragraphs of a docstring are read as lists of phrases, separated by commas.
ASKED, NOT_FOR = "Asked for as:", "Not for:"
TELLING = 2.85  # what words have to tell together where no phrase is said in full
FEW = 4  # experiments that may share a word of their descriptions for it to tell something
_PLAIN = frozenset(map(stem, "qubit measure number value one two this that what how much is are it on do".split()))
APART = 8  # words that may stand between those of a phrase that no single clause says
_QUBIT = re.compile(r"q\d+")
_JOINING = frozenset(map(stem, "a an the of and for to with in by".split()))  # in a phrase these tell nothing

# Behind these an instruction says why, not what; before "not for" words it says what is not wanted.
PURPOSE = re.compile(
    r",?\s+\b(?:in order to|so that|so as to|because|since(?! (?:yesterday|last|this|then|monday|tuesday"
    r"|wednesday|thursday|friday|morning))"
    r"|to (?:determine|find|see|learn|check|verify|get|estimate))\b(?:(?![.?!]\s).)*",
    re.IGNORECASE | re.DOTALL,
)
# A first clause that states how things are, before one that asks: only the second one orders anything.
_ASKS = (
    r"(?:(?:so|and so|therefore|hence|now),?\s+)?(?:please\b|(?:could|can|would|will) (?:you|we|one)\b"
    r"|perhaps (?:you|we|one)\b|let us\b|let's\b|we (?:should|need|want|would)\b|i (?:need|want|would)\b)"
)
ASKED_LAST = re.compile(
    rf"^(?P<stated>.+?)(?:[,;:.!?]|\s[-–])\s+(?P<asked>{_ASKS}.*|(?:so|therefore|hence)\b(?!\s+that\b).*)$",
    re.IGNORECASE | re.DOTALL,
)
REASONED = re.compile(
    r"^(?:(?:since|because|as|given that|after|before|now that|although|though|even though|even if|while"
    r"|whereas)\b[^,;]*,|check (?:that|whether|if)\b[^,;:]*[,;:])\s*",
    re.IGNORECASE,
)
# What a courteous person adds, and says nothing of the measurement.
COURTESY = re.compile(
    r",?\s*\b(?:by the time (?:i|we)\b|(?:if|when|whenever|as soon as) (?:you|possible|there is|it is)\b)[^,.;:!?]*,?"
    r"|(?:(?<=where )|(?<=what )|(?<=when ))exactly\b|\bwould (?:tell|help|be)\b[^,.;:!?]*$"
    r"|,?\s*\b(?:before|until|by|for) (?:the |my |our |your |this |next |a )?(?:\w+ )?(?:break|lunch|meeting|talk"
    r"|visit|weekend|noon|night|evening|deadline|end of \w+(?: \w+)?)\b"
    r"|,\s*(?:the|its|all|both) [^,.;]*\b(?:is|are)\s+(?:(?:now|already|still|well|all)\s+)*(?:calibrated|fine|good"
    r"|known|done|ok|okay|right|set)(?:\s+(?:now|already|again))?(?=\s*[.!]?$)"
    # where a pulse stands in the sequence
    r"|\bbefore (?:the |each |every )?(?:readout|read-out|measurement)(?=\s*(?:[.,;!?]|$))",
    re.IGNORECASE,
)
# Whoever tells what somebody wants asks for it.
_WANTS = re.compile(
    r"^(?:(?:and|but|so)\s+)?(?:i|we|he|she|they|someone|somebody|(?:my|our|the|his|her|their)\s+(?:\w+\s+){1,2}?)\s*"
    r"(?:was |were |am |is |are )?(?:wants?|needs?|requires?|(?:asks?|asked)(?: me)? (?:for|to)|told(?: me)? to"
    r"|would like|interested in)\s+(?:to (?:see|have|know)\s+)?",
    re.IGNORECASE,
)
_IT = re.compile(
    rf"(?:(?:please|so|then|now|but|and|could you|can you|would you)\s+)*{VERB.pattern}.*\b(?:it|this|that|one)\b",
    re.IGNORECASE,
)
_SO_ASKED = re.compile(rf"[,;]\s*(?:so|therefore|hence|and|but)\s+{_ASKS}", re.IGNORECASE)
_PRONOUN = re.compile(
    rf"\b(?:repeat|redo|{'|'.join(VERBS)})\s+(?:it|this|that|them|these|those|both)(?:\s+(?:one|measurement))?\b",
    re.IGNORECASE,
)
# Where one clause ends; a sentence's end counts for more.
CLAUSE = re.compile(
    rf"(?P<end>[.;!?]+(?:\s+|$))|[,()]+\s+|(?<=:)\s+|\s[-–]\s|\s+(?=(?:before|after|because|since|if|when|while"
    rf"|although|who|which|that)\b)|\s+(?={_ASKS})",
    re.IGNORECASE,
)
# A clause that begins so states something; one that begins with a bare verb or noun asks for something.
_STATING = re.compile(
    r"(?:(?:and|but|so|or|well|yes|no)\s+)?(?:i|we|you|he|she|they|it|someone|somebody|this|that|these|those"
    r"|there|the|a|an"
    r"|my|our|your|his|her|its|their|in|on|at|by|for|from|with|during|after|before|since|if|when|while|as|because"
    r"|although|though|until|once|what|which|who|where|how|why|is|are|was|were|has|have|had|not|somehow|apparently"
    r"|yesterday|today|tomorrow|last|sorry|hi|hello|dear|thanks|thank)\b|\w+ed\b",
    re.IGNORECASE,
)
# A noun and its verb state, too: "Fridge is cold". Behind a bare verb there stands what it is done to: "Print the ...".
_FINITE = re.compile(
    r"^(?!\S+\s+(?:the|a|an|my|our|your|this|that|these|those|all|some|me|us|it|them|him|her)\b).*\b(?:is|are"
    r"|was|were|has"
    r"|have|had|looks?|seems?|feels?|needs?|became|got|went|came|works?|worked|failed|does|did|will|should)\b",
    re.IGNORECASE,
)
# "Compare sequences with and without the gate" orders both; to compare results orders nothing.
_BOTH = re.compile(r"\bcompare(?=\s+(?:\w+\s+){0,3}?with (?:and|or|versus) without\b)", re.IGNORECASE)
REJECTED = re.compile(
    r",?\s*\b(?:not|rather than|instead of|but no)\s+(?:a|an|the)\s+[^,.;]*|\b(?:nothing|non|not"
    r"|no)[ -]interleav\w*|,\s*(?:and )?not\s+(?!updat|writ|sav|chang|touch|stor|overw)[^,.;]*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Phrases:
    """What a card says of itself, as stems.

    Attributes:
        asked: its name and the phrases under which it is asked for.
        excluded: phrases that ask for something else.
        never: those of `excluded` that no other words outweigh.
        vocabulary: the stems of name, summary and phrases, and of what else explains words.
    """

    asked: tuple[frozenset[str], ...]
    excluded: tuple[frozenset[str], ...]
    vocabulary: frozenset[str]
    never: frozenset[frozenset[str]] = frozenset()


def phrases_of(name: str, docstring: str, more: Iterable[str] = ()) -> Phrases:
    """Read a card's docstring; `more` is further text that explains words (parameters, their descriptions)."""
    return _phrases_of(name, docstring, tuple(more))


@lru_cache(maxsize=1024)
def _phrases_of(name: str, docstring: str, more: tuple[str, ...]) -> Phrases:
    said = wording(name)
    asked = [*(listed(docstring, ASKED) or _heading(docstring)), *said.asked]
    excluded = [*listed(docstring, NOT_FOR), *said.not_for, *said.never]
    # The prose below the summary speaks of other experiments too ("after frequency and amplitude are calibrated"), so
    # that a second order in the instruction would seem explained. It is for people and models.
    bare = name.removeprefix(f"{PROCEDURE}:")
    vocabulary = with_joined(stems(" ".join([bare, docstring.partition("\n")[0], *asked, *more])))
    # Hyphenated words are also written as one: "ping-pong" is asked for as "pingpong".
    written = [bare, *asked, *(phrase.replace("-", "") for phrase in asked if "-" in phrase)]
    every = dict.fromkeys(_telling(phrase) for phrase in written)
    return Phrases(
        tuple(phrase for phrase in every if phrase),
        tuple(frozenset(stems(phrase)) for phrase in excluded if stems(phrase)),
        vocabulary,
        frozenset(frozenset(stems(phrase)) for phrase in said.never),
    )


def best_phrase(phrases: Iterable[frozenset[str]], said: frozenset[str]) -> frozenset[str]:
    """The most telling phrase that is said in full; empty if none."""
    return max((phrase for phrase in phrases if phrase <= said), key=weight, default=frozenset())


def weight(said: Iterable[str]) -> float:
    """How much stems tell together: each counts the less, the more shipped experiments use it in their phrases."""
    return round(sum(1 if part in _name_words() else 1 / math.sqrt(_uses().get(part, 1)) for part in set(said)), 6)


def telling(text: str, name: str, phrases: Phrases, qubits: Iterable[str], few: bool) -> frozenset[str]:
    """The words of `text` by which it speaks of `name`, which has these `phrases`; none if they tell too little.

    With `few`, two words are enough that are no general lab English.
    """
    known = phrases.vocabulary | _described_words().get(name, frozenset())
    found = (with_joined(spoken(text, qubits)) & known) - _JOINING - _PLAIN
    single = (frozenset(spoken(text, qubits)) & found) - frozenset(map(stem, NEUTRAL))
    enough = weight(found) >= TELLING or (few and len(single) > 1)
    return found if enough else frozenset()


@cache
def _name_words() -> frozenset[str]:
    """Stems that alone name an experiment, and stand in its very name: Rabi, DRAG, echo."""
    own = (part for name in names() if not name.startswith(PROCEDURE) for part in stems(name))
    return task_words() & frozenset(own)


@cache
def task_words() -> frozenset[str]:
    """Stems each of which alone names a shipped experiment or procedure."""
    every = (frozenset(stems(phrase)) for entry in every_wording() for phrase in entry.asked)
    return frozenset(part for phrase in every if len(phrase) == 1 for part in phrase) | {"rabi", "ramsey", "t1"}


@cache
def asked_words() -> frozenset[str]:
    """Stems under which, or in whose description, something is asked for."""
    described = (part for name in names() for sentence in descriptions(name) for part in stems(sentence))
    return frozenset(_uses()) | frozenset(described)


@cache
def _described_words() -> dict[str, frozenset[str]]:
    """Of each experiment, the stems of its descriptions that few others have, general lab English left out."""
    plain = frozenset(map(stem, NEUTRAL))
    own = {name: frozenset(part for text in descriptions(name) for part in stems(text)) - plain for name in names()}
    uses = Counter(part for parts in own.values() for part in parts)
    return {name: frozenset(part for part in parts if uses[part] <= FEW) for name, parts in own.items()}


@cache
def _uses() -> dict[str, int]:
    entries = [frozenset(part for phrase in entry.asked for part in stems(phrase)) for entry in every_wording()]
    return Counter(part for entry in entries for part in entry)


def spoken(text: str, qubits: Iterable[str] = ()) -> list[str]:
    """The stems of `text` in order, each qubit's name as the word `qubit`."""
    names = {qubit.lower() for qubit in qubits}
    return ["qubit" if word in names or _QUBIT.fullmatch(word) else stem(word) for word in words(text)]


def ruled_out(phrases: Phrases, text: str, asked: frozenset[str], nowhere: bool = False) -> bool:
    """Whether `text` says a phrase that asks for something else: its words close together, and not within `asked`.

    With `nowhere`, only phrases with a word under which nothing at all is asked for: what no experiment here does.
    """
    parts = stems(text)
    for phrase in phrases.excluded:
        if nowhere and phrase <= asked_words() and phrase not in phrases.never:
            continue
        reach = len(phrase) + 2
        windows = (with_joined(parts[i : i + reach]) for i in range(max(len(parts) - reach, 0) + 1))
        if not phrase <= asked and any(phrase <= window for window in windows):
            return True
    return False


def without(text: str, spans: Iterable[Mention]) -> str:
    """`text` with the numbers of `spans` blanked out."""
    for mention in spans:
        text = text[: mention.start] + " " * (mention.end - mention.start) + text[mention.end :]
    return text


def main_clause(text: str) -> str:
    """`text` without the part that only says why, and without what it rules out."""
    return PURPOSE.sub(
        "", REJECTED.sub("", COURTESY.sub(" ", _WANTS.sub("", _BOTH.sub("measure", without_done(text)))))
    )


def phrase_in(text: str, phrases: Iterable[frozenset[str]], qubits: Iterable[str] = ()) -> frozenset[str]:
    """The most telling phrase that a clause of `text` says in full, or a sentence close together; empty if none."""
    return _phrase_in(text, tuple(phrases), tuple(qubits))


@lru_cache(maxsize=8192)
def _phrase_in(text: str, known: tuple[frozenset[str], ...], names: tuple[str, ...]) -> frozenset[str]:
    """The longest phrase that one clause of `text` says in full, or else its words close together; empty if none."""
    by_clause = (best_phrase(known, with_joined(spoken(clause, names))) for clause, _ in _clauses(text))
    near = (_close(spoken(sentence, names), known) for sentence in re.split(r"[.;!?]+\s+", text))
    return max(*by_clause, *near, frozenset(), frozenset(), key=weight)


def _close(parts: list[str], phrases: tuple[frozenset[str], ...]) -> frozenset[str]:
    """The most telling phrase whose words stand close together in `parts`, whatever clause they are in."""
    said = with_joined(parts)
    found = frozenset[str]()
    for phrase in phrases:
        reach = len(phrase) + APART
        spans = (with_joined(parts[i : i + reach]) for i in range(max(len(parts) - reach, 0) + 1))
        if phrase <= said and weight(phrase) > weight(found) and any(phrase <= span for span in spans):
            found = phrase
    return found


def accountable(text: str, phrase: frozenset[str], qubits: Iterable[str] = ()) -> str:
    """The clauses of `text` whose every word has to be explained: the one that says `phrase`, and what orders more.

    A clause before it, or a sentence behind it, that only states something is left out. What stands behind it in the
    same sentence belongs to the measurement, and stays.
    """
    clauses, names = _clauses(text), tuple(qubits)
    said = [with_joined(spoken(clause, names)) for clause, _ in clauses]
    place = next((i for i, words_said in enumerate(said) if phrase <= words_said), None)
    if place is None:
        return text
    kept, ended = [], False
    for i, (clause, ends) in enumerate(clauses):
        aside = i < place or (i > place and ended)
        # "I do not trust its T1, measure it again" orders the second clause only
        told = i == place and states(clause) and any(_IT.match(other) for other, _ in clauses if other != clause)
        if not told and not (aside and states(clause)):
            kept.append(_WANTS.sub("", clause))
        ended = ended or (i >= place and ends)
    return " ".join(kept)


def states(clause: str) -> bool:
    label = clause.endswith(":") and len(words(clause)) <= 2  # "Task: measure T1"
    return label or bool(_STATING.match(clause) or (_FINITE.match(clause) and not VERB.match(clause)))


def _clauses(text: str) -> list[tuple[str, bool]]:
    """The clauses of `text`, and whether a sentence ends behind each."""
    found, begin = [], 0
    for boundary in CLAUSE.finditer(text):
        if part := text[begin : boundary.start()].strip():
            found.append((part, boundary["end"] is not None))
        elif found and boundary["end"] is not None:
            found[-1] = (found[-1][0], True)
        begin = boundary.end()
    if part := text[begin:].strip():
        found.append((part, True))
    return found


def unreasoned(text: str) -> str:
    """`text` without a first clause that says why or when."""
    return REASONED.sub("", text.strip())


def asked_part(text: str) -> str:
    """The sentences of `text` that ask for something, unless they ask for "it", which stands in another one."""
    asked = requests(text)
    return text if _PRONOUN.search(asked) else asked


def requests(text: str) -> str:
    """The sentences of `text` that ask for something, where others only state how things are; else all of it."""
    sentences = [part for part in re.split(r"(?<=[.!?;])\s+", text.strip()) if part]
    asking = [part for part in sentences if is_request(part)]
    if not asking or len(asking) == len(sentences):
        return text
    return " ".join(part for part in sentences if is_request(part) or not states(part))


def is_request(sentence: str) -> bool:
    """Whether a sentence asks or orders."""
    return bool(VERB.match(sentence) or re.match(_ASKS, sentence, re.IGNORECASE) or _SO_ASKED.search(sentence)) or (
        sentence.rstrip().endswith("?") or bool(re.search(r"[,:]\s*(?:so\s+)?please\b", sentence, re.IGNORECASE))
    )


def request(text: str) -> str:
    """The part of `text` that asks for something, where what comes before only states how things are.

    "The line has moved, so please scan the resonator" asks for a scan. An order before it stays: a second order must
    not be lost.
    """
    text = REASONED.sub("", text.strip())
    found = ASKED_LAST.match(text)
    return found["asked"] if found and not _orders(found["stated"]) else text


def _orders(text: str) -> bool:
    """Whether a sentence of `text` begins as an order or a request does."""
    parts = re.split(r"[,;:.!?]\s+", text)
    return any(VERB.match(part) or re.match(_ASKS, part, re.IGNORECASE) for part in parts)


def _telling(phrase: str) -> frozenset[str]:
    parts = stems(phrase)
    return frozenset(part for part in parts if part not in _JOINING) or frozenset(parts)


def _heading(docstring: str) -> list[str]:
    """Of a docstring without a list of phrases: what its first line calls the thing, also in parentheses."""
    head = docstring.partition("\n")[0].partition(":")[0]
    return [re.sub(r"\([^)]*\)", "", head), *re.findall(r"\(([^)]*)\)", head)]


def listed(docstring: str, label: str) -> list[str]:
    """The comma-separated phrases of the paragraph `label`, on one line each."""
    match = re.search(rf"{label}(.*?)(?:\n\s*\n|$)", docstring, re.DOTALL)
    return [" ".join(part.split()).strip(" .") for part in re.split(r"[,;]", match[1])] if match else []
