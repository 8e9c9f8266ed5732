"""From an action to a request that can be started: the system's own typed choices, its text, its files.

What only the person grants (mind, approval, answers, budget, device) comes from the terms, never from the action.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from labwright.agents.front_desk.actions import Start
from labwright.graphs.front_desk.permissions import Terms
from labwright.graphs.registry import check_choices, choices_type
from labwright.graphs.sequence.steps import value_of_run
from labwright.graphs.specification_runs import INPUTS, Job, choices_of, job_of
from labwright.tools.atomic_files import write_atomic
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.spreadsheet_reader import is_spreadsheet
from labwright.tools.runs.hashed_files import sha256_of
from labwright.tools.runs.run import Run
from labwright.tools.specifications.compiled_plan_files import read_text, text_or_plan
from labwright.tools.specifications.examples import named
from labwright.tools.specifications.kinds import SPEC, Written, is_procedure, procedure_in, read_written
from labwright.tools.specifications.patches import path_of, read_patches
from labwright.tools.specifications.sequence import RUN, references
from labwright.tools.specifications.yaml_files import is_document, read_document

LARGEST = 64 << 20  # bytes of one file
HANDED_ON = "handed_on"  # in the conversation's folder: files until their run is made
PROSE = (".md", ".txt", ".yaml", ".yml", ".csv")
UNREAD = ("proposed_by",)  # fields that no reader of words writes: a later reading does not know them
OF_DEVICE = ("device", "device_options", "device_folder", "seed", "lab")
Patches = list[tuple[tuple[str | int, ...], Any]]


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

    system: str
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


def granted(terms: Terms) -> dict[str, Any]:
    """What the person grants, as choices of whichever system has them."""
    return terms.model_dump(mode="json", exclude={"person", "files"})


def order_of_words(action: Start, terms: Terms) -> Order:
    """The order that words become: the system reads them itself.

    Raises:
        InputError: a file that is named cannot be read, or may not be.
    """
    text = _prose(action.file, terms) if action.file else action.text
    if action.file and action.text.strip() and action.text.strip() != action.file:
        text = f"{text.rstrip()}\n\n{action.text.strip()}"
    files = {Path(name).name: str(_existing(name, terms)) for name in action.inputs}
    if action.file:
        beside = Path(action.file).expanduser().parent / "inputs"
        found = sorted(beside.iterdir()) if action.system == "tool_forging" and beside.is_dir() else []
        files |= {path.name: str(path.absolute()) for path in found if path.is_file()}
    more = {"words": text} if action.system == "feature_map_search" else {}
    choices = choices_of(action.system, {**granted(terms), **more}).model_dump(mode="json")
    return Order(action.system, text, choices, files)


def order_of_file(name: str, changes: Sequence[str], terms: Terms, root: Path, folder: Path) -> Order:
    """The order that a file, or a shipped example, becomes.

    Raises:
        InputError: it cannot be read, is no specification, or a change does not fit it.
    """
    shipped = named(name)
    path = shipped or _existing(name, terms)
    text, patches = read_text(path), read_changes(changes, root)
    if is_spreadsheet(text) and not patches:
        choices = choices_of("protocol_design", granted(terms)).model_dump(mode="json")
        return Order("protocol_design", text, choices)
    return order_of_document(text, path.name if shipped else name, path.parent, patches, terms, folder)


def order_of_document(text: str, name: str, place: Path, patches: Patches, terms: Terms, folder: Path) -> Order:
    """The order that a document becomes.

    Args:
        text: the document.
        name: of its file, for messages.
        place: that paths in it count from.
        patches: what shall differ.
        terms: the person's.
        folder: where files that it names are kept until the run is made.

    Raises:
        InputError: it is no specification, or a field is wrong.
    """
    if is_procedure(text):
        return ordered(job_of(procedure_in(text, name, place, patches), granted(terms)), folder)
    return ordered(job_of(read_written(text, name, place, patches), _own_seed(granted(terms), text)), folder)


def order_again(run: Run, changes: Sequence[str], terms: Terms, root: Path, folder: Path, words: str = "") -> Order:
    """The order of an earlier run once more: its specification with the changes, its device, today's terms.

    `words` are put below those of a search that was not read yet: what reads them reads all of them.

    Raises:
        InputError: it left no specification although something is to change, or a change does not fit.
    """
    patches, path = read_changes(changes, root), run.folder / SPEC
    if words:
        patches.append((("words",), f"{unread_words(run)}\n\n{words}"))
    if path.is_file():
        written = _earlier(run, path.read_text(encoding="utf-8"), patches)
        return ordered(job_of(written, _own_seed({**granted(terms), **_surroundings(run)}, written.text)), folder)
    if patches:
        raise InputError(f"Run {run.run_id} left no specification in which something could be changed.")
    return order_anew(run, run.record.asked, terms)


def order_anew(run: Run, text: str, terms: Terms) -> Order:
    """An earlier run once more with `text` as its words: its choices, its device and its files, today's terms."""
    own = {*granted(terms), "plan_first"}
    kept = {name: value for name, value in run.record.choices.items() if name not in own}
    kept |= {"words": text} if text != run.record.asked else {}
    kept |= {name: value for name, value in specification_of(run).items() if name in UNREAD}
    choices = choices_of(run.record.system, {**kept, **granted(terms), **_surroundings(run)}).model_dump(mode="json")
    inputs = sorted((run.folder / INPUTS).glob("*"))
    return Order(run.record.system, text, choices, {one.name: str(one.absolute()) for one in inputs})


