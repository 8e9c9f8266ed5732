"""Files, commands and jobs of a workspace; what agents may not do there."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import labwright.results
from labwright.tools.errors import InputError
from labwright.tools.jobs.job_service import JobService
from labwright.tools.jobs.local import LocalRunner
from labwright.tools.jobs.records import JobLimits
from labwright.tools.sandbox import open_sandbox
from labwright.tools.workspace.files import MOST_BYTES, Files, relative
from labwright.tools.workspace.workspace import Workspace


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "workspace"
    for name, text in {
        "question.md": "# Q\n",
        "inputs/a.xyz": "1\n",
        "tools/x.py": "X = 1\n",
        "deep/er/b.txt": "one\ntwo\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "inputs" / "b.bin").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key").write_text("hush")
    (root / "leak").symlink_to(tmp_path / "secret")
    (root / "leaked").symlink_to(tmp_path / "secret" / "key")
    return root


def test_what_is_there_is_listed_read_and_searched(root: Path) -> None:
    files = Files(root)
    assert [one.path for one in files.files("deep")] == ["deep/er/b.txt"]
    assert files.read("deep/er/b.txt", 2).text == "two"
    assert [(hit.path, hit.line) for hit in files.grep("two")] == [("deep/er/b.txt", 2)]
    assert {one.path for one in files.files(pattern="*.py")} == {"tools/x.py"}
    assert [one.path for one in files.files(pattern="deep/**/*.txt")] == ["deep/er/b.txt"]
    assert files.files(pattern="deep/*.txt") == []


def test_a_file_is_written_whole(root: Path) -> None:
    files = Files(root)
    files.write("new/folder/c.txt", "aXbX")
    assert files.text("new/folder/c.txt") == "aXbX"
    with pytest.raises(InputError, match="may have"):
        files.write("large.txt", "x" * (MOST_BYTES + 1))
    files.remove("new/folder/c.txt")
    assert not files.exists("new/folder/c.txt")


@pytest.mark.parametrize(
    "path", ["../secret/key", "/etc/passwd", "deep/../../secret/key", "", ".", "a\0b", "deep\\..\\x"]
)
def test_no_path_leads_out(path: str, root: Path) -> None:
    files = Files(root)
    for act in (files.text, files.remove, lambda one: files.write(one, "x")):
        with pytest.raises(InputError):
            act(path)


@pytest.mark.parametrize("path", ["leak/key", "leaked"])
def test_no_link_is_followed(path: str, root: Path) -> None:
    files = Files(root)
    with pytest.raises(InputError):
        files.text(path)
    assert not files.exists(path)
    assert "hush" not in str(files.grep("hush"))
    assert all(not one.path.startswith("leak") for one in files.files())
    if path == "leak/key":
        with pytest.raises(InputError):
            files.write(path, "x")
    else:
        files.write(path, "mine")  # the link is replaced; what it pointed to is not touched
        assert files.text(path) == "mine"
    assert (root.parent / "secret" / "key").read_text() == "hush"


@given(st.text(st.sampled_from("ab./\\~"), max_size=12))
def test_every_path_that_is_accepted_stays_inside(text: str) -> None:
    try:
        inner = relative(text)
    except InputError:
        return
    assert Path("/w", inner).resolve().is_relative_to("/w")
    assert inner != "."


def test_the_task_is_locked_and_places_are_kept_to(root: Path) -> None:
    workspace = Workspace(root, writable=("out", "deep/er"))
    workspace.files.write("out/x.txt", "x")
    workspace.files.write("deep/er/b.txt", "x")
    for path in ("question.md", "inputs/a.xyz", "tools/x.py", "deep/c.txt", "outer.txt", "out"):
        with pytest.raises(InputError):
            workspace.files.write(path, "x")
    with pytest.raises(InputError, match="must not be written"):
        Workspace(root).files.write("inputs/a.xyz", "x")
    assert workspace.narrowed(["out/y", "tools"]).files.writable == ("out/y",)  # never more than before


def test_the_task_and_its_inputs_are_read(root: Path) -> None:
    workspace = Workspace(root)
    assert workspace.question == "# Q\n"
    assert workspace.inputs() == {"a.xyz": "1\n", "b.bin": None}


def test_edits_of_tools_are_seen_even_where_the_record_is_out_of_reach(root: Path) -> None:
    workspace = Workspace(root)
    workspace.mark_tools()
    assert not workspace.edited_tools()
    workspace.files.write("tools/x.py", "X = 2\n")
    workspace.files.write("tools/new/y.py", "Y = 1\n")
    edits = workspace.edited_tools()
    assert (edits.changed, edits.added, edits.removed) == (("x.py",), ("new/y.py",), ())
    assert not list(root.rglob("*.tools.json"))


WRITTEN = ["out/new.txt", "stray.txt", "deep/stray.txt", "tools/x.py", "tools/z.py", "question.md", "out/sub/a.txt"]
CODE = f"""
import pathlib
for path in map(pathlib.Path, {WRITTEN}):
    path.parent.mkdir(exist_ok=True)
    path.write_text("written")
