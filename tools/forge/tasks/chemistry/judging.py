"""What must hold of a chemistry task's results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from labwright.tools.errors import InputError
from labwright.tools.forge.tasks.chemistry.scripts import slug
from labwright.tools.forge.tasks.chemistry.smiles import ELEMENTS
from labwright.tools.forge.tasks.chemistry.spec import PER_HARTREE, Reaction, Species
from labwright.tools.forge.tasks.results import Record, Results
from labwright.tools.forge.tasks.task_type import Computed, Judgement

TREATMENTS = frozenset({"MP2", "CCSD", "CCSD(T)", "FCI"})
SOFT = -50.0  # 1/cm; an imaginary mode weaker than this may be noise of the grid or of a cavity


def judge(task: Computed, results: Results, figures: Mapping[str, object]) -> list[Judgement]:
    """Laws and deliverables, one judgement each."""
    if task.scan:
        return list(_scan(task, results, figures))
    found = [each for one in task.species if not one.bare for each in _molecule(task, one, results)]
    found += [*_reactions(task, results), *_acids(task, results)]
    for one in task.species:
        for kind, path in zip(("image", "orbitals"), pictures(one), strict=True):
            if kind in task.wanted:
                told = f"{path} is {'there' if path in figures else 'missing'}."
                found.append(Judgement(f"figure {path}", path in figures, told, "result_incomplete", "Draw it."))
    return found


def pictures(species: Species) -> list[str]:
    """Paths of the figures of a molecule: its structure and its orbitals."""
    return [f"img/{slug(species.name)}.png", f"img/{slug(species.name)}_orbitals.png"]


def _molecule(task: Computed, species: Species, results: Results) -> Iterator[Judgement]:
    name, find = species.name, partial(results.find, molecule=species.name)
    count, levels = len(find("energy")), len(task.levels)
    yield Judgement(f"energy of {name}", count >= levels, f"{count} energies at {levels} levels of theory.",
                    "result_incomplete", "Run what is missing.")  # fmt: skip
    if species.formula not in ELEMENTS and (wanted := set(task.wanted) - {"energy", "image", "orbitals", "geometry"}):
        absent = sorted(one for one in wanted if not find(one))
        told = f"Missing of what is wanted: {', '.join(absent) or 'nothing'}."
        yield Judgement(f"properties of {name}", not absent, told, "result_incomplete", "Compute what is missing.")
    for record in find("mulliken_charges"):
        total = sum(_floats(record.value))
        yield Judgement(f"charge of {name}", abs(total - species.charge) < 1e-3,
                        f"Mulliken charges add up to {total:.6f}, the charge is {species.charge}.")  # fmt: skip
    if task.frequencies:
        yield from _vibrations(task, species, results)
    alone = (species.formula, species.charge) in (("H", 0), ("H2", 1))  # one electron: PySCF gives bare levels
    for gap in () if alone else find("homo_lumo_gap"):
        told = f"The HOMO-LUMO gap is {_number(gap):.5f} hartree."
        yield Judgement(f"gap of {name}", _number(gap) > 0, told, "bug", "Look at the occupation.")
    for h, g in zip(find("enthalpy"), find("gibbs"), strict=True) if task.thermochemistry else ():
        passed = all(low < high for low, high in zip(_row(g.value), _row(h.value), strict=True))
        yield Judgement(f"entropy of {name}", passed, f"H = {h.value}, G = {g.value} hartree: G lies below H.")
    if "geometry" in task.wanted and species.formula not in ELEMENTS:
        told = f"{len(find('bond_length'))} bond lengths."
        yield Judgement(f"structure of {name}", bool(find("bond_length")), told, "result_incomplete", "Measure it.")
    if task.excited:
        yield from _excited(task, species, results)


def _vibrations(task: Computed, species: Species, results: Results) -> Iterator[Judgement]:
    records = results.find("frequencies", molecule=species.name)
    for record, place in zip(records, results.find("coordinates", molecule=species.name), strict=False):
        values = _floats(record.value)
        atoms = len(place.value["symbols"]) if isinstance(place.value, dict) else 0
        allowed = {0} if atoms == 1 else {3 * atoms - 5} if atoms == 2 else {3 * atoms - 6, 3 * atoms - 5}
        told = f"{len(values)} vibrations of {atoms} atoms."
        yield Judgement(f"modes of {species.name}", len(values) in allowed, told)
        if not (task.optimise and species.optimise):
            continue
        imaginary = [value for value in values if value < 0]
        least = f", the largest {min(imaginary):.1f} 1/cm" if imaginary else ""
        noise = " A weak one may be noise of the grid." if imaginary and min(imaginary) > SOFT else ""
        yield Judgement(f"minimum of {species.name}", not imaginary,
                        f"{len(imaginary)} imaginary wavenumbers{least}.{noise}", "more_simulation",
                        "Displace along the mode and optimise again, on a finer grid where there is one.")  # fmt: skip


def _excited(task: Computed, species: Species, results: Results) -> Iterator[Judgement]:
    name, how = species.name, {"molecule": species.name, "functional": task.levels[0].method}
    singlets, triplets = (results.find("excitation_energy", state=state, **how) for state in ("S1", "T1"))
    wanted, there = (bool(task.excited.n_singlets), bool(task.excited.n_triplets)), (bool(singlets), bool(triplets))
    yield Judgement(f"states of {name}", wanted == there, f"S1 and T1 at {len(task.levels)} levels: {there}.",
                    "result_incomplete", "Run TD-DFT.")  # fmt: skip
    for s, t in zip(map(_number, singlets), map(_number, triplets), strict=False):
        yield Judgement(f"order of states of {name}", t < s, f"T1 at {t:.3f} eV, S1 at {s:.3f} eV.")
        if t < 0.3:
            told = f"T1 lies only {t:.3f} eV above the ground state, which may be unstable towards triplets."
            yield Judgement(f"stability of {name}", False, told, "bug", "Use the Tamm-Dancoff approximation.")
    for record in results.find("oscillator_strength", molecule=name):
        if _number(record) < -1e-6:
            yield Judgement(f"strengths of {name}", False, f"An oscillator strength is {record.value}.")


def _reactions(task: Computed, results: Results) -> Iterator[Judgement]:
    """Each energy of reaction again, from the molecules' records."""
    quantity, levels = "gibbs" if task.thermochemistry else "energy", len(task.levels)
    for reaction in task.reactions:
        found = results.find(f"reaction_{quantity}", reaction=reaction.name)
        yield Judgement(f"levels of {reaction.name}", len(found) >= levels, f"{len(found)} energies of reaction at"
                        f" {levels} levels.", "result_incomplete", "Combine every level.")  # fmt: skip
        for record in found:
            if str(record.labels.get("method", "")).upper() not in TREATMENTS:
                yield from _again(results, reaction, record, quantity)


