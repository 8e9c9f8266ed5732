"""Control pulses by GRAPE (gradient ascent pulse engineering) for state transfer or gates of a closed few-level system.

H(t) = H_0 + sum_j u_j(t) H_j with hbar = 1 and u_j constant in each of equal time slots. QuTiP's pulse optimiser
(L-BFGS-B) lowers 1 - |Tr(V^dag U)| / n + sum_l w_l P_l: V holds the target state or gate in its n columns, U what the
initial state or the identity (of a gate on some levels: its columns of these) becomes, and P_l is the time average of
the occupation of level l. Without weights P_l is not looked at: GRAPE then takes whatever path is nearest to its starting
pulses. A gate on all levels occupies each of them evenly, averaged over initial states, so that weights make sense for
state transfers and for gates on some levels only.
Global phases do not count. Gradients are exact (spectral derivative of each slot's propagator).

Fidelities given back are squared overlaps |Tr(V^dag U) / n|^2. Source: Khaneja et al., J. Magn. Reson. 172, 296
(2005); Machnes et al., Phys. Rev. A 84, 022305 (2011) for exact gradients; qutip-qtrl.
"""

from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator
from qutip import Qobj
from qutip_qtrl import pulseoptim
from qutip_qtrl.fidcomp import FidelityComputer


class GrapePulsesInput(BaseModel, allow_inf_nan=False):
    """System, target, time grid, bounds, and where to start."""

    model_config = ConfigDict(extra="forbid")

    class Penalty(BaseModel, allow_inf_nan=False):
        """A level whose mean occupation is to be kept small."""

        model_config = ConfigDict(extra="forbid")
        level: int = Field(ge=0, description="Index of the level, counted from 0.")
        weight: float = Field(gt=0, description="Weight of its mean occupation beside the infidelity (1).")

    drift: list[list[list[float]]] = Field(description="H_0, rows x columns x [re, im] (rad / time).")
    controls: list[list[list[list[float]]]] = Field(
        min_length=1, description="H_j, each rows x columns x [re, im] (rad / time for an amplitude of one)."
    )
    goal: Literal["state", "gate"] = Field(description="Whether a state is transferred or a gate is made.")
    initial: list[list[float]] = Field(
        default=[], description="Initial state as [re, im] amplitudes; empty for a gate (1)."
    )
    target: list[list[list[float]]] = Field(
        description="Target state (a matrix of one column) or gate, rows x columns x [re, im] (1)."
    )
    subspace: list[int] = Field(
        default=[], description="Levels from 0 on which a gate is wanted, one for each of its columns; empty: all (1)."
    )
    duration: float = Field(gt=0, description="Length of the pulses (time).")
    slots: int = Field(ge=1, description="Number of equal time slots (1).")
    start: list[list[float]] = Field(
        default=[], description="Starting amplitudes, slots x controls; empty: drawn from `seed` (1)."
    )
    start_scale: float = Field(gt=0, description="Standard deviation of drawn, smooth starting amplitudes (1).")
    seed: int = Field(ge=0, description="Seed of drawn starting amplitudes (1).")
    lower: float | None = Field(description="Lower bound of all amplitudes, or None (1).")
    upper: float | None = Field(description="Upper bound of all amplitudes, or None (1).")
    penalties: list[Penalty] = Field(default=[], description="Levels to keep empty; empty for plain GRAPE.")
    infidelity_target: float = Field(gt=0, description="The goal 1 - |overlap| + penalties at which to stop (1).")
    max_iterations: int = Field(ge=1, description="Most iterations of the optimiser (1).")

    @model_validator(mode="after")
    def _consistent(self) -> "GrapePulsesInput":
        size = len(self.drift)
        for name, matrix in [("drift", self.drift), *(("control", one) for one in self.controls)]:
            array = _matrix(matrix, name)
            if array.shape != (size, size) or not np.allclose(array, array.conj().T, atol=1e-10):
                raise ValueError(f"The {name} must be a Hermitian matrix of {size} x {size} [re, im] entries.")
        target = _matrix(self.target, "target")
        columns = 1 if self.goal == "state" else len(self.subspace) or size
        if not set(self.subspace) <= set(range(size)) or len(set(self.subspace)) != len(self.subspace):
            raise ValueError(f"`subspace` must be different levels below {size}.")
        if target.shape != (size, columns) or not np.allclose(target.conj().T @ target, np.eye(columns), atol=1e-8):
            raise ValueError(f"The target must be {size} x {columns} with orthonormal columns.")
        if self.goal == "state" and (len(self.initial) != size or abs(_norm(self.initial) - 1) > 1e-8):
            raise ValueError(f"The initial state needs {size} amplitudes [re, im] of norm 1.")
        if self.start and np.shape(self.start) != (self.slots, len(self.controls)):
            raise ValueError(f"`start` must have {self.slots} rows of {len(self.controls)} amplitudes.")
        if any(one.level >= size for one in self.penalties):
            raise ValueError(f"Penalised levels must be below {size}.")
        if self.penalties and self.goal == "gate" and not self.subspace:
            raise ValueError("A gate on all levels occupies each of them evenly: penalties are for state transfers.")
        if self.lower is not None and self.upper is not None and self.lower >= self.upper:
            raise ValueError("`lower` must be below `upper`.")
        return self


