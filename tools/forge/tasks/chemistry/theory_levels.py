"""Whether there is such a level of theory: what PySCF would say only when it computes."""

from __future__ import annotations

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
            raise ExpressionError(
                f"{basis!r} is no basis set that PySCF has for {element}. Write such as sto-3g, 6-31G* or def2-SVP."
            ) from None


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
