"""``labwright eval faults``: faults drawn into the smallest run of every system, and what became of the run.

A run must end equal to an undisturbed one, or stop with a cause that names what is wrong and, once that is put right as
the message says, go on to the same end. Nothing may be lost, no action of a device done twice, and no life may do more
than twice the events of an undisturbed run.
"""

from __future__ import annotations

import atexit
import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from labwright.evaluation.benchmarks.run_comparison import UNFINISHED, repeated_actions
from labwright.evaluation.benchmarks.shared_worker_jobs import faults_of as differences
from labwright.evaluation.faults.faulty_processes import DIED, Children, Death, Life
from labwright.evaluation.faults.model_server import FaultyModel
from labwright.evaluation.faults.random_faults import KINDS, Fault, drawn
from labwright.evaluation.faults.small_runs import RUNS, make_data
from labwright.evaluation.runner import Context, Options, Row, Suite
from labwright.graphs.checkpoints import FILE, checkpoint_damage
from labwright.tools.runs.run import run_ids
from labwright.tools.runs.verifying import verify

MOST_LIVES = 8
MOST_TEXT = 400  # characters of a message that a row keeps
GOOD = ("equal", "equal, verified", "equal, not covered", "stopped, then equal")
BAD = ("lost", "doubled", "loops", "wrong_cause", "unnoticed")
OF_LOG = ("said", "events are lost")  # differences of the log alone
ENDED = ("complete", "failed", "refused")
WORDS_OF = {errno.ENOSPC: ("No space left", "disk is full"), errno.EIO: ("Input/output error", "disk I/O error")}


@dataclass(frozen=True, slots=True)
class Twin:
    """An undisturbed run, and how many operations and requests it took."""

    folder: Path
    death: Death
    requests: int


@dataclass
class Bench:
    """What all cases of a process share."""

    folder: Path
    children: Children
    twins: dict[str, Twin] = field(default_factory=dict)

    def twin(self, name: str) -> Twin:
        """The undisturbed run `name`; it is made once."""
        if name not in self.twins:
            root = self.folder / "twins" / name.replace(" ", "-")
            with FaultyModel() as model:
                [death] = self.children.live(Life(name, str(root), model=model.url if RUNS[name].model else ""))
            if death.status != "complete":
                raise RuntimeError(f"The undisturbed {name} did not end well: {death}")
            self.twins[name] = Twin(root / run_ids(root)[-1], death, model.asked)
        return self.twins[name]


@cache
def bench() -> Bench:
    """The bench of this process; it goes with the process."""
    stack = ExitStack()
    atexit.register(stack.close)
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="labwright-faults-")))
    make_data(folder)
    return Bench(folder, stack.enter_context(Children(folder)))


@dataclass
class Story:
    """What a fault did to a run, life by life.

    Attributes:
        wrong: causes that do not name what is wrong.
        loops: lives that did not end, or did too much.
        told: what the run said when it stopped.
        damaged: the file that was damaged, and what it held.
        spoilt: what it held then; None if it was deleted.
        verified: what the verification of the ended run says about it.
        apart: it lies there as it was damaged, and the verification says that it does not cover it.
        unnoticed: it lies there as it was damaged, and nothing says so.
    """

    fault: Fault
    root: Path
    deaths: list[Death] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    loops: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    damaged: tuple[Path, bytes] | None = None
    spoilt: bytes | None = None
    verified: str = ""
    unnoticed: bool = False
    apart: bool = False
    hit: bool = False

    run_id: str = ""

    @property
    def ending(self) -> str:
        """How it came to its end."""
        if self.told:
            return "stopped, then equal"
        return "equal, verified" if self.verified else "equal, not covered" if self.apart else "equal"

    @property
    def folder(self) -> Path:
        """Of the run."""
        return self.root / self.run_id


def suffer(fault: Fault, root: Path, bench: Bench) -> Story:
    """Let the run of `fault` suffer it, put right what its messages say, and resume it until it ends."""
    twin, story = bench.twin(fault.run), Story(fault, root)
    at = 1 + int(fault.place * max(1, twin.requests))
    with FaultyModel(fault.failure, at, fault.times) as model:
        model_url = model.url if RUNS[fault.run].model else ""
        for lives in _first(fault, root, twin, model_url):
            _note(story, bench.children.live(*lives), twin)
        story.hit = model.asked >= at if fault.kind == "model" else _hit(story.deaths[0], fault, twin)
    story.run_id = next(iter(run_ids(root)), "")
    if fault.damage and story.run_id:
        story.hit = _damage(story)
    with FaultyModel() as healthy:
        model_url = healthy.url if RUNS[fault.run].model else ""
        rebuild = False
        while not _ended(story) or (story.damaged and len(story.deaths) < 2):
            if len(story.deaths) >= MOST_LIVES:
                story.loops.append(f"no end after {MOST_LIVES} lives")
                break
            life = Life(fault.run, str(root), rebuild=rebuild, run_id=story.run_id, model=model_url)
            [death] = _note(story, bench.children.live(life), twin)
            story.run_id = story.run_id or next(iter(run_ids(root)), "")
            rebuild = "--rebuild" in death.says
            if death.status not in ENDED:
                _put_right(story, death.says)
    return story


