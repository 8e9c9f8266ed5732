"""Drive a durable run of any system: start it, stream it, answer its questions, write its end."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from langgraph.types import Command
from pydantic import BaseModel

from labwright.agents.errors import AgentError, AgentGaveUp, BudgetExceeded
from labwright.agents.key_redaction import keep_out_of_traces, without_keys
from labwright.agents.settings import Settings
from labwright.graphs.checkpoints import DURABILITY, FILE, checkpoints, number_after, problem_of, set_aside
from labwright.graphs.questions import Answer, Question
from labwright.graphs.result_document import write_end
from labwright.graphs.run_context import OpenRuns, Surroundings
from labwright.graphs.run_creation import placed
from labwright.tools.database.lease import DatabaseLease
from labwright.tools.errors import InputError, RecordError, SafetyStop, ToolError
from labwright.tools.runs.hash_chain import chains_of
from labwright.tools.runs.listing import read_result
from labwright.tools.runs.pause_request import PRESSED, clear_pause
from labwright.tools.runs.run import Run, account, create_run, open_run
from labwright.tools.runs.spending import usage_of
from labwright.tools.specifications.kinds import SPEC
from labwright.tools.specifications.yaml_files import to_yaml


@contextmanager
def shared_lease(name: str, what: str) -> Iterator[Callable[[], None] | None]:
    """Hold the lease `name` in the shared database; gives its check, or None where there is no such database.

    Raises:
        LeaseError: another worker has it.
        UnreachableError: the database does not answer.
    """
    url = Settings().shared_database
    if not url:
        yield None
        return
    with DatabaseLease(url, name, what) as lease:
        yield lease.verify


OnEvent = Callable[[dict[str, Any]], None]
OnQuestion = Callable[[Question], Answer | None]
Ending = Literal["complete", "failed", "refused", "stopped"]
RECURSION_LIMIT = 10_000  # supersteps; every graph bounds itself


@dataclass(frozen=True)
class Outcome:
    """How a run ended, or where it waits.

    Attributes:
        status: ``stopped`` runs can be resumed, unless a person aborted them.
        reason: why it is not complete; empty if it is.
        result: the `result` part of the result document.
        questions: open questions, if the run waits for a person.
        document: the whole result document, as in ``result.json``.
    """

    run_id: str
    status: Ending
    reason: str
    result: dict[str, Any]
    questions: list[dict[str, Any]]
    run_dir: Path
    document: dict[str, Any]


@dataclass(frozen=True)
class System:
    """What sets one system's runs apart.

    Attributes:
        name: of the graph.
        build: the compiled graph with a checkpointer.
        open_runs: the surroundings of its runs.
        check: raises InputError for choices that cannot work, before a run is made.
        forks: makes a run that begins where another had finished a stage; None if its runs have no stages.
        adapt: the choices with what a written specification says of them; raises InputError where they clash.
        specify: the specification of a run, from its text, its choices and the names of its files; None if the run
            writes its own once it is understood.
        binds: files that bind a run from its beginning, by the choices, such as the limits of the lab.
        known_by: a key that every state of this version has; runs of an older version without it are refused.
    """

    name: str
    build: Callable[[Any], Any]
    open_runs: OpenRuns[Any]
    check: Callable[[Any], None] | None = None
    forks: Callable[..., str] | None = None
    adapt: Callable[[str, Any], Any] | None = None
    specify: Callable[[str, Any, list[str]], dict[str, Any]] | None = None
    binds: Callable[[Any], Mapping[str, bytes]] = lambda _choices: {}
    known_by: str = ""

    def start(
        self,
        text: str,
        choices: BaseModel,
        root: Path,
        *,
        seed: int = 0,
        on_event: OnEvent | None = None,
        on_question: OnQuestion | None = None,
        files: Mapping[str, bytes] | None = None,
    ) -> Outcome:
        """Run the system on `text` until it ends or waits for a person.

        Args:
            text: what is asked for.
            choices: of the system's own kind.
            root: folder of the runs.
            seed: of every random draw.
            on_event: hears every event.
            on_question: answers questions; None leaves the run waiting.
            files: path below the run's folder -> content, for what was handed in beside the text.

        Raises:
            InputError: the choices cannot work; no run is made.
            OSError: the runs folder cannot be written.
            ModelUnavailable: the chosen model does not answer.
        """
        run = self.prepare(text, choices, root, seed=seed, files=files)
        return _drive(self, run, _first_input(run), on_event, on_question)

    def prepare(
        self,
        text: str,
        choices: BaseModel,
        root: Path,
        *,
        seed: int = 0,
        files: Mapping[str, bytes] | None = None,
    ) -> Run:
        """Make the run's folder and begin nothing; `resume` starts it, here or in another process.

        Args:
            text: what is asked for.
            choices: of the system's own kind.
            root: folder of the runs.
            seed: of every random draw.
            files: path below the run's folder -> content, for what is handed in beside the text.

        Raises:
            InputError: the choices cannot work; nothing is made.
            OSError: the runs folder cannot be written.
        """
        text, choices = without_keys(text), placed(choices)
        if self.adapt is not None:
            choices = self.adapt(text, choices)
            seed = getattr(choices, "seed", seed)
        if self.check is not None:
            self.check(choices)
        bound = self.binds(choices)
        run = create_run(root, self.name, text, choices.model_dump(mode="json"), seed)
        written = {**(files or {}), **bound}
        if self.specify is not None:
            written[SPEC] = to_yaml(self.specify(text, choices, sorted(written))).encode()
        for name, content in written.items():
            run.save_bytes(name, content)
        return run

    def fork(self, run_id: str, root: Path, *, stage: int | None = None, ask: bool = False) -> str:
        """Make a run that begins where `run_id` had finished `stage` stages; returns its name. Resume it to go on.

        With `ask` a calibration asks before each measurement, so that its parameters can be changed.

        Raises:
            InputError: this system's runs have no stages, or that run not so many.
        """
        if self.forks is None:
            raise InputError(f"Run {run_id} has no stages to fork at. Start it anew with what should change.")
        run = open_run(root, run_id)
        run.chain.demand_ours()
        if self.known_by:
            with checkpoints(run.folder) as saver:
                self._refuse_older(run, self.build(saver).get_state(_config(run)).values)
        return self.forks(run_id, root, stage=stage, **({"ask": True} if ask else {}))

    def _refuse_older(self, run: Run, values: Mapping[str, Any]) -> None:
        """Notice a run that an older version has begun and this one cannot go on with.

        Raises:
            RecordError: it is one.
        """
        if self.known_by and values.get("phase") and self.known_by not in values and values.get("status") == "running":
            version = run.record.versions.get("labwright", "an older version")
            raise RecordError(
                f"Run {run.run_id} was made by Labwright {version} before plans; resume it with that version,"
                " or start it anew with this one. Its figures and data can still be read."
            )

    def resume(
        self,
        run_id: str,
        root: Path,
        *,
        answers: dict[str, Answer] | None = None,
        budget: str | None = None,
        rebuild: bool = False,
        adopt: bool = False,
        keep_pause: bool = False,
        on_event: OnEvent | None = None,
        on_question: OnQuestion | None = None,
    ) -> Outcome:
        """Go on with a run that was killed, stopped or waits. Finished dear steps are not repeated.

        Args:
            run_id: the run, or a unique beginning of its name, or ``latest``.
            root: folder of the runs.
            answers: question id -> answer, for questions that wait.
            budget: replaces the budget the run was started with.
            rebuild: set the checkpoint file aside and replay the run from its journal.
            adopt: a person takes the run over that another lab began, or that was changed: its choices and journal as
                they stand, replayed, with every question asked anew.
            keep_pause: a pause that was asked for before this call still counts.
            on_event: hears every event.
            on_question: answers questions that `answers` does not; None leaves the run waiting.

        Raises:
            RunNotFoundError: no such run.
            CorruptRecordError: its checkpoint does not read back.
            ForeignRunError: it does not carry this lab's seal, and nobody adopts it.
            RecordError: an older version has begun it, with a state that this one does not know.
        """
        run = open_run(root, run_id)
        if not adopt:
            run.chain.demand_ours()
        left = (_given(run) if rebuild and not adopt else {}) | (answers or {})

        def respond(question: Question) -> Answer | None:
            given = left.pop(question.id, None)  # once: an answer that does not fit would be asked for for ever
            return given or (on_question(question) if on_question else None)

        def begin() -> None:
            if not keep_pause:
                clear_pause(run)
            if adopt:
                _take_over(run)
            if rebuild or adopt:
                set_aside(run.folder)

        return _drive(self, run, None, on_event, respond, budget, begin)


def _given(run: Run) -> dict[str, Answer]:
    """What a person has already answered: a replayed run asks the same questions."""
    said = [event for event in run.events.read(sound=True) if event.get("kind") == "answer"]
    return {event["id"]: Answer.model_validate({name: event[name] for name in Answer.model_fields}) for event in said}


def _take_over(run: Run) -> None:
    """Put the run's files as they stand under this lab's seal; what was answered before counts no more."""
    for chain in chains_of(run.folder):
        chain.begin_anew()
    run.events.append({"kind": "adopted", "by": account()})


def _first_input(run: Run) -> dict[str, Any]:
    record = run.record
    return {"request": record.asked, "choices": record.choices, "run_dir": str(run.folder), "branch": run.run_id}


def _drive(
    system: System,
    run: Run,
    first: dict[str, Any] | None,
    on_event: OnEvent | None,
    on_question: OnQuestion | None,
    budget: str | None = None,
    begin: Callable[[], None] = lambda: None,
) -> Outcome:
    """Hold the run's lease, `begin`, stream the graph, answer its questions, write the end."""
    begun = time.monotonic()
    keep_out_of_traces()
    with run.lease(), shared_lease(f"run {run.run_id}", f"Run {run.run_id}") as guard:
        begin()  # not before: the files of a run that another process drives are not to be touched
        for chain in chains_of(run.folder):
            chain.settle()
        usage_of(run.folder)  # not what the run wrote: nothing is opened
        lab: Surroundings[Any] = system.open_runs.get(str(run.folder))
        lab.listen, lab.driven, lab.guard = on_event, True, guard
        if budget is not None:
            lab.choices = lab.choices.model_copy(update={"budget": budget})
        lab.keep_spending()  # the clock of the budget starts here
        ending: tuple[Ending, str, list[dict[str, Any]]] = ("stopped", "The run was interrupted.", [])
        try:
            ending = _until_end(system, run, first, on_question, lab)
        except (BudgetExceeded, AgentGaveUp, SafetyStop) as stopped:
            ending = ("stopped", str(stopped), [])
        except (ToolError, AgentError, OSError) as fault:  # whoever called says so; the run's own record has to, too
            ending = ("stopped", str(fault), [])
            raise
        except (KeyboardInterrupt, ImportError) as stopped:  # also `cancelling.Cancelled`, which says why
            if isinstance(stopped, ImportError) and not isinstance(stopped.__cause__, KeyboardInterrupt):
                raise  # an extension's import hides a key that was pressed meanwhile
            ending = ("stopped", str(stopped.__cause__ if isinstance(stopped, ImportError) else stopped) or PRESSED, [])
        finally:
            try:
                lab.rest()
            except SafetyStop as unsafe:
                ending = ("stopped", str(unsafe), [])
            try:
                outcome = _ended(run, lab, ending, time.monotonic() - begun)
            finally:  # the disk may be full: the device is given back all the same
                system.open_runs.close(str(run.folder))
    return outcome


