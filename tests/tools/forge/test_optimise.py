"""Regrouping moves files and imports, keeps every test green, and leaves everything as it was if a group is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolsets import many, passed, scaling

from labwright.tools.errors import InputError
from labwright.tools.forge.gate import GateBench
from labwright.tools.forge.toolset.folder_regrouping import MOST, crowded, propose_groups, regroup, rewrite_imports
from labwright.tools.forge.toolset.listing import folders
from labwright.tools.forge.toolset.toolset import Toolset
from labwright.tools.sandbox import Sandbox

USES = scaling(
    "twice_scaled",
    imports="\nfrom tools.mean_decay import MeanDecayInput, mean_decay\n",
    inner="mean_decay(MeanDecayInput(x=given.x, factor=1.0)).y",
)


def _toolset(folder: Path, count: int) -> Toolset:
    toolset = Toolset(folder)
    for one in [*many(count), scaling("mean_decay"), USES]:
        toolset.admit(one, passed(one), "rules")
    return toolset


def _content(toolset: Toolset) -> dict[str, bytes]:
    files = (path for path in toolset.folder.rglob("*") if path.is_file() and path.name != "lease")
    return {str(path.relative_to(toolset.folder)): path.read_bytes() for path in files}


@pytest.mark.slow
def test_a_crowded_root_is_regrouped_and_stays_green(tmp_path: Path, sandbox: Sandbox) -> None:
    toolset = _toolset(tmp_path / "t", 10)
    assert crowded(toolset.tools()) == [""]
    groups = propose_groups({one.name: one.contract.package for one in toolset.tools()})
    assert sorted(name for names in groups.values() for name in names) == toolset.names()
    moved = regroup(toolset, groups)
    assert set(moved) == {name for folder, names in groups.items() if folder for name in names}
    assert crowded(toolset.tools()) == []
    assert toolset.broken() == []
    uses = toolset.find("twice_scaled")
    assert f"from {toolset.find('mean_decay').module} import MeanDecayInput" in uses.source
    assert f"from {uses.module} import" in uses.tests
    assert toolset.find("mean_decay").record.moved == [toolset.find("mean_decay").folder]
    for folder in folders(toolset.tools()):
        assert (toolset.folder / folder / "INDEX.md").read_text() == toolset.listing(folder)
        assert (toolset.folder / folder / "__init__.py").is_file()
    assert not list(toolset.folder.glob("*_[0-9].py"))
    with GateBench(sandbox, toolset) as bench:
        assert bench.check("tests", uses.candidate) == []


def test_moving_back_gives_the_same_files(tmp_path: Path) -> None:
    toolset = _toolset(tmp_path / "t", 3)
    before = {one.name: (one.source, one.tests) for one in toolset.tools()}
    regroup(toolset, {"states/decay": ["mean_decay"], "states": ["twice_scaled"]}, {"states": "Of states."})
    assert "- states/ (2): Of states." in toolset.listing()
    assert "- states/decay/ (1): " in toolset.listing("states")
    regroup(toolset, {"": ["mean_decay", "twice_scaled"]})
    assert {one.name: (one.source, one.tests) for one in toolset.tools()} == before
    assert not (toolset.folder / "states").exists()


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ({"../out": ["mean_decay"]}, "must be words"),
        ({"class": ["mean_decay"]}, "must be words"),
        ({"mean_decay": ["twice_scaled"]}, "named as the tool"),
        ({"a": ["nothing"]}, "no tool 'nothing'"),
        ({"a": ["mean_decay"], "b": ["mean_decay"]}, "in two groups"),
    ],
)
def test_bad_groups_are_refused(tmp_path: Path, groups: dict[str, list[str]], message: str) -> None:
    toolset = _toolset(tmp_path / "t", 1)
    before = _content(toolset)
    with pytest.raises(InputError, match=message):
        regroup(toolset, groups)
    assert _content(toolset) == before


@pytest.mark.parametrize("count", [11, 60])
def test_no_folder_of_a_proposal_is_crowded(tmp_path: Path, count: int) -> None:
    toolset = Toolset(tmp_path / "t")
    tools = []
    for one in many(count):
        tools.append(toolset._admit(one, passed(one), "rules", None) if count < 20 else _fake(one))
    packages = {one.name: one.contract.package for one in tools}
    groups = propose_groups(packages)
    placed = {name: folder for folder, names in groups.items() for name in names}
    assert sorted(placed) == sorted(one.name for one in tools)
    from dataclasses import replace

    after = [replace(one, folder=placed[one.name]) for one in tools]
    assert crowded(after) == []
    assert max(len(names) for names in groups.values()) <= MOST
    assert propose_groups(dict(reversed(packages.items()))) == groups


def _fake(candidate):  # type: ignore[no-untyped-def]
    from labwright.tools.forge.toolset.stored_tool import Tool, ToolRecord

    record = ToolRecord(
        contract=candidate.contract, version=1, source_sha256="", tests_sha256="", candidate_sha256=candidate.sha256,
        made_by="rules", admitted="", report={},
    )  # fmt: skip
    return Tool(candidate.name, "", record, candidate.source, candidate.tests)


MOVES = {"tools.fidelity": "tools.states.fidelity", "tools.old.gap": "tools.gap"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from tools.fidelity import f  # kept\n", "from tools.states.fidelity import f  # kept\n"),
        ("from tools.fidelity_more import g\n", "from tools.fidelity_more import g\n"),
        ("import tools.fidelity as f, math\n", "import tools.states.fidelity as f, math\n"),
        ("import tools.old.gap\nx = tools.old.gap.gap\n", "import tools.gap\nx = tools.gap.gap\n"),
        ("from tools import fidelity, other\n", "from tools import other\nfrom tools.states import fidelity\n"),
        ("from tools.old import gap as g\n", "from tools import gap as g\n"),
        ("if 1:\n  from tools.fidelity import (a,\n  b)\n", "if 1:\n  from tools.states.fidelity import (a,\n  b)\n"),
        (
            '"""tools.fidelity"""\né = 1; import tools.fidelity\n',
            '"""tools.fidelity"""\né = 1; import tools.states.fidelity\n',
        ),
    ],
)
def test_imports_are_rewritten_where_they_stand(before: str, after: str) -> None:
    assert rewrite_imports(before, MOVES) == after


@given(st.lists(st.sampled_from(["a", "b.c", "d.e.f"]), min_size=1, max_size=4), st.integers(0, 3))
def test_there_and_back_is_nothing(modules: list[str], spaces: int) -> None:
    lines = (
        f"from{' ' * (1 + spaces)}tools.{one} import x{i}\nimport tools.{one} as m{i}\n"
        for i, one in enumerate(modules)
    )
    text = "".join(lines)
    there = {f"tools.{one}": f"tools.moved.{one}" for one in ("a", "b.c", "d.e.f")}
    back = {new: old for old, new in there.items()}
    assert rewrite_imports(rewrite_imports(text, there), back) == text
