"""What the words of an instruction say: stems, neutral words, and whether a card's own phrases are among them.

Nothing here names an experiment. What an experiment is called comes from its card; this module knows general lab
English only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from labwright.agents.lab_calibration.language import VERB
from labwright.tools.knowledge.quantities import Mention

# Two labelled paragraphs of a docstring are read as lists of phrases, separated by commas.
ASKED, NOT_FOR = "Asked for as:", "Not for:"

_SUFFIXES = (
    "izations isations ization isation izing ising ized ised izes ises ize ise ations ation ating ated ates ate"
    " ities ity ions ion ings ing ely ly ed es s e"
).split()
# Words that mean the same in a lab, folded into one. Verbs of adjusting are one verb.
_SAMENESS = {
    word: target
    for target, words in {
        "calibrate": "recalibrate optimize optimise adjust tune tuneup retune correct cal calib recal",
        "coarse": "coarsely rough roughly approximate approximately crude crudely",
        "fine": "finely precise precisely accurate accurately exact exactly",
        "frequency": "frequencies f01 freq",
        "randomize": "random",
        "characterize": "characterise characterisation characterization",
        "resonator": "cavity res",
        "clifford": "cliffords",
        "infidelity": "error",
        # how a notebook writes them
        "spectroscopy": "spec",
        "amplitude": "amp",
        "conditional": "cond",
        "bring": "brought",
        "point": "pts pt",
        "repetition": "reps rep",
        "iteration": "iter iters",
    }.items()
    for word in words.split()
}
_NEUTRAL = (
    # function words
    "a an the this that these those it its itself one of on in at to from for by with within into onto over across and"
    " or then so as is are was be been being am do does did done doing has have had can could will would shall should"
    " may might must not no if which what where when how why who whose me my i we us our you your they them their"
    " there here about around per each every all any some both also just only very really please thanks thank"
    " up out off down till until through using use used via let lets want wants need needs like well much many long"
    " now again once more next first second final finally last new same own kindly quickly quick ahead go after before"
    # talk about measuring, true of every experiment
    " run runs running perform conduct execute carry carried start launch begin make take get give see show tell know"
    " measure measurement measurements experiment experiments test check find found determine obtain estimate"
    " extract look locate search identify figure study examine investigate monitor watch record acquire collect repeat"
    " do try set setup value values parameter parameters result results setting settings data routine sequence"
    " sequences standard usual default normal typical current good best right proper properly suggested longer shorter"
    " wider narrower scan scans sweep sweeping scanning swept plot curve fit fitting number qubit qubits transmon dut"
    " device chip target single belonging its keeping equal starting ending going updated update job procedure"
    " measured known following given experiment's time times point way kind much"
    # sweeps, whose numbers are placed elsewhere, and verbs that only lead up to a purpose
    " span width wide window range point points step steps size sample samples between"
    " reduce minimise improve remove avoid lose ensure compare confirm understand decide help prefer become stay"
    " redo rerun retry retake remeasure max min maximum minimum longest shortest highest lowest"
    # letters and small talk, what one thinks, and why one asks
    " hi hello hey dear good morning afternoon evening day everyone colleagues team folks cheers regards greetings thx"
    " would glad happy nice great lovely love okay ok appreciate appreciated grateful favour favor sorry wish"
    " possible possibly perhaps maybe probably likely certainly surely hopefully apparently sure able kind mind"
    " think thought believe guess suspect assume suppose hope wonder wondering wondered curious interested seem seems"
    " appear appears feel impression idea question today tonight currently moment minute soon already still yet lately"
    " recently meanwhile fresh bit little slightly somewhat rather quite fairly some few less least most enough"
    " sufficient almost nearly about because therefore thus hence although though but while than else other another"
    " moved drifted shifted jumped lost strange odd unclear unknown uncertain stale sit sits sitting lie lies located"
    " stand stands somewhere anywhere got taken took made draw w one during verify report implement quantify back ask"
    " asking say said mean meant told plus minus too such available ready allowed anew large big small high low"
    " suffice suffices something middle"
).split()
NEUTRAL = frozenset(_NEUTRAL)
# Behind these an instruction says why, not what; before "not for" words it says what is not wanted.
PURPOSE = re.compile(
    r",?\s+\b(?:in order to|so that|so as to|because|since"
    r"|to (?:determine|find|see|learn|check|verify|get|estimate))\b.*$",
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
    r"^(?:(?:since|because|as|given that|after|now that)\b[^,;]*,|check (?:that|whether|if)\b[^,;:]*[,;:])\s*",
    re.IGNORECASE,
)
# What a courteous person adds, and says nothing of the measurement.
COURTESY = re.compile(
    r",?\s*\b(?:by the time (?:i|we)\b|(?:if|when|whenever|as soon as) (?:you|possible|there is|it is)\b)[^,.;:!?]*,?"
    r"|(?:(?<=where )|(?<=what )|(?<=when ))exactly\b|\bwould (?:tell|help|be)\b[^,.;:!?]*$",
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
# Where one clause ends; a sentence's end counts for more.
CLAUSE = re.compile(
    rf"(?P<end>[.;!?]+(?:\s+|$))|[,()]+\s+|(?<=:)\s+|\s[-–]\s|\s+(?=(?:before|after|because|since|if|when|while|although|who|which|that)\b)|\s+(?={_ASKS})",
    re.IGNORECASE,
)
# A clause that begins so states something; one that begins with a bare verb or noun asks for something.
_STATING = re.compile(
    r"(?:(?:and|but|so|or|well|yes|no)\s+)?(?:i|we|you|he|she|they|it|someone|somebody|this|that|these|those|there|the|a|an"
    r"|my|our|your|his|her|its|their|in|on|at|by|for|from|with|during|after|before|since|if|when|while|as|because"
    r"|although|though|until|once|what|which|who|where|how|why|is|are|was|were|has|have|had|not|somehow|apparently"
    r"|yesterday|today|tomorrow|last|sorry|hi|hello|dear|thanks|thank)\b|\w+ed\b",
    re.IGNORECASE,
)
# A noun and its verb state, too: "Fridge is cold". Behind a bare verb there stands what it is done to: "Print the ...".
_FINITE = re.compile(
    r"^(?!\S+\s+(?:the|a|an|my|our|your|this|that|these|those|all|some|me|us|it|them|him|her)\b).*\b(?:is|are|was|were|has"
    r"|have|had|looks?|seems?|feels?|needs?|became|got|went|came|works?|worked|failed|does|did|will|should)\b",
    re.IGNORECASE,
)
REJECTED = re.compile(r",?\s*\b(?:not|rather than|instead of|but no)\s+(?:a|an|the)\s+[^,.;]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Phrases:
    """What a card says of itself, as stems.

    Attributes:
        asked: its name and the phrases under which it is asked for.
        excluded: phrases that ask for something else.
        vocabulary: the stems of name, summary and phrases, and of what else explains words.
    """

    asked: tuple[frozenset[str], ...]
    excluded: tuple[frozenset[str], ...]
    vocabulary: frozenset[str]


_OWN_ROOT = frozenset({"timing"})  # a thing that is done to gates, while "time" is a word of every sweep


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """The word's root: one for `calibrate`, `calibration`, `calibrating`; British spelling as American."""
    root = _root(word)
    return _SAME.get(root, _SAME.get(root.removeprefix("re"), root))


