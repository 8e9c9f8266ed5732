"""Hydride affinities: R-H -> R+ + H- for every compound of a task."""

from __future__ import annotations

import re

from labwright.agents.tool_forging.readers.chemistry.electrons import Found, species_of
from labwright.agents.tool_forging.readers.chemistry.page import Page, ask
from labwright.agents.tool_forging.readers.chemistry.structures import from_file
from labwright.tools.forge.families.chemistry.smiles import parse_smiles
from labwright.tools.forge.families.chemistry.spec import Reaction, Term

_ARROW = r"\s*(?:<?-+>+|=+>|<=>|>|⇌|\\(?:to|rightarrow))\s*"
_HYDRIDE = rf"R\s*-?\s*H{_ARROW}R\s*\^?\{{?\+\}}?\s*\+\s*H\s*\^?\{{?-\}}?"
HYDRIDE = "hydride"


def hydride_reactions(page: Page, found: Found) -> list[Reaction]:
    """R-H -> R+ + H- for every compound of a table, of files, or by name where only one cation is possible."""
    place = page.says(_HYDRIDE)
    if not place:
        return []
    page.spans.append(place.span())
    found.species.pop(HYDRIDE, None)
    names = list(found.rows) or _parents(page, found)
    if not names:
        raise ask("Which compounds R-H are meant? Give their names or SMILES.")
    still = bool(
        page.says(
            r"hydride[^.\n]*(?:not|without|no|as it is|as-is|unoptimi)[^.\n]*optimi|not "
            r"optimi[sz]e[^.\n]*hydride|hydride[^.\n]*(?:as it is|as-is)"
        )
    )
    made = []
    for name in names:
        cation = _cation(page, found, name)
        made.append(
            Reaction(
                name=name,
                terms=(
                    Term(species=name, coefficient=-1),
                    Term(species=cation, coefficient=1),
                    Term(species=HYDRIDE, coefficient=1),
                ),
            )
        )
    found.species.pop("hydride", None)
    one = species_of(HYDRIDE, "[H-]")
    if any(path.rsplit("/", 1)[-1] == "hydride.xyz" for path in page.task.inputs):
        one = from_file(page, HYDRIDE, "hydride.xyz", -1, 1)
        page.assumptions[:] = [text for text in page.assumptions if "hydride.xyz" not in text]
    found.add(one.model_copy(update={"optimise": not still}))
    return made


def _parents(page: Page, found: Found) -> list[str]:
    return [
        name
        for name, one in found.species.items()
        if one.charge == 0 and name != HYDRIDE and not name.endswith((" cation", " anion"))
    ]


def _cation(page: Page, found: Found, name: str) -> str:
    """Name of R+ of a compound; it is taken from a table, a file, or made."""
    row = list(found.rows.get(name, {}).values())
    if len(row) > 1:
        return row[1]
    stem = re.sub(r"\s+", "_", name)
    made = f"{name} cation"
    files = {path.rsplit("/", 1)[-1] for path in page.task.inputs}
    if f"{stem}_cation.xyz" in files:
        found.add(from_file(page, made, f"{stem}_cation.xyz", 1, 1))
        if f"{stem}.xyz" in files:
            found.species[name] = from_file(page, name, f"{stem}.xyz", 0, 1)
        return made
    if made in found.species:
        return made
    parent = parse_smiles(found.species[name].smiles) if found.species[name].smiles else None
    sites = _hydrogen_sites(parent) if parent else []
    if parent is None or len(sites) != 1:
        raise ask(f"From which atom of {name} is the hydride taken? Give the SMILES of the cation.")
    atom = parent.atoms[sites[0]]
    left = atom.hydrogens - 1
    letter = atom.symbol.lower() if atom.aromatic else atom.symbol
    hydrogens = "" if left == 0 else "H" if left == 1 else f"H{left}"
    smiles = f"{parent.text[: atom.at[0]]}[{letter}{hydrogens}+]{parent.text[atom.at[1] :]}"
    found.add(species_of(made, smiles))
    page.assume(f"The cation of {name} is not given: all its hydrogens are equivalent, so it is {smiles}.")
    return made


def _hydrogen_sites(parent: object) -> list[int]:
    """One atom of each kind that bears hydrogen (kinds by element, hydrogens and neighbours)."""
    atoms = parent.atoms  # type: ignore[attr-defined]
    kinds: dict[object, int] = {}
    for index, atom in enumerate(atoms):
        if atom.hydrogens:
            around = tuple(
                sorted(
                    (atoms[k].symbol, atoms[k].hydrogens, order, len(atoms[k].bonds)) for k, order in atom.bonds.items()
                )
            )
            kinds.setdefault((atom.symbol, atom.hydrogens, around), index)
    return list(kinds.values())
