"""What the steps of a plan need and what is not met; a plan with the calibrations put in that it lacks.

This is check_state of Kelly et al., arXiv:1803.03226, before anything is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from labwright.tools.experiments.needs import Need, conjoined
from labwright.tools.specifications.base import Problem
from labwright.tools.specifications.calibration import FAILED, CalibrationPlan, EmbeddedProcedure, Step, Transition
from labwright.tools.specifications.catalogue import roles, updates
from labwright.tools.specifications.plan_completion import DUT, PAIR_ROLES, Completed, Lab, complete, on_pairs
from labwright.tools.specifications.plan_to_sentences import calls_of
from labwright.tools.specifications.step_checks import split_arguments
from labwright.tools.upkeep.calibration_graph import WHOLE, Node
from labwright.tools.upkeep.upkeep_journal import State

INSERT = "Write `insert: prerequisites` into the plan, or calibrate it in an earlier step."


@dataclass(frozen=True)
class Upkeep:
    """What is known of a device's calibrations.

    Attributes:
        nodes: the graph of calibrations.
        met: (qubit or pair, need) -> how its settings stand with it, and why.
        memory: whether anything was ever measured on the device.
    """

    nodes: Mapping[str, Node]
    met: Callable[[str, Need], tuple[State, str]]
    memory: bool = True


@dataclass(frozen=True)
class Unmet:
    """A need of a step that is not met.

    Attributes:
        at: place of the plan's own step.
        experiment: that needs it, in the step or below.
        writes: whether that experiment writes settings.
        element: the qubit or pair in question.
        names: qubit -> what the plan calls it, such as dut.
        written: (element, setting) that earlier steps write.
    """

    at: int
    experiment: str
    writes: bool
    element: str
    need: Need
    state: State
    why: str
    names: Mapping[str, str]
    written: frozenset[tuple[str, str]]

    def __str__(self) -> str:
        return f"{self.why}; {self.experiment} needs {self.need}."


def prepared(data: Mapping[str, Any], lab: Lab, upkeep: Upkeep) -> Completed:
    """The plan made whole as `complete` does, with what it lacks put in or told.

    A plan that would write settings from data known to be spoilt is a problem. What is old or not known is told.

    Raises:
        SpecificationError: it does not have the form of a plan.
    """
    wanted, steps = data.get("insert") == "prerequisites", data.get("steps")
    if wanted and isinstance(steps, list):  # those of an earlier look are found anew
        data = {**data, "steps": [each for each in steps if not (isinstance(each, dict) and each.get("inserted"))]}
    done = complete(data, replace(lab, rehearse=None) if wanted else lab)
    if done.problems:
        return done
    gaps = list(unmet(done.plan, lab, upkeep))
    if wanted:
        whole = complete(_Insertion(done.plan, lab, upkeep).filled(gaps).plain(), lab)
        return replace(whole, assumptions=done.assumptions)
    spoilt = [each for each in gaps if each.state == "bad" and each.writes]
    problems = [Problem(("steps", each.at), str(each), INSERT) for each in spoilt]
    told = _told([each for each in gaps if upkeep.memory or each.state != "unknown"], upkeep.nodes)
    return replace(done, problems=list(dict.fromkeys(problems)), assumptions=[*done.assumptions, *told])


def _told(gaps: list[Unmet], nodes: Mapping[str, Node]) -> Iterator[str]:
    """A line for each thing that a qubit or pair lacks: which experiments need it, and what measures it."""
    alike: dict[tuple[str, str], dict[Need, list[str]]] = {}
    for gap in gaps:
        needed = alike.setdefault((gap.element, gap.why), {}).setdefault(gap.need, [])
        needed += [gap.experiment] if gap.experiment not in needed else []
    for (element, why), needs in alike.items():
        by = conjoined(f"{conjoined(names)} ({need.demands})" for need, names in needs.items())
        need = next(iter(needs))
        first = measured_by(need, nodes)
        task = first and f"{first.experiments[0] if first.experiments else 'bring up'} {element.replace('-', ', ')}"
        what = {1: "it", 2: "both"}.get(len(need.settings), "all of them")
        yield f"{why}; needed by {by}" + (f"; put {task} in front to measure {what}." if task else ".")


def measured_by(need: Need, nodes: Mapping[str, Node]) -> Node | None:
    """What calibrates a need; what was found once, and is lost, takes the whole bring-up."""
    if need.age is None:
        return None if need.pair else WHOLE
    return min((each for each in nodes.values() if each.gives(need)), key=lambda each: len(each.settings), default=None)


def unmet(plan: CalibrationPlan, lab: Lab, upkeep: Upkeep) -> Iterator[Unmet]:
    """The needs that neither the device's memory nor an earlier step meets, for every qubit that the plan is for."""
    for names in _bindings(plan, lab):
        written: set[tuple[str, str]] = set()
        for at, step in enumerate(plan.steps):
            if not isinstance(step, Step):
                continue
            for call in calls_of(plan.model_copy(update={"for_": "", "steps": [step]}), lab.catalogue, names):
                card = lab.catalogue.cards[call.experiment]
                writes = call.writes != "none" and updates(card, split_arguments(call, card)[0])
                for need in card.needs:
                    for element in elements(call.qubits, lab.pairs, pair=need.pair):
                        state, why = upkeep.met(element, need)
                        if missing(need, state, element, written):
                            back = {qubit: role for role, qubit in names.items()}
                            yield Unmet(at, card.name, writes, element, need, state, why, back, frozenset(written))
                for element in elements(call.qubits, lab.pairs, pair=PAIR_ROLES[1] in roles(card)) if writes else ():
                    written |= {(element, setting) for setting in card.writes}


