import pytest
from pydantic import ValidationError
import math

from tools.kepler_anomaly import KeplerAnomalyInput, kepler_anomaly


def _made(mean, e):
    return kepler_anomaly(KeplerAnomalyInput(mean_anomaly=mean, eccentricity=e)).eccentric_anomaly


@pytest.mark.parametrize(("anomaly", "e"), [(0.4, 0.1), (2.0, 0.9), (-1.0, 0.5)])
def test_invariant_solves_the_equation(anomaly, e):
    assert _made(anomaly - e * math.sin(anomaly), e) == pytest.approx(anomaly, abs=1e-12)


def test_circle():
    assert _made(1.25, 0.0) == pytest.approx(1.25)


def test_error_hyperbola():
    with pytest.raises(ValidationError, match="eccentricity"):
        _made(1.0, 1.0)