def asked_in_all(run: Run) -> str:
    """The words with which a run began, and what the person said in words to its questions; of a document itself."""
    said, options = [run.record.asked.rstrip()], list[str]()
    for event in run.events.read():
        if event.get("kind") == "question":
            options = [each["value"] for each in event["question"]["options"]]
        elif event.get("kind") == "answer" and event["decision"] not in options and event.get("by") != "default":
            said.append(str(event["decision"]).strip())
    return "\n\n".join(said)


def _surroundings(run: Run) -> dict[str, Any]:
    """What a run was made with that stays when it is run again."""
    names = (*OF_DEVICE, "toolset", "mode", "papers_from")
    return {name: run.record.choices[name] for name in names if name in run.record.choices}


def specification_of(run: Run) -> dict[str, Any]:
    """The plain data of a run's specification; empty if it has none yet."""
    path = run.folder / SPEC
    return read_document(path.read_text(encoding="utf-8")).data if path.is_file() else {}


def unread_words(run: Run) -> str:
    """The words of a search whose specification holds nothing else that was asked, as nobody has read them yet."""
    return str(specification_of(run).get("words") or "")


def read_changes(changes: Sequence[str], root: Path) -> Patches:
    """``PATH = VALUE`` lines as patches; a value ``{from: run:ID#PATH}`` is looked up.

    Raises:
        InputError: one is no PATH = VALUE, or a reference leads nowhere.
    """
    if not changes:
        return []
    read = read_patches("\n".join(changes))
    if read is None:
        raise InputError(
            f"Changes must be PATH = VALUE, such as `steps.0.stop = 2 us`, but are {'; '.join(changes)!r}."
        )
    found: Patches = []
    for path, value in read:
        sources = [each for each in references(value, []) if not each.path and each.source.startswith(RUN)]
        found.append((path, value_of_run(sources[0], root) if sources else value))
    return found


def _earlier(run: Run, text: str, patches: Patches) -> Written:
    """An earlier specification; the files of a task are those in the run's folder."""
    held = [f"{INPUTS}/{one.name}" for one in sorted((run.folder / INPUTS).glob("*"))]
    more: Patches = [(path_of("inputs"), held)] if held and run.record.system == "tool_forging" else []
    data = read_document(text).data
    if not (data.get("title") or data.get("task") == "free" or is_document(run.record.asked)):
        more.append((("title",), " ".join(run.record.asked.split())[:200]))
    folder = run.record.choices.get("folder")
    return read_written(text, f"{SPEC} of {run.run_id}", Path(folder) if folder else run.folder, [*more, *patches])


def _own_seed(given: Mapping[str, Any], text: str) -> dict[str, Any]:
    """`given` without a seed where the document names one; elsewhere the person's stands."""
    data = read_document(text).data if is_document(text) else {}
    own = "seed" in data or data.get("system") == "feature_map_search"
    return {name: value for name, value in given.items() if name != "seed" or not own}


class Ordered(BaseModel):
    """A start that a face has read itself, such as a line of the shell; no agent's answer has this form."""

    kind: Literal["ordered"] = "ordered"
    order: Order
    named: list[str] = []

    def under(self, terms: Terms) -> Order:
        """The order, with the conversation's terms where the line names no choice."""
        more = {name: value for name, value in granted(terms).items() if name not in self.named}
        choices = choices_of(self.order.system, {**self.order.choices, **more})
        return replace(self.order, choices=choices.model_dump(mode="json"))


def keep_order(order: dict[str, Any], folder: Path) -> str:
    """Keep what a face has read of a line, in the conversation's own folder; its name, for the message."""
    content = json.dumps(order, sort_keys=True).encode()
    name = sha256_of(content)
    write_atomic(folder / f"{name}.json", content)
    return name


def kept_orders(names: Any, folder: Path) -> list[dict[str, Any]]:
    """The orders of these names, as a face has kept them.

    A message comes from any client of the graph, and an order names files and grants. So a message only names orders,
    and one that no face of this conversation has kept under its own hash is none: the message is then words.
    """
    found = []
    for name in names if isinstance(names, list) else []:
        path = folder / f"{name}.json"
        if isinstance(name, str) and re.fullmatch(r"[0-9a-f]{64}", name) and path.is_file():
            content = path.read_bytes()
            found += [json.loads(content)] if sha256_of(content) == name else []
    return found


def ordered(job: Job, folder: Path) -> Order:
    """A job as plain data; the content of its files is kept in `folder` until the run is made."""
    files = {}
    for name, content in job.files.items():
        path = folder / hashlib.sha256(content).hexdigest()[:16] / Path(name).name
        write_atomic(path, content)
        files[path.name] = str(path.absolute())
    return Order(job.system, job.text, job.choices.model_dump(mode="json"), files)


def _prose(name: str, terms: Terms) -> str:
    """The text of a file that the person named.

    Raises:
        InputError: there is none, it is no text, or files are not read here.
    """
    path = _existing(name, terms)
    if not path.name.endswith(PROSE):
        raise InputError(f"File {name!r} is not read as a description: name one of {', '.join(PROSE)}.")
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
