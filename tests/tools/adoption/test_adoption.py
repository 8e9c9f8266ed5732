"""Measurements of other frameworks: read without being run, described by a card, and run on the simulated device."""

from __future__ import annotations

import hashlib
import textwrap
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from labwright.apps.cli import app
from labwright.tools.adoption.card import read_card
from labwright.tools.adoption.experiment import CARD
from labwright.tools.adoption.source_reading import draft, foreign_in
from labwright.tools.errors import InputError
from labwright.tools.experiments.call import ExperimentCall
from labwright.tools.experiments.conformance import (
    broken_data_promises,
    broken_promises,
    broken_report_promises,
    unlabelled,
)
from labwright.tools.experiments.perform import Performed, perform, rehearse
from labwright.tools.experiments.registry import experiments
from labwright.tools.qpu.opening import open_device
from labwright.tools.qpu.truth import paper_device
from labwright.tools.specifications.base import SpecificationError

TUNED: dict[str, float | str] = {"frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 0.5}
TRUE = paper_device().qubit("Q1")
FIT = """
import numpy as np
from scipy.optimize import curve_fit

def decay(t, p, guess):
    best, cov = curve_fit(lambda t, a, tau, c: a * np.exp(-t / tau) + c, t, p, p0=(0.8, guess, 0.1))
    return best[1], cov[1, 1] ** 0.5
"""
PLAIN = (
    FIT
    + """
def relaxation(measure, longest_s=400e-6, points=25):
    t = np.linspace(0, longest_s, points)
    tau, error = decay(t, measure(t), longest_s / 3)
    return {"tau": tau, "error": error}
"""
)
QCODES = (
    FIT
    + """
from qcodes.dataset import Measurement
from qcodes.validators import Numbers

class RelaxationScan:
    limits = Numbers(0, 1)

    def __init__(self, wait, p1):
        self.wait, self.p1 = wait, p1

    def measure(self, stop_us: float = 400.0, n: int = 25):
        meas = Measurement(name="t1")
        meas.register_parameter(self.wait)
        meas.register_parameter(self.p1, setpoints=(self.wait,))
        with meas.run() as saver:
            for t in np.linspace(0, stop_us, n):
                self.wait(t)
                saver.add_result((self.wait, t), (self.p1, self.p1()))
        got = saver.dataset.get_parameter_data("p1")["p1"]
        self.tau = decay(got["wait"], got["p1"], 100)[0]
"""
)
LEEQ = (
    FIT
    + """
from leeq import Experiment, Sweeper
from leeq.chronicle import log_and_record
from leeq.utils.compatibility import *
from k_agents.inspection.decorator import visual_inspection
import a_package_that_nobody_has as plotting

class Echo(Experiment):
    @log_and_record
    def run(self, qubit, collection_name="f01", initial_lpb=None, free_evolution_time=300.0, time_resolution=10.0):
        c1 = qubit.get_c1(collection_name)
        mp = qubit.get_measurement_prim_intlist(0)
        delay = prims.Delay(0)
        lpb = c1["Xp"] + delay + c1["Y"] + delay + c1["Xp"] + mp
        swp = sweeper(np.arange, n_kwargs={"start": 0.0, "stop": free_evolution_time / 2, "step": time_resolution / 2},
                      params=[sparam.func(delay.set_delay, {}, "delay")])
        basic(lpb, swp, "p(1)")
        self.trace = np.squeeze(mp.result())

    def analyse(self):
        args = self._get_run_args_dict()
        t = np.arange(0.0, args["free_evolution_time"], args["time_resolution"])
        self.t2, self.t2_error = decay(t, self.trace, 100)

    @visual_inspection("Is it good?")
    def plot(self):
        return plotting.show(self.trace)
"""
)
NUMBER = {"is": "number", "unit": "us", "smallest": 1.0, "largest": 1000.0, "default": 400.0, "says": "Longest delay"}
COUNT = {"is": "count", "smallest": 5, "largest": 200, "default": 25, "says": "Number of delays"}
LIFE = {"unit": "us", "smallest": 0.1, "largest": 3000.0}
WAITS = {
    "knobs": {"wait": {"unit": "us", "smallest": 0.0, "largest": 1000.0}},
    "play": ["X180", {"wait": "wait"}],
}
CARDS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "relaxation": (
        PLAIN,
        "relaxation",
        {
            "given": {
                "measure": {"is": "measurement", "knobs": ["wait"]},
                "longest_s": NUMBER | {"in": "s"},
                "points": COUNT,
            },
            **WAITS,
            "knobs": {"wait": {"unit": "us", "in": "s", "smallest": 0.0, "largest": 1000.0}},
            "results": {"relaxation_time": {"from": "return.tau", "error": "return.error", "in": "s", **LIFE}},
        },
    ),
    "relaxation_scan": (
        QCODES,
        "RelaxationScan",
        {
            "start": "measure",
            "given": {"wait": {"is": "knob"}, "p1": {"is": "reading"}, "stop_us": NUMBER, "n": COUNT},
            **WAITS,
            "readings": ["p1"],
            "results": {"relaxation_time": {"from": "self.tau", **LIFE}},
        },
    ),
    "leeq_echo": (
        LEEQ,
        "Echo",
        {
            "start": "run",
            "finish": ["analyse"],
            "given": {
                "qubit": {"is": "qubit"},
                "collection_name": {"is": "fixed", "value": "f01"},
                "initial_lpb": {"is": "fixed", "value": None},
                "free_evolution_time": NUMBER,
                "time_resolution": NUMBER | {"default": 10.0, "says": "Distance of the delays"},
            },
            "results": {"echo_time": {"from": "self.t2", "error": "self.t2_error", **LIFE}},
        },
    ),
}


