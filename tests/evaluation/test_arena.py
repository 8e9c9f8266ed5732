"""The arena: what is drawn, what the tools give, how a session is graded, and that all ways to the bench are one."""

from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import pytest
import yaml
from mcp.shared.memory import create_connected_server_and_client_session
from scripted_model import Reply, Request, ScriptedModel

from labwright.evaluation.arena import Arena, ArenaDevice, tool_loop_entrants
from labwright.evaluation.arena.devices import CAUSES, FAULTS, draw
from labwright.evaluation.arena.grading import grade
from labwright.evaluation.arena.serving import server_of
from labwright.evaluation.arena.session import Budget, Session
from labwright.evaluation.arena.suite import ASKING, entries, ready
from labwright.evaluation.arena.task_export import export
from labwright.evaluation.arena.wire_format import acquired_of, plain_acquired, plain_program, program_of
from labwright.tools.errors import HardwareLimitError, InputError, SafetyStop
from labwright.tools.experiments.base import Bench
from labwright.tools.experiments.ramsey import Ramsey
from labwright.tools.qpu.dynamics import Transmon
from labwright.tools.qpu.joint_program import JointProgram, Stark, Turn
from labwright.tools.qpu.oracle import optimal_settings
from labwright.tools.qpu.program import Delay, Program, Pulse

KEY = bytes(range(32))


def session(folder: Path, number: int = 0, condition: Any = "good", kind: Any = "qubit", **budget: Any) -> Session:
    return Session(draw(KEY, number, kind, condition), folder, Budget(**budget))


def at_its_best(of: Session) -> dict[str, float]:
    """Write the best settings there are, and give the true numbers."""
    best = optimal_settings(of.device.transmon("Q1", 0.0))
    names = ("frequency", "amplitude_pi", "amplitude_pi2", "drag", "anharmonicity")
    of.call("write_settings", {"name": "Q1", "changes": {name: getattr(best, name) for name in names}})
    truth = of.drawn.truth.qubits["Q1"]
    return {"t1": truth.t1, "t2_echo": truth.t2_echo, "frequency": truth.frequency}


def claim(quantity: str, value: float, error: float, trusted: bool = True) -> dict[str, Any]:
    unit = {"t1": "us", "t2_echo": "us", "frequency": "MHz"}[quantity]
    return {"quantity": quantity, "value": value, "error": error, "unit": unit, "trusted": trusted}


def test_a_secret_draws_the_same_devices_again_and_another_draws_others() -> None:
    assert draw(KEY, 3, "qubit", "spoilt") == draw(KEY, 3, "qubit", "spoilt")
    other = draw(KEY[::-1], 3, "qubit", "spoilt")
    assert draw(KEY, 3, "qubit", "spoilt").truth != other.truth
    assert draw(KEY, 3, "qubit", "spoilt").seed != other.seed
    assert len(draw(KEY, 0, "pair").truth.qubits) == 2
    assert len(draw(KEY, 0, "chip").truth.qubits) == 16
    with pytest.raises(InputError, match="A device is one of"):
        draw(KEY, 0, "crystal")  # type: ignore[arg-type]


def test_few_devices_show_every_fault() -> None:
    single = {draw(KEY, n, "qubit", "spoilt").faults["Q1"] for n in range(8)}
    assert single == {(name,) for name in FAULTS}
    assert all(len(set(draw(KEY, n, "qubit", "doubly_spoilt").faults["Q1"])) == 2 for n in range(8))
    assert {fault.cause for fault in FAULTS.values()} < set(CAUSES)


def test_what_the_controller_begins_with_tells_no_number_of_the_truth() -> None:
    for number in range(2):
        drawn = draw(KEY, number, "qubit", "good")
        best, start = optimal_settings(Transmon(drawn.truth.qubits["Q1"], 0.0)), drawn.start["Q1"]
        for name in ("frequency", "amplitude_pi", "amplitude_pi2", "drag", "anharmonicity", "readout_frequency"):
            assert getattr(start, name) != pytest.approx(getattr(best, name), rel=1e-6)


