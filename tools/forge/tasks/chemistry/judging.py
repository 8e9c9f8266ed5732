"""What must hold of a chemistry task's results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import compress
from typing import Any

from labwright.tools.errors import InputError
from labwright.tools.forge.tasks.base import Computed, Judgement
from labwright.tools.forge.tasks.chemistry.scripts import slug
from labwright.tools.forge.tasks.chemistry.smiles import ELEMENTS
from labwright.tools.forge.tasks.chemistry.spec import PER_HARTREE, Reaction, Species
from labwright.tools.forge.tasks.results import Record, Results

TREATMENTS = frozenset({"MP2", "CCSD", "CCSD(T)", "FCI"})
SOFT = -50.0  # 1/cm; an imaginary mode weaker than this may be noise of the grid or of a cavity


def judge(spec: Computed, results: Results, figures: Mapping[str, object]) -> list[Judgement]:
    """Laws and deliverables, one judgement each."""
    if spec.scan:
        return list(_scan(spec, results, figures))
    found: list[Judgement] = []
    for one in spec.species:
        if not one.bare:
            found += _molecule(spec, one, results)
    found += _reactions(spec, results)
    found += _acids(spec, results)
    asked = [kind in spec.wanted for kind in ("image", "orbitals")]
    for path in compress((path for one in spec.species for path in pictures(one)), asked * len(spec.species)):
        found.append(
            Judgement(
                f"figure {path}",
                path in figures,
                f"{path} is {'there' if path in figures else 'missing'}.",
                "result_incomplete",
                "Draw it.",
            )
        )
    return found


def pictures(species: Species) -> list[str]:
    """Paths of the figures of a molecule: its structure and its orbitals."""
    return [f"img/{slug(species.name)}.png", f"img/{slug(species.name)}_orbitals.png"]


def _molecule(spec: Computed, species: Species, results: Results) -> Iterator[Judgement]:
    name = species.name
    energies = results.find("energy", molecule=name)
    yield Judgement(
        f"energy of {name}", len(energies) >= len(spec.levels),
        f"{len(energies)} energies at "
f"{len(spec.levels)} levels of theory.", "result_incomplete", "Run what is missing.",
    )  # fmt: skip
    if species.formula not in ELEMENTS and (wanted := set(spec.wanted) - {"energy", "image", "orbitals", "geometry"}):
        absent = sorted(one for one in wanted if not results.find(one, molecule=name))
        yield Judgement(
            f"properties of {name}", not absent, f"Missing of what is wanted: {', '.join(absent) or 'nothing'}.",
            "result_incomplete", "Compute what is missing.",
        )  # fmt: skip
    for record in results.find("mulliken_charges", molecule=name):
        total = sum(_floats(record.value))
        yield Judgement(
            f"charge of {name}", abs(total - species.charge) < 1e-3,
            f"Mulliken charges add up to {total:.6f}, the charge is {species.charge}.",
        )  # fmt: skip
    if spec.frequencies:
        yield from _vibrations(spec, species, results)
    alone = (species.formula, species.charge) in (("H", 0), ("H2", 1))  # one electron: PySCF gives bare levels
    for gap in () if alone else results.find("homo_lumo_gap", molecule=name):
        value = float(gap.value)  # type: ignore[arg-type]
        yield Judgement(
            f"gap of {name}", value > 0, f"The HOMO-LUMO gap is {value:.5f} hartree.", "bug", "Look at the occupation."
        )
    if spec.thermochemistry:
        for h, g in zip(results.find("enthalpy", molecule=name), results.find("gibbs", molecule=name), strict=True):
            passed = all(low < high for low, high in zip(_row(g.value), _row(h.value), strict=True))
            yield Judgement(f"entropy of {name}", passed, f"H = {h.value}, G = {g.value} hartree: G lies below H.")
    if "geometry" in spec.wanted and species.formula not in ELEMENTS:
        there = len(results.find("bond_length", molecule=name))
        yield Judgement(
            f"structure of {name}", there > 0, f"{there} bond lengths.", "result_incomplete", "Measure the structure."
        )
    if spec.excited:
        yield from _excited(spec, species, results)
    for one in results.find("qse_energies", molecule=name):
        exact = results.find("casci_energies", molecule=name, active_space=one.labels["active_space"])
        if exact:
            above = _floats(one.value)[0] - _floats(exact[0].value)[0]
            yield Judgement(
                f"expansion of {name} in ({one.labels['active_space']})",
                -1e-6 < above < 0.05,
                f"QSE lies {above:.2e} hartree above the exact energy of the active space (CASCI).",
            )


def _vibrations(spec: Computed, species: Species, results: Results) -> Iterator[Judgement]:
    records = results.find("frequencies", molecule=species.name)
    shape = results.find("coordinates", molecule=species.name)
    for record, place in zip(records, shape, strict=False):
        values = _floats(record.value)
        atoms = len(place.value["symbols"]) if isinstance(place.value, dict) else 0
        allowed = {0} if atoms == 1 else {3 * atoms - 5} if atoms == 2 else {3 * atoms - 6, 3 * atoms - 5}
        yield Judgement(
            f"modes of {species.name}", len(values) in allowed, f"{len(values)} vibrations of {atoms} atoms."
        )
        if not (spec.optimise and species.optimise):
            continue
        imaginary = [value for value in values if value < 0]
        worst = (
            f"{len(imaginary)} imaginary wavenumbers{f', the largest {min(imaginary):.1f} 1/cm' if imaginary else ''}."
        )
        noise = " A weak one may be noise of the grid." if imaginary and min(imaginary) > SOFT else ""
        yield Judgement(
            f"minimum of {species.name}", not imaginary, worst + noise, "more_simulation",
            "Displace along the mode and optimise again, with a finer grid where there is one.",
        )  # fmt: skip


def _excited(spec: Computed, species: Species, results: Results) -> Iterator[Judgement]:
    assert spec.excited is not None
    levels = range(len(spec.levels))
    singlets = results.find("excitation_energy", molecule=species.name, state="S1", functional=spec.levels[0].method)
    triplets = results.find("excitation_energy", molecule=species.name, state="T1", functional=spec.levels[0].method)
    wanted = bool(spec.excited.n_singlets), bool(spec.excited.n_triplets)
    there = bool(singlets), bool(triplets)
    yield Judgement(
        f"states of {species.name}", wanted == there, f"S1 and T1 at "
f"{len(levels)} levels: {there}.", "result_incomplete", "Run TD-DFT.",
    )  # fmt: skip
    for one, other in zip(singlets, triplets, strict=False):
        s, t = float(one.value), float(other.value)  # type: ignore[arg-type]
        yield Judgement(f"order of states of {species.name}", t < s, f"T1 at {t:.3f} eV, S1 at {s:.3f} eV.")
        if t < 0.3:
            message = f"T1 lies only {t:.3f} eV above the ground state, which may be unstable towards triplets."
            yield Judgement(
                f"stability of {species.name}", False, message, "bug", "Use the Tamm-Dancoff approximation."
            )
    for record in results.find("oscillator_strength", molecule=species.name):
        if float(record.value) < -1e-6:  # type: ignore[arg-type]
            yield Judgement(f"strengths of {species.name}", False, f"An oscillator strength is {record.value}.")


def _reactions(spec: Computed, results: Results) -> Iterator[Judgement]:
    """Each energy of reaction again, from the molecules' records."""
    quantity = "gibbs" if spec.thermochemistry else "energy"
    for reaction in spec.reactions:
        there = len(results.find(f"reaction_{quantity}", reaction=reaction.name))
        yield Judgement(
            f"levels of {reaction.name}", there >= len(spec.levels), f"{there} energies of reaction at "
            f"{len(spec.levels)} levels.", "result_incomplete", "Combine every level.",
        )  # fmt: skip
        for record in results.find(f"reaction_{quantity}", reaction=reaction.name):
            if str(record.labels.get("method", "")).upper() not in TREATMENTS:
                yield from _again(spec, results, reaction, record, quantity)


