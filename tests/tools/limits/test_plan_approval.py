"""An approval holds for one document, under the limits of its time, and for as long as they say."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from labwright.tools.errors import InputError, SafetyStop
from labwright.tools.limits import plan_approval
from labwright.tools.limits.device_usage import Account
from labwright.tools.limits.files import found, packed, with_kept
from labwright.tools.limits.limits_document import allowed, read_law
from labwright.tools.runs.hash_chain import Chain
from labwright.tools.runs.hashed_files import read_json, to_json

LIMITS = "limits: 1\ntitle: Fridge 2\nrun: {valid: 2 h, actions: 3}\n"
LAWS = (read_law(LIMITS, "limits.yaml"),)
BOUNDS = ((LAWS[0].limits.run, LAWS[0].where("run")),)


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    (tmp_path / "spec.yaml").write_text("one")
    plan_approval.approve(tmp_path, "one", LAWS, {"by": "a person"})
    return tmp_path / "spec.yaml"


def aged(folder: Path, hours: float) -> None:
    at = (datetime.now(UTC) - timedelta(hours=hours)).isoformat(timespec="seconds")
    Chain(folder).write(plan_approval.APPROVAL, to_json({**read_json(folder / plan_approval.APPROVAL, ""), "at": at}))


@pytest.mark.parametrize(("hours", "holds"), [(0, True), (1.99, True), (2.01, False), (-1, False)])
def test_an_approval_holds_for_its_time(hours: float, holds: bool, spec: Path) -> None:
    aged(spec.parent, hours)
    if holds:
        plan_approval.require(spec.parent, spec, LAWS, BOUNDS)
        return
    with pytest.raises(SafetyStop, match=r"held for 2 h \(limits.yaml, line 3, run.valid\).*labwright run"):
        plan_approval.require(spec.parent, spec, LAWS, BOUNDS)


def test_approving_the_same_plan_again_does_not_renew_it(spec: Path) -> None:
    aged(spec.parent, 3)
    plan_approval.approve(spec.parent, "one", LAWS, {"by": "a person"})
    with pytest.raises(SafetyStop, match="held for 2 h"):
        plan_approval.require(spec.parent, spec, LAWS, BOUNDS)


def test_another_plan_needs_another_approval_and_a_run_of_its_own(spec: Path) -> None:
    spec.write_text("two")
    with pytest.raises(SafetyStop, match="was changed after it was approved"):
        plan_approval.require(spec.parent, spec, LAWS, BOUNDS)
    plan_approval.approve(spec.parent, "two", LAWS, {"by": "a person"})  # nothing was measured yet
    plan_approval.require(spec.parent, spec, LAWS, BOUNDS)
    Account(spec.parent, 0).enter("a.0", 1.0)
    with pytest.raises(SafetyStop, match="Start a new run"):
        plan_approval.approve(spec.parent, "three", LAWS, {"by": "a person"})


def test_limits_that_were_taken_away_void_the_approval(spec: Path) -> None:
    with pytest.raises(SafetyStop, match="began under are gone"):
        plan_approval.require(spec.parent, spec, (), BOUNDS)
    plan_approval.require(spec.parent, spec, (*LAWS, read_law("limits: 1\nwrites: none\n", "more")), BOUNDS)


def test_every_file_that_is_found_holds(tmp_path: Path) -> None:
    for folder in ("lab", "device", "set"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "limits.yaml").write_text(LIMITS.replace("Fridge 2", folder))
    named, lab = str(tmp_path / "set" / "limits.yaml"), str(tmp_path / "lab")
    laws = found(named, lab, f"{tmp_path / 'device' / 'device.py'}:open_device")
    assert [law.limits.title for law in laws] == ["set", "lab", "device"]
    assert found(named, lab, "simulated") == laws[:2]
    assert found("", str(tmp_path), "package.module:factory") == ()
    with pytest.raises(InputError, match="Nothing is measured without them"):
        found(f"{named}:{tmp_path / 'none.yaml'}", "", "simulated")


def test_a_run_keeps_the_limits_that_it_began_under(tmp_path: Path) -> None:
    (tmp_path / "limits.json").write_bytes(packed(LAWS))
    wide = read_law("limits: 1\nrun: {actions: 99}\n", "wide")
    assert with_kept(tmp_path, (wide,)) == (wide, *LAWS)
    assert with_kept(tmp_path, LAWS) == LAWS
    assert allowed(LAWS) == [
        "The lab's limits hold: limits.yaml (Fridge 2).",
        "At most, by limits.yaml: actions 3, valid 2 h.",
    ]
