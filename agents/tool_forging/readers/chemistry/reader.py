"""Puts together what a chemistry task says: words to a `ChemistrySpec`."""

from __future__ import annotations

import re

from labwright.agents.call import Question
from labwright.agents.tool_forging.demands import demands
from labwright.agents.tool_forging.readers.base import Reading, Span, TaskText, Unread
from labwright.agents.tool_forging.readers.chemistry import extras, reactions
from labwright.agents.tool_forging.readers.chemistry.levels import levels
from labwright.agents.tool_forging.readers.chemistry.page import Page, Stuck, ask
from labwright.agents.tool_forging.readers.chemistry.species import (
    Found,
    electrons_stated,
    find_species,
    species_of,
)
from labwright.agents.tool_forging.readers.chemistry.strange_names import unknown_names
from labwright.agents.tool_forging.readers.chemistry.unaccounted import BEYOND, negated, unaccounted
from labwright.agents.tool_forging.readers.language.references import reference_elsewhere
from labwright.tools.forge.families.chemistry.spec import Acid, ChemistrySpec, Level, Reaction, Species, Wanted

NAME = "chemistry"
_CHEMISTRY = (
    r"PySCF|Hartree[- ]Fock|\bDFT\b|B3LYP|\bPBE0?\b|def2-|\bSTO-3G|cc-pV|6-31|\bpK_?\{?a\b|HOMO|"
    r"Mulliken|geometry optimi|"
    r"optimi[sz]e the (?:geometr|structure)|electron density|dipole moment|reaction (?:enthalp|energ)|ring[- ]strain|"
    r"oscillator strength|\.xyz\b|vibrational|harmonic frequenc|coupled[- ]cluster|CCSD|full configuration interaction"
)
# Qubits and open systems are other readers'; a molecule that is only a Hamiltonian there is theirs, too.
_OTHERS = (
    r"\bVQE\b|variational quantum|qubit|quantum (?:circuit|algorithm|subspace|computer)|\bQSE\b|"
    r"subspace expansion|CUDA-?Q|qiskit|"
    r"qutip|lindblad|two-level|hamiltonian|coherence|T1 =|UCC|tequila|pennylane|jordan-wigner|population"
)
_QSE = r"subspace expansion|\bQSE\b"
_MINE = (
    r"geometr|structure|optimi[sz]|coordinates|energ|enthalp|gibbs|free energ|entrop|thermochem|point "
r"group|symmetr|dipole|orbital|HOMO|LUMO|gap|"
    r"Mulliken|charge|multiplicit|frequenc|vibrat|imaginary|minim|hessian|displace|stable|image|picture|SMILES|xyz|"
    r"reaction|R-H|hydride|cation|anion|acid|base|pK|proton|solv|C-?PCM|SMD|ring|strain|cyclo|RSE|"
r"isodesmic|TD-?DFT|singlet|triplet|excit|"
    r"\bS1\b|\bT1\b|oscillator|absorption|active space|CASCI|Hartree|B3LYP|DFT|basis|PySCF|def2|"
r"electron density|nucleus|nuclei|bond|"
    r"bar (?:diagram|chart|plot)|diagram|display|the four values|scan|FCI|MP2|CCSD|G\(|\bplot (?:them|it|both|"
    r"all|the curves|the results)|table|text file|"
r"transition|correlat|compound|molecule|calibrat|step 1|shift|dissociation|distance"
)  # fmt: skip


class ChemistryReader:
    """Reads tasks of quantum chemistry."""

    family = NAME

    def read(self, task: TaskText) -> Reading | Question | Unread | None:
        """See `labwright.agents.tool_forging.readers.base.Reader`."""
        page = Page(task)
        if not _is_chemistry(page):
            return None
        pointer = reference_elsewhere(task.text)
        if pointer is not None:
            return pointer
        try:
            spec = _spec(page)
        except Stuck as stuck:
            return stuck.reply
        left = _passed_over(page, spec) or unaccounted(page, spec, _OTHERS)
        if left is not None:
            return left
        return Reading(NAME, spec, _covered(page), page.assumptions)