def test_programs_and_data_pass_as_plain_values() -> None:
    single = Program("Q1", (Pulse(0.2, 0.03, drag=0.5), Delay(1.0)), (np.array([0, 1, 0]),), 50, "shots", 4888.0)
    assert plain_program(program_of(plain_program(single))) == plain_program(single)
    joint = JointProgram(("Q1", "Q2"), ((Stark(4800, 0.1, 1.0),), (Turn(0.3),)), (np.array([[0, -1], [-1, 0]]),))
    assert plain_program(program_of(plain_program(joint))) == plain_program(joint)
    with pytest.raises(InputError, match="has no 'phse'"):
        program_of({**plain_program(single), "operations": [{"amplitude": 0.1, "duration": 0.03, "phse": 1}]})
    with pytest.raises(InputError, match="cannot be read"):
        program_of({"qubit": "Q1"})


def test_the_tools_mcp_and_the_device_play_the_same(tmp_path: Path) -> None:
    """One device reached in three ways: each has the same data, to the shot."""
    program = Program("Q1", (Pulse(0.2, 0.03),), tuple(np.zeros(n, np.intp) for n in range(4)), 200, "shots")
    one = session(tmp_path / "one")
    direct = one.call("play", {"program": plain_program(program)})
    one.close()
    two = session(tmp_path / "two")

    async def over_mcp() -> Any:
        async with create_connected_server_and_client_session(server_of(two, 0.0)._mcp_server) as client:
            return (await client.call_tool("play", {"program": plain_program(program)})).structuredContent

    found = anyio.run(over_mcp)
    two.close()
    assert {**found, "left": 0} == {**direct, "left": 0}
    assert plain_acquired(acquired_of(direct)).items() <= direct.items()
    secret = tmp_path / "secret"
    secret.write_text(KEY.hex())
    with Arena(secret, at_once=True) as arena:
        arena.open(0, "qubit", "good")
        device = ArenaDevice(arena, tmp_path / "device")
        assert plain_acquired(device.acquire(program, "a"))["iq"] == direct["iq"]
        assert plain_acquired(device.acquire(program, "a"))["iq"] == direct["iq"]  # by its key: not played again
        left = arena.call("describe")["left"]
        assert left["acquisitions"] == 149
        ramsey = Ramsey(Bench(device, "r"))
        ramsey.run("Q1", offset=5.0, stop=2.0)
        ramsey.update()
        assert device.settings.current("Q1").frequency == arena.call("settings")["settings"]["frequency"]
        with pytest.raises(HardwareLimitError):
            arena.call("play", program={**plain_program(program), "shots": 10**7})


def test_right_silently_wrong_and_gave_up(tmp_path: Path) -> None:
    def ended(name: str, best: bool, **handed: Any) -> dict[str, Any]:
        of = session(tmp_path / name)
        if best:
            at_its_best(of)
        if handed:
            of.call("hand_in", handed)
        found = grade(of)
        of.close()
        return found

    assert ended("best", True, status="calibrated")["ended"] == "right"
    wrong = ended("untouched", False, status="calibrated")
    assert (wrong["ended"], wrong["gates_wrong"]) == ("silently wrong", True)
    assert ended("refused", True, status="refused", cause="other")["ended"] == "gave up"
    assert ended("nothing", True)["ended"] == "gave up"
    lie = ended("lie", True, status="calibrated", claims=[claim("t1", 10.0, 0.1)])
    assert (lie["ended"], lie["claims_wrong"]) == ("silently wrong", 1)
    doubted = ended("doubted", True, status="calibrated", claims=[claim("t1", 10.0, 0.1, trusted=False)])
    assert (doubted["ended"], doubted["claims"][0]["trusted"]) == ("right", False)


