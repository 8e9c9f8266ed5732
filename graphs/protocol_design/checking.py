"""What the self-check knows about protocols: computed checks of the file as it was read back."""

from __future__ import annotations

from typing import Any

from labwright.agents.settings import Settings
from labwright.graphs.check_and_revise import Finding
from labwright.graphs.protocol_design.computed_design import CHECKS, Planned
from labwright.tools.liquid_handler.experiment_design import ExperimentDesign
from labwright.tools.liquid_handler.robots.outputs import CHECKS as ROBOT_CHECKS
from labwright.tools.liquid_handler.robots.outputs import findings as simulated_findings


class ProtocolChecker:
    """Errors only: a warning does not block the file, it is shown to the person."""

    names = (*CHECKS, *ROBOT_CHECKS)

    def check(self, name: str, artifact: dict[str, Any], context: dict[str, Any]) -> list[Finding]:
        """Errors of one check, or of all that look at the design file; an output that is not wanted has none."""
        planned = Planned.of(ExperimentDesign.model_validate(artifact["design"]), artifact["tags"])
        if name not in ROBOT_CHECKS:
            found = planned.errors(name)
        else:
            here = name.removeprefix("robots.") in ("design_file", *context["outputs"])
            found = simulated_findings(planned.made, name, Settings().opentrons) if here else []
        return [Finding(check=one.code, message=one.message, mend=one.mend) for one in found]

    def review(self, artifact: dict[str, Any], context: dict[str, Any]) -> list[Finding]:
        """All checks at once."""
        return next(filter(None, (self.check(name, artifact, context) for name in ("", *ROBOT_CHECKS))), [])

    def revise(
        self, artifact: dict[str, Any], findings: list[Finding], context: dict[str, Any]
    ) -> dict[str, Any] | None:
        """None: what is wrong with a specification was put right when it was read; what is left is a person's."""
        return None
