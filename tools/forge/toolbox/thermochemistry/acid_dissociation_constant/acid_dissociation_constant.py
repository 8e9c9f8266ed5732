"""The pKa of an acid in solution from the free energies of acid and base, with a given or a calibrated proton.

pKa = (G(A-) + G(H+) - G(HA)) / (R T ln 10). G(H+) in solution is a number that no electronic-structure method gives:
either it is given, or it is calibrated on acids with known pKa as the mean of
G(H+) = R T ln(10) pKa - (G(A-) - G(HA)), which also takes up systematic errors of the method.
Source: Ho and Coote, Theor. Chem. Acc. 125, 3 (2010); Tissandier et al., J. Phys. Chem. A 102, 7787 (1998).
"""

import math
import statistics

from pydantic import BaseModel, Field
from scipy import constants


class AcidDissociationConstantInput(BaseModel, allow_inf_nan=False):
    """Free energies in solution, and where the proton's comes from: exactly one of the two ways."""

    class KnownAcid(BaseModel, allow_inf_nan=False):
        """An acid to calibrate on."""

        gibbs_acid: float = Field(description="Free energy of the acid in solution (hartree).")
        gibbs_base: float = Field(description="Free energy of its conjugate base in solution (hartree).")
        pka: float = Field(description="Measured pKa (1).")

    gibbs_acid: float = Field(description="Free energy of the acid in solution (hartree).")
    gibbs_base: float = Field(description="Free energy of its conjugate base in solution (hartree).")
    temperature: float = Field(gt=0, description="Temperature (K).")
    proton_free_energy: float | None = Field(
        default=None, description="Free energy of the proton in solution (kcal/mol)."
    )
    known_acids: list[KnownAcid] = Field(default=[], description="Acids to calibrate the proton on.")


class AcidDissociationConstantOutput(BaseModel):
    """The pKa and what it is made of."""

    pka: float = Field(description="pKa (1).")
    deprotonation: float = Field(description="G(A-) - G(HA), without the proton (hartree).")
    reaction_gibbs: float = Field(description="G(A-) + G(H+) - G(HA) (kcal/mol).")
    proton_free_energy: float = Field(description="Free energy of the proton that was used (kcal/mol).")
    proton_of_each: list[float] = Field(description="What each known acid gives for the proton (kcal/mol).")
    proton_spread: float = Field(description="Standard deviation of these; 0 for fewer than two (kcal/mol).")


def acid_dissociation_constant(given: AcidDissociationConstantInput) -> AcidDissociationConstantOutput:
    """Compute the pKa of `given`.

    Raises:
        ValueError: the proton's free energy is neither given nor to be calibrated, or both.
    """
    if (given.proton_free_energy is None) == (not given.known_acids):
        raise ValueError("Give either `proton_free_energy` or `known_acids`: one says what the proton is.")
    kcal = constants.physical_constants["Hartree energy"][0] * constants.N_A / constants.calorie / 1000
    unit = constants.R * given.temperature * math.log(10) / constants.calorie / 1000
    each = [unit * one.pka - (one.gibbs_base - one.gibbs_acid) * kcal for one in given.known_acids]
    proton = statistics.fmean(each) if each else float(given.proton_free_energy)
    deprotonation = given.gibbs_base - given.gibbs_acid
    reaction = deprotonation * kcal + proton
    return AcidDissociationConstantOutput(
        pka=reaction / unit,
        deprotonation=deprotonation,
        reaction_gibbs=reaction,
        proton_free_energy=proton,
        proton_of_each=each,
        proton_spread=statistics.stdev(each) if len(each) > 1 else 0.0,
    )
