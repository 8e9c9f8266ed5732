"""Suites of language: one typed call a case, and what came of it: right, asked, refused, or silently wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

from labwright.agents.errors import AgentGaveUp
from labwright.agents.typed_call import AgentCall, In, Mind, Out, Question, Refusal, Runtime
from labwright.evaluation.runner import Row

RIGHT = "right"
Given = Literal["done", "asked", "refused"]
Judge = Callable[[Any], tuple[Given, str]]


def given_of(status: str) -> Given:
    """What a run that ended so has given."""
    return "done" if status == "complete" else "asked" if status == "stopped" else "refused"


def outcome_of(right: bool, given: Given) -> str:
    """One of the runner's `OUTCOMES`; what is neither right nor held back is wrong."""
    return RIGHT if right else "wrong" if given == "done" else given


def judged(mind: Mind, call: AgentCall[In, Out], input: In, judge: Judge, sample: int = 0) -> tuple[Any, Row]:
    """Ask once and judge: the reply, and ``passed, outcome, verdict, faults, check_refused_right``.

    Args:
        mind: who answers.
        call: the role.
        input: of the case.
        judge: what a reply does, and ``right`` or how it is wrong.
        sample: number of the draw; with another, a model is asked anew.

    Returns:
        ``check_refused_right`` tells that the call's own check sent a right answer back, whatever came of it later.
    """
    rejected: list[Out] = []

    def check(given: In, answer: Out) -> list[str]:
        findings = call.check(given, answer)
        if findings:
            rejected.append(answer)
        return findings

    try:
        reply: Out | Question | Refusal = mind.answer(replace(call, check=check), input, Runtime(sample=sample))
    except AgentGaveUp as error:
        reply = Refusal(reason=str(error))
    given, verdict = judge(reply)
    return reply, {
        "verdict": verdict,
        "outcome": outcome_of(verdict == RIGHT, given),
        "passed": verdict == RIGHT,
        "faults": "" if verdict == RIGHT else verdict,
        "check_refused_right": any(judge(answer)[1] == RIGHT for answer in rejected),
    }
