import pytest
import math

from tools.qubit_decay import QubitDecayInput, qubit_decay


def _made(rate, dephasing, excited, times):
    return qubit_decay(QubitDecayInput(rate=rate, dephasing=dephasing, excited=excited, times=times))


def test_invariant_exponential_laws():
    made = _made(0.4, 0.1, 0.5, [0.0, 2.0])
    assert made.population == pytest.approx([0.5, 0.5 * math.exp(-0.8)], abs=1e-6)
    assert made.coherence == pytest.approx([0.5, 0.5 * math.exp(-(0.2 + 0.1) * 2.0)], abs=1e-6)


def test_excited_state():
    made = _made(1.0, 0.0, 0.9, [0.0, 1.0])
    assert made.population[1] == pytest.approx(0.9 * math.exp(-1.0), abs=1e-6)
    assert made.coherence[0] == pytest.approx(0.3, abs=1e-9)


def test_error_times():
    with pytest.raises(ValueError, match="begin with 0"):
        _made(1.0, 0.0, 1.0, [1.0, 2.0])
    with pytest.raises(ValueError, match="ascend"):
        _made(1.0, 0.0, 1.0, [0.0, 2.0, 1.0])
