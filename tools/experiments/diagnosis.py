"""The words for a qubit that does not answer, from the one number that tells the causes apart."""

from __future__ import annotations

CANNOT_TELL = "readout cannot tell the states apart; run readout_calibration"
NO_RESPONSE = "qubit does not respond: drive off resonance or amplitude far off; run qubit_spectroscopy"
NOISE_FLOOR = 0.3  # of the shots after doing nothing read as 1: a working discriminator stays well below


def without_contrast(idle: float) -> str:
    """Why a sweep has no contrast; `idle` is the fraction that reads 1 where the qubit should be in 0.

    A discriminator between overlapping blobs reads 1 in nearly half of all shots, whatever the qubit does; one that
    works, on a qubit that the drive does not reach, keeps reading 0.
    """
    return CANNOT_TELL if idle > NOISE_FLOOR else NO_RESPONSE
