"""Collapse operators of a task: written out, or as T1, T2, decay rates, transitions, thermal baths."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.language.assignments import phrase
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.numbers import numbers_at
from labwright.agents.tool_forging.readers.language.operators import Factor, Term, expression_at
from labwright.agents.tool_forging.readers.open_system.generator import Generator, has_oscillator
from labwright.agents.tool_forging.readers.open_system.operators import System, operator
from labwright.agents.tool_forging.readers.open_system.symbols import Symbols, value_of
from labwright.tools.forge.families.open_system.spec import Operator

_WRITTEN = re.compile(
    r"(?<![A-Za-z|])(?:C|L|c|A)(?:_\{?\w{1,6}\}?|\d)?\s*=\s*|\b(?:collapse|jump|Lindblad) "
    r"operators?\s*(?:are|is|:|of|by|for \w+)?\s*(?:the\s+)?:?\s*(?!\s*[A-Za-z]\w*\s*=)(?=[-(\[]?\s*(?:sqrt|"
    r"sigma|\d|\||[a-zA-Z]\b))"
)
_NEXT = re.compile(
    r"\s*(?:,\s*and|,|and|;|as well as)\s+(?:(?:C|L)(?:_\{?\w+\}?|\d)?\s*=\s*)?(?:(?:the\s+)?(?:collapse|"
    r"jump) operator\s+)?(?:(?:by|with|through)\s+)?(?=sqrt|[A-Za-z\d(|])"
)


_JUMP = re.compile(
    r"\|?\b(?P<source>[a-z0-9])>?\s+(?:decays?|relaxes)\b|(?:from\s+(?:level\s+|"
    r"state\s+)?\|?(?P<from>\w)>?\s+)?to\s+(?:level\s+|state\s+)?\|?(?P<to>\w)>?"
    r"\s*(?:at|with|by)\s+(?:an?\s+|the\s+)?(?:decay\s+)?rate\s*(?:of\s+)?(?:[A-Za-z]\w*\s*=\s*)?"
)
_LOSSY = re.compile(
    r"\b(?:decay\w*|relax\w*|dissipat\w*|damp\w*|bath|spontaneous|emission|dephas\w*|loss\w*|lindblad|open system)\b",
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
    written = _written(body, names, made.system)
    if written:
        return Damping(tuple(operator(terms, made.system) for terms in written))
    found: list[Operator] = []
    assumed: list[str] = []
    times = _times(body, names, made.system)
    if isinstance(times, Question):
        return times
    for part in (
        times,
        _transitions(body, names, made.system, symbols),
        _rates(body, names, made.system, symbols, bool(times[0])),
    ):
        if isinstance(part, Question):
            return part
        found += part[0]
        assumed += part[1]
    if not found and any(_LOSSY.search(_NO_LOSS.sub("", one.text)) for one in body.sentences if not one.is_heading):
        return Question(text="Which collapse operators does the system have, and with which rates?")
    return Damping(tuple(found), tuple(assumed))


def _written(body: Body, names: Mapping[str, float], system: System) -> list[list[Term]]:
    text, oscillator = body.text, has_oscillator(body.text)
    found: list[list[Term]] = []
    last = 0
    for match in _WRITTEN.finditer(text):
        if match.start() < last:
            continue
        place = match.end()
        while True:
            made = expression_at(text, place, names, oscillator)
            if made is None or not any(one.factors for one in made.terms):
                break
            found += _each(list(made.terms), system, text[made.end : made.end + 40])
            last = made.end
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
            keys = [
                f"{stem}{suffix}"
                for stem in stems
                for suffix in ("", "ABCD"[order], str(order + 1), str(order))
                if suffix == "" or len(system.qubits) > 1
            ]
            return next((names[name] for name in keys if name in names), None)

        t1, t2, pure = of("T1"), of("T2", "T2star"), of("Tphi", "Tphi")
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
    """``decays from f to e at the rate 0.3 and from e to g at the rate 0.1``; a source may stand once for several."""
    made: list[Operator] = []
    if len(system.dims) != 1:
        return made, []
    for sentence in body.sentences:
        source = ""
        for match in _JUMP.finditer(sentence.text):
            source = match["source"] or match["from"] or source
            if not match["to"]:
                continue
            numbers = numbers_at(sentence.text, match.end())
            values = value_of(numbers, "gamma", symbols, rate=True) if numbers else None
            if values and source in system.levels and match["to"] in system.levels:
                jump = Factor(f"|{match['to']}><{source}|")
                made.append(operator([Term(math.sqrt(values[0]), (jump,))], system))
    return made, []


def _rates(
    body: Body, names: Mapping[str, float], system: System, symbols: Symbols, have_times: bool
) -> tuple[list[Operator], list[str]] | Question:
    """Decay, dephasing, thermal and cavity rates in words."""
    text, made, told = body.text, list[Operator](), list[str]()
    occupation = _occupation(body, names)
    if isinstance(occupation, Question):
        return occupation
    decay = _rate(
        text,
        names,
        symbols,
        (
            r"(?:(?:spontaneous[- ])?(?:emission|decay|relaxation|damping)(?:\s+(?:at|with)\s+(?:a|the))?\s+rate|"
            r"coupling rate|rate of (?:decay|relaxation|spontaneous emission|damping)|decays? (?:at|with) (?:a |"
            r"the )?rate|relaxes (?:at|with) (?:a |the )?rate|bath (?:at|with) (?:a |the )?rate|damped (?:at|"
            r"with) (?:a |the )?rate)"
        ),
        ("gamma", "Gamma", "gamma1", "Gamma1", "gamma0"),
    )
    dephasing = _rate(
        text,
        names,
        symbols,
        r"(?:pure[- ])?dephas\w+(?: (?:at|with) (?:a |the )?)?\s*rate",
        ("gammaphi", "Gammaphi", "gammad"),
    )
    cavity = _rate(text, names, symbols, r"(?:cavity|photon|resonator)[- ](?:decay|loss|damping)(?: rate)?", ("kappa",))
    lossy = re.search(r"\b(?:decay\w*|relax\w*|spontaneous|emission|damp\w*|dissipat\w*|thermal|bath|lossy)\b", text)
    for site in system.qubits:
        if (
            decay is not None
            and lossy
            and not (
                have_times
                or (system.oscillators and not re.search(r"atom|qubit (?:decay|relax)|emission|spontaneous", text))
            )
        ):
            made.append(_jump(decay * (occupation + 1), "M", site, system))
            if occupation > 0:
                made.append(_jump(decay * occupation, "P", site, system))
        if dephasing is not None and not have_times:
            made.append(_jump(dephasing / 2, "Z", site, system))
    if made and dephasing is not None and not have_times:
        told.append("A dephasing rate is the rate at which the coherence decays: collapse operator sqrt(rate/2) Z.")
    if made and occupation > 0:
        told.append(f"The bath holds n = {occupation:.6g} quanta: rate gamma (n + 1) down and gamma n up.")
    if have_times and occupation > 0:
        return Question(
            text=("The task gives T1 and a thermal bath. Is 1/T1 the total rate gamma (2 n + 1), or gamma itself?"),
            options=["total rate", "gamma itself"],
        )
    for site in system.oscillators:
        if cavity is not None:
            made.append(_jump(cavity * (occupation + 1), "a", site, system))
            if occupation > 0:
                made.append(_jump(cavity * occupation, "adag", site, system))
    if decay is not None and made and len(system.qubits) > 1 and decay > 0:
        told.append("Each qubit has its own bath with the same rate.")
    return made, told


def _rate(text: str, names: Mapping[str, float], symbols: Symbols, words: str, keys: tuple[str, ...]) -> float | None:
    found = phrase(text, words)
    if found:
        values = value_of(found[0], "gamma", symbols, rate=True)
        if values and len(values) == 1:
            return values[0]
    return next((names[name] for name in keys if name in names), None)


def _occupation(body: Body, names: Mapping[str, float]) -> float | Question:
    """Mean thermal occupation: given, or from a temperature and a frequency (k_B = hbar = 1)."""
    text = body.text
    if not re.search(
        r"\bthermal\b|\bbath\b|\btemperature\b|\bn_?th\b|\bnbar\b|\bn_bar\b|mean (?:photon|occupation)", text
    ):
        return 0.0
    for name in ("nth", "nbar", "nB", "n", "N"):
        if name in names:
            return names[name]
    spoken = phrase(
        text,
        r"(?:thermal|mean|average)(?: thermal)? (?:occupation|photon number|number of (?:photons|quanta))(?: number)?",
    )
    if spoken and not spoken[0].items[0].names:
        return spoken[0].values()[0]
    temperature = next((names[name] for name in ("T", "kT", "kBT", "kbT") if name in names), None)
    if temperature is not None and not re.search(r"\d\s*m?K\b", text):
        frequency = next(
            (names[name] for name in ("omega", "omega0", "omegaq", "Delta", "epsilon") if name in names), None
        )
        if frequency is None:
            return Question(text="At which frequency is the thermal occupation of the bath to be taken?")
        return 1 / math.expm1(abs(frequency) / temperature) if temperature > 0 else 0.0
    beta = names.get("beta")
    if beta is not None and "omega" in names:
        return 1 / math.expm1(beta * names["omega"])
    if re.search(r"zero temperature|T\s*=\s*0|vacuum|cold", text):
        return 0.0
    return Question(text="How many thermal quanta does the bath hold at the system's frequency?")
