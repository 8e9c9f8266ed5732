"""What the nodes of one run work with: folder, device, mind and catalogue. Opened once a process, never in state."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

from labwright.agents.meter import Meter
from labwright.agents.settings import Settings
from labwright.agents.typed_call import Mind
from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.run_context import Event, OpenRuns, Surroundings
from labwright.tools.errors import InputError
from labwright.tools.experiments import registry
from labwright.tools.experiments.base import Experiment
from labwright.tools.experiments.call import ExperimentCall, ExperimentCard
from labwright.tools.experiments.duration_estimate import estimated_seconds
from labwright.tools.experiments.needs import Need
from labwright.tools.experiments.perform import peak_amplitude
from labwright.tools.limits import plan_approval
from labwright.tools.limits.files import KEPT, found, packed, with_kept
from labwright.tools.limits.guard import Guarded, Terms, guarded
from labwright.tools.limits.limits_document import Law
from labwright.tools.limits.measurement_grants import require_grant
from labwright.tools.qpu.device import Device
from labwright.tools.qpu.device_fork import device_folder
from labwright.tools.qpu.device_sharing import SideBySide
from labwright.tools.qpu.joint_program import AnyProgram
from labwright.tools.qpu.opening import check_device, open_device
from labwright.tools.qpu.settings import pair_name
from labwright.tools.runs.hash_chain import chains_of
from labwright.tools.runs.hashed_files import read_json, sha256_of
from labwright.tools.runs.run import account, load_run, part_of
from labwright.tools.specifications.bounds import Bounds
from labwright.tools.specifications.calibration import CalibrationPlan
from labwright.tools.specifications.catalogue import Catalogue, catalogue_of, listed, updates
from labwright.tools.specifications.procedures import Procedure, load_procedures
from labwright.tools.specifications.yaml_files import read_document, validated
from labwright.tools.upkeep.upkeep_journal import State, UpkeepBook, met

SPEC = "spec.yaml"  # in the run folder


class Laboratory(Surroundings[Choices]):
    """One calibration's surroundings: the device and the catalogue besides what every run has."""

    drafted = Bounds()  # of the plan, while it is being read
    is_lane = False  # whether it works on one qubit of a chip

    @cached_property
    def device(self) -> Device:
        """The processor behind its guard; the simulated one keeps its journal in the run's folder."""
        chosen, options = self.choices.device, self.choices.device_options
        opened = open_device(chosen, self.device_folder, self.choices.seed, options)
        mark = self.device_folder.absolute() / "driven.run"
        if chosen != "simulated" and not getattr(opened, "harmless", False):  # the same one, whatever the folder
            name = f"{chosen} {sorted(options.items())}"
            mark = (Settings().state / "devices" / f"{sha256_of(name.encode())[:16]}.run").absolute()
        terms = Terms(self.laws, lambda: self.bounds, self._permit, self.emit, self._granted)
        try:
            return guarded(opened, terms, self.run.folder, mark)
        except BaseException:
            opened.close()
            raise

    @cached_property
    def laws(self) -> tuple[Law, ...]:
        """The lab's limits: those that the run began under, and those that are in force now."""
        laws = with_kept(self.run.folder, limits_of(self.choices))
        if not (self.run.folder / KEPT).exists():
            self.run.save_bytes(KEPT, packed(laws))
        return laws

    @property
    def bounds(self) -> tuple[tuple[Bounds, str], ...]:
        """What the run may take, each with where it is written: by the lab, and by the plan (or its draft)."""
        own = self.plan.bounds if (self.run.folder / SPEC).exists() else self.drafted
        return (*((law.limits.run, law.where("run")) for law in self.laws), (own, "the plan, bounds"))

    def approve(self, text: str) -> None:
        """The plan in `text` was understood, and approved as the run's policy wants it."""
        by = {"by": account(), "policy": self.choices.approval}
        plan_approval.approve(self.run.folder, text, self.laws, by)

    def _permit(self) -> None:
        plan_approval.require(self.run.folder, self.run.folder / SPEC, self.laws, self.bounds)

    def _granted(self, programs: Mapping[str, AnyProgram]) -> None:
        """Each measurement of a stage that needs a person's approval has one; see `needs_approval`."""
        for key, program in programs.items():
            action = key.partition(".")[0]
            for chain in chains_of(self.run.folder):
                claim = chain.folder / "actions" / action / "claim.json"
                if claim.exists() and "path" in (note := read_json(claim, "Start the run anew.")):
                    call = ExperimentCall(note["call"]["experiment"], note["call"]["arguments"])
                    if why := self.needs_approval(call, peak_amplitude(program)):
                        require_grant(chain.folder, action, why)

    def needs_approval(self, call: ExperimentCall, amplitude: float) -> str:
        """Why a person has to approve `call`; empty if nobody has to. The plan may tighten the policy, never loosen it.

        Args:
            call: the measurement.
            amplitude: the largest that it drives with.
        """
        policy, wanted = self.choices.approval, self.plan.approval
        if policy == "always" or wanted == "before every measurement":
            return "Every measurement needs approval."
        card = self.card(call.experiment)
        if wanted == "before writing settings" and updates(card, call.arguments):
            return f"It may write {listed(card.writes)}."
        limit = self.device.limits.caution_amplitude
        if policy == "risky" and amplitude > limit:
            return f"It drives with amplitude {amplitude:g}, above the cautious limit of {limit:g}."
        return ""

    @property
    def device_folder(self) -> Path:
        """Where the device keeps its memory: with the run, unless it outlives runs."""
        return device_folder({"device_folder": self.choices.device_folder}, self.run.folder)

    @cached_property
    def experiments(self) -> dict[str, type[Experiment]]:
        """Name -> class, the user's own included."""
        return registry.experiments(self.lab_folder)

    @cached_property
    def procedures(self) -> dict[str, Procedure]:
        """Slug -> procedure, the user's own included."""
        return load_procedures([self.lab_folder] if self.lab_folder else [])

    @cached_property
    def catalogue(self) -> Catalogue:
        """What a plan may name: cards of experiments and procedures."""
        cards = {name: registry.card(kind) for name, kind in self.experiments.items()}
        return catalogue_of(cards, self.procedures)

    @cached_property
    def plan(self) -> CalibrationPlan:
        """The specification of the run, as it was saved when it was understood."""
        text = (self.run.folder / SPEC).read_text(encoding="utf-8")
        plan_approval.require_text(self.run.folder, self.run.folder / SPEC)
        document = read_document(text, SPEC)
        return validated(CalibrationPlan, document.data, SPEC, document.lines)

    @property
    def pairs(self) -> list[str]:
        """The device's coupled pairs, such as Q1-Q2."""
        return [pair_name(*pair) for pair in self.device.settings.pairs]

    def settings_of(self, name: str) -> dict[str, float]:
        """The settings of a qubit or a pair as they are now."""
        settings = self.device.settings
        return asdict(settings.pair(name) if name in self.pairs else settings.current(name))

    def card(self, name: str) -> ExperimentCard:
        """The card of an experiment, or of a procedure by ``procedure:<slug>``, the plan's own included."""
        return self.catalogue.cards[name]

    def estimated(self, call: ExperimentCall) -> float | None:
        """Device time that a call is expected to take, s; None if nobody can tell."""
        return estimated_seconds(self.experiments[call.experiment], call, self.device)

    @property
    def lab_folder(self) -> Path | None:
        """The user's own experiments and procedures."""
        return Path(self.choices.lab) if self.choices.lab else None

    @cached_property
    def side_by_side(self) -> SideBySide:
        """The device as it is shared by lanes that work side by side."""
        return SideBySide(self.device, self.run.folder / "acquired")

    @cached_property
    def upkeep(self) -> UpkeepBook:
        """What is remembered of the device's calibrations."""
        return UpkeepBook(self.device_folder)

    def met(self, name: str, need: Need) -> tuple[State, str]:
        """How a qubit's or pair's settings stand with a need now: the worst of them, and why."""
        known = self.upkeep.settings(name, self.experiments, self.device.settings)
        return met(known, name, need, self.device.clock)

    @cached_property
    def lanes(self) -> set[str]:
        """Folders of the lanes that this process has open."""
        return set()

    @cached_property
    def voice(self) -> threading.Lock:
        """Lanes speak one after the other."""
        return threading.Lock()

    def open_lane(self, name: str, request: str, choices: dict[str, Any]) -> str:
        """The folder of the lane `name`, made if it is not there; it is worked in with this laboratory's device."""
        folder = str(part_of(self.run, name, request, choices).folder)
        self.lanes.add(folder)
        return folder

    def rest(self) -> None:
        """Bring the device to its safe state, if this process has it open."""
        if "device" in self.__dict__ and isinstance(self.device, Guarded):
            self.device.rest()

    def close(self) -> None:
        """Give the device back, at rest, and forget the lanes."""
        while self.lanes:
            LABORATORIES.close(self.lanes.pop())
        for name in ("device", "side_by_side", "upkeep"):
            opened = self.__dict__.pop(name, None)
            if name == "device" and opened is not None:
                opened.close()


