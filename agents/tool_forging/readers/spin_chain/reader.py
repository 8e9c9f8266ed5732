"""A spin-chain task: how long the chain is, what it evolves under, from where, and what is recorded."""

from __future__ import annotations

import math
import re
from typing import Any, Literal

from pydantic import ValidationError

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.language.absences import without_absences
from labwright.agents.tool_forging.readers.language.assignments import count
from labwright.agents.tool_forging.readers.language.leftover import unknown_words
from labwright.agents.tool_forging.readers.language.numbers import integer
from labwright.agents.tool_forging.readers.language.operators import UnknownSymbol
from labwright.agents.tool_forging.readers.language.tally import holds, passed_over
from labwright.agents.tool_forging.readers.spin_chain.cases import cases_of
from labwright.agents.tool_forging.readers.spin_chain.chain import Chain
from labwright.agents.tool_forging.readers.spin_chain.chain_text import ChainBody
from labwright.agents.tool_forging.readers.spin_chain.observed import entropy_unit, observables, spin_scale
from labwright.agents.tool_forging.readers.spin_chain.patterns import NoPattern
from labwright.agents.tool_forging.readers.spin_chain.starts import initial_states
from labwright.agents.tool_forging.readers.spin_chain.timing import backend, method, periods, timing
from labwright.agents.tool_forging.readers.spin_chain.words import VOCABULARY
from labwright.tools.forge.families.spin_chain.spec import Case, SpinChainSpec, Sum

_EVIDENCE = re.compile(
    r"\b(?:Ising|Heisenberg|XXZ|XX[ -](?:chain|model)|XY[ -](?:chain|model)|spin[- ](?:chain|ring)|(?:chain|"
    r"ring|string|row|line|array|register) of\b|qubit (?:chain|ring)|kick\w*|[a-z0-9]+-qubit chain|chain|"
    r"(?:spins?|qubits?|sites?|ions?|atoms?)[\w ,/-]{0,25} (?:in|on|along|form\w*|into) (?:a|an|one) (?:\w+ "
    r")?(?:row|line|"
    r"ring|chain|circle)|open string|(?:open|periodic) (?:line|row|ends)|sum_?\{?\s*<?[ij]|sum [XYZ]_|Floquet "
    r"(?:operator|unitary)|periodic boundar\w+)\b"
)
_DYNAMICS = re.compile(
    (
        r"\b(?:dynamic\w*|until|points|evol\w+|quench\w*|Trotter\w*|t\s*=\s*\d|simulat\w*|product formula|times|"
        r"t\s*(?:from|in|:)\s*[\[\d]|"
        r"periods?|kick\w*|time|"
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
        r"statistics|ladder|square lattice|two-dimensional|2D|triangular|honeycomb|(?<!trotter )(?<!no "
        r")(?<!shot )(?<!without )noise|noisy|linear ramp|"
        r"ramp\w*|time-dependent field|average[ds]? over"
        r"(?! (?:all |the |every |each )*(?:whole |entire |\w+ )?(?:chain|sites?|qubits?|spins?|ions?|atoms?|row|"
        r"line|ring|register|string|bonds?|"
        r"positions?)))\b"
    ),
    re.I,
)


# symbols that are no part of the Hamiltonian, and numbers that are names
_SETTINGS = frozenset(
    {"t", "T", "N", "L", "n", "dt", "seed", "tau", "hbar", "i", "j", "M", "tmax", "tf", "steps", "periods"}
)
_NAMES_ONLY = re.compile(
    r"\|[^|<>]{1,20}>|\b(?:sites?|qubits?|spins?|index|indices|numbered|"
    r"counted)\s+(?:from\s+)?(?:\d+(?:\s*(?:,|and|to|-|or)\s*)?)+|[XYZ]_\{?\d+\}?|\b[XYZ]\s*=\s*[+-]?1\b|"
    r"hbar\s*=\s*1|"
    r"\b\d[- ](?:dimensional|D)\b|spin[- ]?1/2|\bsum_\{[^}]*\}(?:\^\{[^}]*\})?|i\s*[+-]\s*1|\b(?:one|two|three|"
    r"\d) (?:panels?|figures?|plots?)"
)


class SpinChainReader:
    """See `labwright.agents.tool_forging.readers.base.Reader`."""

    family = "spin_chain"

    def read(self, task: TaskText) -> Reading | Question | Unread | None:
        """Read the task if it is about the dynamics of a chain of qubits."""
        body = ChainBody(task)
        if not _EVIDENCE.search(body.text) or not _DYNAMICS.search(body.text) or _FOREIGN.search(body.text):
            return None
        try:
            return _whole(Chain(body))
        except UnknownSymbol as unknown:
            return Question(text=f"What is the value of {unknown.name}?")
        except NoPattern as wrong:
            return Unread(body.title, f"The Hamiltonian holds {wrong}, which no recipe for chains puts in.")


