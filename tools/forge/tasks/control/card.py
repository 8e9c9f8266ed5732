"""The card of optimal control: levels by name, Hamiltonians as expressions of kets, bras and Pauli strings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, Field

from labwright.tools.forge.tasks.expressions import (
    Array,
    Expression,
    ExpressionError,
    at,
    number,
    pairs,
    positive,
    quoted,
    value,
)
from labwright.tools.forge.tasks.task_type import Computed

_PAULI = {"I": [[1, 0], [0, 1]], "X": [[0, 1], [1, 0]], "Y": [[0, -1j], [1j, 0]], "Z": [[1, 0], [0, -1]]}
Operator = Expression | list[list[Expression]]


class ControlCard(BaseModel, extra="forbid"):
    """Optimal control of levels or qubits: GRAPE pulses for a transfer of population or a quantum gate."""

    title: str = "Optimal control"
    levels: list[str | int] = Field([], max_length=64, description="Name of each basis state, such as [1, 2, 3].")
    qubits: int = Field(default=0, ge=0, le=6, description="In place of levels: their names are then 00, 01, 10, 11.")
    parameters: dict[str, Expression] = Field(default_factory=dict, description="Numbers by name.")
    drift: Operator = Field(default=0, description="Hamiltonian without pulses, rad / time; hbar = 1.")
    controls: dict[str, Operator] = Field(min_length=1, description="Name -> hc(ket(1)*bra(2)), XI, or a matrix.")
    start: Expression = Field(description="A level, or a state such as ket(0) + ket(1); of a gate what is followed.")
    target: Expression | None = Field(default=None, description="A level or a state, for a transfer.")
    gate: Operator | None = Field(default=None, description="In place of a target: CZ, a sum of Paulis, or a matrix.")
    subspace: list[str | int] = Field([], description="Levels on which the gate acts, in the order of its rows; all.")
    time: Expression = Field(description="Duration of the pulses.")
    time_unit: str = ""
    slots: int = Field(ge=2, le=100_000)
    bounds: list[Expression] | None = Field(default=None, description="Lowest and highest amplitude; none if left out.")
    first_guess: Literal["random", "counter_intuitive"] = "random"
    guess_scale: Expression | None = Field(default=None, description="Size of random first amplitudes; 2 pi / time.")
    penalties: dict[str, Expression] = Field({}, description="Level to stay empty -> weight of its occupation.")
    fidelity: float = Field(default=0.99, gt=0, le=1, description="Squared overlap that has to be reached.")
    max_iterations: int = Field(default=60, ge=1)
    infidelity_target: float = Field(default=1e-6, gt=0, description="Of 1 - |overlap|, not squared: there it stops.")
    average_fidelity: bool = Field(default=False, description="`fidelity` of a gate is the average gate fidelity.")
    seed: int = Field(default=0, ge=0, description="Of random first amplitudes.")

    def compiled(self) -> Computed:
        """The levels, Hamiltonians, states and numbers that the scripts get; matrices as rows of [re, im].

        Raises:
            ValidationError: an operator, a state or a bound cannot be used; says which.
        """
        if bool(self.levels) == bool(self.qubits) or len(self._names) < 2:
            raise ValueError("A control task is of levels or of qubits. Write at least two `levels`, or `qubits: 1`.")
        with at("start"):
            start = self._state(self.start)
        if len(set(self._names)) < len(self._names):
            raise ValueError(f"Two of the levels {', '.join(self._names)} have one name. Give each its own.")
        if (self.target is None) == (self.gate is None):
            raise ValueError("A control task has one aim. Write either a `target` or a `gate`.")
        with at("subspace"):
            levels = [self._level(one) for one in self.subspace]
            if len(set(levels)) < len(levels) or (levels and self.gate is None) or len(levels) == 1:
                raise ExpressionError(
                    "A gate acts on two or more levels. Name each once, with a `gate`; or leave it out."
                )
        with at("target" if self.gate is None else "gate"):
            target = self._state(self.target)[:, None] if self.target is not None else self._gate(levels)
        with at("drift"):
            drift = self._hermitian(self.drift)
        controls = []
        for name, text in self.controls.items():
            with at("controls", name):
                controls.append({"label": name, "matrix": pairs(self._hermitian(text))})
        with at("first_guess"):
            if self.first_guess == "counter_intuitive" and len(controls) != 2:
                raise ExpressionError("It needs two controls. Name a pump and a Stokes control, or leave it out.")
        with at("time"):
            time = positive(self.time, self._numbers())
        with at("bounds"):
            bounds = None if self.bounds is None else [number(one, self._numbers()) for one in self.bounds]
            if bounds is not None and (len(bounds) != 2 or bounds[0] >= bounds[1]):
                raise ExpressionError(f"{self.bounds} are no bounds. Write two numbers, the lower one first.")
        with at("penalties"):
            if self.penalties and self.gate is not None and not levels:
                raise ExpressionError(
                    "A gate on all levels occupies them evenly. Name its `subspace`, or leave it out."
                )
        penalties = []
        for name, weight in self.penalties.items():
            with at("penalties", name):
                penalties.append({"level": self._level(name), "weight": positive(weight, self._numbers())})
        with at("guess_scale"):
            scale = 2 * np.pi / time if self.guess_scale is None else positive(self.guess_scale, self._numbers())
        state = self.gate is None
        return Computed(self, {
            "levels": self._names, "places": levels, "goal": "state" if state else "gate",
            "drift": pairs(drift), "controls": controls,
            "initial": pairs(start), "initial_name": _named(self.start), "target": pairs(target),
            "target_name": _named(self.target) if state else _named(self.gate, "the given gate"), "duration": time,
            "lower": bounds[0] if bounds else None, "upper": bounds[1] if bounds else None, "start_scale": scale,
            "penalties": penalties,
        })  # fmt: skip

    @property
    def _names(self) -> list[str]:
        """Of the levels."""
        return [str(one) for one in self.levels] or [f"{k:0{self.qubits}b}" for k in range(2**self.qubits)]

    def _numbers(self) -> dict[str, Any]:
        names: dict[str, Any] = {}
        for name, text in self.parameters.items():
            with at("parameters", name):
                names[name] = number(text, names)
        return names

    def _level(self, name: str | int) -> int:
        known = self._names
        if str(name) not in known:
            raise ExpressionError(f"There is no level {name!r}. Levels are: {', '.join(known)}.")
        return known.index(str(name))

    def _value(self, text: Expression, size: int = 0) -> Any:
        size = size or len(self._names)

        def ket(name: str) -> Array:
            return np.eye(len(self._names), dtype=complex)[:, [self._level(name)]]

        names: dict[str, Any] = {"ket": ket, "bra": lambda name: ket(name).T, **self._numbers()}
        names |= {"hc": lambda one: one + np.conj(one).T, "identity": np.eye(size, dtype=complex)}
        if size & (size - 1) == 0:
            words = set(re.findall(r"[A-Z]+", str(text)))
            qubits = size.bit_length() - 1
            names |= {one: _kron(one) for one in words if len(one) == qubits and not set(one) - set(_PAULI)}
            if size == 2:
                names |= {"H": (_kron("X") + _kron("Z")) / np.sqrt(2)}
            if size == 4:
                cnot = np.eye(4)[[0, 1, 3, 2]].astype(complex)
                names |= {"CZ": np.diag([1, 1, 1, -1]).astype(complex), "CNOT": cnot, "CX": cnot}
                names |= {"SWAP": np.eye(4)[[0, 2, 1, 3]].astype(complex)}
                names |= {"ISWAP": np.eye(4)[[0, 2, 1, 3]] * np.array([[1], [1j], [1j], [1]])}
        return value(quoted(str(text)), names)

    def _matrix(self, text: Operator, size: int = 0) -> Array:
        size = size or len(self._names)
        if isinstance(text, list):
            found = np.array([[self._value(one) for one in row] for row in text], dtype=complex)
        else:
            found = np.asarray(self._value(text, size), dtype=complex)
            found = found * np.eye(size) if not found.ndim else found
        if found.shape != (size, size):
            raise ExpressionError(f"It is no {size} x {size} matrix. Write {size} rows, or such as ket(a)*bra(b).")
        return found

    def _hermitian(self, text: Operator) -> Array:
        found = self._matrix(text)
        if not np.allclose(found, found.conj().T):
            raise ExpressionError("It is not Hermitian. Add the conjugate, as in hc(ket(1)*bra(2)).")
        return found

    def _gate(self, levels: list[int]) -> Array:
        """A column of all levels for each level on which it acts."""
        assert self.gate is not None
        try:
            found = self._matrix(self.gate, len(levels))
        except ExpressionError as wrong:
            told = f"{wrong} A gate of fewer levels than {len(self._names)} names them: subspace: {self._names[:2]}."
            raise ExpressionError(told) from wrong
        if not np.allclose(found @ found.conj().T, np.eye(len(found)), atol=1e-8):
            raise ExpressionError("The gate is not unitary. Look at its rows, or name one such as CZ.")
        made: Array = np.eye(len(self._names), dtype=complex)[:, levels or list(range(len(found)))] @ found
        return made

    def _state(self, text: Expression | None) -> Array:
        plain = str(text) in self._names
        found = np.asarray(self._value(f"ket({text})" if plain else str(text)), dtype=complex)
        if found.shape != (len(self._names), 1) or not np.linalg.norm(found):
            raise ExpressionError(f"{text!r} is no state. Write a level, or such as ket(0) + 1j*ket(1).")
        made: Array = found[:, 0] / np.linalg.norm(found)
        return made


def _kron(letters: Sequence[str]) -> Array:
    found = np.ones((1, 1), dtype=complex)
    for letter in letters:
        found = np.kron(found, np.array(_PAULI[letter], dtype=complex))
    return found


def _named(text: Any, otherwise: str = "") -> str:
    return otherwise if isinstance(text, list) else f"|{text}>" if str(text).isalnum() and not otherwise else str(text)