class GrapePulsesOutput(BaseModel):
    """The pulses and how they were found."""

    amplitudes: list[list[float]] = Field(description="Amplitude of each control (columns) in each slot (rows) (1).")
    slot_starts: list[float] = Field(description="Where each slot begins (time).")
    fidelity: float = Field(description="|Tr(V^dag U) / n|^2 at the end (1).")
    start_fidelity: float = Field(description="The same under the starting pulses (1).")
    mean_occupations: list[float] = Field(description="Time average of each level's occupation (1).")
    iterations: int = Field(description="Iterations made (1).")
    stopped_because: str = Field(description="What ended the optimisation.")


def grape_pulses(given: GrapePulsesInput) -> GrapePulsesOutput:
    """Optimise piecewise constant pulses with GRAPE.

    Args:
        given: Hamiltonians, target, slots, bounds, penalties and start.

    Returns:
        Amplitudes with the fidelity that they reach by the optimiser's own propagators.
    """
    start = np.array(given.start) if given.start else _drawn(given)
    low = -np.inf if given.lower is None else given.lower
    high = np.inf if given.upper is None else given.upper
    start = np.clip(start, low, high)
    columns = _begin(given)
    optimiser = pulseoptim.create_pulse_optimizer(
        Qobj(_matrix(given.drift, "drift")),
        [Qobj(_matrix(one, "control")) for one in given.controls],
        Qobj(columns),
        Qobj(_matrix(given.target, "target")),
        num_tslots=given.slots,
        evo_time=given.duration,
        amp_lbound=given.lower,
        amp_ubound=given.upper,
        fid_err_targ=given.infidelity_target,
        min_grad=1e-12,
        max_iter=given.max_iterations,
        # the clock must not decide what comes out
        max_wall_time=1e9,
        dyn_type="UNIT",
    )
    dynamics = optimiser.dynamics
    dynamics.fid_computer = _Objective(dynamics, given)
    dynamics.initialize_controls(start)
    # the optimiser keeps a copy of the first evolution, so there has to be one
    dynamics.compute_evolution()
    first = dynamics.fid_computer.evaluate(start)[1]
    result = optimiser.run_optimization()
    amplitudes = np.asarray(result.final_amps, dtype=float)
    _, overlap, occupations, _ = dynamics.fid_computer.evaluate(amplitudes)
    return GrapePulsesOutput(
        amplitudes=amplitudes.tolist(),
        slot_starts=(np.arange(given.slots) * given.duration / given.slots).tolist(),
        fidelity=float(overlap**2),
        start_fidelity=float(first**2),
        mean_occupations=occupations.tolist(),
        iterations=int(result.num_iter),
        stopped_because=str(result.termination_reason),
    )


def _matrix(rows: list[list[list[float]]], name: str) -> np.ndarray:
    """Rows of [re, im] pairs as a complex array."""
    if len({len(row) for row in rows}) != 1 or any(len(entry) != 2 for row in rows for entry in row):
        raise ValueError(f"The {name} must be rows of equal length with [re, im] entries.")
    return np.array([[complex(re, im) for re, im in row] for row in rows])


def _vector(amplitudes: list[list[float]]) -> np.ndarray:
    return np.array([[complex(re, im)] for re, im in amplitudes])


def _begin(given: GrapePulsesInput) -> np.ndarray:
    """What is propagated: the initial state, or the states of a gate's levels, as columns."""
    whole = np.eye(len(given.drift), dtype=complex)
    return _vector(given.initial) if given.goal == "state" else whole[:, given.subspace] if given.subspace else whole


