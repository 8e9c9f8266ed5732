"""Contours of molecular orbitals in a plane, as a figure with one panel for each orbital and plane.

Evaluates psi(r) = sum_i C_i phi_i(r) on a square grid in a plane through `centre` that two directions span. Lines are
solid where the orbital is positive and dashed where it is negative; its overall sign means nothing and is fixed by
making the largest value positive. The grids go to a JSON file of the figure's name.
Source: Sun et al., J. Chem. Phys. 153, 024109 (2020); matplotlib documentation.
"""

import json
from pathlib import Path
from typing import Literal

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from pydantic import BaseModel, Field
from pyscf import dft, gto, scf
from pyscf.data import elements
from pyscf.solvent import smd


class PlotOrbitalContoursInput(BaseModel, allow_inf_nan=False):
    """A molecule, a level of theory, orbitals and planes."""

    class Plane(BaseModel, allow_inf_nan=False):
        """A plane by a point and two directions, which are made orthonormal."""

        label: str = Field(description="Name of the plane, such as xz.")
        centre: list[float] = Field(min_length=3, max_length=3, description="A point of it (angstrom).")
        across: list[float] = Field(min_length=3, max_length=3, description="Direction of the horizontal axis (1).")
        up: list[float] = Field(min_length=3, max_length=3, description="Direction of the vertical axis, roughly (1).")

    path: str = Field(description="Where the PNG goes; it ends in .png.")
    title: str = Field(description="Title of the figure.")
    orbitals: list[int] = Field(min_length=1, description="Orbitals by number, counted from 0; alpha ones (1).")
    labels: list[str] = Field(description="Name of each orbital, such as HOMO.")
    planes: list[Plane] = Field(min_length=1, description="Planes; a row of panels each.")
    half_width: float = Field(gt=0, description="Half the side of the square that is shown (angstrom).")
    contours: list[float] = Field(
        default=[0.01, 0.02, 0.04, 0.08, 0.16, 0.32], min_length=2, description="Rising positive levels (bohr^-3/2)."
    )
    n_points: int = Field(ge=10, le=400, description="Points along each side (1).")
    symbols: list[str] = Field(min_length=1, description="Element symbols, one for each atom.")
    positions: list[list[float]] = Field(description="Cartesian coordinates, atoms x 3 (angstrom).")
    charge: int = Field(description="Charge of the molecule (elementary charges).")
    multiplicity: int = Field(ge=1, description="Spin multiplicity 2S+1; 1 is run restricted, more unrestricted (1).")
    method: str = Field(description="HF, or an exchange-correlation functional as PySCF names it: B3LYP, PBE0.")
    basis: str = Field(description="Basis set as PySCF names it, such as def2-SVP.")
    core_potential: str = Field(
        default="", description="Effective core potential, such as def2-SVP; empty: all electrons."
    )
    density_fitting: bool = Field(
        default=False, description="Whether Coulomb and exchange are density-fitted; False: conventional."
    )
    grid_level: int = Field(default=3, ge=0, le=9, description="Level of the integration grid, `mf.grids.level` (1).")
    dispersion: str = Field(default="", description="Dispersion correction: d3bj, d4, or empty for none.")
    solvent_model: Literal["none", "CPCM", "IEFPCM", "SMD"] = Field(
        default="none", description="Implicit solvent; none is the gas phase."
    )
    dielectric: float | None = Field(default=None, gt=1, description="Relative permittivity for C-PCM, IEF-PCM (1).")
    solvent: str = Field(default="", description="Name of the solvent for SMD, such as water.")
    lebedev_order: int = Field(
        default=29, description="Order of the cavity's grid: 29 is usual, 11 a coarse one for solvated Hessians (1)."
    )
    second_order: bool = Field(default=False, description="Whether a Newton solver converges the orbitals first.")
    max_cycles: int = Field(default=100, ge=1, description="Iterations that the self-consistent field may take (1).")


class PlotOrbitalContoursOutput(BaseModel):
    """What was written."""

    path: str = Field(description="The PNG.")
    data_path: str = Field(description="The grids as JSON.")
    energies: list[float] = Field(description="Energy of each orbital (hartree).")
    occupations: list[float] = Field(description="Electrons in each orbital (1).")
    atoms: list[list[list[float]]] = Field(description="Atoms in each plane, planes x atoms x 2 (angstrom).")
    largest: list[list[float]] = Field(description="Largest magnitude in each plane, planes x orbitals (bohr^-3/2).")


