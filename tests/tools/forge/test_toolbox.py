"""The tools that come with Labwright: each passed the gate as it is now, and lies beside the tools of every run."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from labwright.tools.errors import CorruptRecordError
from labwright.tools.forge.gate import GATE_CHECKS
from labwright.tools.forge.toolset.builtin_tools import FOLDER, Toolbox
from labwright.tools.forge.toolset.gate_findings import GateReport
from labwright.tools.forge.toolset.toolset import Toolset

TOOLBOX = Toolbox()
# Not proven since a call is a process: cudaq needs another machine than those that prove the rest.
PROVEN_EARLIER = frozenset(("quantum_subspace_expansion", "sample_circuit_cudaq", "chain_rotations_cudaq"))
NAME, AREA = "plot_bars", "plotting"


def test_every_tool_has_an_area_with_a_line_about_it_and_none_is_crowded() -> None:
    areas = [tool.folder for tool in TOOLBOX.tools]
    assert [tool.name for tool in TOOLBOX.tools] == sorted(TOOLBOX.contracts)
    assert max(areas.count(area) for area in areas) <= 10
    assert set(areas) == set(TOOLBOX.about)


@pytest.mark.parametrize("name", TOOLBOX.contracts)
def test_each_passed_every_check_as_it_is_now(name: str) -> None:
    tool = next(one for one in TOOLBOX.tools if one.name == name)  # changed since: labwright toolset prove NAME --keep
    assert tool.record.report["passed"]
    checks = set(tool.record.report["checks"])
    assert checks == set(GATE_CHECKS) or name in PROVEN_EARLIER
    assert tool.record.report["mutants"]["score"] >= 0.7


def test_a_tool_that_was_changed_after_the_gate_is_not_offered(tmp_path: Path) -> None:
    shutil.copytree(FOLDER / AREA / NAME, tmp_path / AREA / NAME)
    source = tmp_path / AREA / NAME / f"{NAME}.py"
    source.write_text(source.read_text() + "\n")
    with pytest.raises(CorruptRecordError, match="changed after"):
        _ = Toolbox(tmp_path).tools


def test_the_shipped_tools_lie_beside_ones_own_and_nothing_is_copied(tmp_path: Path) -> None:
    toolset = Toolset(tmp_path, TOOLBOX)
    assert toolset.has(NAME)
    assert toolset.own() == []
    assert toolset.find(NAME).module == f"tools.{AREA}.{NAME}"
    assert f"{AREA}/" in toolset.listing()
    assert f"{AREA}/{NAME}.py" in toolset.files()
    toolset.record_use(NAME, "run-1")
    assert [use["run"] for use in toolset.uses(NAME)] == ["run-1"]
    assert not list(tmp_path.rglob("*.py"))


def test_ones_own_tool_of_the_same_name_goes_before(tmp_path: Path) -> None:
    toolset, candidate = Toolset(tmp_path, TOOLBOX), TOOLBOX.candidate(NAME)
    report = GateReport(NAME, candidate.sha256, True, (), GATE_CHECKS, "landlock")
    tool = toolset.admit(candidate, report, made_by="a person")
    assert (tool.folder, tool.record.version) == (AREA, 2)
    assert toolset.find(NAME).record.made_by == "a person"
    assert len(toolset.names()) == len(TOOLBOX.tools)
