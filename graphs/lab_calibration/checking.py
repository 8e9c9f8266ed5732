"""What the self-check knows about experiment calls."""

from __future__ import annotations

from typing import Any

from labwright.agents.lab_calibration.revise import revise_call
from labwright.graphs.lab_calibration.frames import variable_table
from labwright.graphs.lab_calibration.laboratory import Laboratory, laboratory
from labwright.graphs.lab_calibration.state import CalibrationState
from labwright.graphs.self_check import Finding, build_self_check
from labwright.tools.errors import InputError
from labwright.tools.experiments.check_call import CHECKS, CheckContext, check
from labwright.tools.experiments.perform import rehearse


def to_check(state: CalibrationState, code: str, instruction: str, trusted: list[float]) -> dict[str, Any]:
    """Hand `code` to the self-check.

    Args:
        state: the run's.
        code: the candidate.
        instruction: whose numbers the call must have; empty if a decision or a person has replaced some of them.
        trusted: numbers that need no support by the instruction.
    """
    lab = laboratory(state["run_dir"], state["choices"])
    context = {
        "run_dir": state["run_dir"],
        "instruction": instruction,
        "variables": variable_table(state, lab.device.qubits),
        "trusted": trusted,
    }
    return {
        "artifact": {"code": code},
        "check_context": context,
        "check_mode": state["choices"]["check_mode"],
        "check_round": 0,
        "findings": [],
        "check_log": [],
        "check_status": "open",
        "phase": "check",
    }


class CallChecker:
    """Named checks of a candidate call, the rehearsal on the device last; a reviser that may be a model."""

    names = (*CHECKS, "rehearsal")

    def check(self, name: str, artifact: dict[str, Any], context: dict[str, Any]) -> list[Finding]:
        """One named check."""
        lab = laboratory(context["run_dir"])
        if name == "rehearsal":
            return _rehearsal(lab, artifact["code"], context)
        found = check(name, artifact["code"], _call_context(lab, context))
        return [Finding(check=item.check, message=item.message, mend=item.mend) for item in found]

    def review(self, artifact: dict[str, Any], context: dict[str, Any]) -> list[Finding]:
        """All checks at once."""
        return [finding for name in self.names for finding in self.check(name, artifact, context)]

    def revise(
        self, artifact: dict[str, Any], findings: list[Finding], context: dict[str, Any]
    ) -> dict[str, Any] | None:
        """Let the reviser mend the call."""
        lab = laboratory(context["run_dir"])
        code = revise_call(
            lab.mind, artifact["code"], findings, _call_context(lab, context), lab.library, on_event=lab.hear
        )
        return {"code": code} if code else None


def _call_context(lab: Laboratory, context: dict[str, Any]) -> CheckContext:
    return CheckContext(
        instruction=context["instruction"],
        cards=lab.library.cards,
        variables=context["variables"],
        qubits=tuple(lab.device.qubits),
        trusted=tuple(context["trusted"]),
    )


def _rehearsal(lab: Laboratory, code: str, context: dict[str, Any]) -> list[Finding]:
    """Whether the device would take what the call plays."""
    call = lab.parse(code, context["variables"])
    if call.experiment not in lab.experiments:
        return []
    try:
        rehearse(lab.experiments[call.experiment], call, lab.device)
    except InputError as refused:
        return [Finding(check="rehearsal", message=str(refused), mend="")]
    return []


self_check = build_self_check(CallChecker())  # as a graph of its own, for Studio