def plot_orbital_contours(given: PlotOrbitalContoursInput) -> PlotOrbitalContoursOutput:
    """Draw the orbitals of `given`.

    Raises:
        ValueError: an orbital does not exist, labels do not fit, directions are parallel, or the level does not fit.
        RuntimeError: the iterations do not converge.
    """
    path = Path(given.path)
    if path.suffix != ".png":
        raise ValueError(f"The path must end in .png, but is {given.path!r}.")
    if len(given.labels) != len(given.orbitals):
        raise ValueError(f"{len(given.orbitals)} orbitals need as many labels, not {len(given.labels)}.")
    field = _converged(_mean_field(given), given)
    restricted = given.multiplicity == 1
    coefficients = field.mo_coeff if restricted else field.mo_coeff[0]
    energies = field.mo_energy if restricted else field.mo_energy[0]
    filled = field.mo_occ if restricted else field.mo_occ[0]
    if not all(0 <= one < len(energies) for one in given.orbitals):
        raise ValueError(f"Orbitals are numbered 0 to {len(energies) - 1}, but {given.orbitals} are asked for.")
    side = np.linspace(-given.half_width, given.half_width, given.n_points)
    grids = [[_values(field, coefficients[:, one], plane, side) for one in given.orbitals] for plane in given.planes]
    atoms = [(np.array(given.positions) - np.array(plane.centre)) @ _frame(plane).T for plane in given.planes]
    path.parent.mkdir(parents=True, exist_ok=True)
    _draw(given, grids, atoms, side).savefig(path, dpi=170, bbox_inches="tight")
    panels = [
        {"title": f"{label}, {plane.label}", "x": side.tolist(), "y": side.tolist(), "values": grid.round(6).tolist()}
        for plane, row in zip(given.planes, grids, strict=True)
        for label, grid in zip(given.labels, row, strict=True)
    ]
    data_path = path.with_suffix(".json")
    data_path.write_text(
        json.dumps({"kind": "orbitals", "title": given.title, "contours": given.contours, "panels": panels}),
        encoding="utf-8",
    )
    return PlotOrbitalContoursOutput(
        path=str(path),
        data_path=str(data_path),
        energies=[float(energies[one]) for one in given.orbitals],
        occupations=[float(filled[one]) for one in given.orbitals],
        atoms=[one.tolist() for one in atoms],
        largest=[[float(np.abs(grid).max()) for grid in row] for row in grids],
    )


def _frame(plane: PlotOrbitalContoursInput.Plane) -> np.ndarray:
    """The two orthonormal directions of a plane, as rows."""
    across, up = np.array(plane.across), np.array(plane.up)
    if np.linalg.norm(np.cross(across, up)) < 1e-6:
        raise ValueError(f"The directions of plane {plane.label!r} are parallel or nothing: give two different ones.")
    across = across / np.linalg.norm(across)
    up = up - (up @ across) * across
    return np.array([across, up / np.linalg.norm(up)])


def _values(
    field: scf.hf.SCF, column: np.ndarray, plane: PlotOrbitalContoursInput.Plane, side: np.ndarray
) -> np.ndarray:
    """The orbital on the grid of a plane, rows along its vertical axis."""
    across, up = _frame(plane)
    points = np.array(plane.centre) + side[None, :, None] * across + side[:, None, None] * up
    values = field.mol.eval_gto("GTOval_sph", points.reshape(-1, 3) / 0.529177210903) @ column
    if values[np.abs(values).argmax()] < 0:
        values = -values
    return values.reshape(len(side), len(side))


def _draw(
    given: PlotOrbitalContoursInput, grids: list[list[np.ndarray]], atoms: list[np.ndarray], side: np.ndarray
) -> Figure:
    rows, columns = len(given.planes), len(given.orbitals)
    figure = Figure(figsize=(2.9 * columns + 0.6, 2.9 * rows + 0.6), layout="constrained")
    FigureCanvasAgg(figure)
    panels = np.atleast_2d(figure.subplots(rows, columns, squeeze=False))
    steps = np.array(given.contours)
    for row, plane in enumerate(given.planes):
        for column, label in enumerate(given.labels):
            panel, grid = panels[row][column], grids[row][column]
            panel.contourf(side, side, grid, levels=[*(-steps[::-1]), *steps], cmap="RdBu_r", alpha=0.75, extend="both")
            # one colour: matplotlib dashes what is negative
            panel.contour(side, side, grid, levels=[*(-steps[::-1]), *steps], colors="black", linewidths=0.6)
            for symbol, atom in zip(given.symbols, atoms[row], strict=True):
                panel.text(*atom, symbol, ha="center", va="center", fontsize=8)
            panel.set_title(f"{label}, {plane.label} plane", fontsize=9)
            panel.set_aspect("equal")
            panel.margins(0)
            panel.set_xlabel("angstrom", fontsize=8)
            panel.tick_params(labelsize=7)
    figure.suptitle(given.title)
    return figure


