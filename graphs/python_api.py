"""The systems as functions of Python; what ``import labwright`` offers. What they need is imported when called."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from labwright.graphs.questions import Answer, Question
    from labwright.graphs.results import Calibrated, Designed, Ended, Forged, Searched
    from labwright.graphs.running import Outcome

Event = dict[str, Any]
OnEvent = Callable[[Event], Any]  # where a function ends in ``_async``, both may be coroutine functions
OnQuestion = Callable[["Question"], Any]
CANCELLED = "The task that awaited it was cancelled."
E = TypeVar("E", bound="Ended")
P = ParamSpec("P")


def calibrate(
    text: str,
    *,
    runs: Path | str | None = None,
    on_event: OnEvent | None = None,
    on_question: OnQuestion | None = None,
    **choices: Any,
) -> Calibrated:
    """Calibrate qubits from one sentence or a Markdown procedure; returns when the run ends or waits for a person.

    Args:
        text: what is wanted.
        runs: folder of the runs; ``LABWRIGHT_RUNS`` or ``./runs`` if None.
        on_event: hears every event as a plain dict.
        on_question: answers questions; without it a question leaves the run waiting.
        **choices: fields of `labwright.graphs.lab_calibration.choices.Choices`, such as ``seed=3``.

    Raises:
        InputError: a choice or the request is unusable.
    """
    from labwright.graphs.lab_calibration.choices import Choices
    from labwright.graphs.lab_calibration.running import CalibrationRequest, start
    from labwright.graphs.results import Calibrated, typed
    from labwright.graphs.run_creation import chosen

    request = CalibrationRequest(_words(text), chosen(Choices, choices))
    return typed(Calibrated, start(request, _root(runs), on_event=on_event, on_question=on_question))


def search_feature_map(
    dataset: str = "digits",
    *,
    runs: Path | str | None = None,
    on_event: OnEvent | None = None,
    on_question: OnQuestion | None = None,
    **choices: Any,
) -> Searched:
    """Search a quantum feature map for a data set; its test part is opened once, at the end.

    Args:
        dataset: ``digits``, ``digits-augmented``, ``mnist:FOLDER``, ``fashion-mnist:FOLDER``, ``cifar-10:FOLDER``, or a
            file (.npz, .csv).
        runs: folder of the runs; ``LABWRIGHT_RUNS`` or ``./runs`` if None.
        on_event: hears every event as a plain dict.
        on_question: answers questions; without it a question leaves the run waiting.
        **choices: fields of `labwright.graphs.feature_map_search.choices.Choices`, such as ``trials=10``.

    Raises:
        InputError: a choice or the data set is unusable.
        SandboxUnavailableError: nothing on this machine confines candidate code.
    """
    from labwright.graphs.feature_map_search.choices import Choices
    from labwright.graphs.feature_map_search.running import SearchRequest, start
    from labwright.graphs.results import Searched, typed
    from labwright.graphs.run_creation import chosen

    request = SearchRequest(choices=chosen(Choices, {"dataset": dataset, **choices}))
    return typed(Searched, start(request, _root(runs), on_event=on_event, on_question=on_question))


def forge(
    task: str,
    *,
    inputs: Mapping[str, bytes] | None = None,
    runs: Path | str | None = None,
    on_event: OnEvent | None = None,
    on_question: OnQuestion | None = None,
    **choices: Any,
) -> Forged:
    """Solve a computational task with tools that are forged, proved and reused.

    Args:
        task: what is to be computed, as it would stand in question.md.
        inputs: name -> content of the files that come with it.
        runs: folder of the runs; ``LABWRIGHT_RUNS`` or ``./runs`` if None.
        on_event: hears every event as a plain dict.
        on_question: answers questions; without it a question leaves the run waiting.
        **choices: fields of `labwright.graphs.tool_forging.choices.Choices`, such as ``toolset="my-tools"``.

    Raises:
        InputError: a choice or the name of an input is unusable.
        SandboxUnavailableError: nothing on this machine confines new code.
    """
    from labwright.graphs.results import Forged, typed
    from labwright.graphs.run_creation import chosen
    from labwright.graphs.tool_forging.choices import Choices
    from labwright.graphs.tool_forging.running import ForgeRequest, start

    request = ForgeRequest(_words(task), inputs or {}, chosen(Choices, choices))
    return typed(Forged, start(request, _root(runs), on_event=on_event, on_question=on_question))


def design_protocol(
    text: str,
    *,
    runs: Path | str | None = None,
    on_event: OnEvent | None = None,
    on_question: OnQuestion | None = None,
    **choices: Any,
) -> Designed:
    """Design a liquid-handling protocol from a description, or a design in YAML, up to the robot's file.

    Args:
        text: what is wanted.
        runs: folder of the runs; ``LABWRIGHT_RUNS`` or ``./runs`` if None.
        on_event: hears every event as a plain dict.
        on_question: answers questions; without it a question leaves the run waiting.
        **choices: fields of `labwright.graphs.protocol_design.choices.Choices`. Unlike there, ``approval`` is ``auto``:
            who calls this asks for the file, and a file moves nothing.

    Raises:
        InputError: a choice is unusable.
    """
    from labwright.graphs.protocol_design.choices import Choices
    from labwright.graphs.protocol_design.running import DesignRequest, start
    from labwright.graphs.results import Designed, typed
    from labwright.graphs.run_creation import chosen

    request = DesignRequest(_words(text), chosen(Choices, {"approval": "auto", **choices}))
    return typed(Designed, start(request, _root(runs), on_event=on_event, on_question=on_question))


search, design = search_feature_map, design_protocol


def run(
    specification: Path | str,
    *,
    runs: Path | str | None = None,
    on_event: OnEvent | None = None,
    on_question: OnQuestion | None = None,
    **granted: Any,
) -> Ended:
    """Run a specification of any system, as ``labwright run`` does.

    Args:
        specification: a file (`Path`), or YAML such as the `spec` of an earlier result.
        runs: folder of the runs; ``LABWRIGHT_RUNS`` or ``./runs`` if None.
        on_event: hears every event as a plain dict.
        on_question: answers questions; without it a question leaves the run waiting.
        **granted: what a person grants, such as ``device="mylab.qpu:factory"`` or ``approval="always"``.

    Raises:
        InputError: the specification does not read, a field is wrong, or a file that it names is missing.
    """
    from labwright.graphs.specification_runs import job_of
    from labwright.tools.errors import InputError
    from labwright.tools.specifications.kinds import read_written

    text, name, folder = specification, "", Path.cwd()
    if isinstance(specification, Path):
        name, folder = specification.name, specification.parent
        try:
            text = specification.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"The specification {specification} cannot be read: {error}. Check the path.") from error
    job = job_of(read_written(_words(text), name, folder), granted)
    return _typed(job.system, job.start(_root(runs), on_event, on_question))


def load(run_id: str = "latest", *, runs: Path | str | None = None) -> Ended:
    """The result of a run that has ended or waits, from its folder.

    Args:
        run_id: the run, a unique beginning of its name, or ``latest``.
        runs: folder of the runs; ``LABWRIGHT_RUNS`` or ``./runs`` if None.

    Raises:
        RunNotFoundError: there is no such run.
        RecordError: it has not ended yet.
    """
    from labwright.graphs.running import Outcome
    from labwright.tools.errors import RecordError
    from labwright.tools.runs.listing import read_result
    from labwright.tools.runs.run import open_run

    found = open_run(_root(runs), run_id)
    document = read_result(found)
    if document is None:
        raise RecordError(f"Run {found.run_id} has not ended. Wait for it, or go on with it: labwright.resume.")
    said = {name: document[name] for name in ("run_id", "status", "reason", "result", "questions")}
    return _typed(found.record.system, Outcome(**said, run_dir=found.folder, document=document))


def resume(
    run_id: str = "latest",
    *,
    answers: Mapping[str, Answer] | None = None,
    runs: Path | str | None = None,
    on_event: OnEvent | None = None,
    on_question: OnQuestion | None = None,
) -> Ended:
    """Go on with a run that waits, was stopped or was killed; nothing is measured twice.

    Args:
        run_id: the run, a unique beginning of its name, or ``latest``.
        answers: question id -> answer, for the questions that wait.
        runs: folder of the runs; ``LABWRIGHT_RUNS`` or ``./runs`` if None.
        on_event: hears every event as a plain dict.
        on_question: answers questions that `answers` does not.

    Raises:
        RunNotFoundError: there is no such run.
        RecordError: it cannot be gone on with; the message says why.
    """
    from labwright.graphs.registry import driver_of
    from labwright.tools.runs.run import open_run

    found = open_run(_root(runs), run_id)
    more: dict[str, Any] = {"on_event": on_event, "on_question": on_question}
    outcome = driver_of(found).resume(found.run_id, _root(runs), answers=dict(answers or {}), **more)
    return _typed(found.record.system, outcome)


def _in_thread(work: Callable[P, E]) -> Callable[P, Coroutine[Any, Any, E]]:
    """`work` as a coroutine function."""

    @functools.wraps(work)
    async def called(*args: P.args, **kwargs: P.kwargs) -> E:
        return await _awaited_in_thread(work, args, dict(kwargs))

    called.__name__ = called.__qualname__ = f"{work.__name__}_async"
    called.__doc__ = (
        f"`{work.__name__}` in a thread. Callbacks may be coroutines; a cancelled task stops the run, to be resumed."
    )
    return called


calibrate_async, search_feature_map_async = _in_thread(calibrate), _in_thread(search_feature_map)
forge_async, design_protocol_async = _in_thread(forge), _in_thread(design_protocol)


async def _awaited_in_thread(work: Callable[..., E], args: tuple[Any, ...], more: dict[str, Any]) -> E:
    from labwright.graphs.cancelling import Cancellation

    on_event, on_question = more.pop("on_event", None), more.pop("on_question", None)
    switch, loop = Cancellation(), asyncio.get_running_loop()

    def called(callback: Callable[[Any], Any], given: Any) -> Any:
        """The callback in the loop's own thread, awaited where it is a coroutine."""
        return asyncio.run_coroutine_threadsafe(_awaited(callback, given), loop).result()

    def ask(question: Question) -> Answer | None:
        if on_question is None or switch.turned:
            return None
        return called(on_question, question)  # type: ignore[no-any-return]

    heard = switch.watched((lambda event: called(on_event, event)) if on_event is not None else None)
    thread = asyncio.ensure_future(asyncio.to_thread(work, *args, on_event=heard, on_question=ask, **more))
    try:
        return await asyncio.shield(thread)
    except asyncio.CancelledError:
        switch.cancel(CANCELLED)
        await asyncio.wait({thread})  # it ends at its next event
        raise


async def _awaited(callback: Callable[[Any], Any], given: Any) -> Any:
    result = callback(given)
    return await result if inspect.isawaitable(result) else result


def _typed(system: str, outcome: Outcome) -> Ended:
    """`outcome` as the type of its system; one that has none, such as a sequence, has no table and no arrays."""
    from labwright.graphs import results

    kinds = {
        "lab_calibration": results.Calibrated,
        "feature_map_search": results.Searched,
        "tool_forging": results.Forged,
        "protocol_design": results.Designed,
    }
    return results.typed(kinds.get(system, results.Ended), outcome)


def _words(text: Any) -> str:
    from labwright.tools.errors import InputError

    if not isinstance(text, str):
        raise InputError(f"What is asked for must be text, but is a {type(text).__name__}.")
    return text


def _root(runs: Path | str | None) -> Path:
    from labwright.tools.runs.run import runs_root

    return Path(runs) if runs else runs_root()
