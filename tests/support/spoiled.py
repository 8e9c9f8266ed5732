"""A scripted model that reads the words it knows, answers the other roles as the policies do, and errs when told to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from scripted_model import Reply, Request, by_policy

from labwright.agents.lab_calibration.inspect_result import LOOK, SUMMARISE
from labwright.agents.lab_calibration.read_plan import OPINION, PLAN, TRANSLATE
from labwright.agents.lab_calibration.sizzle import DRIVE
from labwright.agents.lab_calibration.write_report import WRITE_REPORT
from labwright.agents.typed_call import AgentCall
from labwright.agents.understand.coverage_check import COVER
from labwright.agents.understand.repair import REPAIR
from labwright.tools.specifications import short_form_parser
from labwright.tools.specifications.catalogue import Catalogue, library

ROLES: tuple[AgentCall[Any, Any], ...] = (SUMMARISE, WRITE_REPORT, DRIVE)  # with a policy of their own
Answer = dict[str, Any]
Spoil = Callable[[Answer, dict[str, Any]], Answer | None]  # (right answer, input) -> wrong answer, None if it has none


@cache
def catalogue() -> Catalogue:
    """What the shipped library has."""
    return library()


def planned(words: str, meant: str) -> Answer:
    """What the planning agent answers to `words`, which mean the short form `meant`."""
    plan = short_form_parser.read(meant, catalogue()).plan()
    each = plan.get("for", "")
    steps = [
        {
            "words": words,
            "card": step.get("experiment") or f"procedure:{step['procedure']}",
            "other": "",
            "qubits": step["qubits"],
            "rules": [],
        }
        for step in plan.get("steps", [])
    ]
    return {
        "mode": plan.get("mode", "calibrate"),
        "scope": "each" if each else "steps",
        "qubits": each if isinstance(each, list) else [],
        "couplers": plan.get("couplers", []),
        "approval": "as the run says",
        "steps": steps,
        "left_out": [],
    }


def translated(meant: str) -> Answer:
    """What the translating agent answers for the steps of the short form `meant`."""
    steps = short_form_parser.read(meant, catalogue()).plan()["steps"]
    return {"steps": [_step(number, step) for number, step in enumerate(steps, 1)]}


def _step(number: int, step: dict[str, Any]) -> Answer:
    return {
        "number": number,
        "outcome": "call",
        "parameters": [{"name": name, "value": str(value)} for name, value in step.get("parameters", {}).items()],
        "writes": step.get("writes", "settings"),
        "repeats": step.get("repeats", -1),
        "on": [{"condition": each["if"], "go": each["go"], "change": [], "free": ""} for each in step.get("on", [])],
        "open": "",
    }


def finding(kind: str, phrase: str = "", path: str = "", why: str = "as said") -> Reply:
    """The second reader finds one difference."""
    return Reply.answer({"findings": [{"kind": kind, "phrase": phrase, "path": path, "why": why}]})


def patches(**values: str) -> Reply:
    """The repairing agent's patches; ``steps__0__parameters__stop`` stands for a path."""
    found = [{"path": name.replace("__", "."), "value": value} for name, value in values.items()]
    return Reply.answer({"reason": "So it was said.", "patches": found})


def invented_number(answer: Answer, given: dict[str, Any]) -> Answer:
    """A report with a number that nobody measured."""
    return {**answer, "summary": f"{answer['summary']} The gate error is 7.77e-9."}


def kinder_than_the_data(answer: Answer, given: dict[str, Any]) -> Answer | None:
    """A success that the numbers do not see."""
    return None if given["verdict"] == "success" else {**answer, "verdict": "success", "proposal": []}


@dataclass
class Spoiled:
    """A script for `ScriptedModel`: right answers, but for what is told here.

    Attributes:
        reads: words -> the short form that they mean.
        says: role -> replies that come before the right ones; used up.
        spoils: role -> what spoils its first answer; used up.
        faults: request number -> what happens instead of an answer; used up.
        figures: verdicts on the figures, in order; "unclear" when used up.
        caught: role -> what the mind complained about the spoiled answer.
    """

    reads: dict[str, str] = field(default_factory=dict)
    says: dict[str, list[Reply]] = field(default_factory=dict)
    spoils: dict[str, Spoil] = field(default_factory=dict)
    faults: dict[int, Reply] = field(default_factory=dict)
    figures: list[str] = field(default_factory=list)
    caught: dict[str, str] = field(default_factory=dict)
    _waiting: set[str] = field(default_factory=set)

    def __call__(self, request: Request) -> Reply:
        if request.number in self.faults:
            return self.faults.pop(request.number)
        if request.complaints and request.role in self._waiting:
            self._waiting.remove(request.role)
            self.caught[request.role] = request.complaints[-1]
        elif self.says.get(request.role):
            return self.says[request.role].pop(0)
        right = self._right(request)
        if request.role in self.spoils and not request.complaints:
            return self._spoiled(request, right)
        return right

    def _right(self, request: Request) -> Reply:
        """The answer of a reader that knows the words, and of the policies."""
        role, given = request.role, request.input
        if role == PLAN.name:
            return Reply.answer(planned(given["words"], self.reads[given["words"]]))
        if role == TRANSLATE.name:
            return Reply.answer(translated(self.reads[given["words"]]))
        if role == OPINION.name:
            return Reply.answer({"reason": "It says so.", "mine": True})
        if role == COVER.name:
            return Reply.answer({"findings": []})
        if role == REPAIR.name:
            return patches()
        if role == LOOK.name:
            verdict = self.figures.pop(0) if self.figures else "unclear"
            return Reply.answer({"observations": "Points with error bars and a curve.", "verdict": verdict})
        return by_policy(*ROLES)(request)

    def _spoiled(self, request: Request, right: Reply) -> Reply:
        wrong = self.spoils[request.role](right.content["answer"], request.input)
        if wrong is None:
            return right
        del self.spoils[request.role]
        self._waiting.add(request.role)
        return Reply.answer(wrong)
