"""A run: one folder that holds what was asked, what happened and what came of it."""

from __future__ import annotations

import getpass
import io
import json
import os
import platform
import re
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from labwright.tools.errors import CorruptRecordError, RunNotFoundError
from labwright.tools.process_file_lock import Lease
from labwright.tools.runs.action_journal import Action
from labwright.tools.runs.events import EventLog
from labwright.tools.runs.hash_chain import EVENTS, RECORD, Chain, log_of
from labwright.tools.runs.hashed_files import ArtifactRef, inside, read_json, sha256_of, to_json, utf8
from labwright.tools.runs.seals import private_folder
from labwright.tools.runs.spending import USAGE, keep_usage

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray

_RECORDED = ("labwright", "langgraph", "langchain", "numpy", "scipy", "pydantic")


@dataclass(frozen=True, slots=True)
class RunRecord:
    """``run.json``: what a run was started with. Written once, never changed.

    Attributes:
        run_id: sorts by time of creation, such as ``20250131-142530-3f9a-calibrate-q1``.
        system: name of the graph, such as ``lab_calibration``.
        asked: the person's words, or the text of the procedure.
        choices: every option that shapes the run, JSON-plain; the run resumes with these.
        seed: of every random draw.
        created: UTC, ISO 8601.
        versions: of Python and the packages whose change could change the result.
        account: of the operating system, under which it was started.
        parent: ``{"run_id": ..., "stage": ...}`` if this run was forked, ``{"run_id": ..., "part": ...}`` of a part.
    """

    run_id: str
    system: str
    asked: str
    choices: dict[str, Any]
    seed: int
    created: str
    versions: dict[str, str] = field(default_factory=dict)
    parent: dict[str, Any] | None = None
    account: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """The folder of one run, and everything that is written into it."""

    folder: Path
    record: RunRecord

    @property
    def run_id(self) -> str:
        """Name of the folder, and of the run's checkpoint thread."""
        return self.record.run_id

    @property
    def events(self) -> EventLog:
        """The run's log."""
        return log_of(self.folder, EVENTS)

    @property
    def chain(self) -> Chain:
        """What the run wrote, by hash."""
        return Chain(self.folder)

    def action(self, key: str) -> Action:
        """The journal entry of one dear step; see `action_key`."""
        return Action(self.folder / "actions" / key)

    def lease(self) -> Lease:
        """The right to drive this run: ``with run.lease(): ...``."""
        return Lease(self.folder / "lease", f"Run {self.run_id}")

    def save_arrays(self, name: str, arrays: Mapping[str, ArrayLike]) -> ArtifactRef:
        """Write ``data/<name>.npz``; equal arrays give equal bytes, hence equal hashes."""
        import numpy as np  # here, so that listing runs is quick

        buffer = io.BytesIO()
        np.savez(buffer, allow_pickle=False, **{key: np.asarray(value) for key, value in arrays.items()})
        return self._save(f"data/{name}.npz", "data", buffer.getvalue())

    def save_figure(self, name: str, figure: Figure, dpi: int = 110) -> ArtifactRef:
        """Write ``figures/<name>.png``, and its curves as ``data/<name>.plot.json`` if it holds nothing else.

        The figure is not closed.
        """
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        from labwright.tools.runs.interactive_figures import interactive

        buffer = io.BytesIO()
        figure.set_dpi(dpi)
        # The same bytes as `savefig`, which draws twice.
        FigureCanvasAgg(figure).print_png(buffer)  # type: ignore[no-untyped-call]
        if (curves := interactive(figure)) is not None:
            self._save(f"data/{name}.plot.json", "json", json.dumps(curves, separators=(",", ":")).encode())
        return self._save(f"figures/{name}.png", "figure", buffer.getvalue())

    def save_json(self, path: str, value: Any) -> ArtifactRef:
        """Write the JSON-plain `value` to `path` below the run folder."""
        if path == USAGE:
            return ArtifactRef(path, "json", keep_usage(self.folder, value))
        return self._save(path, "json", to_json(value))

    def save_bytes(self, path: str, content: bytes, kind: str = "data") -> ArtifactRef:
        """Write `content` to `path` below the run folder."""
        return self._save(path, kind, content)

    def save_text(self, path: str, text: str, kind: str = "text") -> ArtifactRef:
        """Write `text` to `path` below the run folder."""
        return self._save(path, kind, utf8(text))

    def load_arrays(self, ref: ArtifactRef) -> dict[str, NDArray[Any]]:
        """The arrays that `ref` points to, after checking its hash.

        Raises:
            CorruptRecordError: it is missing, was changed, or holds anything but plain arrays.
        """
        import numpy as np

        path = self.verify(ref)
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
                return {key: stored[key] for key in stored.files}
        except (ValueError, TypeError, EOFError, MemoryError, BadZipFile) as wrong:
            raise CorruptRecordError(f"Artifact {path} does not hold plain arrays ({wrong}). Restore it.") from wrong

    def verify(self, ref: ArtifactRef) -> Path:
        """The file that `ref` points to.

        Raises:
            CorruptRecordError: it is missing or its bytes are not those that were referred to.
        """
        path = inside(self.folder, ref.path)
        if not path.is_file():
            raise CorruptRecordError(f"Artifact {path} is missing. Restore it, or fork the run before it was made.")
        if sha256_of(path.read_bytes()) != ref.sha256:
            raise CorruptRecordError(
                f"Artifact {path} was changed after it was written. Restore it, or fork the run before it was made."
            )
        return path

    def _save(self, name: str, kind: str, content: bytes) -> ArtifactRef:
        inside(self.folder, name)
        return ArtifactRef(name, kind, self.chain.write(name, content))