_KELVIN = re.compile(r"(?<![\w.])(?P<number>\d+(?:\.\d+)?)\s*(?:K|kelvin)\b")


def _passed_over(page: Page, spec: ChemistrySpec) -> Unread | None:
    """A second temperature, which no specification holds; measured values to compare with are none."""
    if page.says(_OTHERS):
        return None
    inverted = page.says(r"\b(?:minus|negative of) the (?:reaction )?(?:enthalpy|energy|free energy)")
    if inverted:
        return Unread(inverted[0], "Reaction energies are given as products minus reactants.")
    rows = re.findall(r"^\s*[A-Z][a-z]?(?:\s+-?\d+\.\d+){3}\s*$", page.body, re.M)
    if len(rows) > 1:
        return Unread(
            rows[0].strip(),
            "Structures come as SMILES or as XYZ files among the inputs; coordinates in the text are not read.",
        )
    for match in _KELVIN.finditer(page.body):
        if abs(float(match["number"]) - spec.temperature) > 0.5 and float(match["number"]) > 0:
            return Unread(match[0], "The recipes of chemistry take one temperature a task.")
    return None


def _is_chemistry(page: Page) -> bool:
    if not page.says(_CHEMISTRY):
        return False
    strong = page.says(
        r"TD-?DFT|\bpK_?\{?a\b|geometr\w* optimi|optimi[sz]e (?:the|all|each|its|their)? ?(?:geometr|"
        r"structure)|electron density|CASCI|"
        r"Mulliken|point group|B3LYP|dipole moment|frequenc\w*"
    )
    return bool(strong) or not page.says(_OTHERS)


def _spec(page: Page) -> ChemistrySpec:
    for demand in demands(page.task):
        for word in re.finditer(BEYOND, demand.words, re.I):
            if not negated(demand.words[: word.start()]):
                raise Stuck(Unread(demand.words, f"No recipe computes {word[0]}."))
    found = find_species(page)
    _restated(page, found)
    made = reactions.hydride_reactions(page, found)
    rungs, zero = ([], None) if made else reactions.ladder(page, found)
    pairs, proton = reactions.acids(page, found)
    before = len(page.spans)
    equations = [] if made or rungs or pairs else reactions.equations(page, found)
    made = made or rungs or equations
    _settings(page, page.spans[before:])
    if strange := ([] if zero else unknown_names(page, found)):
        raise ask(f"What is the SMILES of {strange[0]}? It is not among the molecules that are known by name.")
    species = reactions.used(made, pairs, found)
    if not species:
        raise ask("Which molecule is meant? Give its name or SMILES, or an XYZ file in the inputs.")
    formulas = {one.formula for one in species}
    if equations and (apart := [name for name, one in found.species.items() if one.formula not in formulas]):
        raise Stuck(Unread(apart[0], f"{apart[0]} is in no reaction of the task: a task of its own would compute it."))
    return _assembled(page, species, made, zero, pairs, proton)


_KNOWN_SETTINGS = (
    r"charge|multiplicity|pK_?\{?a\}?|n|level|grids?\.?level|mf\.grids\.level|epsilon|eps|ε|T|p|R|r|S|T_?\d|"
    r"temperature|pressure|spin"
)


def _settings(page: Page, written: list[Span]) -> None:
    """A setting with a number that no field takes is no recipe's; `written` reactions have no settings."""
    if page.says(_OTHERS):
        return
    for match in re.finditer(r"(?<![\w.\[=#(])([A-Za-z][\w.]*)\s*=\s*[+-]?\.?\d", page.body):
        if any(start <= match.start() < end for start, end in written):
            continue
        if not re.fullmatch(_KNOWN_SETTINGS, match[1], re.I):
            raise Stuck(Unread(match[0], f"The setting {match[1]} is none that the recipes of chemistry take."))


