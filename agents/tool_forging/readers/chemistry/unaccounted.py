"""Words for quantities and conditions of chemistry that no part of a specification answers to: they refuse the task."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.chemistry.page import Page
from labwright.tools.forge.families.chemistry.spec import ChemistrySpec

Answers = Callable[[ChemistrySpec], bool]

_NUMBER = r"(?<![\w.])(?P<number>[+-]?\d+(?:\.\d+)?)\s*"
_NEGATED = re.compile(
    r"\b(?:no|not|never|without|neglect\w*|ignor\w*|skip|omit|unnecessary|rather than|instead of|n't)\b[^.;:\n]{0,40}$",
    re.I,
)
_ROOM = 298.15  # K
_PASCAL = {"atm": 101325.0, "bar": 1e5, "mbar": 100.0, "kpa": 1e3, "hpa": 100.0, "pa": 1.0, "mpa": 1e6, "torr": 133.322}


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


def _full_response(spec: ChemistrySpec) -> bool:
    return spec.excited is not None and not spec.excited.tamm_dancoff


BEYOND = (
    r"transition state|activation (?:energy|barrier)|reaction (?:barrier|path)|\bIRC\b|intrinsic "
    r"reaction coordinate|\bNMR\b|chemical shift|"
    r"bond (?:length|angle|distance)s? (?:in|of|and|between|/)|(?:O-H|C-H|C-C|C=O|N-H) (?:bond )?(?:length|"
    r"distance)|bond angles?|dihedral angles?|\bwavelengths?\b|infrared[- ]active|IR[- ]active|"
    r"\bRaman\b|(?:IR|infrared) (?:intensit|spectr)|polari[sz]abilit|natural (?:bond|population)|"
    r"\bNBO\b|L(?:ö|oe)wdin|Hirshfeld|"
    r"\bBader\b|\bESP\b|RESP charges|molecular dynamics|\bAIMD\b|spin-orbit|fluorescence|"
    r"phosphorescence|emission|conform(?:er|ational) (?:search|analysis)|"
    r"CASSCF|CASPT2|NEVPT2|EOM-CC|ADC\(2\)|excited[- ]state (?:geometr|optimi|gradient)|periodic|band "
    r"(?:gap|structure)|"
    r"ioni[sz]ation (?:energ|potential)|electron affinit|proton affinit|atomi[sz]ation energ|"
    r"dissociation energ|interaction energ|binding energ|"
    r"counterpoise|anharmonic|VPT2|isotope effect|redox|reduction potential|circular dichroism|\bECD\b|"
    r"docking|solubilit|logP|"
    r"scal(?:ed|ing) (?:factor|by)|level shift|relaxed scan|dihedral scan|torsion(?:al)? (?:scan|"
    r"profile)|complete basis set|extrapolat|\bGW\b|crystal"
)

_LEXICON = (
    Term(BEYOND, lambda spec: spec.scan is not None),
    Term(
        r"bond orders?|electrostatic potential|stretch\w*|force constants?|rotational constants?|spin contamination",
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
    Term(r"heat capacit\w+|equilibrium constants?|rate constants?|partition functions?", _never),
    Term(
        r"(?:bond |dihedral |torsion(?:al)? |interbond |valence )?angles?(?!\s*strain)|dihedrals?|\btorsions?\b", _never
    ),
    Term(r"bond[- ](?:length|distance)s?|interatomic distances?", lambda spec: spec.scan is not None),
    Term(
        r"wave ?numbers?|normal[- ]modes?|(?:harmonic|vibrational|imaginary) (?:mode|frequenc)\w*|frequenc\w+|"
        r"\bvibration(?:s|al)?\b",
        lambda spec: spec.frequencies,
    ),
    Term(r"infrared|\bRaman\b|\bIR (?:spectr|intensit|activ)\w+", _never),
    Term(r"wave ?lengths?|\bnanomet(?:er|re)s?\b|\bnm\b", lambda spec: spec.scan is not None),
    Term(r"dipole", _wanted("dipole")),
    Term(r"quadrupole\w*|(?:hyper)?polari[sz]abilit\w+", _never),
    Term(r"(?:Mulliken|partial|atomic) charges?", _wanted("mulliken_charges")),
    Term(r"(?:L(?:ö|oe)wdin|Hirshfeld|Bader|RESP|ESP|NBO|CHELPG?)\b", _never),
    Term(r"\bHOMO\b|\bLUMO\b|frontier orbitals?", _wanted("homo_lumo_gap", "orbital_energies")),
    Term(r"point[- ]groups?", _wanted("point_group")),
    Term(r"(?:ring|angle|torsional)[- ]strain\b|strain energ\w+", _together),
    Term(r"\bpK_?\{?a\b", lambda spec: bool(spec.acids)),
    Term(r"(?:activation|reaction|rotation(?:al)?|inversion|energy) barriers?|transition[- ]states?", _never),
    Term(r"ioni[sz]ation (?:energ|potential)\w*|electron affinit\w+|proton affinit\w+", _never),
    Term(r"fluorescence|phosphorescence|spin-orbit|\bNMR\b|chemical shifts?", _never),
    Term(r"oscillator strengths?", lambda spec: spec.excited is not None),
    Term(r"excitation energ\w+|\bTD-?DFT\b|time-dependent (?:DFT|density)", lambda spec: spec.excited is not None),
    Term(
        r"(?:not|no|without)(?: the| using| use of)? (?:TDA\b|Tamm-?\s?Dancoff)|(?:full|complete) (?:TD-?DFT|Casida|"
        r"linear[- ]response)|\bCasida\b|\bRPA\b",
        _full_response,
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
            left += [*_of_lexicon(line, spec), *_temperatures(line, spec), *_pressures(line, spec)]
    left = list(dict.fromkeys(left))
    if not left:
        return None
    return Unread("; ".join(left), f"These words are not accounted for: {', '.join(left)}.")


def negated(before: str) -> bool:
    """Whether what follows these words is told not to be wanted."""
    return bool(_NEGATED.search(before))


def _of_lexicon(line: str, spec: ChemistrySpec) -> list[str]:
    return [
        match[0]
        for term in _LEXICON
        if not term.answered(spec)
        for match in re.finditer(rf"(?<![\w-])(?:{term.pattern})\w*", line, re.I)
        if re.match(r"no|without", match[0], re.I) or not negated(line[: match.start()])
    ]


def _temperatures(line: str, spec: ChemistrySpec) -> list[str]:
    """Temperatures that are not the specification's."""
    found = []
    for match in re.finditer(
        rf"{_NUMBER}(?P<unit>K\b(?!\s*cal)|kelvins?\b|(?:°|deg(?:ree)?s?\.?)\s*(?:C\b|celsius|centigrade|F\b|"
        r"fahrenheit)|(?:celsius|centigrade)\b|°F\b)",
        line,
        re.I,
    ):
        unit = match["unit"].lower()
        for value in [float(match["number"]), *_listed_before(line[: match.start()])]:
            kelvin = value if unit.startswith("k") else (value - 32) / 1.8 + 273.15 if "f" in unit else value + 273.15
            # a temperature without thermochemistry changes nothing that is computed: it must not look as if it did
            if abs(kelvin - (spec.temperature if spec.thermochemistry else _ROOM)) > 0.5:
                found.append(match[0] if value == float(match["number"]) else f"{value:g} {match['unit']}")
    return found


def _listed_before(text: str) -> list[float]:
    """Numbers of the list or range that ends with the one behind `text`: "300, 400 and" gives 300 and 400."""
    listed = re.search(r"(?:(?<![\w.])\d+(?:\.\d+)?\s*(?:,\s*(?:and|or)?|and|or|to|/|-)\s*)+$", text)
    return [float(one) for one in re.findall(r"\d+(?:\.\d+)?", listed[0])] if listed else []


def _pressures(line: str, spec: ChemistrySpec) -> list[str]:
    """Pressures that are not the specification's."""
    return [
        f"{value:g} {match['unit']}"
        for match in re.finditer(rf"{_NUMBER}(?P<unit>atm|m?bar|[hkM]?Pa|torr)\b", line)
        for value in [float(match["number"]), *_listed_before(line[: match.start()])]
        if abs(value * _PASCAL[match["unit"].lower()] / spec.pressure - 1) > 0.001
    ]