class Lane(Laboratory):
    """A laboratory within another: a folder of its own, but the host's device, mind, meter and library."""

    is_lane = True

    @cached_property
    def host(self) -> Laboratory:
        """The laboratory of the whole run."""
        found = laboratory(str(self.run.folder.parents[1]))
        found.lanes.add(str(self.run.folder))
        return found

    @property
    def lane(self) -> str:
        """Its name, such as Q3."""
        return self.run.folder.name

    @property
    def laws(self) -> tuple[Law, ...]:
        return self.host.laws

    @property
    def mind(self) -> Mind:
        return self.host.mind

    @property
    def meter(self) -> Meter:
        return self.host.meter

    @property
    def catalogue(self) -> Catalogue:
        return self.host.catalogue

    @property
    def upkeep(self) -> UpkeepBook:
        return self.host.upkeep

    @cached_property
    def device(self) -> Device:
        """The host's, which lanes take turns to wait for."""
        return self.host.side_by_side.seat()

    def emit(self, event: Event, once: str = "") -> None:
        """Log an event here; whoever listens to the host hears it, with the lane's name."""
        if self.listen is None:
            self.listen = self._pass_on
        super().emit(event, once)

    def keep_spending(self) -> None:
        """Write what was spent so far; it is the host's."""
        with self.host.voice:
            self.host.keep_spending()

    def _pass_on(self, event: Event) -> None:
        with self.host.voice:
            if event.get("kind") in ("question", "answer"):
                self.host.run.events.append({**event, "lane": self.lane})  # a replay finds what a person said
            if self.host.listen is not None:
                self.host.listen({**event, "lane": self.lane})

    def close(self) -> None:
        """Nothing: the device is the host's."""


