"""Quantum subspace expansion in each active space."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from labwright.results import parameter

from .states import labels_of
from .task import Plain, Task


def main(given: Plain, tools: Any) -> None:
    """Record its states."""
    task = Task(given, tools)
    parameter(**given["parameters"])
    for basis in given["bases"]:
        for mapped in json.loads(Path(f"work/{given['slug']}_{basis}.json").read_text(encoding="utf-8")):
            words = {name: mapped[name] for name in ("words", "coefficients", "filled")}
            found = tools.quantum_subspace_expansion(**words, n_roots=mapped["space"]["roots"])
            how = labels_of(given["species"]["name"], task.name("qse"), basis, mapped["space"])
            task.note("qse_energies", found.energies, "hartree", how, {"root": list(range(len(found.energies)))})
            task.note("qse_dimension", found.dimension, "1", how)
            if len(found.energies) > 1:
                task.note("excitation_energy", found.excitation_energies[1], "eV", how, state="first")
            print(f"QSE({how['active_space']}): {found.dimension} determinants", flush=True)
