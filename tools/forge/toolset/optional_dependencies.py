"""Which distributions are installed, and which extra of this package brings one that is not."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterable
from functools import cache

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

STANDARD = ("python", "stdlib", "")  # what a contract names when the standard library does the work


def canonical(distribution: str) -> str:
    """A distribution's name in the form in which names are compared, without version and extras."""
    try:
        return canonicalize_name(Requirement(distribution).name)
    except InvalidRequirement:
        return canonicalize_name(distribution.strip())


def missing(distributions: Iterable[str]) -> list[str]:
    """Those of `distributions` that are not installed, once each and in order."""
    return [name for name in dict.fromkeys(map(canonical, distributions)) if name not in STANDARD and not _there(name)]


def _there(name: str) -> bool:
    try:
        importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


@cache
def _extras() -> dict[str, str]:
    """Distribution -> the extra of this package that brings it, as its metadata say."""
    found: dict[str, str] = {}
    for extra in importlib.metadata.metadata("labwright").get_all("Provides-Extra") or ():
        for one in map(Requirement, importlib.metadata.requires("labwright") or ()):
            if one.marker and one.marker.evaluate({"extra": extra}) and not one.marker.evaluate({"extra": ""}):
                found.setdefault(canonicalize_name(one.name), extra)
    return found


def how_to_install(distributions: Iterable[str]) -> str:
    """The command that installs what is missing, such as ``pip install 'labwright[dynamics]'``; empty if nothing is."""
    absent = missing(distributions)
    extras = sorted({_extras()[name] for name in absent if name in _extras()})
    others = [name for name in absent if name not in _extras()]
    wanted = [f"'labwright[{','.join(extras)}]'"] if extras else []
    return f"pip install {' '.join([*wanted, *others])}" if absent else ""
