"""What a task wants recorded: expectation values, populations, coherence and other measures of the state."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from labwright.agents.call import Question
from labwright.agents.tool_forging.demands import demands
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.clean import clean
from labwright.agents.tool_forging.readers.language.deliverables import label_values, wanted
from labwright.agents.tool_forging.readers.language.operators import Term as Spoken
from labwright.agents.tool_forging.readers.language.operators import UnknownSymbol, expression_at
from labwright.agents.tool_forging.readers.open_system.operators import NoSuchOperator, System, operator
from labwright.agents.tool_forging.readers.open_system.states import SpokenState, superposition
from labwright.tools.forge.families.open_system.spec import Factor, Observable, Operator, Term

_MEASURES = {
    "purity": r"\bpurit(?:y|ies)\b|Tr\s*\(?\s*rho\s*\^\s*2",
    "entropy": r"\b(?:von Neumann )?entrop(?:y|ies)\b",
    "coherence": (r"\bcoherences?\b(?! time)|off-diagonal"),
    "concurrence": r"\bconcurrence\b",
    "fidelity": r"\bfidelit(?:y|ies)\b",
    "entanglement_entropy": (
        r"\bentanglement entropy\b|\bentropy of (?:entanglement|one qubit|the (?:first|atom|qubit))\b"
    ),
}
_BARE = (
    r"(?:sigma_?\{?[xyz]\}?(?:_\{?\w\}?|\^\{?\(\w\)\}?)?|S_?\{?[xyz]\}?|[XYZ](?:_?\{?\d\}?|"
    r"_\{?[A-Z]\}?)?(?:\s*@?\s*[XYZ](?:_?\{?\d\}?|_\{?[A-Z]\}?)?){0,3})"
)
_ANGLE = re.compile(rf"<\s*({_BARE}|a\^dag a|n)\s*(?:\(t\))?>")
_OF = re.compile(
    rf"\b(?:expectation values?|averages?|mean values?|magneti[sz]ation|components?|time "
    rf"traces?)\s+(?:\([^)]*\)\s*)?(?:of\s+)?(?:the\s+)?(?:observables?\s+)?(?=<|{_BARE}\b)"
)


@dataclass
class Observed:
    """Quantities to record."""

    observables: list[Observable] = field(default_factory=list)
    populations: dict[str, list[int]] = field(default_factory=dict)
    numbered: bool = False  # levels are called by numbers, not by texts
    wants: list[str] = field(default_factory=list)
    target: list[list[float]] = field(default_factory=list)
    coherence_of: list[int] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)


_P_OF = re.compile(r"\bP(?:_?\{?|\(\|?)\d\b|\bP_\{?[a-z]\}?(?!\w)|\bP\(\|?\w{1,2}>?\)")


def observed(body: Body, system: System, starts: list[SpokenState], lossy: bool) -> Observed | Question | Unread:
    """What to record, by the words of the task and its section of results."""
    made = Observed()
    quantities = {quantity for one in body.wanted for quantity in one.quantities}
    trouble = _observables(body, system, made)
    if trouble is not None:
        return trouble
    if made.observables:
        made.wants.append("expectation")
    text = body.text
    if (
        "population" in quantities
        or _P_OF.search(text)
        or re.search(
            r"\b(?:populations?|(?<!thermal )(?<!mean )(?<!Einstein )occupations?|probabilit(?:y|ies)|P_?e|P\(e)\b",
            text,
            re.I,
        )
    ):
        trouble = _populations(body, system, made)
        if trouble is not None:
            return trouble
    for name, words in _MEASURES.items():
        if name in quantities or re.search(words, _demanded(body) if name == "coherence" else _mentioned(body), re.I):
            if name == "entropy" and "entropy" not in quantities and re.search(_MEASURES["entanglement_entropy"], text):
                continue
            if name in ("concurrence", "entanglement_entropy") and len(system.dims) < 2:
                return Unread(name, "One subsystem alone has no entanglement.")
            made.wants.append(name)
    if "coherence" in made.wants and math.prod(system.dims) > 2:
        trouble = _coherence(body.text, system, made)
        if trouble is not None:
            return trouble
    if "fidelity" in made.wants:
        trouble = _target(body, system, starts, made)
        if trouble is not None:
            return trouble
    if lossy and (
        "steady_state" in quantities
        or re.search(r"\bsteady[- ]?states?\b|\bstationary\b|\blong-time limit\b", text, re.I)
    ):
        made.wants.append("steady_state")
    if "steady_state" in made.wants and made.wants != ["steady_state"] and not (made.observables or made.populations):
        return Unread("steady state", "The recipes give expectation values and populations of it, no other measures.")
    if not made.wants or made.wants == ["steady_state"]:
        return Question(
            text="Which quantity of the system is to be recorded: expectation values, populations, coherence?"
        )
    return made


def _demanded(body: Body) -> str:
    """What the task orders, so that a coherence time that it gives, or decoherence to discuss, asks for nothing."""
    used = [
        one.text
        for one in body.sentences
        if re.search(r"\b(?:use|using|QuTiP|mesolve)\b", one.text) and not one.is_heading
    ]
    items = [one.text for one in body.sentences if _ITEM.match(one.text) and len(one.text) < 90]
    return "\n".join([*(clean(one.words).text for one in demands(body.task)), *used, *items])


_PAIR = re.compile(
    r"\bcoherences?\s+(?:\w+\s+){0,2}?(?:between|of)\s+(?:the\s+)?(?:(?:levels?|states?)\s+)?\|?(?P<a>\w{1,2})>?\s*(?:,|and|-)\s*"
    r"(?:(?:the\s+)?(?:level|state)\s+)?\|?(?P<b>\w{1,2})>?(?!\w)"
    r"|\brho_\{?\s*(?P<c>[a-z\d])\s*,?\s*(?P<d>[a-z\d])\s*\}?(?!\w)"
)


def _coherence(text: str, system: System, made: Observed) -> Question | None:
    """Between which two levels, where the text says it."""
    pairs = {
        tuple(sorted((match["a"] or match["c"], match["b"] or match["d"])))
        for match in _PAIR.finditer(text)
        if {match["a"] or match["c"], match["b"] or match["d"]} <= set(system.levels)
    }
    if len(pairs) > 1:
        return Question(text="Between which two levels is the coherence wanted? The recipes record one pair.")
    if pairs:
        made.coherence_of = [system.levels.index(name) for name in next(iter(pairs))]
        return None
    made.assumed.append("The coherence is half the sum of the magnitudes of all elements off the diagonal.")
    return None


_UNWANTED = re.compile(
    r"\b(?:no(?! (?:more|less))|not|without|never|nor|neither|skip|omit|leave out)\b(?:\s+(?!only|just)[\w-]+){0,3}"
    r"\s*:?\s*"
    r"(?:the\s+)?\w*\s*(?:purit\w+|entrop\w+|concurrence|fidelit\w+)",
    re.I,
)


def _mentioned(body: Body) -> str:
    """The text without what it says is not wanted: a measure that is named is asked for."""
    return _UNWANTED.sub(" ", "\n".join(one.text for one in body.sentences if not one.is_heading))


_ITEM = re.compile(
    r"^\W*(?:\(?\w{1,3}[).:]\s*)?(?:the\s+)?(?:(?:magnitude|modulus|absolute value|size|real part)\s+of\s+(?:the\s+)?)?"
    r"\|?coherences?\b(?!\s+times?)",
    re.I,
)


def _observables(body: Body, system: System, made: Observed) -> Question | Unread | None:
    names: list[str] = [
        str(one.value)
        for q in ("expectation", "steady_state")
        for one in label_values(wanted(body.wanted, q), "observable")
        if one.value != "population"
    ]
    if not names:
        text = body.text
        names = [match[1] for match in _ANGLE.finditer(text)]
        for match in _OF.finditer(text):
            names += re.findall(
                _BARE,
                re.split(
                    r"\b(?:as|over|for|in|versus|against|under|with|is|are)\b|[.;]",
                    text[match.end() : match.end() + 60],
                )[0],
            )
        if re.search(r"\bBloch (?:vector|components?)\b", text) and len(system.dims) == 1:
            names += ["X", "Y", "Z"]
        if re.search(r"photon number|number of photons", text) and system.oscillators:
            names.append("n")
        if re.search(r"\bmagneti[sz]ation\b", text) and not names:
            names.append("Z")
        if re.search(_TOTAL, text, re.I) and len(system.dims) > 1:
            made.observables.append(_excitations(system))
    for name in dict.fromkeys(names):
        built = _operator(name, system)
        if isinstance(built, str):
            return Unread(name, f"This observable is not understood ({built}).")
        made.observables += built
    return None


_TOTAL = (
    r"\b(?:total|mean|average|overall)\s+(?:number of\s+)?excitations?(?:\s+number)?\b(?! (?:rate|energy))|"
    r"\bnumber of excitations\b|\bsum of the (?:excited[- ]state )?(?:populations|excitation probabilities)"
)


def _excitations(system: System) -> Observable:
    """How many quanta all parts hold together: the excited qubits and the photons."""
    sign = -0.5 if system.flipped else 0.5
    terms = [Term(coefficient=[sign, 0.0], factors=[Factor(op="Z", site=site)]) for site in system.qubits]
    terms += [Term(coefficient=[1.0, 0.0], factors=[Factor(op="n", site=site)]) for site in system.oscillators]
    return Observable(
        label="excitations",
        operator=Operator(terms=[*terms, Term(coefficient=[len(system.qubits) / 2, 0.0], factors=[])]),
    )


def _operator(name: str, system: System) -> list[Observable] | str:
    plain = re.sub(r"\s+", " ", name.strip("<> "))
    site = system.oscillators[0] if system.oscillators else 0
    if plain in ("n", "photon_number", "photons", "a^dag a", "adag a", "photon number", "N"):
        if not system.oscillators:
            return "there is no oscillator"
        return [
            Observable(
                label=plain,
                operator=Operator(terms=[Term(coefficient=[1.0, 0.0], factors=[Factor(op="n", site=site)])]),
            )
        ]
    try:
        found = expression_at(plain, 0, {}, bool(system.oscillators))
    except UnknownSymbol as unknown:
        return f"{unknown.name} is unknown"
    if found is None or found.end < len(plain.rstrip()) or any(not one.factors for one in found.terms):
        return "it is no operator"
    bare = all(f.site is None for one in found.terms for f in one.factors)
    if bare and len(system.qubits) > 1 and max(one.width for one in found.terms) == 0:
        return [
            Observable(label=f"{plain}_{k}", operator=operator([_on(one, q, system) for one in found.terms], system))
            for k, q in enumerate(system.qubits)
        ]
    try:
        return [Observable(label=plain, operator=operator(_indexed(found.terms, system), system))]
    except NoSuchOperator as wrong:
        return str(wrong)


def _indexed(terms: Iterable[Spoken], system: System) -> list[Spoken]:
    """``Z1`` in a results section may count from 0 or 1; the system's own subscripts decide, else from 0."""
    return [replace(one, factors=tuple(replace(f, site=_place(f.site, system)) for f in one.factors)) for one in terms]


