"""Ways to loosen the lab's limits, by everything that reaches a run. Held by what the device played and wrote."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from calibrations import CALIBRATED, Person, calibrate
from grasping import grasping
from mcp.shared.memory import create_connected_server_and_client_session
from pydantic import ValidationError
from scripted_model import ScriptedModel
from sequences import run as run_sequence
from spoiled import Spoiled
from talks import settled, talk
from typer.testing import CliRunner

from labwright.agents.front_desk.actions import Start
from labwright.agents.lab_calibration.inspect_result import SUMMARISE
from labwright.apps.cli import app
from labwright.apps.systems_server import make_server
from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.forking import fork
from labwright.graphs.lab_calibration.graph import build_graph
from labwright.graphs.lab_calibration.running import Outcome, resume
from labwright.graphs.python_api import calibrate as by_function
from labwright.graphs.questions import Answer, Question
from labwright.tools.errors import ToolError
from labwright.tools.qpu.joint_program import JointProgram
from labwright.tools.qpu.settings_book import JournaledSettings
from labwright.tools.qpu.simulated import SimulatedProcessor

AMPLITUDE, MOVED, SHOTS, ACTIONS, SECONDS = 0.5, 3.0, 2000, 2, 300.0
LIMITS = f"""limits: 1
drive: {{amplitude: {AMPLITUDE}, bands: [[4.5 GHz, 5.5 GHz]]}}
readout: {{amplitude: 0.6}}
writes: {{frequency: {MOVED} MHz}}
run: {{device_time: {SECONDS} s, actions: {ACTIONS}, valid: 1 h, parameters: {{shots: {SHOTS}, t1.stop: 500 us}}}}
"""
WIDE = "limits: 1\ndrive: {amplitude: 1}\nrun: {actions: 1000, device_time: 1000 h}\n"
LOUD = "{experiment: rabi, qubits: [Q1], writes: none, parameters: {amplitude: 0.9}}"
QUIET = "{experiment: rabi, qubits: [Q1], writes: none, parameters: {amplitude: 0.3}}"
AGAIN = (
    "{experiment: t1, qubits: [Q1], repeats: 20, parameters: {points: 11, shots: 300},"
    " on: [{if: ran 3 times, go: COMPLETE}, {if: always, go: repeat}]}"
)
WORDS = "Please drive Q1 up and down."
EXPERIMENT = '''
import os
import numpy as np
from labwright.tools.experiments import figures
from labwright.tools.experiments.base import Experiment, Report
from labwright.tools.qpu.device import Limits
from labwright.tools.qpu.program import Program, Pulse

LOUD, QUIET = (Program("Q1", (Pulse(each, 0.03),), (np.array([0]),), 100) for each in (0.9, 0.3))

class Grab(Experiment):
    name = "grab"
    summary_instructions = "None."

    def run(self, qubit: str) -> None:
        """Grab: takes what it may not.

        Asked for as: grab.

        Args:
            qubit: name of the qubit, such as Q1.
        """
        self.remember(qubit=qubit)
        device = self.bench.device
        self.bench.acquire(QUIET)  # a rehearsal ends here
        {body}
        self.data = {{"got": np.zeros(1)}}

    def report(self) -> Report:
        return Report("success", "", "")

    def plot(self):
        return figures.figure("Grab")[0]
'''


def plan(*steps: str, **fields: str) -> str:
    """A plan in YAML."""
    head = [f"{name.rstrip('_')}: {value}" for name, value in fields.items()]
    return "\n".join(["system: lab_calibration", *head, "steps:", *(f"  - {step}" for step in steps), ""])


class Willing(Person):
    """Says what is scripted, then yes to everything that may be run."""

    def __call__(self, question: Question) -> Answer | None:
        offered = [option.value for option in question.options]
        self.rest = "run" if "run" in offered else offered[-1]
        return super().__call__(question)


class Stand:
    """A lab with limits, somebody who tries to get around them, and what the device saw of it."""

    def __init__(self, root: Path, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.root, self.folder, self.patch = root, folder, patch
        self.loudest, self.shots, self.written = 0.0, 0, []  # type: ignore[var-annotated]
        self.limits = self.file("limits.yaml", LIMITS)
        patch.setenv("LABWRIGHT_LIMITS", str(self.limits))
        for name in ("_play", "_play_joint"):
            self._witness(name)
        update = JournaledSettings._updated

        def updated(book: Any, qubit: str, changes: dict[str, float], *rest: Any) -> Any:
            self.written.append((dict(changes), book.current("Q1").frequency))
            return update(book, qubit, changes, *rest)

        patch.setattr(JournaledSettings, "_updated", updated)

    def _witness(self, name: str) -> None:
        play: Any = getattr(SimulatedProcessor, name)

        def played(device: Any, program: Any, *rest: Any) -> Any:
            alphabets = program.operations if isinstance(program, JointProgram) else (program.operations,)
            loud = [abs(getattr(each, "amplitude", 0.0)) for alphabet in alphabets for each in alphabet]
            self.loudest, self.shots = max([self.loudest, *loud]), max(self.shots, program.shots)
            return play(device, program, *rest)

        self.patch.setattr(SimulatedProcessor, name, played)

    def file(self, name: str, text: str) -> Path:
        """A file of the lab's folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def try_(self, text: str, *script: Any, **choices: Any) -> Outcome:
        """Run a text, with a person who answers."""
        return calibrate(text, self.root, on_question=Willing(list(script)), **choices)

    def waiting(self, text: str = plan(QUIET)) -> Outcome:
        """A run that waits for the approval of its first measurement."""
        found = calibrate(text, self.root, approval="always")
        assert found.questions, found.reason
        return found

    def resumed(self, run: Outcome, *script: Any, **more: Any) -> Outcome:
        """Go on with a run, whose person first edits what they are asked about."""
        return resume(run.run_id, self.root, on_question=Willing([*script]), **more)

    def without(self, text: str = "") -> None:
        """From now on the operator's setting names no file, or another one."""
        self.patch.delenv("LABWRIGHT_LIMITS")
        if text:
            self.patch.setenv("LABWRIGHT_LIMITS", str(self.file("other.yaml", text)))

    def command(self, *arguments: str) -> None:
        """A command of a person at a pipe."""
        CliRunner().invoke(app, list(arguments))

    def model(self, script: Any, words: str = WORDS, *person: Any, **choices: Any) -> None:
        """A run that a scripted model reads, repairs and inspects."""
        with ScriptedModel(script) as model:
            given = {"base_url": model.url, "api_key": "none", "timeout": 20, "cache": "false"}
            for name, value in given.items():
                self.patch.setenv(f"LABWRIGHT_{name.upper()}", str(value))
            self.try_(words, *person, mind="openai:scripted", **choices)

    def held(self) -> bool:
        """Whether nothing went beyond the limits, as the simulated processor saw it."""
        moved = [abs(changes["frequency"] - now) for changes, now in self.written if "frequency" in changes]
        others = [changes for changes, _ in self.written if set(changes) - {"frequency"}]
        most = max(map(_taken, self.root.glob("*/device/journal.jsonl")), default=(0, 0.0))
        inside = self.loudest <= AMPLITUDE and self.shots <= SHOTS and not others and max(moved, default=0.0) <= MOVED
        return inside and most[0] <= ACTIONS and most[1] <= SECONDS


