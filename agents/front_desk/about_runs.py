"""Questions about runs, read from words: what they cost, how they stand, what came of them."""

from __future__ import annotations

import re

from labwright.agents.call import Question
from labwright.agents.front_desk.earlier import day_in, narrowed, newest_first
from labwright.agents.front_desk.given import KnownRun, RouteIn
from labwright.agents.front_desk.lexicon import qubits_in
from labwright.agents.front_desk.wishes import Asked, RunsWish

_RUN = r"(?:runs?|jobs?|search(?:es)?|calibrations?|designs?|protocols?|forging|one|experiments?|work)"
_PATTERNS: dict[Asked, tuple[str, ...]] = {
    "cost": (
        r"\b(?:what|how much)\b.{0,40}\b(?:cost|costs|spent|spend|pay|paid|tokens?|money)\b",
        r"\bcosts? so far\b|\bhow much \W*so far|\b(?:token|money) (?:usage|use)\b|\bhow expensive\b",
    ),
    "list": (
        r"\b(?:show|list|see|display|give)\b(?: me)? (?:all )?(?:of )?"
        r"(?:my|the|our|all|earlier|previous|old|past|recent)? ?"
        rf"{_RUN}\s*(?:so far|please|again)?\W*$",
        rf"\b(?:what|which) {_RUN}\b.{{0,30}}\b(?:have|are|there|exist|did)\b|\bmy runs\b",
    ),
    "compare": (
        r"\bcompar(?:e|ed|ison)\b|\b(?:difference|what changed) (?:between|since)\b",
        r"\b(?:better|worse|different)\b.{0,30}\bthan\b.{0,30}\b(?:yesterday|last|before|previous|run)\b",
    ),
    "pause": (
        r"^\W*(?:please )?(?:pause|stop|halt|interrupt|hold)\b(?: (?:the|that|this|my|all|it|everything|Q\d+))*"
        rf"(?: {_RUN})?(?: of Q\d+)?\W*$",
    ),
    "resume": (
        r"^\W*(?:please )?(?:resume|continue|go on with|carry on with)\b"
        r"(?: (?:the|that|this|my|last|stopped|paused|it))*"
        rf"(?: {_RUN})?(?: of Q\d+)?\W*$",
    ),
    "status": (
        rf"\bhow (?:is|are|goes|far)\b.{{0,40}}\b(?:going|doing|coming|along|is|are|{_RUN})\b",
        r"\b(?:still|yet) (?:going|running|working|busy)\b",
        r"\b(?:is|are)\b.{0,40}\b(?:done|finished|ready|running)\b.{0,10}\?",
        r"\b(?:status|progress) of\b|^\W*(?:status|progress)\W*$|\bhow long (?:will|does|until)\b",
    ),
    "result": (
        r"\bwhy (?:did|has|is|was)\b.{0,40}\b(?:fail\w*|stop\w*|refus\w*|end\w*)\b",
        r"\bwhat (?:was|were|is|are|came)\b.{0,40}\b(?:results?|outcome|out of|findings?|found|report)\b",
        r"\b(?:show|give|tell|where)\b.{0,30}\b(?:results?|report|figures?|plots?|files?)\b",
        r"\bwhat happened (?:to|with|in)\b",
        r"\bwhat did (?:you|it|that|the .{0,20}) (?:find|measure|do|say)\b",
        rf"\bhow did .{{0,30}}{_RUN}? (?:go|end)\b",
    ),
}
_COMPILED = {asked: re.compile("|".join(parts), re.IGNORECASE) for asked, parts in _PATTERNS.items()}
_ALL = re.compile(r"\b(?:all|every|so far|runs|together|in total|everything)\b", re.IGNORECASE)
_LAST = re.compile(r"\b(?:last|latest|newest|that|it|this|the run|just)\b", re.IGNORECASE)
_FAILED = re.compile(r"\bfail\w*", re.IGNORECASE)
LONGEST = 160  # characters; a longer message is a task that happens to speak of costs or comparisons


def runs_wish(given: RouteIn) -> RunsWish | Question | None:
    """What is asked about runs; None if nothing is."""
    text = given.words
    if len(text) > LONGEST:
        return None
    asked = next((asked for asked, pattern in _COMPILED.items() if pattern.search(text)), None)
    if asked is None:
        return None
    if asked == "compare":
        return _compared(given)
    if asked in ("cost", "list"):
        return RunsWish(what=asked, runs=_named(given) if asked == "cost" else [])
    return RunsWish(what=asked, runs=_meant(given, asked))


def _named(given: RouteIn) -> list[str]:
    """The runs that a question of costs names; empty for all of the conversation."""
    if _ALL.search(given.message) or not (qubits_in(given.message) or day_in(given.message, given.today)):
        return []
    return [run.run_id for run in narrowed(given.message, given.runs, given.today)]


def _meant(given: RouteIn, asked: Asked) -> list[str]:
    """The one run that a question is about: the newest that fits."""
    fitting = newest_first(narrowed(given.words, given.runs, given.today))
    if asked == "result" and _FAILED.search(given.words):
        fitting = [run for run in fitting if run.status in ("failed", "refused", "stopped", "dead")] or fitting
    if asked in ("status", "pause"):
        fitting = [run for run in fitting if run.status in ("running", "interrupted")] or fitting
    if asked == "resume":
        fitting = [run for run in fitting if run.status in ("stopped", "interrupted", "dead")] or fitting
    if asked == "pause" and _ALL.search(given.message):
        return [run.run_id for run in fitting]
    return [run.run_id for run in fitting[:1]]


def _compared(given: RouteIn) -> RunsWish | Question | None:
    """Two runs: the ones that are named, or the newest and the one run of the day that is named, or the one before."""
    ordered, text = newest_first(given.runs), given.words
    if ids := [run.run_id for run in ordered if run.run_id in text]:
        return RunsWish(what="compare", runs=_pair(ids, ordered))
    if not ordered:
        return RunsWish(what="compare", runs=[])
    about = narrowed(_without_days(text, given), ordered, given.today)
    day = day_in(text, given.today)
    newest = next((run for run in about if day is None or not run.started.startswith(day)), None)
    if newest is None:
        return RunsWish(what="compare", runs=[run.run_id for run in about[:2]])
    others = [run for run in about if run != newest and (day is None or run.started.startswith(day))]
    if day is None:
        others = [run for run in others if run.system == newest.system][:1]
    if len(others) > 1:
        options = [f"{run.run_id} ({run.asked[:40]})" for run in others]
        return Question(text=f"Which run of {day} is meant?", options=options)
    return RunsWish(what="compare", runs=[newest.run_id, *(run.run_id for run in others)])


def _pair(ids: list[str], ordered: list[KnownRun]) -> list[str]:
    rest = [run.run_id for run in ordered if run.run_id not in ids]
    return [*rest[:1], *ids] if len(ids) == 1 else ids[:2]


def _without_days(text: str, given: RouteIn) -> str:
    day = day_in(text, given.today)
    return re.sub(r"(?i)yesterday|today|this morning", "", text).replace(day or "\0", "")
