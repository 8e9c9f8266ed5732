"""A toolset keeps what passed the gate, offers nothing that was changed since, and stays whole whatever happens."""

from __future__ import annotations

import json
import multiprocessing
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from toolsets import admit_half, passed, scaling

from labwright.tools.errors import InputError
from labwright.tools.forge.toolset import file_transaction
from labwright.tools.forge.toolset.toolset import Toolset

A, B = scaling("mean_decay"), scaling("total_energy")


@pytest.fixture
def toolset(tmp_path: Path) -> Toolset:
    made = Toolset(tmp_path / "toolset")
    for one in (A, B):
        made.admit(one, passed(one), "rules")
    return made


def _rest(toolset: Toolset) -> list[str]:
    return [str(path.relative_to(toolset.folder)) for path in sorted(toolset.folder.rglob("*")) if path.is_file()]


def test_what_is_admitted_can_be_found(toolset: Toolset) -> None:
    assert toolset.names() == ["mean_decay", "total_energy"]
    assert toolset.find("mean_decay").module == "tools.mean_decay"
    assert toolset.find("mean_decay").source == A.source
    assert toolset.broken() == []
    assert "- mean_decay: Mean decay of a value." in toolset.listing()
    assert (toolset.folder / "INDEX.md").read_text() == toolset.listing()
    said = toolset.describe("mean_decay")
    assert "from tools.mean_decay import mean_decay, MeanDecayInput" in said
    assert "- factor: float: A factor." in said
    assert "return" not in said  # no body
    with pytest.raises(InputError, match="no tool 'nothing'"):
        toolset.find("nothing")


def test_a_workspace_gets_the_versions_that_tools_were_admitted_with(toolset: Toolset) -> None:
    toolset.admit(A, replace(passed(A), versions={"numpy": "2.4.6"}), "rules")
    assert json.loads(toolset.files()["versions.json"]) == {"mean_decay": {"numpy": "2.4.6"}, "total_energy": {}}


def test_an_empty_toolset_is_no_error(tmp_path: Path) -> None:
    empty = Toolset(tmp_path / "none")
    assert (empty.names(), empty.broken()) == ([], [])
    assert "Nothing yet" in empty.listing()
    assert not (tmp_path / "none").exists()


def test_only_a_fitting_report_lets_in(toolset: Toolset) -> None:
    one = scaling("final_gap")
    with pytest.raises(InputError, match="not about this draft"):
        toolset.admit(one, passed(A), "rules")
    edited = replace(one, source=one.source + "\n# more\n")
    with pytest.raises(InputError, match="not about this draft"):
        toolset.admit(edited, passed(one), "rules")
    with pytest.raises(InputError, match="did not let"):
        toolset.admit(one, replace(passed(one), passed=False), "rules")
    assert not toolset.has("final_gap")


def test_a_second_version_keeps_the_first(toolset: Toolset) -> None:
    better = replace(A, source=A.source.replace("Multiplication", "Product") + "\n")
    toolset.admit(better, passed(better), "model")
    assert toolset.find("mean_decay").record.version == 2
    assert toolset.find("mean_decay").record.made_by == "model"
    versions = sorted((toolset.folder / ".forge" / "mean_decay" / "versions").iterdir())
    assert [path.name for path in versions] == ["0001.json", "0002.json"]


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda root: (root / "mean_decay.py").write_text(A.source + "\nx = 1\n"), "changed after"),
        (lambda root: (root / "mean_decay.py").write_text("def broken(:"), "does not parse"),
        (lambda root: (root / ".forge/mean_decay/record.json").unlink(), "no record"),
        (lambda root: (root / ".forge/mean_decay/record.json").write_text("{"), "record cannot be read"),
        (lambda root: (root / ".forge/mean_decay/test_mean_decay.py").write_text("pass"), "tests were changed"),
        (lambda root: (root / ".forge/mean_decay/test_mean_decay.py").unlink(), "no tests"),
        (lambda root: (root / "mean_decay.py").unlink(), "file is missing"),
        (lambda root: ((root / "mean_decay.py").unlink(), (root / "mean_decay.py").symlink_to("/etc/hosts")), "a link"),
    ],
)
def test_a_broken_tool_is_isolated(toolset: Toolset, spoil, reason: str) -> None:  # type: ignore[no-untyped-def]
    spoil(toolset.folder)
    assert toolset.names() == ["total_energy"]
    assert [one.name for one in toolset.broken()] == ["mean_decay"]
    assert reason in toolset.broken()[0].reason
    assert "mean_decay" not in toolset.listing()
    assert "mean_decay.py" not in toolset.files()
    assert toolset.find("total_energy").source == B.source
    better = replace(A, source=A.source + "\n")
    toolset.admit(better, passed(better), "rules")  # the gate heals it
    assert toolset.has("mean_decay")
    assert toolset.broken() == []


def test_a_file_from_elsewhere_is_reported(toolset: Toolset) -> None:
    (toolset.folder / "smuggled.py").write_text("def smuggled(): ...\n")
    assert toolset.names() == ["mean_decay", "total_energy"]
    assert "did not come through the gate" in toolset.broken()[0].reason


def test_the_same_name_in_two_folders(toolset: Toolset) -> None:
    (toolset.folder / "more").mkdir()
    (toolset.folder / "more" / "mean_decay.py").write_text(A.source)
    assert toolset.names() == ["total_energy"]
    with pytest.raises(InputError, match="2 folders"):
        toolset.find("mean_decay")


def test_uses_are_noted(toolset: Toolset) -> None:
    toolset.record_use("mean_decay", "run-1")
    toolset.record_use("mean_decay", "run-2")
    assert [one["run"] for one in toolset.uses("mean_decay")] == ["run-1", "run-2"]
    with pytest.raises(InputError, match="no tool"):
        toolset.record_use("nothing", "run-1")


def test_a_kill_between_two_files_is_undone(toolset: Toolset, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {path: (toolset.folder / path).read_bytes() for path in _rest(toolset) if "lease" not in path}
    one, real = scaling("final_gap"), file_transaction.write_atomic
    count = iter(range(100))

    def dies(path: Path, content: bytes) -> None:
        if next(count) == 3:
            raise KeyboardInterrupt
        real(path, content)

    monkeypatch.setattr(file_transaction, "write_atomic", dies)
    monkeypatch.setattr(file_transaction, "recover", lambda root: False)  # as if nothing could be mended any more
    with pytest.raises(KeyboardInterrupt):
        toolset.admit(one, passed(one), "rules")
    monkeypatch.undo()
    with toolset.held():  # the next one who comes puts it right
        pass
    assert {path: (toolset.folder / path).read_bytes() for path in _rest(toolset) if "lease" not in path} == before


@pytest.mark.slow
def test_two_processes_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    both = [context.Process(target=admit_half, args=(str(tmp_path / "t"), start)) for start in (0, 1)]
    for one in both:
        one.start()
    for one in both:
        one.join(60)
    toolset = Toolset(tmp_path / "t")
    assert len(toolset.names()) == 24
    assert toolset.broken() == []
    assert (toolset.folder / "INDEX.md").read_text() == toolset.listing()


def test_a_workspace_can_import_the_tools(toolset: Toolset, tmp_path: Path) -> None:
    for name, content in toolset.files().items():
        path = tmp_path / "work" / "tools" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    code = "from tools.mean_decay import mean_decay, MeanDecayInput as I; print(mean_decay(I(x=2, factor=3)).y)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path / "work", capture_output=True, text=True, check=True
    )
    assert done.stdout == "6.0\n"
