"""What is wanted of each molecule: properties, structures, figures, and whether geometries move."""

from __future__ import annotations

import re

from labwright.agents.tool_forging.readers.chemistry.page import Page
from labwright.tools.forge.families.chemistry.spec import Species, Wanted

BONDS = (
    r"(?:bond|interatomic|internuclear|equilibrium)[- ](?:bond[- ])?(?:length|distance|separation)s?|bondlengths?|"
    r"\b[rR](?:_?\{?e\}?)?\s?\(\s*[A-Z][a-z]?\s?[-=#]?\s?[A-Z][a-z]?\s*\)|\br_?e\b|"
    r"\b[A-Z][a-z]?\s?[-=#]\s?[A-Z][a-z]?[- ](?:bond |equilibrium )?(?:length|distance|separation|bond)s?"
)
ANGLES = (
    r"(?:bond |dihedral |torsion(?:al)? |interbond |valence |twist )?angles?(?!\s*strain)|dihedrals?|\btorsions?\b|"
    r"internal coordinates|structural parameters|geometrical parameters|geometry parameters|pyramidali[sz]\w+"
)
ROTATION = r"rotational constants?|moments? of inertia"
STRUCTURE = rf"{BONDS}|{ANGLES}|{ROTATION}"
WAVES = (
    r"(?:stretch|bend|wagg?|vibrat|umbrella)\w*[- ](?:\w+[- ])?(?:wave ?numbers?|frequenc\w+|modes?)|wave ?numbers?|"
    r"normal[- ]modes?|(?:harmonic|vibrational|imaginary|fundamental) (?:mode|frequenc|wave)\w*|frequenc\w+|"
    r"\bvibration(?:s|al)?\b|\bhessian\b|force field"
)
_PROPERTIES: dict[Wanted, str] = {
    "coordinates": r"coordinates|geometr|structure",
    "geometry": STRUCTURE,
    "point_group": r"point group|symmetry group",
    "dipole": r"dipole",
    "orbital_energies": r"orbital energ|MO energ|molecular orbitals?|orbital analysis|HOMO and LUMO energ",
    "homo_lumo_gap": r"HOMO|\bgap\b",
    "mulliken_charges": r"Mulliken|atomic charges|partial charges",
    "frequencies": rf"{WAVES}|imaginary",
}
# what a figure may show -> records that it is drawn from
_DRAWN: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"enthalp|\b(?:d|[Dd]elta[ _]?)_?\{?r?\}?\s?H\b", ("enthalpy",)),
    (r"gibbs|free energ|\b(?:d|[Dd]elta[ _]?)_?\{?r?\}?\s?G\b|\bG\(", ("gibbs",)),
    (r"entrop", ("entropy",)),
    (r"heat capacit|\bC_?p\b", ("heat_capacity",)),
    (r"zero[- ]point|\bZPE\b", ("zero_point_energy",)),
    (r"dipole", ("dipole",)),
    (r"gap", ("homo_lumo_gap", "singlet_triplet_gap")),
    (r"orbital|HOMO", ("orbital_energies",)),
    (r"charges?\b", ("mulliken_charges",)),
    (rf"{WAVES}", ("frequencies",)),
    (BONDS, ("bond_length",)),
    (ANGLES, ("bond_angle", "dihedral_angle")),
    (
        r"excitation|oscillator|spectr|states?\b|transition|wave ?length|S1|T1",
        ("excitation_energy", "oscillator_strength"),
    ),
    (r"\benerg", ("energy",)),
)
_PLOT = (
    r"\bplot|\bfigure|\bgraph\b|\bbar (?:chart|plot|graph|diagram)|\bbars\b|"
    r"\bcolumn (?:chart|plot|graph|diagram)|\bcharts?\b|"
    r"\bdiagram|\bdraw|\bvisuali[sz]|\bcurves?\b"
)
BARS = r"\bbar (?:chart|plot|graph|diagram)|\bbars\b|column (?:chart|plot|graph|diagram)|histogram"


def wanted(page: Page, thermal: bool) -> tuple[Wanted, ...]:
    """Properties of each molecule, the energy always among them."""
    found: list[Wanted] = ["energy"]
    found += [name for name, pattern in _PROPERTIES.items() if page.asks(pattern) or page.wants(name)]
    if re.search(r"\bmu\b|(?:\bmu|μ|µ)\b[^.\n]{0,12}\b(?:debye|D)\b|\bdebye\b", page.body) and "dipole" not in found:
        found.append("dipole")
    if thermal:
        found += ["enthalpy", "gibbs"]
    if page.says(
        r"(?:image|picture|visuali[sz]ation|rendering) of (?:the|each|every|all) (?:optimi[sz]ed |final "
        r")?(?:structure|molecule|geometr)|structure image|draw the (?:structure|molecule)"
    ):
        found.append("image")
    if page.says(
        r"(?:draw|plot|visuali[sz]\w*|contours?|pictures?|images?|isosurface|figures?)[^.\n]*orbital(?! energ)|"
        r"orbital(?! energ)[^.\n]*(?:contour|picture|image|plot)|"
        r"(?:draw|plot|show|pictures?|images?|visuali[sz]\w*)[^.\n]*\b(?:HOMO|LUMO)s?\b(?![^.\n]*(?:energ|gap|level))"
    ):
        found.append("orbitals")
    return tuple(dict.fromkeys(found))


