"""Labwright: LangGraph agents for autonomous science.

>>> import labwright
>>> outcome = labwright.calibrate("Calibrate qubit Q1", device_options={"frequency_offset": 0.5})  # doctest: +SKIP
>>> outcome.status, outcome.result["qubits"]["Q1"]["after"]["frequency"]  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labwright.graphs.questions import Answer, Question
    from labwright.graphs.running import Outcome

__version__ = "0.1.0"
__all__ = ["calibrate", "design", "forge", "search"]


def calibrate(
    text: str,
    *,
    runs: Path | str | None = None,
    on_event: Callable[[dict[str, Any]], None] | None = None,
    on_question: Callable[[Question], Answer | None] | None = None,
    **choices: Any,
) -> Outcome:
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
    from labwright.tools.runs.run import runs_root

    request = CalibrationRequest(text, Choices(**choices))
    return start(request, Path(runs) if runs else runs_root(), on_event=on_event, on_question=on_question)


def design(
    text: str,
    *,
    runs: Path | str | None = None,
    on_event: Callable[[dict[str, Any]], None] | None = None,
    on_question: Callable[[Question], Answer | None] | None = None,
    **choices: Any,
) -> Outcome:
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
    from labwright.tools.runs.run import runs_root

    request = DesignRequest(text, Choices(**{"approval": "auto", **choices}))
    return start(request, Path(runs) if runs else runs_root(), on_event=on_event, on_question=on_question)


def forge(
    task: str,
    *,
    inputs: Mapping[str, bytes] | None = None,
    runs: Path | str | None = None,
    on_event: Callable[[dict[str, Any]], None] | None = None,
    on_question: Callable[[Question], Answer | None] | None = None,
    **choices: Any,
) -> Outcome:
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
    from labwright.graphs.tool_forging.choices import Choices
    from labwright.graphs.tool_forging.running import ForgeRequest, start
    from labwright.tools.runs.run import runs_root

    request = ForgeRequest(task, inputs or {}, Choices(**choices))
    return start(request, Path(runs) if runs else runs_root(), on_event=on_event, on_question=on_question)


def search(
    dataset: str = "digits",
    *,
    runs: Path | str | None = None,
    on_event: Callable[[dict[str, Any]], None] | None = None,
    on_question: Callable[[Question], Answer | None] | None = None,
    **choices: Any,
) -> Outcome:
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
    from labwright.tools.runs.run import runs_root

    request = SearchRequest(choices=Choices(dataset=dataset, **choices))
    return start(request, Path(runs) if runs else runs_root(), on_event=on_event, on_question=on_question)