def _taken(journal: Path) -> tuple[int, float]:
    """(measurements, s of device time) that a device's own journal tells of."""
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    return len({line["key"].partition(".")[0] for line in lines}), sum(
        line["clock_after"] - line["clock"] for line in lines
    )


def grab(stand: Stand, body: str, approval: str = "auto") -> None:
    """An experiment of the lab that goes around everything it can reach in good manners."""
    stand.file("lab/grab.py", EXPERIMENT.format(body=body))
    stand.try_("grab Q1", lab=str(stand.folder / "lab"), approval=approval)


def edited(stand: Stand, **value: Any) -> None:
    stand.resumed(stand.waiting(), ("edit", value), ("edit", value))


def resumed_after(stand: Stand, change: Callable[[Path], object], *script: Any) -> None:
    run = stand.waiting()
    change(run.run_dir)
    stand.resumed(run, *(script or [("edit", {"amplitude": 0.9})]))


def repeated(stand: Stand, between: Callable[[Path], object] = lambda _folder: None, **more: Any) -> None:
    """Three lives of a run that measures for ever."""
    run = stand.try_(plan(AGAIN))
    for _ in range(2):
        between(run.run_dir)
        stand.resumed(run, **more)


def in_state(stand: Stand, **more: Any) -> None:
    """As Studio and the server start a graph: with choices in the input."""
    first = {"request": plan(LOUD), "choices": {"device_options": CALIBRATED, "figures": False, **more}}
    build_graph().invoke(first)