def _counted(fault: Fault, death: Death) -> int:
    """How many of the operations that `fault` counts a life took."""
    if fault.armed in ("fail settle", "kill before", "kill after"):
        return death.settles
    return death.events if fault.armed == "clock" else death.writes


def _hit(death: Death, fault: Fault, twin: Twin) -> bool:
    return death.code == DIED or _counted(fault, death) >= 1 + int(fault.place * _counted(fault, twin.death))


def _first(fault: Fault, root: Path, twin: Twin, model: str) -> Iterator[list[Life]]:
    """The lives that the fault is in; those of one list run at once."""
    at = 1 + int(fault.place * _counted(fault, twin.death))
    clock = fault.step if fault.armed != "clock" else 0.0
    life = Life(
        fault.run, str(root), fault.armed or "count", at, fault.error, fault.step, clock, model=model, timeout=1.0
    )
    yield [life]
    if fault.kind == "two workers" and (known := run_ids(root)):
        yield [Life(fault.run, str(root), run_id=known[-1])] * 2


def _note(story: Story, deaths: list[Death], twin: Twin) -> list[Death]:
    """Keep what became of lives, with what is wrong about it."""
    for death in deaths:
        story.deaths.append(death)
        if death.slow:
            story.loops.append(f"a life took {death.events} events and did not end")
        if death.events > 2 * twin.death.events + 20:
            story.loops.append(
                f"{death.events} events in one life, where all of an undisturbed run are {twin.death.events}"
            )
        if death.error or (death.status == "stopped" and death.says):
            story.told.append(f"{death.error or death.status}: {death.says}")
            why = _why_wrong(story, death)
            story.wrong += [why] if why else []
        elif death.code not in (0, DIED):
            story.wrong.append(f"a life ended with code {death.code} and no word")
    return deaths


def _why_wrong(story: Story, death: Death) -> str:
    """Why what was said does not name the fault; empty if it does."""
    said, fault = f"{death.error}: {death.says}", story.fault
    if death.error and not death.known:
        return f"an error of the program: {said}"
    if story.damaged:
        name = story.damaged[0].name
        return "" if name in death.says else f"{name} was {fault.damage}, but it said {said}"
    if fault.error and not any(words in death.says for words in WORDS_OF[fault.error]):
        return f"{os.strerror(fault.error)}, but it said {said}"
    if fault.kind in ("kill", "clock"):
        return f"nothing was wrong, but it said {said}"
    if fault.kind == "two workers" and death.error != "LeaseError":
        return f"another worker drove it, but it said {said}"
    return ""


def _damage(story: Story) -> bool:
    """Damage one file of the run; whether there was one."""
    fault = story.fault
    found = (path for path in story.folder.rglob("*") if path.is_file() and not path.is_symlink())
    files = sorted(path for path in found if path.suffix not in UNFINISHED)
    path = files[int(fault.file * len(files))]
    content = path.read_bytes()
    story.damaged = path, content
    place = int(fault.byte * len(content))
    if fault.damage == "deleted":
        path.unlink()
        story.spoilt = None
        return True
    flipped = content[:place] + bytes(byte ^ 0x10 for byte in content[place : place + 1]) + content[place + 1 :]
    kept = {"a flipped byte": flipped, "cut off": content[:place], "emptied": b""}[fault.damage]
    path.write_bytes(kept)
    story.spoilt = kept
    return kept != content


def _put_right(story: Story, said: str) -> None:
    """Do with the damaged file what the message says."""
    if story.damaged is None:
        return
    path, content = story.damaged
    if "Delete that line" in said or "Restore" in said or "restore" in said:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    elif "Delete" in said:
        path.unlink(missing_ok=True)


def _ended(story: Story) -> bool:
    return bool(story.run_id) and any(death.status in ENDED for death in story.deaths)


def run_case(fault: Fault, context: Context) -> Row:
    """One fault, suffered and judged."""
    shared = bench()
    root = context.folder / "runs"
    story = suffer(fault, root, shared)
    differing = _differences(story, shared)  # puts back a file that is gone and known to be
    doubled = repeated_actions(story.folder) if _ended(story) else []
    lost = [line for line in differing if line not in doubled]
    silent = ["the damage goes unnoticed"] if story.unnoticed else []
    faults = [*silent, *story.loops, *story.wrong, *doubled, *lost]
    if not context.kept or not faults:
        shutil.rmtree(root)
    row = {
        "run": fault.run,
        "kind": fault.kind,
        "how": fault.damage or fault.failure or fault.armed,
        "hit": story.hit,
        "lives": len(story.deaths),
        "died": sum(death.code == DIED for death in story.deaths),
        "ending": "wrong" if faults else story.ending,
        "file": str(story.damaged[0].relative_to(root.parent)).split("/", 2)[-1] if story.damaged else "",
        "told": story.told,
        "verified": story.verified,
        "unnoticed": story.unnoticed,
        "lost": lost,
        "doubled": doubled,
        "loops": story.loops,
        "wrong_cause": story.wrong,
        "faults": "; ".join(faults),
        "passed": not faults,
    }
    return {name: _placeless(value, story, shared) for name, value in row.items()}


