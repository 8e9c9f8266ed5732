"""Assignment matrices: measured against the truth, put together, and undone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labwright.tools.errors import InputError
from labwright.tools.experiments.mitigation import (
    assignment_matrix,
    condition_number,
    joint_matrix,
    mitigated,
)
from labwright.tools.qpu.readout import Readout, read_as_one
from labwright.tools.qpu.truth import paper_device

CALIBRATED = {"frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 0.5}
FEW = settings(max_examples=40, deadline=None, derandomize=True)
Q1, Q2 = assignment_matrix(0.1, 0.7), assignment_matrix(0.05, 0.8)
populations = st.lists(st.floats(0.01, 1), min_size=4, max_size=4).map(lambda p: np.array(p) / sum(p))


def test_the_matrix_is_that_of_the_truth(open_lab):
    lab = open_lab(**CALIBRATED)
    experiment, report = lab.run("readout_mitigation")
    assert report.verdict == "success"
    truth, book = paper_device().qubits["Q1"], lab.device.settings.current("Q1")
    readout = Readout(truth, np.array([book.readout_frequency]), np.array([book.readout_amplitude]))
    one = read_as_one(readout, book.readout_angle, book.readout_threshold)[0]
    thermal = np.array([1 - truth.thermal, truth.thermal])
    for name, prepared in (("reads_1_of_0", thermal), ("reads_1_of_1", thermal[::-1])):
        # the pi pulse on thermal level 1 fills level 2, and 30 ns relax: far below an error
        assert abs(report.variables[name] - prepared @ one[:2]) < 4 * report.estimates[name].error
    assert experiment.matrix.sum(axis=0) == pytest.approx([1, 1])
    assert report.estimates["condition_number"].value == pytest.approx(np.linalg.cond(experiment.matrix))


def test_few_shots_ask_for_more_and_a_jump_for_another_run(open_lab):
    lab = open_lab(**CALIBRATED)
    _, report = lab.run("readout_mitigation", shots=500)
    assert (report.verdict, report.proposal) == ("adjust", {"shots": 2000})
    experiment, _ = lab.run("readout_mitigation")
    experiment.data["halves"][1] += 0.03
    experiment.fit()
    assert experiment.report().verdict == "bad_data"


@pytest.mark.parametrize(
    ("spoilt", "says"),
    [({"snr": 0.3}, "apart"), ({"frequency_offset": 40.0}, "does not respond")],
)
def test_a_readout_without_contrast_has_no_matrix_worth_inverting(open_lab, spoilt, says):
    _, report = open_lab(**CALIBRATED | spoilt).run("readout_mitigation")
    assert report.verdict == "wrong_setup"
    assert says in report.diagnosis
    assert not report.variables


def test_a_discriminator_that_is_upside_down_is_named(open_lab):
    lab = open_lab(**CALIBRATED)
    book = lab.device.settings.current("Q1")
    turned = {"readout_angle": book.readout_angle + np.pi, "readout_threshold": -book.readout_threshold}
    lab.device.settings.update("Q1", turned, key="turn", reason="upside down")
    _, report = lab.run("readout_mitigation")
    assert report.verdict == "wrong_setup"
    assert "run readout_calibration" in report.diagnosis


@FEW
@given(populations)
def test_what_was_read_leads_back_to_what_was_prepared(prepared):
    matrix = joint_matrix([Q1, Q2])
    assert matrix.sum(axis=0) == pytest.approx(np.ones(4))
    assert mitigated(matrix @ prepared, matrix) == pytest.approx(prepared, abs=1e-9)


@FEW
@given(populations, st.integers(0, 10**6))
def test_noisy_counts_still_give_a_distribution(prepared, seed):
    matrix = joint_matrix([Q1, Q2])
    counts = np.random.default_rng(seed).multinomial(50, matrix @ prepared) / 50
    found = mitigated(counts, matrix)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1)


def test_the_first_qubit_is_the_most_significant_bit():
    matrix = joint_matrix([Q1, Q2])
    # prepared 10: Q1 is read as 1 in 0.7 of the shots, Q2 in 0.05
    assert matrix[0b10, 0b10] == pytest.approx(0.7 * 0.95)
    assert matrix[0b01, 0b10] == pytest.approx(0.3 * 0.05)
    assert condition_number(matrix) == pytest.approx(condition_number(Q1) * condition_number(Q2))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: assignment_matrix(-0.1, 0.7), "`reads_1_of_0` must be between 0 and 1"),
        (lambda: joint_matrix([]), "at least one matrix"),
        (lambda: mitigated(np.ones(3) / 3, Q1), "must have 2 fractions"),
        (lambda: mitigated(np.ones(2) / 2, assignment_matrix(0.5, 0.5)), "singular"),
    ],
)
def test_wrong_arguments_say_what_is_wrong(call, says):
    with pytest.raises(InputError, match=says):
        call()
