"""The rules mind's routing: weigh the words for each system, and ask where they could mean two things."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from labwright.agents.call import Question
from labwright.agents.front_desk import earlier, particulars, small_talk
from labwright.agents.front_desk.about_runs import runs_wish
from labwright.agents.front_desk.given import RouteIn
from labwright.agents.front_desk.lexicon import DESCRIBING, qubits_in, scores
from labwright.agents.front_desk.wishes import (
    LEFT_BY,
    CalibrationWish,
    DesignWish,
    ForgeWish,
    Part,
    Routed,
    SearchWish,
    System,
    Talk,
    Use,
    Wish,
    WorkWish,
)
from labwright.tools.specifications import short_form
from labwright.tools.specifications.base import SpecificationError
from labwright.tools.specifications.catalogue import library
from labwright.tools.specifications.reading import is_document, read_document

LABELS: dict[System, str] = {
    "lab_calibration": "calibrate or measure a qubit of the processor",
    "feature_map_search": "search a quantum feature map for a data set",
    "tool_forging": "compute it with forged tools",
    "protocol_design": "design a protocol for the liquid handler",
}
Pointed = tuple[Part, re.Match[str]]
UNKNOWN = "I know of no finished run that"
PLANS = (".md", ".yaml", ".yml")
MARGIN = 1.5  # how much stronger the first system's words must be than the second's
_CLAUSE = re.compile(
    r"(?:[.;!?]\s+(?=[A-Z])|,?\s+(?:and(?: then| also)?|then|as well as|plus|afterwards)\s+|;\s*|\n+)", re.IGNORECASE
)
# Words of work that fit several systems: alone they are asked about, not sent away.
_VAGUE = re.compile(
    r"\b(?:calibrat\w*|optimi[sz]\w*|improve|run|measure|prepare|design|search|find|compute|simulate|fit|gates?|kernels?"
    r"|qubits?|samples?|maps?|tools?|usual|again|same|experiment|device|data|start|continue|do it|it|that)\b",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"\b(?:weather|flight|hotel|poem|song|joke|cat|dog|email|e-mail|mail|translate|abstract|letter|essay|news"
    r"|stock market|president|dean|boss|recipe|movie|film|book me|ticket|holiday|vacation|restaurant|football"
    r"|calendar|meeting)\b",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"^\W*(?:(?:hi|hello|hey|please|pls|now|so|ok|could you|can you|would you|please)[,!]?\s+)+(?=\w)", re.IGNORECASE
)
_SEED = re.compile(r",?\s*\b(?:with\s+)?(?:the\s+|a\s+)?seed\s*(?:of|=|:)?\s*\d+", re.IGNORECASE)
_JOINT = re.compile(
    r"^\W*(?:and|to|then|with|for|please|,)*\s*(?=\w)|[\s,]*(?:with|for|from|to|and|on|of|using|use)\s*$", re.I
)


def route(given: RouteIn) -> Routed | Question:
    """What is wanted, or what has to be asked."""
    text = given.message
    if is_document(text) and _system_of(text) == "lab_calibration":
        plan = CalibrationWish(text=text, qubits=[], file="", seed=None, uses=[])
        return Routed(wish=plan, reason="a written plan")
    if is_document(text) and _system_of(text) == "protocol_design":
        return Routed(wish=DesignWish(text=text, file="", control=False, uses=[]), reason="a written protocol")
    if (said := small_talk.note(text)) is not None:
        return Routed(wish=said, reason="asked to keep something in mind")
    if (reply := small_talk.talk(text)) is not None and not given.settled:
        return Routed(wish=reply, reason=reply.topic)
    system = _answered(given)
    pointed = earlier.pointed_part(text)
    if system is None and pointed is None and _in_short_form(text):
        system = "lab_calibration"
    if system is None and (about := runs_wish(given)) is not None:
        return about if isinstance(about, Question) else Routed(wish=about, reason=f"about runs: {about.what}")
    found = system or _decided(given, pointed)
    if isinstance(found, Question | Routed):
        return found
    made = _MAKE[found](given, _uses(given, found))
    return made if isinstance(made, Question) else Routed(wish=made, reason=LABELS[found])


def _system_of(document: str) -> str:
    """The system that a written specification is for; empty if it does not say."""
    try:
        return str(read_document(document).data.get("system", ""))
    except SpecificationError:
        return "lab_calibration" if "lab_calibration" in document else ""  # the run names what is malformed


def _in_short_form(text: str) -> bool:
    """Whether the words are an order in the short form; what a lab adds to it is not known here."""
    if len(text.split()) < 2:  # "calibrate" alone may be meant for another system
        return False
    try:
        short_form.read(text, _shipped())
    except short_form.NotRead:
        return False
    return True


_shipped = cache(library)


def _answered(given: RouteIn) -> System | None:
    """The system that the person named when asked."""
    for said in reversed(given.settled):
        for system, label in LABELS.items():
            if label in said.answer:
                return system
    return None


def _decided(given: RouteIn, pointed: Pointed | None) -> System | Question | Routed:
    """The system that the words mean, a question if that is open, or a reply that it is none of ours."""
    text = given.words
    weights = _pointed(text, *pointed) if pointed else scores(text)
    first, second = sorted(weights, key=lambda system: -weights[system])[:2]
    if weights[first] < DESCRIBING:
        return _nothing(given)
    parts = _separate(text)
    if len(parts) > 1:
        return Question(
            text="These are several pieces of work. With which one shall I begin? Say the others afterwards.",
            options=[LABELS[system] for system in parts],
        )
    if weights[first] <= MARGIN * weights[second] and weights[first] - weights[second] < 4:
        return _which([system for system in LABELS if weights[system] and weights[first] < 3 * weights[system]])
    if weights[first] == DESCRIBING and not (pointed or _specific(first, given)):
        return _which([system for system in LABELS if weights[system]])
    return first


def _pointed(text: str, part: Part, words: re.Match[str]) -> dict[System, int]:
    """A reference says with what work begins, not which work: its own words do not count for the system they name."""
    made = scores(text.replace(words.group(), " "))
    if part in ("feature_map", "protocol"):
        made[LEFT_BY[part]] += 3
    elif max(made.values()) < DESCRIBING and part == "gate":
        made["lab_calibration"] += 1
    return made


def _separate(text: str) -> list[System]:
    """The different systems that separate orders of `text` clearly mean, in order."""
    found: list[System] = []
    for clause in _CLAUSE.split(text):
        weights = scores(clause)
        first, second = sorted(weights, key=lambda system: -weights[system])[:2]
        if weights[first] >= 4 and weights[first] >= 2 * weights[second] + 1 and first not in found:
            found.append(first)
    return found


def _specific(system: System, given: RouteIn) -> bool:
    """Whether weak words are enough: something is named that only this system can work on."""
    text = given.words
    if system == "lab_calibration":
        return bool(qubits_in(text))
    if system == "feature_map_search":
        return bool(particulars.dataset_of(text))
    if system == "tool_forging":
        return len(text.split()) >= 4
    return bool(re.search(r"\d", text)) or bool(particulars.files_in(text))


def _nothing(given: RouteIn) -> System | Question | Routed:
    """No system's words: a file may say what kind of work it is; else ask, or say that it is none of ours."""
    text = given.words
    if not _ELSEWHERE.search(text):
        if particulars.file_of(text, (".npz", ".npy")):
            return "feature_map_search"
        if particulars.file_of(text, particulars.TASKS) and not particulars.files_in(text)[1:]:
            return (
                "tool_forging" if re.search(r"\b(?:question|tasks?|solve|do)\b", text, re.I) else _which(list(LABELS))
            )
        if _VAGUE.search(text):
            return _which(list(LABELS))
    return Routed(wish=Talk(topic="out_of_scope", text=small_talk.OUT_OF_SCOPE), reason="none of the four systems")


