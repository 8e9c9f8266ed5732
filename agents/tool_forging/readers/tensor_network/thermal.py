"""Reads tasks about Gibbs states of Hubbard and spin-1/2 chains by imaginary-time evolution of tensor networks."""

from __future__ import annotations

import re

from pydantic import ValidationError

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, Unread
from labwright.agents.tool_forging.readers.framed import Framed, WordReader
from labwright.agents.tool_forging.readers.language.assignments import resolved
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.tensor_network.formulas import Formula
from labwright.agents.tool_forging.readers.tensor_network.hubbard import hubbard
from labwright.agents.tool_forging.readers.tensor_network.models import hamiltonian
from labwright.agents.tool_forging.readers.tensor_network.temperatures import Cooling, cooling, coupling_sets
from labwright.agents.tool_forging.readers.tensor_network.thermal_words import REFUSED, WORDS, remarks, strange_result
from labwright.agents.tool_forging.readers.tensor_network.words import bond_dimension, open_or_ring, sizes
from labwright.tools.forge.families.tensor_network.thermal_spec import ThermalSpec

_MEANT = re.compile(
    r"\bGibbs\b|thermal (?:states?|equilibrium|ensemble|expectation|chain|propert\w+|averages?)|finite[- ]temperature|"
    r"grand[- ]?canonical|\b(?:beta|temperatures?)\s*[:=]\s*[\[{]?\s*\d|"
    r"imaginary[- ]time|purification|inverse temperature|thermodynamics|\bthermal\b[^.\n]{0,30}\bchain",
    re.I,
)
_TOOL = re.compile(
    r"\bTenPy\b|tensor network|matrix[- ]product|\bMPS\b|purification|imaginary[- ]time|\bDMRG\b|\bTEBD\b|ancilla", re.I
)
_IN_TIME = re.compile(
    r"\b(?:quench\w*|real[- ]time|(?<!imaginary[- ])time[- ]evol\w+|Trotter\w*|kick\w*|Floquet|steady state|"
    r"Lindblad)\b",
    re.I,
)
_MODEL = re.compile(
    r"\b(?:Hubbard|Heisenberg|XXZ|XYZ(?=[- ](?:chain|model|spin|magnet|Heisenberg))|XX|Ising|spin[- ]?(?:1/2|"
    r"half)?[- ]chain|spin chain)\b|"
    r"n_\{?\w*?,?\s*up\s*\}?\s*n_\{?\w*?,?\s*down|sum[^\n]{0,12}[XYZ]_|sum[^\n]{0,20}S_?[\^{xyzi]",
    re.I,
)
_STEPS = {"dbeta", "Deltabeta", "dtau", "Deltatau", "dt", "deltabeta"}


def _is_meant(text: str) -> bool:
    named = _MEANT.search(text) and _MODEL.search(text)
    chain = re.search(r"\b(?:chain|sites)\b", text, re.I) and not _IN_TIME.search(text)
    return bool(named) and bool(_TOOL.search(text) or chain)


class _Task(Framed):
    """One task on the way to its specification."""

    def whole(self) -> Reading | Question | Unread:
        found = sizes(self.account, self.sets)
        if len(found) > 1:
            return Unread(f"lengths {', '.join(map(str, found))}", "Gibbs states are prepared of one length a task.")
        if not found:
            return Question(text="How many sites does the chain have?")
        boundary = open_or_ring(self.account)
        if boundary == "periodic":
            return Unread(
                "periodic boundary", "Gibbs states are prepared for open chains; a ring needs a layout with long gates."
            )
        if boundary is None:
            self.assumed.append("No boundary is named; the chain has open ends.")
        self.sets = coupling_sets(self.text, self.sets)
        values = {name: found[0] for name, found in resolved(self.sets).items() if len(found) == 1}
        warm = cooling(self, values)
        if isinstance(warm, Question):
            return warm
        fermions = re.search(r"\bHubbard\b|n_\{?\w*?,?\s*up\s*\}?\s*n_\{?\w*?,?\s*down", self.text) is not None
        model = hubbard(self, values) if fermions else self.spins(values)
        if isinstance(model, Question | Unread):
            return model
        if beyond := strange_result(self.body, fermions):
            return beyond
        spec = self.specified(found[0], warm, model)
        if isinstance(spec, Unread):
            return spec
        remarks(self.account, spec)
        return self.answer("thermal_chain", spec, "Gibbs states")

    def specified(self, n: int, warm: Cooling, model: dict[str, object]) -> ThermalSpec | Unread:
        chi = bond_dimension(self.account, self.sets)
        words = self.text + self.body.task.text
        wants = [
            name
            for name, pattern in (("entropy", r"entrop"), ("heat_capacity", r"heat[ _]capacity|specific heat"))
            if re.search(pattern, words, re.I)
        ]
        try:
            return ThermalSpec(
                title=self.body.title,
                n_sites=n,
                betas=warm.betas,
                temperatures=warm.temperatures,
                asked=warm.asked,
                chi_max=chi or 200,
                step=self.step(),
                wants=wants,  # type: ignore[arg-type]
                **model,  # type: ignore[arg-type]
            )
        except ValidationError as wrong:
            return Unread(self.body.title, str(wrong.errors()[0]["msg"]))

    def step(self) -> float:
        for one in self.sets:
            if one.key in _STEPS and len(one.numbers.items) == 1:
                self.account.use(one.start, one.end)
                # a step in imaginary time tau = beta / 2 is twice as long in beta
                return one.numbers.values()[0] * (2 if "tau" in one.key else 1)
        return 0.05

    def spins(self, values: dict[str, float]) -> dict[str, object] | Question | Unread:
        made = hamiltonian(self.account, values, self.sets)
        if isinstance(made, Question | Unread):
            return made
        self.assumed += made.assumed
        return self.exchange(made.formula, made.told)

    def exchange(self, formula: Formula, told: str) -> dict[str, object] | Unread:
        terms = formula.terms
        pairs = {
            letters: value
            for (letters, offsets), value in terms.items()
            if len(offsets) == 2 and abs(offsets[1] - offsets[0]) == 1
        }
        singles = {letters: value for (letters, offsets), value in terms.items() if len(offsets) == 1}
        if (
            len(pairs) + len(singles) != len(terms)
            or not set(pairs) <= {"XX", "YY", "ZZ"}
            or not set(singles) <= {"X", "Z"}
        ):
            return Unread(told, "Gibbs states are prepared for XX, YY, ZZ between neighbours and fields along x and z.")
        return {
            "model": "xyz",
            "exchange": [4 * pairs.get(one, 0.0) for one in ("XX", "YY", "ZZ")],
            "fields": [2 * singles.get(one, 0.0) for one in ("X", "Z")],
            "formula": told,
            "spin_scale": 1.0 if formula.spins else 2.0,
        }


def _whole(body: Body) -> Reading | Question | Unread:
    return _Task(body, WORDS).whole()


READER = WordReader(
    "thermal_chain",
    _is_meant,
    REFUSED,
    "The book has grand-canonical Gibbs states of uniform open Hubbard and spin-1/2 chains.",
    _whole,
)
