"""The CZ gate of a pair's settings as operations: what a device plays, and what the oracle judges."""

from __future__ import annotations

from labwright.tools.qpu.joint_program import JointOperation, Slot, Stark, Turn
from labwright.tools.qpu.program import Pulse
from labwright.tools.qpu.settings import PairSettings, QubitSettings


def half_turn(settings: QubitSettings) -> Pulse:
    """The calibrated X180 pulse."""
    return Pulse(settings.amplitude_pi, settings.pulse_duration, "gaussian", 0.0, settings.drag)


def stark_pulses(pair: PairSettings, duration: float | None = None) -> tuple[Stark, Stark]:
    """The Stark pulse of each qubit; of another duration (us) than the settings' if one is given."""
    length = pair.duration if duration is None else duration
    return (
        Stark(pair.frequency, pair.amplitude_first, length, pair.edge),
        Stark(pair.frequency, pair.amplitude_second, length, pair.edge, pair.phase),
    )


def echoed(
    pair: PairSettings, first: QubitSettings, second: QubitSettings, duration: float | None = None
) -> list[Slot]:
    """Stark pulse, X180 on both, Stark pulse, X180 on both: single-qubit phases cancel, the ZZ phase adds up."""
    stark: Slot = stark_pulses(pair, duration)
    turn: Slot = (half_turn(first), half_turn(second))
    return [stark, turn, stark, turn]


def cz_slots(pair: PairSettings, first: QubitSettings, second: QubitSettings) -> list[Slot]:
    """The calibrated CZ gate, virtual Z last."""
    turns: tuple[JointOperation, ...] = (Turn(pair.z_first), Turn(pair.z_second))
    return [*echoed(pair, first, second), turns]
