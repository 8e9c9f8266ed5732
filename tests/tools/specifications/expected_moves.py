"""What is expected of the shipped procedures, by their manual alone.

Written from docs/calibration-plans.md, docs/experiments.md and the seven procedure documents, without a look at any
source.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

# ---- the procedures, typed in from the documents ---------------------------------------------------------------------

EXHAUSTED_FAILS = ("exhausted", "FAILED")
FAILED_FAILS = ("failed", "FAILED")


def _step(task: str, repeats: int | None, *rules: tuple[str, str]) -> dict[str, Any]:
    return {"task": task, "repeats": repeats, "rules": list(rules)}


PROCEDURES: dict[str, list[dict[str, Any]]] = {
    "benchmark-single-qubit": [
        _step("t1", 3, EXHAUSTED_FAILS),
        _step("spin_echo", 3, EXHAUSTED_FAILS),
        _step("single_qubit_rb", 3, EXHAUSTED_FAILS),
    ],
    "bring-up": [
        _step("resonator_spectroscopy", 2, EXHAUSTED_FAILS),
        _step("qubit_spectroscopy", 3, EXHAUSTED_FAILS),
        _step("rabi", 3, ("exhausted", "Stage 2")),
        _step("readout_calibration", 3, EXHAUSTED_FAILS),
        _step("Calibrate single qubit", None, FAILED_FAILS),
        _step("Benchmark single qubit", None, FAILED_FAILS),
    ],
    "calibrate-single-qubit": [
        _step("ramsey", 5, ("no_response or readout_unresolved", "next"), ("success", "Stage 4"), EXHAUSTED_FAILS),
        _step("Recover lost qubit", None, FAILED_FAILS),
        _step("ramsey", 5, EXHAUSTED_FAILS),
        _step("rabi", 3, ("exhausted", "Stage 1")),
        _step("amplitude_pingpong", 2, ("exhausted", "Stage 4")),
        _step("drag_calibration", 3, ("detuned_drive", "Stage 1"), EXHAUSTED_FAILS),
        _step("amplitude_pingpong", 2, EXHAUSTED_FAILS),
        _step("ramsey", 3, ("frequency_corrected", "Stage 1"), EXHAUSTED_FAILS),
    ],
    "characterise-coherence": [
        _step("t1", 3, EXHAUSTED_FAILS),
        _step("t2_ramsey", 3, EXHAUSTED_FAILS),
        _step("spin_echo", 3, EXHAUSTED_FAILS),
    ],
    "find-sizzle-gate-parameters": [
        _step("Calibrate single qubit", None, FAILED_FAILS),
        _step("Calibrate single qubit", None, FAILED_FAILS),
        _step("sizzle_search", None, FAILED_FAILS),
        _step("stark_echo_tuneup", 2, EXHAUSTED_FAILS),
        _step("interleaved_rb_cz", 2, ("exhausted", "next")),
        _step("process_tomography", 2, EXHAUSTED_FAILS),
    ],
    "recover-lost-qubit": [
        _step("qubit_spectroscopy", 1, ("exhausted", "next")),
        _step("rabi", 3, ("exhausted", "next")),
        _step("readout_calibration", 2, EXHAUSTED_FAILS),
    ],
    "repair-gates": [
        _step(
            "all_xy",
            4,
            ("amplitude_off or amplitude_far_off", "Stage 2"),
            ("frequency_off", "Stage 3"),
            ("drag_off", "Stage 4"),
            ("success", "COMPLETE"),
            EXHAUSTED_FAILS,
        ),
        _step("amplitude_pingpong", 2, ("success", "Stage 1"), EXHAUSTED_FAILS),
        _step("ramsey", 4, ("success", "Stage 1"), EXHAUSTED_FAILS),
        _step("drag_calibration", 3, ("success", "Stage 1"), ("detuned_drive", "Stage 3"), EXHAUSTED_FAILS),
    ],
}

# ---- the causes, typed in from docs/experiments.md -------------------------------------------------------------------

EVERYWHERE = ("hardware_limit", "no_result")

CAUSES: dict[str, tuple[str, ...]] = {
    "resonator_spectroscopy": ("no_dip_in_sweep", "dip_at_edge", "no_resonator", "poor_fit", "pi_pulse_unseen"),
    "qubit_spectroscopy": ("no_line_in_sweep", "line_at_edge", "line_saturated", "poor_fit", "no_line_anywhere"),
    "readout_calibration": ("signal_moved", "no_contrast", "readout_unresolved", "third_blob", "slight_leakage"),
    "rabi": (
        "no_response",
        "readout_unresolved",
        "poor_fit",
        "error_bar_too_wide",
        "too_few_oscillations",
        "too_many_oscillations",
        "points_too_far_apart",
        "drive_too_weak",
    ),
    "ramsey": (
        "no_response",
        "readout_unresolved",
        "poor_fit",
        "error_bar_too_wide",
        "too_few_oscillations",
        "too_many_oscillations",
        "frequency_off",
        "frequency_corrected",
        "frequency_ambiguous",
        "frequency_imprecise",
        "fringes_decay_within_sweep",
        "fringe_stands_still",
    ),
    "t2_ramsey": (
        "no_response",
        "readout_unresolved",
        "too_few_oscillations",
        "decay_outside_window",
        "gates_miscalibrated",
        "error_bar_too_wide",
        "fringe_stands_still",
    ),
    "amplitude_pingpong": (
        "no_response",
        "readout_unresolved",
        "amplitude_far_off",
        "drive_too_weak",
        "poor_fit",
        "error_bar_too_wide",
        "not_converged",
    ),
    "drag_calibration": (
        "no_contrast",
        "poor_fit",
        "error_bar_too_wide",
        "optimum_outside_sweep",
        "lines_curved",
        "sweep_too_narrow",
        "detuned_drive",
        "wrong_crossing",
    ),
    "t1": ("no_response", "readout_unresolved", "decay_outside_window", "poor_fit", "error_bar_too_wide"),
    "spin_echo": ("no_response", "readout_unresolved", "decay_outside_window", "poor_fit", "error_bar_too_wide"),
    "single_qubit_rb": (
        "no_contrast",
        "sequences_too_long",
        "sequences_too_short",
        "poor_fit",
        "error_bar_too_wide",
        "gates_miscalibrated",
        "coherent_errors",
    ),
    "all_xy": (
        "no_response",
        "readout_unresolved",
        "poor_fit",
        "amplitude_far_off",
        "frequency_off",
        "amplitude_off",
        "drag_off",
        "cause_uncertain",
    ),
    "sizzle_search": ("no_usable_drive",),
    "stark_echo_tuneup": ("no_contrast", "no_steady_rotation", "phase_not_settled"),
    "interleaved_rb_cz": (
        "sequences_too_long",
        "sequences_too_short",
        "poor_fit",
        "error_bar_too_wide",
        "no_survival",
        "cz_costs_nothing",
    ),
    "process_tomography": ("no_contrast", "error_bar_too_wide", "gate_is_no_cz"),
}

# crosstalk_seen belongs to simultaneous_rb alone, which no shipped procedure uses.
WITH_SUCCESS: dict[str, tuple[str, ...]] = {
    "ramsey": ("frequency_off",),
    "resonator_spectroscopy": ("pi_pulse_unseen",),
    "readout_calibration": ("slight_leakage",),
}

OWN_LIMIT = 5  # repetitions of an experiment where the plan gives none
PROCEDURE_RUNS = 2  # runs in all of a step that is itself a procedure
BACK_LIMIT = 2  # times a step may send the run back after failures


def is_procedure(slug: str, step: int) -> bool:
    """Whether the step calls another procedure."""
    return PROCEDURES[slug][step]["task"] not in CAUSES


def allowed_repetitions(slug: str, step: int) -> int:
    """Repetitions beside the first run, each time that the step is reached."""
    if is_procedure(slug, step):
        return PROCEDURE_RUNS - 1
    # OPEN: does the run's own limit also cut a larger `Repeat at most N times`? Read: no, it holds only without one.
    # Nothing shipped allows more than 5, so both readings agree here.
    repeats: int | None = PROCEDURES[slug][step]["repeats"]
    return OWN_LIMIT if repeats is None else repeats


def is_exhausted(slug: str, step: int, *, verdict: str, runs: int, has_proposal: bool) -> bool:
    """No success, and nothing to be won by the same run."""
    # OPEN: `no success, and no repetition is left, or wrong_setup without a proposal`: read as no success and (A or B).
    # OPEN: `adjust` or `bad_data` without a proposal while repetitions are left: not exhausted; the run is done again.
    # OPEN: which count is meant by `left`. Read: the runs since the step was reached, never those of the whole
    # procedure, as `Reached again, a step may be repeated as often as before`.
    none_left = runs > allowed_repetitions(slug, step)
    return verdict != "success" and (none_left or (verdict == "wrong_setup" and not has_proposal))


def holds(condition: str, *, verdict: str, cause: str, exhausted: bool) -> bool:
    """The conditions that occur in the seven documents, and no others."""
    # OPEN: a cause's condition does not ask for the verdict. Read: it holds for that cause whatever the verdict, a
    # success with that cause included, and whether or not a repetition is left or proposed. No shipped step names a
    # cause that may come with its success.
    if condition == "success":
        return verdict == "success"
    if condition == "failed":
        return verdict != "success"
    if condition == "exhausted":
        return exhausted
    if condition == "no_response or readout_unresolved":
        return cause in ("no_response", "readout_unresolved")
    if condition == "amplitude_off or amplitude_far_off":
        return cause in ("amplitude_off", "amplitude_far_off")
    if condition in ("frequency_off", "drag_off", "frequency_corrected", "detuned_drive"):
        return cause == condition
    raise ValueError(condition)


def _label(slug: str, step: int) -> str:
    return f"Stage {step + 1}" if step < len(PROCEDURES[slug]) else "COMPLETE"


def expected(
    slug: str,
    step: int,
    *,
    verdict: str,
    cause: str,
    runs: int,
    executed: int,
    failed: int,
    succeeded: int,
    went_back: int,
    has_proposal: bool,
) -> str:
    """Label of the step that comes next ('Stage 1'...), 'COMPLETE' or 'FAILED'."""
    del executed, failed, succeeded  # No shipped condition counts: `failed 2 times`, `ran 3 times` ... occur nowhere.
    steps = PROCEDURES[slug]
    labels = [_label(slug, number) for number in range(len(steps))]
    left = runs <= allowed_repetitions(slug, step)
    exhausted = is_exhausted(slug, step, verdict=verdict, runs=runs, has_proposal=has_proposal)

    for condition, goal in steps[step]["rules"]:
        if not holds(condition, verdict=verdict, cause=cause, exhausted=exhausted):
            continue
        target = _label(slug, step + 1) if goal == "next" else goal
        if target in ("COMPLETE", "FAILED"):
            return target
        number = labels.index(target)
        if number == step and not left:
            continue
        # OPEN: does the limit of two also stop a step that goes back after its own success (Stages 2 to 4 of
        # repair-gates)? Read as written: only `after a failure`. The loop all_xy -> repair -> all_xy then has no bound
        # in the manual, as a step that is reached again may be repeated as often as before.
        # OPEN: is `frequency_corrected` a failure here? Read: yes (`is no success`), so that Stage 8 of
        # calibrate-single-qubit goes to Stage 1 twice and then repeats itself until it is exhausted.
        if number < step and verdict != "success" and went_back >= BACK_LIMIT:
            continue
        return target

    # Where no transition holds.
    # OPEN: a transition that was passed over counts as one that does not hold: later rules are still looked at.
    if verdict == "success":
        return _label(slug, step + 1)
    if left and not exhausted:
        return labels[step]
    # OPEN: `else one step back, once`: once for this step in all, and its earlier jumps back count, whatever their
    # goal. Read so, a step whose transition back has been passed over (went_back >= 2) is FAILED. No shipped step
    # gets here with went_back < 2.
    # OPEN: nothing lies before the first step, so that it would be FAILED; no shipped first step gets here.
    if step > 0 and went_back < 1:
        return labels[step - 1]
    return "FAILED"


# ---- what is compared ------------------------------------------------------------------------------------------------


def _histories(verdict: str, runs: int) -> list[tuple[int, int]]:
    """(executed, failed): everything before went well, or everything before failed, with and without two runs more."""
    this = 0 if verdict == "success" else 1
    return sorted({(executed, this + before) for executed in (runs, runs + 2) for before in (0, executed - 1)})


def situations(slug: str, step: int) -> Iterator[dict[str, Any]]:
    """The keyword arguments of `expected` for all the combinations to compare.

    The causes that the step's rules name, and '' (with no named ones or with success), come with every history of
    counts; each of the other causes comes with the histories in turn, which keeps a procedure near 20,000.
    """
    task = PROCEDURES[slug][step]["task"]
    called = is_procedure(slug, step)
    causes = ("",) if called else ("", *CAUSES[task], *EVERYWHERE)
    words = {word for condition, _ in PROCEDURES[slug][step]["rules"] for word in condition.split()}
    in_full = words & set(causes) or {""}
    for verdict in ("success", "adjust", "bad_data", "wrong_setup"):
        success = verdict == "success"
        these = ("", *WITH_SUCCESS.get(task, ())) if success else causes
        runs_range = range(1, PROCEDURE_RUNS + 1) if called else range(1, 8)
        for (place, cause), runs, went_back, proposal in product(enumerate(these), runs_range, range(4), (True, False)):
            histories = _histories(verdict, runs)
            if cause not in in_full and not (success and cause == ""):
                histories = [histories[(place + runs + went_back + proposal) % len(histories)]]
            for executed, failed in histories:
                yield {
                    "verdict": verdict,
                    "cause": cause,
                    "runs": runs,
                    "executed": executed,
                    "failed": failed,
                    "succeeded": executed - failed,
                    "went_back": went_back,
                    "has_proposal": proposal,
                }
