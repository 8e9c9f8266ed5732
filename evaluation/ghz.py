"""Suite `ghz`: three qubits entangled on request, against what ideal gates of the same length would give.

Both gates are searched for and tuned, the state is prepared and measured. A case passes if the fidelity is known to 1 %
and at least 0.95 of the ceiling: the same circuit with ideal gates of the same durations under the true T1, T2E,
quasi-static noise and thermal population. Tomography counts prepared 0 as pure, so the ceiling it is compared with is
that of a cold device; the true state is compared with the thermal ceiling.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from labwright.evaluation.case import Case
from labwright.evaluation.row import Row, scored
from labwright.evaluation.workers import OnProgress, kept_or_temporary, run_cases
from labwright.tools.experiments.base import Bench
from labwright.tools.experiments.sizzle_search import SizzleSearch
from labwright.tools.experiments.stark_echo_tuneup import StarkEchoTuneup
from labwright.tools.experiments.state_tomography import StateTomography
from labwright.tools.experiments.states import Circuit, Gate, ghz, prepared, unitary
from labwright.tools.qpu.dynamics import LEVELS, Matrix
from labwright.tools.qpu.joint_playback import Player, offsets_of
from labwright.tools.qpu.oracle_pair import computational, pair_error
from labwright.tools.qpu.program import Delay
from labwright.tools.qpu.register import Register, register
from labwright.tools.qpu.simulated import SimulatedProcessor, open_simulated

QUBITS = ("Q2", "Q1", "Q8")
PRECISE = 0.01
SHARE = 0.95
CALIBRATED: dict[str, float | str] = {"frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 0.5}
COLUMNS = (
    "case", "passed", "fidelity", "sigma", "true_fidelity", "ceiling", "cold_ceiling", "share", "cz_errors",
    "acquisitions",
)  # fmt: skip


def run(
    seeds: int = 3, on_progress: OnProgress | None = None, *, first: int = 0, workers: int = 2, out: Path | None = None
) -> dict[str, Any]:
    """Score GHZ states on the paper's three qubits: {suite, n, score, interval, passed, columns, rows}.

    Args:
        seeds: number of devices, which differ by their noise and drift.
        on_progress: hears one line a finished case.
        first: the first seed.
        workers: processes; 0 runs in this one.
        out: keeps what each case gave, and goes on where an earlier evaluation stopped; a temporary folder if None.
    """
    words = f"Prepare a three-qubit GHZ state on {', '.join(QUBITS)} and do tomography"
    cases = [Case(f"ghz {seed}", seed, CALIBRATED, request=words) for seed in range(first, first + seeds)]
    with kept_or_temporary(out) as folder:
        rows = run_cases(entangle, cases, folder / "ghz", workers, on_progress)
    result = {**scored("ghz", rows), "columns": COLUMNS}
    result["passed"] = result["score"] == 1
    return result


def entangle(case: Case, folder: Path) -> Row:
    """Find both gates, prepare the state, measure it, and compare with the ceiling."""
    device = open_simulated(folder / "device", case.seed, case.options)
    try:
        for partner in ("Q2", "Q8"):
            for kind in (SizzleSearch, StarkEchoTuneup):
                experiment = kind(Bench(device, f"{kind.name} {partner}"))
                experiment.run("Q1", partner)
                experiment.update()
        tomography = StateTomography(Bench(device, "tomography"))
        tomography.run(",".join(QUBITS), "ghz")
        found = tomography.report().estimates["fidelity"]
        return _row(case, device, found.value, found.error)
    finally:
        device.close()


def _row(case: Case, device: SimulatedProcessor, fidelity: float, sigma: float) -> Row:
    circuit = prepared("ghz", QUBITS, device.settings.pairs)
    true = true_fidelity(device, circuit)
    ceiling, cold = (ideal_fidelity(device, circuit, thermal) for thermal in (True, False))
    share = min(true / ceiling, fidelity / cold)
    faults = [f"sigma {100 * sigma:.2f} %"] if sigma > PRECISE else []
    faults += [f"{share:.3f} of the ceiling"] if share < SHARE else []
    errors = [round(pair_error(device, name).total, 5) for name in ("Q1-Q2", "Q1-Q8")]
    return {
        "case": case.name, "seed": case.seed, "status": "complete", "passed": not faults, "faults": "; ".join(faults),
        "fidelity": round(fidelity, 5), "sigma": round(sigma, 5), "true_fidelity": round(true, 5),
        "ceiling": round(ceiling, 5), "cold_ceiling": round(cold, 5), "share": round(share, 4), "cz_errors": errors,
        "acquisitions": len(device.log),
    }  # fmt: skip


def true_fidelity(device: SimulatedProcessor, circuit: Circuit) -> float:
    """Fidelity to GHZ of the state that the device really makes, before readout."""
    its = device.register(circuit.qubits)
    slots = circuit.slots(Bench(device, "oracle"))
    return _fidelity(its, lambda player, states: _played(player, slots, states), _length(slots))


def ideal_fidelity(device: SimulatedProcessor, circuit: Circuit, thermal: bool) -> float:
    """The ceiling: ideal gates in no time, each followed by a wait as long as the real gate; noise as it is."""
    bench = Bench(device, "oracle")
    n = len(circuit.qubits)
    transmons = [replace(t, detuning=0.0) for t in device.register(circuit.qubits).transmons]
    if not thermal:
        transmons = [replace(t, truth=replace(t.truth, thermal=0.0)) for t in transmons]
    its = register(transmons, [device.settings.current(q).frequency for q in circuit.qubits], [])

    def play(player: Player, states: Matrix) -> Matrix:
        for gate in circuit.gates:
            states = _ideal(gate, n, states)
            wait = Circuit(circuit.qubits, (gate,)).slots(bench)
            for length in [_length(wait)] if gate.name == "CZ" else []:
                states = player.play_slot(tuple(Delay(length) for _ in circuit.qubits), states)
        return states

    return _fidelity(its, play, _length(circuit.slots(bench)))


def _ideal(gate: Gate, n: int, states: Matrix) -> Matrix:
    """An ideal gate on levels 0 and 1; higher levels stay as they are."""
    chosen = computational(n)
    whole = np.eye(LEVELS**n, dtype=complex)
    whole[np.ix_(chosen, chosen)] = unitary(gate, n)
    return np.asarray(whole @ states @ whole.conj().T)


def _fidelity(its: Register, play: Any, length: float) -> float:
    offsets, weights = offsets_of(its, length)
    player = Player(its, offsets)
    final = play(player, player.start()[None])[0]
    chosen = computational(len(its.transmons))
    rho = np.einsum("o,oab->ab", weights, final)[np.ix_(chosen, chosen)]
    psi = ghz(len(its.transmons))
    return float((psi.conj() @ rho @ psi).real)


def _played(player: Player, slots: Sequence[Any], states: Matrix) -> Matrix:
    for slot in slots:
        states = player.play_slot(slot, states)
    return states


def _length(slots: Sequence[Any]) -> float:
    return float(sum(max((getattr(o, "duration", 0.0) for o in slot if o is not None), default=0.0) for slot in slots))