def _restated(page: Page, found: Found) -> None:
    """Charge and multiplicity of the text for the one molecule that is there, or for classes of a reaction."""
    charge, multi = electrons_stated(re.sub(r"\([^)]*multiplicity[^)]*\)", "", page.body))
    if (
        multi is None
        and found.species
        and all(one.smiles for one in found.species.values())
        and len({one.formula for one in found.species.values()}) == 1
    ):
        multi = electrons_stated(page.body)[1] or (1 if page.says(r"closed[- ]shell") else None)
    alone = len(found.species) == 1 or (
        len({one.formula for one in found.species.values()}) == 1 and all(one.smiles for one in found.species.values())
    )
    if not alone or (charge is None and multi is None):
        return
    (name, one), *_ = found.species.items()
    if one.smiles:
        found.species[name] = species_of(name, one.smiles, charge, multi)
    elif re.search(r"charge|multiplicity", page.body) and (charge, multi) != (one.charge, one.multiplicity):
        from labwright.agents.tool_forging.readers.chemistry.species import from_file

        found.species[name] = from_file(page, name, one.file.rsplit("/", 1)[-1], charge, multi)


def _assembled(
    page: Page, species: list[Species], made: list[Reaction], zero: int | None, pairs: list[Acid], proton: float | None
) -> ChemistrySpec:
    nucleus_density, nucleus = extras.nucleus(page)
    treatments = extras.treatments(page)
    default = None
    if nucleus_density:
        heavy = species[0].formula
        default = Level(method="B3LYP", basis="DZP")
        said = f"B3LYP/DZP with all electrons for {heavy}; a basis with a core potential (def2) has no density there"
    chosen = levels(page, bool(treatments), default)
    if default is not None and chosen == [default]:
        page.assume(
            f"No level of theory is given: {said}. Spin densities at a nucleus depend on it by tens of per cent."
        )
    excited = extras.excited(page)
    spaces = extras.active_spaces(page)
    scan = extras.scan(page, species)
    qse = extras.subspace_expansion(page, spaces)
    thermal = bool(made or pairs) and bool(
        page.says(r"enthalp|gibbs|free energ|thermochem|frequenc|strain|\bd[GH]\b") or pairs
    )
    thermal = thermal or page.wants("reaction_enthalpy") or page.wants("enthalpy") or page.wants("gibbs")
    thermal = thermal or bool(page.says(r"gibbs|free energ|enthalp|thermochem|entrop|zero[- ]point"))
    frequencies = (
        thermal
        or page.wants("frequencies")
        or bool(
            page.says(
                r"frequenc|vibration|imaginary|wave ?number|normal[- ]mode|hessian|true minimum|stable minimum|"
                r"is a minimum|are minima"
            )
        )
    )
    frequencies = frequencies and not scan
    optimise = not scan and _optimise(page, species, frequencies)
    if nucleus_density and all(not re.search(r"[a-z]?[A-Z].*[A-Z]|\d", one.formula) for one in species):
        optimise = frequencies = False
    size = max(_heavy(one) for one in species)
    fitted = (
        (optimise or frequencies) and size > 9 and not chosen[0].density_fitting and chosen[0].solvent_model == "none"
    )
    if fitted:
        page.assume(
            f"With {size} heavy atoms optimisation and Hessian use density fitting, energies and properties do not: "
            "conventional integrals would take several times as long, structures differ by about 1e-4 angstrom."
        )
    wanted = _wanted(page, thermal, bool(made or pairs))
    temperature, pressure = extras.conditions(page, frequencies and thermal)
    return ChemistrySpec(
        species=tuple(species),
        levels=tuple(chosen),
        optimise=optimise,
        frequencies=frequencies,
        fitted_structures=fitted,
        wanted=wanted,
        temperature=temperature,
        pressure=pressure,
        reactions=tuple(made),
        strain_reference=zero,
        acids=tuple(pairs),
        proton_free_energy=proton,
        excited=excited,
        active_spaces=tuple(spaces),
        qse=tuple(qse),
        treatments=treatments,
        scan=scan,
        nucleus_density=nucleus_density,
        nucleus=nucleus,
        figures=bool(page.says(r"\bplot|\bfigure|\bgraph\b|bar chart")),
        spellings=extras.spellings(page),
    )


