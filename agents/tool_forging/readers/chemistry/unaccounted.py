"""Words for quantities and conditions of chemistry that no part of a specification answers to: they refuse the task."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.chemistry.assembled import DELTA, EQUILIBRIUM, HEAT
from labwright.agents.tool_forging.readers.chemistry.conditions import ATMOSPHERE, ROOM, quantities
from labwright.agents.tool_forging.readers.chemistry.page import DENIED, Page, negated
from labwright.agents.tool_forging.readers.chemistry.wishes import ANGLES, BONDS, ROTATION, WAVES
from labwright.agents.tool_forging.readers.language.units import converted, kind
from labwright.tools.forge.families.chemistry.spec import ChemistrySpec

Answers = Callable[[ChemistrySpec], bool]


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the lexicon.

    Attributes:
        pattern: how it is written, case aside.
        answered: whether a specification gives it.
    """

    pattern: str
    answered: Answers


def _never(_: ChemistrySpec) -> bool:
    return False


def _wanted(*names: str) -> Answers:
    return lambda spec: bool(set(names) & set(spec.wanted))


def _thermal(spec: ChemistrySpec) -> bool:
    return spec.thermochemistry


def _together(spec: ChemistrySpec) -> bool:
    """Whether energies of several species are put together."""
    return bool(spec.reactions or spec.acids) or spec.strain_reference is not None


def _has_spin(multiplicity: int) -> Answers:
    """Whether states of that multiplicity are computed."""
    return lambda spec: spec.excited is not None or any(one.multiplicity == multiplicity for one in spec.species)


def _compared(spec: ChemistrySpec) -> bool:
    return _together(spec) or (spec.scan is not None and spec.scan.relative)


def _full_response(spec: ChemistrySpec) -> bool:
    return spec.excited is not None and not spec.excited.tamm_dancoff


BEYOND = (
    r"transition state|activation (?:energy|barrier)|reaction (?:barrier|path)|\bIRC\b|intrinsic "
    r"reaction coordinate|\bNMR\b|chemical shift|"
    r"infrared[- ]active|IR[- ]active|"
    r"(?:geometr\w+|structures?|minim(?:um|a)|vibrations?|frequenc\w+) (?:of|in|for) (?:the |its )?(?:first |"
    r"lowest |\w+ )?"
    r"(?:excited|S_?1\b|T_?1\b)|(?:optimi[sz]e|relax)\w* (?:the |its )?(?:first |lowest )?(?:excited|S_?1\b|T_?1\b)|"
    r"Franck[- ]Condon|Duschinsky|vibronic|Huang-Rhys|Herzberg|\bRaman\b|(?:IR|infrared) (?:intensit|spectr)|"
    r"polari[sz]abilit|natural (?:bond|population)|"
    r"\bNBO\b|L(?:ö|oe)wdin|Hirshfeld|"
    r"\bBader\b|\bESP\b|RESP charges|molecular dynamics|\bAIMD\b|spin-orbit|fluorescence|"
    r"phosphorescence|emission|conform(?:er|ational) (?:search|analysis)|"
    r"CASSCF|CASPT2|NEVPT2|EOM-CC|ADC\(2\)|excited[- ]state (?:geometr|optimi|gradient)|periodic|band "
    r"(?:gap|structure)|"
    r"ioni[sz]ation (?:energ|potential)|"
    r"interaction energ|"
    r"counterpoise|anharmonic|VPT2|isotope effect|redox|reduction potential|circular dichroism|\bECD\b|"
    r"docking|solubilit|logP|"
    r"scal(?:ed|ing) (?:factor|by)|\bscale\b[^.\n]{0,40}\bby\b|"
    r"level shift|relaxed scan|dihedral scan|torsion(?:al)? (?:scan|"
    r"profile)|complete basis set|extrapolat|\bGW\b|crystals?\b(?!\s+(?:structure|geometr|coordinates))"
)

# where a Gibbs energy changes its sign, or an equilibrium constant is one
SIGN = (
    r"chang\w+ (?:its |the )?sign|(?:cross|pass)(?:es|ing)? (?:through )?zero|cross-?over|"
    r"becomes? (?:negative|positive|favou?rable|spontan\w+)|vanish\w*|"
    r"turns (?:negative|positive)|inversion temperature|(?:(?:d|Delta)[ _]?G|K_?\{?(?:p|eq|c)?\}?)\s*=\s*[01]\b"
)

_RO = r"\bRO-?(?:HF|KS|DFT|B3LYP|PBE0?|MP2|CCSD)\b|restricted[- ]open[- ]shell"
_U = r"\bU-?(?:HF|KS|DFT|B3LYP|PBE0?|M06\S*)(?!\w)|(?:spin-)?unrestricted"

