"""The agent at the front desk: one message in, one typed wish out."""

from __future__ import annotations

import re

from labwright.agents.call import AgentCall
from labwright.agents.front_desk import particulars
from labwright.agents.front_desk.given import RouteIn
from labwright.agents.front_desk.lexicon import qubits_in
from labwright.agents.front_desk.route_policy import route
from labwright.agents.front_desk.wishes import (
    LEFT_BY,
    CalibrationWish,
    DesignWish,
    ForgeWish,
    NoteWish,
    Routed,
    RunsWish,
    SearchWish,
    Talk,
    WorkWish,
)

_COUNTS = ("trials", "ideas", "qubits", "features", "evaluations", "seed")
_WORD = re.compile(r"[\w.-]*\w")


def check_route(given: RouteIn, answer: Routed) -> list[str]:
    """Nothing invented: words, files, numbers, qubits and runs are the person's, or stand in the list of runs."""
    wish = answer.wish
    if isinstance(wish, Talk):
        return _invented_numbers(given, wish.text)
    if isinstance(wish, NoteWish):
        return _invented_words(given, wish.text)
    if isinstance(wish, RunsWish):
        return _unknown_runs(given, wish.runs)
    return [*_unfit_uses(given, wish), *_of_work(given, wish)]


def _of_work(given: RouteIn, wish: WorkWish) -> list[str]:
    found: list[str] = []
    if isinstance(wish, SearchWish):
        if wish.dataset != "digits" and wish.dataset not in f"{given.words}\n{_listed(given)}":
            found.append(f"The data set {wish.dataset!r} is not named. Copy its name, or ask.")
        found += _invented_words(given, wish.idea)
    else:
        found += _invented_words(given, wish.text)
        if not wish.text.strip() and not wish.file and not wish.uses:
            found.append("Neither `text`, `file` nor `uses` says what is to be done.")
    if not isinstance(wish, SearchWish):
        named = [wish.file, *(wish.inputs if isinstance(wish, ForgeWish) else [])]
        found += [
            f"The file {name!r} is not named by the person." for name in named if name and name not in given.words
        ]
    if (
        isinstance(wish, ForgeWish)
        and wish.toolset
        and wish.toolset not in f"{given.words}\n{' '.join(given.remembered)}"
    ):
        found.append(f"The toolset {wish.toolset!r} is not named by the person.")
    if isinstance(wish, CalibrationWish):
        known = {*qubits_in(given.words), *(name for run in given.runs for name in run.subject)}
        found += [f"The qubit {name!r} is not named." for name in wish.qubits if name not in known]
    if isinstance(wish, DesignWish) and wish.control and not wish.uses:
        found.append("A control needs the run of its protocol in `uses`.")
    return [*found, *_invented_counts(given, wish)]


def _invented_counts(given: RouteIn, wish: WorkWish) -> list[str]:
    said = particulars.numbers_said(given.words)
    numbers = {name: getattr(wish, name, None) for name in _COUNTS}
    return [
        f"`{name}` is {value}, but nobody said that number; leave it null."
        for name, value in numbers.items()
        if isinstance(value, int) and value not in said
    ]


def _invented_words(given: RouteIn, text: str) -> list[str]:
    known = {word.casefold() for word in _WORD.findall(given.words)}
    strange = [word for word in _WORD.findall(text) if word.casefold() not in known]
    return [f"`text` must be the person's own words, but {strange[0]!r} is not among them."] if strange else []


def _invented_numbers(given: RouteIn, text: str) -> list[str]:
    known = set(re.findall(r"\d+", given.words))
    return [f"The reply holds the number {n}, which nobody said." for n in re.findall(r"\d+", text) if n not in known]


def _unknown_runs(given: RouteIn, runs: list[str]) -> list[str]:
    known = {run.run_id for run in given.runs}
    return [f"There is no run {name!r} in the list." for name in runs if name not in known]


def _unfit_uses(given: RouteIn, wish: WorkWish) -> list[str]:
    systems = {run.run_id: run.system for run in given.runs}
    found = _unknown_runs(given, [use.run_id for use in wish.uses])
    for use in wish.uses:
        if systems.get(use.run_id, LEFT_BY[use.part]) != LEFT_BY[use.part]:
            found.append(f"Run {use.run_id} left no {use.part}: it belongs to {systems[use.run_id]}.")
    return found


def _listed(given: RouteIn) -> str:
    return "\n".join(name for run in given.runs for name in run.subject)


ROUTE = AgentCall(
    "front_desk.route_request",
    "front_desk/route_request.md",
    RouteIn,
    Routed,
    route,
    check_route,
    "general",
)