def _norm(amplitudes: list[list[float]]) -> float:
    return float(np.linalg.norm([complex(*one) for one in amplitudes]))


def _drawn(given: GrapePulsesInput) -> np.ndarray:
    """Smooth random pulses: a few sine waves, so that neighbouring slots are alike."""
    random = np.random.default_rng(given.seed)
    waves = 5
    at = (np.arange(given.slots) + 0.5) / given.slots
    shapes = np.sin(np.pi * np.outer(at, np.arange(1, waves + 1)))
    return shapes @ random.normal(0, given.start_scale * np.sqrt(2 / waves), (waves, len(given.controls)))


class _Objective(FidelityComputer):
    """Infidelity with penalties and its exact gradient, all slots at once."""

    def __init__(self, dynamics: object, given: GrapePulsesInput) -> None:
        self.size = len(given.drift)
        self.drift = _matrix(given.drift, "drift")
        self.controls = np.array([_matrix(one, "control") for one in given.controls])
        self.begin = _begin(given)
        self.goal = _matrix(given.target, "target")
        self.step, self.duration = given.duration / given.slots, given.duration
        self.weights = np.zeros(self.size)
        for one in given.penalties:
            self.weights[one.level] += one.weight
        super().__init__(dynamics)

    def init_comp(self) -> None:
        """Nothing to prepare."""

    def get_fid_err(self) -> float:
        """The objective at the present amplitudes."""
        self.fid_err, _, _, self.fid_err_grad = self.evaluate(self.parent.ctrl_amps)
        self.grad_norm = float(np.linalg.norm(self.fid_err_grad))
        self.fidelity_current = self.fid_err_grad_current = True
        return self.fid_err

    def get_fid_err_gradient(self) -> np.ndarray:
        """Its gradient, slots x controls."""
        if not self.fid_err_grad_current:
            self.get_fid_err()
        return self.fid_err_grad

    def evaluate(self, amplitudes: np.ndarray) -> tuple[float, float, np.ndarray, np.ndarray]:
        """Objective, overlap |Tr(V^dag U)| / n, mean occupation of each level, gradient."""
        hamiltonians = self.drift + np.einsum("kj,jab->kab", amplitudes, self.controls)
        energies, vectors = np.linalg.eigh(hamiltonians)
        phases = np.exp(-1j * self.step * energies)
        steps = np.einsum("kab,kb,kcb->kac", vectors, phases, vectors.conj())
        forward = [self.begin]
        for one in steps:
            forward.append(one @ forward[-1])
        states = np.array(forward)
        slots, width = len(steps), self.begin.shape[1]
        occupied = (np.abs(states[1:]) ** 2).mean(axis=(0, 2))
        overlap = np.vdot(self.goal, states[-1]) / width
        size = abs(overlap)
        # backward: derivative of the objective by each state, as a costate
        turn = np.exp(1j * np.angle(overlap))
        costate = -0.5 * turn * self.goal / width + self._pull(states[-1])
        backward = [costate]
        for k in range(slots - 1, 0, -1):
            backward.append(steps[k].conj().T @ backward[-1] + self._pull(states[k]))
        costates = np.array(backward[::-1])
        change = self._derivatives(energies, vectors, phases)
        gradient = 2 * np.real(np.einsum("kan,kjab,kbn->kj", costates.conj(), change, states[:-1], optimize=True))
        return float(1 - size + np.dot(occupied, self.weights)), float(size), occupied, gradient

    def _pull(self, state: np.ndarray) -> np.ndarray:
        return self.weights[:, None] * state * self.step / self.duration

    def _derivatives(self, energies: np.ndarray, vectors: np.ndarray, phases: np.ndarray) -> np.ndarray:
        """dU_k / du_j of every slot and control, from the divided differences of the phases."""
        gap = energies[:, :, None] - energies[:, None, :]
        same = np.abs(gap) < 1e-9
        split = (phases[:, :, None] - phases[:, None, :]) / np.where(same, 1.0, gap)
        divided = np.where(same, -1j * self.step * phases[:, :, None], split)
        turned = np.einsum("kba,jbc,kcd->kjad", vectors.conj(), self.controls, vectors, optimize=True)
        return np.einsum("kab,kjbc,kdc->kjad", vectors, turned * divided[:, None], vectors.conj(), optimize=True)
