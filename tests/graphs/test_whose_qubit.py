"""Which qubit a step means, and whose numbers it may use."""

from labwright.agents.lab_calibration.plan import ExtractIn, ExtractOut, extract_by_rules
from labwright.graphs.lab_calibration.frames import document_frame, frame_of, stages_of, variable_table
from labwright.graphs.lab_calibration.state import CalibrationState

DOCUMENT = """# Look at 'dut'
## Steps
- Run resonator spectroscopy. If it fails, repeat.
- Measure T1 of 'dut'.
"""


def test_a_step_without_a_name_means_the_qubit_of_its_own_round() -> None:
    frame = document_frame(DOCUMENT, ["Q1", "Q2"])
    answer = extract_by_rules(ExtractIn(text=frame["text"], qubits=["Q1", "Q2"]))
    assert isinstance(answer, ExtractOut)
    assert [order.count("Q1") for order in answer.instructions] == [1, 1, 0, 0]
    assert [order.count("Q2") for order in answer.instructions] == [0, 0, 1, 1]


def test_a_spoken_qubit_brings_its_own_variables() -> None:
    for said in ("Benchmark qubit 2 using the measured t1", "Benchmark q2 using the measured t1"):
        frame = {**frame_of("calibrate", "", {"dut": "Q1"}), "stages": stages_of([said])}
        state: CalibrationState = {"frames": [frame], "measured": {"Q1": {"t1": 100.0}, "Q2": {"t1": 20.0}}}  # type: ignore[list-item]
        assert variable_table(state, ("Q1", "Q2"))["t1"] == 20.0
