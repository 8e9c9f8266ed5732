"""Assignment matrices: measured against the truth."""

import numpy as np
import pytest

from labwright.tools.errors import InputError
from labwright.tools.experiments.assignment_matrix import assignment_matrix
from labwright.tools.qpu.readout import Readout, read_as_one
from labwright.tools.qpu.truth import paper_device

CALIBRATED = {"frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 0.5}


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


def test_wrong_arguments_say_what_is_wrong():
    with pytest.raises(InputError, match="`reads_1_of_0` must be between 0 and 1"):
        assignment_matrix(-0.1, 0.7)
