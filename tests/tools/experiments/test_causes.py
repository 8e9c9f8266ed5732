"""The word by which code decides: which situation has which, and that no branch of a report is without one."""

from __future__ import annotations

import ast
import inspect
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
from tiers import sampled

from labwright.tools.errors import FitError, HardwareLimitError
from labwright.tools.experiments.base import Experiment, Report
from labwright.tools.experiments.call import ExperimentCall
from labwright.tools.experiments.failure_causes import ALWAYS, SHARED
from labwright.tools.experiments.perform import perform
from labwright.tools.experiments.registry import card, experiments
from labwright.tools.experiments.time_rabi import Rabi
from labwright.tools.qpu.device import Device

CLASSES = experiments()
every = pytest.mark.parametrize("kind", [pytest.param(kind, id=name) for name, kind in sorted(CLASSES.items())])
Kind = type[Experiment]
GOOD = {"frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 0.5}
FAR, NOISY, STRONG = ({"device": f"spoilt:{name}"} for name in ("far_frequency", "low_snr", "overdriven"))
SHORT_LIVED = GOOD | {"t1": 3.0, "t2_echo": 4.0}
WRONG_GATES = GOOD | {"amplitude_error": 0.05, "drag": 0.0}

SITUATIONS: list[tuple[str, dict[str, Any], dict[str, Any], str, str]] = [
    ("ramsey", GOOD, {}, "success", ""),
    ("ramsey", {"frequency_offset": 0.01}, {"offset": 3.0, "stop": 2.0}, "success", ""),  # a small correction
    ("ramsey", {"frequency_offset": 1.5}, {"offset": 3.0, "stop": 2.0}, "adjust", "frequency_corrected"),
    ("ramsey", {"frequency_offset": 1.5}, {"update": False}, "success", "frequency_off"),
    ("ramsey", {"frequency_offset": 1.5}, {"offset": 3.0, "stop": 0.5}, "adjust", "too_few_oscillations"),
    ("ramsey", {"frequency_offset": 3.0}, {"offset": 3.0, "stop": 2.0}, "adjust", "fringe_stands_still"),
    ("ramsey", GOOD, {"stop": 3.0}, "adjust", "too_many_oscillations"),
    ("ramsey", GOOD, {"stop": 0.5, "shots": 50}, "adjust", "frequency_imprecise"),
    ("ramsey", SHORT_LIVED, {"offset": 0.1, "stop": 50.0, "shots": 200}, "adjust", "fringes_decay_within_sweep"),
    ("ramsey", FAR, {}, "wrong_setup", "no_response"),
    ("ramsey", NOISY, {}, "wrong_setup", "readout_unresolved"),
    ("rabi", GOOD, {"amplitude": 0.012}, "adjust", "too_few_oscillations"),
    ("rabi", STRONG, {}, "adjust", "too_many_oscillations"),
    ("rabi", GOOD, {"amplitude": 0.9, "step": 0.02}, "adjust", "points_too_far_apart"),
    ("power_rabi", GOOD, {"stop": 0.2}, "adjust", "too_few_oscillations"),
    ("power_rabi", STRONG, {"stop": 1.0}, "adjust", "too_many_oscillations"),
    ("power_rabi", GOOD | {"frequency_offset": -3.0}, {}, "wrong_setup", "frequency_off"),
    ("power_rabi", GOOD | {"drive_scale": 30.0}, {"stop": 1.0}, "wrong_setup", "drive_too_weak"),
    ("t1_tracking", SHORT_LIVED, {}, "wrong_setup", "rounds_lost"),
    ("t1_tracking", GOOD, {"shots": 100}, "bad_data", "error_bar_too_wide"),
    ("t1_tracking", GOOD | {"t1_drift": 0.3}, {"interval": 600.0}, "success", "value_unsteady"),
    ("purity_rb", GOOD, {"max_length": 64}, "adjust", "sequences_too_short"),
    ("purity_rb", SHORT_LIVED, {"max_length": 2048}, "adjust", "sequences_too_long"),
    ("gate_tomography", GOOD | {"frequency_offset": 8.0}, {"gate": "I"}, "wrong_setup", "other_gate"),
    ("gate_tomography", GOOD, {"shots": 1000}, "bad_data", "error_bar_too_wide"),
    ("dispersive_shift", GOOD, {"span": 3.0}, "wrong_setup", "dip_at_edge"),
    ("dispersive_shift", GOOD, {"span": 60.0}, "adjust", "span_unfit"),
    ("dispersive_shift", NOISY, {}, "bad_data", "error_bar_too_wide"),
    ("dispersive_shift", FAR, {}, "wrong_setup", "shift_unseen"),
    ("three_level_readout", FAR, {}, "wrong_setup", "no_contrast"),
    ("three_level_readout", GOOD | {"snr": 1.2}, {}, "wrong_setup", "readout_unresolved"),
    ("leakage_rb", GOOD | {"thermal": 0.0}, {}, "success", "leakage_unseen"),
    ("leakage_rb", GOOD, {"max_length": 64}, "bad_data", "error_bar_too_wide"),
    ("readout_optimization", GOOD, {"start": 0.02, "stop": 0.2}, "adjust", "best_at_edge"),
    ("cpmg", SHORT_LIVED, {}, "adjust", "decay_outside_window"),
    ("cpmg", GOOD | {"t1_drift": 0.3, "t1_drift_time": 60.0, "seed": 5}, {}, "success", "pulses_shorten"),
    ("cpmg", GOOD, {"shots": 100}, "bad_data", "error_bar_too_wide"),
    ("t1", GOOD, {"stop": 30.0}, "adjust", "decay_outside_window"),
    ("t1", SHORT_LIVED, {}, "adjust", "decay_outside_window"),
    ("spin_echo", GOOD, {"shots": 60}, "bad_data", "error_bar_too_wide"),
    ("t2_ramsey", GOOD, {"stop": 20.0}, "adjust", "decay_outside_window"),
    ("amplitude_pingpong", GOOD, {"iterations": 1}, "adjust", "not_converged"),
    ("amplitude_pingpong", STRONG, {}, "wrong_setup", "amplitude_far_off"),
    ("amplitude_pingpong", GOOD, {"shots": 50}, "bad_data", "error_bar_too_wide"),
    ("drag_calibration", GOOD, {"start": 1.0, "stop": 3.0}, "adjust", "optimum_outside_sweep"),
    ("drag_calibration", GOOD, {"start": 0.2, "stop": 0.4}, "adjust", "sweep_too_narrow"),
    ("drag_calibration", GOOD, {"repetitions": 8}, "adjust", "lines_curved"),
    ("drag_calibration", FAR, {}, "wrong_setup", "no_contrast"),
    ("drag_calibration", GOOD | {"frequency_offset": 1.5}, {}, "wrong_setup", "detuned_drive"),
    ("drag_calibration", GOOD | {"frequency_offset": 12.0}, {}, "wrong_setup", "detuned_drive"),
    ("drag_calibration", GOOD, {"start": -6.0, "stop": -4.0}, "adjust", "wrong_crossing"),
    ("drag_calibration", GOOD, {"repetitions": 20, "start": 0.98, "stop": 1.18}, "adjust", "wrong_crossing"),
    ("all_xy", GOOD, {}, "success", ""),
    ("all_xy", GOOD | {"amplitude_error": 0.05}, {"shots": 4000}, "wrong_setup", "amplitude_off"),
    ("all_xy", GOOD | {"amplitude_error": 0.2}, {"shots": 4000}, "wrong_setup", "amplitude_far_off"),
    ("all_xy", GOOD | {"frequency_offset": 1.0}, {"shots": 4000}, "wrong_setup", "frequency_off"),
    ("all_xy", GOOD | {"drag": -0.3}, {"shots": 4000}, "wrong_setup", "drag_off"),
    ("all_xy", GOOD | {"drag": 0.0}, {"shots": 150, "repetitions": 1}, "adjust", "cause_uncertain"),
    ("single_qubit_rb", GOOD, {"max_length": 32}, "adjust", "sequences_too_short"),
    ("single_qubit_rb", {}, {"max_length": 8192}, "adjust", "sequences_too_long"),
    ("single_qubit_rb", WRONG_GATES, {"max_length": 64, "shots": 20000}, "wrong_setup", "coherent_errors"),
    ("single_qubit_rb", WRONG_GATES, {"t1": 126.0, "t2_echo": 124.0, "max_length": 256}, "wrong_setup",
     "gates_miscalibrated"),
    ("qubit_spectroscopy", FAR, {"start": -10.0, "stop": 10.0}, "adjust", "no_line_in_sweep"),
    ("qubit_spectroscopy", GOOD, {"start": -1.5, "stop": 30.0}, "adjust", "line_at_edge"),
    ("qubit_spectroscopy", GOOD, {"start": 100.0, "stop": 500.0, "step": 0.5}, "wrong_setup", "no_line_anywhere"),
    ("ef_spectroscopy", GOOD, {"amplitude": 0.15}, "adjust", "line_saturated"),
    ("ef_spectroscopy", GOOD, {"start": 10.0, "stop": 60.0}, "adjust", "sweep_beside_lines"),
    ("resonator_spectroscopy", GOOD, {"start": 15.0, "stop": 30.0}, "adjust", "no_dip_in_sweep"),
    ("resonator_spectroscopy", GOOD, {"start": -0.2, "stop": 20.0}, "adjust", "dip_at_edge"),
    ("resonator_spectroscopy", FAR, {}, "success", "pi_pulse_unseen"),
    ("resonator_power_sweep", GOOD, {"stop": 0.25}, "adjust", "tones_too_weak"),
    ("resonator_power_sweep", GOOD, {"start": 0.5}, "adjust", "tones_too_strong"),
    ("readout_calibration", NOISY, {}, "wrong_setup", "readout_unresolved"),
    ("readout_calibration", FAR, {}, "wrong_setup", "no_contrast"),
    ("readout_mitigation", GOOD, {"shots": 500}, "adjust", "error_bar_too_wide"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "options", "chosen", "verdict", "cause"), sampled(SITUATIONS))
def test_each_situation_has_its_word(
    open_lab: Callable[..., Any], name: str, options: dict[str, Any], chosen: dict[str, Any], verdict: str, cause: str
) -> None:
    _, report = open_lab(**options).run(name, **chosen)
    assert (report.verdict, report.cause) == (verdict, cause), report.diagnosis


@pytest.mark.slow
def test_a_calibrated_qubit_hardly_raises_an_alarm_about_its_pulses(open_lab: Callable[..., Any]) -> None:
    """White noise is all that ends its echo: the gain is 1, and chance puts 1 in 44 more than two errors below."""
    causes = []
    for seed in range(1, 21):
        lab = open_lab(seed=seed, **GOOD)
        lab.calibrate()
        causes.append(lab.until_done("cpmg", pulses=4, shots=1000)[0].cause)
    assert causes.count("") >= 19


@pytest.mark.parametrize(
    ("error", "verdict", "cause"),
    [
        (HardwareLimitError("amplitude", 2.0, 0.0, 1.0, ""), "wrong_setup", "hardware_limit"),
        (FitError("Nothing is determined. Measure again."), "bad_data", "no_result"),
    ],
)
def test_a_run_without_result_has_a_cause_that_every_experiment_has(
    open_lab: Callable[..., Any], error: Exception, verdict: str, cause: str
) -> None:
    class Broken(Rabi):
        def fit(self) -> None:
            raise error

    device: Device = open_lab(**GOOD).device
    report = perform(Broken, ExperimentCall("rabi", {"qubit": "Q1"}), device, "one").report
    assert (report.verdict, report.cause) == (verdict, cause)
    assert cause in card(Rabi).causes


def test_a_proposal_of_what_was_played_ends_the_repetitions(open_lab: Callable[..., Any]) -> None:
    """Three times as many shots, but not above the bound: with the bound in use the same would come again."""

    class Unsure(Rabi):
        def report(self) -> Report:
            more = min(20000, 3 * self.arguments["shots"])
            return Report("bad_data", "unsure", "unsure", proposal={"shots": more}, cause="error_bar_too_wide")

    device: Device = open_lab(**GOOD).device
    for shots, verdict in ((10000, "bad_data"), (20000, "wrong_setup")):
        report = perform(Unsure, ExperimentCall("rabi", {"qubit": "Q1", "shots": shots}), device, f"{shots}").report
        assert (report.verdict, bool(report.proposal)) == (verdict, verdict == "bad_data")


WRITING: list[tuple[str, dict[str, Any]]] = [
    ("qubit_spectroscopy", {"frequency_offset": -5.0}),
    ("ramsey", {"frequency_offset": 0.1}),
    ("readout_optimization", GOOD | {"readout_decay": 0.6}),
    *((name, GOOD) for name in ("rabi", "power_rabi", "amplitude_pingpong", "drag_calibration", "ef_spectroscopy")),
    *((name, GOOD) for name in ("resonator_spectroscopy", "readout_calibration", "resonator_power_sweep")),
]
WRITING_PAIRS = {"sizzle_search", "sizzle_amplitude_attempt", "stark_echo_tuneup"}  # `updates` is made of `writes`


@pytest.mark.parametrize(("name", "options"), WRITING)
def test_what_an_experiment_writes_is_what_it_says(
    open_lab: Callable[..., Any], name: str, options: dict[str, Any]
) -> None:
    _, report = open_lab(**options).run(name)
    assert set(report.updates) == set(CLASSES[name].writes)
    assert card(CLASSES[name]).writes == CLASSES[name].writes


def test_no_experiment_that_writes_is_left_out() -> None:
    assert {name for name, kind in CLASSES.items() if kind.writes} == {name for name, _ in WRITING} | WRITING_PAIRS


def test_a_word_means_one_thing_and_a_shared_one_is_shared() -> None:
    meanings: dict[str, set[str]] = defaultdict(set)
    for kind in CLASSES.values():
        for cause, meaning in kind.causes.items():
            meanings[cause].add(meaning)
    assert not {cause for cause, said in meanings.items() if len(said) > 1}
    used = Counter(cause for kind in CLASSES.values() for cause in kind.causes)
    assert not {cause for cause in SHARED if used[cause] < 2}
    assert not ALWAYS.keys() & used.keys()


@every
def test_every_branch_has_a_declared_cause_and_every_declared_cause_is_reported(kind: Kind) -> None:
    """Read from the source, so that branches that no device reaches are held to it as well."""
    assert list(_nameless(kind)) == []
    assert kind.causes.keys() - _spoken(kind) == set()


def _modules(kind: Kind) -> set[str]:
    """The modules that make up an experiment: its own and those of the experiments that it extends or plays."""
    found = {cls.__module__ for cls in kind.__mro__ if issubclass(cls, Experiment) and cls is not Experiment}
    return found | ({"labwright.tools.experiments.ramsey"} if kind.name == "t2_ramsey" else set())


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(inspect.getsource(sys.modules[module]))


def _calls(tree: ast.AST, *names: str) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
            yield node


def _nameless(kind: Kind) -> Iterator[str]:
    """Verdicts other than success in the source of an experiment that have no cause, or one that is not declared."""
    for call in _calls(_tree(kind.__module__), "Report", "Judgement"):
        verdict = call.args[0]
        if isinstance(verdict, ast.Constant) and verdict.value == "success":
            continue
        place = 2 if isinstance(call.func, ast.Name) and call.func.id == "Judgement" else 9
        named = [keyword.value for keyword in call.keywords if keyword.arg == "cause"]
        cause = named[0] if named else call.args[place] if len(call.args) > place else None
        if cause is None:
            yield f"line {call.lineno}: no cause"
        elif isinstance(cause, ast.Constant) and cause.value not in kind.causes:
            yield f"line {call.lineno}: {cause.value!r} is not declared"


def _spoken(kind: Kind) -> set[str]:
    """Every text in the source of an experiment, other than where it declares its causes."""
    found = set()
    for module in _modules(kind):
        tree = _tree(module)
        declared = {id(node) for call in _calls(tree, "causes_of") for node in ast.walk(call)}
        texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in declared)
        found |= {node.value for node in texts if isinstance(node.value, str)}
        if any(_calls(tree, "cause_without_contrast", "silent_report")):
            found |= {"no_response", "readout_unresolved"}
        if any(_calls(tree, "look_alike")):
            found.add("no_contrast")
    return found