def written(name: str, folder: Path, /, **changes: Any) -> Path:
    """A foreign module with its card beside it, and where the module is."""
    source, told, fields = CARDS[name]
    path = folder / "foreign.py"
    path.write_text(source, encoding="utf-8")
    head = {
        "adopt": 1, "name": name, "file": path.name, "object": told,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "summary": "Measures how long a state lives.",
        "use": "Use it to compare with our own.", "asked_for_as": [name.replace("_", " "), f"foreign {name}"],
    }  # fmt: skip
    (folder / "card.yaml").write_text(yaml.safe_dump(head | fields | changes, sort_keys=False), encoding="utf-8")
    return path


def labwright(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


def accepted(name: str, folder: Path, /, **changes: Any) -> Any:
    path = written(name, folder, **changes)
    mark = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    told = CARDS[name][1]
    where = str(folder / "card.yaml")
    return labwright(
        "adopt", str(path), "--object", told, "--card", where, "--lab", str(folder / "lab"), "--accept", mark
    )


def performed(name: str, folder: Path, **arguments: Any) -> Performed:
    device = open_device("simulated", folder / "device", 1, TUNED)
    try:
        kind = experiments(folder / "lab")[name]
        return perform(kind, ExperimentCall(name, {"qubit": "Q1", **arguments}), device, "test")
    finally:
        device.close()


@pytest.mark.parametrize("name", sorted(CARDS))
def test_an_adopted_measurement_keeps_the_contract_and_finds_the_truth(name: str, tmp_path: Path) -> None:
    result = accepted(name, tmp_path)
    assert result.exit_code == 0, result.output
    kind = experiments(tmp_path / "lab")[name]
    assert broken_promises(kind, tmp_path) == []
    done = performed(name, tmp_path)
    assert done.report.verdict == "success", done.report.analysis
    assert broken_report_promises(kind, done.report) == []
    assert broken_data_promises(done.experiment) == []
    assert unlabelled(done.figures["plot"]()) == []
    (found,) = done.report.estimates.values()
    assert abs(found.value - (TRUE.t2_echo if name == "leeq_echo" else TRUE.t1)) < 5 * found.error
    assert done.report.updates == {}


def test_nothing_is_run_before_it_is_accepted(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    path = tmp_path / "foreign.py"
    path.write_text(f"open({str(mark)!r}, 'w').close()\n" + PLAIN, encoding="utf-8")
    assert labwright("adopt", str(path)).exit_code == 0
    listed = labwright("adopt", str(path), "--object", "relaxation", "--lab", str(tmp_path / "lab"))
    assert listed.exit_code == 0, listed.output
    assert foreign_in(path)[-1].reaches == ("open",)
    assert not mark.exists()


@pytest.mark.parametrize("accept", ["", "0" * 12, "yes"])
def test_without_the_right_hash_nothing_is_written(accept: str, tmp_path: Path) -> None:
    path = written("relaxation", tmp_path)
    words = ["adopt", str(path), "--object", "relaxation", "--card", str(tmp_path / "card.yaml")]
    result = labwright(*words, "--lab", str(tmp_path / "lab"), *(["--accept", accept] if accept else []))
    assert result.exit_code == 2
    assert not (tmp_path / "lab").exists()


def test_a_source_that_changed_is_not_run(tmp_path: Path) -> None:
    accepted("relaxation", tmp_path)
    source = next((tmp_path / "lab").glob("_*_source.py"))
    source.write_text(source.read_text() + "\n# more\n")
    with pytest.raises(InputError, match="has changed since"):
        performed("relaxation", tmp_path)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"knobs": {"wait": {"unit": "us", "in": "MHz", "smallest": 0.0, "largest": 1.0}}}, "do not measure the same"),
        ({"play": ["X180", {"wait": "delay"}]}, "not among `knobs`"),
        ({"play": ["X45", {"wait": "wait"}]}, "no gate 'X45'"),
        ({"play": ["X180"]}, "changes nothing that is played"),
        ({"results": {}}, "results"),
        ({"colour": 3}, "colour"),
        ({"name": "Relaxation Time"}, "snake case"),
        ({"use": "?"}, "not filled in: use"),
    ],
)
def test_a_wrong_card_is_refused(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    result = accepted("relaxation", tmp_path, **changes)
    assert result.exit_code == 2
    assert said in " ".join(result.output.split())
    assert not (tmp_path / "lab").exists()


def test_a_knob_stays_inside_the_bounds_of_its_card(tmp_path: Path) -> None:
    narrow = {"wait": {"unit": "us", "in": "s", "smallest": 0.0, "largest": 100.0}}
    result = accepted("relaxation", tmp_path, knobs=narrow)
    assert result.exit_code == 2
    assert "outside of 0 to 100" in " ".join(result.output.split())
    assert not list((tmp_path / "lab").glob("*"))


def test_code_that_fails_on_its_data_says_where(tmp_path: Path) -> None:
    path = written("relaxation", tmp_path)
    broken = path.read_text().replace(
        "t = np.linspace(0, longest_s, points)", "t = np.linspace(0, longest_s, points)[:2]"
    )
    path.write_text(broken)
    mark = hashlib.sha256(path.read_bytes()).hexdigest()
    card = tmp_path / "card.yaml"
    card.write_text(yaml.safe_dump(yaml.safe_load(card.read_text()) | {"sha256": mark}))
    words = ["adopt", str(path), "--object", "relaxation", "--card", str(card), "--lab", str(tmp_path / "lab")]
    result = labwright(*words, "--accept", mark[:12])
    assert result.exit_code == 2
    assert "TypeError" in result.output
    assert "line" in result.output


def test_a_rehearsal_plays_nothing_and_meets_the_limits(tmp_path: Path) -> None:
    assert accepted("relaxation_scan", tmp_path).exit_code == 0
    device = open_device("simulated", tmp_path / "device", 1, TUNED)
    kind = experiments(tmp_path / "lab")["relaxation_scan"]
    assert rehearse(kind, ExperimentCall("relaxation_scan", {"qubit": "Q1"}), device) is not None
    with pytest.raises(InputError, match="between 5 and 200"):
        rehearse(kind, ExperimentCall("relaxation_scan", {"qubit": "Q1", "n": 3}), device)
    device.close()


def test_a_draft_says_what_is_open(tmp_path: Path) -> None:
    path = written("leeq_echo", tmp_path)
    (foreign,) = [each for each in foreign_in(path) if each.name == "Echo"]
    assert (foreign.style, foreign.start, foreign.finish) == ("leeq", "run", ("analyse",))
    assert {"self.t2", "self.t2_error"} <= set(foreign.leaves)
    plain = draft(path, foreign)
    assert plain["given"]["qubit"] == {"is": "qubit"}
    card = read_card(yaml.safe_dump(plain))
    assert "given.free_evolution_time.unit" in card.open()
    assert (tmp_path / "lab" / f"x{CARD}").exists() is False


def test_no_python_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "foreign.py"
    path.write_text(textwrap.dedent("def f(x):\n  return {\n"))
    with pytest.raises(InputError, match="no Python module"):
        foreign_in(path)
    with pytest.raises(SpecificationError):
        read_card("adopt: 2")