def _again(results: Results, reaction: Reaction, record: Record, quantity: str) -> Iterator[Judgement]:
    """One energy of reaction from the records of its species at the same level."""
    how = {key: value for key, value in record.labels.items() if key != "reaction"}
    values = _row(record.value)
    again = [0.0 for _ in values]
    for name, count in reaction.terms.items():
        found = results.find(quantity, molecule=name, **how)
        if not found:
            return
        again = [total + count * one for total, one in zip(again, _row(found[0].value), strict=True)]
    scale, shown = PER_HARTREE[record.unit], ", ".join(f"{one:.4g}" for one in values)
    off = max(abs(one - scale * two) for one, two in zip(values, again, strict=True))
    yield Judgement(f"reaction {reaction.name}", off < 1.6e-5 * scale, f"{quantity} of reaction {shown} {record.unit};"
                    f" from the species' records it differs by {off:.1e}.")  # fmt: skip


def _acids(task: Computed, results: Results) -> Iterator[Judgement]:
    for acid in task.acids:
        difference = _number(results.one("reaction_gibbs", reaction=f"{acid.acid} deprotonation"))
        yield Judgement(f"deprotonation of {acid.acid}", 0.3 < difference < 0.8, f"G(A-) - G(HA) = {difference:.5f}"
                        " hartree; solvated acids lie between 0.3 and 0.8.")  # fmt: skip
        if acid.pka is None:
            value = _number(results.one("pka", acid=acid.acid))
            yield Judgement(f"pKa of {acid.acid}", -30 < value < 70, f"pKa = {value:.2f}.")
    for value in map(_number, results.find("proton_spread")[:1]):
        yield Judgement("calibration", value < 5.0, f"The known acids agree on the proton within {value:.2f} kcal/mol"
                        " (standard deviation).", "more_simulation", "Use acids that resemble the target.")  # fmt: skip


def _scan(task: Computed, results: Results, figures: Mapping[str, object]) -> Iterator[Judgement]:
    curves = {str(one.labels["method"]): _floats(one.value) for one in results.find("energy") if one.axes}
    if not curves:
        raise InputError("results.json holds no energies along the bond.")
    wanted = len(task.scan.distances)
    for name, values in curves.items():
        yield Judgement(f"curve {name}", len(values) == wanted, f"{len(values)} energies at {wanted} distances.")
    hf, fci = (curves.get(one) for one in ("hf", "fci"))
    if hf and fci:
        worst = max(b - a for a, b in zip(hf, fci, strict=True))
        told = f"FCI lies below HF everywhere: largest difference {worst:.2e} hartree."
        yield Judgement("variation", worst < 1e-7, told)
    yield Judgement("figure", bool(figures), f"{len(figures)} figures.", "result_incomplete", "Plot the curves.")


def _number(record: Record) -> float:
    return float(record.value)  # type: ignore[arg-type]


def _row(value: Any) -> list[float]:
    """One number or one for each temperature, as a list."""
    return [float(one) for one in value] if isinstance(value, list) else [float(value)]


def _floats(value: Any) -> list[float]:
    return [float(one) for one in value] if isinstance(value, list) else []