_UNEVEN = re.compile(
    r"\b(?:for|on|in|at|along)\s+(?:the\s+|all\s+)?(?:first|last|left|right|odd|even|others?|central|middle|edge|"
    r"end|outer|"
    r"remaining)(?:[- ]\w+)?\s+(?:\w+\s+)?(?:bonds?|links?|couplings?)\b|\balternat\w+ (?:couplings?|bonds?|exchange)|"
    r"\bdimeri[sz]\w+|\b(?:odd|even) (?:bonds|links)\b",
    re.I,
)


def _whole(chain: Chain) -> Reading | Question | Unread:
    uneven = _UNEVEN.search(chain.text)
    if uneven:
        return Unread(
            chain.body.original(*uneven.span()), "Couplings are the same on all bonds of the chains that are known."
        )
    beyond = _BEYOND.search(without_absences(chain.text))
    if beyond:
        whole = next((one for one in chain.body.sentences if one.start <= beyond.start() < one.end), None)
        words = chain.body.original(whole.start, whole.end) if whole else beyond[0]
        return Unread(words, "There are recipes for clean chains with constant or kicked Hamiltonians only.")
    quiet = re.finditer(
        r"\b(?:no|without|free of)\s+(?:trotter |shot |any )?(?:noise|errors?)\b|"
        r"\bnoise-?(?:less|free)\b",
        chain.text,
        re.I,
    )
    chain.used += [match.span() for match in quiet]
    for sentence in chain.body.sentences:
        strange = unknown_words(sentence.text, VOCABULARY, chain.used, sentence.start)
        if strange and not sentence.is_heading:
            return Unread(
                chain.body.original(sentence.start, sentence.end),
                f"These words are not understood: {', '.join(dict.fromkeys(strange))}.",
            )
    n = size(chain)
    if isinstance(n, Question | Unread):
        return n
    cases = cases_of(chain)
    if not isinstance(cases, list):
        return cases
    starts = initial_states(chain.body, n, chain.values)
    if isinstance(starts, Question | Unread):
        return starts
    chain.assumed += starts[1]
    return specified(chain, n, cases, starts[0])


def size(chain: Chain) -> int | Question | Unread:
    said = count(chain.body.plain, r"qubits?|spins?|sites?|ions?|atoms?|particles?") or _of_them(chain.text)
    many = (
        chain.values.get("N")
        or chain.values.get("L")
        or chain.values.get("n")
        or ([float(said[0])] if said and said[0] > 1 else [])
    )
    if (
        said
        and said[0] > 1
        and many
        and int(many[0]) != said[0]
        and re.search(r"chain|ring", chain.text[max(0, said[1] - 20) : said[2] + 20])
    ):
        many = [float(said[0])]
    if not many:
        return Question(text="How many qubits does the chain have?")
    if len(many) > 1:
        return Unread(f"N = {', '.join(f'{one:g}' for one in many)}", "The reader of chains takes one length a task.")
    if not 2 <= many[0] <= 16:
        return Unread(
            f"{many[0]:g} qubits",
            "State vectors of 2 to 16 qubits can be evolved; longer chains need tensor networks.",
        )
    return int(many[0])


def _of_them(text: str) -> tuple[int, int, int] | None:
    """``nine of them``, ``how many? 8, open line``."""
    match = re.search(r"\b(\d+|[a-z]+) of them\b|\bhow many\b\W+(?:\w+\W+)??(\d+|[a-z]+)\b", text, re.I)
    number = integer(match[1] or match[2]) if match else None
    return (number, match.start(), match.end()) if match and number else None


def boundary(chain: Chain) -> Literal["open", "periodic"]:
    apart = re.search(
        r"\bends?\b[^.;]{0,12}\bnot (?:joined|connected|closed|coupled)|\bno periodic\b|\bnot (?:periodic|a ring)\b",
        chain.text,
        re.I,
    )
    if not apart and re.search(
        (
            r"\bends? (?:are |is )?(?:joined|connected|closed|glued)|\bclosed (?:to|into) a|\bperiodic boundary|"
            r"\bPBC\b|\bring\b|\bcircle\b|(?<!open or )\bperiodic\b(?! kick| driv)|"
            r"\bperiodic chain|\bclosed chain|\bperiodic(?:ally)? "
            r"(?:closed|connected)"
        ),
        chain.text,
        re.I,
    ):
        return "periodic"
    if not apart and not re.search(r"\bopen\b|\bOBC\b|\bfree (?:ends|boundar)", chain.text, re.I):
        chain.assumed.append(
            "The task gives no boundary condition; the chain is open, so its end spins have one neighbour."
        )
    return "open"


