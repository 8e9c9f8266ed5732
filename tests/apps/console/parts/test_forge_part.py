"""What the forge's part makes of a log and a workspace."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from console_logs import HOSTILE, harmless, numbered, words

from labwright.apps.console.parts import workspace
from labwright.apps.console.parts.forge import WORKSPACE, Forge
from labwright.tools.runs import Run, create_run

ANALYSED = {
    "kind": "agent",
    "agent": "tool_forging.analyse",
    "output": {"new": [{"name": "evolve", "purpose": "Evolves a state.", "package": "qutip"}]},
}
BEGUN = {"kind": "tool_begun", "tool": "evolve"}
DRAFTED = {"kind": "drafted", "tool": "evolve", "source": "tool_smith/task_1/evolve.py"}
REFUSED_DRAFT = {
    "kind": "gated",
    "tool": "evolve",
    "passed": False,
    "findings": ["tests/red (line 3): It fails."],
    "tests": [],
}
PASSED = {"kind": "gated", "tool": "evolve", "passed": True, "findings": [], "tests": ["test_a", "test_b"]}
ADMITTED = {
    "kind": "admitted",
    "tool": "evolve",
    "mutants": {"killed": 9, "total": 10},
    "checks": {"form": 0.01, "tests": 0.5},
}


@pytest.fixture
def run(tmp_path: Path) -> Run:
    made = create_run(tmp_path, "tool_forging", "# A task", {}, 0)
    files = {
        "question.md": "# A task",
        "script_1.py": "print('</pre><script>alert(2)</script>')\n",
        "tool_smith/task_1/evolve.py": "def evolve(): ...\n",
        "tool_smith/task_1/test_evolve.py": "def test_a(): ...\n",
        ".secret": "no",
        "tools/__pycache__/x.pyc": "no",
        "img/a.png": "\0\1",
    }
    for path, text in files.items():
        made.save_text(f"{WORKSPACE}/{path}", text)
    return made


@pytest.fixture
def forge(run: Run) -> Forge:
    return Forge(run)


def row(forge: Forge) -> str:
    (only,) = words(forge.html("tools"), "//tbody/tr")
    return only


def test_a_tool_on_its_way_through_gate_and_review(forge: Forge) -> None:
    log: list[dict[str, Any]] = [ANALYSED, BEGUN, DRAFTED, REFUSED_DRAFT]
    forge.take(numbered(*log))
    assert "evolve Evolves a state. (qutip)" in row(forge)
    assert "1 draft seen ✘ tests/red (line 3): It fails." in row(forge)
    assert "▶ at work" in row(forge)
    log += [PASSED, {"kind": "reviewed", "tool": "evolve", "approved": False, "bugs": ["sign is wrong"]}]
    forge.take(numbered(*log))
    assert "2 drafts seen" in row(forge)
    assert "It fails." not in row(forge)
    assert "✘ not approved sign is wrong" in row(forge)
    log += [{"kind": "reviewed", "tool": "evolve", "approved": True, "bugs": []}, ADMITTED]
    forge.take(numbered(*log))
    for said in ("✔ admitted", "passed form 0.01 s, tests 0.50 s", "2 ran green", "noticed 9 of 10", "✔ approved"):
        assert said in row(forge)


def test_a_run_that_ended_in_mid_tool_does_not_seem_at_work(forge: Forge) -> None:
    forge.take(numbered(BEGUN, {"kind": "run_finished", "status": "stopped"}))
    assert "■ not finished" in row(forge)
    assert "aria-current" not in forge.html("tools") + forge.html("steps")


def test_a_window_that_chose_nothing_follows_the_work(forge: Forge) -> None:
    forge.take(numbered(ANALYSED))
    forge.look()
    assert forge.newest == "question.md"
    forge.take(numbered(BEGUN, DRAFTED, after=1))
    forge.look()
    assert forge.newest == "tool_smith/task_1/evolve.py"


def test_the_tree_holds_the_workspace_and_nothing_hidden(run: Run) -> None:
    files = workspace.listing(run.folder / WORKSPACE).files
    assert files == (
        "question.md", "script_1.py", "img/a.png", "tool_smith/task_1/evolve.py", "tool_smith/task_1/test_evolve.py",
    )  # fmt: skip
    nodes = workspace.tree(files)
    assert [node["label"] for node in nodes] == ["question.md", "script_1.py", "img/", "tool_smith/"]
    assert [leaf["id"] for leaf in nodes[3]["children"][0]["children"]] == list(files[3:])


def test_a_workspace_without_end_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace, "MOST_FILES", 3)
    for number in range(5):
        (tmp_path / f"{number}.txt").write_text("")
    assert workspace.listing(tmp_path) == workspace.Listing(("0.txt", "1.txt", "2.txt"), True)


@pytest.mark.parametrize("path", ["../run.json", "/etc/hostname", "link.txt", "linked/run.json", "pipe", "nowhere"])
def test_nothing_outside_is_shown(run: Run, path: str) -> None:
    folder = run.folder / WORKSPACE
    (folder / "link.txt").symlink_to(run.folder / "run.json")
    (folder / "linked").symlink_to(run.folder)
    os.mkfifo(folder / "pipe")
    assert "<pre" not in workspace.shown(folder, path)


def test_code_is_highlighted_and_escaped(run: Run) -> None:
    folder = run.folder / WORKSPACE
    assert 'class="k">def' in workspace.shown(folder, "tool_smith/task_1/evolve.py")
    assert harmless(workspace.shown(folder, "script_1.py"))
    assert "This is no text" in workspace.shown(folder, "img/a.png")


def test_a_long_file_is_cut_and_says_so(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace, "MOST_BYTES", 2000)
    run.save_text(f"{WORKSPACE}/long.txt", "x" * 5000)
    shown = workspace.shown(run.folder / WORKSPACE, "long.txt")
    assert "Only the first 2 kB" in shown
    assert shown.count("x") < 2100


def test_nothing_said_becomes_markup(run: Run) -> None:
    forge = Forge(run)
    name = {"tool": HOSTILE}
    forge.take(
        numbered(
            {"agent": "a.analyse", "output": {"new": [{"name": HOSTILE, "purpose": HOSTILE, "package": HOSTILE}]}},
            {"kind": "analysing", "iteration": HOSTILE},
            BEGUN | name,
            REFUSED_DRAFT | name | {"findings": [HOSTILE]},
            {"kind": "reviewed", **name, "approved": False, "bugs": [HOSTILE]},
            {"kind": "tool_refused", **name, "findings": [HOSTILE]},
        )
    )
    forge.result = {"criteria": [{"passed": True, "message": HOSTILE}], "sandbox_level": HOSTILE}
    drawn = [forge.html(section) for section in forge.SECTIONS]
    assert all(harmless(text) for text in drawn)
    assert all("onerror=alert(1)" in text for text in drawn[1:])
    run.save_text(f"{WORKSPACE}/<b onclick=x>.md", HOSTILE)
    assert harmless(workspace.shown(run.folder / WORKSPACE, "<b onclick=x>.md"))
