"""The anharmonicity against the truth, whatever the drive frequency; and sweeps that cannot show it."""

import pytest

CALIBRATED = {"frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 0.5}


def believing(lab, anharmonicity):
    lab.device.settings.update("Q1", {"anharmonicity": anharmonicity}, key="belief", reason="a wrong belief")
    return lab


@pytest.mark.parametrize(("truth", "offset"), [(-197.0, 0.0), (-187.3, 1.5), (-215.0, -1.5)])
def test_the_distance_of_the_lines_is_the_anharmonicity(open_lab, truth, offset):
    lab = believing(open_lab(**CALIBRATED | {"anharmonicity": truth, "frequency_offset": offset}), -200.0)
    _, report = lab.run("ef_spectroscopy")
    found = report.estimates["anharmonicity"]
    assert report.verdict == "success", report
    assert found.error < 0.2
    assert abs(found.value - truth) < 4 * found.error
    assert lab.device.settings.current("Q1").anharmonicity == report.updates["anharmonicity"]
    drift = lab.device.transmon("Q1", lab.device.settings.current("Q1").frequency).detuning
    assert abs(report.estimates["first_line"].value - drift) < 0.4


@pytest.mark.slow
def test_a_line_outside_the_sweep_is_searched_for_and_found(open_lab):
    lab = believing(open_lab(**CALIBRATED), -255.0)
    _, first = lab.run("ef_spectroscopy")
    assert first.verdict == "adjust"
    assert "search wider" in first.diagnosis
    report, tries = lab.until_done("ef_spectroscopy")
    assert (report.verdict, tries) == ("success", 2)
    assert lab.device.settings.current("Q1").anharmonicity == pytest.approx(-197, abs=0.5)


def test_a_sweep_beside_the_lines_is_moved_to_them(open_lab):
    lab = open_lab(**CALIBRATED)
    _, report = lab.run("ef_spectroscopy", start=10.0, stop=60.0)
    assert report.verdict == "adjust"
    assert report.proposal == {"start": -30.0, "stop": 60.0}


@pytest.mark.slow
@pytest.mark.parametrize("amplitude", [0.05, 0.15])
def test_a_probe_that_saturates_is_weakened_until_it_does_not(open_lab, amplitude):
    lab = open_lab(**CALIBRATED)
    _, report = lab.run("ef_spectroscopy", amplitude=amplitude)
    assert report.verdict == "adjust"
    assert report.proposal["amplitude"] < amplitude / 2
    report, _ = lab.until_done("ef_spectroscopy", amplitude=amplitude)
    assert report.updates["anharmonicity"] == pytest.approx(-197, abs=0.5)


@pytest.mark.parametrize("spoilt", [{"frequency_offset": 40.0}, {"snr": 0.2}])
def test_without_the_first_line_the_qubit_has_to_be_found(open_lab, spoilt):
    lab = open_lab(**CALIBRATED | spoilt)
    _, report = lab.run("ef_spectroscopy", shots=200)
    assert report.verdict == "wrong_setup"
    assert "run qubit_spectroscopy" in report.diagnosis


def test_noise_that_hides_the_weaker_line_asks_for_shots(open_lab):
    _, report = open_lab(**CALIBRATED | {"snr": 1.0}).run("ef_spectroscopy", shots=200)
    assert report.verdict == "bad_data"
    assert report.proposal == {"shots": 800}


def test_a_pi_pulse_that_does_nothing_is_named(open_lab):
    lab = open_lab(**CALIBRATED)
    lab.device.settings.update("Q1", {"amplitude_pi": 0.0}, key="off", reason="no pulse")
    _, report = lab.run("ef_spectroscopy", start=-100.0, stop=100.0, step=2.0, duration=0.1, amplitude=0.04)
    assert report.verdict == "wrong_setup"
    assert "run rabi" in report.diagnosis
