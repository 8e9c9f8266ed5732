"""What the self-check knows about protocols: computed checks of the file as it was read back."""

from __future__ import annotations

from typing import Any

from labwright.graphs.protocol_design.bench import CHECKS, Planned
from labwright.graphs.self_check import Finding
from labwright.tools.liquid_handler.design import ExperimentDesign


class ProtocolChecker:
    """Errors only: a warning does not block the file, it is shown to the person."""

    names = CHECKS

    def check(self, name: str, artifact: dict[str, Any], context: dict[str, Any]) -> list[Finding]:
        """One named check."""
        return _findings(artifact, name)

    def review(self, artifact: dict[str, Any], context: dict[str, Any]) -> list[Finding]:
        """All checks at once."""
        return _findings(artifact)

    def revise(
        self, artifact: dict[str, Any], findings: list[Finding], context: dict[str, Any]
    ) -> dict[str, Any] | None:
        """None: what is wrong with a specification was put right when it was read; what is left is a person's."""
        return None


def _findings(artifact: dict[str, Any], name: str = "") -> list[Finding]:
    planned = Planned.of(ExperimentDesign.model_validate(artifact["design"]), artifact["tags"])
    return [Finding(check=one.code, message=one.message, mend=one.mend) for one in planned.errors(name)]
