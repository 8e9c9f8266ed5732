"""What was changed, cut, moved, added or taken away in a run is named by file and line."""

from __future__ import annotations

import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from labwright.agents.settings import Settings
from labwright.tools.errors import CorruptRecordError, ForeignRunError
from labwright.tools.runs.hash_chain import Chain
from labwright.tools.runs.run import Run, create_run, load_run, part_of, runs_root
from labwright.tools.runs.seals import KEY
from labwright.tools.runs.spending import keep_usage, usage_of
from labwright.tools.runs.verifying import verify


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("LABWRIGHT_STATE", str(tmp_path / "state"))
    made = create_run(tmp_path / "runs", "lab_calibration", "Measure T1 of Q1", {}, 0)
    for number in range(1, 7):
        made.events.append({"kind": "stage", "stage": number})
    made.save_arrays("01_t1", {"x": [1.0, 2.0]})
    made.save_text("report.md", "first")
    made.save_text("report.md", "second", "report")
    made.action("k").perform(lambda: 1, lambda value: {"value": value}, ask=lambda: "absent")
    part = part_of(made, "Q1", "part", {})
    part.events.append({"kind": "stage"})
    made.events.append({"kind": "run_finished", "status": "complete"})
    return made


def found(run: Run) -> list[tuple[str, str]]:
    return [(one.kind, one.where) for one in verify(run.folder).findings]


def lines(run: Run, change: Callable[[list[bytes]], list[bytes]], log: str = "events.jsonl") -> None:
    path = run.folder / log
    path.write_bytes(b"".join(change(path.read_bytes().splitlines(keepends=True))))


def test_a_run_as_it_was_written_is_whole(run: Run) -> None:
    result = verify(run.folder)
    assert result.whole, result.findings
    assert (result.events, result.files) == (8, 6)


def spent(run: Run) -> Path:
    for calls in (1, 2):
        keep_usage(run.folder, {"wall": float(calls), "total": {"calls": calls}, "agents": {}})
    return run.folder / "usage.json"


USAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "fewer calls": (lambda path: path.write_text(path.read_text().replace('"calls": 2', '"calls": 0')), "changed"),
    "emptied": (lambda path: path.write_bytes(b""), "changed"),
    "without a seal": (lambda path: path.write_text('{"wall": 0.0}'), "changed"),
    "deleted": (lambda path: path.unlink(), "missing"),
}


@pytest.mark.parametrize("case", USAGE)
def test_a_changed_count_of_what_was_spent_gives_nothing_back(case: str, run: Run) -> None:
    change, kind = USAGE[case]
    assert usage_of(run.folder) == {}
    path = spent(run)
    assert verify(run.folder).whole
    change(path)
    assert found(run) == [(kind, "usage.json")]
    assert usage_of(run.folder)["total"] == {"calls": 2}


def test_an_older_count_of_what_was_spent_gives_nothing_back(run: Run) -> None:
    keep_usage(run.folder, {"wall": 0.5, "total": {"calls": 0}})
    old = (run.folder / "usage.json").read_bytes()
    spent(run).write_bytes(old)
    assert found(run) == [("changed", "usage.json")]
    assert usage_of(run.folder)["total"] == {"calls": 2}


def test_a_count_that_somebody_else_wrote_is_not_taken(run: Run) -> None:
    (run.folder / "usage.json").write_text('{"wall": 0.0, "total": {"calls": 0}, "agents": {}}')
    with pytest.raises(CorruptRecordError, match=r"usage\.json is not what this run has written.* --adopt"):
        usage_of(run.folder)
    run.chain.begin_anew()
    assert usage_of(run.folder)["wall"] == 0.0
    assert verify(run.folder).whole


