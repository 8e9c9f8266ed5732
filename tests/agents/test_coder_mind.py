"""A coding program as the mind of workspace tasks, played by a stand-in with the same arguments and streams."""

from __future__ import annotations

import json
import shutil
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from add_up import Sentence, Sum, adding
from small_task import FILE, summing, workspace_in

from labwright.agents.call import Runtime
from labwright.agents.coder_mind import CoderMind
from labwright.agents.coders import CODERS, lines_of
from labwright.agents.errors import AgentGaveUp, BudgetExceeded, ModelUnavailable
from labwright.agents.meter import Budget, Meter
from labwright.agents.models import make_workspace_mind
from labwright.agents.rules import RulesMind
from labwright.agents.settings import Settings
from labwright.tools.sandbox import open_sandbox
from labwright.tools.sandbox.granted import Grant
from labwright.tools.workspace.workspace import Workspace

ASKED = Sentence(sentence="add 1 and 2")
SUM = Sum(numbers=[1, 2], total=3)
STAND_IN = Path(__file__).parents[1] / "support" / "stand_in_coder.py"
SLOW = pytest.mark.slow  # second ones of a kind
Make = Callable[..., tuple[CoderMind, Workspace]]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def made(name: str = "claude", mode: str = "", budget: str = "", **more: Any) -> tuple[CoderMind, Workspace]:
        workspace = workspace_in(tmp_path, sandbox=open_sandbox())
        shutil.copy(STAND_IN, workspace.folder / "inputs" / STAND_IN.name)
        (workspace.folder / "inputs" / "mode.txt").write_text(mode)
        coder = replace(CODERS[name], program=("python", f"inputs/{STAND_IN.name}", name))
        return CoderMind(coder, RulesMind(), Meter(Budget.parse(budget)), **more), workspace

    return made


@pytest.mark.parametrize("name", CODERS)
def test_the_program_works_is_counted_and_its_answer_is_checked(name: str, make: Make, tmp_path: Path) -> None:
    mind, workspace = make(name, model="some-model")
    events: list[dict[str, object]] = []
    assert mind.work(summing(tmp_path), ASKED, workspace, Runtime(on_event=events.append)) == SUM
    assert workspace.files.text(FILE) == "3\n"
    assert "twice" not in workspace.files.text("tools/double.py")
    assert "return 2 * x" in workspace.files.text("tools/double.py")  # it may not write there
    assert [event["kind"] for event in events] == ["step", "step", "answer"]
    assert "python add.py" in str(events[0]["output"])
    total = mind.meter.total()
    assert (total.calls, total.input_tokens, total.output_tokens) == (2, 190, 10)
    assert total.cost == (None if name == "codex" else 0.5)
    assert events[-1]["mind"] == f"{name}:some-model"


def test_a_wrong_answer_goes_back_with_what_is_wrong(make: Make, tmp_path: Path) -> None:
    mind, workspace = make(mode="wrong")
    assert mind.work(summing(tmp_path), ASKED, workspace) == SUM
    again = workspace.files.text("coder/sum_2.md")
    assert f"{FILE} must hold the sum" in again
    assert mind.meter.total().repairs == 1
    assert again.count('"properties"') == workspace.files.text("coder/sum_1.md").count('"properties"') > 0
    assert again.count("## Schema of the reply") == 1


def test_without_an_answer_file_it_is_given_up(make: Make, tmp_path: Path) -> None:
    mind, workspace = make("codex", mode="silent")
    with pytest.raises(AgentGaveUp, match=r"no answer\.json"):
        mind.work(summing(tmp_path), ASKED, workspace)


@pytest.mark.parametrize("name", ["claude", *(pytest.param(one, marks=SLOW) for one in ("codex", "opencode"))])
def test_without_its_provider_it_says_what_would_have_to_be_opened(name: str, make: Make, tmp_path: Path) -> None:
    mind, workspace = make(name, mode="offline")
    with pytest.raises(ModelUnavailable, match=r"network is unreachable.*LABWRIGHT_CODER_NETWORK"):
        mind.work(summing(tmp_path), ASKED, workspace)


def test_a_program_that_is_not_there_is_named(make: Make, tmp_path: Path) -> None:
    mind, workspace = make()
    mind.coder = replace(mind.coder, program=("no-such-program",))
    with pytest.raises(ModelUnavailable, match="no-such-program is not in the sandbox"):
        mind.work(summing(tmp_path), ASKED, workspace)


