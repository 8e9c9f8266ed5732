"""Frames and stages as plain values: made of a plan's steps, read, changed. No graph, no device."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from labwright.graphs.lab_calibration.state import CalibrationState, Frame, Stage
from labwright.tools.specifications.calibration import CalibrationPlan, Step
from labwright.tools.specifications.plan_completion import DUT, PAIR_ROLES, filled, line_of_step, on_pairs, slug_of_step

if TYPE_CHECKING:
    from labwright.graphs.lab_calibration.run_context import Laboratory


def first_frame(plan: CalibrationPlan, lab: Laboratory) -> Frame:
    """The frame of the whole plan; with pairs, its steps for one pair after the other."""
    steps = [step for step in plan.steps if isinstance(step, Step)]
    title = plan.title or "; ".join(line_of_step(step) for step in steps)[:80]
    if on_pairs(plan, lab.pairs):
        pairs = lab.pairs if plan.for_ == "pairs" else plan.for_
        named = [dict(zip(PAIR_ROLES, pair.split("-"), strict=True)) for pair in pairs]
        steps = [filled(step, names) for names in named for step in steps]
        return frame_of(title, steps, {}, wanted=plan.results)
    dut = {DUT: plan.for_[0]} if isinstance(plan.for_, list) and plan.for_ else {}
    if plan.for_ == "all":
        dut = {DUT: lab.device.qubits[0]}  # the only one, or a lane's
    return frame_of(title, steps, dut, wanted=plan.results)


def frame_of(title: str, steps: Iterable[Step], qubits: dict[str, str], *, slug: str = "", wanted: str = "") -> Frame:
    """The frame of `steps`, with `qubits` in place of their placeholders."""
    stages = [_stage(number, filled(step, qubits)) for number, step in enumerate(steps, 1)]
    return {"title": title, "slug": slug, "wanted": wanted, "stages": stages, "at": 0, "qubits": qubits, "failed": []}


def _stage(number: int, step: Step) -> Stage:
    return {
        "label": step.label or f"Stage {number}",
        "instruction": line_of_step(step),
        "step": step.model_dump(mode="json", by_alias=True, exclude_defaults=True),
        "call": None,
        "changed": {},
        "executed": 0,
        "failed": 0,
        "succeeded": 0,
        "fresh": 0,
        "stepped_back": 0,
    }


def planned(lab: Laboratory, frame: Frame, path: str) -> None:
    """Log the stages of a frame that begins."""
    stages = [{"label": stage["label"], "instruction": stage["instruction"]} for stage in frame["stages"]]
    event = {"kind": "planned", "path": path, "title": frame["title"], "stages": stages}
    lab.emit(event, once=f"planned {path} {frame['title']}")


def step_of(stage: Stage) -> Step:
    """The stage's step, typed."""
    return Step.model_validate(stage["step"])


def is_procedure(stage: Stage) -> bool:
    """Whether the stage is a procedure."""
    return bool(slug_of_step(step_of(stage)))


def top(state: CalibrationState) -> Frame:
    """The procedure under way."""
    return state["frames"][-1]


def current(state: CalibrationState) -> Stage:
    """The stage under way."""
    frame = top(state)
    return frame["stages"][frame["at"]]


def with_stage(state: CalibrationState, **changes: Any) -> list[Frame]:
    """The frames with the current stage changed; nothing is changed in place."""
    frame = top(state)
    stages = list(frame["stages"])
    stages[frame["at"]] = cast(Stage, {**stages[frame["at"]], **changes})
    return with_top(state, stages=stages)


def with_top(state: CalibrationState, **changes: Any) -> list[Frame]:
    """The frames with the top one changed; nothing is changed in place."""
    return [*state["frames"][:-1], cast(Frame, {**top(state), **changes})]


def path_of(state: CalibrationState) -> str:
    """Where the run is, such as ``calibrate-single-qubit@2/3``: unique among the frames of one request."""
    return "/".join(f"{frame['slug'] or 'request'}@{frame['at'] + 1}" for frame in state["frames"])