def _place(site: int | str | None, system: System) -> int | str | None:
    if isinstance(site, str) and site not in system.sites and site.isdigit() and int(site) < len(system.qubits):
        return system.qubits[int(site)]
    return site


def _on(term: Spoken, site: int, system: System) -> Spoken:
    return replace(term, factors=tuple(replace(f, site=site) for f in term.factors), width=len(system.dims))


def _populations(body: Body, system: System, made: Observed) -> Unread | None:
    size = math.prod(system.dims)
    asked = [one for q in ("population", "steady_state") for one in label_values(wanted(body.wanted, q), "level")]
    named = [str(one.typed) for one in asked]
    made.numbered = bool(asked) and all(isinstance(one.typed, int) for one in asked)
    if not named:
        wanted_one = re.search(
            (
                r"\b(excited|ground)[- ](?:state|level)(?:'s)? (?:population|probability|occupation)|"
                r"(?:population|probability|occupation)s? of (?:the |its |their )?(excited|ground)"
            ),
            body.text,
        )
        own = _bodies(body.text, system)
        if own:
            named = own
        elif wanted_one and len(system.dims) == 1:
            named = [wanted_one[1] or wanted_one[2]]
        elif size <= 9:
            named = list(system.levels)
        elif len(system.qubits) == 1:
            named = ["excited"]
        else:
            return Unread("populations", f"Of the {size} levels it is not said which.")
    for name in dict.fromkeys(named):
        indices = _indices(name, system)
        if indices is None:
            return Unread(name, f"The levels are {', '.join(system.levels[:16])}.")
        made.populations[name] = indices
    made.wants.append("population")
    return None


