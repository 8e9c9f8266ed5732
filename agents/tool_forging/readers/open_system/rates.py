"""Rates of decay, loss and dephasing in words, whose they are, and how warm the bath is."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from scipy.constants import hbar, k

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.language.assignments import phrase
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.numbers import Numbers, numbers_at
from labwright.agents.tool_forging.readers.language.scalars import key
from labwright.agents.tool_forging.readers.language.units import angular, kind
from labwright.agents.tool_forging.readers.open_system.symbols import Symbols, value_of

_DEPHASES = re.compile(r"\bdephas\w*|\bphase (?:noise|damping|loss|errors?)|\bloses? (?:its |their )?phase", re.I)
_DECAYS = re.compile(
    r"\b(?:decay\w*|relax\w*|emission|emits?|emitting|spontaneous\w*|loss\w*|lose[sd]?|losing|leak\w*|damp\w*|"
    r"escap\w*|radiat\w*|dissipat\w*|kappa|gamma|Gamma|bath|reservoir|lifetime|"
    r"linewidth|coefficient)\b"
)
_CAVITY = re.compile(r"\b(?:cavit\w+|resonators?|oscillators?|photons?|modes?|field|mirrors?|kappa)\b", re.I)
_QUBIT = re.compile(
    r"\b(?:qubits?|atoms?|atomic|emitters?|spins?|two-level|transmons?|ions?|molecules?|dots?|systems?)(?:'s)?\b", re.I
)
_WHICH = re.compile(
    r"\b(?:(?:qubit|atom|spin|emitter|ion)\s+(?P<name>[A-Z]|\d)|(?P<order>first|second|third|left|right|donor|"
    r"acceptor))\b"
)
_NUMBER = r"(?=[-+]?\s*(?:\d|\.\d)|\(?\d|[A-Za-z]\w*(?:_\{?\w+\}?)?\s*(?:/|\*)\s*\d)"
# where the number of a rate stands: behind "rate (of) gamma =", behind a symbol, in front of "per ns"
_RATE = re.compile(
    r"(?:\b(?:rates?|coefficients?|constants?|strengths?|linewidths?)\b\s*(?:\([^()\d]*\)\s*)?(?:of|is|are|=|:|"
    r"at|being|equal to|amounts? to)*\s*(?:(?P<symbol>[A-Za-z]\w*(?:_\{?\w+\}?)?)\s*(?:=|of|is|:)\s*)?"
    r"|\b(?P<named>kappa|gamma|Gamma)(?:_\{?\w+\}?|\d)?\s*(?:=|of|is|:)\s*)" + _NUMBER
)
_PER_TIME = re.compile(
    r"(?<![\w./])(?=(?:\d+\s*/\s*)?\d*\.?\d+(?:e-?\d+)?\s*(?:/|1/|per\s+)\s*(?:[fpnum]?s|microsecond|nanosecond|picosecond|"
    r"femtosecond|second)\b)"
)


@dataclass(frozen=True, slots=True)
class SpokenRate:
    """A rate of the text, in the task's units.

    Attributes:
        oscillator: whether an oscillator loses quanta at it; else qubits decay or dephase.
        owner: the qubit that is named, as written; empty for all.
        start: where its number stands in the cleaned text.
    """

    rate: float
    dephasing: bool
    oscillator: bool
    owner: str
    start: int


def spoken_rates(
    body: Body, names: Mapping[str, float], symbols: Symbols, qubits: bool, oscillators: bool
) -> list[SpokenRate] | Question:
    """Every rate once, clause by clause; symbols such as gamma and kappa count where no clause has used them."""
    found: list[SpokenRate] = []
    last = False, False, 0  # of the clause before: whether it tells a rate, of dephasing, and where it ends
    for start, clause in _clauses(body):
        dephasing = bool(_DEPHASES.search(clause))
        tells = dephasing or bool(_DECAYS.search(clause))
        if not tells and last[0] and start - last[2] < 3 and _AS_WELL.match(clause):
            tells, dephasing = True, last[1]  # "..., the second with 0.2 per ns"
        last = tells, dephasing, start + len(clause)
        if not tells:
            continue
        for place, value in _values(clause, symbols):
            cavity = _is_cavity(clause, place, qubits, oscillators)
            if cavity is None:
                return Question(
                    text=f"Whose rate is {value:g}: of the atom or qubit, or of the cavity?",
                    options=["qubit", "cavity"],
                )
            which = _WHICH.search(clause)
            owner = (which["name"] or which["order"]) if which else ""
            found.append(SpokenRate(value, dephasing and not cavity, cavity, owner, start + place))
    return _once([*found, *_by_symbol(body, names, found, qubits, oscillators)])


_AS_WELL = re.compile(
    r"\W*(?:and\s+|while\s+|whereas\s+)?(?:the\s+)?(?:second|third|other|right|(?:qubit|atom|spin|emitter)\s+\w|[B-D])\b"
    r"(?!.*\b(?:coupl|Rabi|detun|frequenc))"
)


def _once(found: Iterable[SpokenRate]) -> list[SpokenRate]:
    """Each rate once, however often the text repeats it."""
    kept: dict[tuple[float, bool, bool, str], SpokenRate] = {}
    for one in found:
        same = (round(one.rate, 12), one.dephasing, one.oscillator, one.owner)
        if not (one.owner == "" and any(k[:3] == same[:3] for k in kept)):
            kept.setdefault(same, one)
    return list(kept.values())


def _clauses(body: Body) -> Iterable[tuple[int, str]]:
    """Sentences cut where another number's clause begins: behind semicolons and commas, before "and" and "while"."""
    for sentence in body.sentences:
        if sentence.is_heading:
            continue
        place = 0
        for cut in [
            *re.finditer(
                (
                    r"[;]|,\s+(?=(?:and|while|whereas|but|with|the|each|its)\b)|\s(?=(?:and|while|"
                    r"whereas)\s+(?!(?:a |the )?(?:rate|mean|thermal|n\b)))"
                ),
                sentence.text,
            ),
            None,
        ]:
            end = cut.start() if cut else len(sentence.text)
            if re.search(r"\d|=", sentence.text[place:end]) or cut is None:
                yield sentence.start + place, sentence.text[place:end]
                place = end


