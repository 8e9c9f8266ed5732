"""What all scripts share: the task's numbers, the tools, structures to begin with, and how results are recorded."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from labwright.results import record

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # idle threads do not spin
os.environ.setdefault("PYSCF_MAX_MEMORY", "2500")
KCAL = 627.5094740631  # kcal/mol of a hartree
Plain = Mapping[str, Any]


class Task:
    """The numbers of a script and its tools."""

    def __init__(self, given: Plain, tools: Any) -> None:
        self.given, self.tools = given, tools
        self.temperatures: list[float] = given.get("temperatures", [])
        if given.get("cartesian"):  # PySCF has no setting for all molecules; the tools build each with gto.M
            from pyscf import gto

            gto.M = partial(gto.M, cart=True)

    def note(
        self,
        quantity: str,
        value: Any,
        unit: str,
        labels: Plain,
        axes: Plain | None = None,
        error: float | None = None,
        **more: Any,
    ) -> None:
        """Record one result, with its error and more labels."""
        record(quantity, value, unit=unit, axes=axes, labels={**labels, **more}, uncertainty=error)

    def name(self, method: str) -> str:
        """A method as the task spells it."""
        return str(self.given["names"].get(method.lower(), method))

    def along(self, values: Sequence[Any]) -> Any:
        """One value for each temperature, or the value at the only one."""
        return list(values) if len(self.temperatures) > 1 else values[0]

    def warm(self) -> dict[str, Any]:
        """The axis of the temperatures, if there are several."""
        return {"temperature": (self.temperatures, "K")} if len(self.temperatures) > 1 else {}

    def of(self, level: Plain) -> dict[str, Any]:
        """Labels of a level: method, basis, and the surroundings if the task has several."""
        found = {"method": self.name(level["method"]), "basis": level["basis"]}
        if len({one["solvent_model"] for one in self.given["levels"]}) > 1:
            found["solvent"] = "gas phase" if level["solvent_model"] == "none" else level["solvent"]
        return found

    def structure(self, species: Plain) -> tuple[list[str], list[list[float]]]:
        """Symbols and coordinates (angstrom) to start from; an atom without nucleus and electrons is ``ghost-F``.

        Raises:
            ValueError: the SMILES has another charge than the task.
        """
        text = species["xyz"]
        if species["file"]:
            text = Path(species["file"]).read_text(encoding="utf-8")
        if text:
            first, lines = text.splitlines()[:2], [line.strip() for line in text.splitlines()[2:]]
            ghosts = ["ghost-" * line.lower().startswith("ghost-") for line in lines]
            plain = "\n".join([*first, *(line[len(ghost) :] for ghost, line in zip(ghosts, lines, strict=True))])
            found = self.tools.molecule_from_xyz(text=plain, source=species["file"] or "coordinates of the task")
            return [ghost + one for ghost, one in zip(ghosts, found.symbols, strict=False)], found.positions
        count = self.given["n_conformers"]
        found = self.tools.molecule_from_smiles(smiles=species["smiles"], seed=self.given["seed"], n_conformers=count)
        if found.charge != species["charge"]:
            raise ValueError(f"{species['name']}: the SMILES has charge {found.charge}, the task {species['charge']}.")
        return found.symbols, found.positions


class Molecule:
    """A molecule as it stands, as the tools of electronic structure take it."""

    def __init__(self, task: Task, species: Plain) -> None:
        self.task, self.species, self.second_order = task, species, False
        self.symbols, self.positions = task.structure(species)
        print(f"{species['name']}: {len(self.symbols)} atoms, charge {species['charge']}", flush=True)

    def at(self, level: Plain, **changes: Any) -> dict[str, Any]:
        """The fields that all these tools share."""
        spin = {"charge": self.species["charge"], "multiplicity": self.species["multiplicity"]}
        where = {"symbols": self.symbols, "positions": self.positions, "second_order": self.second_order}
        return {**where, **spin, **level, **changes}

    def ask(self, tool: Callable[..., Any], level: Plain, **changes: Any) -> Any:
        """What a tool gives; from the first orbitals that do not converge on, a Newton solver begins."""
        try:
            return tool(**self.at(level, **changes))
        except RuntimeError:
            if self.second_order:
                raise
            print("  did not converge: again with a Newton solver", flush=True)
            self.second_order = True
            return tool(**self.at(level, **changes))

    def correlated(self, level: Plain) -> dict[str, float]:
        """Treatment -> energy (hartree) of those that are wanted in the basis of a level."""
        found = {}
        for treatment in self.task.given["treated"][level["basis"]]:
            given = self.at(level, method="HF", treatment=treatment, frozen=self.task.given["frozen"])
            found[treatment] = self.task.tools.correlated_energy(**given).energy
            print(f"  {treatment}: {found[treatment]:.8f} hartree", flush=True)
        return found


def records() -> list[dict[str, Any]]:
    """What the scripts before have found."""
    found: list[dict[str, Any]] = json.loads(Path("results.json").read_text(encoding="utf-8"))["records"]
    return found
