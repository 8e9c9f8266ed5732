"""Enthalpy, entropy and Gibbs free energy of a molecule as an ideal gas: rigid rotor and harmonic oscillators.

G(T, p) = E + ZPE + thermal parts - T S, with the Sackur-Tetrode entropy of translation at pressure p, the classical
rotor with its symmetry number, and every real vibration as a harmonic oscillator. Imaginary frequencies (negative
numbers) are left out and counted. A solution's standard state of 1 mol/l is the pressure c R T. Low frequencies are
taken as they are: `low_frequency_floor` lifts them, if wanted, to a floor (Truhlar's quasi-harmonic approximation).
Source: McQuarrie, Statistical Mechanics (1976), chapters 5 to 8; Ribeiro et al., J. Phys. Chem. B 115, 14556 (2011).
"""

import math

import numpy as np
from pydantic import BaseModel, Field
from scipy import constants


class IdealGasThermochemistryInput(BaseModel, allow_inf_nan=False):
    """A molecule with its energy and vibrations, and the conditions."""

    energy: float = Field(description="Electronic energy (hartree).")
    masses: list[float] = Field(min_length=1, description="Mass of each atom (u).")
    positions: list[list[float]] = Field(description="Cartesian coordinates, atoms x 3 (angstrom).")
    frequencies: list[float] = Field(description="Wavenumbers of the vibrations; negative: imaginary (1/cm).")
    multiplicity: int = Field(ge=1, description="Degeneracy of the electronic ground state (1).")
    symmetry_number: int = Field(
        ge=1, description="Rotations that leave the molecule as it is, such as 12 for CH4 (1)."
    )
    temperature: float = Field(gt=0, description="Temperature (K).")
    pressure: float = Field(gt=0, description="Pressure, such as 101325 for one atmosphere (Pa).")
    low_frequency_floor: float = Field(
        default=0.0, ge=0, description="Real frequencies below this count as this, in the thermal parts only (1/cm)."
    )


class IdealGasThermochemistryOutput(BaseModel):
    """Molar quantities, per molecule."""

    zero_point_energy: float = Field(description="Half the sum of the real frequencies (hartree).")
    energy_at_zero: float = Field(description="Electronic and zero-point energy (hartree).")
    internal_energy: float = Field(description="Internal energy U (hartree).")
    enthalpy: float = Field(description="Enthalpy H = U + k T (hartree).")
    entropy: float = Field(description="Entropy S (hartree/K).")
    entropy_translation: float = Field(description="Its translational part (hartree/K).")
    entropy_rotation: float = Field(description="Its rotational part (hartree/K).")
    entropy_vibration: float = Field(description="Its vibrational part (hartree/K).")
    heat_capacity: float = Field(description="At constant pressure (hartree/K).")
    gibbs: float = Field(description="Gibbs free energy G = H - T S (hartree).")
    rotor: str = Field(description="atom, linear or general.")
    n_left_out: int = Field(description="Imaginary frequencies, which are left out (1).")


_HARTREE = constants.physical_constants["Hartree energy"][0]


def ideal_gas_thermochemistry(given: IdealGasThermochemistryInput) -> IdealGasThermochemistryOutput:
    """The thermodynamic functions of `given`.

    Raises:
        ValueError: masses, positions and frequencies do not fit each other.
    """
    masses, positions = np.array(given.masses), np.array(given.positions)
    if positions.shape != (len(masses), 3):
        raise ValueError(f"{len(masses)} masses need {len(masses)} rows of 3 coordinates, not {positions.shape}.")
    moments = _moments(masses, positions)
    rotor = "atom" if len(masses) == 1 else "linear" if moments[0] < 1e-4 * moments[2] else "general"
    expected = max(0, 3 * len(masses) - {"atom": 3, "linear": 5, "general": 6}[rotor])
    if len(given.frequencies) != expected:
        raise ValueError(
            f"{len(masses)} atoms ({rotor}) have {expected} vibrations, but {len(given.frequencies)} are given."
        )
    k = constants.k / _HARTREE
    kt = k * given.temperature
    real = np.array([one for one in given.frequencies if one > 0])
    zero = float(_quantum(real).sum() / 2)
    thermal, s_vibration, c_vibration = _vibrations(np.maximum(real, given.low_frequency_floor), given.temperature)
    s_translation = k * _sackur_tetrode(masses.sum(), given)
    degrees = {"atom": 0, "linear": 2, "general": 3}[rotor]
    s_rotation = k * (_rotation_log(moments, rotor, given) + degrees / 2)
    internal = given.energy + zero + thermal + (3 + degrees) / 2 * kt
    entropy = s_translation + s_rotation + s_vibration + k * math.log(given.multiplicity)
    enthalpy = internal + kt
    return IdealGasThermochemistryOutput(
        zero_point_energy=zero,
        energy_at_zero=given.energy + zero,
        internal_energy=internal,
        enthalpy=enthalpy,
        entropy=entropy,
        entropy_translation=s_translation,
        entropy_rotation=s_rotation,
        entropy_vibration=s_vibration,
        heat_capacity=k * (5 + degrees) / 2 + c_vibration,
        gibbs=enthalpy - given.temperature * entropy,
        rotor=rotor,
        n_left_out=len(given.frequencies) - len(real),
    )


def _moments(masses: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Principal moments of inertia in rising order (u angstrom^2)."""
    centred = positions - masses @ positions / masses.sum()
    tensor = np.einsum("a,ax,ay->xy", masses, centred, centred)
    return np.linalg.eigvalsh(np.eye(3) * np.trace(tensor) - tensor)


def _quantum(wavenumbers: np.ndarray) -> np.ndarray:
    """Energy quanta (hartree)."""
    return wavenumbers * 100 * constants.h * constants.c / _HARTREE


def _vibrations(wavenumbers: np.ndarray, temperature: float) -> tuple[float, float, float]:
    """Thermal energy (hartree), entropy and heat capacity (hartree/K)."""
    k = constants.k / _HARTREE
    x = _quantum(wavenumbers) / (k * temperature)
    occupied = 1 / np.expm1(x)
    energy = k * temperature * (x * occupied).sum()
    entropy = k * (x * occupied - np.log(-np.expm1(-x))).sum()
    return float(energy), float(entropy), float(k * (x**2 * occupied * (1 + occupied)).sum())


def _sackur_tetrode(mass: float, given: IdealGasThermochemistryInput) -> float:
    thermal = 2 * math.pi * mass * constants.atomic_mass * constants.k * given.temperature / constants.h**2
    return 2.5 + math.log(thermal**1.5 * constants.k * given.temperature / given.pressure)


def _rotation_log(moments: np.ndarray, rotor: str, given: IdealGasThermochemistryInput) -> float:
    """Logarithm of the classical partition function of the rotor."""
    if rotor == "atom":
        return 0.0
    inertia = moments * constants.atomic_mass * constants.angstrom**2
    ratio = 8 * math.pi**2 * constants.k * given.temperature / constants.h**2
    if rotor == "linear":
        return math.log(ratio * inertia[2] / given.symmetry_number)
    return math.log(math.sqrt(math.pi * ratio**3 * float(np.prod(inertia))) / given.symmetry_number)