def _values(clause: str, symbols: Symbols) -> list[tuple[int, float]]:
    made: list[tuple[int, float]] = []
    end = 0
    for match in sorted([*_RATE.finditer(clause), *_PER_TIME.finditer(clause)], key=lambda one: one.end()):
        if match.end() < end or re.search(
            r"(?:Rabi|detun\w*|coupl\w*|driv\w*)\W+(?:\w+\W+)?$", clause[: match.start()], re.I
        ):
            continue
        numbers = numbers_at(clause, match.end())
        if numbers is None or (
            numbers.unit and kind(numbers.unit) not in {"rate", "frequency", "angular", "energy", "wavenumber"}
        ):
            continue
        symbol = key(match.groupdict().get("symbol") or match.groupdict().get("named") or "")
        values = _swept(symbol, symbols) or value_of(_first(numbers), "gamma", symbols, rate=True)
        if values:
            made.append((match.end(), values[0]))
            end = numbers.end
    return made


def _first(numbers: Numbers) -> Numbers:
    return Numbers(numbers.items[:1], numbers.unit, numbers.start, numbers.end)


def _swept(symbol: str, symbols: Symbols) -> list[float] | None:
    """A symbol with several values is left to its name, which the sweep sets; its first value would be wrong."""
    return None if len(symbols.values.get(symbol, ())) < 2 else []


def _is_cavity(clause: str, place: int, qubits: bool, oscillators: bool) -> bool | None:
    """Whose a rate is: by the last word in front of it that says so, else the one behind, else what there is."""
    if not (qubits and oscillators):
        return oscillators
    marks = sorted(
        [(m.start(), True) for m in _CAVITY.finditer(clause)]
        + [(m.start(), False) for m in _QUBIT.finditer(clause) if not m[0].lower().startswith("system")]
    )
    before = [what for at, what in marks if at < place]
    behind = [what for at, what in marks if at >= place]
    return before[-1] if before else behind[0] if behind else None


def _by_symbol(
    body: Body, names: Mapping[str, float], found: list[SpokenRate], qubits: bool, oscillators: bool
) -> Iterable[SpokenRate]:
    """gamma, gamma_phi and kappa as the text sets them, where no clause has given that rate."""
    lossy = any(_DECAYS.search(one.text) or _DEPHASES.search(one.text) for one in body.sentences if not one.is_heading)
    wanted = (
        (("gamma", "Gamma", "gamma1", "Gamma1", "gamma0", "gammaminus"), False, False, qubits),
        (("gammaphi", "Gammaphi", "gammad", "gammaz", "gamma2"), True, False, qubits),
        (("kappa",), False, True, oscillators),
        (("kappa",), False, False, qubits and not oscillators),
    )
    for keys, dephasing, oscillator, possible in wanted:
        name = next((one for one in keys if one in names), None)
        if name is None or not possible or not lossy:
            continue
        value = names[name]
        if not any(math.isclose(one.rate, value, rel_tol=1e-9) for one in found):
            only = dephasing or (
                len(keys) > 1
                and not any(_DECAYS.search(s.text) and not _DEPHASES.search(s.text) for s in body.sentences)
                and bool(_DEPHASES.search(body.text))
            )
            yield SpokenRate(value, only, oscillator, "", 0)