def _heavy(one: Species) -> int:
    return sum(int(count or 1) for symbol, count in re.findall(r"([A-Z][a-z]?)(\d*)", one.formula) if symbol != "H")


def _optimise(page: Page, species: list[Species], frequencies: bool) -> bool:
    never = page.says(
        r"(?:without|no) (?:any )?(?:geometry )?optimi[sz]|not (?:be )?optimi[sz]ed?(?! structures)|do not "
        r"optimi[sz]e|unoptimi[sz]ed"
    )
    if never and not re.search(r"hydride|H-", page.body[max(0, never.start() - 60) : never.end() + 30], re.I):
        return False
    at_minimum = page.says(r"(?:equilibrium|minimum-energy) (?:geometr|structure)")
    given = page.says(r"(?:given|supplied|provided|attached) (?:\w+ )?(?:geometr|structure)")
    if page.says(r"optimi[sz]|relax(?:ed|ation) (?:geometr|structure)") or (at_minimum and not given):
        return True
    atoms = all(_atomic(one) for one in species)
    if frequencies and not atoms:
        page.assume(
            "Frequencies are asked for, which mean something at a minimum only: geometries are optimised first."
        )
        return True
    if not atoms and any(one.smiles for one in species):
        page.assume(
            "The text gives no structures: geometries are optimised at each level of theory, starting from the SMILES."
        )
        return True
    return False


def _atomic(one: Species) -> bool:
    return bool(re.fullmatch(r"[A-Z][a-z]?", one.formula))


_PROPERTIES: dict[Wanted, str] = {
    "coordinates": r"coordinates|geometr|structure",
    "point_group": r"point group|symmetry group",
    "dipole": r"dipole",
    "orbital_energies": r"orbital energ|MO energ|molecular orbitals?|orbital analysis",
    "homo_lumo_gap": r"HOMO|gap",
    "mulliken_charges": r"Mulliken|atomic charges|partial charges",
    "frequencies": r"frequenc|vibration|imaginary|wave ?number|normal[- ]mode",
}


def _wanted(page: Page, thermal: bool, together: bool) -> tuple[Wanted, ...]:
    found: list[Wanted] = ["energy"]
    found += [name for name, pattern in _PROPERTIES.items() if page.says(pattern) or page.wants(name)]
    if thermal:
        found += ["enthalpy", "gibbs"]
    if page.says(
        r"(?:image|picture|visuali[sz]ation|rendering) of (?:the|each|every|all) (?:optimi[sz]ed |final "
        r")?(?:structure|molecule|geometr)|structure image|draw the (?:structure|molecule)"
    ):
        found.append("image")
    if page.says(
        r"(?:draw|plot|visuali[sz]\w*|contours?|pictures?|images?|isosurface)[^.\n]*orbital|"
        r"orbital[^.\n]*(?:contour|picture|image|plot)"
    ):
        found.append("orbitals")
    return tuple(dict.fromkeys(found))


def _covered(page: Page) -> list[Span]:
    """Spans of what was read, and of whole demands that are chemistry and nobody else's."""
    spans = list(page.spans)
    for demand in demands(page.task):
        at = demand.span[0]
        for piece in re.split(r"(,\s+(?:and|then)\s+)", page.task.text[slice(*demand.span)]):
            if (re.search(_MINE, piece, re.I) and not re.search(_OTHERS, piece, re.I)) or re.search(_QSE, piece, re.I):
                spans.append((at, at + len(piece)))
            at += len(piece)
    return spans