_LEXICON = (
    Term(_RO, lambda spec: all(one.multiplicity == 1 for one in spec.species)),
    Term(_U, lambda spec: spec.scan is None or any(one.multiplicity > 1 for one in spec.species)),
    Term(
        r"(?:in|with|under|impos\w+|constrain\w+|keeping|of) (?:the )?(?:C|D|S)_?\d[hvd]? symmetry|"
        r"symmetry[- ]constrain\w*",
        _never,
    ),
    Term(r"broken[- ]symmetry|diradical|biradical", _never),
    Term(BEYOND, lambda spec: spec.scan is not None),
    Term(
        r"bond orders?|electrostatic potential|force constants?",
        _never,
    ),
    Term(r"(?:spin|electron|charge)[- ]densit(?:y|ies)", lambda spec: spec.nucleus_density),
    Term(r"enthalp\w*", _thermal),
    Term(r"entrop\w*", _thermal),
    Term(r"zero[- ]point (?:vibrational )?energ\w+|\bZPE\b", _thermal),
    Term(r"\bGibbs\b|free (?:energ|enthalp)\w+", lambda spec: _thermal(spec) or spec.proton_free_energy is not None),
    Term(
        r"(?:reaction|isomeri[sz]ation|formation|combustion|hydrogenation) (?:free )?(?:energ|enthalp)\w+|"
        r"(?:energ\w+|enthalp\w+|heats?) of (?:the )?(?:reaction|isomeri[sz]ation|formation|combustion|hydrogenation)|"
        r"(?:exo|endo)(?:thermic|ergonic)\w*|equilibrium constants?",
        _together,
    ),
    Term(rf"{DELTA}[EGH]\b", _together),
    Term(
        r"differences?(?! (?:between|of|to|from) (?:the )?(?:method|functional|basis|level|HF|DFT|experiment))",
        lambda spec: bool(
            _together(spec)
            or spec.scan
            or len(spec.levels) > 1
            or spec.treatments
            or spec.excited
            or spec.active_spaces
        ),
    ),
    Term(r"(?:more|less|most|least) stable|stabler|relative (?:stabilit\w+|energ\w+)", _compared),
    Term(
        SIGN,
        lambda spec: bool(spec.reactions) and len(spec.at) > 1 and spec.frequencies,
    ),
    Term(r"triplets?\b|\bT_?1\b(?!\s*=)", _has_spin(3)),
    Term(r"(?<!closed-shell )singlets?\b", _has_spin(1)),
    Term(r"quartets?\b", _has_spin(4)),
    Term(r"adiabatic\w*|excited[- ]state (?:structure|geometr\w+|optimi\w+)", _never),
    Term(
        r"deviations?\b(?! standard)|mean absolute error|\bMAE\b|\bRMSD?\b|errors? in per ?cent|percentage error",
        _never,
    ),
    Term(r"(?:proton|hydride) affinit\w+", _together),
    Term(r"electron affinit\w+", lambda spec: bool(spec.inverted)),
    Term(r"(?:atomi[sz]ation|dissociation|binding) energ\w+", lambda spec: _together(spec) or spec.scan is not None),
    Term(HEAT, _thermal),
    Term(EQUILIBRIUM, lambda spec: spec.equilibrium and spec.frequencies),
    Term(r"rate constants?|partition functions?\b(?!\s*:)|half-?li(?:fe|ves)", _never),
    Term(r"isotop\w+|deuter\w+|\bD2O?\b|\bHDO?\b|\b(?:13|14)C\b|\b(?:15)N\b|\b18O\b|tritium|kinetic isotope", _never),
    Term(r"anharmonic\w*|Fermi resonance|overtones?|scal(?:ed|ing) (?:wave|freq)\w*", _never),
    Term(
        r"vertical(?:ly)? (?:ioni[sz]|detach|attach)\w*|\bBSSE\b|counterpoise|interaction energ\w+",
        _never,
    ),
    Term(r"natural (?:orbital|transition|bond)\w*|spin[- ]orbit\w*|relativistic|\bECP\b|core potentials?", _never),
    Term(ANGLES, _wanted("geometry")),
    Term(BONDS, lambda spec: spec.scan is not None or "geometry" in spec.wanted),
    Term(ROTATION, _wanted("geometry")),
    Term(WAVES, lambda spec: spec.frequencies),
    Term(r"infrared|\bRaman\b|\bIR (?:spectr|intensit|activ)\w+", _never),
    Term(
        r"wave ?lengths?|\bnanomet(?:er|re)s?\b|\bnm\b", lambda spec: spec.scan is not None or spec.excited is not None
    ),
    Term(r"dipole", _wanted("dipole")),
    Term(r"quadrupole\w*|(?:hyper)?polari[sz]abilit\w+", _never),
    Term(r"(?:Mulliken|partial|atomic) charges?", _wanted("mulliken_charges")),
    Term(r"(?:L(?:ö|oe)wdin|Hirshfeld|Bader|RESP|ESP|NBO|CHELPG?)\b", _never),
    Term(r"\bHOMO\b|\bLUMO\b|frontier orbitals?", _wanted("homo_lumo_gap", "orbital_energies")),
    Term(r"point[- ]groups?", _wanted("point_group")),
    Term(r"(?:ring|angle|torsional)[- ]strain\b|strain energ\w+", _together),
    Term(r"\bpK_?\{?a\b", lambda spec: bool(spec.acids)),
    Term(r"(?:activation|reaction|rotation(?:al)?|inversion|energy) barriers?|transition[- ]states?", _never),
    Term(r"ioni[sz]ation (?:energ|potential)\w*", _never),
    Term(r"fluorescence|phosphorescence|spin-orbit|\bNMR\b|chemical shifts?", _never),
    Term(r"oscillator strengths?", lambda spec: spec.excited is not None),
    Term(r"\bTD-?DFT\b|time-dependent (?:DFT|density)", lambda spec: spec.excited is not None),
    Term(r"excitation energ\w+", lambda spec: spec.excited is not None or bool(spec.active_spaces or spec.qse)),
    Term(
        r"(?:not|no|without)(?: the| using| use of)? (?:TDA\b|Tamm-?\s?Dancoff)|(?:full|complete) (?:TD-?DFT|Casida|"
        r"linear[- ]response)|\bCasida\b|\bRPA\b",
        _full_response,
    ),
    Term(
        r"spin contamination|<\s*S\^?2\s*>|\bS[- ]squared",
        lambda spec: any(one.multiplicity > 1 for one in spec.species),
    ),
    Term(
        r"(?:optimi[sz]e|optimi[sz]ed|relaxed|equilibrium|minimum-energy|ground-state) (?:the )?(?:geometr|structur|"
        r"molecul|coordinat)\w*|geometry optimi[sz]ation",
        lambda spec: spec.optimise,
    ),
)