def occupation_of(
    body: Body, names: Mapping[str, float], kelvins: Mapping[str, float] | None = None
) -> float | Question:
    """Mean thermal occupation: given, or from a temperature and a frequency (k_B = hbar = 1).

    Args:
        kelvins: symbols of temperatures -> one of their units in kelvin; `names` has their values in this case.
    """
    text = body.text
    told = next((names[name] for name in sorted(_NAMED_OCCUPATION) if name in names), None)
    if told is not None:
        return told
    warm = next((name for name in kelvins or () if name in names), None)
    if warm is not None and not _NAMED_OCCUPATION & names.keys():
        return _bose_at(body, names[warm] * (kelvins or {})[warm])
    if not re.search(
        r"\bthermal\b|\bbath\b|\btemperature\b|\bn_?th\b|\bnbar\b|\bn_bar\b|mean (?:photon|occupation)|reservoir|Bose",
        text,
        re.I,
    ) or (
        not re.search(r"\d\s*m?K\b", text)
        and re.search(
            (
                r"zero[- ]temperature (?:bath|environment|reservoir)|(?:^|[.;,]\s*)zero temperature\b|at zero "
                r"temperature|(?-i:\bT\s*=\s*0(?![.\d]))|(?:bath|reservoir|environment) (?:is )?(?:in (?:the|its) "
                r")?(?:vacuum|cold)|no thermal"
            ),
            text,
            re.I | re.M,
        )
    ):
        return 0.0
    for name in ("nth", "nbar", "nB", "nT", "n", "N"):
        if name in names:
            return names[name]
    spoken = phrase(
        text,
        r"(?:thermal|mean|average)(?: thermal)? (?:occupation|photon number|number of (?:thermal )?(?:photons|"
        r"quanta|excitations))(?: number)?|thermal (?:photons|quanta)",
    )
    if spoken and not spoken[0].items[0].names:
        return spoken[0].values()[0]
    physical = _bose(body)
    if physical is not None:
        return physical
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


_WARM = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)\s*-?(m?K|(?:milli)?kelvins?)\b")


_NAMED_OCCUPATION = frozenset({"nth", "nbar", "nB", "nT"})
_BODY_AT = re.compile(
    r"\b(?:resonator|cavity|oscillator|mode|qubit|transmon|atom|transition|resonance|frequency|splitting)\b[^.;\n]{0,30}?"
    r"(?:\bat|\bof|=|:|with|\bis|,)\s+(?=\d)",
    re.I,
)
_OMEGA = re.compile(r"\b(?:omega|nu|f|w)(?:_?\{?\w{1,3}\}?)?\s*(?:=|is|:|of)\s*(?=[-+\d(])")


def _frequency(body: Body) -> Numbers | None:
    """The frequency at which the bath is looked at: of the resonator or qubit, ordinary or angular as its unit says."""
    spoken = phrase(
        body.plain,
        (
            r"(?:qubit|transition|resonance|resonator|cavity|oscillator|mode|level|atomic)(?:'s)?[ -](?:angular "
            r")?(?:frequency|splitting|energy)|frequency|splitting"
        ),
    )
    if spoken and not spoken[0].items[0].names and kind(spoken[0].unit) in _FREQUENCIES:
        return spoken[0]
    for match in [*_BODY_AT.finditer(body.text), *_OMEGA.finditer(body.text)]:
        numbers = numbers_at(body.text, match.end())
        if numbers and kind(numbers.unit) in _FREQUENCIES and numbers.unit.startswith(("giga", "tera", "radian")):
            return numbers
    return None


_FREQUENCIES = ("frequency", "angular", "energy", "wavenumber")


def _bose(body: Body) -> float | Question | None:
    """The occupation from a temperature in kelvin and a frequency in hertz; None where the text gives no kelvin."""
    warm = _WARM.search(body.text)
    if warm is None:
        return None
    return _bose_at(body, float(warm[1]) * (1e-3 if warm[2].startswith("m") else 1.0))


def _bose_at(body: Body, kelvin: float) -> float | Question:
    """The occupation at a temperature."""
    if kelvin == 0:
        return 0.0
    frequency = _frequency(body)
    if frequency is None:
        return Question(text="At which frequency is the thermal occupation of the bath to be taken?")
    value = frequency.values()[0]
    if kind(frequency.unit) == "frequency" and any("pi" in item.text for item in frequency.items):
        value /= 2 * math.pi
    return 1 / math.expm1(hbar * angular(value, frequency.unit, "second") / (k * kelvin))


def used_for_occupation(body: Body) -> list[float]:
    """Temperature and frequency that an occupation was computed from."""
    warm, frequency = _WARM.search(body.text), _frequency(body)
    return [float(warm[1]), *frequency.values()] if warm and frequency else []


def place_of_frequency(body: Body) -> int:
    """Where the frequency stands that an occupation was computed from; -1 for none."""
    warm, frequency = _WARM.search(body.text), _frequency(body)
    return frequency.items[0].end - 1 if warm and frequency else -1
