"""Words for what went wrong: the causes that experiments share, and how a qubit that does not answer is told.

A diagnosis is a sentence for people. A cause is a word for code: a procedure that says "if there are too few
oscillations" is decided by it. The same situation has the same word in every experiment, so what more than one of them
can meet stands here; what only one can meet stands in its class.
"""

from __future__ import annotations

from labwright.tools.experiments.base import Check, Estimate, Report

# What every experiment can report, declared or not: it gave no numbers to judge.
ALWAYS = {
    "hardware_limit": "A number that had to be played or written is outside the limits of the device.",
    "no_result": "The data determine nothing, so there is no result.",
}

SHARED = {
    # the qubit, its pulses and its readout
    "no_response": "The qubit does not answer: the drive is off resonance, or its amplitude far off.",
    "readout_unresolved": "The readout cannot tell 0 from 1.",
    "no_contrast": "What should read 0 and what should read 1 read alike: pulses or readout are not calibrated.",
    "amplitude_far_off": "The pulse amplitude is so far off that only a Rabi experiment can tell by how much.",
    "frequency_off": "The drive frequency is off.",
    "drive_too_weak": "A pi pulse of this duration would need more amplitude than the hardware has.",
    "gates_miscalibrated": "The gates are worse than coherence alone makes them: they have to be calibrated first.",
    # the data
    "poor_fit": "The data do not follow the model.",
    "error_bar_too_wide": "The result is not known well enough: it takes more shots or sequences.",
    "signal_in_noise": "What is looked for drowns in noise: it takes more shots.",
    "signal_moved": "The readout signal moved during the run.",
    # the sweep
    "too_few_oscillations": "The sweep holds too few oscillations.",
    "too_many_oscillations": "The sweep holds too many oscillations.",
    "points_too_far_apart": "The points lie too far apart to follow the oscillation.",
    "sweep_too_short": "The sweep is too short for an effect so slow.",
    "decay_outside_window": "The sweep is too short or too long for the decay.",
    "sequences_too_short": "The sequences are too short for errors so small.",
    "sequences_too_long": "The sequences are so long that nothing is left of the signal.",
    "no_line_in_sweep": "No line is seen in the sweep; it may lie outside.",
    "step_too_coarse": "The points lie farther apart than the line is wide: it may lie between two of them.",
    "line_at_edge": "The line lies at the edge of the sweep.",
    "line_saturated": "The probe is so strong that it broadens or distorts the line.",
    "no_dip_in_sweep": "No resonator dip is seen in the sweep; it may lie outside.",
    "dip_at_edge": "The resonator dip lies at the edge of the sweep.",
    "no_resonator": "No resonator dip is found in the widest sweep.",
    # two qubits
    "control_moved": "The drive changes the state of the control qubit.",
    "control_unsteady": "The control qubit scatters more than its noise explains.",
    "no_steady_rotation": "The target does not turn steadily: the drive disturbs it.",
    "no_usable_drive": "No drive that was tried makes a usable CZ gate.",
}

CANNOT_TELL = "readout cannot tell the states apart; run readout_calibration"
NO_RESPONSE = "qubit does not respond: drive off resonance or amplitude far off; run qubit_spectroscopy"
NOISE_FLOOR = 0.3  # of the shots after doing nothing read as 1: a working discriminator stays well below


def in_units(unit: str, *names: str) -> dict[str, str]:
    """Names of results -> their unit; see `Experiment.results`."""
    return dict.fromkeys(names, unit)


def causes_of(*shared: str, **own: str) -> dict[str, str]:
    """The causes that an experiment can report -> what they mean: shared words, and its own with a sentence each."""
    return {word: SHARED[word] for word in shared} | own


def without_contrast(idle: float) -> str:
    """Why a sweep has no contrast; `idle` is the fraction that reads 1 where the qubit should be in 0.

    A discriminator between overlapping blobs reads 1 in nearly half of all shots, whatever the qubit does; one that
    works, on a qubit that the drive does not reach, keeps reading 0.
    """
    return CANNOT_TELL if idle > NOISE_FLOOR else NO_RESPONSE


def cause_without_contrast(idle: float) -> str:
    """The cause that `without_contrast` puts into words."""
    return "readout_unresolved" if idle > NOISE_FLOOR else "no_response"


def silent_report(idle: float, analysis: str, estimates: dict[str, Estimate], checks: tuple[Check, ...]) -> Report:
    """What a sweep without contrast reports; `idle` as in `without_contrast`."""
    diagnosis, cause = without_contrast(idle), cause_without_contrast(idle)
    return Report("wrong_setup", diagnosis, analysis, estimates, checks, cause=cause)
