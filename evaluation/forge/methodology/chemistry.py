"""Methodology of the chemistry tasks: the paper's table 8 with its weights, looked up in what was called."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from labwright.evaluation.forge.accuracy.molecules import IMAGINARY, lowest_frequency
from labwright.evaluation.forge.criteria import Criterion, Missing
from labwright.evaluation.forge.methodology.evidence import (
    Part,
    Stage,
    called,
    label_values,
    part_called,
    part_numbers,
    part_record,
    part_words,
    staged,
)
from labwright.evaluation.forge.records import parameter
from labwright.evaluation.forge.references.molecules import RINGS
from labwright.evaluation.forge.structures import PARENTS
from labwright.evaluation.forge.workspace import Workspace

OPTIMISERS = ("optimize", "GeometryOptimizer", "kernel", "as_pyscf_method", "run", "BFGS")
HESSIAN = ("Hessian", "harmonic_analysis", "thermo", "hessian")
TDDFT = ("TDDFT", "TDA", "tddft", "TDHF", "TDRKS", "TD")
PROTON = (-265.9, -270.28, -270.3, -272.2, -264.0, -263.98, -265.6, -6.28)  # kcal/mol, published free energies


def geometries(workspace: Workspace) -> Part:
    """Structures from SMILES, or from the files that came with the task."""
    made = called(workspace, "rdkit") or called(workspace, "openbabel") or called(workspace, "ase")
    return made or workspace.has_inputs, "structures by rdkit, openbabel or ase, or from inputs/"


def optimised(workspace: Workspace) -> Part:
    """A geometry optimiser ran."""
    held = called(workspace, "pyscf", *OPTIMISERS) and (
        bool({"geometric", "ase", "berny"} & workspace.packages) or bool(part_words(workspace, "geomopt")[0])
    )
    return held, "an optimiser of geometries"


def differentiated(workspace: Workspace) -> Part:
    """A Hessian was computed."""
    return part_called(workspace, "pyscf", *HESSIAN)


def level(workspace: Workspace, method: str) -> list[Part]:
    """Method and basis."""
    return [part_words(workspace, method), part_words(workspace, "def2-svp", "def2svp")]


def minima(workspace: Workspace, molecules: Sequence[str]) -> list[Part]:
    """Frequencies of each molecule, none imaginary."""
    parts = []
    for name in molecules:
        try:
            lowest = lowest_frequency(workspace, name)
            parts.append((lowest > IMAGINARY, f"{name}: lowest frequency {lowest:.0f} 1/cm"))
        except Missing as missing:
            parts.append((False, str(missing)))
    return parts


def charges(workspace: Workspace, ions: bool) -> Part:
    """Ions were computed as ions."""
    held = not ions or bool({-1.0, 1.0} & workspace.numbers()) or part_numbers(workspace, 1)[0]
    return held, "charges of the ions"


def properties(
    molecules: Sequence[str], weights: tuple[float, float, float], inorganic: bool
) -> Callable[..., list[Criterion]]:
    """Organic and inorganic compounds: structures (or charges), optimised minima, a report of everything."""
    reported = ("coordinates", "energy", "point_group", "dipole", "homo_lumo_gap", "mulliken_charges")

    def grade(workspace: Workspace) -> list[Criterion]:
        first = [geometries(workspace)] if not inorganic else [geometries(workspace), charges(workspace, True)]
        stages = [
            Stage(weights[0], "charges and multiplicities" if inorganic else "structures", lambda w: first),
            Stage(weights[1], "optimised in the gas phase, frequencies, true minima", lambda w: [
                optimised(w), differentiated(w), *level(w, "hf"), *minima(w, molecules),
            ]),
            Stage(weights[2], "coordinates, energy, point group, dipole, gap, charges", lambda w: [
                part_record(w, quantity, molecule=name) for name in molecules for quantity in reported
            ]),
        ]  # fmt: skip
        return staged(workspace, stages)

    return grade


def carbocations(workspace: Workspace) -> list[Criterion]:
    """Structures, minima with thermochemistry, reactions."""
    species = [*PARENTS, *(f"{name} cation" for name in PARENTS)]
    reactions = [(name, f"{name} -> {name} cation + hydride", name.replace(" ", "_")) for name in PARENTS]
    stages = [
        Stage(10, "structures of all R-H and R+, hydride not optimised", lambda w: [
            geometries(w), part_record(w, "energy", molecule="hydride"),
        ]),
        Stage(40, "optimised, frequencies at 298.15 K, true minima", lambda w: [
            optimised(w), differentiated(w), *level(w, "b3lyp"), *minima(w, species),
        ]),
        Stage(50, "H and G of all, both reaction numbers", lambda w: [
            *(part_record(w, kind, molecule=name) for name in [*species, "hydride"] for kind in ("enthalpy", "gibbs")),
            *(part_record(w, f"reaction_{kind}", reaction=r) for r in reactions for kind in ("enthalpy", "gibbs")),
        ]),
    ]  # fmt: skip
    return staged(workspace, stages)


def ring_strain(workspace: Workspace) -> list[Criterion]:
    """Structures, ladder, minima, accumulated strain."""
    molecules = [*RINGS.values(), *(f"methyl{RINGS[n]}" for n in RINGS if n < 8)]
    stages = [
        Stage(10, "structures of all rings", lambda w: [
            geometries(w), *(part_record(w, "energy", molecule=m) for m in molecules),
        ]),
        Stage(25, "the ladder C_n -> methyl C_(n-1)", lambda w: [
            part_record(w, f"reaction_{kind}", reaction=f"n={n}") for n in range(4, 9) for kind in ("enthalpy", "gibbs")
        ]),
        Stage(30, "optimised, frequencies, true minima", lambda w: [
            optimised(w), differentiated(w), *level(w, "b3lyp"), *minima(w, molecules),
        ]),
        Stage(35, "H and G, strain accumulated and referred", lambda w: [
            *(part_record(w, kind, molecule=m) for m in molecules for kind in ("enthalpy", "gibbs")),
            *(part_record(w, "ring_strain", quantity=q) for q in ("enthalpy", "gibbs")),
        ]),
    ]  # fmt: skip
    return staged(workspace, stages)


def _solvated(workspace: Workspace, names: Sequence[str]) -> list[Part]:
    """Optimised in implicit water, frequencies, minima."""
    return [
        part_words(workspace, "cpcm", "c-pcm", "pcm", "smd", "iefpcm", "ddcosmo"),
        optimised(workspace),
        differentiated(workspace),
        *level(workspace, "b3lyp"),
        *minima(workspace, names),
    ]


def pka_l1(workspace: Workspace) -> list[Criterion]:
    """Acetic acid with a stated proton."""
    acid = "acetic acid"
    stages = [
        Stage(20, "acid, conjugate base, proton by its solvation energy", lambda w: [
            part_record(w, "gibbs", molecule=acid), part_record(w, "gibbs", molecule=f"{acid} anion"),
            (parameter(w, "proton_free_energy") is not None, "proton_free_energy among the parameters"),
        ]),
        Stage(30, "both optimised in C-PCM water, frequencies", lambda w: _solvated(w, [acid, f"{acid} anion"])),
        Stage(25, "free energy of deprotonation with a published proton", lambda w: [
            part_record(w, "reaction_gibbs"), (_published_proton(w), "a published free energy of the proton"),
        ]),
        Stage(25, "pKa = dG / (RT ln 10)", lambda w: [
            part_record(w, "pka"), (_follows(w), "pKa follows from dG and the proton"),
        ]),
    ]  # fmt: skip
    return staged(workspace, stages)


RT_LN10 = 1.3642  # kcal/mol at 298.15 K


def _published_proton(workspace: Workspace) -> bool:
    said = parameter(workspace, "proton_free_energy")
    return isinstance(said, int | float) and any(
        abs(said - one) < 0.5 for one in (*PROTON, -265.9 - 6.28, -265.9 - 4.39)
    )


def _follows(workspace: Workspace) -> bool:
    from labwright.evaluation.forge.records import number
    from labwright.evaluation.forge.references.molecules import HARTREE_KCAL

    proton = parameter(workspace, "proton_free_energy")
    if not isinstance(proton, int | float):
        return False
    try:
        gap = number(workspace, "reaction_gibbs") * HARTREE_KCAL
        return abs(number(workspace, "pka") - (gap + proton) / RT_LN10) < 0.3
    except Missing:
        return False


def pka_l2(workspace: Workspace) -> list[Criterion]:
    """A target calibrated on three acids."""
    target, known = "chlorofluoroacetic acid", ("acetic acid", "fluoroacetic acid", "chloroacetic acid")
    names = [name for acid in (target, *known) for name in (acid, f"{acid} anion")]
    stages = [
        Stage(15, "target and two calibrating acids or more, with their pKa", lambda w: [
            *(part_record(w, "gibbs", molecule=name) for name in names), part_numbers(w, 4.76),
            part_numbers(w, 2.586, 2.86),
        ]),
        Stage(25, "all optimised in implicit water, frequencies", lambda w: _solvated(w, names)),
        Stage(20, "free energy of deprotonation of each acid", lambda w: [
            (len(label_values(w, "reaction_gibbs", "reaction")) >= 4, "reaction_gibbs of four acids"),
        ]),
        Stage(25, "proton calibrated, averaged over the known acids", lambda w: [part_record(w, "proton_free_energy")]),
        Stage(15, "applied to the target", lambda w: [part_record(w, "pka", acid=(target, target.replace(" ", "_")))]),
    ]  # fmt: skip
    return staged(workspace, stages)


def tddft(workspace: Workspace) -> list[Criterion]:
    """Optimised, TD-DFT with five roots of each spin, everything extracted."""
    names = ("2", "3", "5")

    def roots(workspace: Workspace, kind: str) -> Part:
        said = parameter(workspace, f"n_{kind}", f"{kind}_roots", "nstates", "n_states")
        return isinstance(said, int | float) and said >= 5, f"five {kind} or more"

    stages = [
        Stage(20, "optimised, true minima", lambda w: [optimised(w), *minima(w, names)]),
        Stage(50, "TD-DFT, five singlets and five triplets or more", lambda w: [
            part_called(w, "pyscf", *TDDFT), *level(w, "b3lyp"), roots(w, "singlets"), roots(w, "triplets"),
        ]),
        Stage(30, "S1, T1, gap and oscillator strength", lambda w: [
            part for name in names for part in (
                part_record(w, "excitation_energy", molecule=name, state="S1"),
                part_record(w, "excitation_energy", molecule=name, state="T1"),
                part_record(w, "singlet_triplet_gap", molecule=name),
                part_record(w, "oscillator_strength", molecule=name),
            )
        ]),
    ]  # fmt: skip
    return staged(workspace, stages)