def _which(systems: list[System]) -> Question:
    shown = systems if len(systems) > 1 else list(LABELS)
    return Question(text="What do you want me to do?", options=[LABELS[system] for system in shown])


def _uses(given: RouteIn, system: System) -> list[Use] | Question:
    """What the work begins with: parts of earlier runs that the words point at."""
    pointed = earlier.pointed_part(given.message)
    if pointed is None:
        return []
    part = pointed[0]
    source = earlier.source_of(part, given)
    if source is None:
        if any(said.question.startswith(UNKNOWN) for said in given.settled):
            return []  # the answer says what was meant
        meant = pointed[1].group()
        return Question(text=f"{UNKNOWN} left a {part.replace('_', ' ')}. What do you mean by {meant!r}?")
    return [Use(run_id=source.run_id, part=part)]


def _calibrate(given: RouteIn, uses: list[Use] | Question) -> WorkWish | Question:
    if isinstance(uses, Question):
        return uses
    text, file = given.words, particulars.file_of(given.words, PLANS)
    qubits = qubits_in(text)
    known = {run.run_id: run for run in given.runs}
    if uses and not qubits:
        qubits = [name for use in uses for name in known[use.run_id].subject]
    # The run reads the person's words itself: only what the desk took for itself, a seed and a reference, is cut off.
    document = given.message.lstrip().startswith(("#", "---"))
    words = "" if file else given.message if document else _SEED.sub("", _plain(given)).strip(" ,")
    if not words and not file and not qubits:
        return Question(text="Which qubit, and what is to be measured or calibrated?")
    return CalibrationWish(text=words, qubits=qubits, file=file, seed=particulars.seed_of(text), uses=uses)


