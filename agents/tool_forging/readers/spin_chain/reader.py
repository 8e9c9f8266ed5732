"""A spin-chain task: how long the chain is, what it evolves under, from where, and what is recorded."""

from __future__ import annotations

import math
import re
from itertools import product
from typing import Any, Literal, get_args

from pydantic import ValidationError

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.language.assignments import assignments, count, resolved
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.deliverables import label_values
from labwright.agents.tool_forging.readers.language.leftover import unknown_words
from labwright.agents.tool_forging.readers.language.numbers import numbers_at
from labwright.agents.tool_forging.readers.language.operators import UnknownSymbol
from labwright.agents.tool_forging.readers.language.scalars import key
from labwright.agents.tool_forging.readers.language.units import unit_at
from labwright.agents.tool_forging.readers.spin_chain.models import named_layers, named_model
from labwright.agents.tool_forging.readers.spin_chain.patterns import NoPattern, exponents, hamiltonian
from labwright.agents.tool_forging.readers.spin_chain.starts import initial_states
from labwright.agents.tool_forging.readers.spin_chain.words import VOCABULARY
from labwright.tools.forge.families.spin_chain.spec import Case, Pattern, SpinChainSpec, Sum, Want

_EVIDENCE = re.compile(
    r"\b(?:Ising|Heisenberg|XXZ|XX[ -](?:chain|model)|XY[ -](?:chain|model)|spin[- ](?:chain|ring)|(?:chain|"
    r"ring) of\b|qubit (?:chain|ring)|kicked|[a-z0-9]+-qubit chain|chain)\b"
)
_DYNAMICS = re.compile(
    (
        r"\b(?:dynamic\w*|evol\w+|quench\w*|Trotter\w*|t\s*=\s*\d|simulat\w*|product formula|periods?|kick\w*|time|"
        r"oscillat\w*)\b"
    ),
    re.I,
)
_FOREIGN = re.compile(
    r"\b(?:DMRG|TEBD|TDVP|MPS|matrix product|tensor network|TenPy|VQE|QAOA|variational|Hubbard|fermion\w*|"
    r"boson\w*|Gibbs|imaginary[- ]time|Lindblad|collapse|"
    r"master equation|dissipat\w*|T1\b|GRAPE|HEOM|polymer|shots|annealing|critical point|string order)\b",
    re.I,
)
_BEYOND = re.compile(
    (
        r"\b(?:disorder\w*|OTOC|out-of-time|tomograph\w*|spectral (?:form|function)|structure factor|level "
        r"statistics|ladder|square lattice|two-dimensional|2D|triangular|honeycomb|noise|noisy|linear ramp|"
        r"ramp\w*|time-dependent field|average[ds]? over(?! (?:the (?:whole )?chain|the sites|all (?:sites|"
        r"qubits|spins)|the qubits|sites|qubits|the spins)))\b"
    ),
    re.I,
)


class SpinChainReader:
    """See `labwright.agents.tool_forging.readers.base.Reader`."""

    family = "spin_chain"

    def read(self, task: TaskText) -> Reading | Question | Unread | None:
        """Read the task if it is about the dynamics of a chain of qubits."""
        body = Body(task)
        if not _EVIDENCE.search(body.text) or not _DYNAMICS.search(body.text) or _FOREIGN.search(body.text):
            return None
        try:
            return _Reading(body).whole()
        except UnknownSymbol as unknown:
            return Question(text=f"What is the value of {unknown.name}?")
        except NoPattern as wrong:
            return Unread(body.title, f"The Hamiltonian holds {wrong}, which no recipe for chains puts in.")