def figures(page: Page) -> bool:
    """Whether numbers are to be drawn."""
    return bool(page.says(_PLOT) or page.asks(r"(?:stick|absorption|UV|vis\w*|electronic) ?-?(?:vis )?spectr\w+"))


def drawn(page: Page) -> tuple[str, ...]:
    """Quantities of the sentences that speak of figures; those of the whole text where these name none."""
    lines = [one for one in re.split(r"\n|(?<=[.;!?])\s+", page.body) if re.search(_PLOT, one, re.I)]
    for text in (" ".join(lines), page.body):
        found = [name for pattern, names in _DRAWN if re.search(pattern, text, re.I) for name in names]
        if len(found) > 1 and not re.search(r"total energ|electronic energ", text, re.I):
            found = [one for one in found if one != "energy"]
        if found:
            return tuple(dict.fromkeys(found))
    return ("energy",)


_NEVER = (
    r"not (?:be )?(?:optimi[sz]|relax)ed?(?! structures)|(?:do not|don't|never|without) (?:optimi[sz]|relax|"
    r"touch|chang|mov)\w*|"
    r"(?:un|not |non-)(?:optimi[sz]|relax)ed|(?:exactly )?as (?:it|they) (?:stands?|is|are)\b|as given|"
    r"(?:without|no) (?:any |further )?(?:geometry )?(?:optimi[sz]|relax)|nothing (?:is |has |"
    r"needs )?(?:to be )?(?:optimi[sz]|relax)|"
    r"(?:fixed|frozen|rigid|unchanged|clamped|untouched) (?:nuclear |molecular )?(?:geometr\w+|structures?|"
    r"nucle\w+|coordinates|bond lengths?)|"
    r"(?:geometr\w+|structures?|coordinates|nuclei|positions|atoms|bond lengths?|distances?) (?:\w+ ){0,3}"
    r"(?:is|are|be|stays?|remains?|kept|held|left|untouched|unchanged)? ?(?:fixed|frozen|untouched|unchanged|"
    r"unmodified|clamped|rigid|alone|as )|"
    r"(?:frozen|fixed|clamped) (?:in|at|to) (?:the|its|this|that|their)\b|"
    r"(?:keep|leave|take|use|freeze|fix|hold) (?:them|it|these|this|those|the (?:geometr\w+|structures?|"
    r"coordinates|positions|nuclei))"
    r"(?: \w+){0,3}? ?(?:fixed|frozen|untouched|unchanged|alone|as (?:it|they|given|is)|(?=[.;,)\n]))"
)


def optimises(page: Page, species: list[Species], frequencies: bool) -> bool:
    """Whether geometries are optimised: as the text says, and always where it gives no structure."""
    never = page.says(_NEVER)
    if (
        never
        and any(one.smiles for one in species)
        and page.asks(rf"(?:{_MOVES})\w* (?:all|each|every|both|the|it|them)\b")
    ):
        never = None  # "optimise each; ... on those geometries, kept fixed"
    if never and not re.search(r"hydride|H-", page.body[max(0, never.start() - 60) : never.end() + 30], re.I):
        return False
    at_minimum = page.says(r"(?:equilibrium|minimum-energy|energy[- ]minimum) (?:geometr|structure)|\bminimum\b")
    given = page.says(
        r"(?:given|supplied|provided|attached|following|above|below|this|that) (?:\w+ )?(?:geometr|structure)|"
        r"single[- ]point"
    )
    if page.asks(rf"(?<![\w-])(?:{_MOVES})|relaxed (?:geometr|structure)") or (at_minimum and not given):
        return True
    atoms = all(re.fullmatch(r"[A-Z][a-z]?", one.formula) for one in species)
    if frequencies and not atoms:
        page.assume(
            "Frequencies are asked for, which mean something at a minimum only: geometries are optimised first."
        )
        return True
    if not atoms and any(one.smiles for one in species):
        page.assume("The text gives no structures: they start from the SMILES and are optimised.")
        return True
    return False


_MOVES = (
    r"(?:re-?)?optimi[sz](?!ation of the orbital)|relax(?!ation effect)|minimi[sz]e the (?:geometr|structure|energy)"
)
