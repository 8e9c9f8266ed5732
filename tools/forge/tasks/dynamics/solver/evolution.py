"""Evolution of a case: QuTiP's solvers piece by piece, an independent second method, and results dense in time."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import qutip
import scipy.sparse.linalg
from numpy.typing import NDArray
from qutip import Qobj

from .expression_values import CardError
from .model import Model
from .time_functions import Signal

Array = NDArray[np.float64]
DEGREE = 11  # of the polynomial on each panel
MOST_PANELS, MOST_HALVINGS = 3000, 14
MOST_STORED = 60_000_000  # complex numbers of all states between the times
SMALL_OPEN = 16  # levels up to which the whole null space is looked at
EXACT_UNITARY, EXACT_OPEN = 400, 30  # levels up to which the generator is diagonalised


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How exactly to compute.

    Attributes:
        second: by the second method: an integration where the first one diagonalises, Adams' method where it
            integrates, the null space instead of a linear system, a sum over eigenvalues instead of a resolvent.
        panels: factor on the number of panels on which results are interpolated.
        step: factor on the longest step.
        more_levels: oscillators get more levels.
    """

    second: bool = False
    panels: float = 1.0
    step: float = 1.0
    more_levels: bool = False


MAIN, SECOND, LARGER = Accuracy(), Accuracy(True, 1.3, 0.7), Accuracy(more_levels=True)
TOLERANCE, SECOND_TOLERANCE = 1e-10, 1e-8  # of integrations, relative; the absolute one is a hundredth of it