def _placeless(value: Any, story: Story, shared: Bench) -> Any:
    """`value` without the names of this machine's folders and of the run."""
    if isinstance(value, list):
        return [_placeless(each, story, shared) for each in value]
    if not isinstance(value, str):
        return value
    for name, place in {"RUN": story.run_id, "RUNS": str(story.root), "BENCH": str(shared.folder)}.items():
        value = value.replace(place, name) if place else value
    return value[:MOST_TEXT]


def _differences(story: Story, shared: Bench) -> list[str]:
    if not _ended(story):
        return ["the run did not end"]
    many = run_ids(story.root)
    extra = [f"{len(many)} runs where one was begun"] if len(many) > 1 else []
    found = _compared(story, shared)
    if not story.damaged:
        return extra + found
    path, content = story.damaged
    story.verified = _verified(story, shared)
    still = (path.read_bytes() if path.is_file() else None) == story.spoilt and not (story.verified or story.told)
    still = still and not path.name.startswith(FILE)  # SQLite's log has nothing that the whole database lacks
    story.apart, story.unnoticed = still and story.apart, still and not story.apart
    if story.apart:
        found = [line for line in found if path.name not in line]
    if found and story.verified:  # the run went on without what was damaged, and its verification says what that is
        if not path.is_file() or path.read_bytes() == story.spoilt:
            path.write_bytes(content)
        found = [line for line in _compared(story, shared) if not line.startswith((*OF_LOG, path.name))]
    return extra + found


def _compared(story: Story, shared: Bench) -> list[str]:
    try:
        return differences(story.folder, shared.twin(story.fault.run).folder)
    except Exception as error:  # noqa: BLE001 - a run that cannot be compared is not equal
        return [f"it cannot be read: {type(error).__name__}: {error}"]


def _verified(story: Story, shared: Bench) -> str:
    """What ``labwright runs verify`` says about the file that was damaged; empty if nothing."""
    assert story.damaged is not None
    name = story.damaged[0].relative_to(story.folder).as_posix()
    with state_of(shared.folder):
        found = verify(story.folder)
        story.apart = name.split("/")[0] in found.apart
        said = [f"{one.where}: {one.kind}" for one in found.findings if one.where.split(":")[0] == name]
        if name.startswith(FILE) and (damage := checkpoint_damage(story.folder)):
            said.append(damage)
    return "; ".join(said)


@contextmanager
def state_of(bench: Path) -> Iterator[None]:
    """The state folder of the bench's runs, in this process."""
    before = os.environ.get("LABWRIGHT_STATE")
    os.environ["LABWRIGHT_STATE"] = str(bench / "state")
    try:
        yield
    finally:
        del os.environ["LABWRIGHT_STATE"]
        if before is not None:
            os.environ["LABWRIGHT_STATE"] = before


def summarise(rows: list[Row], _context: Context) -> dict[str, Any]:
    """Counts by kind of fault, and of what must not be."""
    kinds = list(dict.fromkeys(KINDS))
    of = {kind: [row for row in rows if row["kind"] == kind] for kind in kinds}
    table = [
        {
            "fault": kind,
            "drawn": len(those),
            **{name: sum(row["ending"] == name for row in those) for name in GOOD},
            **{name: sum(bool(row[name]) for row in those) for name in BAD},
        }
        for kind, those in of.items()
    ]
    total = {name: sum(line[name] for line in table) for name in table[0] if name != "fault"}
    return {"table": [*table, {"fault": "all", **total}], "by_run": _by_run(rows)}


def _by_run(rows: list[Row]) -> dict[str, dict[str, int]]:
    return {
        name: {"drawn": len(those), "passed": sum(row["passed"] for row in those)}
        for name in RUNS
        if (those := [row for row in rows if row["run"] == name])
    }


def cases(options: Options) -> list[Fault]:
    """``seeds`` of them, from ``first`` on."""
    return [drawn(number) for number in range(options["first"], options["first"] + options["seeds"])]


SUITE = Suite(
    name="faults",
    doc="Clock jumps, full disks, kills, damaged files, two workers, failing models: the smallest run of each system.",
    cases=cases,
    run=run_case,
    options={"seeds": 40, "first": 0},
    summarise=summarise,
    columns=("fault", "drawn", *GOOD, *BAD),
    required=1.0,
)
