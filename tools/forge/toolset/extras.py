"""Which distributions are installed, and which extra of this package brings one that is not."""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Iterable

EXTRAS: dict[str, tuple[str, ...]] = {
    "dynamics": (
        "qutip-qtrl",
        "physics-tenpy",
        "qiskit",
        "qiskit-aer",
        "tequila-basic",
        "qulacs",
        "openfermion",
    ),
    "chem": ("pyscf", "rdkit", "ase", "geometric", "pyscf-dispersion"),
    "cudaq": ("cudaq",),
}
STANDARD = ("python", "stdlib", "")  # what a contract names when the standard library does the work


def canonical(distribution: str) -> str:
    """A distribution's name in the form in which names are compared, without version and extras."""
    bare = re.split(r"[\s\[<>=!~;(]", distribution.strip(), maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", bare).lower()


def installed(distribution: str) -> bool:
    """Whether a distribution is installed in this environment."""
    if canonical(distribution) in STANDARD:
        return True
    try:
        importlib.metadata.distribution(canonical(distribution))
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def missing(distributions: Iterable[str]) -> list[str]:
    """Those of `distributions` that are not installed, once each and in order."""
    return [name for name in dict.fromkeys(map(canonical, distributions)) if not installed(name)]


def extra_of(distribution: str) -> str | None:
    """The extra that brings a distribution; None if no extra does."""
    wanted = canonical(distribution)
    return next((extra for extra, names in EXTRAS.items() if wanted in names), None)


def how_to_install(distributions: Iterable[str]) -> str:
    """The command that installs what is missing, such as ``pip install 'labwright[dynamics]'``; empty if nothing is."""
    absent = missing(distributions)
    extras = sorted({extra for name in absent if (extra := extra_of(name))})
    others = [name for name in absent if extra_of(name) is None]
    wanted = [f"'labwright[{','.join(extras)}]'"] if extras else []
    return f"pip install {' '.join([*wanted, *others])}" if absent else ""
