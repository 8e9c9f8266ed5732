"""Methodology of the dynamics tasks: the paper's table 10 with its weights, looked up in what was called."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from labwright.evaluation.forge.accuracy.circuits import BASES, NOISES
from labwright.evaluation.forge.accuracy.floquet import EPSILONS
from labwright.evaluation.forge.criteria import Criterion
from labwright.evaluation.forge.methodology.evidence import (
    Part,
    Stage,
    called,
    part_axis,
    part_called,
    part_numbers,
    part_record,
    part_words,
    staged,
)
from labwright.evaluation.forge.workspace import Workspace

CUDAQ_STATES = ("get_state", "observe", "sample", "evolve", "get_state_async", "observe_async", "run", "expectation")
TEBD = (
    "TEBDEngine", "TwoSiteTDVPEngine", "SingleSiteTDVPEngine", "TwoSiteTDVP", "ExpMPOEvolution", "MPOEvolution",
    "TimeDependentTEBD", "TimeDependentTwoSiteTDVP", "RealTimeEvolution",
)  # fmt: skip
PURIFICATION = (
    "PurificationTEBD",
    "PurificationTEBD2",
    "PurificationApplyMPO",
    "PurificationTwoSiteU",
    "PurificationMPS",
)
DMRG = ("TwoSiteDMRGEngine", "SingleSiteDMRGEngine", "DMRGEngine", "run", "GroundStateSearch")
GRAPE = ("optimize_pulse_unitary", "optimize_pulse", "create_pulse_optimizer", "OptimizerLBFGSB", "grape_unitary")
EVOLVE = ("sesolve", "mesolve", "SESolver", "MESolver", "propagator", "Propagator", "krylovsolve")
OPEN_EVOLVE = ("mesolve", "MESolver", "liouvillian", "propagator")
HEOM = ("HEOMSolver", "heomsolve", "HSolverDL")
NOISE = (
    "depolarizing_error",
    "NoiseModel",
    "pauli_error",
    "DensityMatrix",
    "Kraus",
    "SuperOp",
    "add_all_qubit_quantum_error",
)


def _circuit(workspace: Workspace) -> list[Part]:
    return [part_words(workspace, "h", "hadamard"), part_words(workspace, "cx", "cnot", "ctrl")]


def _measured(
    word: str, *, package: str, names: Sequence[str], noise: bool = False
) -> Callable[[Workspace], list[Part]]:
    """Sampled in one basis with 4096 shots, counts and correlator kept; for each noise if there is noise."""

    def parts(workspace: Workspace) -> list[Part]:
        found = [part_called(workspace, package, *names), part_numbers(workspace, 4096)]
        for p in NOISES if noise else (None,):
            at = {} if p is None else {"noise": p}
            found.append(part_record(workspace, "counts", basis=BASES[word], **at))
            found.append(part_record(workspace, "expectation", observable=BASES[word], **at))
        return found

    return parts


def bell_state(workspace: Workspace) -> list[Criterion]:
    """Circuit, Z basis, X basis, all in CUDA-Q."""
    names = ("sample", "sample_async", "observe")
    stages = [
        Stage(20, "|00>, H on qubit 0, CNOT", _circuit),
        Stage(40, "4096 shots in the Z basis, counts, <ZZ>", _measured("ZZ", package="cudaq", names=names)),
        Stage(40, "4096 shots in the X basis, counts, <XX>", _measured("XX", package="cudaq", names=names)),
    ]
    return staged(workspace, stages, "cudaq")


def h2_vqe(workspace: Workspace) -> list[Criterion]:
    """Grid and Hamiltonian, circuit and optimisation, exact energies."""
    stages = [
        Stage(15, "ten distances or more, STO-3G by tequila", lambda w: [
            part_axis(w, "energy", "distance", 10, method="vqe"), part_words(w, "sto-3g"),
            part_called(w, "tequila", "Molecule", "from_openfermion", "MoleculeFromOpenFermion", "QubitHamiltonian"),
        ]),
        Stage(50, "an ansatz, optimised at every distance", lambda w: [
            part_words(w, "uccsd", "upccgsd", "upccsd", "hardware", "spa", "make_ansatz"),
            part_called(w, "tequila", "minimize", "compile"), part_axis(w, "energy", "distance", 10, method="vqe"),
        ]),
        Stage(35, "exact energy at every distance, both reported", lambda w: [
            part_words(w, "fci", "eigh", "eigvalsh", "eigsh", "compute_energy", "get_sparse_operator"),
            part_axis(w, "energy", "distance", 10, method=("fci", "exact")),
        ]),
    ]  # fmt: skip
    return staged(workspace, stages)


def hubbard_gibbs(workspace: Workspace) -> list[Criterion]:
    """Model, imaginary time from infinite temperature, checks."""
    stages = [
        Stage(15, "ten sites, open, t = 1, U = 4, half filling", lambda w: [
            part_numbers(w, 10, 1, 4), part_called(w, "tenpy", "FermiHubbardModel", "FermiHubbardChain",
                                                   "SpinHalfFermionSite", "CouplingMPOModel", "CouplingModel"),
        ]),
        Stage(45, "purification, imaginary time from infinite temperature to beta = 2", lambda w: [
            part_called(w, "tenpy", *PURIFICATION, *TEBD),
            (_reaches(w, 0.0, 2.0), "beta from 0 to 2"),
        ]),
        Stage(40, "energy, occupations of both spins by site, half filling", lambda w: [
            part_record(w, "energy_per_site"),
            *(part_axis(w, "occupation", "site", 10, spin=s) for s in ("up", "down")),
        ]),
    ]  # fmt: skip
    return staged(workspace, stages)


def _reaches(workspace: Workspace, first: float, last: float) -> bool:
    for one in workspace.results.records:
        for axis in one.axes:
            if one.quantity == "energy_per_site" and axis.name == "beta" and axis.values:
                return abs(min(axis.values) - first) < 1e-6 and max(axis.values) >= last - 1e-6
    return False


def ising_dynamics(workspace: Workspace) -> list[Criterion]:
    """Random start, product formula in two regimes, all magnetisations, all in CUDA-Q."""
    cases = (("ferromagnetic", "fm", "strong coupling"), ("paramagnetic", "pm", "strong field"))
    stages = [
        Stage(15, "ten open qubits, a Haar-random state", lambda w: [
            part_numbers(w, 10), part_words(w, "haar", "standard_normal", "normal", "random_statevector"),
        ]),
        Stage(50, "second-order formula, 1000 steps to t = 10, both regimes, by CUDA-Q", lambda w: [
            part_called(w, "cudaq", *CUDAQ_STATES), part_numbers(w, 1000, 10), part_numbers(w, 0.1),
            *(part_record(w, "magnetisation", axis="z", case=case) for case in cases),
        ]),
        Stage(35, "<Z> of all ten qubits at every step", lambda w: [
            part for case in cases for part in (
                part_axis(w, "magnetisation", "site", 10, axis="z", case=case),
                part_axis(w, "magnetisation", "time", 1000, axis="z", case=case),
            )
        ]),
    ]  # fmt: skip
    return staged(workspace, stages, "cudaq")


def open_qubit(workspace: Workspace) -> list[Criterion]:
    """States, unitary evolution, Lindblad evolution, by QuTiP."""
    starts = {"plus": ("plus", "+", "x+", "|+>"), "minus": ("minus", "-", "x-", "|->")}

    def evolved(workspace: Workspace, evolution: str) -> list[Part]:
        return [
            part_axis(workspace, "expectation", "time", 400, observable="Z", initial=start, evolution=evolution)
            for start in starts.values()
        ]

    stages = [
        Stage(15, "H = X + 0.5 Z, both eigenstates of X", lambda w: [
            part_numbers(w, 0.5),
            *(part_record(w, "expectation", observable="Z", initial=start) for start in starts.values()),
        ]),
        Stage(35, "unitary evolution, 400 steps to t = 40", lambda w: [
            part_called(w, "qutip", *EVOLVE), part_numbers(w, 40), *evolved(w, "unitary"),
        ]),
        Stage(50, "collapse operator sqrt(0.2) sigma-, Lindblad evolution", lambda w: [
            part_called(w, "qutip", *OPEN_EVOLVE), part_numbers(w, 0.2), *evolved(w, "lindblad"),
        ]),
    ]  # fmt: skip
    return staged(workspace, stages)


def fmo(workspace: Workspace) -> list[Criterion]:
    """Model and bath, 300 K, 77 K, by QuTiP's hierarchy."""

    def at(temperature: int) -> Callable[[Workspace], list[Part]]:
        return lambda w: [
            part_called(w, "qutip", *HEOM), part_numbers(w, temperature),
            part_axis(w, "population", "site", 7, temperature=temperature),
        ]  # fmt: skip

    stages = [
        Stage(20, "seven sites; 35 1/cm, 50 fs; depth 4, two Matsubara terms", lambda w: [
            part_numbers(w, 240.0, 87.7, 435.0, 245.0), part_numbers(w, 35, 50), part_numbers(w, 4, 2),
        ]),
        Stage(40, "from site 0, 1 ps, seven populations at 300 K", at(300)),
        Stage(40, "the same at 77 K", at(77)),
    ]  # fmt: skip
    return staged(workspace, stages)


