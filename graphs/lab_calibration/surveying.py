"""The node that tells a request for the whole chip from a row of steps."""

from __future__ import annotations

from typing import Any

from labwright.agents.call import Question, Refusal
from labwright.agents.lab_calibration.read_scope import READ_SCOPE, ScopeIn
from labwright.graphs.lab_calibration import asking
from labwright.graphs.lab_calibration.frames import top
from labwright.graphs.lab_calibration.laboratory import laboratory
from labwright.graphs.lab_calibration.state import CalibrationState
from labwright.tools.qpu.settings import pair_name


def survey(state: CalibrationState) -> dict[str, Any]:
    """One agent call: the chip side by side, its upkeep, or steps one after the other."""
    lab = laboratory(state["run_dir"], state["choices"])
    known = list(lab.device.qubits)
    chosen = list(lab.choices.qubits)
    # `prepare` puts the chosen qubits behind the words, for those who read steps
    text = top(state)["text"].replace(f" on {' and '.join(chosen)}", "", 1) if len(chosen) > 1 else top(state)["text"]
    pairs = [pair_name(*pair) for pair in lab.device.settings.pairs]
    given = ScopeIn(request=text, qubits=known, chosen=chosen, couplers=pairs)
    answer = lab.ask(READ_SCOPE, given)
    if isinstance(answer, Question):
        return asking.clarify(state, answer, back="survey")
    if isinstance(answer, Refusal):
        return {"phase": "report", "status": "refused", "cause": answer.reason}
    if answer.scope == "steps":
        return {"phase": "extract"}
    return {"phase": "chip", "scope": answer.model_dump()}
