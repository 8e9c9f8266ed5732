"""Collapse operators of a task: written out, or as T1, T2, decay rates, transitions, thermal baths."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.numbers import numbers_at
from labwright.agents.tool_forging.readers.language.operators import Factor, Term, expression_at
from labwright.agents.tool_forging.readers.open_system.dissipators import dissipators
from labwright.agents.tool_forging.readers.open_system.operators import System, operator
from labwright.agents.tool_forging.readers.open_system.rates import SpokenRate, occupation_of, spoken_rates
from labwright.agents.tool_forging.readers.open_system.subsystems import Generator, has_oscillator
from labwright.agents.tool_forging.readers.open_system.symbols import Symbols, value_of
from labwright.agents.tool_forging.readers.open_system.told_jumps import Jump, told_jumps, untold
from labwright.tools.forge.families.open_system.spec import Operator

_WRITTEN = re.compile(
    r"(?<![A-Za-z|])(?:C|L|c|A)(?:_\{?\w{1,6}\}?|\d)?\s*=\s*|\b(?i:collapse|jump|Lindblad|dephasing|damping|"
    r"decay|loss|noise|relaxation) "
    r"operators?\b\s*(?:are|is|:|of|by|for \w+)?\s*(?:the\s+)?:?\s*(?!\s*[A-Za-z]\w*\s*=)(?=[-(\[]?\s*(?:sqrt|"
    r"sigma|\d|\||[a-zA-Z]\b))"
)
_JUMPS = re.compile(r"\b(?:collapse|jump|Lindblad)\b", re.I)
_ROOT = re.compile(r"(?<![\w/*=])(?<![/*=] )(?=sqrt\()")
_NEXT = re.compile(
    r"\s*(?:,\s*and|,|and|;|as well as)\s+(?:(?:C|L)(?:_\{?\w+\}?|\d)?\s*=\s*)?(?:(?:the\s+)?(?:collapse|"
    r"jump) operator\s+)?(?:(?:by|with|through)\s+)?(?=sqrt|[A-Za-z\d(|])"
)


_RATE = r"(?P<rate>[-+]?\d*\.?\d+(?:e[-+]?\d+)?|(?:sqrt\()?[A-Za-z]\w*(?:_\{?\w+\}?)?)"
_STATE = r"(?:(?:the\s+)?(?:level|state)\s+)?\|?\s*(?P<{0}>[a-z0-9])\s*>?(?![\w'])"
_FROM = re.compile(
    r"(?:\b(?:from|out of|leaves?|empties|depopulates)\s+"
    + _STATE.format("a")
    + r"|(?:(?:the\s+)?(?:level|state)\s+|\|)\s*(?P<b>[a-z0-9])\s*>?\s+(?:also\s+)?"
    r"(?:decays?|relaxes|goes over|falls|drops|emits|radiates|returns)\b|"
    r"\b(?P<c>[a-z])\s+(?:also\s+)?(?:decays?|relaxes|goes over|falls|drops|returns)\b"
    r"|\|?\s*(?P<d>[a-z0-9])\s*>?\s*->)"
)
_INTO = re.compile(r"(?:\b(?:to|into|in)\s+|->\s*)" + _STATE.format("to"))
_AT = re.compile(
    r"\b(?:rates?|coefficients?|constants?)\b\s*(?:of|is|=|:|at|"
    r"with)?\s*(?:[A-Za-z]\w*(?:_\{?\w+\}?)?\s*=\s*)?(?=[-+.\d]|[A-Za-z]\w*_)|(?<![\w.])(?=\d*\.?\d+\s*(?:per|"
    r"/|1/)\s*\w)"
)
_LOSSY = re.compile(
    r"\b(?:decay\w*|relax\w*|dissipat\w*|damp\w*|bath|spontaneous|emi(?:ssion|ts?|tted)|dephas\w*|loss\w*|lossy|"
    r"lindblad|open system|decoher\w*|life-?\s?times?|cascad\w*|leak\w*|coherence times?|linewidths?|"
    r"(?<!Rabi )(?<!sampling )(?<!frame )rates?)\b",
    re.I,
)
_NO_LOSS = re.compile(
    (
        r"\b(?:no|without|neglect\w*|ignor\w*|free of|un)[- ]?(?:any )?(?:dissipation|damp\w*|decay|loss\w*|"
        r"dephasing|bath|relaxation|decoherence)"
    ),
    re.I,
)


@dataclass(frozen=True, slots=True)
class Damping:
    """Collapse operators with the roots of their rates."""

    operators: tuple[Operator, ...]
    assumed: tuple[str, ...] = ()


def damping(body: Body, names: Mapping[str, float], made: Generator, symbols: Symbols) -> Damping | Question | Unread:
    """All collapse operators; none for a closed system."""
    unread = untold(body, names, made.system, symbols)
    if unread:
        return Question(text=f"Which levels decay into which, and at which rates, in '{unread[:160]}'?")
    master = dissipators(body, names, symbols)
    if isinstance(master, Question):
        return master
    written = [one for terms, place in master for one in _each(terms, made.system, body.text[place : place + 40])]
    written = written or _written(body, names, made.system, symbols.spans)
    told = [operator(terms, made.system) for terms in written]
    told += _unwritten(body, names, made.system, symbols, written) if written else []
    found: list[Operator] = []
    assumed: list[str] = []
    times = _times(body, names, made.system)
    if isinstance(times, Question):
        return times
    for part in (
        times,
        ([], []) if written else _transitions(body, names, made.system, symbols),
        _rates(body, names, made.system, symbols, bool(times[0])) if not master else ([], []),
    ):
        if isinstance(part, Question):
            return part
        found += part[0]
        assumed += part[1]
    if told:  # beside what is written out counts what acts elsewhere or otherwise
        have = {what for one in told for what in _acts(one)}
        found = [one for one in found if not _acts(one) & have and made.system.dims[0] < 3]
        return Damping((*told, *found), tuple(assumed) if found else ())
    if not found and any(_LOSSY.search(_NO_LOSS.sub("", one.text)) for one in body.sentences):
        return Question(text="Which collapse operators does the system have, and with which rates?")
    return Damping(tuple(found), tuple(assumed))


_CLASSES = {"M": "decay", "P": "decay", "a": "loss", "adag": "loss", "Z": "dephasing"}


def _acts(one: Operator) -> set[tuple[str, int]]:
    """What a collapse operator does, and on which subsystem."""
    found = set()
    for term in one.terms:
        for factor in term.factors:
            ket, _, bra = factor.op.strip("|").partition("><")
            what = _CLASSES.get(factor.op) or ("dephasing" if bra and ket == bra else "decay")
            found.add((what, factor.site))
    return found


def _unwritten(
    body: Body, names: Mapping[str, float], system: System, symbols: Symbols, written: list[list[Term]]
) -> list[Operator]:
    """Jumps told in words beside collapse operators that are written out, where these do not have them already."""
    have = {factor.op for terms in written for term in terms for factor in term.factors}
    told = told_jumps(body, names, system, symbols)
    return [_between(one, system) for one in told if f"|{one.target}><{one.source}|" not in have]


def _between(jump: Jump, system: System) -> Operator:
    return operator([Term(math.sqrt(jump.rate), (Factor(f"|{jump.target}><{jump.source}|"),))], system)


def _written(body: Body, names: Mapping[str, float], system: System, spans: list[tuple[int, int]]) -> list[list[Term]]:
    text, oscillator = body.text, has_oscillator(body.text)
    found: list[list[Term]] = []
    last = 0
    starts = list(_WRITTEN.finditer(text))
    if _JUMPS.search(text):  # every root with an operator behind it
        starts = sorted([*starts, *_ROOT.finditer(text)], key=lambda one: one.end())
    for match in starts:
        if match.start() < last:
            continue
        place = match.end()
        while True:
            made = expression_at(text, place, names, oscillator)
            if made is None or not any(one.factors for one in made.terms):
                break
            found += _each(list(made.terms), system, text[made.end : made.end + 40])
            last = made.end
            spans.append((place, made.end))
            following = _NEXT.match(text, made.end)
            if following is None:
                break
            place = following.end()
    return found


def _each(terms: list[Term], system: System, after: str) -> list[list[Term]]:
    """One operator, or one for each qubit where the text says so or the operator bears a running index."""
    running = any(isinstance(f.site, str) and re.fullmatch(r"[ijk]", f.site) for one in terms for f in one.factors)
    bare = all(f.site is None for one in terms for f in one.factors) and len(system.qubits) > 1
    if not running and not (bare and re.match(r"[^.;]{0,12}\b(?:on|for|of|to) (?:each|every|both|all)", after)):
        return [terms]
    return [
        [Term(one.coefficient, tuple(Factor(f.op, site) for f in one.factors), len(system.dims)) for one in terms]
        for site in system.qubits
    ]


def _jump(rate: float, op: str, site: int, system: System) -> Operator:
    """sqrt(rate) times an elementary operator; M lowers the excited level, whichever it is."""
    return operator([Term(math.sqrt(rate), (Factor(op, site),), len(system.dims))], system)


def _times(body: Body, names: Mapping[str, float], system: System) -> tuple[list[Operator], list[str]] | Question:
    """T1 and T2 (or T2*, Tphi) of every qubit; a name with an index is that of one qubit."""
    made: list[Operator] = []
    told: list[str] = []
    for order, site in enumerate(system.qubits):

        def of(*stems: str, order: int = order) -> float | None:
            own = len(system.qubits) > 1
            keys = [
                f"{stem}{suffix}"
                for stem in stems
                for suffix in (chr(ord("A") + order), str(order + (f"{stem}0" not in names)), "")
                if own or not suffix
            ]
            return next((names[name] for name in keys if name in names), None)

        t1, t2, pure = of("T1"), of("T2", "T2star"), of("Tphi")
        if t1 is not None:
            if t1 <= 0:
                return Question(text=f"T1 must be positive, but is {t1:g}. Which value is meant?")
            made.append(_jump(1 / t1, "M", site, system))
        if t2 is not None and pure is None:
            rate = 1 / t2 - (0.5 / t1 if t1 else 0.0)
            if rate < -1e-12:
                return Question(
                    text=(
                        f"T2 = {t2:g} is longer than 2 T1 = {2 * (t1 or 0):g}, which no process allows. Which of "
                        f"the two is meant otherwise?"
                    )
                )
            if rate > 1e-12:
                made.append(_jump(rate / 2, "Z", site, system))
            told.append(
                "T2 is the decay time of the coherence: pure dephasing makes up the rate 1/T2 - 1/(2 T1), by "
                "the collapse operator sqrt(rate/2) Z."
            )
        if pure is not None:
            made.append(_jump(0.5 / pure, "Z", site, system))
            told.append("T_phi is the time of pure dephasing, collapse operator sqrt(1/(2 T_phi)) Z.")
    return made, told


def _transitions(
    body: Body, names: Mapping[str, float], system: System, symbols: Symbols
) -> tuple[list[Operator], list[str]]:
    """Jumps between levels; a source may stand once for several."""
    told = [_between(one, system) for one in told_jumps(body, names, system, symbols)]
    if told or len(system.dims) != 1:
        return told, []
    made: list[Operator] = []
    source = ""
    for sentence in body.sentences:
        if sentence.is_heading or not re.search(
            r"decay|relax|emi[ts]|radiat|rate|falls|drops|goes over|lost|loses", sentence.text, re.I
        ):
            continue
        found, source = _jumps(sentence.text, source, system, symbols)
        made += found
    return made, []


def _jumps(text: str, source: str, system: System, symbols: Symbols) -> tuple[list[Operator], str]:
    """The jumps of a sentence: each target with the rate that stands nearest to it, in the order of the text."""
    marks: list[tuple[int, str, str | float]] = []
    for match in _FROM.finditer(text):
        name = next((match[g] for g in "abcd" if match[g]), "")
        if name in system.levels:
            marks.append((match.start(), "from", name))
    for match in _INTO.finditer(text):
        if match["to"] in system.levels:
            marks.append((match.start(), "to", match["to"]))
    last = -1
    for match in _AT.finditer(text):
        numbers = numbers_at(text, match.end())
        values = value_of(numbers, "gamma", symbols, rate=True) if numbers and match.end() > last else None
        if numbers and values and len(values) == 1:
            marks.append((match.end(), "rate", values[0]))
            last = numbers.end
    made: list[Operator] = []
    target: str | None = None
    rate: float | None = None
    for _, what, value in sorted(marks, key=lambda one: one[0]):
        if what == "from":
            source = str(value)
        elif what == "to":
            target = str(value)
        else:
            rate = float(value)
        if target is not None and rate is not None and source and source != target:
            made.append(operator([Term(math.sqrt(rate), (Factor(f"|{target}><{source}|"),))], system))
            target = rate = None
    return made, source


def _rates(
    body: Body, names: Mapping[str, float], system: System, symbols: Symbols, have_times: bool
) -> tuple[list[Operator], list[str]] | Question:
    """Decay, dephasing, thermal and cavity rates in words."""
    occupation = occupation_of(body, names, symbols.kelvins)
    if isinstance(occupation, Question):
        return occupation
    found = spoken_rates(body, names, symbols, bool(system.qubits), bool(system.oscillators))
    if isinstance(found, Question):
        return found
    made, told = list[Operator](), list[str]()
    symbols.taken += [*(one.rate for one in found), occupation]
    if not found and system.oscillators and not system.qubits and (lifetime := names.get("T1")):
        found = [SpokenRate(1 / lifetime, False, True, "", 0)]
    if have_times:
        found = [one for one in found if one.oscillator]
        if occupation > 0 and not found:
            if _COLD_T1.search(body.text):
                return _warmed(names, system, occupation)
            return Question(
                text="The task gives T1 and a thermal bath. Is 1/T1 the total rate gamma (2 n + 1), or gamma itself?",
                options=["total rate", "gamma itself"],
            )
    for one in found:
        sites = system.oscillators if one.oscillator else _owners(one, system)
        for site in sites:
            if one.dephasing:
                made.append(_jump(one.rate / 2, "Z", site, system))
                continue
            down, up = ("a", "adag") if one.oscillator else ("M", "P")
            made.append(_jump(one.rate * (occupation + 1), down, site, system))
            if occupation > 0:
                made.append(_jump(one.rate * occupation, up, site, system))
        if len(sites) > 1:
            told.append("Each qubit has its own bath with the same rate.")
    if any(one.dephasing for one in found):
        told.append("A dephasing rate is the rate at which the coherence decays: collapse operator sqrt(rate/2) Z.")
    if made and occupation > 0:
        told.append(f"The bath holds n = {occupation:.6g} quanta: rate gamma (n + 1) down and gamma n up.")
    return [one for one in made if any(any(term.coefficient) for term in one.terms)], told


_COLD_T1 = re.compile(
    r"gamma\w*\s*=\s*1\s*/\s*T_?1|T_?1\s*=\s*1\s*/\s*gamma|\bT_?1\b[^.;\n]{0,30}"
    r"\b(?:at|for) (?:zero temperature|T = 0)|"
    r"\bzero-temperature (?:T_?1|lifetime|relaxation time)|gamma\w*\s*\(\s*n\w*\s*\+\s*1\s*\)"
)


def _warmed(names: Mapping[str, float], system: System, occupation: float) -> tuple[list[Operator], list[str]]:
    """What a warm bath adds to 1/T1 where T1 is that at zero temperature: n times as much down, and as much up."""
    made = []
    for order, site in enumerate(system.qubits):
        t1 = names.get(f"T1{chr(ord('A') + order)}") or names.get("T1")
        if t1:
            made += [_jump(occupation / t1, op, site, system) for op in ("M", "P")]
    return made, [f"T1 is that of a cold bath; it holds n = {occupation:.6g} quanta: (n + 1)/T1 down and n/T1 up."]


def _owners(one: SpokenRate, system: System) -> list[int]:
    """The qubits that a rate belongs to: the named one, or all."""
    if one.owner in system.sites:
        return [system.sites[one.owner]]
    order = {"first": 0, "second": 1, "third": 2, "left": 0, "right": 1, "donor": 0, "acceptor": 1}.get(one.owner)
    return [system.qubits[order]] if order is not None and order < len(system.qubits) else system.qubits