def _search(given: RouteIn, uses: list[Use] | Question) -> WorkWish | Question:
    if isinstance(uses, Question):
        return uses
    text = given.words
    dataset = particulars.dataset_of(text)
    if not dataset and uses:
        known = {run.run_id: run for run in given.runs}
        dataset = next((name for use in uses for name in known[use.run_id].subject), "")
    if not dataset:
        return Question(text="For which data set? Name `digits`, or a file (.npz, .csv).", options=["digits"])
    idea = particulars.idea_of(given.message)
    return SearchWish(
        dataset=dataset,
        trials=particulars.count_of(text, "trials"),
        ideas=particulars.count_of(text, "ideas"),
        qubits=particulars.count_of(text, "qubits"),
        features=particulars.count_of(text, "features"),
        evaluations=particulars.count_of(text, "evaluations"),
        seed=particulars.seed_of(text),
        idea=idea,
        uses=uses,
    )


def _forge(given: RouteIn, uses: list[Use] | Question) -> WorkWish | Question:
    if isinstance(uses, Question):
        return uses
    text, file = given.words, particulars.file_of(given.words, particulars.TASKS)
    inputs = [name for name in particulars.files_in(text) if name != file]
    words = "" if file else _plain(given, keep=True)
    if not file and len(words.split()) < 3:
        return Question(text="What is to be computed, and what shall be shown?")
    return ForgeWish(
        text=words,
        file=file,
        inputs=inputs,
        toolset=particulars.toolset_of(text),
        mode=particulars.mode_of(text),
        seed=particulars.seed_of(text),
        uses=uses,
    )


def _design(given: RouteIn, uses: list[Use] | Question) -> WorkWish | Question:
    if isinstance(uses, Question):
        return uses
    text, control = given.words, earlier.is_control(given.message)
    file = particulars.file_of(text, (".txt", ".yaml", ".yml", ".csv", ".md"))
    words = "" if file or control else _plain(given)
    if not file and not uses and not re.search(r"\d", words):
        return Question(text="Describe the vials: which substances, how much of each, and what is done with them?")
    return DesignWish(text=words, file=file, control=control, uses=uses)


def _plain(given: RouteIn, *, keep: bool = False) -> str:
    """The order without politeness and, unless `keep`, without the words that point at an earlier run."""
    text = _POLITE.sub("", given.message).strip()
    pointed = earlier.pointed_part(text)
    if pointed and not keep:
        text = _JOINT.sub("", " ".join(pointed[1].re.sub(" ", text, count=1).split())).strip(" ,")
        text = re.sub(r"^(?:use|take|with|using)\s+(?:and\s+)?", "", text, flags=re.IGNORECASE)
    answers = [said.answer for said in given.settled if not any(label in said.answer for label in LABELS.values())]
    return "\n".join(filter(None, [text, *answers]))


_MAKE: dict[System, Callable[[RouteIn, list[Use] | Question], Wish | Question]] = {
    "lab_calibration": _calibrate,
    "feature_map_search": _search,
    "tool_forging": _forge,
    "protocol_design": _design,
}
