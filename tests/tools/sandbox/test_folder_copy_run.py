"""Work on a folder: what goes in, what comes back, and what never does."""

from __future__ import annotations

import logging
import os
import socket
from pathlib import Path
from typing import Any

import pytest
from tiers import sampled

from labwright.tools.errors import InputError, SandboxError
from labwright.tools.sandbox import FolderRun, Limits, confined, run_in_folder
from labwright.tools.sandbox.confined import ConfinedSandbox
from labwright.tools.sandbox.safe_folder_walk import folder_size, remove


def run(sandbox: ConfinedSandbox, folder: Path, code: str, **options: Any) -> FolderRun:
    (folder / "script.py").write_text(code)
    return run_in_folder(sandbox, ["python", "-S", "script.py"], folder, **options)


def test_a_script_finds_its_neighbours_and_its_files_come_back(sandbox: ConfinedSandbox, tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "img").mkdir()
    (tmp_path / "tools/double.py").write_text("def double(x): return 2 * x\n")
    (tmp_path / "number.txt").write_text("21")
    (tmp_path / "same.txt").write_text("same")
    code = """
import os
from tools.double import double
answer = double(int(open("number.txt").read()))
open("number.txt", "w").write(str(answer)); open("img/new.txt", "w").write("new"); open("same.txt", "w").write("same")
os.makedirs("deep/er"); open("deep/er/x", "w").write("x"); os.unlink("script.py")
"""
    done = run(sandbox, tmp_path, code)
    assert done.completed.ending == "ok", done.completed.stderr
    assert (sorted(done.changed), done.rejected) == (["deep/er/x", "img/new.txt", "number.txt"], [])
    assert (tmp_path / "number.txt").read_text() == "42"
    assert (tmp_path / "deep/er/x").read_text() == "x"
    assert (tmp_path / "script.py").exists()  # a deletion is not carried out
    assert done.completed.level == sandbox.level
    assert not list(tmp_path.glob(".*"))


@pytest.mark.slow  # for jobs, which run by it: tests/tools/jobs/test_local.py
def test_files_come_back_after_a_timeout_and_output_is_heard_meanwhile(
    sandbox: ConfinedSandbox, tmp_path: Path
) -> None:
    heard: list[bytes] = []
    code = "import time\nprint('begun'); open('part', 'w').write('1'); time.sleep(60)"
    done = run(sandbox, tmp_path, code, limits=Limits(wall_seconds=2), on_output=heard.append)
    assert done.completed.ending == "timeout"
    assert done.changed == ["part"]
    assert (b"".join(heard), done.completed.stdout) == (b"begun\n", b"begun\n")


def test_the_streams_can_be_heard_apart_and_the_run_cancelled(sandbox: ConfinedSandbox, tmp_path: Path) -> None:
    said: list[bytes] = []
    wrong: list[bytes] = []
    code = "import sys, time\nopen('x', 'w'); print('out'); print('err', file=sys.stderr); time.sleep(60)"
    done = run(
        sandbox,
        tmp_path,
        code,
        on_output=said.append,
        on_error=wrong.append,
        cancelled=lambda: b"".join(said + wrong).count(b"\n") == 2,
    )
    assert (done.completed.ending, done.changed) == ("cancelled", ["x"])
    assert (b"".join(said), b"".join(wrong)) == (b"out\n", b"err\n")


