"""What the self-check knows about protocols: computed checks, and a reviser of the reading."""

from __future__ import annotations

from typing import Any

from labwright.agents.errors import AgentGaveUp
from labwright.agents.protocol_design.reading import Reading, Settled, design_of
from labwright.agents.protocol_design.revise import REVISE, Fault, ReviseIn, ReviseOut
from labwright.graphs.protocol_design.bench import CHECKS, Planned, settle_design
from labwright.graphs.protocol_design.workroom import WORKROOMS
from labwright.graphs.self_check import Finding
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.design import ExperimentDesign


class ProtocolChecker:
    """Errors only: a warning does not block the file, it is shown to the person."""

    names = CHECKS

    def check(self, name: str, artifact: dict[str, Any], context: dict[str, Any]) -> list[Finding]:
        """One named check."""
        found = _planned(artifact).errors(name)
        return [Finding(check=item.code, message=item.message, mend=item.mend) for item in found]

    def review(self, artifact: dict[str, Any], context: dict[str, Any]) -> list[Finding]:
        """All checks at once."""
        found = _planned(artifact).errors()
        return [Finding(check=item.code, message=item.message, mend=item.mend) for item in found]

    def revise(
        self, artifact: dict[str, Any], findings: list[Finding], context: dict[str, Any]
    ) -> dict[str, Any] | None:
        """Let the reviser mend the reading; a design that was handed in is not touched."""
        if artifact["reading"] is None:
            return None
        given = ReviseIn(
            text=context["text"],
            settled=[Settled.model_validate(item) for item in context["settled"]],
            reading=Reading.model_validate(artifact["reading"]),
            findings=[Fault(check=one["check"], message=one["message"], mend=one["mend"]) for one in findings],
        )
        try:
            answer = WORKROOMS.get(context["run_dir"]).ask(REVISE, given)
            if not isinstance(answer, ReviseOut):
                return None
            design = settle_design(design_of(answer.reading, context["text"]), context["settled"])
            Planned.of(design, artifact["tags"])
        except (AgentGaveUp, InputError):  # the findings stand; the caller shows them
            return None
        reading = answer.reading.model_dump(mode="json")
        return {**artifact, "reading": reading, "design": design.model_dump(mode="json")}


def _planned(artifact: dict[str, Any]) -> Planned:
    return Planned.of(ExperimentDesign.model_validate(artifact["design"]), artifact["tags"])
