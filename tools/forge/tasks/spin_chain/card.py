"""The card of a chain of qubits: Hamiltonian by Pauli strings, or the layers of a kicked period."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, Field

from labwright.tools.forge.tasks.expressions import (
    Expression,
    ExpressionError,
    Numbers,
    Varied,
    at,
    grid,
    number,
    pauli,
    positive,
)
from labwright.tools.forge.tasks.task_type import Computed

Want = Literal[
    "magnetisation", "energy", "entropy", "return_probability", "imbalance", "expectation", "total_magnetisation"
]
Pattern = dict[str, Any]  # letters, offsets, coefficient, per_site, power: as `pauli_chain_terms` takes it

REFERENCE_QUBITS = 11  # product formulas are compared with exact evolution up to here
# direction of a Bloch vector -> its polar angles in radian
DIRECTIONS = {
    "+z": (0.0, 0.0), "-z": (math.pi, 0.0), "+x": (math.pi / 2, 0.0), "-x": (math.pi / 2, math.pi),
    "+y": (math.pi / 2, math.pi / 2), "-y": (math.pi / 2, -math.pi / 2),
}  # fmt: skip


class CardCoupling(BaseModel, extra="forbid"):
    """A coefficient that depends on the place."""

    coefficient: Expression = 1.0
    power: Expression | None = Field(default=None, description="All pairs, falling with this power of the distance.")
    per_site: list[Expression] = Field(default_factory=list, description="Factors, one for each place along the chain.")


Terms = dict[str, Expression | CardCoupling]


class ChainCard(Varied):
    """A chain of qubits: a quench by product formulas or exactly, a kicked chain; magnetisation, entropy, echo."""

    title: str = "Spin chain"
    qubits: int = Field(ge=2, le=20)
    boundary: Literal["open", "periodic"] = "open"
    hamiltonian: Terms = Field(
        default_factory=dict,
        description="Pauli string along the chain -> coefficient, summed over all places: {ZZ: -J, X: -h}; ZIZ skips a"
        " site. Pauli matrices, not spins; hbar = 1.",
    )
    period: list[Terms] = Field([], description="In place of it: exponents exp(-i sum c P) of a period, in order.")
    start: str | list[str] = Field(
        default="haar",
        description="haar (random, by the seed), +x, -z, ... for all, neel, bits such as 0110, or many directions.",
    )
    method: Literal["product_1", "product_2", "exact"] = Field(default="product_2", description="Without `period`.")
    time: Expression = Field(default=1.0, description="Total time; of kicked chains 1 a period unless given.")
    time_unit: str = ""
    steps: int = Field(ge=1, le=100_000, description="Steps of the formula in all, records if exact, or periods.")
    record_every: int = Field(default=1, ge=1, description="Steps between records.")
    wanted: list[Want] = Field(min_length=1)
    axes: list[Literal["x", "y", "z"]] = Field(default=["z"], description="Components of the magnetisation.")
    spin_scale: float = Field(default=1.0, description="Of the magnetisation: 1 for Pauli matrices, 0.5 for spins.")
    cuts: list[int] = Field(default_factory=list, description="Qubits left of each cut at which the entropy is taken.")
    entropy_unit: Literal["nat", "bit"] = "nat"
    observables: dict[str, Numbers] = Field({}, description="Name -> sum: {Z0 Z3: 1, X2: 0.5}; wanted as expectation.")
    backend: Literal["cudaq", "numpy"] = "numpy"
    seed: int = Field(default=1, ge=0, description="Of a random start.")

    def compiled(self) -> Computed:
        """The cases with their Pauli patterns, the start, and how they evolve.

        Raises:
            ValidationError: a Pauli string, a start or an expression cannot be used; says which.
        """
        if bool(self.hamiltonian) == bool(self.period):
            raise ValueError("A chain has one evolution. Write either a `hamiltonian` or a `period`.")
        cases: list[dict[str, Any]] = []
        for labels, names in self.settings():
            patterns = self._patterns(self.hamiltonian, names, "hamiltonian")
            layers = [self._patterns(one, names, "period", place) for place, one in enumerate(self.period)]
            cases.append({"labels": labels, "patterns": patterns, "layers": layers})
        with at("time"):
            time = positive(self.time, self.settings()[0][1]) if "time" in self.model_fields_set else float(self.steps)
        with at("start"):
            start = self._start()
        with at("cuts"):
            if any(not 0 < cut < self.qubits for cut in self.cuts):
                raise ExpressionError(f"A cut has 1 to {self.qubits - 1} qubits left of it. Write [1].")
        named = {name: [self._product(name, *one) for one in terms.items()] for name, terms in self.observables.items()}
        sums = [{"label": name, "terms": terms} for name, terms in named.items()]
        method = "floquet" if self.period else self.method
        layers = [layer for case in cases for layer in case["layers"]]
        whole = any(not self._commute(one, two) for layer in layers for one in layer for two in layer)
        exact = method == "exact" or whole
        fixed = {} if self.cases or self.sweep else self.settings()[0][1]
        told = {"n_qubits": self.qubits, "boundary": self.boundary, "steps": self.steps, "total_time": time,
                "seed": self.seed, **fixed, **({"periods": self.steps} if self.period else {})}  # fmt: skip
        return Computed(self, {
            "cases": cases, "initial": start, "total_time": time, "method": method, "sums": sums, "parameters": told,
            "whole_layers": whole, "evolver": "chain_exact_evolution" if exact else f"chain_rotations_{self.backend}",
            "reference": method.startswith("product") and self.qubits <= REFERENCE_QUBITS,
        })  # fmt: skip

    def _commute(self, one: Pattern, other: Pattern) -> bool:
        """Whether all strings of two patterns commute: they differ on an even number of sites at every distance."""
        for shift in range(-self.qubits, self.qubits + 1):
            second = {site + shift: letter for site, letter in zip(other["offsets"], other["letters"], strict=True)}
            first = zip(one["offsets"], one["letters"], strict=True)
            if sum(letter != second.get(site, letter) for site, letter in first) % 2:
                return False
        return (one["power"] is None and other["power"] is None) or one["letters"] == other["letters"]

    def _patterns(self, terms: Terms, names: Mapping[str, Any], *path: str | int) -> list[Pattern]:
        made = []
        for text, one in terms.items():
            with at(*path, text):
                letters, offsets = pauli(text)
                if offsets[-1] >= self.qubits:
                    raise ExpressionError(f"{text} is longer than the chain of {self.qubits} sites. Shorten it.")
                many = one if isinstance(one, CardCoupling) else CardCoupling(coefficient=one)
                power = None if many.power is None else number(many.power, names)
                factors = grid(many.per_site, names) if many.per_site else []
                places = self.qubits - (offsets[-1] if self.boundary == "open" else 0)
                if factors and len(factors) != places:
                    raise ExpressionError(f"{text} has {places} places, but {len(factors)} factors. Give one a place.")
                made.append({"letters": letters, "offsets": offsets, "coefficient": number(many.coefficient, names),
                             "per_site": factors, "power": power})  # fmt: skip
        return made

    def _start(self) -> dict[str, Any]:
        """As `spin_chain_state` takes it, with a label."""
        text, n = self.start, self.qubits
        if text == "haar":
            return {"label": "haar", "kind": "haar", "seed": self.seed}
        if text == "neel":
            text = ("01" * n)[:n]
        if isinstance(text, str) and not set(text) - {"0", "1"}:
            if len(text) != n:
                raise ExpressionError(f"{text!r} has {len(text)} bits for {n} qubits. Write one a qubit.")
            return {"label": text, "kind": "bits", "bits": text}
        every = [text] * n if isinstance(text, str) else text
        if len(every) != n or set(every) - set(DIRECTIONS):
            raise ExpressionError(f"{text!r} is no start. Write haar, neel, bits, or one of: {', '.join(DIRECTIONS)}.")
        label = text if isinstance(text, str) else " ".join(text)
        return {"label": label, "kind": "product", "directions": [list(DIRECTIONS[one]) for one in every]}

    def _product(self, name: str, text: str, factor: Expression) -> tuple[float, str, list[int]]:
        with at("observables", name, text):
            letters, sites = "".join(one[0] for one in text.split()), [one[1:] for one in text.split()]
            if set(letters) - set("XYZ") or not all(one.isdecimal() and int(one) < self.qubits for one in sites):
                raise ExpressionError(f"{text!r} is no product. Write letters with sites, such as Z0 Z3.")
            return number(factor), letters, [int(one) for one in sites]