def runs_root() -> Path:
    """Where runs lie: ``LABWRIGHT_RUNS``, or ``./runs``."""
    return Path(os.environ.get("LABWRIGHT_RUNS") or "runs").expanduser()


def create_run(
    root: Path,
    system: str,
    request: str,
    choices: dict[str, Any],
    seed: int,
    *,
    parent: dict[str, Any] | None = None,
) -> Run:
    """Make the folder of a new run and write its ``run.json``.

    Raises:
        OSError: `root` cannot be written.
    """
    run_id, folder, now = _folder_of_its_own(root, _slug(_subject(request)))
    record = RunRecord(
        run_id, system, request, choices, seed, now.isoformat(timespec="milliseconds"), _versions(), parent, account()
    )
    Chain(folder).write(RECORD, to_json(asdict(record)))
    return Run(folder, record)


def part_of(run: Run, name: str, request: str, choices: dict[str, Any]) -> Run:
    """A run within `run`, in ``parts/<name>``: made now, or opened if it is there already.

    A part has a log, actions, figures and a report of its own; it is listed and resumed with the whole.
    """
    folder = run.folder / "parts" / name
    if not (folder / RECORD).exists():
        private_folder(folder)
        parent = {"run_id": run.run_id, "part": name}
        record = RunRecord(
            f"{run.run_id}.{name}", run.record.system, request, choices, run.record.seed, run.record.created,
            run.record.versions, parent, run.record.account,
        )  # fmt: skip
        Chain(folder).write(RECORD, to_json(asdict(record)))
    return load_run(folder)


def _folder_of_its_own(root: Path, slug: str) -> tuple[str, Path, datetime]:
    root.mkdir(parents=True, exist_ok=True)
    while True:
        now = datetime.now(UTC)
        # Two digits of the second's 256 parts, so that names sort by time; two by chance, drawn again if taken.
        digits = f"{now.microsecond * 256 // 1_000_000:02x}{secrets.token_hex(1)}"
        run_id = f"{now:%Y%m%d-%H%M%S}-{digits}-{slug}"
        folder = root / run_id
        try:
            folder.mkdir(mode=0o700)
        except FileExistsError:
            continue
        return run_id, folder, now


def open_run(root: Path, run_id: str) -> Run:
    """The run whose id is, or uniquely begins with, `run_id`; ``latest`` is the newest.

    Raises:
        RunNotFoundError: no such run, or several.
        CorruptRecordError: its ``run.json`` does not read back.
    """
    return load_run(root / _find(root, run_id))


def load_run(folder: Path) -> Run:
    """The run that lies in `folder`.

    Raises:
        CorruptRecordError: its ``run.json`` does not read back.
    """
    remedy = "Restore the file, or start the run again; its figures and data can still be read."
    plain = read_json(folder / "run.json", remedy)
    try:
        return Run(folder, RunRecord(**plain))
    except TypeError as error:
        raise CorruptRecordError(
            f"File {folder / 'run.json'} lacks or has unknown fields ({error}). {remedy}"
        ) from error


def run_ids(root: Path) -> list[str]:
    """The ids of all runs below `root`, oldest first."""
    if not root.is_dir():
        return []
    return sorted(path.name for path in root.iterdir() if (path / "run.json").exists())


def _is_name(wanted: str) -> bool:
    return wanted not in ("", ".", "..") and "/" not in wanted and "\0" not in wanted


def _find(root: Path, wanted: str) -> str:
    known = run_ids(root)
    if wanted == "latest" and known:
        return known[-1]
    if wanted in known or (_is_name(wanted) and (root / wanted).is_dir()):  # its run.json may be gone
        return wanted
    matching = [name for name in known if wanted and name.startswith(wanted)]
    if len(matching) == 1:
        return matching[0]
    if matching:
        raise RunNotFoundError(
            f"{wanted!r} begins {len(matching)} run ids: {', '.join(matching[:5])}. Give more of it."
        )
    raise RunNotFoundError(
        f"There is no run {wanted!r} in {root.absolute()}. `labwright runs list` shows the runs there are;"
        f" set LABWRIGHT_RUNS if they lie elsewhere."
    )


def account() -> str:
    """The operating system's name of whoever runs this process; its number where it has no name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid {os.getuid()}"


def _subject(request: str) -> str:
    """What a run is called by: the request's words, or the title of a written specification."""
    head = request.splitlines()[:40]
    systems, titles = ([line[7:] for line in head if line.startswith(field)] for field in ("system:", "title: "))
    return next(iter([*titles, *systems]), request) if systems or request.startswith("title: ") else request


def _slug(text: str, length: int = 32) -> str:
    """The first words of `text` that fit in `length` characters, safe in a file name."""
    words = re.findall(r"[a-z0-9]+", text.lower())
    slug = ""
    for word in words:
        if len(slug) + len(word) + 1 > length:
            break
        slug = f"{slug}-{word}" if slug else word
    return slug or "run"


def _versions() -> dict[str, str]:
    return {"python": platform.python_version(), **{name: _version(name) for name in _RECORDED}}


@cache
def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"