def test_claims_are_compared_with_the_truth_of_that_moment(tmp_path: Path) -> None:
    of = session(tmp_path)
    true = at_its_best(of)
    claims = [claim("t1", true["t1"] + 2.0, 1.0), claim("frequency", true["frequency"], 1e-6)]
    of.call("hand_in", {"status": "calibrated", "claims": claims})
    first, second = grade(of)["claims"]
    of.close()
    assert first["sigmas"] == pytest.approx(2.0, abs=1e-3)
    assert abs(second["sigmas"]) < 1  # nothing was measured: no time has passed


@pytest.mark.parametrize("name", ["blind_readout", "frequency_jump", "telegraph"])
def test_a_refusal_is_right_only_where_nothing_could_be_done(name: str, tmp_path: Path) -> None:
    number = next(n for n in range(8) if draw(KEY, n, "qubit", "spoilt").faults["Q1"] == (name,))
    of = session(tmp_path, number, "spoilt")
    of.device.wait(1000.0, "idle")  # a jump has happened by then
    of.call("hand_in", {"status": "refused", "cause": FAULTS[name].cause})
    found = grade(of)
    of.close()
    assert found["cause_right"]
    assert found["ended"] == ("right" if name == "blind_readout" else "gave up")


def test_an_experiment_that_only_proposes_says_that_it_wrote_nothing(tmp_path: Path) -> None:
    of = session(tmp_path)
    before = of.call("settings", {})
    asked = {"name": "resonator_power_sweep"}
    assert of.call("run_experiment", asked)["written"] == {}
    assert of.call("settings", {}) == before
    written = of.call("run_experiment", {**asked, "arguments": {"update": True}})["written"]
    of.close()
    assert written.keys() == {"readout_amplitude"}


def test_a_budget_that_is_spent_refuses_measuring_and_not_the_hand_in(tmp_path: Path) -> None:
    of = session(tmp_path, acquisitions=2, device_seconds=300.0)
    with pytest.raises(SafetyStop, match="device_seconds needed"):
        of.call("run_experiment", {"name": "t1", "arguments": {"shots": 20_000}})
    assert not of.device.log
    of.call("run_experiment", {"name": "ramsey"})
    of.call("run_experiment", {"name": "ramsey"})
    with pytest.raises(SafetyStop, match="acquisitions needed, 0 left"):
        of.call("run_experiment", {"name": "ramsey"})
    assert of.call("hand_in", {"status": "refused", "cause": "other"})["handed_in"] == "refused"
    of.close()


def test_a_pair_is_graded_by_both_qubits_and_its_gate(tmp_path: Path) -> None:
    of = session(tmp_path, 1, "good", "pair")
    said = of.call("describe", {})
    assert (said["qubits"], said["pairs"]) == (["Q1", "Q2"], ["Q1-Q2"])
    assert "sizzle_search" in said["experiments"]
    of.call("hand_in", {"status": "calibrated"})
    found = grade(of)
    of.close()
    assert set(found["ratios"]) == {"Q1", "Q2"}
    assert found["cz_error"] is None