class _Reading:
    """One task on the way to its specification."""

    def __init__(self, body: Body) -> None:
        self.body, self.text = body, body.text
        self.assumed: list[str] = []
        self.found = [one for one in assignments(body.plain) if one.key not in {"H", "t", "i", "j"}]
        self.values = resolved(self.found)
        self.units()
        self.spans = [(one.start, one.end) for one in self.found]

    def units(self) -> None:
        """A symbol such as J in ``h = 2 J`` that is never set is the unit of energy."""
        used = {name for one in self.found for item in one.numbers.items for name in item.names}
        free = used - {one.key for one in self.found}
        spoken = re.search(r"in units of (?:an? |the )?(?:energy |coupling )?([A-Za-z]\w*)\b", self.text)
        unit = next((name for name in free if len(name) == 1 and name.isupper()), None) or (
            key(spoken[1]) if spoken and len(spoken[1]) < 3 else None
        )
        if unit and unit not in self.values:
            self.values = resolved(self.found, {unit: 1.0})
            self.unit_name = unit
            self.assumed.append(
                f"{unit} is the unit of energy, {unit} = 1, and hbar = 1: times are in units of 1/{unit}."
            )
        else:
            self.unit_name = ""

    def whole(self) -> Reading | Question | Unread:
        beyond = _BEYOND.search(self.text)
        if beyond:
            return Unread(beyond[0], "There are recipes for clean chains with constant or kicked Hamiltonians only.")
        for sentence in self.body.sentences:
            strange = unknown_words(sentence.text, VOCABULARY, self.spans, sentence.start)
            if strange and not sentence.is_heading:
                return Unread(
                    self.body.original(sentence.start, sentence.end),
                    f"These words are not understood: {', '.join(dict.fromkeys(strange))}.",
                )
        n = self.size()
        if isinstance(n, Question | Unread):
            return n
        cases = self.cases()
        if not isinstance(cases, list):
            return cases
        starts = initial_states(self.body, n, self.values)
        if isinstance(starts, Question | Unread):
            return starts
        self.assumed += starts[1]
        return self.specified(n, cases, starts[0])

    def size(self) -> int | Question | Unread:
        said = count(self.body.plain, r"qubits?|spins?|sites?")
        many = (
            self.values.get("N")
            or self.values.get("L")
            or self.values.get("n")
            or ([float(said[0])] if said and said[0] > 1 else [])
        )
        if (
            said
            and said[0] > 1
            and many
            and int(many[0]) != said[0]
            and re.search(r"chain|ring", self.text[max(0, said[1] - 20) : said[2] + 20])
        ):
            many = [float(said[0])]
        if not many:
            return Question(text="How many qubits does the chain have?")
        if len(many) > 1:
            return Unread(
                f"N = {', '.join(f'{one:g}' for one in many)}", "The reader of chains takes one length a task."
            )
        if not 2 <= many[0] <= 16:
            return Unread(
                f"{many[0]:g} qubits",
                "State vectors of 2 to 16 qubits can be evolved; longer chains need tensor networks.",
            )
        return int(many[0])

    def boundary(self) -> Literal["open", "periodic"]:
        if re.search(
            (
                r"\bperiodic boundary|\bPBC\b|\bring\b|\bperiodic chain|\bclosed chain|\bperiodic(?:ally)? "
                r"(?:closed|connected)"
            ),
            self.text,
            re.I,
        ):
            return "periodic"
        if not re.search(r"\bopen\b|\bOBC\b|\bfree (?:ends|boundar)", self.text, re.I):
            self.assumed.append(
                "The task gives no boundary condition; the chain is open, so its end spins have one neighbour."
            )
        return "open"

    def kicked(self) -> bool:
        return (
            bool(re.search(r"\bkick\w*|\bFloquet\b", self.text, re.I))
            or len(re.findall(r"\bexp\(\s*-\s*[ij]\b", self.text)) > 1
        )

    def swept(self) -> list[dict[str, float]] | Question:
        """Values of what varies, case by case: together where each is set as often as the others, else as a product."""
        skip = {"t", "T", "N", "L", "n", "seed", "dt", "i"}
        if not self.kicked():
            skip.add("T")
        for match in re.finditer(r"\bfrom\s+(\w+)\s*=\s*[^.;]{1,40}?\bto\s+\1\s*=", self.text):
            name = key(match[1])
            if len(self.values.get(name, [])) == 2:
                before, after = self.values[name]
                self.values[name] = [after]
                self.assumed.append(
                    f"The quench takes {name} from {before:g} to {after:g}: the chain evolves with the "
                    f"latter from the state that is named."
                )
        many = {name: found for name, found in self.values.items() if len(found) > 1 and name not in skip}
        if not many:
            return [{}]
        if len(many) == 1:
            name, found = next(iter(many.items()))
            return [{name: value} for value in found]
        counts = {len(found) for found in many.values()}
        listed = {one.key for one in self.found if len(one.numbers.items) > 1}
        if len(counts) == 1 and not listed & many.keys():
            return [dict(zip(many, values, strict=True)) for values in zip(*many.values(), strict=True)]
        if re.search(r"\b(?:each|every|all) (?:combination|pair)|\bfor (?:each|every|both)\b", self.text, re.I):
            return [dict(zip(many, values, strict=True)) for values in product(*many.values())]
        return Question(
            text=f"Several quantities have several values: {', '.join(many)}. Which combinations are meant?"
        )

    def cases(self) -> list[Case] | Question | Unread:
        swept = self.swept()
        if isinstance(swept, Question):
            return swept
        made = []
        for number, chosen in enumerate(swept):
            names = {name: found[0] for name, found in self.values.items()} | chosen
            layers: list[list[Pattern]] | None = None
            terms: list[Pattern] = []
            if self.kicked():
                layers = exponents(self.text, names)
                if layers is None:
                    spoken = named_layers(self.text, names)
                    if isinstance(spoken, Question | Unread):
                        return spoken
                    layers, said = spoken
                    self.assumed += said
            else:
                written = hamiltonian(self.text, names)
                if written is None:
                    model = named_model(self.text, names, self.unit_name)
                    if isinstance(model, Question | Unread):
                        return model
                    written, said = model
                    self.assumed += said
                terms = written
            made.append(
                Case(labels=self.labels(chosen, names, number, len(swept)), patterns=terms, layers=layers or [])
            )
        return made

    def labels(self, chosen: dict[str, float], names: dict[str, float], number: int, of: int) -> dict[str, Any]:
        """How the results tell a case from the others: by the label whose values the section of results describes."""
        wanted = [label for one in self.body.wanted for label in one.labels]
        for label in dict.fromkeys(wanted):
            for value in label_values(self.body.wanted, label):
                if value.note and self.fits(value.note, names):
                    return {label: value.value}
        free = [
            label for label in dict.fromkeys(wanted) if label not in {"axis", "cut", "observable", "initial", "site"}
        ]
        if of == 1:
            return {}
        found: dict[str, Any] = {}
        for name, number_here in chosen.items():
            same = next((label for label in free if key(label) == name), None)
            if free and same is None and len(chosen) > 1:
                continue  # the section names the one that tells cases apart
            found[same or (free[0] if len(free) == 1 and len(chosen) == 1 else name)] = number_here
        if free and not found:
            called = label_values(self.body.wanted, free[0])
            found[free[0]] = called[number].value if len(called) == of else number + 1
        return found

    def fits(self, note: str, names: dict[str, float]) -> bool:
        """Whether a note such as ``for J_coup = 10 J`` holds for these values."""
        inside = resolved(assignments(note), {self.unit_name: 1.0} if self.unit_name else None)
        return bool(inside) and all(
            name in names and abs(names[name] - values[0]) < 1e-9 for name, values in inside.items()
        )

    def specified(self, n: int, cases: list[Case], starts: list[Any]) -> Reading | Question | Unread:
        kicked = bool(cases[0].layers)
        timing = self.periods() if kicked else self.timing()
        if isinstance(timing, Question):
            return timing
        total, steps, unit = timing
        method = self.method(kicked)
        if isinstance(method, Unread):
            return method
        records = 1 if steps <= 2000 else math.ceil(steps / 2000)
        wants, sums, cuts, axes = self.observables(n)
        if isinstance(sums, Unread):
            return sums
        asked = {label for one in self.body.wanted for label in one.labels}
        varied = [
            name
            for name in cases[0].labels
            if len({case.labels.get(name) for case in cases}) > 1 and isinstance(cases[0].labels[name], float | int)
        ]
        try:
            spec = SpinChainSpec(
                title=self.body.heading or "Chain of qubits",
                n_qubits=n,
                boundary=self.boundary(),
                cases=cases,
                axis=varied[0] if len(varied) == 1 else "",
                initial=starts,
                label_initial=len(starts) > 1 or "initial" in asked,
                method=method,
                total_time=total,
                steps=steps,
                record_every=records,
                time_unit=unit,
                axes_of_spin=axes,
                cuts=cuts,
                sums=sums,
                wants=wants,
                backend=self.backend(method),
                parameters={},
            )
        except ValidationError as wrong:
            return Unread(self.body.title, wrong.errors()[0]["msg"])
        spec = spec.model_copy(update={"parameters": self.parameters(spec)})
        return self.accounted(spec)

    def backend(self, method: str) -> Literal["cudaq", "numpy"]:
        if re.search(r"cuda-?\s?q", self.text, re.I):
            return "cudaq"
        if not re.search(r"\bnumpy\b", self.text, re.I) and method != "exact":
            self.assumed.append("The task names no simulator; rotations are applied to the state vector with numpy.")
        return "numpy"

    def method(self, kicked: bool) -> Literal["product_1", "product_2", "exact", "floquet"] | Unread:
        if kicked:
            return "floquet"
        other = re.search(
            r"\b(?:fourth|4th|higher)[- ]order\b|\b(?:Runge|Krylov|Chebyshev)\w*|\bfree[- ]fermion\w*", self.text, re.I
        )
        if other:
            return Unread(other[0], "There are product formulas of first and second order, and exact evolution.")
        if re.search(r"\bfirst[- ]order\b|\bLie[- ]Trotter\b", self.text, re.I):
            return "product_1"
        if re.search(r"\bsecond[- ]order\b|\bStrang\b|\bsymmetric (?:Trotter|product)", self.text, re.I):
            return "product_2"
        named = re.search(r"\bTrotter\w*|\bproduct formula", self.text, re.I)
        if named or re.search(r"cuda-?\s?q", self.text, re.I):
            self.assumed.append(
                "The order of the product formula is not given; the second is taken, whose error falls with "
                "the square of the step."
            )
            return "product_2"
        if not re.search(r"\bexact\w*|diagonali[sz]\w+|numerically exact", self.text, re.I):
            self.assumed.append("No method is named; the evolution is exact, by diagonalisation or expm_multiply.")
        return "exact"

    def timing(self) -> tuple[float, int, str] | Question:
        """Total time, steps, time unit."""
        total, unit = self.total()
        if total is None:
            return Question(text="Over which total time is the chain to be evolved?")
        steps = count(self.body.plain, r"(?:Trotter |time )?steps?|time intervals|Trotter slices")
        points = count(self.body.plain, r"(?:time )?points|times")
        step = next((self.values[name][0] for name in ("dt", "deltat", "tau", "Deltat") if name in self.values), None)
        spoken = re.search(
            r"(?:time[- ]?step|step size|steps?)\s*(?:dt\s*)?(?:of|=|:)?\s*(?:dt\s*=\s*)?(?=\d*\.\d)", self.text
        )
        if step is None and spoken:
            numbers = numbers_at(self.text, spoken.end())
            step = numbers.values()[0] if numbers and not numbers.items[0].names else None
        if steps and steps[0] > 1:
            return total, steps[0], unit
        if step:
            return total, max(1, round(total / step)), unit
        if points and points[0] > 1:
            return total, points[0] - 1, unit
        fastest = max(
            [
                abs(v)
                for name, found in self.values.items()
                for v in found
                if name not in {"N", "L", "n", "seed", "T", "t"}
            ]
            or [1.0]
        )
        chosen = max(200, math.ceil(total * max(fastest, 1.0) / 0.05))
        self.assumed.append(f"The task gives no number of steps; {chosen} are taken.")
        return total, min(chosen, 20_000), unit

    def total(self) -> tuple[float | None, str]:
        for words in (
            r"total (?:evolution )?time(?: of)?\s*(?:T|t)?\s*(?:=|of)?\s*",
            (r"(?:from\s+)?t\s*=\s*0\s*(?:to|\.\.\.?|-)\s*(?:t\s*=\s*)?"),
            r"\bt\s+in\s+\[\s*0\s*,\s*",
            (
                r"(?:up to|until|till|to)\s+(?:a time\s+)?(?:of\s+)?(?:t|T|J\s*\*?\s*t|Jt|tJ|t_max|a (?:total |"
                r"final )?time(?: of)?)\s*(?:=|of)?\s*"
            ),
            r"(?:t_?\{?max\}?|T_?\{?max\}?|t_?f|T_?\{?total\}?)\s*=\s*",
            (
                r"(?:evolve|evolution|simulate|run|follow)\b[^.;]{0,60}?\b(?:for|over|to|up to|until)\s+(?:a "
                r"(?:total )?time (?:of )?)?(?:[tT]\s*=\s*)?"
            ),
            r"(?:up to|until|till|to)\s+(?:a\s+)?(?:final\s+|total\s+)?time\s+(?:of\s+)?(?:[tT]\s*=\s*)?",
            r"from\s+0\s+to\s+",
            (r"(?:for|over)\s+(?:a )?(?:time|duration)\s*(?:of\s+)?(?:[tT]\s*=\s*)?"),
            r"(?<![\w])T\s*=\s*",
        ):
            for match in re.finditer(words + r"(?=[\d(])", self.text):
                numbers = numbers_at(self.text, match.end())
                if numbers is None or re.match(
                    r"\s*(?:-?\s*)(?:qubits?|steps?|periods?|sites?|spins?|points?|time steps?|kicks?)\b",
                    self.text[numbers.items[0].end :],
                ):
                    continue
                names = {name: found[0] for name, found in self.values.items()} | (
                    {self.unit_name: 1.0} if self.unit_name else {}
                )
                value = numbers.items[0].value_or_none({**names, "pi": math.pi})
                if value is not None and value > 0:
                    unit, _ = unit_at(self.text, numbers.items[0].end)
                    if unit:
                        self.assumed.append(f"Times are in {unit}s and energies in radian per {unit} (hbar = 1).")
                    return value, {"second": "s"}.get(unit, unit)
        return None, ""

    def periods(self) -> tuple[float, int, str] | Question:
        said = count(self.body.plain, r"(?:Floquet |driving |drive )?(?:periods|cycles|kicks|steps)")
        if not said or said[0] < 1:
            return Question(text="How many periods is the kicked chain to be followed?")
        return float(said[0]), said[0], ""

    def observables(self, n: int) -> tuple[list[Want], list[Sum] | Unread, list[int], list[Literal["x", "y", "z"]]]:
        quantities = {quantity for one in self.body.wanted for quantity in one.quantities}
        text = self.text
        wants: list[Want] = []
        named: dict[Want, str] = {
            "magnetisation": r"magneti[sz]ation|<\s*(?:Z|X|Y|sigma)",
            "energy": (r"(?<!units of )(?<!units of an )(?<!units of the )(?<!unit of )\benerg(?:y|ies)\b"),
            "entropy": r"\bentropy\b",
            "return_probability": (
                r"\breturn probabilit\w+|\bLoschmidt\b|\bsurvival probabilit\w+|\bfidelity with (?:the|its) "
                r"initial|\boverlap with (?:the|its) initial|\becho\b"
            ),
            "imbalance": (r"\bimbalance\b|staggered magneti[sz]ation"),
            "total_magnetisation": r"\btotal magneti[sz]ation\b",
        }
        for want, words in named.items():
            alias = {"return_probability": {"fidelity", "echo", "loschmidt_echo"}}.get(want, set())
            if want in quantities or (alias & quantities) or re.search(words, text, re.I):
                wants.append(want)
        axes = [
            str(one.value).lower() for one in label_values(self.body.wanted, "axis") if str(one.value).lower() in "xyz"
        ]
        along = re.search(
            r"magneti[sz]ations? (?:along|in) (?:the )?((?:[xyz]\b(?:\s*,\s*|\s+and\s+)?(?:along )?)+)", text, re.I
        )
        if not axes and along:
            axes = re.findall(r"[xyz]\b", along[1].lower())
        if not axes:
            axes = [
                axis
                for axis in "xyz"
                if re.search(
                    (
                        rf"<\s*(?:{axis.upper()}(?:_\w|_\{{\w+\}})?|sigma(?:\^|_)\{{?{axis}\}}?(?:_\w)?|"
                        rf"sigma_\w\^{axis})\s*(?:\([^)]*\))?\s*>|\b{axis}[- ](?:component|magneti[sz]ation)|"
                        rf"\b{axis.upper()}[- ]magneti[sz]ation|magneti[sz]ation along {axis}\b"
                    ),
                    text,
                    re.I if axis != "y" else 0,
                )
            ]
        sums = self.sums(n)
        if not isinstance(sums, Unread) and sums:
            wants.append("expectation")
        cuts: list[int] = []
        if "entropy" in wants:
            cuts = [int(one.value) for one in label_values(self.body.wanted, "cut") if one.value.isdigit()] or [n // 2]
            if not re.search(r"half|middle|cut|first", text):
                self.assumed.append(
                    f"Entanglement entropy is taken at the middle of the chain, after {n // 2} qubits, in nats."
                )
        if not wants:
            wants = ["magnetisation"]
        return wants, sums, cuts, [axis for axis in get_args(Literal["x", "y", "z"]) if axis in axes] or ["z"]

    def sums(self, n: int) -> list[Sum] | Unread:
        """Correlators such as ``<Z_0 Z_j>`` or ``<Z_i Z_{i+1}>`` averaged over the chain."""
        made: list[Sum] = []
        words = [one.value for one in label_values(self.body.wanted, "observable")]
        words += re.findall(r"<\s*((?:[XYZ]_?\{?\w(?:\s*\+\s*\d)?\}?\s*){2,})>", self.text)
        for word in dict.fromkeys(words):
            pairs = re.findall(r"([XYZ])_?\{?(\d+|[ij](?:\s*\+\s*\d)?)\}?", word)
            if pairs and all(site.isdigit() for _, site in pairs) and max(int(site) for _, site in pairs) < n:
                made.append(
                    Sum(label=word.strip(), terms=[(1.0, "".join(p for p, _ in pairs), [int(s) for _, s in pairs])])
                )
            elif pairs and all(not site.isdigit() for _, site in pairs) and len(pairs) == 2:
                offset = int((re.search(r"\d", pairs[1][1]) or [1])[0])
                bonds = n - offset
                made.append(
                    Sum(
                        label=word.strip(),
                        terms=[(1.0 / bonds, pairs[0][0] + pairs[1][0], [k, k + offset]) for k in range(bonds)],
                    )
                )
            elif re.fullmatch(r"[XYZ]{2}", word):
                made.append(Sum(label=word, terms=[(1.0 / (n - 1), word, [k, k + 1]) for k in range(n - 1)]))
            else:
                return Unread(word, "This correlator is not understood.")
        if not made and re.search(r"\bcorrelat(?:ors?|ions? functions?)\b", self.text):
            return Unread("correlators", "It is not said which.")
        return made

    def parameters(self, spec: SpinChainSpec) -> dict[str, Any]:
        made: dict[str, Any] = {
            name: found[0] if len(found) == 1 else found for name, found in self.values.items() if name not in {"t"}
        }
        for one in self.found:
            if one.key in made and one.name != one.key and re.fullmatch(r"\w+", one.name):
                made[one.name] = made.pop(one.key)
        made |= {"n_qubits": spec.n_qubits, "boundary": spec.boundary, "method": spec.method, "backend": spec.backend}
        if spec.method == "floquet":
            made["periods"] = spec.steps
        else:
            made |= {"steps": spec.steps, "total_time": spec.total_time}
        seeds = [one.seed for one in spec.initial if one.seed is not None]
        if seeds:
            made["seed"] = seeds[0]
        return made

    def accounted(self, spec: SpinChainSpec) -> Reading | Unread:
        given = {
            "magnetisation",
            "mean_magnetisation",
            "total_magnetisation",
            "energy",
            "entropy",
            "return_probability",
            "imbalance",
            "expectation",
            "parameters",
            "product_formula_infidelity",
            "norm_error",
        }
        for one in self.body.wanted:
            for quantity in one.quantities:
                if quantity not in given:
                    return Unread(f"`{quantity}`", "The family of spin chains does not give this quantity.")
        spans = [self.body.span(sentence) for sentence in self.body.sentences] + [one.span for one in self.body.wanted]
        return Reading("spin_chain", spec, spans, tuple(dict.fromkeys(self.assumed)))