def _again(spec: Computed, results: Results, reaction: Reaction, record: Record, quantity: str) -> Iterator[Judgement]:
    """One energy of reaction from the records of its species at the same level."""
    how = {key: value for key, value in record.labels.items() if key != "reaction"}
    values = _row(record.value)
    again = [0.0 for _ in values]
    for name, count in reaction.terms.items():
        found = results.find(quantity, molecule=name, **how)
        if not found:
            return
        own = _row(found[0].value)
        again = [total + count * one for total, one in zip(again, own, strict=True)]
    off = max(abs(one - PER_HARTREE[record.unit] * two) for one, two in zip(values, again, strict=True))
    shown = ", ".join(f"{one:.4g}" for one in values)
    yield Judgement(
        f"reaction {reaction.name}", off < 1.6e-5 * PER_HARTREE[record.unit],
        f"{quantity} of reaction {shown} {record.unit}; from the species' records it differs by {off:.1e}.",
    )  # fmt: skip


def _acids(spec: Computed, results: Results) -> Iterator[Judgement]:
    for acid in spec.acids:
        difference = float(results.one("reaction_gibbs", reaction=f"{acid.acid} deprotonation").value)  # type: ignore[arg-type]
        yield Judgement(
            f"deprotonation of {acid.acid}", 0.3 < difference < 0.8,
            f"G(A-) - G(HA) = {difference:.5f} hartree; solvated acids lie between 0.3 and 0.8.",
        )  # fmt: skip
        if acid.pka is None:
            value = float(results.one("pka", acid=acid.acid).value)  # type: ignore[arg-type]
            yield Judgement(f"pKa of {acid.acid}", -30 < value < 70, f"pKa = {value:.2f}.")
    if spread := results.find("proton_spread"):
        value = float(spread[0].value)  # type: ignore[arg-type]
        yield Judgement(
            "calibration", value < 5.0, f"The known acids agree on the proton "
f"within {value:.2f} kcal/mol (standard deviation).",
            "more_simulation", "Use acids that resemble the target.",
        )  # fmt: skip


def _scan(spec: Computed, results: Results, figures: Mapping[str, object]) -> Iterator[Judgement]:
    assert spec.scan is not None
    curves = {str(one.labels["method"]): _floats(one.value) for one in results.find("energy") if one.axes}
    if not curves:
        raise InputError("results.json holds no energies along the bond.")
    for name, values in curves.items():
        yield Judgement(
            f"curve {name}",
            len(values) == len(spec.scan.distances),
            f"{len(values)} energies at {len(spec.scan.distances)} distances.",
        )
    hf, fci = (curves.get(spec.names.get(one, one)) for one in ("hf", "fci"))
    if hf and fci:
        worst = max(b - a for a, b in zip(hf, fci, strict=True))
        yield Judgement(
            "variation", worst < 1e-7, f"FCI lies below HF everywhere: largest difference {worst:.2e} hartree."
        )
    yield Judgement("figure", bool(figures), f"{len(figures)} figures.", "result_incomplete", "Plot the curves.")


def _row(value: Any) -> list[float]:
    """One number or one for each temperature, as a list."""
    return [float(one) for one in value] if isinstance(value, list) else [float(value)]


def _floats(value: Any) -> list[float]:
    return [float(one) for one in value] if isinstance(value, list) else []
