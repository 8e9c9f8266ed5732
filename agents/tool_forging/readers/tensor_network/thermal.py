"""Reads tasks about Gibbs states of Hubbard and spin-1/2 chains by imaginary-time evolution of tensor networks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import ValidationError

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.language.absences import without_absences
from labwright.agents.tool_forging.readers.language.accounting import Account
from labwright.agents.tool_forging.readers.language.assignments import assignments, phrase, resolved
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.operators import UnknownSymbol
from labwright.agents.tool_forging.readers.language.spin_operators import plain_operators
from labwright.agents.tool_forging.readers.tensor_network.formulas import NotASpinChain, formula_at
from labwright.agents.tool_forging.readers.tensor_network.models import HAMILTONIAN, listed_terms, named_model
from labwright.agents.tool_forging.readers.tensor_network.words import (
    VOCABULARY,
    bond_dimension,
    open_or_ring,
    sizes,
    spin_half,
)
from labwright.tools.forge.families.tensor_network.thermal_spec import ThermalSpec

_MEANT = re.compile(
    (
        r"\bGibbs\b|thermal (?:state|equilibrium|ensemble|expectation|chain)|finite[- ]temperature|"
        r"imaginary[- ]time|purification|inverse temperature"
    ),
    re.I,
)
_TOOL = re.compile(
    r"\bTenPy\b|tensor network|matrix[- ]product|\bMPS\b|purification|imaginary[- ]time|\bDMRG\b|\bTEBD\b|ancilla", re.I
)
_MODEL = re.compile(
    (
        r"\b(?:Hubbard|Heisenberg|XXZ|XYZ|XX|Ising|spin[- ]?(?:1/2|half)?[- ]chain|spin chain)\b|"
        r"sum[^\n]{0,12}[XYZ]_|sum[^\n]{0,20}S_?[\^{xyzi]"
    ),
    re.I,
)
_OTHER = re.compile(
    r"\b(?:METTS|free energ\w+|partition function|susceptibilit\w+|"
    r"canonical ensemble|fixed (?:particle number|density|filling)|Bose[- ]Hubbard|extended Hubbard|"
    r"t-?J|spin-1(?!/)|spin-3/2|two-dimensional|2D|ladder"
    r"|long[- ]range|random (?:fields?|couplings?)|disorder(?:ed)?|dynamical|real[- ]time|conductivity|"
    r"spectral function|quarter filling|next[- ]nearest)\b",
    re.I,
)
_WORDS = VOCABULARY | frozenset(
    """
    bath baths heat reservoir equilibrium antiferromagnetic beta boltzmann canonical chemical classical computer
    cooled cooling cool degenerate double doubly doping density densities electron electrons ensemble fermions
    filled filling gibbs grand half-filling half-filled half hopping hot hubbard hubbard-model
    identity imaginary imaginary-time infinite infinite-temperature interaction interacting inverse
    inverse-temperature moment moments mott occupancies occupancy occupation occupations particle particle-hole
    partition potential purification purified repulsion repulsive superexchange
    specific heat capacity temperature temperatures thermal thermalised thermodynamic thermofield trace up down
    spin-up spin-down validate gibbs-state kelvin step ancilla ancillas magnetization magnetisation
    neighbour-correlation entropy energies spin-resolved trotter tebd evolve
    """.split()
)
GRID = 21  # temperatures between infinity and the asked one


class ThermalReader:
    """See `labwright.agents.tool_forging.readers.base.Reader`."""

    family = "thermal_chain"

    def read(self, task: TaskText) -> Reading | Question | Unread | None:
        """Read the task if it wants a Gibbs state of a chain by tensor networks."""
        body = Body(task)
        if not (_MEANT.search(body.text) and _TOOL.search(body.text) and _MODEL.search(body.text)):
            return None
        other = _OTHER.search(without_absences(body.text))
        if other:
            return Unread(
                body.original(*other.span()),
                ("The book has grand-canonical Gibbs states of uniform open Hubbard and spin-1/2 chains."),
            )
        return _Task(body).whole()


class _Task:
    """One task on the way to its specification."""

    def __init__(self, body: Body) -> None:
        self.body, self.text = body, body.text
        self.account = Account(body, _WORDS)
        self.assumed: list[str] = []
        self.sets = assignments(body.plain)
        self.temperatures: list[float] = []
        self.values = {name: found[0] for name, found in resolved(self.sets).items() if len(found) == 1}

    def whole(self) -> Reading | Question | Unread:
        found = sizes(self.account, self.sets)
        if len(found) != 1:
            if found:
                return Unread(
                    f"lengths {', '.join(map(str, found))}", "Gibbs states are prepared of one length a task."
                )
            return Question(text="How many sites does the chain have?")
        boundary = open_or_ring(self.account)
        if boundary == "periodic":
            return Unread(
                "periodic boundary", "Gibbs states are prepared for open chains; a ring needs a layout with long gates."
            )
        if boundary is None:
            self.assumed.append("No boundary is named; the chain has open ends.")
        betas = self.betas()
        if isinstance(betas, Question):
            return betas
        model = self.hubbard() if re.search(r"\bHubbard\b", self.text) else self.spins()
        if isinstance(model, Question | Unread):
            return model
        chi = bond_dimension(self.account, self.sets)
        step = self.step()
        whole = self.body.task.text
        wants = [
            name
            for name, words in (
                ("entropy", r"thermal entropy|entropy per site|`entropy`"),
                ("heat_capacity", r"heat[ _]capacity|specific heat"),
            )
            if re.search(words, whole, re.I)
        ]
        self.account.every(
            r"\b(?:one|two|three)-dimensional\b|\b1D\b|\b(?:S\s*=\s*)?sigma/2|1\s*/\s*T\b|"
            r"k_?B\s*(?:T\s*)?=?\s*1?"
        )
        spin_half(self.account)
        try:
            spec = ThermalSpec(
                title=self.body.title,
                n_sites=found[0],
                betas=betas,
                temperatures=list(dict.fromkeys(self.temperatures)),
                chi_max=chi or 200,
                step=step,
                wants=wants,  # type: ignore[arg-type]
                **model,  # type: ignore[arg-type]
            )
        except ValidationError as wrong:
            return Unread(self.body.title, str(wrong.errors()[0]["msg"]))
        self.account.every(r"\bU\s*/\s*2\b|\bU/t\b")
        self.account.held = {1.0, *(abs(float(v)) for v in spec.model_dump().values() if isinstance(v, int | float))}
        doubt = self.account.doubt()
        if doubt:
            return Unread(doubt[0], f"{doubt[1]!r} in it is nothing that the reader of Gibbs states knows.")
        return Reading("thermal_chain", spec, self.account.covered(), self.assumed)

    # temperatures

    def betas(self) -> list[float] | Question:
        """The grid from infinite temperature to the lowest asked, with all asked values in it."""
        asked: list[float] = []
        for one in self.sets:
            inverse = one.key in {"beta", "1/T", "1/kBT", "1/(kBT)", "betamax"}
            if (inverse or one.key in {"T", "kBT"}) and all(not item.names for item in one.numbers.items):
                self.account.use(one.start, one.end)
                values = one.numbers.values()
                self.temperatures += [] if inverse else [value for value in values if value > 0]
                asked += [value if inverse else 1 / value for value in values if inverse or value > 0]
        for words, inverse in ((r"inverse temperatures?(?: up to)?", True), (r"(?<!inverse )temperatures?", False)):
            spoken = phrase(self.body.plain, words)
            if spoken and not asked and all(not item.names for item in spoken[0].items):
                self.account.use(spoken[1], spoken[0].end)
                self.temperatures += [] if inverse else [value for value in spoken[0].values() if value > 0]
                asked += [value if inverse else 1 / value for value in spoken[0].values() if inverse or value > 0]
        asked = sorted({value for value in asked if value > 0})
        if not asked:
            return Question(text="To which inverse temperature beta is the chain cooled?")
        # derivatives by temperature need points that lie close
        fine = bool(re.search(r"heat[ _]capacity|specific heat|entropy", self.body.task.text, re.I))
        points = min(81, max(GRID, round(asked[-1] / 0.1) + 1)) if fine else GRID
        grid = [asked[-1] * k / (points - 1) for k in range(points)]
        apart = 0.3 * asked[-1] / (points - 1)  # neighbours that nearly coincide spoil derivatives
        kept = [one for one in grid if one == 0 or all(abs(one - value) > apart for value in asked)]
        return sorted({*kept, *asked})

    def step(self) -> float:
        for one in self.sets:
            if one.key in {"dbeta", "Deltabeta", "dtau", "Deltatau", "dt", "deltabeta"} and len(one.numbers.items) == 1:
                self.account.use(one.start, one.end)
                # a step in imaginary time tau = beta / 2 is twice as long in beta
                return one.numbers.values()[0] * (2 if "tau" in one.key else 1)
        return 0.05

    # models

    def number(self, names: Sequence[str], words: str) -> float | None:
        for one in self.sets:
            if one.key in names:
                self.account.use(one.start, one.end)
        known = next((self.values[name] for name in names if name in self.values), None)
        if known is not None:
            return known
        spoken = phrase(self.body.plain, words)
        if spoken and len(spoken[0].items) == 1:
            value = spoken[0].items[0].value_or_none(self.values)
            if value is not None:
                self.account.use(spoken[1], spoken[0].end)
                return value
        return None

    def hubbard(self) -> dict[str, object] | Question | Unread:
        t = self.number(
            ("t", "t0"),
            (
                r"hopping(?: amplitude| parameter| strength)?|hopping between neighbou?r\w*(?: sites)? (?:with|of) "
                r"(?:an? )?(?:amplitude|strength)"
            ),
        )
        u = self.number(("U", "U/t"), r"(?:on-?site )?(?:interaction|repulsion|attraction)(?: strength)?")
        if "U/t" in self.values and "U" not in self.values:
            u = self.values["U/t"] * (t if t is not None else 1.0)
        if u is None:
            return Question(text="How large is the interaction U of the Hubbard chain?")
        if t is None:
            t = 1.0
            self.assumed.append("No hopping is given; t = 1 is the unit of energy.")
        mu = self.number(("mu",), r"chemical potential")
        half = self.account.find(
            r"half[- ]?fill(?:ing|ed)|one (?:electron|particle|fermion) (?:a|per) site|chemical potential "
            r"(?:sits at|is|of|=|at|equal to|mu\s*=)\s*U\s*/\s*2"
        )
        if mu is None and not half:
            density = self.account.find(
                r"(?:filling|density|electrons per site)[^.;\n]{0,20}?(\d+(?:\.\d+)?)|"
                r"(\d+(?:\.\d+)?)\s*electrons per site|doped|doping|hole"
            )
            if density:
                return Unread(
                    self.body.original(*density.span()),
                    "A density other than half filling needs its chemical potential mu.",
                )
            return Question(text="What is the filling: half filling (mu = U/2), or which chemical potential?")
        if mu is not None and half and abs(mu - u / 2) > 1e-9:
            return Question(
                text=f"Half filling needs mu = U/2 = {u / 2:g}, but the task says mu = {mu:g}. Which is meant?",
                options=["half filling", f"mu = {mu:g}"],
            )
        if mu is None:
            mu = u / 2
            self.assumed.append(
                f"Half filling is set by the chemical potential mu = U/2 = {mu:g}, exact by particle-hole symmetry."
            )
        self.assumed.append(
            "Energies are <H> of hopping and interaction, without -mu N; the other convention is recorded beside."
        )
        return {
            "model": "hubbard",
            "hopping": t,
            "interaction": u,
            "chemical_potential": mu,
            "formula": "-t sum (c^dag_i c_i+1 + h.c.) + U sum n_up n_down",
        }

    def spins(self) -> dict[str, object] | Question | Unread:
        text = plain_operators(self.text, {})
        missing = ""
        for match in re.finditer(HAMILTONIAN, text):
            try:
                found = formula_at(text, match.end(), self.values)
            except UnknownSymbol as unknown:
                missing = unknown.name
                continue
            except NotASpinChain as strange:
                return Unread(text[match.start() : match.end() + 60], f"The Hamiltonian holds {strange.words}.")
            if found is not None:
                return self.exchange(dict(found.terms), " ".join(text[match.end() : found.end].split()))
        if missing:
            return Question(text=f"What is the value of {missing} in the Hamiltonian?")
        listed = listed_terms(self.account)
        return (
            self.exchange(dict(listed.terms), "as listed in the task", listed.spins)
            if listed is not None
            else self.named()
        )

    def exchange(
        self, terms: dict[tuple[str, tuple[int, ...]], float], told: str, spins: bool | None = None
    ) -> dict[str, object] | Unread:
        self.use_formula()
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
        uses_pauli = not re.search(r"\bS[xyz]?[_^]|\bS[xyz]\b|S_\{?i|S=1/2|sigma/2", self.text)
        if spins is not None:
            uses_pauli = not spins
        return {
            "model": "xyz",
            "exchange": [4 * pairs.get(one, 0.0) for one in ("XX", "YY", "ZZ")],
            "fields": [2 * singles.get(one, 0.0) for one in ("X", "Z")],
            "formula": told,
            "spin_scale": 2.0 if uses_pauli else 1.0,
        }

    def use_formula(self) -> None:
        for match in re.finditer(r"(?<![\w|<])H(?:_\{?\w+\}?)?\s*=\s*[^\n;]*", self.text):
            stop = re.search(r"\.\s|,\s+(?:with|where|and)", match[0])
            self.account.use(match.start(), match.start() + (stop.start() if stop else len(match[0])))
            self.account.use_symbols(self.sets, match[0])

    def named(self) -> dict[str, object] | Question | Unread:
        """A model by its name, in the usual convention."""
        made = named_model(self.account, self.values, self.sets)
        if isinstance(made, Question):
            return made
        self.assumed += made.assumed
        return self.exchange(dict(made.formula.terms), made.told, made.formula.spins)
