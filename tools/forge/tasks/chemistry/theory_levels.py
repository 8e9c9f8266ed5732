"""Whether there is such a level of theory: what PySCF would say only when it computes."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Iterable
from importlib.util import find_spec

from labwright.tools.forge.tasks.expressions import ExpressionError


def check_basis(basis: str, elements: Iterable[str]) -> None:
    """Without PySCF nothing is checked.

    Raises:
        ExpressionError: it is no basis set, or has no functions for an element.
    """
    if find_spec("pyscf") is None:
        return
    from pyscf import gto, lib  # takes a second to import

    for element in elements:
        try:
            with warnings.catch_warnings(action="ignore"):  # of another package that might know it
                gto.basis.load(basis, element)
        except (lib.exceptions.BasisNotFoundError, KeyError, ValueError, IndexError, OSError):
            told = f"{basis!r} is no basis set that PySCF has for {element}."
            raise ExpressionError(f"{told} Write such as sto-3g, 6-31G* or def2-SVP.") from None


def check_method(method: str) -> None:
    """Without PySCF nothing is checked.

    Raises:
        ExpressionError: it is neither Hartree-Fock nor a functional.
    """
    if find_spec("pyscf") is None or method.lower() == "hf":
        return
    from pyscf.dft import libxc

    try:
        libxc.parse_xc(method)
    except (KeyError, ValueError):
        raise ExpressionError(f"{method!r} is neither HF nor a functional. Write such as HF, B3LYP or PBE0.") from None


def permittivity(solvent: str) -> float:
    """Relative, at 298 K, of a solvent as PySCF's table for SMD names it.

    Raises:
        ExpressionError: there is none of that name, or PySCF is not installed.
    """
    if find_spec("pyscf") is None:
        raise ExpressionError("Solvents need PySCF. Install it: pip install 'labwright[chem]'.")
    from pyscf.solvent.smd import solvent_db

    if solvent not in solvent_db:
        near = difflib.get_close_matches(solvent, solvent_db, 3) or ["water", "ethanol", "dimethylsulfoxide"]
        raise ExpressionError(f"The solvent {solvent!r} is not known. Write one of PySCF's, such as {', '.join(near)}.")
    return 78.3553 if solvent == "water" else float(solvent_db[solvent][5])  # as Gaussian has water