_OF_BODIES = re.compile(
    r"\b(?:populations?|probabilit\w+|excitations?|occupations?)\s+(?:probabilit\w+\s+)?"
    r"(?:that|of finding|of|for|in|on|to find|to have)\s+(?:the\s+)?"
    r"(?:(?:excited|upper)\s+(?:states?|levels?)\s+of\s+)?(?:(?:both|each|all)\s+)?"
    r"(?P<names>(?:(?:,|and|or|the|of|qubits?|atoms?|spins?|emitters?|transmons?|\s)*\b(?:[A-HJ-Z1-4]|first|second|left|right|donor|acceptor)\b)+)"
    r"(?!\s*(?:>|photons?|Fock|times|points))"
)
_PLACES = {"first": 0, "left": 0, "donor": 0, "second": 1, "right": 1, "acceptor": 1}


def _bodies(text: str, system: System) -> list[str]:
    """Qubits whose excitation is asked for one by one: ``the probability that A is excited``."""
    if len(system.qubits) < 2 or system.oscillators:
        return []
    found: list[str] = []
    for match in _OF_BODIES.finditer(text):
        for name in re.findall(r"\b(?:[A-HJ-Z1-4]|first|second|left|right|donor|acceptor)\b", match["names"]):
            place = _PLACES.get(name, ord(name) - ord("A") if name.isalpha() and len(name) == 1 else -1)
            if name in system.sites:
                found.append(name)
            elif 0 <= place < len(system.qubits):
                system.sites.setdefault(name, system.qubits[place])
                found.append(name)
            elif name.isdigit() and not system.sites and 0 < int(name) <= len(system.qubits):
                system.sites.setdefault(name, system.qubits[int(name) - 1])
                found.append(name)
    return list(dict.fromkeys(found))


