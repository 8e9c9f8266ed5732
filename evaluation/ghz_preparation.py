"""Suite `ghz`: three qubits entangled on request, against what ideal gates of the same length would give.

Both gates are searched for and tuned, the state is prepared and measured. A case passes if the fidelity is known to 1 %
and at least 0.95 of the ceiling: the same circuit with ideal gates of the same durations under the true T1, T2E,
quasi-static noise and thermal population. Interleaved benchmarking and process tomography of both gates stand beside
the true process.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from labwright.evaluation.case import Case, seeds_of
from labwright.evaluation.runner import Context, Options, Row, Suite
from labwright.tools.experiments.base import Bench, Estimate, Report
from labwright.tools.experiments.cz_process_tomography import ProcessTomography
from labwright.tools.experiments.interleaved_rb_cz import InterleavedRbCz
from labwright.tools.experiments.named_state_circuits import Circuit, Gate, ghz, prepared, unitary
from labwright.tools.experiments.sizzle_search import SizzleSearch
from labwright.tools.experiments.stark_echo_tuneup import StarkEchoTuneup
from labwright.tools.experiments.state_tomography import StateTomography
from labwright.tools.qpu.dynamics import LEVELS, Matrix
from labwright.tools.qpu.joint_playback import Player, offsets_of
from labwright.tools.qpu.oracle_pair import computational, pair_error
from labwright.tools.qpu.program import Delay
from labwright.tools.qpu.simulated import SimulatedProcessor, open_simulated
from labwright.tools.qpu.transmon_register import Register, register

QUBITS = ("Q2", "Q1", "Q8")
PRECISE = 0.01
SHARE = 0.95
AGREES = 3.5  # sigmas by which a measurement may miss the truth; 15 of them stand in a result of three devices
CALIBRATED: dict[str, float | str] = {"frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 0.5}
COLUMNS = (
    "case", "passed", "fidelity", "sigma", "true_fidelity", "ceiling", "share", "cz_errors", "cz_rb_sigmas",
    "cz_tomography_sigmas", "acquisitions",
)  # fmt: skip


def drawn(options: Options) -> list[Case]:
    """The paper's three qubits on devices that differ by their noise and drift."""
    words = f"state_tomography {', '.join(QUBITS)}, state = ghz"
    return [Case(f"ghz {seed}", seed, CALIBRATED, request=words) for seed in seeds_of(options)]


def entangle(case: Case, context: Context) -> Row:
    """Find both gates, prepare the state, measure it, and compare with the ceiling."""
    device = open_simulated(context.folder / "device", case.seed, case.options)
    try:
        gates = {f"Q1-{partner}": _gate(device, partner) for partner in ("Q2", "Q8")}
        tomography = StateTomography(Bench(device, "tomography"))
        tomography.run(",".join(QUBITS), "ghz")
        return _row(case, device, tomography.report(), gates)
    finally:
        device.close()


def _gate(device: SimulatedProcessor, partner: str) -> dict[str, Estimate]:
    """Find, tune and verify the gate of Q1 and `partner`; the CZ errors that the verifications gave."""
    found = {}
    for kind in (SizzleSearch, StarkEchoTuneup, InterleavedRbCz, ProcessTomography):
        experiment = kind(Bench(device, f"{kind.name} {partner}"))
        experiment.run("Q1", partner)
        if "cz_error" in experiment.report().estimates:
            found[kind.name] = experiment.report().estimates["cz_error"]
        experiment.update()
    return found


def _row(case: Case, device: SimulatedProcessor, report: Report, gates: dict[str, dict[str, Estimate]]) -> Row:
    circuit = prepared("ghz", QUBITS, device.settings.pairs)
    fidelity, sigma = report.estimates["fidelity"].value, report.estimates["fidelity"].error
    true, ceiling = true_fidelity(device, circuit), ideal_fidelity(device, circuit)
    share = min(true, fidelity) / ceiling
    faults = [f"sigma {100 * sigma:.2f} %"] if sigma > PRECISE else []
    faults += [f"{share:.3f} of the ceiling"] if share < SHARE else []
    errors = {name: pair_error(device, name).total for name in gates}
    row: Row = {
        "case": case.name, "seed": case.seed, "status": "complete", "fidelity": round(fidelity, 5),
        "sigma": round(sigma, 5), "true_fidelity": round(true, 5), "ceiling": round(ceiling, 5),
        "share": round(share, 4), "fidelity_sigmas": round((fidelity - true) / sigma, 2),
        "cz_errors": [round(error, 5) for error in errors.values()], "acquisitions": len(device.log),
        "thermal": [round(e.value, 5) for n, e in report.estimates.items() if n.startswith("thermal_population")],
    }  # fmt: skip
    for short, kind in (("rb", InterleavedRbCz), ("tomography", ProcessTomography)):
        found = {name: estimates.get(kind.name) for name, estimates in gates.items()}
        row[f"cz_{short}"] = [round(e.value, 5) if e else None for e in found.values()]
        row[f"cz_{short}_stds"] = [round(e.error, 5) if e else None for e in found.values()]
        sigmas = [round((e.value - errors[name]) / e.error, 2) if e else None for name, e in found.items()]
        row[f"cz_{short}_sigmas"] = sigmas
        off = [s for s in sigmas if s is None or abs(s) > AGREES]
        faults += [f"{kind.name} off the true process: {off} sigma"] if off else []
    faults += [f"fidelity {row['fidelity_sigmas']} sigma off"] if abs(row["fidelity_sigmas"]) > AGREES else []
    return {**row, "passed": not faults, "faults": "; ".join(faults)}


def true_fidelity(device: SimulatedProcessor, circuit: Circuit) -> float:
    """Fidelity to GHZ of the state that the device really makes, before readout."""
    its = device.register(circuit.qubits)
    slots = circuit.slots(Bench(device, "oracle"))
    return _fidelity(its, lambda player, states: _played(player, slots, states), _length(slots))


def ideal_fidelity(device: SimulatedProcessor, circuit: Circuit) -> float:
    """The ceiling: ideal gates in no time, each CZ followed by a wait as long as the real gate; noise as it is."""
    bench = Bench(device, "oracle")
    n = len(circuit.qubits)
    transmons = [replace(t, detuning=0.0) for t in device.register(circuit.qubits).transmons]
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


SUITE = Suite(
    name="ghz",
    doc="GHZ states of three qubits, against ideal gates of the same length",
    cases=drawn,
    run=entangle,
    options={"seeds": 3, "first": 0},
    columns=COLUMNS,
    required=1.0,
    workers=2,
)