def grape(workspace: Workspace) -> list[Criterion]:
    """System, optimisation, verification."""
    stages = [
        Stage(15, "three levels, two controls, T = 40, 3000 slots", lambda w: [
            part_numbers(w, 40, 3000), part_axis(w, "pulse", "time", 3000),
        ]),
        Stage(50, "GRAPE for both pulses, fidelity reported", lambda w: [
            (called(w, "qutip_qtrl", *GRAPE) or called(w, "qutip_qoc"), "an optimiser of QuTiP's"),
            part_record(w, "fidelity"),
            part_record(w, "pulse", control=("pump", "Hc1", 1)), part_record(w, "pulse", control=("stokes", "Hc2", 2)),
        ]),
        Stage(35, "evolution under the pulses, three populations", lambda w: [
            part_called(w, "qutip", *EVOLVE),
            *(part_record(w, "population", level=(level, f"P{level}", f"|{level}>")) for level in (1, 2, 3)),
        ]),
    ]  # fmt: skip
    return staged(workspace, stages)


def kicked_ising(workspace: Workspace) -> list[Criterion]:
    """Setting, Floquet operator for ten periods, all magnetisations, all in CUDA-Q."""
    stages = [
        Stage(15, "ten open qubits, J = 1, h = 2, T = 1, a Haar-random state", lambda w: [
            part_numbers(w, 10, 1, 2), part_words(w, "haar", "standard_normal", "normal", "random_statevector"),
        ]),
        Stage(50, "interaction and kick, ten periods, by CUDA-Q", lambda w: [
            part_called(w, "cudaq", *CUDAQ_STATES), part_axis(w, "magnetisation", "period", 10, axis="z"),
        ]),
        Stage(35, "magnetisation of ten sites at periods 0 to 10", lambda w: [
            part_axis(w, "magnetisation", "period", 11, axis="z"), part_axis(w, "magnetisation", "site", 10, axis="z"),
        ]),
    ]  # fmt: skip
    return staged(workspace, stages, "cudaq")


