"""A calibration plan made whole: short form expanded, defaults resolved, every fact checked beforehand."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from labwright.tools.errors import HardwareLimitError, InputError
from labwright.tools.experiments.call import PROCEDURE, ExperimentCall, ExperimentCard
from labwright.tools.specifications import short_form_parser as short_form
from labwright.tools.specifications.base import Path, Problem, SpecificationError, migrated
from labwright.tools.specifications.calibration import (
    COMPLETE,
    FAILED,
    NEXT,
    PREVIOUS,
    REPEAT,
    CalibrationPlan,
    EmbeddedProcedure,
    Step,
)
from labwright.tools.specifications.catalogue import Catalogue, listed, places, roles, spoken
from labwright.tools.specifications.known_names import Known
from labwright.tools.specifications.procedures import Procedure, slug_of
from labwright.tools.specifications.step_checks import (
    Facts,
    changed,
    completed,
    qubit_problems,
    split_arguments,
    transition_problems,
)
from labwright.tools.specifications.yaml_files import validated

DEEPEST = 6  # procedures within procedures
DUT, PAIR_ROLES = "dut", ("qubit", "partner")
RESERVED = (NEXT, REPEAT, PREVIOUS, COMPLETE, FAILED)


@dataclass(frozen=True)
class Lab:
    """What a plan is held against.

    Attributes:
        catalogue: experiments and procedures.
        qubits: of the device.
        pairs: coupled ones, such as ``Q1-Q2``.
        chosen: qubits meant where the plan names none, or all.
        decides: a model is there for rules in free words.
        strict_units: bare numbers are asked about, because a model read them from words.
        rehearse: raises an InputError if the device would refuse a call; plays nothing.
    """

    catalogue: Catalogue
    qubits: tuple[str, ...]
    pairs: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()
    decides: bool = False
    strict_units: bool = False
    rehearse: Callable[[ExperimentCall], None] | None = None


@dataclass(frozen=True)
class Completed:
    """A plan made whole, with what is wrong with it and what was assumed."""

    plan: CalibrationPlan
    problems: list[Problem] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)


def complete(data: Mapping[str, Any], lab: Lab) -> Completed:
    """The plan of a document's plain data.

    Raises:
        SpecificationError: it does not have the form of a plan.
    """
    plan = validated(CalibrationPlan, migrated(dict(data)))
    lab = _with_embedded(lab, plan)
    if plan.for_ == "all" and lab.chosen:
        plan = plan.model_copy(update={"for_": list(lab.chosen)})
    problems, assumptions = list(_scope_problems(plan, lab)), []
    chosen = _chosen(plan, lab)
    steps, wrong = expanded(plan.steps, lab.catalogue, ("steps",))
    problems += wrong
    if chosen and any(isinstance(step, Step) and not step.qubits for step in steps):
        steps = [each for step in steps for each in _on_chosen(step, chosen, lab.catalogue)]
        sole = not lab.chosen and plan.for_ == ""
        assumptions += [f"The qubit is {chosen[0]}, the only one there is."] if sole else []
    problems += _number_problems(steps, len(plan.steps))
    walk = _Walk(lab, _placeholders(plan, lab), side_by_side=side_by_side(plan, lab.pairs))
    steps = walk.through(steps, ("steps",))
    plan = plan.model_copy(update={"steps": steps, "couplers": _couplers(plan, lab)})
    return Completed(_resolved(plan, walk), list(dict.fromkeys([*problems, *walk.problems])), assumptions)


def on_pairs(plan: CalibrationPlan, pairs: Collection[str]) -> bool:
    """Whether the steps are for coupled pairs, one after the other; `pairs` are those of the device."""
    return plan.for_ == "pairs" or (isinstance(plan.for_, list) and any(name in pairs for name in plan.for_))


def side_by_side(plan: CalibrationPlan, pairs: Collection[str]) -> bool:
    """Whether the steps run on several qubits at once, each in a lane of its own; `pairs` are those of the device."""
    several = plan.for_ == "all" or (isinstance(plan.for_, list) and len(plan.for_) > 1)
    return several and not on_pairs(plan, pairs)


def expanded(steps: Sequence[Any], catalogue: Catalogue, path: Path) -> tuple[list[str | Step], list[Problem]]:
    """Steps in the short form written out; a line that is not read stays as it is, so that nobody overlooks it."""
    found: list[str | Step] = []
    problems: list[Problem] = []
    for step in steps:
        place = (*path, len(found))
        try:
            found += [step] if isinstance(step, Step) else _written_out(step, catalogue)
        except SpecificationError as error:
            found.append(str(step))
            problems += [Problem((*place, *each.path), each.message, each.fix) for each in error.problems]
        except InputError as error:
            found.append(str(step))
            problems.append(Problem(place, str(error), "Write a step as in: t1 Q1, stop = 300 us"))
    return found, problems


def _written_out(step: str | dict[str, Any], catalogue: Catalogue) -> list[Step]:
    if not isinstance(step, str):
        return [validated(Step, step)]
    read = short_form.read(step, catalogue)
    if read.everywhere or read.maintain or read.couplers is not None:
        raise short_form.NotRead(step, 0, "A step cannot be for a whole chip; `for:` and `mode:` of the plan say that.")
    return [validated(Step, each) for each in read.steps]


def _number_problems(steps: Sequence[str | Step], written: int) -> Iterator[Problem]:
    """``Stage 3`` where the steps are not numbered as they were written."""
    for number, step in enumerate(steps):
        for place, each in enumerate(step.on if isinstance(step, Step) and len(steps) != written else []):
            if each.go.startswith("Stage "):
                message = f"{each.go!r} is not clear, since an earlier line gives several steps."
                yield Problem(("steps", number, "on", place, "go"), message, "Write one step a line, or use labels.")


def _with_embedded(lab: Lab, plan: CalibrationPlan) -> Lab:
    """The lab with the procedures that the plan brings along."""
    if not plan.procedures:
        return lab
    own = {slug: procedure_of(slug, each) for slug, each in plan.procedures.items()}
    return replace(lab, catalogue=lab.catalogue.with_procedures(own))


def procedure_of(slug: str, each: EmbeddedProcedure) -> Procedure:
    """An embedded procedure as one of the library."""
    steps = tuple(step if isinstance(step, str) else _plain_step(step) for step in each.steps)
    return Procedure(slug, each.title, tuple(each.parameters), "", steps, each.results, "the plan")


def _plain_step(step: Step) -> dict[str, Any]:
    return step.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def _scope_problems(plan: CalibrationPlan, lab: Lab) -> Iterator[Problem]:
    if isinstance(plan.for_, list):
        for name in plan.for_:
            if name not in lab.qubits and name not in lab.pairs:
                yield Problem(("for",), f"The device has no {name!r}.", f"It has: {listed((*lab.qubits, *lab.pairs))}.")
        if not plan.for_ or len(set(plan.for_)) < len(plan.for_):
            message = "A qubit comes twice." if plan.for_ else "The list is empty."
            yield Problem(("for",), message, "Name each qubit once, or leave `for` out.")
        if len({name in lab.pairs for name in plan.for_}) > 1:
            yield Problem(("for",), "Qubits and pairs cannot be mixed.", "Write one plan for each.")
    if plan.for_ == "pairs" and not lab.pairs:
        yield Problem(("for",), "The device has no coupled pairs.", "Name qubits.")
    for number, name in enumerate(plan.couplers):
        if name != "all" and name not in lab.pairs:
            yield Problem(("couplers", number), f"The device has no coupler {name!r}.", f"It has: {listed(lab.pairs)}.")
    if plan.couplers and not side_by_side(plan, lab.pairs):
        yield Problem(
            ("couplers",), "Couplers come after qubits that are calibrated side by side.", "Write `for: all`."
        )


def _couplers(plan: CalibrationPlan, lab: Lab) -> list[str]:
    """The couplers by name; of some qubits all those between two of them."""
    if plan.couplers != ["all"]:
        return list(plan.couplers)
    return [pair for pair in lab.pairs if plan.for_ == "all" or set(pair.split("-")) <= set(plan.for_)]


def _chosen(plan: CalibrationPlan, lab: Lab) -> tuple[str, ...]:
    """The qubits of steps that name none: those chosen beside the plan, or the device's only one."""
    if plan.for_ != "":
        return _placeholders(plan, lab)
    return lab.chosen or (lab.qubits if len(lab.qubits) == 1 else ())


