"""What the nodes of one run work with: its folder, device, mind and library. Opened once a process, never in state."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

from labwright.agents.lab_calibration.translate import Library, build_library
from labwright.agents.settings import Settings
from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.surroundings import OpenRuns, Surroundings
from labwright.tools.experiments import registry
from labwright.tools.experiments.base import Experiment
from labwright.tools.experiments.call import ExperimentCall, parse_call
from labwright.tools.knowledge.procedures import Procedure, load_procedures
from labwright.tools.qpu.device import Device
from labwright.tools.qpu.opening import open_device
from labwright.tools.runs.run import load_run


class Laboratory(Surroundings[Choices]):
    """One calibration's surroundings: the device, the experiments and the library besides what every run has."""

    @cached_property
    def device(self) -> Device:
        """The processor; the simulated one keeps its journal in the run's folder."""
        options = self.choices.device_options
        return open_device(self.choices.device, self.run.folder / "device", self.choices.seed, options)

    @cached_property
    def experiments(self) -> dict[str, type[Experiment]]:
        """Name -> class, the user's own included."""
        return registry.experiments(self.lab_folder)

    @cached_property
    def procedures(self) -> dict[str, Procedure]:
        """Slug -> procedure, the user's own included."""
        return load_procedures([self.lab_folder] if self.lab_folder else [])

    @cached_property
    def library(self) -> Library:
        """The translation agents and the index that activates them."""
        cards = {name: registry.card(kind) for name, kind in self.experiments.items()}
        return build_library(self.mind, cards, self.procedures, Settings().state / "knowledge")

    @property
    def lab_folder(self) -> Path | None:
        """The user's own experiments and procedures."""
        return Path(self.choices.lab) if self.choices.lab else None

    def parse(self, code: str, variables: dict[str, Any]) -> ExperimentCall:
        """Candidate code as a call.

        Raises:
            CallSyntaxError: it is not one call to a known experiment.
        """
        return parse_call(code, self.library.cards, variables)

    def close(self) -> None:
        """Give the device back."""
        if "device" in self.__dict__:
            self.device.close()
            del self.__dict__["device"]


def _open(run_dir: str, choices: dict[str, Any] | None) -> Laboratory:
    run = load_run(Path(run_dir))
    return Laboratory(run, Choices.model_validate(choices or run.record.choices))


LABORATORIES = OpenRuns(_open)


def laboratory(run_dir: str, choices: dict[str, Any] | None = None) -> Laboratory:
    """The open laboratory of the run in `run_dir`; opened now if this process has not yet.

    Nodes call this with what the state holds, so a run resumes in any process.
    """
    return LABORATORIES.get(run_dir, choices)