def unaccounted(page: Page, spec: ChemistrySpec, others: str) -> Unread | None:
    """The words of the task that nothing of `spec` answers to, as a refusal; None if there are none.

    Args:
        others: pattern of words that tell that a sentence is another family's.
    """
    left: list[str] = []
    for line in re.split(r"\n|(?<=[.;!?])\s+", page.body):
        if not re.search(others, line, re.I):
            left += _of_lexicon(line, spec)
    if not spec.thermochemistry:  # a temperature changes nothing that is computed: it must not look as if it did
        left += [f"{one:g} K" for one in spec.at if abs(one - ROOM) > 0.5]
        left += [f"{spec.pressure:g} Pa"] if abs(spec.pressure / ATMOSPHERE - 1) > 0.001 else []
    if not spec.thermochemistry:
        left += _idle(page)
    left += _methods(page)
    left = list(dict.fromkeys(left))
    if not left:
        return None
    return Unread("; ".join(left), f"These words are not accounted for: {', '.join(left)}.", left)


# what a method of quantum chemistry looks like: what stands in none that was read is one that nobody knows
_METHOD = re.compile(
    r"(?<![A-Za-z])[\w*ωω-]*(?:LYP|PBE\w?|B97|M0[568]|M11|TPSS\w?|SCAN|HSE\d*|PW91|PWPB\w*|MP[2345]|CC[23]|"
    r"CCSDTQ?|CISD|QCISD|"
    r"PT2|DLPNO|DSD|2PLYP|MN1[25]|SOGGA|BMK|X3LYP|LC-\w+|G[34]MP2|xTB|AM1|PM[367]|DFTB)\w*(?![A-Za-z])"
)


def _methods(page: Page) -> list[str]:
    """Methods that the reader of levels has not read."""
    return [
        match[0]
        for match in _METHOD.finditer(page.body)
        if not any(start < match.end() and match.start() < end for start, end in page.spans)
        and not negated(page.body[page.body.rfind("\n", 0, match.start()) + 1 : match.start()])
    ]


def _idle(page: Page) -> list[str]:
    """Conditions that change nothing that is computed: it must not look as if they did."""
    found = []
    for one, start, end, _ in quantities(page):
        usual = {"temperature": ROOM, "pressure": ATMOSPHERE}.get(kind(one.unit))
        if usual is None:
            continue
        unit = "kelvin" if kind(one.unit) == "temperature" else "pascal"
        if any(abs(converted(value, one.unit, unit) / usual - 1) > 0.0017 for value in one.values({})):
            found.append(page.text[start:end].strip())
    return found


def _of_lexicon(line: str, spec: ChemistrySpec) -> list[str]:
    return [
        match[0]
        for term in _LEXICON
        if not term.answered(spec)
        for match in re.finditer(rf"(?<![\w-])(?:{term.pattern})\w*", line, re.I)
        if re.match(r"no|without", match[0], re.I)
        or not (negated(line[: match.start()]) or DENIED.match(line, match.end()))
    ]
