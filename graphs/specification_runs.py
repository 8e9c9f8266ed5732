"""From a written specification to a run of its system. What only the person grants is never taken from the document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from labwright.graphs.registry import choices_type, driver
from labwright.graphs.run_creation import chosen
from labwright.graphs.running import OnEvent, OnQuestion, Outcome
from labwright.tools.errors import InputError
from labwright.tools.runs.run import Run
from labwright.tools.specifications.base import Specification
from labwright.tools.specifications.kinds import Written
from labwright.tools.specifications.protocol import ProtocolText
from labwright.tools.specifications.search import SearchSpec, data_in
from labwright.tools.specifications.task import Card, TaskSpec, said_in
from labwright.tools.specifications.yaml_files import read_document, to_yaml

GRANTED = ("mind", "approval", "answers", "budget", "sandbox", "toolset", "papers_from")
INPUTS = "workspace/inputs"  # where tool forging looks for the files of a task
LARGEST = 64 << 20  # bytes of one file of a task
APPROVAL = {"protocol_design": "auto", "sequence": ""}  # where none is named; a file moves nothing


@dataclass(frozen=True, slots=True)
class Job:
    """A run that is ready to start.

    Attributes:
        system: whose run it becomes.
        text: what the system is asked.
        choices: of the system's own kind.
        files: path below the run's folder -> content.
    """

    system: str
    text: str
    choices: BaseModel
    files: dict[str, bytes] = field(default_factory=dict)

    def prepare(self, root: Path) -> Run:
        """Make the run's folder and begin nothing.

        Raises:
            InputError: the choices cannot work; nothing is made.
        """
        seed = getattr(self.choices, "seed", 0)
        return driver(self.system).prepare(self.text, self.choices, root, seed=seed, files=self.files)

    def start(self, root: Path, on_event: OnEvent | None = None, on_question: OnQuestion | None = None) -> Outcome:
        """Run it until it ends or waits for a person.

        Raises:
            InputError: the choices cannot work; no run is made.
        """
        seed, more = getattr(self.choices, "seed", 0), {"on_event": on_event, "on_question": on_question}
        return driver(self.system).start(self.text, self.choices, root, seed=seed, files=self.files, **more)  # type: ignore[arg-type]


def job_of(written: Written, granted: Mapping[str, Any]) -> Job:
    """The run that a specification asks for, under what a person granted for it.

    Raises:
        InputError: a file that it names cannot be read, or a choice is out of range.
    """
    system = written.spec.system
    text, own, files = _PARTS.get(system, _whole)(written)
    # Names of qubits that a person grants a calibration say nothing of the number of qubits of a map.
    more = {name: value for name, value in granted.items() if name != "qubits" or name not in own}
    return Job(system, text, choices_of(system, {**own, **more}), files)


def choices_of(system: str, wanted: Mapping[str, Any]) -> BaseModel:
    """The choices of `system`, from those of `wanted` that it has.

    Raises:
        InputError: one is out of range.
    """
    kind, wanted = choices_type(system), dict(wanted)
    wanted["approval"] = wanted.get("approval") or APPROVAL.get(system, "risky")
    return chosen(kind, {name: value for name, value in wanted.items() if name in kind.model_fields})


Parts = tuple[str, dict[str, Any], dict[str, bytes]]


def _whole(written: Written) -> Parts:
    """A system that reads its specification itself; paths in it count from the document's folder."""
    return written.text, {"folder": str(written.folder.absolute())}, {}


def _search(written: Written) -> Parts:
    spec = _as(SearchSpec, written)
    own = _fields(spec)
    own |= {"dataset": data_in(written.folder, spec.dataset), "test": data_in(written.folder, spec.test)}
    if spec.papers:
        own["papers"] = str((written.folder / Path(spec.papers).expanduser()).absolute())
    if spec.words:
        own["folder"] = str(written.folder.absolute())
    return spec.words or spec.title or f"Find a quantum feature map for {own['dataset']}", own, {}


def _task(written: Written) -> Parts:
    spec = _as(TaskSpec, written)
    named = [one for name in spec.inputs for one in _inside(written.folder, name)]
    files = {f"{INPUTS}/{Path(name).name}": _content(written, name) for name in named}
    if isinstance(spec, Card):
        spec.check_inputs({path.removeprefix("workspace/"): content for path, content in files.items()})
        return written.text, said_in(spec), files
    titled = spec.title and not spec.question.lstrip().startswith("# ")
    return f"# {spec.title}\n\n{spec.question}" if titled else spec.question, said_in(spec), files


def _protocol(written: Written) -> Parts:
    spec = written.spec
    text = spec.text if isinstance(spec, ProtocolText) else to_yaml(read_document(written.text).data)
    return text, _fields(spec), {}


def _as(kind: type[Any], written: Written) -> Any:
    assert isinstance(written.spec, kind)
    return written.spec


def _fields(spec: Specification) -> dict[str, Any]:
    """The fields that are choices of a run, by the names that both share; what is granted is not among them."""
    plain = spec.model_dump(mode="json")
    return {name: value for name, value in plain.items() if name not in GRANTED}


def _inside(folder: Path, name: str) -> list[str]:
    """The files of a folder that a task names, or the file itself."""
    place = folder / name
    return [f"{name}/{one.name}" for one in sorted(place.iterdir()) if one.is_file()] if place.is_dir() else [name]


def _content(written: Written, name: str) -> bytes:
    """A file of a task.

    Raises:
        InputError: it cannot be read, lies outside the document's folder, or is too large.
    """
    path = written.folder / name
    try:
        if not path.resolve().is_relative_to(written.folder.resolve()):
            raise InputError(f"{written.name}: inputs: {name!r} leads out of the document's folder. Copy it there.")
        if path.stat().st_size > LARGEST:
            raise InputError(f"{written.name}: inputs: {name!r} has more than {LARGEST >> 20} MB. Shorten it.")
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{written.name}: inputs: {name!r} cannot be read ({error}). Check the path.") from error


_PARTS: dict[str, Callable[[Written], Parts]] = {
    "feature_map_search": _search,
    "tool_forging": _task,
    "protocol_design": _protocol,
}
