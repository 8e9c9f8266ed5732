"""One conversation without a model, with every command and form of the help; and the help names every command."""

from __future__ import annotations

from pathlib import Path

import pytest
from talks import DILUTION
from typer.testing import CliRunner

from labwright.apps.chat import commands as slash
from labwright.apps.cli import app
from labwright.graphs.front_desk import command_grammar
from labwright.graphs.front_desk.command_grammar import HELP, read_command
from labwright.tools.runs import list_runs

# line typed -> what the chat says of it
CONVERSATION: tuple[tuple[str, str], ...] = (
    ("help", "Commands of this chat"),
    ("/help", "RUN is an id"),
    ("hello, could you measure something nice?", "Without a model I take commands and the short form only"),
    ("examples", "task-chain"),
    ("t1 Q1, points = 21, shots = 400", "COMPLETE"),
    ("show", "Q1"),
    ("why", "decided by the rule of the stage"),
    ("why #1 1", "measured t1 (qubit = Q1"),
    ("again with stop = 200 us", "Started the calibration"),
    ("compare", "specification steps.0.parameters.stop: 200 us | -"),
    ("compare #1 #2", "specification steps.0.parameters.stop: - | 200 us"),
    ("cost", "2 runs and this conversation, in all: model calls 0"),
    ("cost #1", "1 run and this conversation"),
    ("runs", "#2"),
    ("status #1", "is complete"),
    ("/fork #2 0", "begins where"),
    ("remember the fridge is warm", "Without a model"),
    ("/remember", "/remember WORDS           keep a note"),
    ("/remember the fridge is warm", "I keep in mind (preference)"),
    ("/remember toolset tools", "I keep in mind (toolset)"),
    ("run protocol-calibration with groups.0.replicates = 2, outputs = []", "Write the robot's file?"),
    ("never mind", "waits. `resume` asks again"),
    ("stop", "Nothing runs."),
    ("resume", "Write the robot's file?"),
    ("status", "It asks: Write the robot's file?"),
    ("/look", "Write the robot's file?"),
    ("/edit step_1 = SyringePump Backsolvent", "has your answer: edit"),
    ("/answer write", "COMPLETE"),
    ("/approve always", "approval is always"),
    ("/model rules", "model is rules"),
    ("/model", "model     rules"),
    ("/new what is this", "Without a model"),
    ("/new protocol", "An empty line takes the default"),
    ("stop", "The form is left."),
    ("/new search", "An empty line takes the default"),
    ("/drop", "The form is left."),
    ("run written.yaml", "Started the design"),
    ("/approve", "COMPLETE"),
    ("thanks", "You are welcome."),
    ("/quit", ""),
)


def test_every_command_and_form_of_the_help(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("written.yaml").write_text(DILUTION.split("---")[1])
    lines = [line for line, _ in CONVERSATION]
    done = CliRunner().invoke(app, ["chat", "--answers", "ask"], input="\n".join(lines) + "\n")
    assert done.exit_code == 0, done.output
    rest = done.stdout
    for line, expected in CONVERSATION:
        if line == "/quit":
            break
        _, found, rest = rest.partition(f"> {line}\n")
        assert found, (line, done.stdout[-3000:])
        said = rest.partition("\n> ")[0]
        assert expected in said, (line, said)
    assert len(list_runs(root)) == 5  # nothing but what was asked for


def test_the_help_names_every_command_and_the_conversation_tries_each() -> None:
    typed = " ".join(line for line, _ in CONVERSATION)
    for name in (*command_grammar.READERS, *command_grammar.SAYS):
        if name not in ("pause", "thank you"):  # other words for stop and thanks
            assert name in HELP, name
            assert name in typed, name
    for name in slash.COMMANDS:
        assert f"/{name}" in f"{slash.HELP}", name
        assert name in ("resume",) or f"/{name}" in typed, name


@pytest.mark.parametrize(
    "line",
    [
        "why did it repeat the Ramsey?", "stop the Q2 calibration please", "show me the results", "run something quick",
        "again but with more shots", "compare it with yesterday's", "status of my run", "help me calibrate Q1",
        "run ramsey Q1", "resume where we were", "again with more shots", "cost of chemicals", "examples please",
        "remember that Q2 was bad yesterday?", "remember device numbers matter", "run it as in my notes.md",
        "run what I wrote in plan.yaml",
    ],
)  # fmt: skip
def test_a_sentence_that_begins_like_a_command_is_none(line: str) -> None:
    assert read_command(line) is None


@pytest.mark.parametrize(
    "line",
    [
        "Stop.",
        "STATUS?",
        "/why",
        "Never mind!",
        "thank you",
        "again #1 with a = [1, 2], b = 3",
        "/remember the fridge is warm",
        "run notes.md",
        "/run my notes.md",
    ],
)
def test_a_command_may_have_a_slash_capitals_and_a_full_stop(line: str) -> None:
    assert read_command(line) is not None
