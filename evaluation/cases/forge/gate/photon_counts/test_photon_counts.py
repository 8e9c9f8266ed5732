import numpy as np
import pytest
from pydantic import ValidationError

from tools.photon_counts import PhotonCountsInput, photon_counts


def _run(times, start=0.0, width=1.0, bins=4):
    return photon_counts(PhotonCountsInput(click_times=times, start=start, bin_width=width, bins=bins))


def test_known_counts():
    out = _run([2.6, 1.2, 1.0, 2.1, 1.4, 4.0], start=1.0, width=0.5, bins=4)
    assert out.counts == [3, 0, 1, 1]
    assert out.occurrences == [1, 2, 0, 1]
    assert out.outside == 1
    assert out.mean == pytest.approx(1.25, rel=1e-14)
    assert out.variance == pytest.approx((1.75**2 + 1.25**2 + 2 * 0.25**2) / 3, rel=1e-14)
    assert out.mandel_q == pytest.approx(out.variance / 1.25 - 1, rel=1e-13)


def test_bins_are_half_open():
    out = _run([-0.25, 0.0, 0.25, 0.5, 0.75], start=0.0, width=0.25, bins=3)
    assert out.counts == [1, 1, 1]
    assert out.outside == 2


def test_invariant_regular_clicks_have_q_minus_one():
    out = _run([0.1, 0.3, 1.1, 1.3, 2.1, 2.3], bins=3)
    assert out.counts == [2, 2, 2]
    assert out.mandel_q == pytest.approx(-1.0, abs=1e-14)


def test_invariant_bunched_clicks():
    out = _run([2.1, 2.2, 2.3, 2.4, 2.5], bins=5)
    assert out.counts == [0, 0, 5, 0, 0]
    assert out.mean == pytest.approx(1.0)
    assert out.mandel_q == pytest.approx(4.0, rel=1e-13)


def test_invariant_poisson():
    times = np.random.default_rng(5).uniform(0.0, 1000.0, 4000).tolist()
    out = _run(times, width=0.5, bins=2000)
    assert sum(out.counts) + out.outside == 4000
    assert out.mean == pytest.approx(2.0, rel=1e-12)
    assert abs(out.mandel_q) < 4 * np.sqrt(2 / 2000)


def test_error_no_click_in_the_bins():
    with pytest.raises(ValueError, match="no click"):
        _run([7.0, 8.0], bins=3)


def test_error_bins_fall_together():
    with pytest.raises(ValueError, match="too small"):
        _run([1e9], start=1e9, width=1e-9, bins=3)


def test_error_width():
    with pytest.raises(ValidationError, match="bin_width"):
        _run([1.0], width=0.0)
