"""What the self-check knows about written steps: computed checks or a reviewer, and an agent that mends."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from labwright.agents.call import AgentCall, In, Out, Question, Refusal
from labwright.agents.errors import AgentGaveUp
from labwright.agents.protocol_design.written.configuration import CONFIGURATIONS
from labwright.agents.protocol_design.written.judged import CHECKS, judged_text, to_mend
from labwright.agents.protocol_design.written.mend import MEND, MendIn, MendOut
from labwright.agents.protocol_design.written.planned import Said
from labwright.agents.protocol_design.written.review import REVIEW, Mistake, ReviewIn, ReviewOut
from labwright.graphs.protocol_design.workroom import WORKROOMS
from labwright.graphs.self_check import Finding


class StepsChecker:
    """Guided: the checks that can judge steps without a design. Unguided: the reviewer's word alone."""

    names = tuple(CHECKS)

    def check(self, name: str, artifact: dict[str, Any], context: dict[str, Any]) -> list[Finding]:
        """One named check."""
        found = to_mend(judged_text(artifact["steps"]), name)
        return [Finding(check=item.code, message=item.message, mend=item.mend) for item in found]

    def review(self, artifact: dict[str, Any], context: dict[str, Any]) -> list[Finding]:
        """What the reviewer finds; no answer is no finding."""
        given = ReviewIn(text=context["text"], said=_said(context), steps=artifact["steps"])
        try:
            reply = _ask(REVIEW, "review", given, context)
        except AgentGaveUp:
            return []
        found = reply.mistakes if isinstance(reply, ReviewOut) else []
        return [Finding(check="review", message=one.what, mend=one.mend) for one in found]

    def revise(
        self, artifact: dict[str, Any], findings: list[Finding], context: dict[str, Any]
    ) -> dict[str, Any] | None:
        """Let an agent mend the steps; None if it cannot."""
        mistakes = [Mistake(what=one["message"], mend=one["mend"]) for one in findings]
        given = MendIn(text=context["text"], said=_said(context), steps=artifact["steps"], mistakes=mistakes)
        try:
            reply = _ask(MEND, "mend", given, context)
        except AgentGaveUp:  # the findings stand
            return None
        return {"steps": reply.steps.strip()} if isinstance(reply, MendOut) else None


def _ask(call: AgentCall[In, Out], role: str, given: In, context: dict[str, Any]) -> Out | Question | Refusal:
    tier = CONFIGURATIONS[context["configuration"]].tier(role)
    return WORKROOMS.get(context["run_dir"]).ask(replace(call, tier=tier), given)


def _said(context: dict[str, Any]) -> list[Said]:
    return [Said.model_validate(one) for one in json.loads(context["said"])]
