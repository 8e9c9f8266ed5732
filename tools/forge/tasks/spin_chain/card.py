"""The card of a chain of qubits: Hamiltonian by Pauli strings, or the layers of a kicked period."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from labwright.tools.forge.tasks.expressions import Expression, ExpressionError, Varied, at, grid, number, pauli
from labwright.tools.forge.tasks.spin_chain.spec import Case, Initial, Pattern, SpinAxis, SpinChainSpec, Want

# direction of a Bloch vector -> its polar angles in radian
DIRECTIONS = {
    "+z": (0.0, 0.0), "-z": (math.pi, 0.0), "+x": (math.pi / 2, 0.0), "-x": (math.pi / 2, math.pi),
    "+y": (math.pi / 2, math.pi / 2), "-y": (math.pi / 2, -math.pi / 2),
}  # fmt: skip


class CardCoupling(BaseModel):
    """A coefficient that depends on the place."""

    model_config = ConfigDict(extra="forbid")
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
    period: list[Terms] = Field(
        default_factory=list,
        description="In place of a Hamiltonian: the exponents exp(-i sum c P) of one period in the order they act.",
    )
    start: str | list[str] = Field(
        default="haar",
        description="haar (random, by the seed), +x, -z, ... for all, neel, bits such as 0110, or a list of directions.",
    )
    method: Literal["product_1", "product_2", "exact"] = Field(default="product_2", description="Without `period`.")
    time: Expression = Field(default=1.0, description="Total time; of kicked chains 1 a period unless given.")
    time_unit: str = ""
    steps: int = Field(ge=1, le=100_000, description="Steps of the formula in all, records if exact, or periods.")
    record_every: int = Field(default=1, ge=1, description="Steps between records.")
    wanted: list[Want] = Field(min_length=1)
    axes: list[SpinAxis] = Field(default=["z"], description="Components of the magnetisation.")
    spin_scale: float = Field(default=1.0, description="Of the magnetisation: 1 for Pauli matrices, 0.5 for spins.")
    cuts: list[int] = Field(default_factory=list, description="Qubits left of each cut at which the entropy is taken.")
    entropy_unit: Literal["nat", "bit"] = "nat"
    observables: dict[str, dict[str, Expression]] = Field(
        default_factory=dict, description="Name -> sum such as {Z0 Z3: 1, X2: 0.5}; wanted as expectation."
    )
    backend: Literal["cudaq", "numpy"] = "numpy"
    seed: int = Field(default=1, ge=0, description="Of a random start.")

    def compiled(self) -> SpinChainSpec:
        """The specification that is computed.

        Raises:
            ValidationError: a Pauli string, a start or an expression cannot be used; says which.
        """
        cases = []
        for labels, names in self.settings():
            patterns = self._patterns(self.hamiltonian, names, "hamiltonian")
            layers = [self._patterns(one, names, "period", place) for place, one in enumerate(self.period)]
            cases.append(Case(labels=labels, patterns=patterns, layers=layers))
        with at("time"):
            time = number(self.time, self.settings()[0][1]) if "time" in self.model_fields_set else float(self.steps)
            if time <= 0:
                raise ExpressionError("The time must be positive. Write such as 3.")
        with at("start"):
            start = self._start()
        sums = [
            {"label": name, "terms": [self._product(name, text, factor) for text, factor in terms.items()]}
            for name, terms in self.observables.items()
        ]
        fixed = {} if self.cases or self.sweep else self.settings()[0][1]
        told = {"n_qubits": self.qubits, "boundary": self.boundary, "steps": self.steps, "total_time": time,
                "seed": self.seed, **fixed, **({"periods": self.steps} if self.period else {})}  # fmt: skip
        return SpinChainSpec.model_validate(
            {
                "title": self.title, "n_qubits": self.qubits, "boundary": self.boundary, "cases": cases,
                "axis": next(iter(self.sweep), ""), "initial": [start], "total_time": time, "steps": self.steps,
                "method": "floquet" if self.period else self.method, "record_every": self.record_every,
                "time_unit": self.time_unit, "spin_scale": self.spin_scale, "axes_of_spin": self.axes,
                "cuts": self.cuts, "entropy_unit": self.entropy_unit, "sums": sums, "wants": self.wanted,
                "backend": self.backend, "parameters": told,
            }
        )  # fmt: skip

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
                    raise ExpressionError(
                        f"{text} has {places} places, but {len(factors)} factors. Give one for each place."
                    )
                made.append(
                    Pattern(letters=letters, offsets=offsets, coefficient=number(many.coefficient, names),
                            per_site=factors, power=power)
                )  # fmt: skip
        return made

    def _start(self) -> Initial:
        text, n = self.start, self.qubits
        if text == "haar":
            return Initial(label="haar", kind="haar", seed=self.seed)
        if text == "neel":
            text = ("01" * n)[:n]
        if isinstance(text, str) and not set(text) - {"0", "1"}:
            if len(text) != n:
                raise ExpressionError(f"{text!r} has {len(text)} bits for {n} qubits. Write one a qubit.")
            return Initial(label=text, kind="bits", bits=text)
        every = [text] * n if isinstance(text, str) else text
        if len(every) != n or set(every) - set(DIRECTIONS):
            raise ExpressionError(f"{text!r} is no start. Write haar, neel, bits, or one of: {', '.join(DIRECTIONS)}.")
        label = text if isinstance(text, str) else " ".join(text)
        return Initial(label=label, kind="product", directions=[list(DIRECTIONS[one]) for one in every])

    def _product(self, name: str, text: str, factor: Expression) -> tuple[float, str, list[int]]:
        with at("observables", name, text):
            letters, sites = "".join(one[0] for one in text.split()), [one[1:] for one in text.split()]
            if set(letters) - set("XYZ") or not all(one.isdecimal() and int(one) < self.qubits for one in sites):
                raise ExpressionError(f"{text!r} is no product. Write letters with sites, such as Z0 Z3.")
            return number(factor), letters, [int(one) for one in sites]
