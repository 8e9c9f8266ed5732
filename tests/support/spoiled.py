"""A scripted model that knows the right answers, and now and then gives a plausible wrong one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from scripted_model import Reply, Request, by_policy

from labwright.agents.call import AgentCall
from labwright.agents.lab_calibration.activation import ACTIVATION
from labwright.agents.lab_calibration.decide import DECIDE
from labwright.agents.lab_calibration.inspect_result import LOOK, SUMMARISE
from labwright.agents.lab_calibration.plan import EXTRACT, RULES
from labwright.agents.lab_calibration.procedure_match import TRANSLATE_PROCEDURE
from labwright.agents.lab_calibration.revise import REVISE
from labwright.agents.lab_calibration.select import SELECT
from labwright.agents.lab_calibration.translate_code import TRANSLATE_CODE
from labwright.agents.lab_calibration.write_report import WRITE_REPORT

ROLES: tuple[AgentCall[Any, Any], ...] = (
    ACTIVATION,
    EXTRACT,
    RULES,
    TRANSLATE_CODE,
    TRANSLATE_PROCEDURE,
    SELECT,
    REVISE,
    SUMMARISE,
    DECIDE,
    WRITE_REPORT,
)
Answer = dict[str, Any]
Spoil = Callable[[Answer, dict[str, Any]], Answer | None]  # (right answer, input) -> wrong answer, None if it has none


def _unknown_stage(answer: Answer, given: dict[str, Any]) -> Answer:
    return {**answer, "rules": ["On success go to Stage 9.", *answer["rules"][1:]]}


def _invented_number(answer: Answer, given: dict[str, Any]) -> Answer | None:
    if not answer["code"]:
        return None
    return {**answer, "code": answer["code"].rstrip(")") + ", shots=777)"}


def _wrong_qubit(answer: Answer, given: dict[str, Any]) -> Answer | None:
    if not answer["mapping"]:
        return None
    return {**answer, "mapping": [{**answer["mapping"][0], "value": "Q2"}]}


def _clipped(answer: Answer, given: dict[str, Any]) -> Answer:
    """A number that is allowed, but that nobody stated."""
    return {"analysis": "Clipped to what is allowed.", "code": given["code"].replace("900000.0", "1000.0")}


def _kinder_than_the_data(answer: Answer, given: dict[str, Any]) -> Answer | None:
    if given["verdict"] == "success":
        return None
    return {**answer, "verdict": "success", "proposal": []}


def _on_without_reason(answer: Answer, given: dict[str, Any]) -> Answer | None:
    if given["verdict"] == "success":
        return None
    return {**answer, "next": "COMPLETE", "changes": []}


# One plausible wrong answer a role, which the role's check has to catch.
SPOILS: dict[str, Spoil] = {
    ACTIVATION.name: lambda answer, _: {"sentences": ["Brew a pot of tea.", *answer["sentences"][1:]]},
    EXTRACT.name: lambda answer, _: {"instructions": [f"{answer['instructions'][0]} for 777 us"]},
    RULES.name: _unknown_stage,
    TRANSLATE_CODE.name: _invented_number,
    TRANSLATE_PROCEDURE.name: _wrong_qubit,
    SELECT.name: lambda answer, _: {**answer, "agent": "echo_of_the_echo"},
    REVISE.name: _clipped,
    SUMMARISE.name: _kinder_than_the_data,
    DECIDE.name: _on_without_reason,
    WRITE_REPORT.name: lambda answer, _: {**answer, "summary": f"{answer['summary']} The gate error is 7.77e-9."},
}


@dataclass
class Spoiled:
    """A script for `ScriptedModel`: right answers, except the first of each role in `spoils`.

    Attributes:
        spoils: role -> what spoils its first answer; used up.
        faults: request number -> what happens instead of an answer; used up.
        figures: verdicts on the figures, in order; "unclear" when used up.
        caught: role -> what the mind complained about the spoiled answer.
    """

    spoils: dict[str, Spoil] = field(default_factory=dict)
    faults: dict[int, Reply] = field(default_factory=dict)
    figures: list[str] = field(default_factory=list)
    caught: dict[str, str] = field(default_factory=dict)
    _waiting: set[str] = field(default_factory=set)

    def __call__(self, request: Request) -> Reply:
        if request.number in self.faults:
            return self.faults.pop(request.number)
        if request.role == LOOK.name:
            verdict = self.figures.pop(0) if self.figures else "unclear"
            return Reply.answer({"observations": "Points with error bars and a curve.", "verdict": verdict})
        right = by_policy(*ROLES)(request)
        if request.complaints and request.role in self._waiting:
            self._waiting.remove(request.role)
            self.caught[request.role] = request.complaints[-1]
        elif request.role in self.spoils and not request.complaints:
            return self._spoiled(request, right)
        return right

    def _spoiled(self, request: Request, right: Reply) -> Reply:
        answer = right.content["answer"]  # None where the right thing is to refuse, as the reviser does
        wrong = self.spoils[request.role](answer, request.input) if answer or request.role == REVISE.name else None
        if wrong is None:
            return right
        del self.spoils[request.role]
        self._waiting.add(request.role)
        return Reply.answer(wrong)
