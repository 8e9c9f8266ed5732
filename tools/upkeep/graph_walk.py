"""The walk over the graph: maintain, diagnose, check_state (Kelly et al., arXiv:1803.03226, Sec. III).

The walk is a generator: it yields what it wants to know or done, and is sent the outcome. So it can be stopped at any
place and be walked again from the outcomes that are known, and nothing in it knows of a device.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from labwright.tools.upkeep.calibration_graph import WHOLE, Node, in_order

Found = Literal["in_spec", "out_of_spec", "bad_data", "calibrated", "failed"]


@dataclass(frozen=True, slots=True)
class Step:
    """What the walk asks for: a look at data, or a calibration. `why` is for the report."""

    act: Literal["check", "calibrate"]
    node: str
    why: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a step, at which device time (s)."""

    found: Found
    clock: float


Walk = Generator[Step, Outcome, None]


@dataclass
class Knowledge:
    """When each node was last seen in spec or calibrated, and last calibrated; device time in s."""

    seen: dict[str, float]
    calibrated: dict[str, float]

    def fresh(self, name: str, graph: Mapping[str, Node], clock: float) -> str:
        """Why `name` may not be trusted without data at `clock` (check_state); empty if it may."""
        node = graph[name]
        if name not in self.seen:
            return "never calibrated"
        if clock - self.seen[name] > node.timeout:
            return f"last seen in spec {(clock - self.seen[name]) / 3600:.1f} h ago"
        for other in node.depends_on:
            if self.calibrated.get(other, -1.0) > self.seen[name]:
                return f"{other} was calibrated since"
            if self.fresh(other, graph, clock):
                return f"{other} may not be trusted"
        return ""


def maintain(graph: Mapping[str, Node], known: Knowledge, clock: Callable[[], float]) -> Walk:
    """Every node in the order of dependence: trusted as it is, checked, or calibrated.

    An element of which too little is known is calibrated as a whole, and so is one where a single calibration fails.

    Args:
        graph: the calibrations of one element.
        known: what is remembered; the walk adds to it.
        clock: device time, s.
    """
    checked: set[str] = set()  # by this walk: data that are minutes old are not taken again
    if any(node.owns and node.depends_on and name not in known.seen for name, node in graph.items()):
        yield from _whole("never calibrated")
        return
    for name in in_order(graph):
        why = known.fresh(name, graph, clock())
        if not why or name in checked:
            continue
        if name in known.seen:
            verdict = yield from _checked(name, why, known, checked)
            if verdict == "in_spec":
                continue
            if verdict == "bad_data" or not graph[name].owns:
                verdict = yield from _mended_below(graph, name, verdict, known, checked, clock)
                if verdict == "in_spec":
                    continue
            why = verdict
        if not (yield from _calibrated(name, why, known, checked)):
            yield from _whole(f"{name} could not be calibrated by itself")
            return


def _whole(why: str) -> Walk:
    yield Step("calibrate", WHOLE.name, why)


def _diagnose(
    graph: Mapping[str, Node], name: str, why: str, known: Knowledge, checked: set[str], clock: Callable[[], float]
) -> Generator[Step, Outcome, bool]:
    """Whether `name` or something below it had to be calibrated: data in spec end the search on this branch."""
    if name in checked and not known.fresh(name, graph, clock()):
        return False
    verdict = yield from _checked(name, why, known, checked)
    if verdict == "in_spec":
        return False
    if verdict == "bad_data":
        verdict = yield from _mended_below(graph, name, verdict, known, checked, clock)
        if verdict == "in_spec":
            return True
    return (yield from _calibrated(name, verdict, known, checked))


def _mended_below(
    graph: Mapping[str, Node],
    name: str,
    verdict: Found,
    known: Knowledge,
    checked: set[str],
    clock: Callable[[], float],
) -> Generator[Step, Outcome, Found]:
    """Diagnose what `name` depends on; where something was calibrated, look at `name` again before it is calibrated.

    The paper calibrates `name` in any case. A look costs a few points, and mostly shows that it was never wrong.
    """
    below = False
    for other in graph[name].depends_on:
        below |= yield from _diagnose(graph, other, f"data of {name} are off", known, checked, clock)
    if not below:
        return verdict
    return (yield from _checked(name, "what it depends on was calibrated", known, checked))


def _checked(name: str, why: str, known: Knowledge, checked: set[str]) -> Generator[Step, Outcome, Found]:
    """Look at data of `name`."""
    outcome = yield Step("check", name, why)
    if outcome.found == "in_spec":
        known.seen[name] = outcome.clock
        checked.add(name)
    return outcome.found


def _calibrated(name: str, why: str, known: Knowledge, checked: set[str]) -> Generator[Step, Outcome, bool]:
    """Calibrate `name`; whether that succeeded."""
    outcome = yield Step("calibrate", name, why.replace("_", " "))
    if outcome.found != "calibrated":
        return False
    known.seen[name] = known.calibrated[name] = outcome.clock
    checked.add(name)
    return True


def next_step(
    graph: Mapping[str, Node], known: Knowledge, begun: float, outcomes: Sequence[Outcome]
) -> tuple[Step | None, list[Step]]:
    """The step after `outcomes`, None at the end; and all steps so far.

    Args:
        graph: of one element.
        known: what was remembered before the walk; not changed.
        begun: device time when the walk began, s; later it is that of the newest outcome.
        outcomes: of the steps so far, in order.
    """
    now = [begun]
    walk = maintain(graph, Knowledge(dict(known.seen), dict(known.calibrated)), lambda: now[0])
    steps: list[Step] = []
    try:
        steps.append(next(walk))
        for outcome in outcomes:
            now[0] = outcome.clock
            steps.append(walk.send(outcome))
    except StopIteration:
        return None, steps
    return steps[-1], steps
