import pytest

from tools.jaynes_cummings_levels import JaynesCummingsLevelsInput, jaynes_cummings_levels


def _made(cavity, atom, coupling, photons=6, count=5):
    given = JaynesCummingsLevelsInput(cavity=cavity, atom=atom, coupling=coupling, photons=photons, count=count)
    return jaynes_cummings_levels(given).levels


def test_invariant_vacuum_rabi_splitting():
    assert _made(5.0, 5.0, 0.1) == pytest.approx([0.0, 4.9, 5.1, 10 - 0.1 * 2**0.5, 10 + 0.1 * 2**0.5], abs=1e-10)


def test_detuned():
    # (c + a)/2 -+ sqrt(d^2/4 + g^2)
    root = (0.25**2 + 0.3**2) ** 0.5
    assert _made(5.0, 5.5, 0.3, count=3)[1:] == pytest.approx([5.25 - root, 5.25 + root], abs=1e-10)


def test_error_too_many():
    with pytest.raises(ValueError, match="hold no 5"):
        _made(5.0, 5.0, 0.1, photons=2)