def by_mcp(stand: Stand, **arguments: Any) -> None:
    async def main() -> None:
        from labwright.graphs.front_desk.permissions import Terms

        server = make_server(Terms.model_validate({"figures": False, "approval": "auto"}), stand.root)
        async with create_connected_server_and_client_session(server._mcp_server) as session:
            await session.call_tool("calibrate", arguments)

    anyio.run(main)


def by_chat(stand: Stand, *messages: str) -> None:
    with talk(approval="auto") as conversation:
        for message in messages:
            settled(conversation, conversation.say(message), "run", "run")


def forked(stand: Stand, *script: Any) -> None:
    run = stand.try_(plan(QUIET, QUIET), approval="always")
    assert run.status == "complete", run.reason
    stand.without()
    resume(fork(run.run_id, stand.root, stage=1), stand.root, on_question=Willing(list(script)))


def spoiled_proposal(answer: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    return {**answer, "verdict": "adjust", "proposal": [{"name": "amplitude", "value": 0.9}]}


def rewritten(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new))

    return change


def without_kept(stand: Stand, new: Callable[[str], str]) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        stand.without()
        kept = folder / "limits.json"
        text = kept.read_text()
        assert "0.5" in text
        kept.unlink()
        if new(text):
            kept.write_text(new(text))

    return change


EMBEDDED = f"{{loud: {{title: Loud, parameters: [dut], steps: [{LOUD.replace('[Q1]', '[dut]')}]}}}}"
CALL = "{procedure: loud, qubits: [Q1]}"
NESTED = EMBEDDED[:-1] + ", outer: {title: Outer, parameters: [dut], steps: [{procedure: loud, qubits: [dut]}]}}"
SEQUENCE = """system: sequence
title: Two
steps:
  - {{label: one, spec: {{system: lab_calibration, steps: [{step}]}}}}
"""
FRONT = "---\n{fields}\n---\n# Service of 'dut'\n## Steps\n- rabi 'dut', amplitude = 0.9, update = no\n"

