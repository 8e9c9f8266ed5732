"""Every molecule of a text: files, lists of ``name: SMILES``, tables, names that chemists know, formulas, atoms."""

from __future__ import annotations

from labwright.agents.tool_forging.readers.chemistry import names, smiles_lists, structures
from labwright.agents.tool_forging.readers.chemistry.electrons import Found
from labwright.agents.tool_forging.readers.chemistry.page import Page


def find_species(page: Page) -> Found:
    """Every molecule of the text.

    Raises:
        Stuck: a file is missing or unreadable, a SMILES is none, or charges do not fit.
    """
    found = Found()
    structures.files(page, found)
    smiles_lists.tables(page, found)
    smiles_lists.keyed(page, found)
    smiles_lists.explained(page, found)
    smiles_lists.listed(page, found)
    smiles_lists.bracketed(page, found)
    names.atoms(page, found)
    names.listed_atoms(page, found)
    names.named(page, found)
    structures.written(page, found)
    return found