def _indices(name: str, system: System) -> list[int] | None:
    plain = name.strip("|>")
    if plain in system.levels:
        return [system.levels.index(plain)]
    size = math.prod(system.dims)
    if plain.isdigit() and not any(name.isdigit() for name in system.levels) and int(plain) < size:
        return [int(plain)]
    if plain in ("excited", "ground", "e", "g") and len(system.qubits) == 1:
        bit = int((plain[0] == "g") != system.flipped)
        site = system.qubits[0]
        after = math.prod(system.dims[site + 1 :])
        return [k for k in range(size) if k // after % system.dims[site] == bit]
    if plain in system.sites and len(system.qubits) > 1:
        site, excited = system.sites[plain], int(system.flipped)
        after = math.prod(system.dims[site + 1 :])
        return [k for k in range(size) if k // after % system.dims[site] == excited]
    bits = {"e": "1" if system.flipped else "0", "g": "0" if system.flipped else "1", "u": "0", "d": "1"}
    spelled = "".join(bits.get(letter, letter) for letter in plain.replace(",", ""))
    if spelled in system.levels:
        return [system.levels.index(spelled)]
    return None


def _target(body: Body, system: System, starts: list[SpokenState], made: Observed) -> Question | None:
    spoken = re.search(
        r"fidelit\w+[^.;]{0,60}?(?:with|to|of|and)\s+(?:respect to )?(?:the\s+)?(?P<what>[^.;]{3,60})", body.text
    )
    if spoken:
        psi = superposition(spoken["what"], system.dims, system.levels, not system.flipped)
        if psi is not None:
            made.target = [[one.real, one.imag] for one in psi]
            return None
        if re.search(r"initial", spoken["what"]) and len(starts) == 1 and starts[0].amplitudes:
            made.target = [[complex(one).real, complex(one).imag] for one in starts[0].amplitudes]
            return None
    return Question(text="With which state is the fidelity to be taken?")
