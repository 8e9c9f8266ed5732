"""Sources of the scripts: fixed parts, chosen by what a task wants; its numbers are data at the top."""

from __future__ import annotations

from labwright.tools.forge.families.chemistry.programs.figures import BARS, CURVES, OVERVIEW
from labwright.tools.forge.families.chemistry.programs.frame import HEAD, STRUCTURE, TRIAL
from labwright.tools.forge.families.chemistry.programs.molecule import (
    GEOMETRY,
    GROUP,
    MAIN,
    MINIMUM,
    MINIMUM_OF_NOTHING,
    PROPERTIES,
    THERMO,
)
from labwright.tools.forge.families.chemistry.programs.scan import SCAN
from labwright.tools.forge.families.chemistry.programs.states import (
    CASCI,
    CORRELATED,
    EXCITED,
    NUCLEUS,
    ORBITALS,
    QSE,
    QUBITS,
)
from labwright.tools.forge.families.chemistry.programs.together import ACIDS, COMBINE, LADDER, PROTONS, REACTIONS

__all__ = [
    "ACIDS",
    "BARS",
    "CASCI",
    "COMBINE",
    "CORRELATED",
    "CURVES",
    "EXCITED",
    "GEOMETRY",
    "GROUP",
    "HEAD",
    "LADDER",
    "MAIN",
    "MINIMUM",
    "MINIMUM_OF_NOTHING",
    "NUCLEUS",
    "ORBITALS",
    "OVERVIEW",
    "PROPERTIES",
    "PROTONS",
    "QSE",
    "QUBITS",
    "REACTIONS",
    "SCAN",
    "STRUCTURE",
    "THERMO",
    "TRIAL",
]