@pytest.mark.parametrize("name", ["plain", pytest.param("deepagents", marks=pytest.mark.slow)])
def test_a_loop_of_tools_hands_in_and_is_counted(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent through the real client: calls of one answer run in their order, then it hands in and reads that."""
    wanted = [4880.0 + number for number in range(4)]
    several = [(each, {"name": "Q1", **more}) for value in wanted for each, more in (
        ("write_settings", {"changes": {"frequency": value}}), ("settings", {}),
    )]  # fmt: skip

    if name == "deepagents":
        pytest.importorskip("deepagents")

    def script(request: Request) -> Reply:
        if not request.results:
            assert set(request.tools) >= {"describe", "run_experiment", "play", "write_settings", "hand_in"}
            return Reply("", calls=tuple(several), finish="tool_calls")
        if len(request.results) == len(several):
            read = [json.loads(one)["settings"]["frequency"] for one in request.results]
            assert read[1::2] == wanted
            return Reply.use("hand_in", status="refused", cause="other")
        return Reply("Done.")

    with ScriptedModel(script) as model, Arena(at_once=True) as arena:
        arena.open(0)
        monkeypatch.setenv("LABWRIGHT_BASE_URL", model.settings(tmp_path).base_url or "")
        monkeypatch.setenv("LABWRIGHT_STATE", str(tmp_path))
        usage = tool_loop_entrants.loop(arena, tmp_path, "openai:scripted", name, "You calibrate.")
        assert arena.grade()["handed_in"] == "refused"
    assert usage["calls"] == 3


def test_the_tasks_are_written_out_for_harbor_and_inspect(tmp_path: Path) -> None:
    export(tmp_path, 2)
    task = (tmp_path / "inspect" / "task.md").read_text()
    listed = json.loads((tmp_path / "inspect" / "tasks.json").read_text())
    compile((tmp_path / "inspect" / "task.py").read_text(), "task.py", "exec")
    folders = sorted((tmp_path / "harbor").iterdir())
    assert (
        [folder.name for folder in folders] == [one["name"] for one in listed] == [f"device-0{n}" for n in range(1, 7)]
    )
    assert {one["serve"][3] for one in listed} == {"good", "spoilt", "doubly_spoilt"}
    secret = (tmp_path / "arena.secret").read_text()
    assert len(bytes.fromhex(secret)) == 32
    for folder, one in zip(folders, listed, strict=True):
        assert (folder / "instruction.md").read_text() == task
        config = tomllib.loads((folder / "task.toml").read_text())
        assert config["metadata"]["device"] == one["name"]
        assert config["environment"]["mcp_servers"][0]["transport"] == "streamable-http"
        bench = yaml.safe_load((folder / "environment" / "docker-compose.yaml").read_text())["services"]["bench"]
        assert bench["command"][-4:] == one["serve"]
        seen = "".join(
            (folder / name).read_text() for name in ("instruction.md", "task.toml", "environment/Dockerfile")
        )
        assert secret not in seen
        assert "spoilt" not in seen.replace(task, "")


@pytest.mark.parametrize(("status", "reward"), [("calibrated", "0"), ("", "0"), ("best", "1")])
def test_the_reward_of_harbor_is_the_grade(status: str, reward: str, tmp_path: Path) -> None:
    """The very script that Harbor runs, on the file that the bench writes."""
    export(tmp_path / "tasks", 1)
    grades = tmp_path / "grades.jsonl"
    if status:
        of = session(tmp_path / "bench")
        if status == "best":
            at_its_best(of)
        of.call("hand_in", {"status": "calibrated"})
        grades.write_text(json.dumps(grade(of)) + "\n")
        of.close()
    script = tmp_path / "tasks" / "harbor" / "device-01" / "tests" / "test.sh"
    subprocess.run(
        [script], env={"GRADES": str(grades), "VERIFIER": str(tmp_path / "out"), "PATH": "/usr/bin:/bin"}, check=True
    )
    assert (tmp_path / "out" / "reward.txt").read_text().strip() == reward


def test_an_entrant_that_cannot_enter_is_refused_and_not_graded(tmp_path: Path) -> None:
    assert "experimental physicist" in tool_loop_entrants.prompt_of("plain")
    for tasks, mind, says in (
        (("plain",), "rules", "needs a model"),
        (("nobody",), "openai:none", "Entrants are: lab"),
    ):
        with pytest.raises(InputError, match=says):
            entries({**ready({"tasks": tasks, "mind": mind, "seeds": 1}, tmp_path / "a", print), "seeds": 1}, ASKING)
    with pytest.raises(InputError, match=r"'nobody' has no prompt. Write nobody.md"):
        tool_loop_entrants.prompt_of("nobody")
