"""Several orders in one sentence with values of their own, and numbers as they are spoken."""

import pytest

from labwright.agents.lab_calibration.plan import ExtractIn, ExtractOut, extract_by_rules
from labwright.agents.lab_calibration.translate_code import CodeIn, CodeOut, translate_code_by_rules
from labwright.tools.experiments import registry

QUBITS = ["Q1", "Q2", "Q8"]


def coded(instruction: str, experiment: str) -> CodeOut:
    card = registry.card(registry.experiments()[experiment])
    return translate_code_by_rules(CodeIn(instruction=instruction, card=card, variables={}, qubits=QUBITS))


@pytest.mark.parametrize(
    ("text", "orders"),
    [
        ("Echo, then T1, then Rabi on Q2", ["Echo on Q2", "T1 on Q2", "Rabi on Q2"]),
        ("T1 of Q1 up to 50 us and of Q2 up to 80 us", ["T1 of Q1 up to 50 us", "T1 of Q2 up to 80 us"]),
        ("T1 of Q1 up to 50 us and of Q2 with 300 shots", ["T1 of Q1 up to 50 us", "T1 of Q2 with 300 shots"]),
        (
            "Ramsey on Q1 without updating with 500 shots, then on Q2 with offset 1 MHz",
            ["Ramsey on Q1 without updating with 500 shots", "Ramsey on Q2 with offset 1 MHz without updating"],
        ),
        ("Echo of Q1, then one for Q8", ["Echo of Q1", "Echo of Q8"]),
        ("Measure T1 of Q8, then repeat the echo on Q2", ["Measure T1 of Q8", "Run the echo on Q2"]),
        ("Calibrate the readout of Q8. The discriminator must stay as it is.",) * 2,
    ],
)
def test_each_qubit_keeps_its_own_values(text: str, orders: list[str] | str) -> None:
    answer = extract_by_rules(ExtractIn(text=text, qubits=QUBITS))
    assert isinstance(answer, ExtractOut)
    assert answer.instructions == ([orders.rstrip(".")] if isinstance(orders, str) else orders)


def test_a_value_that_only_one_of_two_qubits_gets_anew_is_not_guessed() -> None:
    text = "Rabi on Q1 with amplitude 0.1 and 500 shots, and on Q8 with amplitude 0.3"
    answer = extract_by_rules(ExtractIn(text=text, qubits=QUBITS))
    assert isinstance(answer, ExtractOut)
    assert coded(answer.instructions[0], "rabi").code
    assert not coded(answer.instructions[1], "rabi").code


@pytest.mark.parametrize(
    ("instruction", "experiment", "arguments"),
    [
        ("Rabi on Q1, drive strength 0.2 up to 300 ns", "rabi", "amplitude=0.2, stop=0.3"),
        ("Look for the f12 line of Q1 from -30 to 10 MHz, 1 MHz per step", "ef_spectroscopy",
         "start=-30.0, stop=10.0, step=1.0"),
        ("Two-tone on Q8 from minus 40 to plus 60 megs", "qubit_spectroscopy", "start=-40.0, stop=60.0"),
        ("Two-tone on Q8 in a window of plus minus 30 MHz", "qubit_spectroscopy", "start=-30.0, stop=30.0"),
    ],
)  # fmt: skip
def test_numbers_as_they_are_spoken(instruction: str, experiment: str, arguments: str) -> None:
    qubit = "Q8" if "Q8" in instruction else "Q1"
    assert coded(instruction, experiment).code == f"{experiment}(qubit='{qubit}', {arguments})"


def test_three_digits_behind_a_comma_are_decimals_before_gigahertz_only() -> None:
    attempt = "siZZle amplitude attempt on Q1 and Q2 at 4,9{} with 12 acquisitions"
    assert "frequency=4910.0" in coded(attempt.format("10 GHz"), "sizzle_amplitude_attempt").code
    assert "frequency=4910.0" in coded(attempt.format("10 MHz"), "sizzle_amplitude_attempt").code


def test_up_to_many_times_is_a_setting_and_never_lost() -> None:
    assert not coded("Measure T1 of Q1 up to 50 times", "t1").code
    assert coded("Measure T1 of Q1 at most 3 times", "t1").code == "t1(qubit='Q1')"
