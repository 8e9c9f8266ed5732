import pytest

from labwright.tools.experiments.call import ExperimentCall, render_call


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (ExperimentCall("rabi", {"qubit": "Q1", "amplitude": 0.2}), "rabi(qubit='Q1', amplitude=0.2)"),
        (ExperimentCall("procedure:bring-up", {"dut": "Q1"}), "procedure('bring-up', dut='Q1')"),
    ],
)
def test_a_call_reads_like_python(call, text):
    assert render_call(call) == text