class Evolution:
    """The states of a case at any times, and functions of them.

    Attributes:
        norm_error: largest deviation of norm or trace from one.
        lowest_eigenvalue: of any density matrix.
    """

    def __init__(self, model: Model, accuracy: Accuracy) -> None:
        self.model, self.accuracy = model, accuracy
        self.norm_error, self.lowest_eigenvalue = 0.0, 0.0

    def states(self, times: Array, initial: Qobj | None = None, start: float | None = None) -> list[Qobj]:
        """The states at sorted `times`.

        Args:
            initial: state, or any operator that evolves like one, at `start`; the model's own if left out.

        Raises:
            CardError: the model has no initial state, or the integration fails.
        """
        model = self.model
        state = model.initial if initial is None else initial
        if state is None:
            raise CardError("The evolution has no initial state.", "Add such as initial: ket(0).", ("initial",))
        begin = model.start if start is None else start
        ends = [one for one in model.breaks if begin < one < times[-1]]
        found: list[Qobj] = []
        for low, high in zip([begin, *ends], [*ends, float(times[-1])], strict=True):
            inside = times[(times >= low if low == begin else times > low) & (times <= high)]
            for end in (low, high):  # a step of the size of rounding is more than an integrator can take
                inside = np.where(np.abs(inside - end) < 1e-11 * (times[-1] - begin), end, inside)
            grid = np.unique(np.concatenate([[low], inside, [high]]))
            made = self._piece(state, grid) if high > low else [state]
            found += [made[k] for k in np.searchsorted(grid, inside)]
            state = made[-1]
        if initial is None:
            self._look(found)
        return found

    def _piece(self, state: Qobj, grid: Array) -> list[Qobj]:
        model = self.model
        unitary = state.isket and not model.collapse
        small = model.space.size <= (EXACT_UNITARY if unitary else EXACT_OPEN)
        if small and not self.accuracy.second and not model.driven:
            exact = self._unitary(state, grid) if unitary else self._exponential(state, grid)
            if exact is not None:
                return exact
        margin = 1e-9 * (grid[-1] - grid[0])
        model.clock.low, model.clock.high = grid[0] + margin, grid[-1] - margin
        tolerance = SECOND_TOLERANCE if self.accuracy.second else TOLERANCE
        options: dict[str, Any] = {
            "method": "adams" if self.accuracy.second else "dop853", "rtol": tolerance, "atol": tolerance / 100,
            "nsteps": 1_000_000, "progress_bar": "", "store_states": True,
            "max_step": model.longest_step * self.accuracy.step if model.driven else 0.0, "normalize_output": False,
        }  # fmt: skip
        try:
            if unitary:
                solved = qutip.sesolve(model.hamiltonian, state, grid, options=options)
            else:
                solved = qutip.mesolve(model.hamiltonian, state, grid, model.collapse, options=options)
        except qutip.solver.integrator.IntegratorException as error:
            fix = "Look at the sizes of rates and times; stiff systems need shorter times or a steady state."
            raise CardError(f"The integration fails: {error}.", fix) from error
        finally:
            model.clock.low, model.clock.high = -math.inf, math.inf
        return list(solved.states)

    @cached_property
    def _spectral(self) -> Any:
        """Eigenvalues, eigenvectors and their inverse, of H or the Liouvillian; None where they are ill-conditioned."""
        model = self.model
        if not model.collapse:
            return np.linalg.eigh(model.hamiltonian.full())
        generator = qutip.liouvillian(model.hamiltonian, model.collapse).full()
        values, vectors = np.linalg.eig(generator)
        if np.linalg.cond(vectors) > 1e7:
            return None
        return values, vectors, np.linalg.inv(vectors)

    def _unitary(self, state: Qobj, grid: Array) -> list[Qobj]:
        energies, vectors = self._spectral
        weights = vectors.conj().T @ state.full()[:, 0]
        return [Qobj(vectors @ (np.exp(-1j * energies * (t - grid[0])) * weights), dims=state.dims) for t in grid]

    def _exponential(self, state: Qobj, grid: Array) -> list[Qobj] | None:
        matrix = state.proj() if state.isket else state
        size = matrix.shape[0]
        if not self.model.collapse:
            energies, vectors = self._spectral
            inner = vectors.conj().T @ matrix.full() @ vectors
            turns = [np.exp(-1j * energies * (t - grid[0])) for t in grid]
            return [Qobj(vectors @ (u[:, None] * inner * u.conj()) @ vectors.conj().T, dims=matrix.dims) for u in turns]
        if self._spectral is None:
            return None
        values, vectors, inverse = self._spectral
        weights = inverse @ matrix.full().reshape(-1, order="F")
        columns = [vectors @ (np.exp(values * (t - grid[0])) * weights) for t in grid]
        return [Qobj(one.reshape(size, size, order="F"), dims=matrix.dims) for one in columns]

    def _look(self, states: list[Qobj]) -> None:
        for state in states:
            norm = state.norm() ** 2 if state.isket else state.tr()
            self.norm_error = max(self.norm_error, float(abs(norm - 1)))
        for state in states[:: max(1, len(states) // 20)]:
            if state.isoper and state.shape[0] <= 200:
                self.lowest_eigenvalue = min(self.lowest_eigenvalue, float(np.linalg.eigvalsh(state.full())[0]))

    @cached_property
    def at_times(self) -> list[Qobj]:
        """States at the card's times."""
        return self.states(self.times)

    @property
    def times(self) -> Array:
        """The card's times.

        Raises:
            CardError: it has none.
        """
        if self.model.times is None:
            raise CardError("The card has no times.", "Give it times, such as times: linspace(0, 10, 101).", ("times",))
        found: Array = self.model.times
        return found

    @cached_property
    def panels(self) -> Array:
        """Edges of the panels, shape (n_panels + 1,), from the start to the last time."""
        model = self.model
        start, stop = model.start, float(self.times[-1])
        if stop <= start:
            raise CardError("The times have no length.", "Give more than one time.", ("times",))
        wanted = 1.2 * self._fastest() * (stop - start) / (2 * math.pi) + 16
        size = model.space.size ** (2 if model.collapse else 1)
        count = int(min(MOST_PANELS, MOST_STORED / size / DEGREE, wanted) * self.accuracy.panels) + 1
        edges = np.concatenate([np.linspace(start, stop, count + 1), model.breaks])
        return np.asarray(np.unique(edges), dtype=float)

    def _fastest(self) -> float:
        """Largest angular frequency with which a result may change, roughly."""
        model = self.model
        found = 0.0
        for t in model.some_times():
            now = model.hamiltonian(t) if isinstance(model.hamiltonian, qutip.QobjEvo) else model.hamiltonian
            small = model.space.size <= 256
            found = max(found, _spread(now) if small else 6 * float(now.norm("fro")) / math.sqrt(model.space.size))
        length = model.longest_step
        return found + (1 / length if length else 0.0)

    @cached_property
    def _dense(self) -> list[Qobj]:
        """The states at the nodes of all panels."""
        nodes = _nodes(self.panels).ravel()
        flat = np.unique(nodes)
        states = self.states(flat)
        return [states[k] for k in np.searchsorted(flat, nodes)]

    def dense(self, signal: Signal) -> tuple[Array, NDArray[Any]]:
        """Panels, and Chebyshev coefficients of a signal on each, shape (n_panels, degree + 1)."""
        nodes = _nodes(self.panels)
        states = self._dense if signal.stateful else [None] * nodes.size
        values = np.array([signal.at(t, state) for t, state in zip(nodes.ravel(), states, strict=True)])
        rows = values.reshape(nodes.shape) @ _TO_COEFFICIENTS.T
        left = [states[k * (DEGREE + 1)] for k in range(len(rows))]
        return self._halved(signal, self.panels, rows, left)

    def _halved(self, signal: Signal, panels: Array, rows: NDArray[Any], left: list[Any]) -> tuple[Array, NDArray[Any]]:
        """Panels on which the polynomial does not follow the signal, as at a kink, halved until it does."""
        size = float(np.abs(rows).max())
        for _ in range(MOST_HALVINGS):
            bad = np.flatnonzero(np.abs(rows[:, -2:]).max(axis=1) > 1e-9 * size)
            if not len(bad) or len(bad) > 64:
                break
            for k in reversed(bad):
                edges = np.array([panels[k], (panels[k] + panels[k + 1]) / 2, panels[k + 1]])
                nodes = _nodes(edges)
                flat = np.unique(nodes)
                made = self.states(flat, left[k], float(edges[0])) if signal.stateful else [None] * len(flat)
                pairs = zip(nodes.ravel(), np.searchsorted(flat, nodes.ravel()), strict=True)
                values = np.array([signal.at(t, made[int(j)]) for t, j in pairs])
                rows = np.concatenate([rows[:k], values.reshape(nodes.shape) @ _TO_COEFFICIENTS.T, rows[k + 1 :]])
                panels = np.insert(panels, k + 1, edges[1])
                left.insert(k + 1, made[DEGREE])
        return panels, rows

    @cached_property
    def steady(self) -> Qobj:
        """The steady state.

        Raises:
            CardError: there is none, or more than one.
        """
        model = self.model
        model.damped()
        if self.accuracy.second:
            return self._null_vector()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = qutip.steadystate(model.hamiltonian, model.collapse, method="direct")
        if not np.all(np.isfinite(found.full())):
            raise CardError("The steady state is not unique.", "Look for levels that nothing leads out of or into.")
        return found

    def _null_vector(self) -> Qobj:
        """The same from the generator's null space, which must have one dimension."""
        size = self.model.space.size
        generator = qutip.liouvillian(self.model.hamiltonian, self.model.collapse)
        if size <= SMALL_OPEN:
            _, rates, vectors = np.linalg.svd(generator.full())
            vector, second, largest = vectors[-1].conj(), rates[-2], rates[0]
        else:
            sparse = generator.to("CSR").data.as_scipy().tocsc()
            largest = abs(sparse).max()
            rates, found = scipy.sparse.linalg.eigs(sparse, k=2, sigma=1e-6 * largest, v0=np.ones(size**2))
            order = np.argsort(np.abs(rates))
            vector, second = found[:, order[0]], abs(rates[order[1]])
        if second < 1e-11 * max(largest, 1e-300):
            raise CardError("The steady state is not unique.", "Look for levels that nothing leads out of or into.")
        matrix = vector.reshape(size, size, order="F")
        matrix = matrix / np.trace(matrix)
        return Qobj((matrix + matrix.conj().T) / 2, dims=[self.model.space.dims] * 2)


def _spread(op: Qobj) -> float:
    energies = np.linalg.eigvalsh(op.full())
    return float(energies[-1] - energies[0])


_UNIT = np.cos(np.pi * np.arange(DEGREE, -1, -1) / DEGREE)
_TO_COEFFICIENTS = np.linalg.inv(np.polynomial.chebyshev.chebvander(_UNIT, DEGREE))


def _nodes(panels: Array) -> Array:
    """Chebyshev points of every panel, ends included, shape (n_panels, degree + 1)."""
    low, high = panels[:-1, None], panels[1:, None]
    nodes = low + (high - low) * (_UNIT + 1) / 2
    nodes[:, 0], nodes[:, -1] = panels[:-1], panels[1:]
    return np.asarray(nodes)


def roots(panels: Array, coefficients: NDArray[Any], level: float = 0.0) -> list[float]:
    """Times at which a piecewise polynomial has the value `level`, sorted."""
    chebyshev = np.polynomial.chebyshev
    found: list[float] = []
    for low, high, row in zip(panels[:-1], panels[1:], coefficients, strict=True):
        row = row.copy()
        row[0] -= level
        size = np.abs(row).max()
        if size == 0 or abs(row[0]) > np.abs(row[1:]).sum():
            continue
        kept = row[: int(np.flatnonzero(np.abs(row) > 1e-14 * size)[-1]) + 1]
        if len(kept) < 2:
            continue
        for root in chebyshev.chebroots(kept):
            if abs(root.imag) < 1e-7 and -1 - 1e-9 <= root.real <= 1 + 1e-9:
                found.append(float(low + (high - low) * (root.real + 1) / 2))
    kept_roots: list[float] = []
    for one in sorted(found):
        if not kept_roots or one - kept_roots[-1] > 1e-9 * (panels[-1] - panels[0]):
            kept_roots.append(one)
    return kept_roots


def value_at(panels: Array, coefficients: NDArray[Any], t: float) -> Any:
    """A piecewise polynomial at one time."""
    k = int(np.clip(np.searchsorted(panels, t, side="right") - 1, 0, len(coefficients) - 1))
    low, high = panels[k], panels[k + 1]
    return np.polynomial.chebyshev.chebval(2 * (t - low) / (high - low) - 1, coefficients[k])


def slope(panels: Array, coefficients: NDArray[Any]) -> NDArray[Any]:
    """Coefficients of the derivative, one degree lower."""
    return np.asarray(np.polynomial.chebyshev.chebder(coefficients, axis=1) * (2 / np.diff(panels))[:, None])


def integral(panels: Array, coefficients: NDArray[Any], low: float, high: float) -> Any:
    """Integral of a piecewise polynomial from `low` to `high`."""
    total: Any = 0.0
    summed = np.polynomial.chebyshev.chebint(coefficients, axis=1)
    for a, b, row in zip(panels[:-1], panels[1:], summed, strict=True):
        left, right = max(a, low), min(b, high)
        if right > left:
            ends = 2 * (np.array([left, right]) - a) / (b - a) - 1
            upper = np.polynomial.chebyshev.chebval(ends, row)
            total = total + (upper[1] - upper[0]) * (b - a) / 2
    return total


def extrema(panels: Array, coefficients: NDArray[Any], sign: int, low: float, high: float) -> list[tuple[float, float]]:
    """(time, value) of the local maxima (sign 1) or minima (sign -1) strictly between `low` and `high`."""
    curve = sign * coefficients.real
    span = float(np.abs(curve[:, 1:]).sum(axis=1).max()) + float(np.ptp(curve[:, 0]))
    if span < 1e-7 * max(1.0, float(np.abs(curve[:, 0]).max())) and span < 1e-9:
        return []
    margin, found = 1e-6 * (high - low), []
    reach = 0.02 * float(np.median(np.diff(panels)))
    for t in roots(panels, slope(panels, curve)):
        if low + margin < t < high - margin:
            here = value_at(panels, curve, t)
            sides = [value_at(panels, curve, min(max(t + d, panels[0]), panels[-1])) for d in (-reach, reach)]
            if here > max(sides) + 1e-9 * span:  # not the noise of something that has settled
                found.append((t, float(sign * here)))
    return found