def _molecule(given: PlotOrbitalContoursInput) -> gto.Mole:
    """The molecule with its basis; electrons, spin and basis are checked."""
    if len(given.symbols) != len(given.positions) or any(len(row) != 3 for row in given.positions):
        raise ValueError(
            f"{len(given.symbols)} symbols need as many rows of 3 coordinates, but there are {len(given.positions)} rows."
        )
    numbers = [elements.charge(symbol) for symbol in given.symbols]
    electrons = sum(numbers) - given.charge
    unpaired = given.multiplicity - 1
    if electrons < max(1, unpaired) or electrons % 2 != unpaired % 2:
        raise ValueError(
            f"Charge {given.charge} leaves {electrons} electrons, which cannot have multiplicity {given.multiplicity}: "
            f"change one of them."
        )
    if given.basis.lower().startswith("def2") and max(numbers) > 36 and not given.core_potential:
        raise ValueError(
            f"{given.basis} has no core functions beyond krypton: give `core_potential`, or an all-electron basis."
        )
    atoms = [(symbol, tuple(row)) for symbol, row in zip(given.symbols, given.positions, strict=True)]
    return gto.M(
        atom=atoms,
        unit="Angstrom",
        charge=given.charge,
        spin=unpaired,
        basis=given.basis,
        ecp=given.core_potential if given.core_potential else {},
        verbose=0,
    )


def _mean_field(given: PlotOrbitalContoursInput) -> scf.hf.SCF:
    """The self-consistent field of `given`, not yet run."""
    molecule = _molecule(given)
    restricted = given.multiplicity == 1
    if given.method.upper() == "HF":
        field = scf.RHF(molecule) if restricted else scf.UHF(molecule)
    else:
        try:
            dft.libxc.parse_xc(given.method)
        except KeyError as unknown:
            raise ValueError(
                f"PySCF knows no functional {given.method!r} ({unknown}); say HF for Hartree-Fock."
            ) from unknown
        field = dft.RKS(molecule, xc=given.method) if restricted else dft.UKS(molecule, xc=given.method)
        field.grids.level = given.grid_level
    if given.dispersion:
        field.disp = given.dispersion
    field.max_cycle = given.max_cycles
    if given.density_fitting:
        field = field.density_fit()
    return _solvated(field, given)


def _solvated(field: scf.hf.SCF, given: PlotOrbitalContoursInput) -> scf.hf.SCF:
    """`field` with the implicit solvent of `given` around it."""
    if given.solvent_model == "none":
        return field
    if given.solvent_model == "SMD":
        if not given.solvent or given.solvent not in smd.solvent_db:
            raise ValueError(f"SMD needs `solvent`, one of PySCF's names such as water, but got {given.solvent!r}.")
        field = field.SMD()
        field.with_solvent.solvent = given.solvent
    else:
        if given.dielectric is None:
            raise ValueError(f"{given.solvent_model} needs `dielectric`, such as 78.3553 for water at 298 K.")
        field = field.PCM()
        field.with_solvent.method = given.solvent_model
        field.with_solvent.eps = given.dielectric
    field.with_solvent.lebedev_order = given.lebedev_order
    return field


def _converged(field: scf.hf.SCF, given: PlotOrbitalContoursInput) -> scf.hf.SCF:
    """`field` after it was run.

    Raises:
        RuntimeError: the iterations do not converge.
    """
    start = None
    if given.second_order:
        newton = field.newton()
        newton.kernel()
        start = newton.make_rdm1()
    field.kernel(dm0=start)
    if not field.converged:
        raise RuntimeError(
            f"{given.method}/{given.basis} did not converge in {given.max_cycles} iterations: set `second_order`, "
            "or look at charge, multiplicity and geometry."
        )
    return field