def _config(run: Run) -> Any:
    return {"configurable": {"thread_id": run.run_id}, "recursion_limit": RECURSION_LIMIT}


def _until_end(
    system: System,
    run: Run,
    first: dict[str, Any] | None,
    on_question: OnQuestion | None,
    lab: Surroundings[Any],
) -> tuple[Ending, str, list[dict[str, Any]]]:
    config = _config(run)
    try:
        with checkpoints(run.folder) as saver:
            number_after(saver, run.run_id)
            graph = system.build(saver)
            state = graph.get_state(config)
            system._refuse_older(run, state.values)
            # `next` does not do: it leaves out a node that has finished but whose checkpoint a kill cut off
            pending: Any = (first or _first_input(run)) if not state.values and not state.tasks else None
            if state.interrupts:
                pending = _answered(state.interrupts, on_question, lab)
            while pending is not None or state.tasks:
                if state.interrupts and pending is None:
                    return "stopped", "Waits for an answer.", [each.value for each in state.interrupts]
                before = state.config["configurable"].get("checkpoint_id")
                for _ in graph.stream(pending, config, stream_mode="updates", durability=DURABILITY):
                    pass
                state = graph.get_state(config)
                if state.tasks and not state.interrupts:
                    _demand_progress(run, before, state.config["configurable"]["checkpoint_id"])
                pending = _answered(state.interrupts, on_question, lab) if state.interrupts else None
                if state.interrupts and pending is None:
                    return "stopped", "Waits for an answer.", [each.value for each in state.interrupts]
            return state.values["status"], state.values.get("cause", ""), []
    except sqlite3.DatabaseError as error:
        raise problem_of(error, run.folder / FILE) from error