DAMAGE: dict[str, tuple[Callable[[Run], object], list[tuple[str, str]]]] = {
    "a changed word": (
        lambda run: lines(run, lambda old: [*old[:3], old[3].replace(b"stage", b"Stage", 1), *old[4:]]),
        [("changed", "events.jsonl:4")],
    ),
    "a line that does not read": (
        lambda run: lines(run, lambda old: [*old[:3], b"\xff\xfe\n", *old[4:]]),
        [("changed", "events.jsonl:4")],
    ),
    "a line without a seal": (
        lambda run: lines(run, lambda old: [*old[:3], b'{"seq": 4, "kind": "answer", "time": ""}\n', *old[3:]]),
        [("changed", "events.jsonl:4")],
    ),
    "two lines gone": (
        lambda run: lines(run, lambda old: [*old[:2], *old[4:]]),
        [("missing", "events.jsonl:3")],
    ),
    "the first line gone": (lambda run: lines(run, lambda old: old[1:]), [("missing", "events.jsonl:1")]),
    "two lines swapped": (
        lambda run: lines(run, lambda old: [*old[:2], old[3], old[2], *old[4:]]),
        [("moved", "events.jsonl:4")],
    ),
    "a line twice": (lambda run: lines(run, lambda old: [*old[:3], old[2], *old[3:]]), [("moved", "events.jsonl:4")]),
    "the end cut off": (lambda run: lines(run, lambda old: old[:-2]), [("cut", "events.jsonl:6")]),
    "all lines gone": (lambda run: (run.folder / "events.jsonl").unlink(), [("cut", "events.jsonl:1")]),
    "a data file gone": (lambda run: (run.folder / "data/01_t1.npz").unlink(), [("missing", "data/01_t1.npz")]),
    "a data file changed": (
        lambda run: (run.folder / "data/01_t1.npz").write_bytes(b"PK"),
        [("changed", "data/01_t1.npz")],
    ),
    "an older version": (lambda run: (run.folder / "report.md").write_text("first"), [("changed", "report.md")]),
    "a file too many": (lambda run: (run.folder / "data/02.npz").write_bytes(b"PK"), [("added", "data/02.npz")]),
    "a part's log": (
        lambda run: lines(run, lambda old: [old[0].replace(b"stage", b"Stage")], "parts/Q1/events.jsonl"),
        [("changed", "parts/Q1/events.jsonl:1")],
    ),
    "a result": (
        lambda run: (run.folder / "actions/k/done.json").write_text('{"value": 2}'),
        [("changed", "actions/k/done.json")],
    ),
    "the record of a file": (
        lambda run: lines(run, lambda old: [old[0], *old[2:]], "files.jsonl"),
        [("missing", "files.jsonl:2"), ("added", "data/01_t1.npz")],
    ),
    "the end of the record of files": (
        lambda run: lines(run, lambda old: old[:-1], "files.jsonl"),
        [("cut", "files.jsonl:6"), ("added", "actions/k/done.json")],
    ),
}


@pytest.mark.parametrize("case", DAMAGE)
def test_damage_is_named_by_file_and_line(case: str, run: Run) -> None:
    damage, expected = DAMAGE[case]
    damage(run)
    assert found(run) == expected
    assert not verify(run.folder).whole


def test_a_cut_end_stays_known_when_the_log_goes_on(run: Run) -> None:
    lines(run, lambda old: old[:-2])
    run.events.append({"kind": "resumed"})
    assert found(run) == [("cut", "events.jsonl:6")]


