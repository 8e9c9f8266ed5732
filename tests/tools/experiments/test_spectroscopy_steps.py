"""Spectroscopy that would miss its line asks for a finer step or a stronger probe before it gives up."""

import pytest
from tiers import sampled


@pytest.mark.parametrize("name", sampled(["qubit_spectroscopy", "ef_spectroscopy"]))
def test_a_step_wider_than_the_line_is_made_finer(open_lab, name):
    lab = open_lab(frequency_offset=-1.0, amplitude_error=0.0, drag=0.5)
    report, tries = lab.until_done(name, step=4.0, duration=1.6, amplitude=0.003)
    assert report.verdict == "success", report
    assert tries > 1


def test_a_probe_too_weak_is_made_stronger_and_finds_the_line(open_lab):
    lab = open_lab(frequency_offset=7.3, amplitude_error=0.0)
    report, tries = lab.until_done("qubit_spectroscopy", amplitude=0.0008, start=-150.0, stop=150.0)
    assert report.verdict == "success", report
    assert tries == 2
    assert report.estimates["detuning"].value == pytest.approx(-7.3, abs=0.3)


@pytest.mark.parametrize("name", ["qubit_spectroscopy", "resonator_spectroscopy"])
def test_a_sweep_beside_the_line_is_widened_to_both_sides(open_lab, name):
    start, stop = (200.0, 400.0) if name == "qubit_spectroscopy" else (80.0, 160.0)
    _, report = open_lab(frequency_offset=0.0, amplitude_error=0.0).run(name, start=start, stop=stop)
    assert report.verdict == "adjust"
    assert report.proposal["start"] < start < stop < report.proposal["stop"]