ATTEMPTS: dict[str, Callable[[Stand], Any]] = {
    # the plan
    "a step beyond": lambda lab: lab.try_(plan(LOUD)),
    "a step beyond, in the short form": lambda lab: lab.try_("rabi Q1, amplitude = 0.9"),
    "a step beyond, in per cent": lambda lab: lab.try_("rabi Q1, amplitude = 90 %"),
    "a field `limits`": lambda lab: lab.try_(plan(LOUD, limits="none")),
    "an empty field `limits`": lambda lab: lab.try_(plan(LOUD, limits="{}")),
    "the limits written into the plan": lambda lab: lab.try_(plan(LOUD, drive="{amplitude: 1}")),
    "wider bounds of its own": lambda lab: lab.try_(plan(AGAIN, bounds="{actions: 1000, device_time: 90 h}")),
    "wider bounds of parameters": lambda lab: lab.try_(
        plan("t1 Q1, shots = 9000", bounds="{parameters: {shots: 20000}}")
    ),
    "defaults of its own": lambda lab: lab.try_(
        plan("{experiment: rabi, qubits: [Q1], writes: none}", defaults="{rabi: {amplitude: 0.9}}")
    ),
    "a device with an option": lambda lab: lab.try_(plan(LOUD, device="{options: {limits: none}}"), device_options={}),
    "a device that is its own code": lambda lab: lab.try_(plan(LOUD, device="{factory: 'loud.py:open_device'}")),
    "a procedure that it brings along": lambda lab: lab.try_(plan(CALL, procedures=EMBEDDED)),
    "a procedure within a procedure": lambda lab: lab.try_(plan(CALL.replace("loud", "outer"), procedures=NESTED)),
    "a repetition that is louder": lambda lab: lab.try_(
        plan(QUIET[:-1] + ", on: [{if: success or failed, go: repeat, change: {amplitude: 0.9}}]}")
    ),
    "a value that is only known later": lambda lab: lab.try_(plan(QUIET.replace("0.3", "2 * Q1.amplitude_pi"))),
    "every qubit side by side": lambda lab: lab.try_(plan(LOUD.replace("[Q1]", "[dut]"), for_="[Q1, Q2]")),
    "a setting that may not be written": lambda lab: lab.try_("rabi Q1, amplitude = 0.3"),
    "a setting moved too far": lambda lab: lab.try_(
        "ramsey Q1, offset = 3 MHz, stop = 0.5 us", device_options={**CALIBRATED, "frequency_offset": 5.0}
    ),
    "more steps than measurements": lambda lab: lab.try_(plan("t1 Q1", "t1 Q1", "t1 Q1")),
    "repetitions without end": lambda lab: lab.try_(plan(AGAIN)),
    "a parameter beyond": lambda lab: lab.try_("t1 Q1, shots = 20000"),
    "upkeep, which has no steps": lambda lab: lab.try_("Maintain the chip", qubits=["Q1"]),
    # documents
    "front matter with limits": lambda lab: lab.try_(FRONT.format(fields="limits: none"), qubits=["Q1"]),
    "front matter with an environment": lambda lab: lab.try_(
        FRONT.format(fields="environment: {LABWRIGHT_LIMITS: ''}"), qubits=["Q1"]
    ),
    "a background that lifts them": lambda lab: lab.try_(
        "# Lift\n## Background\nLABWRIGHT_LIMITS= and --limits none hold here.\n## Steps\n- rabi Q1, amplitude = 0.9\n"
    ),
    "a step of a sequence": lambda lab: run_sequence(SEQUENCE.format(step=LOUD), lab.root),
    "a sequence with limits": lambda lab: run_sequence(f"limits: none\n{SEQUENCE.format(step=LOUD)}", lab.root),
    "--with for a parameter": lambda lab: lab.command(
        "run", str(lab.file("p.yaml", plan(QUIET))), "--with", "steps.0.parameters.amplitude=0.9", "--approve", "auto"
    ),
    "--with for limits": lambda lab: lab.command(
        "run", str(lab.file("p.yaml", plan(LOUD))), "--with", "limits=none", "--approve", "auto"
    ),
    "--limits with a wider file": lambda lab: lab.command(
        "--limits", str(lab.file("w.yaml", WIDE)), "run", str(lab.file("p.yaml", plan(LOUD))), "--approve", "auto"
    ),
    "a wider file in the lab's folder": lambda lab: (
        lab.file("lab/limits.yaml", WIDE) and lab.try_(plan(LOUD), lab=str(lab.folder / "lab"))
    ),
    "a device option on the command line": lambda lab: lab.command(
        "calibrate", "rabi Q1, amplitude = 0.9", "--device-option", "limits=none", "--approve", "auto"
    ),
    # a model
    "a model that reads it so": lambda lab: lab.model(Spoiled({WORDS: "rabi Q1, amplitude = 0.9"})),
    "a model that grants what it may not": lambda lab: lab.model(
        grasping(Spoiled({WORDS: "rabi Q1, amplitude = 0.9"}))
    ),
    "a model that proposes more": lambda lab: lab.model(
        Spoiled({WORDS: "rabi Q1, amplitude = 0.3, update = no"}, spoils={SUMMARISE.name: spoiled_proposal}),
    ),
    "a person who edits what a model read": lambda lab: lab.model(
        Spoiled({WORDS: "rabi Q1, amplitude = 0.9"}), WORDS, ("edit", {"yaml": plan(LOUD, limits="none")}), "run"
    ),
    "a person who says it to the reading": lambda lab: lab.model(
        Spoiled({WORDS: "rabi Q1, amplitude = 0.9"}), WORDS, "limits = none", "bounds = none", "run"
    ),
    # a person's form
    "an edit of the amplitude": lambda lab: edited(lab, amplitude=0.9),
    "an edit of the amplitude as text": lambda lab: edited(lab, amplitude="0.9"),
    "an edit that is no number": lambda lab: edited(lab, amplitude=float("nan")),
    "an edit that is negative": lambda lab: edited(lab, amplitude=-0.9),
    "an edit of the limits": lambda lab: edited(lab, limits="none", amplitude=0.9),
    "an edit of what is written": lambda lab: edited(lab, update=True),
    "an edit of the shots": lambda lab: edited(lab, shots=20000),
    # choices
    "a choice from Python": lambda lab: by_function(plan(LOUD), limits=""),
    "a choice of the type": lambda lab: Choices.model_validate({"limits": ""}),
    "a choice in Studio's input": lambda lab: in_state(lab, limits=""),
    "Studio's input, which names nothing": lambda lab: in_state(lab, approval="auto"),
    "an action in a conversation": lambda lab: Start.model_validate(
        {
            "system": "lab_calibration",
            "text": "t1 Q1",
            "file": "",
            "inputs": [],
            "uses": [],
            "after": False,
            "limits": "",
        }
    ),
    "a budget": lambda lab: lab.try_(plan(AGAIN), budget="seconds=100000,calls=100000"),
    # conversation and other agents
    "a chat that lifts them": lambda lab: by_chat(lab, "limits = none", "rabi Q1, amplitude = 0.9"),
    "a chat with a document": lambda lab: by_chat(lab, plan(LOUD, limits="none")),
    "another agent's argument": lambda lab: by_mcp(lab, request="rabi Q1, amplitude = 0.9", limits=""),
    "another agent's document": lambda lab: by_mcp(lab, request=plan(LOUD, limits="none")),
    # resume and fork
    "a resume without the setting": lambda lab: resumed_after(lab, lambda _: lab.without()),
    "a resume with a wider file": lambda lab: resumed_after(lab, lambda _: lab.without(WIDE)),
    "a resume after the file was widened": lambda lab: resumed_after(lab, lambda _: lab.file("limits.yaml", WIDE)),
    "a resume after the file has gone": lambda lab: resumed_after(lab, lambda _: lab.limits.unlink()),
    "a resume without the kept limits": lambda lab: resumed_after(lab, without_kept(lab, lambda _text: "")),
    "a resume with other kept limits": lambda lab: resumed_after(
        lab, without_kept(lab, lambda text: text.replace("0.5", "1.0"))
    ),
    "a resume with another plan": lambda lab: resumed_after(lab, rewritten("spec.yaml", "0.3", "0.9"), "run"),
    "a resume with a plan of wider bounds": lambda lab: resumed_after(
        lab, rewritten("spec.yaml", "steps:", "bounds: {actions: 1000}\nsteps:"), "run"
    ),
    "a resume without the approval": lambda lab: resumed_after(
        lab, lambda run: (run / "approval.json").unlink(), "run"
    ),
    "resumes that measure on": repeated,
    "resumes that are replayed": lambda lab: repeated(lab, rebuild=True),
    "resumes with a budget": lambda lab: repeated(lab, budget="seconds=100000"),
    "resumes without the account": lambda lab: repeated(lab, lambda run: (run / "device_time.jsonl").unlink(True)),
    "a fork": lambda lab: forked(lab, ("edit", {"amplitude": 0.9}), ("edit", {"amplitude": 0.9})),
    # the lab's own code, in good manners
    "an experiment that does not check": lambda lab: grab(lab, "device.acquire(LOUD, self.bench.key + '.1')"),
    "an experiment that writes": lambda lab: grab(
        lab, "device.settings.update('Q1', {'amplitude_pi': 0.6}, key='grab', reason='')"
    ),
    "an experiment with limits of its own": lambda lab: grab(
        lab, "object.__setattr__(device.limits, 'amplitude', (0, 1)); self.bench.acquire(LOUD)"
    ),
    "an experiment that changes the environment": lambda lab: grab(
        lab, "os.environ['LABWRIGHT_LIMITS'] = ''; self.bench.acquire(LOUD)"
    ),
}


