"""Molecules by PySCF called directly."""

from collections.abc import Callable

from labwright.evaluation.forge.references.wording.entries import Plain

TASKS: dict[str, Callable[[], Plain]] = {}
