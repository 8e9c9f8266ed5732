"""What calibration brings to the shared reading: its plans, its catalogue, its agents."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from pydantic import ValidationError

from labwright.agents.lab_calibration.read_plan import Catalogued, ReadPlan, read_plan
from labwright.agents.typed_call import AgentCall, Question, Refusal
from labwright.graphs.lab_calibration.plan_limits import problems_with
from labwright.graphs.lab_calibration.run_context import SPEC, Laboratory, laboratory
from labwright.graphs.understand.state import Checked, Drafted, Origin
from labwright.tools.errors import InputError, ProcedureError
from labwright.tools.experiments.call import ExperimentCall
from labwright.tools.experiments.duration_estimate import SIMULATED
from labwright.tools.experiments.needs import Need
from labwright.tools.experiments.perform import rehearse
from labwright.tools.limits.limits_document import allowed
from labwright.tools.qpu.opening import absolute_spec
from labwright.tools.runs.hashed_files import read_json
from labwright.tools.specifications import short_form_parser
from labwright.tools.specifications.bounds import Bounds
from labwright.tools.specifications.calibration import CalibrationPlan
from labwright.tools.specifications.calibration_prerequisites import Upkeep, prepared
from labwright.tools.specifications.catalogue import Catalogue
from labwright.tools.specifications.examples import example
from labwright.tools.specifications.nearest_runnable_lines import Nearest, nearest
from labwright.tools.specifications.plan_completion import DUT, Completed, Lab, complete
from labwright.tools.specifications.plan_to_sentences import read_back, written_if_needed
from labwright.tools.specifications.procedures import Procedure, parse_procedure
from labwright.tools.specifications.yaml_files import is_document, read_document, to_yaml
from labwright.tools.upkeep.calibration_graph import graph_of
from labwright.tools.upkeep.upkeep_journal import State

SYSTEM = "lab_calibration"
KNOWN = "known.json"  # in the run folder: how the settings stood with the plan's needs before the first measurement


class PlanReader:
    """The reader of calibration plans."""

    def bound(self, state: Mapping[str, Any]) -> PlanReading:
        """The reading of one run."""
        return PlanReading(laboratory(state["run_dir"], state["choices"]))


class PlanReading:
    """Reads plans for one run's laboratory."""

    system = SYSTEM
    elsewhere = ""
    grows = False
    corrects = False
    filler = None

    def __init__(self, lab: Laboratory) -> None:
        self.lab = lab

    @property
    def reads_words(self) -> bool:
        """Whether there is a model."""
        return self.lab.mind.reads_words

    @property
    def defaults(self) -> bool:
        """Whether open questions take their default."""
        return self.lab.choices.answers == "defaults"

    def parse(self, words: str) -> tuple[Drafted, Origin] | None:
        """A plan, a procedure document in the short form, or a line of it; None for other words."""
        if is_document(words):
            document = read_document(words)
            if document.data.get("system", SYSTEM) != SYSTEM:
                raise InputError(f"This specification is for {document.data['system']}. Start it with: labwright run")
            if "# " not in document.prose:
                return Drafted(document.data), "written"
        if words.lstrip().startswith(("#", "---")) or "\n## " in words:
            return self._procedure(words)
        try:
            return Drafted(short_form_parser.read(words, self.lab.catalogue).plan()), "short form"
        except short_form_parser.NotRead:
            return None

    def _procedure(self, words: str) -> tuple[Drafted, Origin] | None:
        """A procedure document, if all of its steps are in the short form or written out."""
        catalogue = self.lab.catalogue
        try:
            procedure = parse_procedure(words, "the request")
        except ProcedureError:
            if self.reads_words:  # notes with headings of their own are words like any other
                return None
            raise
        try:
            steps = [each for step in procedure.steps for each in _written(step, catalogue)]
        except short_form_parser.NotRead:
            return None
        return Drafted(_plan_of(procedure, steps, self.lab.choices.qubits)), "short form"

    def draft(self, words: str) -> Drafted | Question | Refusal:
        """The planning and the translating agents' plan."""
        lab = self.lab
        known = Catalogued(lab.catalogue, list(lab.device.qubits), lab.pairs, list(lab.choices.qubits))
        answer = read_plan(self.lab.ask, words, known)
        return Drafted(answer.data, answer.sources, answer.left_out) if isinstance(answer, ReadPlan) else answer

    def check(self, data: dict[str, Any], *, read: bool) -> Checked:
        """The plan made whole, and what is wrong with it."""
        lab, facts = self.lab, self._facts(read)
        with suppress(ValidationError):  # `complete` says what is wrong
            lab.drafted = Bounds.model_validate(data.get("bounds") or {})
        # of a lane the whole run's was
        done = complete(data, facts) if lab.is_lane else self._prepared(data, facts)
        unlawful = problems_with(done.plan, lab, done.problems)
        return Checked(done.plan.plain(), [*done.problems, *unlawful], done.assumptions)

    def _prepared(self, data: dict[str, Any], facts: Lab) -> Completed:
        """See `prepared`. A run that is replayed finds its device as it was known before the first measurement."""
        lab, path = self.lab, self.lab.run.folder / KNOWN
        begun = path.exists() and any((lab.run.folder / "actions").glob("*"))
        before: dict[str, Any] = {"memory": lab.device.clock > 0, "met": {}}
        known = read_json(path, "Restore it from a copy, or start the run anew.") if begun else before

        def met(name: str, need: Need) -> tuple[State, str]:
            if (key := f"{name} {need!r}") not in known["met"]:
                known["met"][key] = lab.met(name, need)
            state, why = known["met"][key]
            return state, why

        done = prepared(data, facts, Upkeep(graph_of(lab.experiments), met, known["memory"]))
        if not begun:
            lab.run.save_json(KNOWN, known)
        return done

    def _facts(self, read: bool) -> Lab:
        return Lab(
            self.lab.catalogue,
            tuple(self.lab.device.qubits),
            tuple(self.lab.pairs),
            self.lab.choices.qubits,
            decides=self.reads_words,
            strict_units=read,
            rehearse=self._rehearse,
        )

    def _rehearse(self, call: ExperimentCall) -> None:
        rehearse(self.lab.experiments[call.experiment], call, self.lab.device)

    def nearest(self, words: str) -> Nearest:
        """The nearest cards as lines."""
        try:
            short_form_parser.read(words, self.lab.catalogue)
            unread = words
        except short_form_parser.NotRead as stopped:
            unread = words[stopped.position :].strip() or words
        return nearest(words, unread[:200], self.lab.catalogue, self.lab.device.qubits)

    def read_back(self, data: dict[str, Any], *, sampling: bool = False) -> str:
        """The plan in sentences."""
        try:
            plan = CalibrationPlan.model_validate(data)
        except ValidationError:
            return "It does not have the form of a plan."
        told = read_back(plan, self.lab.catalogue, self.lab.estimated, sampling=sampling)
        return "\n".join([told, *allowed(self.lab.laws, ((plan.bounds, "the plan"),))])

    def how(self, data: dict[str, Any]) -> list[str]:
        """Which of the settings are written only where something fails first."""
        try:
            late = written_if_needed(CalibrationPlan.model_validate(data), self.lab.catalogue)
        except ValidationError:
            return []
        return (
            [f"Written only if a step before them fails and they are measured for it: {', '.join(late)}."]
            if late
            else []
        )

    def example(self) -> str:
        """One written-out plan."""
        return example("calibration")

    def besides(self, state: Mapping[str, Any]) -> str:
        """The qubits that were chosen beside the words, or the only one there is."""
        qubits = self.lab.choices.qubits or (tuple(self.lab.device.qubits) if len(self.lab.device.qubits) == 1 else ())
        return f"Where the words name no qubit, these are meant: {', '.join(qubits)}." if qubits else ""

    def asks(self, state: Mapping[str, Any]) -> bool:
        """Shown if the person wants it first; a plan that a model read, where it leaves out or assumes something.

        What is assumed on a simulated device harms nothing: it is said, and the run can be repeated with a change.
        """
        chosen = self.lab.choices
        if chosen.plan_first or state.get("origin") != "model":
            return chosen.plan_first
        risks = chosen.approval == "risky" and chosen.device != SIMULATED and bool(state.get("reading"))
        return bool(state.get("left_out")) or chosen.approval == "always" or risks

    def words_start(self) -> bool:
        """On a simulated device, unless everything is approved."""
        chosen = self.lab.choices
        return chosen.approval == "auto" or (chosen.approval == "risky" and chosen.device == SIMULATED)

    def needs_leave(self, before: dict[str, Any], after: dict[str, Any]) -> bool:
        """Always: words that come later are read into a new plan."""
        return True

    def save(self, data: dict[str, Any]) -> None:
        """`spec.yaml`, with the device and seed of the run, so that it can be run again elsewhere."""
        choices = self.lab.choices
        device: dict[str, Any] = {"factory": choices.device, "options": dict(choices.device_options)}
        whole = {**data, "device": device, "seed": choices.seed}
        text = to_yaml(CalibrationPlan.model_validate(whole).plain())
        self.lab.approve(text)
        self.lab.run.save_text(SPEC, text, kind="specification")

    def ask(self, call: AgentCall[Any, Any], given: Any) -> Any:
        """One typed call."""
        return self.lab.ask(call, given)

    def emit(self, event: dict[str, Any], once: str) -> None:
        """Log an event."""
        self.lab.emit(event, once=once)