def test_kept_names_do_not_change(sandbox: ConfinedSandbox, tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    for name in ("tools/a.py", "tools/gone.py", "question.md"):
        (tmp_path / name).write_text("as it was")
    code = """
import os
open("tools/a.py", "w").write("worse"); open("tools/new.py", "w"); os.unlink("tools/gone.py")
open("question.md", "a").write("!"); open("tools2", "w").write("fine"); os.rename("tools", "moved"); os.mkdir("tools")
open("tools/a.py", "w").write("worst")
"""
    done = run(sandbox, tmp_path, code, keep=["tools", "question.md"])
    assert sorted(done.rejected) == ["question.md", "tools/a.py", "tools/gone.py"]
    assert sorted(done.changed) == ["moved/a.py", "moved/new.py", "tools2"]
    assert sorted(path.name for path in (tmp_path / "tools").iterdir()) == ["a.py", "gone.py"]
    assert {(tmp_path / name).read_text() for name in ("tools/a.py", "tools/gone.py", "question.md")} == {"as it was"}


def test_a_kept_folder_replaced_by_a_link_or_a_file_is_told(sandbox: ConfinedSandbox, tmp_path: Path) -> None:
    for name in ("tools", "inputs"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a").write_text("as it was")
    code = "import os, shutil\nfor n in ('tools', 'inputs'): shutil.rmtree(n)\n"
    code += "os.symlink('/etc', 'tools'); open('inputs', 'w')"
    done = run(sandbox, tmp_path, code, keep=["tools", "inputs/a"])
    assert done.changed == []
    assert {"tools", "tools/a", "inputs", "inputs/a"} <= set(done.rejected)
    assert (tmp_path / "tools/a").read_text() == "as it was"


def test_writes_do_not_leave_through_links_outside(
    sandbox: ConfinedSandbox, bait: dict[str, Any], tmp_path: Path
) -> None:
    """Whatever lies in the folder before the run: the report, a figure folder, or a part of its path may be a link."""
    outside, secret = tmp_path / "outside", Path(bait["secret"])
    work = tmp_path / "work"
    for folder in (outside, work, work / "sub"):
        folder.mkdir()
    (outside / "there").write_text("as it was")
    links = {"report.md": secret, "new.md": outside / "new.md", "img": outside, "sub/img": outside, "loop": "loop"}
    links |= {"relative.md": "../outside/there", "up": ".."}
    for name, target in links.items():
        (work / name).symlink_to(target)
    (work / "second-name").hardlink_to(outside / "there")
    code = """
import os
for name in ("report.md", "new.md", "img/x", "sub/img/there", "loop", "relative.md", "up/escaped", "second-name"):
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    open(name, "w").write("through")
"""
    done = run(sandbox, work, code)
    assert done.completed.ending == "ok", done.completed.stderr
    assert done.changed == ["second-name"]
    expected = {"report.md", "new.md", "img/x", "sub/img/there", "loop", "relative.md", "up/escaped"}
    assert set(done.rejected) == expected
    assert secret.read_text() == bait["word"]
    assert [(path.name, path.read_text()) for path in outside.iterdir()] == [("there", "as it was")]
    assert not (tmp_path / "escaped").exists()
    assert (work / "second-name").read_text() == "through"


STRANGE = {
    "a link": "os.symlink(given, 'x')",
    "a link to a folder": "os.symlink('/etc', 'x')",
    "a hanging link": "os.symlink('nowhere', 'x')",
    "a second name": "open('y', 'w'); os.link('y', 'x')",
    "a pipe": "os.mkfifo('x')",
    "a name of two lines": "open('x\\ny', 'w')",
    "a name that moves the cursor": "open('x\\x1b[2J', 'w')",
    "a name that runs backwards": "open('x\\u202e', 'w')",
    "a name of no alphabet": "open(b'x\\xff', 'w')",
}


@pytest.mark.parametrize("kind", sampled(STRANGE, 3))
def test_strange_things_are_told_and_stay(
    kind: str, sandbox: ConfinedSandbox, bait: dict[str, Any], tmp_path: Path
) -> None:
    code = f"import os\ngiven = {bait['secret']!r}\n{STRANGE[kind]}\nopen('good', 'w')"
    done = run(sandbox, tmp_path, code)
    if kind == "a pipe" and sandbox.level == "landlock":
        assert done.completed.ending == "failed"  # refused when it is made
        return
    assert sorted(path.name for path in tmp_path.iterdir()) == ["good", "script.py"]
    assert done.changed == ["good"]
    assert any(name.startswith("x") for name in done.rejected)
    assert all(name.isprintable() for name in done.rejected)


@pytest.mark.slow
def test_sparse_files_do_not_grow_on_the_way_back(sandbox: ConfinedSandbox, tmp_path: Path) -> None:
    code = "for n in range(40):\n  f = open(f's{n:02}', 'wb'); f.truncate(1 << 20); f.close()"
    done = run(sandbox, tmp_path, code, limits=Limits(file_mb=1))
    assert (len(done.changed), len(done.rejected)) == (4, 36)


def test_no_special_mode_comes_back(sandbox: ConfinedSandbox, tmp_path: Path) -> None:
    done = run(sandbox, tmp_path, "import os\nopen('x', 'w').write('#')\nos.chmod('x', 0o6777)")
    if sandbox.level == "landlock":
        assert done.completed.ending == "failed"
    assert not (tmp_path / "x").stat().st_mode & 0o7133


def test_what_is_in_the_way_outside_stays(sandbox: ConfinedSandbox, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("1")
    code = (
        "import os\nos.rmdir('folder'); open('folder', 'w'); os.unlink('file'); os.mkdir('file'); open('file/x', 'w')"
    )
    done = run(sandbox, tmp_path, code)
    assert (done.changed, sorted(done.rejected)) == ([], ["file/x", "folder"])


def test_links_pipes_and_sockets_of_the_folder_do_not_go_in(sandbox: ConfinedSandbox, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as plug:
        plug.bind(str(tmp_path / "plug"))
        done = run(sandbox, tmp_path, "import os\nprint(sorted(os.listdir('.')))")
    assert done.completed.stdout == b"['.scratch', 'script.py']\n"


def test_a_folder_that_is_none_or_too_large_is_refused(
    sandbox: ConfinedSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match="does not exist"):
        run_in_folder(sandbox, ["python"], tmp_path / "none")
    with pytest.raises(InputError, match="leads out"):
        run_in_folder(sandbox, ["python"], tmp_path, keep=["../x"])
    monkeypatch.setattr("labwright.tools.sandbox.folder_copy_run.LARGEST_MB", 1)
    (tmp_path / "big").write_bytes(bytes(2 << 20))
    with pytest.raises(InputError, match="too large"):
        run_in_folder(sandbox, ["python"], tmp_path)


def test_walls_that_cannot_be_put_up_run_nothing(tmp_path: Path) -> None:
    (tmp_path / "s.py").write_text("open('ran', 'w')")
    missing = ConfinedSandbox("bubblewrap", bubblewrap="/no/such/program")
    with pytest.raises(SandboxError):
        run_in_folder(missing, ["python", "s.py"], tmp_path)
    assert not (tmp_path / "ran").exists()


def test_a_proc_that_does_not_hold_is_not_shown(
    sandbox: ConfinedSandbox, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    if sandbox.level == "landlock":
        assert sandbox.with_proc() is sandbox
        return
    fresh = ConfinedSandbox(sandbox.level, bubblewrap=sandbox._bubblewrap, userns=sandbox._userns)
    monkeypatch.setattr(confined, "escapes", lambda asked: ["change the kernel"])
    with caplog.at_level(logging.WARNING):
        assert fresh.with_proc() is fresh
    assert "change the kernel" in caplog.text
    assert (
        b"no\n" in run(fresh, tmp_path, "import os\nprint(os.path.exists('/proc') and 'yes' or 'no')").completed.stdout
    )


@pytest.mark.slow
def test_a_folder_deeper_than_any_path_is_measured_and_removed(tmp_path: Path) -> None:
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("d" * 40, dir_fd=here)
        below = os.open("d" * 40, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    assert folder_size(str(tmp_path)) > 1 << 40
    remove(str(tmp_path))
    assert not tmp_path.exists()


def test_threads_are_as_many_as_asked_for(sandbox: ConfinedSandbox, tmp_path: Path) -> None:
    code = "import os\nprint(os.environ['OMP_NUM_THREADS'])"
    assert run(sandbox, tmp_path, code).completed.stdout == b"1\n"
    assert run(sandbox, tmp_path, code, limits=Limits(threads=3)).completed.stdout == b"3\n"
