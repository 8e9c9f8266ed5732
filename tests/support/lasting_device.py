"""A device for tests whose memory outlives the run, as that of a real one does."""

from __future__ import annotations

from pathlib import Path

from labwright.tools.qpu.device import Device
from labwright.tools.qpu.simulated import open_simulated


def open_lasting(folder: Path, seed: int, options: dict[str, float | str]) -> Device:
    """The simulated processor, with its memory where `options` say."""
    return open_simulated(Path(str(options.pop("memory"))), seed, options)
