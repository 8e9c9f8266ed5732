"""Runs end to end on the simulated processor, from several starts; and what a suite refuses."""

import json

import pytest

from labwright.evaluation import suites, unattended_calibration
from labwright.evaluation.case import FOLDER as DEVICES
from labwright.evaluation.case import QUBIT, Case
from labwright.tools.errors import InputError
from labwright.tools.qpu.simulated import open_simulated

RAMSEYS = {
    "0.02 MHz off": 2,  # too short; then at its own offset
    "0.1 MHz off": 2,  # corrected; confirmed
    "1.5 MHz off": 3,  # too short; corrected; confirmed
    "5 MHz off": 3,  # the fringe of -2 MHz is too short; its sign is known; confirmed
    "-5 MHz off": 2,  # fringes at 8 MHz are enough in 0.5 us; confirmed
    "1.5 MHz off, default sweep": 2,
}
STARTS = {one["name"]: one for one in json.loads((DEVICES / "starts.json").read_text())}


@pytest.mark.parametrize(
    "name",
    [name if name in ("1.5 MHz off", "-5 MHz off") else pytest.param(name, marks=pytest.mark.slow) for name in RAMSEYS],
)
def test_how_often_ramsey_is_repeated_depends_on_the_start(name, tmp_path):
    """Same rule and same procedure; the number of runs follows from what they show."""
    one = STARTS[name]
    words = f"ramsey {QUBIT}, offset = {one['offset']:g} MHz, stop = {one['stop']:g} us. Repeat at most 8 times"
    case = Case(name, one["seed"], one["options"], request=words)
    outcome = unattended_calibration.started(case, tmp_path, "rules")
    assert outcome.status == "complete"
    device = open_simulated(outcome.run_dir / "device", case.seed, case.options)
    off = device.transmon(QUBIT, device.settings.current(QUBIT).frequency).detuning
    device.close()
    assert abs(off) < 5e-3  # MHz
    assert len(outcome.result["stages"]) == RAMSEYS[name]


def test_unknown_suites_and_options_are_named():
    with pytest.raises(InputError, match="no suite 'coffee'"):
        suites.run("coffee")
    with pytest.raises(InputError, match="no option 'sugar'"):
        suites.run("arena", sugar=1)