def missing(need: Need, state: State, element: str, written: set[tuple[str, str]] | frozenset[tuple[str, str]]) -> bool:
    """Whether a need is unmet; a rough value that was not measured is taken as the device's author gave it."""
    if state == "fresh" or (state == "unknown" and need.age is None):
        return False
    return not {(element, setting) for setting in need.settings} <= written


def elements(qubits: list[str], pairs: tuple[str, ...], *, pair: bool) -> list[str]:
    """The qubits of a call, or the coupled pairs among them."""
    return [each for each in pairs if set(each.split("-")) <= set(qubits)] if pair else qubits


def _bindings(plan: CalibrationPlan, lab: Lab) -> list[dict[str, str]]:
    """What the placeholders stand for: one for each qubit or pair that the plan is for."""
    if on_pairs(plan, lab.pairs):
        chosen = lab.pairs if plan.for_ == "pairs" else plan.for_
        return [dict(zip(PAIR_ROLES, each.split("-"), strict=True)) for each in chosen]
    return [{DUT: each} for each in (lab.qubits if plan.for_ == "all" else plan.for_)] or [{}]


class _Insertion:
    """Puts calibrations before the steps that need them, each behind what it needs itself."""

    def __init__(self, plan: CalibrationPlan, lab: Lab, upkeep: Upkeep) -> None:
        self.plan, self.lab, self.upkeep = plan, lab, upkeep
        self.before: dict[int, list[Step]] = {}
        self.done: set[tuple[str, ...]] = set()
        self.procedures: dict[str, EmbeddedProcedure] = {}

    def filled(self, gaps: list[Unmet]) -> CalibrationPlan:
        """The plan with a step for every gap that can be closed. Its own steps keep the labels that they had."""
        for gap in sorted(gaps, key=lambda each: each.at):
            self._close(gap)
        if not self.before:
            return self.plan
        steps: list[str | Step] = []
        for at, step in enumerate(self.plan.steps):
            steps += self.before.get(at, [])
            label = step.label or f"Stage {at + 1}" if isinstance(step, Step) else ""
            steps.append(step.model_copy(update={"label": label}) if isinstance(step, Step) else step)
        return self.plan.model_copy(update={"steps": steps, "procedures": self.plan.procedures | self.procedures})

    def _close(self, gap: Unmet) -> None:
        node = measured_by(gap.need, self.upkeep.nodes)
        qubits = gap.element.split("-") if gap.need.pair else [gap.element]
        called = [gap.names.get(each, each) for each in qubits]
        if node is None or {(node.name, *called), (WHOLE.name, *called)} & self.done:
            return
        self.done.add((node.name, *called))
        usual = self.lab.catalogue.cards[node.experiments[0]] if node.experiments else None
        for need in usual.needs if usual else ():
            for element in elements(qubits, self.lab.pairs, pair=need.pair):
                state, why = self.upkeep.met(element, need)
                if usual and missing(need, state, element, gap.written):
                    self._close(replace(gap, experiment=usual.name, element=element, need=need, state=state, why=why))
        number = 1 + sum(map(len, self.before.values()))
        self.before.setdefault(gap.at, []).append(
            Step(
                label=f"Prerequisite {number}",
                procedure=self._procedure(node),
                qubits=called,
                on=[Transition.model_validate({"if": "failed", "go": FAILED})],
                inserted=str(gap)[:300],
            )
        )

    def _procedure(self, node: Node) -> str:
        """The slug of the procedure that calibrates a node, which the plan brings along."""
        if node is WHOLE:
            return "bring-up"
        slug, parameters = f"calibrate-{node.name}", list(PAIR_ROLES if node.pair else (DUT,))
        title = f"Calibrate {node.name} of {' and '.join(repr(each) for each in parameters)}"
        self.procedures[slug] = EmbeddedProcedure(title=title, parameters=parameters, steps=list(node.steps))
        return slug