def _demand_progress(run: Run, before: str | None, after: str) -> None:
    """Stop a run whose newest checkpoint is the one that it began from: it would do the same for ever.

    Raises:
        RecordError: it is.
    """
    if before == after:
        raise RecordError(
            f"Run {run.run_id} does not move: what it did since checkpoint {after} was not kept as newer."
            " Check the clock of this machine, then replay the run from its journal:"
            f" `labwright runs resume {run.run_id} --rebuild`."
        )


def _answered(interrupts: Any, on_question: OnQuestion | None, lab: Surroundings[Any]) -> Command[Any] | None:
    """The answers to what waits, as a resume command; None if one stays open."""
    values = {}
    for waiting in interrupts:
        question = Question.model_validate(waiting.value)
        lab.emit({"kind": "question", "question": waiting.value}, once=f"question {question.id}")
        answer = on_question(question) if on_question else None
        if answer is None:
            return None
        values[waiting.id] = answer.model_dump()
    return Command(resume=values)


def _ended(
    run: Run, lab: Surroundings[Any], ending: tuple[Ending, str, list[dict[str, Any]]], seconds: float
) -> Outcome:
    if lab.guard is not None:
        lab.guard()  # another worker may drive the run by now: its files are that one's
    status, reason, questions = ending
    last = run.events.last() or {}
    # An attempt to resume that came to nothing must not take the result from a run that had ended.
    kept = status == "stopped" and last.get("kind") == "run_finished" and last.get("status") != "stopped"
    document = (read_result(run) if kept else None) or write_end(lab, status, reason, questions, seconds)
    return Outcome(run.run_id, status, reason, document["result"], questions, run.folder, document)