pathlib.Path("out/link").symlink_to("/etc/passwd")
"""


def test_a_command_keeps_what_it_wrote_where_it_may(root: Path) -> None:
    workspace = Workspace(root, open_sandbox(), writable=("out",))
    (root / "out").mkdir()
    ran = workspace.run(["python", "-c", CODE])
    assert ran.completed.ending == "ok", ran.completed.stderr
    assert sorted(ran.changed) == ["out/new.txt", "out/sub/a.txt"]
    assert {"stray.txt", "deep/stray.txt", "tools/x.py", "tools/z.py", "question.md", "out/link"} <= set(ran.rejected)
    assert workspace.files.text("tools/x.py") == "X = 1\n"
    assert workspace.question == "# Q\n"
    assert not any(workspace.files.exists(path) for path in ("stray.txt", "deep/stray.txt", "tools/z.py"))


def test_without_a_sandbox_nothing_is_run(root: Path) -> None:
    with pytest.raises(InputError, match="no sandbox"):
        Workspace(root).run(["python", "-c", "1"])


@pytest.mark.slow
def test_jobs_run_on_the_workspace_within_its_limits_and_once_for_a_key(root: Path, tmp_path: Path) -> None:
    jobs = JobService(tmp_path / "jobs", LocalRunner(1))
    workspace = Workspace(root, open_sandbox(), jobs, job_limits=JobLimits(wall_seconds=30, threads=1))
    workspace.files.write("script_1.py", "import os; open('count.txt', 'a').write('x'); print('done')")
    for _ in range(2):  # as after a restart
        end = workspace.job(
            ["python", "script_1.py"], limits=JobLimits(wall_seconds=9999, threads=64), name="count", key="k"
        )
        assert (end.ok, end.said, end.state) == (True, "done", "completed")
    assert workspace.files.text("count.txt") == "x"
    (status,) = jobs.list()
    assert (jobs.spec(status.id).limits.threads, jobs.spec(status.id).limits.wall_seconds) == (1, 30)
    with pytest.raises(InputError, match="whole workspace"):
        workspace.narrowed(["out"]).submit(["python", "script_1.py"])


HUNT = """if True:
    import json, os, sys
    found, ours = [], REPOSITORY
    for place in ("/root", "/home", "/work", "/opt", "/srv", "/var", "/tmp", "/mnt", *sys.path, ours):
        for at, folders, names in os.walk(place):
            inside = at.startswith((sys.prefix, sys.base_prefix)) and "labwright" not in at.removeprefix(ours)
            for path in [] if inside else [os.path.join(at, name) for name in names]:
                try:
                    open(path, "rb").close()
                    found.append(path)
                except OSError:
                    pass
    ours_found = sorted({path for path in found if path.startswith(ours) or "labwright" in path})
    open("found.json", "w").write(json.dumps(ours_found))
"""


@pytest.mark.slow
@pytest.mark.parametrize("way", [pytest.param("command", marks=pytest.mark.slow), "job"])
def test_a_zero_shot_workspace_reads_nothing_of_ours_but_what_records_results(
    way: str, root: Path, tmp_path: Path
) -> None:
    """Without a toolset a run must not find the recipes, cards, prompts or graders anywhere on the machine."""
    repository = str(Path(labwright.results.__file__).resolve().parents[2])
    jobs = JobService(tmp_path / "jobs", LocalRunner(1))
    workspace = Workspace(root, open_sandbox(report=lambda _line: None), jobs)
    workspace.files.write("hunt.py", HUNT.replace("REPOSITORY", repr(repository)))
    if way == "command":
        ran = workspace.run(["python", "hunt.py"]).completed
        assert ran.ending == "ok", ran.stderr
    else:
        end = workspace.job(["python", "hunt.py"], limits=JobLimits(wall_seconds=300))
        assert end.ok, end.said
    found = {Path(one) for one in json.loads(workspace.files.text("found.json"))}
    left = {one for one in found if not ({"sandbox", "__pycache__"} & {*one.parts} or one.is_relative_to(sys.prefix))}
    assert found, "not even what records results"
    assert {one.name for one in left} <= {"__init__.py", "results.py", "errors.py"}, left
    assert not any({"forge", "prompts", "evaluation", "docs", "graphs", "agents"} & {*one.parts} for one in found)
