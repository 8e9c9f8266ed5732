"""Puts together what a chemistry task says: words to a `ChemistrySpec`."""

from __future__ import annotations

import re

from labwright.agents.call import Question
from labwright.agents.tool_forging.demands import demands
from labwright.agents.tool_forging.readers.base import Reading, Span, TaskText, Unread
from labwright.agents.tool_forging.readers.chemistry import reactions
from labwright.agents.tool_forging.readers.chemistry.acids import acids
from labwright.agents.tool_forging.readers.chemistry.assembled import HEAT, Together, assembled
from labwright.agents.tool_forging.readers.chemistry.electrons import Found, electrons_stated, species_of
from labwright.agents.tool_forging.readers.chemistry.hydrides import hydride_reactions
from labwright.agents.tool_forging.readers.chemistry.numbers_left import numbers_left
from labwright.agents.tool_forging.readers.chemistry.page import Page, Stuck, ask, negated
from labwright.agents.tool_forging.readers.chemistry.rings import ladder
from labwright.agents.tool_forging.readers.chemistry.species import find_species
from labwright.agents.tool_forging.readers.chemistry.strange_names import unknown_formulas, unknown_names
from labwright.agents.tool_forging.readers.chemistry.strange_words import strange_words
from labwright.agents.tool_forging.readers.chemistry.structures import from_file
from labwright.agents.tool_forging.readers.chemistry.unaccounted import BEYOND, SIGN, unaccounted
from labwright.agents.tool_forging.readers.chemistry.vocabulary import WORDS
from labwright.agents.tool_forging.readers.chemistry.wishes import STRUCTURE, WAVES
from labwright.agents.tool_forging.readers.language.leftover import unknown_words
from labwright.agents.tool_forging.readers.language.references import reference_elsewhere
from labwright.tools.forge.families.chemistry.spec import ChemistrySpec

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
    rf"{STRUCTURE}|{WAVES}|{HEAT}|equilibrium|curves?\b|figures?\b|charts?\b|\.csv\b|wave ?lengths?|"
    r"bar (?:diagram|chart|plot)|diagram|display|the four values|scan|FCI|MP2|CCSD|G\(|\bplot (?:them|it|both|"
    r"all|the curves|the results)|table|text file|"
r"transition|correlat|compound|molecule|calibrat|step 1|shift|dissociation|distance|"
r"spin contamination|S squared|S\^?2|radical|thermodynamic"
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
        left = (
            unaccounted(page, spec, _OTHERS) or numbers_left(page, spec, _OTHERS) or strange_words(page, spec, _OTHERS)
        )
        if left is not None:
            return left
        return Reading(NAME, spec, _covered(page), page.assumptions)


def _is_chemistry(page: Page) -> bool:
    if not page.says(_CHEMISTRY):
        return False
    strong = page.says(
        r"TD-?DFT|\bpK_?\{?a\b|geometr\w* optimi|optimi[sz]e (?:the|all|each|its|their)? ?(?:geometr|"
        r"structure)|electron density|CASCI|"
        r"Mulliken|point group|B3LYP|dipole moment|frequenc\w*"
    )
    if strong and page.says(r"\bVQE\b|UCC|variational quantum") and re.fullmatch("CASCI", strong[0], re.I):
        return False  # the exact energy beside a variational one
    return bool(strong) or not page.says(_OTHERS)


def _spec(page: Page) -> ChemistrySpec:
    for demand in demands(page.task):
        for word in re.finditer(BEYOND, demand.words, re.I):
            if not negated(demand.words[: word.start()]):
                raise Stuck(Unread(demand.words, f"No recipe computes {word[0]}."))
    found = find_species(page)
    _restated(page, found)
    made = hydride_reactions(page, found)
    rungs, zero = ([], None) if made else ladder(page, found)
    pairs, proton = acids(page, found)
    before = len(page.spans)
    equations = [] if made or rungs or pairs else reactions.equations(page, found)
    made = made or rungs or equations
    _settings(page, page.spans[before:])
    if strange := ([] if zero else [*unknown_names(page, found), *unknown_formulas(page, found)]):
        raise ask(f"What is the SMILES of {strange[0]}? It is not among the molecules that are known by name.")
    species = reactions.used(made, pairs, found)
    if not species:
        raise ask("Which molecule is meant? Give its name or SMILES, or an XYZ file in the inputs.")
    formulas = {one.formula for one in species}
    if equations and (apart := [name for name, one in found.species.items() if one.formula not in formulas]):
        raise Stuck(Unread(apart[0], f"{apart[0]} is in no reaction of the task: a task of its own would compute it."))
    return assembled(page, Together(species, made, zero, pairs, proton), _OTHERS)