def _on_chosen(step: str | Step, chosen: tuple[str, ...], catalogue: Catalogue) -> list[str | Step]:
    card = catalogue.card(step.experiment, step.procedure) if isinstance(step, Step) else None
    if isinstance(step, str) or step.qubits or step.with_ or card is None:
        return [step]
    groups = [[name] for name in chosen] if places(card) == 1 else [list(chosen)]
    return [step.model_copy(update={"qubits": group}) for group in groups]


def _placeholders(plan: CalibrationPlan, lab: Lab) -> tuple[str, ...]:
    """Names that stand for qubits in the plan's own steps."""
    if on_pairs(plan, lab.pairs):
        return PAIR_ROLES
    return (DUT,) if plan.for_ != "" else ()


class _Walk:
    """Through all steps and the procedures below them, in order; collects problems, and what is used."""

    def __init__(self, lab: Lab, placeholders: tuple[str, ...], *, side_by_side: bool) -> None:
        self.lab, self.placeholders, self.side_by_side = lab, placeholders, side_by_side
        self.problems: list[Problem] = []
        self.cards: dict[str, ExperimentCard] = {}  # of the experiments used
        self.procedures: dict[str, EmbeddedProcedure] = {}
        self.known = Known(lab.qubits)
        self.given: dict[str, Known] = {}  # what is known behind a procedure, by it and what was known before
        self.chain: tuple[str, ...] = ()
        self.rewritten: set[str] = set()  # qubits whose settings may have changed by then

    def through(self, steps: list[str | Step], path: Path) -> list[str | Step]:
        """The steps completed; results of each are known to the later ones."""
        labels = [_label(step, number) for number, step in enumerate(steps, 1)]
        for number, label in enumerate(labels):
            if label in RESERVED:
                self._found((*path, number, "label"), f"{label!r} is where a transition goes.", "Use another label.")
        for label in {label for label in labels if labels.count(label) > 1}:
            self._found(path, f"Two steps are called {label!r}.", "Give each its own label.")
        return [
            step if isinstance(step, str) else self._step(step, labels, (*path, number))
            for number, step in enumerate(steps)
        ]

    def _found(self, path: Path, message: str, fix: str) -> None:
        self.problems.append(Problem(path, message, fix))

    def _step(self, step: Step, labels: list[str], path: Path) -> Step:
        card = self.lab.catalogue.card(step.experiment, step.procedure)
        if card is None:
            self.problems.append(_no_such(step, self.lab.catalogue, path))
            return step
        if step.with_:
            self.problems += _with_problems(step, card, path)
            step = step.model_copy(update={"qubits": [step.with_.get(role, "") for role in roles(card)], "with_": {}})
        self.problems += self._qubit_problems(step, card, path)
        strict = self.lab.strict_units and not self.chain  # no model reads a procedure's document
        step, wrong = completed(step, card, Facts(self.known.to(step.qubits), strict), path)
        if self.chain:  # a procedure's document is not completed by questions
            wrong = [replace(each, missing=False) for each in wrong]
        if step.procedure:
            self._enter(step, card, path)
        else:
            self.cards[card.name] = card
            self.known.learn(step.qubits, card)
            self._rehearse(step, card, wrong, path)
        if step.procedure or card.writes:
            self.rewritten |= set(step.qubits)
        facts = Facts(self.known.to(step.qubits), strict)
        step, strange = changed(step, card, facts, path)
        self.problems += [*wrong, *transition_problems(step, card, labels, facts, self.lab.decides, path), *strange]
        return step

    def _qubit_problems(self, step: Step, card: ExperimentCard, path: Path) -> Iterator[Problem]:
        options = (*self.placeholders, *self.lab.qubits) if self.chain or self.placeholders else self.lab.qubits
        for each in qubit_problems(step, card, frozenset(options), options, path):
            yield replace(each, missing=False) if self.chain else each
        if self.side_by_side and (named := [name for name in step.qubits if name in self.lab.qubits]):
            message = f"The plan is for several qubits side by side, but this step names {listed(named)}."
            yield Problem((*path, "qubits"), message, "Write 'dut', or leave `for` out.")

    def _enter(self, step: Step, card: ExperimentCard, path: Path) -> None:
        """Check a procedure's steps, once for what is known before it."""
        slug = card.name.removeprefix(f"{PROCEDURE}:")
        if slug in self.chain or len(self.chain) >= DEEPEST:
            chain = " -> ".join([*self.chain, slug])
            why = f"Procedure {slug!r} calls itself" if slug in self.chain else f"Procedures nest deeper than {DEEPEST}"
            self._found(path, f"{why}: {chain}.", "Break the circle in its Steps.")
            return
        procedure = self.lab.catalogue.procedures[slug]
        names = dict(zip(procedure.parameters, step.qubits, strict=False))
        inner = self.known.renamed({qubit: name for name, qubit in names.items()})
        key = f"{slug} {inner.items()}"
        if key not in self.given:
            self.given[key] = self._inside(procedure, inner)
        self.known = Known(self.lab.qubits, self.known.results | self.given[key].renamed(names).results)

    def _inside(self, procedure: Procedure, known: Known) -> Known:
        """What is known behind the procedure's steps, which are checked and kept."""
        outer = self.chain, self.placeholders, self.known
        self.chain, self.placeholders, self.known = (*self.chain, procedure.slug), procedure.parameters, known
        place = ("procedures", procedure.slug, "steps")
        steps, wrong = expanded(procedure.steps, self.lab.catalogue, place)
        self.problems += wrong
        if len(procedure.parameters) == 1:  # the only qubit that a step without a name can mean
            steps = [each for step in steps for each in _on_chosen(step, procedure.parameters, self.lab.catalogue)]
        steps, title = self.through(steps, place), procedure.title
        self.procedures[procedure.slug] = EmbeddedProcedure(
            title=title, parameters=list(procedure.parameters), steps=steps, results=procedure.results
        )
        behind = self.known
        self.chain, self.placeholders, self.known = outer
        return behind

    def _rehearse(self, step: Step, card: ExperimentCard, wrong: list[Problem], path: Path) -> None:
        """Whether the device would take it, where its qubits and values are known already."""
        arguments, late = split_arguments(step, card) if not wrong else ({}, {})
        known = bool(step.qubits) and set(step.qubits) <= set(self.lab.qubits)
        if self.lab.rehearse is None or wrong or late or not known:
            return
        try:
            self.lab.rehearse(ExperimentCall(card.name, arguments))
        except HardwareLimitError as refused:
            self.problems.append(Problem(path, str(refused)))
        except InputError as refused:  # what is missing today may be there by then
            if not self.rewritten & set(step.qubits):
                self.problems.append(Problem(path, str(refused)))


