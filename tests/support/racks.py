"""A laboratory's device for tests: the simulated processor, whose outputs stay on until somebody rests them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from labwright.tools.qpu.simulated import SimulatedProcessor, open_simulated


class Rack(SimulatedProcessor):
    """Notes in ``outputs`` of its folder what becomes of the outputs."""

    def acquire(self, program: Any, key: str) -> Any:
        self._note("on")
        return super().acquire(program, key)

    def safe_state(self) -> None:
        self._note("rest")

    def _note(self, word: str) -> None:
        with (self._folder / "outputs").open("a") as file:
            file.write(f"{word}\n")


def open_rack(folder: Path, seed: int, options: dict[str, float | str]) -> SimulatedProcessor:
    """The factory."""
    opened = open_simulated(folder, seed, options)
    opened.__class__ = Rack
    return opened