def _root(word: str) -> str:
    if word in _OWN_ROOT:
        return word
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3 and not word.endswith("ss"):
            bare = word.removesuffix(suffix)
            return bare[:-1] if len(bare) > 4 and bare[-1] == bare[-2] and suffix in ("ing", "ed") else bare
    return word


_SAME = {_root(word): _root(target) for word, target in _SAMENESS.items()}
_NEUTRAL_STEMS = frozenset(stem(word) for word in NEUTRAL)


_SHORT = {"spec": "spectroscopy", "cal": "calibration", "calib": "calibration", "amp": "amplitude", "freq": "frequency"}
_SHORT |= {"res": "resonator", "cond": "conditional", "rb": "randomized benchmarking", "ro": "readout"}


def written_out(text: str) -> str:
    """`text` with the usual abbreviations of a notebook in full, for a search that knows whole words."""
    return re.sub(r"\b[A-Za-z]+\b", lambda found: _SHORT.get(found[0].lower(), found[0]), text)


def words(text: str) -> list[str]:
    """The words of `text` in lower case, split at hyphens and underscores; T2* becomes one word."""
    text = re.sub(r"['’]s\b", "", text)
    text = re.sub(r"\b([12])q\b", lambda found: "single qubit" if found[1] == "1" else "two qubit", text, flags=re.I)
    text = re.sub(r"\b[Tt] (one|two)\b", lambda found: "T1" if found[1] == "one" else "T2", text)  # as it is spoken
    text = re.sub(r"\b(T|t)ime (?=the\b|a\b|an\b|its\b)", r"\1iming ", text)  # the verb: to time a gate
    spaced = text.replace("T2*", "T2star").replace("t2*", "t2star").replace("_", " ").replace("-", " ")
    return re.findall(r"[a-zµ]+\d*[a-z]*|\d+(?:\.\d+)?", spaced.lower())


def stems(text: str) -> list[str]:
    """Stems in order, function words included."""
    return [stem(word) for word in words(text)]


def with_joined(parts: list[str]) -> frozenset[str]:
    """The stems and every two neighbours written as one, so that `ping pong` holds `pingpong`."""
    return frozenset(parts) | {left + right for left, right in pairwise(parts)}


def phrases_of(name: str, docstring: str, more: Iterable[str] = ()) -> Phrases:
    """Read a card's docstring; `more` is further text that explains words (parameters, their descriptions)."""
    return _phrases_of(name, docstring, tuple(more))


