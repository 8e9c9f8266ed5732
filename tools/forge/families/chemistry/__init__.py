"""Quantum chemistry with PySCF: structures, properties, thermochemistry, acids, excited states, scans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labwright.tools.forge.families.base import Judgement, Need, Script
from labwright.tools.forge.families.chemistry import judging, reporting
from labwright.tools.forge.families.chemistry.scripts import NAME, needs, scripts
from labwright.tools.forge.families.chemistry.spec import ChemistrySpec
from labwright.tools.forge.results import Results


class Chemistry:
    """Tasks of molecules: what `ChemistrySpec` can say."""

    name = NAME
    spec = ChemistrySpec
    quantities = frozenset(
        "zero_point_energy entropy dipole_vector occupied_orbitals spin_square reaction_energy proton_free_energy"
        " proton_spread proton_of_acid contact_density contact_spin_density hyperfine_splitting casci_energies"
        " heat_capacity correlation_energy sign_change_temperature equilibrium_distance solvation_energy relative_energy reaction_entropy reaction_energy_with_zpe equilibrium_constant bond_length bond_angle dihedral_angle rotational_constants"
        " brightest_state mulliken_charge excitation_energies wavelengths oscillator_strengths wavelength casci_spin_square qse_energies qse_dimension transition scan_minimum saddles_left".split()
    )

    def needs(self, spec: ChemistrySpec) -> Sequence[Need]:
        """The recipes that `spec` needs."""
        return needs(spec)

    def scripts(self, spec: ChemistrySpec, imports: Mapping[str, str]) -> Sequence[Script]:
        """A trial, one script a molecule, and one that puts them together."""
        return scripts(spec, imports)

    def judge(self, spec: ChemistrySpec, results: Results, figures: Mapping[str, object]) -> Sequence[Judgement]:
        """What must hold."""
        return judging.judge(spec, results, figures)

    def report(self, spec: ChemistrySpec, results: Results, figures: Sequence[str]) -> str:
        """Conventions and tables."""
        return reporting.report(spec, results, figures)


FAMILY = Chemistry()
