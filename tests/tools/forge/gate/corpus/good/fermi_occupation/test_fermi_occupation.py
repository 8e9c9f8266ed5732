import pytest
from pydantic import ValidationError
import math

from tools.fermi_occupation import FermiOccupationInput, fermi_occupation


def _made(levels, mu=0.0, kt=0.1):
    return fermi_occupation(FermiOccupationInput(levels=levels, chemical_potential=mu, thermal_energy=kt))


def test_invariant_particle_hole():
    made = _made([-0.25, 0.25])
    assert made.occupations[0] + made.occupations[1] == pytest.approx(1.0, abs=1e-14)
    assert made.number == pytest.approx(1.0, abs=1e-14)


def test_known_values():
    made = _made([0.3, 0.3 + 0.1 * math.log(3)], mu=0.3)
    assert made.occupations == pytest.approx([0.5, 0.25], rel=1e-12)
    assert made.number == pytest.approx(0.75)


def test_error_no_levels():
    with pytest.raises(ValidationError, match="levels"):
        _made([])