_KNOWN_SETTINGS = (
    r"charge|multiplicity|pK_?\{?a\}?|n|level|grids?\.?level|mf\.grids\.level|epsilon|eps|ε|T|p|R|r|S|T_?\d|"
    r"temperature|pressure|spin|sigma|(?:n_?)?(?:states|roots)|symmetry_?number|(?:n_?)?(?:singlets|triplets)|d|"
    r"frozen|freeze|cycles?"
)


def _settings(page: Page, written: list[Span]) -> None:
    """A setting with a number that no field takes is no recipe's; `written` reactions have no settings."""
    if page.says(_OTHERS):
        return
    for match in re.finditer(r"(?<![\w.\[=#(-])([A-Za-z][\w.]*)\s*=\s*[+-]?\.?\d[\d.]*", page.body):
        if any(start <= match.start() < end for start, end in written):
            continue
        if re.fullmatch(r"K_?\{?(?:p|c|eq)?\}?", match[1]) and re.search(r"=\s*1\.?$", match[0]) and page.says(SIGN):
            continue  # where an equilibrium constant is one
        if re.fullmatch(r"(?:d|Delta)?[GvJKE]", match[1]) and re.search(r"=\s*0\.?$", match[0]):
            continue  # where a Gibbs energy vanishes; the lowest level of a vibration
        if not re.fullmatch(_KNOWN_SETTINGS, match[1], re.I):
            raise Stuck(Unread(match[0], f"The setting {match[1]} is none that the recipes of chemistry take."))


def _paired(page: Page) -> bool:
    """Whether the text wants the closed-shell singlet."""
    if page.says(r"closed[- ]shell|all (?:the )?electrons? (?:are )?paired"):
        return True
    return bool(page.says(r"\bsinglet\b")) and not page.says(
        r"triplet|doublet|excit|\bTD|\bTDA\b|\bS_?1\b|open[- ]shell"
    )


def _restated(page: Page, found: Found) -> None:
    """Charge and multiplicity of the text for the one molecule that is there, or for classes of a reaction."""
    charge, multi = electrons_stated(re.sub(r"\([^)]*multiplicity[^)]*\)", "", page.body))
    if (
        multi is None
        and found.species
        and all(one.smiles for one in found.species.values())
        and len({one.formula for one in found.species.values()}) == 1
    ):
        multi = electrons_stated(page.body)[1] or (1 if _paired(page) else None)
    alone = len(found.species) == 1 or (
        len({one.formula for one in found.species.values()}) == 1 and all(one.smiles for one in found.species.values())
    )
    if not alone or (charge is None and multi is None):
        return
    (name, one), *_ = found.species.items()
    if one.xyz:
        return
    if one.smiles:
        found.species[name] = species_of(name, one.smiles, charge, multi)
    elif re.search(r"charge|multiplicity", page.body) and (charge, multi) != (one.charge, one.multiplicity):
        found.species[name] = from_file(page, name, one.file.rsplit("/", 1)[-1], charge, multi)


def _covered(page: Page) -> list[Span]:
    """Spans of what was read, and of whole demands that are chemistry and nobody else's."""
    spans = list(page.spans)
    for demand in demands(page.task):
        at = demand.span[0]
        for piece in re.split(r"(,\s+(?:and|then)\s+)", page.task.text[slice(*demand.span)]):
            if (re.search(_MINE, piece, re.I) and not re.search(_OTHERS, piece, re.I)) or re.search(_QSE, piece, re.I):
                spans.append((at, at + len(piece)))
            elif not unknown_words(page.text[at : at + len(piece)], WORDS) and not re.search(_OTHERS, piece, re.I):
                spans.append((at, at + len(piece)))  # it orders nothing by itself: "tell me", "to see how they differ"
            at += len(piece)
    return spans
