"""A dear step happens once, wherever the process is killed. The killed process is a real one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labwright.tools.errors import CorruptRecordError, UnknownOutcomeError
from labwright.tools.runs import Action, action_key

PARAMETERS = st.dictionaries(st.text(min_size=1), st.floats(allow_nan=False, allow_infinity=False), max_size=4)

# One action that plays on a pretended device: a file that counts, and that answers a known key without playing.
WORKER = """
import sys
from pathlib import Path
from labwright.tools.runs import Action
folder = Path(sys.argv[1])
played = folder / "played"
def act():
    if not played.exists():
        with (folder / "count").open("a") as count:
            count.write("x")
        played.touch()
    return 42
def store(outcome):
    (folder / "data").write_text(str(outcome))
    return {"value": outcome}
ask = lambda: sys.argv[2] if sys.argv[2] != "truth" else ("done" if played.exists() else "absent")
print(Action(folder / "actions" / "k").perform(act, store, ask=ask))
"""


def work(folder: Path, crash_at: str = "", ask: str = "truth") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LABWRIGHT_CRASH_AT": crash_at}
    command = [sys.executable, "-c", WORKER, str(folder), ask]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=60)


@pytest.mark.parametrize("point", ["after_claim", "after_act", "after_data", "after_done"])
def test_killed_anywhere_it_is_done_once(tmp_path: Path, point: str) -> None:
    assert work(tmp_path, point).returncode == -signal.SIGKILL
    again = work(tmp_path)
    assert again.stdout.strip() == "{'value': 42}", again.stderr
    assert (tmp_path / "count").read_text() == "x"
    assert not list(tmp_path.rglob("*.tmp"))


def test_crash_at_the_second_passage_only(tmp_path: Path) -> None:
    assert work(tmp_path, "after_claim:2").returncode == 0


def test_outcome_that_nobody_knows_goes_to_a_person(tmp_path: Path) -> None:
    work(tmp_path, "after_act")
    assert "UnknownOutcomeError" in work(tmp_path, ask="unknown").stderr
    action = Action(tmp_path / "actions" / "k")
    assert action.state == "claimed"
    with pytest.raises(UnknownOutcomeError, match="allow the step again"):
        action.perform(lambda: 1, lambda _: {}, ask=lambda: "unknown")
    assert action.perform(lambda: 1, lambda x: {"v": x}, ask=lambda: "unknown", repeat=True) == {"v": 1}


def test_failed_act_leaves_a_claim_and_can_be_tried_again(tmp_path: Path) -> None:
    action = Action(tmp_path / "actions" / "k")

    def fails() -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        action.perform(fails, lambda _: {}, ask=lambda: "absent")
    assert action.state == "claimed"
    assert action.perform(lambda: 5, lambda x: {"v": x}, ask=lambda: "absent") == {"v": 5}


def test_first_result_stays(tmp_path: Path) -> None:
    action = Action(tmp_path / "actions" / "k")
    assert action.state == "absent"
    assert action.finish({"v": 1}) == {"v": 1}
    assert action.finish({"v": 2}) == {"v": 1}
    assert (action.state, action.key) == ("done", "k")


def test_torn_result_is_said(tmp_path: Path) -> None:
    action = Action(tmp_path / "actions" / "k")
    action.finish({"v": 1})
    (action.folder / "done.json").write_text('{"v"')
    with pytest.raises(CorruptRecordError, match=r"Delete it .* --rebuild"):
        action.result()


@given(parameters=PARAMETERS)
def test_key_does_not_depend_on_the_order_of_parameters(parameters: dict[str, float]) -> None:
    turned = dict(reversed(parameters.items()))
    assert action_key("r", "b", "p", 0, 0, parameters) == action_key("r", "b", "p", 0, 0, turned)


def test_key_depends_on_everything_else() -> None:
    base: tuple[Any, ...] = ("r", "b", "p", 0, 0, {"stop": 1.0})
    others = [("s", *base[1:]), ("r", "c", *base[2:]), (*base[:2], "q", *base[3:]), (*base[:3], 1, *base[4:])]
    others += [(*base[:4], 1, base[5]), (*base[:5], {"stop": 2.0})]
    keys = {action_key(*each) for each in [base, *others]}
    assert len(keys) == 7
    assert all(len(key) == 64 for key in keys)