def floquet_tdmrg(workspace: Workspace) -> list[Criterion]:
    """Setting, matrix-product evolution, observables."""
    stages = [
        Stage(15, "ten spins, Omega = 4, tau2 = 0.5, W = 2, three epsilons, five realisations", lambda w: [
            part_numbers(w, 10, 4, 0.5, 2, 5), part_numbers(w, 0.15, 0.3),
        ]),
        Stage(50, "TEBD or TDVP, chi 100, steps of 0.03, 50 periods", lambda w: [
            part_called(w, "tenpy", *TEBD), part_numbers(w, 100, 0.03),
            part_axis(w, "magnetisation", "period", 50, axis="x"),
        ]),
        Stage(35, "x magnetisation and entropy after each period, for all", lambda w: [
            part for epsilon in EPSILONS for part in (
                part_axis(w, "magnetisation", "period", 50, axis="x", epsilon=epsilon),
                part_axis(w, "entropy", "period", 50, epsilon=epsilon),
            )
        ]),
    ]  # fmt: skip
    return staged(workspace, stages)


def cluster_string_order(workspace: Workspace) -> list[Criterion]:
    """Model, ground states, string order."""
    rings = (11, 21, 41)
    stages = [
        Stage(20, "cluster rings of 11, 21, 41, bond dimension 100", lambda w: [
            part_numbers(w, 100), *(part_record(w, "string_order", N=n) for n in rings),
            part_called(w, "tenpy", "CouplingMPOModel", "MPOModel", "CouplingModel", "SpinHalfSite", "MPO", "MPOGraph"),
        ]),
        Stage(40, "DMRG at 20 angles or more, energies", lambda w: [
            part_called(w, "tenpy", *DMRG), *(part_axis(w, "energy", "theta", 20, N=n) for n in rings),
        ]),
        Stage(40, "string order, critical point", lambda w: [
            *(part_axis(w, "string_order", "theta", 20, N=n) for n in rings), part_record(w, "critical_point"),
        ]),
    ]  # fmt: skip
    return staged(workspace, stages)


def noisy_bell(workspace: Workspace) -> list[Criterion]:
    """Circuit with noise, both bases."""
    names = ("AerSimulator", "run", "Sampler", "SamplerV2", "sample_counts", "sample_memory", "get_counts")

    def sampled(word: str) -> Callable[[Workspace], list[Part]]:
        def parts(workspace: Workspace) -> list[Part]:
            aer = called(workspace, "qiskit_aer", *names) or called(workspace, "qiskit", *names)
            found = _measured(word, package="qiskit", names=(), noise=True)(workspace)[1:]
            return [(aer, "a simulator of Qiskit's"), *found]

        return parts

    stages = [
        Stage(20, "H, CNOT, and a depolarising channel in Qiskit", lambda w: [
            part_called(w, "qiskit", "QuantumCircuit"), *_circuit(w),
            (called(w, "qiskit_aer", *NOISE) or called(w, "qiskit", *NOISE), "a noise channel"),
        ]),
        Stage(40, "five p, 4096 shots each, <ZZ>", sampled("ZZ")),
        Stage(40, "Hadamards before the measurement, five p, <XX>", sampled("XX")),
    ]  # fmt: skip
    return staged(workspace, stages)
