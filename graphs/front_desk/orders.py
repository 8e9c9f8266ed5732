"""From a wish to a request that can be started: the system's own typed choices, its text, its files.

What only the person grants (mind, approval, answers, budget, device) comes from the terms, never from the wish.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from labwright.agents.front_desk.wishes import (
    CalibrationWish,
    DesignWish,
    ForgeWish,
    NoteWish,
    SearchWish,
    System,
    WorkWish,
)
from labwright.graphs.front_desk.memory import device_of, toolset_of
from labwright.graphs.front_desk.terms import Terms
from labwright.graphs.registry import check_choices, choices_type
from labwright.tools.errors import InputError
from labwright.tools.specifications.compiled import text_or_plan

LARGEST = 64 << 20  # bytes of one file
TASK_SUFFIXES = (".md", ".txt", ".yaml", ".yml", ".csv")


@dataclass(frozen=True, slots=True)
class Order:
    """A request that is ready to start; JSON-plain through `as_dict`.

    Attributes:
        system: whose run it becomes.
        text: what the system is asked.
        choices: the system's own choices, plain.
        files: name for the system -> path on this machine, of what is handed in beside the text.
        device_from: id of the run whose simulated device this one goes on with.
        said: what the desk added or took over, in sentences.
    """

    system: System
    text: str
    choices: dict[str, Any]
    files: dict[str, str] = field(default_factory=dict)
    device_from: str = ""
    said: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """The order as a plain dict."""
        return asdict(self)

    def typed_choices(self) -> BaseModel:
        """The choices in the system's own type, looked at as that system does before it makes a run.

        Raises:
            InputError: a choice is unknown, out of range or unusable.
        """
        try:
            choices = choices_type(self.system).model_validate(self.choices)
        except ValidationError as wrong:
            first = wrong.errors()[0]
            raise InputError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}.") from wrong
        check_choices(self.system, choices)
        return choices


def order_of(wish: WorkWish, terms: Terms, notes: list[NoteWish]) -> Order:
    """The order that `wish` becomes under the person's terms; earlier runs are put in afterwards.

    Raises:
        InputError: a file that is named cannot be read, or may not be.
    """
    granted: dict[str, Any] = {
        "mind": terms.mind,
        "approval": terms.approval,
        "answers": terms.answers,
        "budget": terms.budget,
    }
    seed = getattr(wish, "seed", None)
    granted |= {"seed": terms.seed if seed is None else seed}
    if isinstance(wish, CalibrationWish):
        return _calibration(wish, terms, notes, granted)
    if isinstance(wish, SearchWish):
        return _search(wish, terms, granted)
    return _forging(wish, terms, notes, granted) if isinstance(wish, ForgeWish) else _design(wish, terms, granted)


def _calibration(wish: CalibrationWish, terms: Terms, notes: list[NoteWish], granted: dict[str, Any]) -> Order:
    remembered = device_of(notes) if terms.device == "simulated" and not terms.device_options else ""
    own = {
        "qubits": wish.qubits,
        "device": remembered or terms.device,
        "device_options": terms.device_options,
        "device_folder": terms.device_folder,
        "lab": terms.lab,
        "figures": terms.figures,
    }
    said = [f"The device is {remembered}, as you asked me to remember."] if remembered else []
    text = _read(wish.file, terms) if wish.file else wish.text
    return Order("lab_calibration", text, {**granted, **own}, said=said)


def _search(wish: SearchWish, terms: Terms, granted: dict[str, Any]) -> Order:
    asked = {name: getattr(wish, name) for name in ("trials", "ideas", "qubits", "features", "evaluations")}
    own = {name: value for name, value in asked.items() if value is not None}
    own |= {"dataset": wish.dataset, "figures": terms.figures, "persons_ideas": [wish.idea] if wish.idea else []}
    if not terms.files and wish.dataset not in ("digits", "digits-augmented", "digits-quantum"):
        raise InputError("Files of this machine are not read in this conversation.")
    return Order("feature_map_search", f"Find a quantum feature map for {wish.dataset}", {**granted, **own})


def _forging(wish: ForgeWish, terms: Terms, notes: list[NoteWish], granted: dict[str, Any]) -> Order:
    toolset = wish.toolset or terms.toolset or toolset_of(notes)
    said = []
    if toolset and toolset not in (wish.toolset, terms.toolset):
        said = [f"The toolset is {toolset}, as you asked me to remember."]
    text, inputs = wish.text, list(wish.inputs)
    if wish.file:
        text = _read(wish.file, terms)
        beside = Path(wish.file).expanduser().parent / "inputs"
        inputs += [str(path) for path in sorted(beside.iterdir()) if path.is_file()] if beside.is_dir() else []
    files = {Path(name).name: str(_existing(name, terms)) for name in inputs}
    return Order("tool_forging", text, {**granted, "toolset": toolset, "mode": wish.mode}, files, said=said)


def _design(wish: DesignWish, terms: Terms, granted: dict[str, Any]) -> Order:
    text = _read(wish.file, terms) if wish.file else wish.text
    return Order("protocol_design", text, {**granted, "figures": terms.figures})


def _read(name: str, terms: Terms) -> str:
    """The text of a file that the person named.

    Raises:
        InputError: there is none, it is no text, or files are not read here.
    """
    path = _existing(name, terms)
    if not path.name.endswith(TASK_SUFFIXES):
        raise InputError(f"File {name!r} is not read as a description: name one of {', '.join(TASK_SUFFIXES)}.")
    try:
        return text_or_plan(path, path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"File {name!r} cannot be read ({error}). Check the path.") from error


def _existing(name: str, terms: Terms) -> Path:
    if not terms.files:
        raise InputError("Files of this machine are not read in this conversation; paste the text.")
    path = Path(name).expanduser()
    if not path.is_file():
        raise InputError(f"There is no file {name!r} in {Path.cwd()}. Check the path.")
    if path.stat().st_size > LARGEST:
        raise InputError(f"File {name!r} has {path.stat().st_size >> 20} MB; at most {LARGEST >> 20} are taken.")
    return path.absolute()