@lru_cache(maxsize=1024)
def _phrases_of(name: str, docstring: str, more: tuple[str, ...]) -> Phrases:
    asked = listed(docstring, ASKED) or _heading(docstring)
    excluded = listed(docstring, NOT_FOR)
    # The prose below the summary speaks of other experiments too ("after frequency and amplitude are calibrated"), so
    # that a second order in the instruction would seem explained. It is for people and models.
    vocabulary = with_joined(stems(" ".join([name, docstring.partition("\n")[0], *asked, *more])))
    # Hyphenated words are also written as one: "ping-pong" is asked for as "pingpong".
    written = [name, *asked, *(phrase.replace("-", "") for phrase in asked if "-" in phrase)]
    every = [_telling(phrase) for phrase in written]
    return Phrases(
        tuple(phrase for phrase in every if phrase),
        tuple(frozenset(stems(phrase)) for phrase in excluded if stems(phrase)),
        vocabulary,
    )


def best_phrase(phrases: Iterable[frozenset[str]], said: frozenset[str]) -> frozenset[str]:
    """The longest phrase that is said in full; empty if none."""
    return max((phrase for phrase in phrases if phrase <= said), key=len, default=frozenset())


def ruled_out(phrases: Phrases, text: str, asked: frozenset[str]) -> bool:
    """Whether `text` says a phrase that asks for something else: its words close together, and not within `asked`."""
    parts = stems(text)
    for phrase in phrases.excluded:
        reach = len(phrase) + 2
        windows = (with_joined(parts[i : i + reach]) for i in range(max(len(parts) - reach, 0) + 1))
        if not phrase <= asked and any(phrase <= window for window in windows):
            return True
    return False


def unexplained(text: str, known: frozenset[str], qubits: Iterable[str]) -> list[str]:
    """Words of `text` that neither the card nor general lab English accounts for, in order."""
    names = {qubit.lower() for qubit in qubits}
    parts = words(text)
    found = []
    for i, word in enumerate(parts):
        root = stem(word)
        if word in ("two", "both", "three") and not "".join(parts[i + 1 : i + 2]).startswith("qubit"):
            continue  # two states, two blobs; two qubits are another matter
        joined = {stem(a) + stem(b) for a, b in zip(parts[max(0, i - 1) : i + 1], parts[i : i + 2], strict=False)}
        if word in names or word in NEUTRAL or root in _NEUTRAL_STEMS or root in known or joined & known:
            continue
        # A qubit that the device lacks is found by the checks, which can name the ones it has.
        if not word[0].isdigit() and not re.fullmatch(r"q\d+", word):
            found.append(word)
    return found


def without(text: str, spans: Iterable[Mention]) -> str:
    """`text` with the numbers of `spans` blanked out."""
    for mention in spans:
        text = text[: mention.start] + " " * (mention.end - mention.start) + text[mention.end :]
    return text


def main_clause(text: str) -> str:
    """`text` without the part that only says why, and without what it rules out."""
    return PURPOSE.sub("", REJECTED.sub("", COURTESY.sub(" ", _WANTS.sub("", text.strip()))))


def phrase_in(text: str, phrases: Iterable[frozenset[str]]) -> frozenset[str]:
    """The longest phrase that one clause of `text` says in full, or else the whole of it; empty if none."""
    known = tuple(phrases)
    by_clause = (best_phrase(known, with_joined(stems(clause))) for clause, _ in _clauses(text))
    return max(by_clause, key=len, default=frozenset()) or best_phrase(known, with_joined(stems(text)))


def accountable(text: str, phrase: frozenset[str]) -> str:
    """The clauses of `text` whose every word has to be explained: the one that says `phrase`, and what orders more.

    A clause before it, or a sentence behind it, that only states something is left out. What stands behind it in the
    same sentence belongs to the measurement, and stays.
    """
    clauses = _clauses(text)
    said = [with_joined(stems(clause)) for clause, _ in clauses]
    place = next((i for i, words_said in enumerate(said) if phrase <= words_said), None)
    if place is None:
        return text
    kept, ended = [], False
    for i, (clause, ends) in enumerate(clauses):
        aside = i < place or (i > place and ended)
        # "I do not trust its T1, measure it again" orders the second clause only
        told = i == place and _states(clause) and any(_IT.match(other) for other, _ in clauses if other != clause)
        if not told and not (aside and _states(clause)):
            kept.append(_WANTS.sub("", clause))
        ended = ended or (i >= place and ends)
    return " ".join(kept)


def _states(clause: str) -> bool:
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
    telling = frozenset(part for part in parts if part not in _NEUTRAL_STEMS)
    return telling or frozenset(parts)


def _heading(docstring: str) -> list[str]:
    """Of a docstring without a list of phrases: what its first line calls the thing, also in parentheses."""
    head = docstring.partition("\n")[0].partition(":")[0]
    return [re.sub(r"\([^)]*\)", "", head), *re.findall(r"\(([^)]*)\)", head)]


def listed(docstring: str, label: str) -> list[str]:
    """The comma-separated phrases of the paragraph `label`, on one line each."""
    match = re.search(rf"{label}(.*?)(?:\n\s*\n|$)", docstring, re.DOTALL)
    return [" ".join(part.split()).strip(" .") for part in re.split(r"[,;]", match[1])] if match else []