def test_lines_written_in_place_of_others_are_noticed(run: Run) -> None:
    """The log is cut, goes on elsewhere with as many lines, and what was cut is put behind it again."""
    whole = (run.folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    lines(run, lambda old: old[:-2])
    run.events.append({"kind": "other"})
    lines(run, lambda old: [*old, whole[-1]])
    assert ("changed", "events.jsonl:7") in found(run)


def test_a_run_of_another_lab_is_not_ours(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABWRIGHT_STATE", str(run.folder.parent.parent / "elsewhere"))
    result = verify(run.folder)
    assert not result.ours
    assert result.events == result.files == 0
    with pytest.raises(ForeignRunError, match="--adopt"):
        run.chain.demand_ours()


def test_a_copy_under_another_name_is_not_ours(run: Run) -> None:
    copy = run.folder.with_name("copy")
    shutil.copytree(run.folder, copy)
    assert not verify(copy).ours


def test_runs_are_ones_own_from_every_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LABWRIGHT_STATE", raising=False)
    monkeypatch.setenv("LABWRIGHT_RUNS", str(tmp_path / "data" / "runs"))
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "here")
    made = create_run(runs_root(), "lab_calibration", "Measure T1 of Q1", {}, 0)
    monkeypatch.chdir(tmp_path / "there")
    assert made.chain.ours
    assert Settings().state == tmp_path / "data" / ".labwright"
    assert (Settings().state / KEY).exists()
    assert Settings().people.parent == Settings().state
    monkeypatch.delenv("LABWRIGHT_RUNS")
    assert Settings().state == tmp_path / "there" / ".labwright"


def test_changed_choices_make_a_run_foreign(run: Run) -> None:
    path = run.folder / "run.json"
    path.write_text(path.read_text().replace("Measure", "measure"))
    with pytest.raises(ForeignRunError, match=r"run\.json was changed"):
        load_run(run.folder).chain.demand_ours()


def test_what_is_adopted_is_whole_again_and_keeps_the_old_logs(run: Run) -> None:
    (run.folder / "data/01_t1.npz").write_bytes(b"PK")
    lines(run, lambda old: old[:-2])
    run.chain.begin_anew()
    assert verify(run.folder).whole
    assert (run.folder / "events.jsonl.aside1").exists()


def test_a_planted_result_is_not_taken(run: Run) -> None:
    planted = run.action("planted")
    planted.claim()
    (planted.folder / "done.json").write_text('{"value": 3}')
    with pytest.raises(CorruptRecordError, match="not what this run has written"):
        planted.perform(lambda: 1, lambda value: {"value": value}, ask=lambda: "absent")


def killed_while_writing(run: Run, name: str, content: str) -> None:
    """A process dies when the file is recorded and does not have its name yet."""
    code = (
        "import os, sys; from pathlib import Path; from labwright.tools.runs.run import load_run\n"
        "Path.replace = lambda *_: os._exit(9)\n"
        "load_run(Path(sys.argv[1])).save_text(*sys.argv[2:])"
    )
    done = subprocess.run([sys.executable, "-c", code, str(run.folder), name, content], check=False)
    assert done.returncode == 9


@pytest.mark.parametrize("name", ["data/03.txt", "report.md"])
def test_what_a_kill_interrupted_is_no_damage_and_is_finished_by_the_next_process(name: str, run: Run) -> None:
    killed_while_writing(run, name, "third")
    assert found(run) == [("unfinished", name)]
    run.chain.settle()
    assert found(run) == []
    assert (run.folder / name).read_text() == "third"


def test_a_temporary_file_of_another_process_that_is_gone_meanwhile_is_left_alone(run: Run) -> None:
    status = run.folder / "jobs" / "1" / "status.json"
    status.parent.mkdir(parents=True)
    status.write_text("{}")
    status.with_name(".status.json.77.0a1b2c3d.tmp").symlink_to("renamed")  # is listed, and is no file when looked at
    run.chain.settle()
    assert status.read_text() == "{}"
    assert found(run) == []


def test_a_file_that_was_written_last_and_is_gone_is_missing_and_stays_so(run: Run) -> None:
    lines(run, lambda old: old[:-1])
    run.events.append({"kind": "stage", "stage": 9})  # the run has not ended
    run.save_text("proposal.json", "{}")
    (run.folder / "proposal.json").unlink()
    assert ("missing", "proposal.json") in found(run)
    run.chain.settle()
    assert ("missing", "proposal.json") in found(run)


RECORDS: dict[str, tuple[Callable[[list[bytes]], list[bytes]], str]] = {
    "a flipped byte": (lambda old: [*old[:3], old[3].replace(b"report", b"repOrt"), *old[4:]], "line 4 of"),
    "cut off": (lambda old: old[:3], "the end of"),
}


@pytest.mark.parametrize("case", RECORDS)
def test_a_damaged_record_of_files_is_named_and_not_the_file_that_it_hides(case: str, run: Run) -> None:
    damage, where = RECORDS[case]
    lines(run, damage, "files.jsonl")
    with pytest.raises(CorruptRecordError, match=rf"{where} .*files\.jsonl was .*Restore files\.jsonl .*--adopt"):
        run.chain.demand("report.md", "Approve it again.")


@pytest.mark.parametrize("content", ["", '{"val', '{"value": 2}'])
def test_a_damaged_result_can_be_deleted_and_is_asked_for_again(content: str, run: Run) -> None:
    action, done = run.action("k"), []
    (action.folder / "done.json").write_text(content)

    def perform() -> dict[str, int]:
        return action.perform(lambda: done.append("asked") or 1, lambda value: {"value": value}, ask=lambda: "done")

    with pytest.raises(
        CorruptRecordError, match=r"done\.json is not what this run has written\. Delete it if it is there"
    ):
        perform()
    (action.folder / "done.json").unlink()
    assert perform() == {"value": 1}
    assert done == ["asked"]
    assert verify(run.folder).whole


def test_only_the_owner_can_read(run: Run) -> None:
    state = Path(run.folder.parent.parent / "state")
    for folder in (run.folder, state):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    kept = [state / KEY, *(path for path in run.folder.rglob("*") if path.is_file() and "parts" not in path.parts)]
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept} == {0o600}


def test_a_file_among_many_is_found(run: Run) -> None:
    for number in range(300):
        run.chain._log.append({"file": f"data/{number}.npz", "sha256": "0" * 64})
    assert run.chain.newest("data/7.npz") == "0" * 64
    assert run.chain.newest("actions/k/done.json") == Chain(run.folder).written()["actions/k/done.json"][-1]