def _label(step: str | Step, number: int) -> str:
    return (step.label if isinstance(step, Step) else "") or f"Stage {number}"


def _with_problems(step: Step, card: ExperimentCard, path: Path) -> Iterator[Problem]:
    """`with` gives every role of the card a qubit, and nothing else."""
    if step.qubits:
        yield Problem((*path, "with"), "`qubits` says the same.", "Leave one of the two out.")
    for name in (*step.with_, *roles(card)):
        if (name in step.with_) != (name in roles(card)):
            message = f"{spoken(card.name)} has no {name!r}." if name in step.with_ else f"{name!r} is missing."
            yield Problem((*path, "with", name), message, f"Give: {listed(roles(card))}.")


def _no_such(step: Step, catalogue: Catalogue, path: Path) -> Problem:
    name, kind = (step.experiment, "experiment") if step.experiment else (step.procedure, "procedure")
    near = catalogue.nearest(name).removeprefix(f"{PROCEDURE}:")
    fix = f"Did you mean {near}?" if near else "`labwright new calibration --list` lists what there is."
    return Problem((*path, kind), f"There is no {kind} {name!r}.", fix)


def _resolved(plan: CalibrationPlan, walk: _Walk) -> CalibrationPlan:
    """The plan with the defaults and procedures that it was completed with. Those it brought along stay."""
    defaults = {
        name: {each.name: each.default for each in card.parameters if not each.required} | plan.defaults.get(name, {})
        for name, card in walk.cards.items()
    }
    return plan.model_copy(update={"defaults": defaults, "procedures": walk.procedures})


def arguments_of(
    step: Step, card: ExperimentCard, defaults: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, str]]:
    """(arguments, late values) of a step; a default that has changed since the plan was made is written out."""
    now, late = split_arguments(step, card)
    for parameter in card.parameters:
        kept = defaults.get(parameter.name, parameter.default)
        if parameter.name not in now and parameter.name not in late and kept != parameter.default:
            now[parameter.name] = kept
    return now, late


def filled(step: Step, names: Mapping[str, str]) -> Step:
    """`step` with placeholders replaced by qubits."""
    return step.model_copy(update={"qubits": [names.get(name, name) for name in step.qubits]})


def line_of_step(step: Step) -> str:
    """A step as one line of the short form."""
    name = step.experiment or step.procedure.replace("-", " ")
    settings = [f"{key} = {_shown(value)}" for key, value in step.parameters.items()]
    settings += ["writes = none"] if step.writes == "none" and "update" not in step.parameters else []
    return ", ".join([" ".join(filter(None, (name, ", ".join(step.qubits)))), *settings])


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def slug_of_step(step: Step) -> str:
    """The slug of the step's procedure; empty for an experiment."""
    return slug_of(step.procedure) if step.procedure else ""