def _written(step: str | dict[str, Any], catalogue: Catalogue) -> list[Any]:
    """A document's step: written out as it stands, a line as what it reads to."""
    if isinstance(step, dict):
        return [step]
    read = short_form_parser.read(step, catalogue)
    if read.everywhere or read.maintain:
        raise ProcedureError(f"The step {step!r} is for a whole chip. Write `for: all` into the front matter.")
    return list(read.steps)


def _plan_of(procedure: Procedure, steps: list[Any], chosen: tuple[str, ...]) -> dict[str, Any]:
    """A document as a plan; one with other parameters than 'dut', or for several qubits, is called like any other."""
    head = {"system": SYSTEM, "title": procedure.title.replace("'", "")[:200], "results": procedure.results}
    if procedure.parameters and (procedure.parameters != (DUT,) or len(chosen) > 1):
        own = {"title": procedure.title, "parameters": list(procedure.parameters), "steps": steps}
        groups = [[name] for name in chosen] if len(procedure.parameters) == 1 else [list(chosen)]
        calls = [{"procedure": procedure.slug, "qubits": group} for group in groups or [[]]]
        return {**head, "steps": calls, "procedures": {procedure.slug: own}}
    return {**head, "steps": steps, **({"for": list(chosen)} if procedure.parameters and chosen else {})}


def adapted(text: str, choices: Any) -> Any:
    """The run's choices with the device and seed that a written plan names.

    Raises:
        InputError: the plan names code of its own as the device, and nobody chose it.
    """
    if not is_document(text):
        return choices
    data = read_document(text).data
    device, seed = data.get("device") or {}, data.get("seed")
    if not isinstance(device, dict):
        return choices
    factory = device.get("factory", "simulated")
    if factory != "simulated" and choices.device not in (factory, absolute_spec(str(factory))):
        raise InputError(
            f"The plan names the device {factory!r}, which is code that would run on this machine. If you trust it,"
            f" start it with: --device {factory}"
        )
    update: dict[str, Any] = {}
    if (
        choices.device in (factory, absolute_spec(str(factory)))
        and not choices.device_options
        and isinstance(device.get("options"), dict)
    ):
        update["device_options"] = device["options"]
    if isinstance(seed, int) and not choices.seed:
        update["seed"] = seed
    return choices.model_copy(update=update)
