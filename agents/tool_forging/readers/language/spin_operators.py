"""Spin operators of a text in the one form that the parser of expressions reads."""

from __future__ import annotations

import re
from collections.abc import Mapping


def plain_operators(text: str, defined: Mapping[str, str]) -> str:
    """Formulas in the form that the parser of expressions reads.

    ``Sx_i`` becomes ``S_{i}^x``, dot products of spins are written out, and symbols of operators that the text itself
    defines, such as ``K_i``, are replaced by what they stand for (by name without subscript).
    """
    made = re.sub(r"(?<![A-Za-z])S([xyz])_(\{[^}]*\}|\w)", lambda m: f"S_{_braced(m[2])}^{m[1]}", text)
    made = re.sub(r"(?<![A-Za-z])sigma([xyz])_(\{[^}]*\}|\w)", lambda m: f"sigma_{_braced(m[2])}^{m[1]}", made)
    made = re.sub(r"(?<![A-Za-z])(S|sigma)_\(([^()]{1,8})\)", lambda m: f"{m[1]}_{{{m[2]}}}", made)
    dot = r"(?<![A-Za-z])(S|sigma)_(\{[^}]*\}|\w)\s*(?:\*|\.|cdot)?\s*\1_(\{[^}]*\}|\w)(?![\w^])"
    made = re.sub(
        dot,
        lambda m: "(" + " + ".join(f"{m[1]}_{_braced(m[2])}^{a} {m[1]}_{_braced(m[3])}^{a}" for a in "xyz") + ")",
        made,
    )
    for name, body in defined.items():
        made = re.sub(rf"(?<![A-Za-z_]){name}_(?:\{{?i\}}?)(?![A-Za-z0-9_])", f"({body})", made)
    return made


def _braced(index: str) -> str:
    return index if index.startswith("{") else f"{{{index}}}"