@pytest.fixture
def stand(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stand]:
    """The lab; its environment is put back whatever an experiment does to it."""
    yield Stand(root, tmp_path / "files", monkeypatch)
    os.environ.pop("LABWRIGHT_LIMITS", None)


def attempted(name: str, stand: Stand) -> None:
    """Try it; a refusal may come as an error."""
    with contextlib.suppress(ToolError, ValidationError, TypeError):
        ATTEMPTS[name](stand)


@pytest.mark.parametrize(  # every third by default
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (n % 3 > 0)) for n, name in enumerate(ATTEMPTS)]
)
def test_an_attempt_to_loosen_the_limits(name: str, stand: Stand) -> None:
    attempted(name, stand)
    assert stand.held(), (stand.loudest, stand.shots, stand.written)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "a step beyond", "a value that is only known later", "a setting that may not be written",
        "a setting moved too far",
        "repetitions without end", "a parameter beyond", "a model that reads it so", "an edit of the amplitude",
        "an experiment that does not check", "an experiment that writes", "a step of a sequence",
    ],
)  # fmt: skip
def test_without_the_limits_the_attempt_succeeds(name: str, stand: Stand) -> None:
    stand.without()
    attempted(name, stand)
    assert not stand.held(), "it would be no attempt"


def test_an_experiment_that_gets_louder_than_it_was_rehearsed_is_not_played_unapproved(stand: Stand) -> None:
    stand.without()
    grab(stand, "device.acquire(LOUD, self.bench.key + '.1')", approval="risky")
    assert stand.held()


def test_there_are_enough_attempts() -> None:
    assert len(ATTEMPTS) >= 40
