"""What the values and conditions of a step may refer to: settings, measured variables and estimates, with units."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from labwright.graphs.lab_calibration.procedure_stack import current
from labwright.graphs.lab_calibration.run_context import Laboratory
from labwright.graphs.lab_calibration.state import CalibrationState
from labwright.tools.qpu.settings import SETTING_UNITS
from labwright.tools.specifications.values import Quantity


def names_of(lab: Laboratory, state: CalibrationState, estimates: dict[str, Any] | None = None) -> dict[str, Quantity]:
    """The names that the current stage may use.

    Settings of every qubit as ``Q1.frequency`` and of its own as ``frequency``; results of earlier steps on its own
    qubit as ``t1.t1``, the last of a name as ``t1`` where no setting has it; `estimates` of its own run under theirs.
    """
    found: dict[str, Quantity] = {}
    for qubit in lab.device.qubits:
        settings = asdict(lab.device.settings.current(qubit))
        found |= {f"{qubit}.{name}": Quantity(value, SETTING_UNITS[name]) for name, value in settings.items()}
    own = _own(state)
    found |= {name.partition(".")[2]: value for name, value in found.items() if name.startswith(f"{own}.")}
    units: dict[str, str] = {}
    for qubit, results in state.get("results", {}).items():
        entries = {name: Quantity(each["value"], each["unit"]) for name, each in results.items()}
        if qubit == own:
            units |= {name.partition(".")[2]: each["unit"] for name, each in results.items()}
            found = {name.partition(".")[2]: value for name, value in entries.items()} | found | entries
        found |= {f"{qubit}.{name}": value for name, value in entries.items()}
    for name, value in state.get("measured", {}).get(own, {}).items():
        found[name] = Quantity(value, units.get(name, units.get(name.removesuffix("_error"))))
    for name, each in (estimates or {}).items():
        found[name] = Quantity(each["value"], each["unit"])
    return found


def _own(state: CalibrationState) -> str:
    """The qubit of the current stage, or the pair's or group's name."""
    qubits = current(state)["step"].get("qubits", [])
    return qubits[0] if len(qubits) == 1 else "-".join(qubits)
