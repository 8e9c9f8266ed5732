"""What the self-check knows about experiment calls: facts of cards and device, right before they are measured."""

from __future__ import annotations

from typing import Any

from labwright.graphs.check_and_revise import Finding, build_self_check
from labwright.graphs.lab_calibration.run_context import laboratory
from labwright.graphs.lab_calibration.state import CalibrationState
from labwright.tools.errors import InputError
from labwright.tools.experiments.call import ExperimentCall
from labwright.tools.experiments.check_call import CHECKS, check
from labwright.tools.experiments.perform import rehearse


def to_check(state: CalibrationState, call: dict[str, Any]) -> dict[str, Any]:
    """Hand the call to the self-check."""
    return {
        "artifact": call,
        "check_context": {"run_dir": state["run_dir"]},
        "check_mode": state["choices"]["check_mode"],
        "check_round": 0,
        "findings": [],
        "check_log": [],
        "check_status": "open",
        "phase": "check",
    }


class CallChecker:
    """Named checks of a call, the rehearsal on the device last. Nothing is put right here: the plan was checked, and
    what a late value or a person's edit makes wrong is theirs to say."""

    names = (*CHECKS, "rehearsal")

    def check(self, name: str, artifact: dict[str, Any], context: dict[str, Any]) -> list[Finding]:
        """One named check."""
        lab = laboratory(context["run_dir"])
        call = ExperimentCall(artifact["experiment"], artifact["arguments"])
        if name != "rehearsal":
            found = check(name, call, lab.card(call.experiment), tuple(lab.device.qubits))
            return [Finding(check=name, message=message, mend=fix) for message, fix in found]
        try:
            rehearse(lab.experiments[call.experiment], call, lab.device)
        except InputError as refused:
            return [Finding(check=name, message=str(refused), mend="")]
        return []

    def review(self, artifact: dict[str, Any], context: dict[str, Any]) -> list[Finding]:
        """All checks at once."""
        return [finding for name in self.names for finding in self.check(name, artifact, context)]

    def revise(
        self, artifact: dict[str, Any], findings: list[Finding], context: dict[str, Any]
    ) -> dict[str, Any] | None:
        """Nothing: a value that does not fit is said, not changed."""
        return None


self_check = build_self_check(CallChecker())  # as a graph of its own, for Studio
