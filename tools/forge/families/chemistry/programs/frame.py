"""Beginnings that all scripts share: results, structures, the trial."""

from __future__ import annotations

HEAD = '''"""{purpose}"""

import json
import math
import os
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # idle threads do not spin
os.environ.setdefault("PYSCF_MAX_MEMORY", "2500")

{imports}

GIVEN = json.loads(r"""{data}""")
RECORDS = []


def note(quantity, value, unit="", axes=(), /, **labels):
    """Keep one result."""
    RECORDS.append({{"quantity": quantity, "labels": labels, "axes": list(axes), "value": value, "unit": unit}})


def along(values):
    """One value for each temperature, or the value at the only one."""
    return values if len(GIVEN["temperatures"]) > 1 else values[0]


def warm():
    """The axis of the temperatures, if there are several."""
    axis = {{"name": "temperature", "values": GIVEN["temperatures"], "unit": "K"}}
    return [axis] if len(GIVEN["temperatures"]) > 1 else []


def medium(level):
    """The label of the surroundings, if the task has several."""
    if len({{one["solvent_model"] for one in GIVEN["levels"]}}) < 2:
        return {{}}
    return {{"solvent": "gas phase" if level["solvent_model"] == "none" else level["solvent"]}}


def save(path, parameters):
    """Write the results beside those of the scripts before; what was found again replaces what was there."""
    Path("results").mkdir(exist_ok=True)
    file = Path(path)
    before = json.loads(file.read_text(encoding="utf-8"))["records"] if file.is_file() else []
    mine = {{(one["quantity"], json.dumps(one["labels"], sort_keys=True)) for one in RECORDS}}
    kept = [one for one in before if (one["quantity"], json.dumps(one["labels"], sort_keys=True)) not in mine]
    file.write_text(json.dumps({{"parameters": parameters, "records": kept + RECORDS}}, indent=1), encoding="utf-8")
    print(f"{{len(RECORDS)}} results in {{path}}", flush=True)

'''

STRUCTURE = '''
def structure(species):
    """Symbols and coordinates to start from, and where they are from."""
    if species["xyz"]:
        found = molecule_from_xyz(MoleculeFromXyzInput(text=species["xyz"], source="coordinates of the task"))
        return found.symbols, found.positions, "the task's coordinates"
    if species["file"]:
        text = Path(species["file"]).read_text(encoding="utf-8")
        found = molecule_from_xyz(MoleculeFromXyzInput(text=text, source=species["file"]))
        return found.symbols, found.positions, species["file"]
    given = MoleculeFromSmilesInput(smiles=species["smiles"], seed=GIVEN["seed"], n_conformers=GIVEN["n_conformers"])
    found = molecule_from_smiles(given)
    if found.charge != species["charge"]:
        raise ValueError(f"{species['name']}: the SMILES has charge {found.charge}, the task {species['charge']}.")
    return found.symbols, found.positions, f"SMILES {species['smiles']}, {found.force_field}"


def at(level, symbols, positions, species, **changes):
    """The fields that all electronic-structure tools share."""
    return {
        "symbols": symbols, "positions": positions, "charge": species["charge"],
        "multiplicity": species["multiplicity"], **level, **changes,
    }

'''

TRIAL = '''
def main():
    """Every structure is made or read; the smallest molecule gets one energy at the level of the task."""
    sizes = {}
    for species in GIVEN["all"]:
        symbols, positions, origin = structure(species)
        sizes[species["name"]] = (len(symbols), symbols, positions, species)
        print(f"{species['name']}: {len(symbols)} atoms from {origin}", flush=True)
    _, symbols, positions, species = min(sizes.values(), key=lambda one: one[0])
    found = mean_field_energy(MeanFieldEnergyInput(**at(GIVEN["levels"][0], symbols, positions, species)))
    note("energy", found.energy, "hartree", molecule=species["name"], structure="start")
    save(GIVEN["path"], {})


main()
'''