@pytest.mark.parametrize("budget", ["tokens=5000", pytest.param("calls=4", marks=SLOW)])
@pytest.mark.parametrize("name", CODERS)
def test_a_budget_ends_the_program_while_it_runs(name: str, budget: str, make: Make, tmp_path: Path) -> None:
    mind, workspace = make(name, mode="spend", budget=budget)
    with pytest.raises(BudgetExceeded):
        mind.work(summing(tmp_path), ASKED, workspace)
    assert mind.meter.total().tokens < 30_000  # it would have gone on to a million
    assert workspace.question  # all is kept


def test_time_ends_the_program(make: Make, tmp_path: Path) -> None:
    mind, workspace = make(mode="hang", repairs=0)
    with pytest.raises(ModelUnavailable, match="timeout"):
        mind.work(summing(tmp_path, seconds=1.5), ASKED, workspace)


def test_typed_calls_go_to_the_other_mind(make: Make, tmp_path: Path) -> None:
    mind, _ = make()
    assert mind.answer(adding(tmp_path), ASKED) == SUM


def test_in_the_sandbox_it_sees_no_variable_and_no_home(make: Make, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sesame")
    mind, workspace = make(mode="look")
    mind.work(summing(tmp_path), ASKED, workspace)
    seen = json.loads(workspace.files.text("out/seen.json"))
    assert "SOME_API_KEY" not in seen["environment"]
    assert set(seen["interfaces"]) <= {"lo"}


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="a grant needs bubblewrap")
def test_a_grant_opens_what_it_names_and_nothing_else(make: Make, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sesame")
    monkeypatch.setenv("ANOTHER_KEY", "hush")
    shown = tmp_path / "installed"
    shown.mkdir()
    mind, workspace = make(mode="look", grant=Grant(environment=("SOME_API_KEY",), folders=(str(shown),)))
    (workspace.folder / "inputs" / "paths.txt").write_text(f"{shown} {workspace.folder} {STAND_IN} /etc/shadow")
    assert mind.work(summing(tmp_path), ASKED, workspace) == SUM
    seen = json.loads(workspace.files.text("out/seen.json"))
    assert seen["environment"]["SOME_API_KEY"] == "sesame"
    assert "ANOTHER_KEY" not in seen["environment"]
    assert seen["there"] == [str(shown)]
    assert set(seen["interfaces"]) <= {"lo"}
    assert "return 2 * x" in workspace.files.text("tools/double.py")


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="a grant needs bubblewrap")
def test_a_grant_of_the_network_opens_the_network(make: Make, tmp_path: Path) -> None:
    mind, workspace = make(mode="look", grant=Grant(network=True))
    mind.work(summing(tmp_path), ASKED, workspace)
    seen = json.loads(workspace.files.text("out/seen.json"))
    assert seen["interfaces"] == sorted(name for _, name in socket.if_nameindex())


def test_the_grant_is_off_unless_the_settings_say_otherwise() -> None:
    mind = make_workspace_mind("rules", Settings(_env_file=None), coder="claude")
    assert isinstance(mind, CoderMind)
    assert mind.grant is None
    opened = Settings(_env_file=None, coder_network=True, coder_environment="A_KEY, B", coder_folders="/opt/x:/opt/y")
    mind = make_workspace_mind("rules", opened, coder="codex")
    assert isinstance(mind, CoderMind)
    assert mind.grant == Grant(True, ("A_KEY", "B"), ("/opt/x", "/opt/y"))
    with pytest.raises(ModelUnavailable, match="one of claude, codex, opencode"):
        make_workspace_mind("rules", Settings(_env_file=None), coder="vim")


@pytest.mark.parametrize("name", CODERS)
def test_lines_of_unknown_kinds_are_passed_over(name: str) -> None:
    strange = [
        {"type": "telemetry"},
        {"type": "assistant", "message": None},
        {"type": "item.completed"},
        {},
        {"type": 3},
    ]
    text = "\n".join([*map(json.dumps, strange), "{half", "[1]", "null"])
    heard = [one for line in lines_of(text) for one in CODERS[name].hear(line)]
    assert all(not one.tool and not one.error for one in heard)