def _open(run_dir: str, choices: dict[str, Any] | None) -> Laboratory:
    run = load_run(Path(run_dir))
    kind = Lane if "part" in (run.record.parent or {}) else Laboratory
    return kind(run, Choices.model_validate(choices or run.record.choices))


LABORATORIES = OpenRuns(_open)


def laboratory(run_dir: str, choices: dict[str, Any] | None = None) -> Laboratory:
    """The open laboratory of the run in `run_dir`; opened now if this process has not yet.

    Nodes call this with what the state holds, so a run resumes in any process.
    """
    return LABORATORIES.get(run_dir, choices)


def limits_of(choices: Choices) -> tuple[Law, ...]:
    """The limits in force for a run with these choices, which do not name them.

    Raises:
        InputError: a file of limits cannot be read or is malformed.
    """
    return found(Settings().limits, choices.lab, choices.device)


def limits_kept(choices: Choices) -> dict[str, bytes]:
    """The limits in force, as a new run keeps them."""
    return {KEPT: packed(limits_of(choices))}


def check_choices(choices: Choices) -> None:
    """Notice what cannot work before a run is made.

    Raises:
        InputError: the device cannot be opened as it is named, or there is no lab folder of that name.
    """
    check_device(choices.device, choices.device_options)
    if choices.lab and not Path(choices.lab).is_dir():
        raise InputError(
            f"There is no lab folder {choices.lab}. Give one that is there, or make it: `labwright new-lab`."
        )