def specified(chain: Chain, n: int, cases: list[Case], starts: list[Any]) -> Reading | Question | Unread:
    kicked = bool(cases[0].layers)
    span = periods(chain) if kicked else timing(chain)
    if isinstance(span, Question):
        return span
    total, steps, unit = span
    how = method(chain, kicked)
    if isinstance(how, Unread):
        return how
    records = 1 if steps <= 2000 else math.ceil(steps / 2000)
    wants, sums, cuts, axes = observables(chain, n, boundary(chain) == "periodic")
    if isinstance(sums, Unread):
        return sums
    if re.search(r"\benerg(?:y|ies) (?:density|per (?:site|spin|qubit|ion|atom))\b", chain.text, re.I):
        if len(cases) > 1 or kicked or any(one.power is not None for one in cases[0].patterns):
            return Unread(
                "energy per site", "It is given for one chain with terms of fixed range; the whole energy always."
            )
        sums = [*sums, energy_per_site(cases[0], n, boundary(chain))]
        if "expectation" not in wants:
            wants = [*wants, "expectation"]
    asked = {label for one in chain.body.wanted for label in one.labels}
    varied = [
        name
        for name in cases[0].labels
        if len({case.labels.get(name) for case in cases}) > 1 and isinstance(cases[0].labels[name], float | int)
    ]
    try:
        spec = SpinChainSpec(
            title=chain.body.heading or "Chain of qubits",
            n_qubits=n,
            boundary=boundary(chain),
            cases=cases,
            axis=varied[0] if len(varied) == 1 else "",
            initial=starts,
            label_initial=len(starts) > 1 or "initial" in asked,
            method=how,
            total_time=total,
            steps=steps,
            record_every=records,
            time_unit=unit,
            axes_of_spin=axes,
            spin_scale=spin_scale(chain),
            cuts=cuts,
            entropy_unit=entropy_unit(chain) if cuts else "nat",
            sums=sums,
            wants=wants,
            backend=backend(chain, how),
            parameters={},
        )
    except ValidationError as wrong:
        return Unread(chain.body.title, wrong.errors()[0]["msg"])
    spec = spec.model_copy(update={"parameters": parameters(chain, spec)})
    return accounted(chain, spec)


def energy_per_site(case: Case, n: int, ends: str) -> Sum:
    """The Hamiltonian over the number of sites, as an observable."""
    terms: list[tuple[float, str, list[int]]] = []
    for one in case.patterns:
        for k in range(n):
            sites = [k + offset for offset in one.offsets]
            if max(sites) < n or ends == "periodic":
                terms.append((one.coefficient / n, one.letters, [site % n for site in sites]))
    return Sum(label="energy_per_site", terms=terms)


def parameters(chain: Chain, spec: SpinChainSpec) -> dict[str, Any]:
    made: dict[str, Any] = {
        name: found[0] if len(found) == 1 else found for name, found in chain.values.items() if name not in {"t"}
    }
    for one in chain.found:
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


def accounted(chain: Chain, spec: SpinChainSpec) -> Reading | Unread:
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
    for one in chain.body.wanted:
        for quantity in one.quantities:
            if quantity not in given:
                return Unread(f"`{quantity}`", "The family of spin chains does not give this quantity.")
    plain = spec.model_dump(mode="json", exclude={"parameters"})
    for symbol in chain.found:
        if symbol.key not in chain.seen | _SETTINGS and not all(
            holds(v, plain) for v in chain.values.get(symbol.key, [0.5])
        ):
            return Unread(chain.body.original(symbol.start, symbol.end), "Nothing that was read uses this quantity.")
    used = [*chain.used, *(one.span() for one in _NAMES_ONLY.finditer(chain.text))]
    used += [one.span() for one in re.finditer(rf"(?<![\d.])[01]{{{spec.n_qubits}}}(?!\.?\d)", chain.text)]
    left = passed_over(chain.body, used, plain, [spec.n_qubits - 1.0, spec.steps + 1.0])
    if left is not None:
        return Unread(left[0], f"The number {left[1]} in it is nothing that the reader of chains has used.")
    spans = [chain.body.span(sentence) for sentence in chain.body.sentences] + [one.span for one in chain.body.wanted]
    return Reading("spin_chain", spec, spans, tuple(dict.fromkeys(chain.assumed)))
