"""The shell's own lines in a conversation: the same parser, the same errors, the conversation's terms."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from talks import DILUTION, talk
from typer.testing import CliRunner

from labwright.apps.chat.chat_output import Shown
from labwright.apps.chat.session import Session
from labwright.apps.cli import app
from labwright.apps.shell_line_parsing import read_line, verb_and_rest
from labwright.graphs.front_desk.command_grammar import HELP
from labwright.graphs.front_desk.message_reading import offered
from labwright.graphs.front_desk.permissions import Terms
from labwright.graphs.front_desk.workers import WORKERS
from labwright.graphs.questions import Question
from labwright.tools.runs import open_run, run_ids

CARD = "system: tool_forging\ntask: chemistry\nmolecules: {H2: '[H][H]'}\nlevels: [HF/STO-3G]\nwanted: [energy]\n"


@pytest.fixture
def session(root: Path) -> Iterator[Session]:
    """A chat whose runs are made and not begun."""
    with talk(approval="always", seed=5) as conversation, WORKERS.held():
        opened = Session(conversation, WORKERS, Shown(root))
        yield opened
        opened.close()


def made(root: Path) -> list[tuple[str, str, dict[str, Any]]]:
    runs = [open_run(root, name).record for name in run_ids(root)]
    return [(run.system, run.asked, run.choices) for run in runs]


@pytest.mark.parametrize(
    ("line", "system", "chosen"),
    [
        ('calibrate "t1 Q2"', "lab_calibration", {"seed": 5, "approval": "always"}),
        ("labwright calibrate 't1 Q2' --seed 3 --approve risky", "lab_calibration", {"seed": 3, "approval": "risky"}),
        ("search --dataset iris --trials 1", "feature_map_search", {"dataset": "iris", "trials": 1, "seed": 0}),
        ("/search --dataset iris --baseline zz", "feature_map_search", {"baselines": ["zz"], "approval": "always"}),
        ("design samples.txt", "protocol_design", {"approval": "always"}),
        ("run samples.txt", "protocol_design", {"approval": "always"}),
        ("samples.txt", "protocol_design", {"approval": "always"}),
        ("forge card.yaml --threads 1", "tool_forging", {"threads": 1}),
    ],
)
def test_a_line_of_the_shell_starts_what_the_shell_would(
    line: str, system: str, chosen: dict[str, Any], session: Session, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("samples.txt").write_text(DILUTION)
    Path("card.yaml").write_text(CARD)
    session.line(line)
    assert ("kernel evaluations" in capsys.readouterr().out) == (system == "feature_map_search")
    [(ran, _, choices)] = made(root)
    assert (ran, {name: choices[name] for name in chosen}) == (system, chosen)


@pytest.mark.parametrize("line", ["search --datset iris", "search --dataset iris very small", "design nowhere.txt"])
def test_what_the_shell_refuses_is_refused_in_its_words(
    line: str, session: Session, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session.line(line)
    said = " ".join(capsys.readouterr().out.split())
    shell = " ".join(CliRunner().invoke(app, line.split(), env={"COLUMNS": "400"}).output.split())
    sentence = said.removeprefix("`search` is not read: ").partition(". `search --help`")[0]
    assert sentence in shell
    assert run_ids(root) == []


@pytest.mark.parametrize(
    "line", ["run it again", "run it as in my notes.md", "search carefully", "calibrate everything"]
)
def test_a_sentence_without_a_model_starts_nothing_and_gets_the_nearest_lines(
    line: str, session: Session, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session.line(line)
    assert "Without a model" in capsys.readouterr().out
    assert run_ids(root) == []


def test_several_seeds_are_several_runs_and_help_is_the_shells(
    session: Session, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session.line("search --dataset iris --seeds 2")
    assert [choices["seed"] for _, _, choices in made(root)] == [0, 1]
    session.line("search --help")
    assert "Rounds of ideas" in capsys.readouterr().out


def test_the_demo_is_that_of_the_simulated_device_whatever_the_conversation_has() -> None:
    line = read_line("demo", Terms(device="lab.py:open"))
    assert {"device", "device_options", "device_folder", "lab"} <= set(line.named)
    assert line.jobs[0].choices.device == "simulated"  # type: ignore[attr-defined]
    other = read_line("calibrate 't1 Q2' --device simulated", Terms(device="lab.py:open", device_options={"rack": 2}))
    assert {"device", "device_options", "device_folder"} <= set(other.named)


def test_a_file_named_beside_an_open_question_is_an_answer(session: Session, root: Path) -> None:
    Path("samples.txt").write_text(DILUTION)
    session.question = Question(id="data", kind="clarify", title="Which data?", body_markdown="", options=[], free=True)
    session.line("samples.txt")
    assert run_ids(root) == []


def test_a_sentence_beside_an_open_question_is_its_answer_and_no_error(
    session: Session, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[str] = []
    monkeypatch.setattr(session, "give", lambda answer: given.append(answer.decision))
    session.question = Question(id="data", kind="clarify", title="Which data?", body_markdown="", options=[], free=True)
    session.line("search over iris")
    assert (given, capsys.readouterr().out) == (["search over iris"], "")


@pytest.mark.parametrize(
    "line",
    [
        "calibrate 't1 Q2' --lab mine",
        "forge card.yaml --input card.yaml",
        "forge card.yaml --allow-weak-sandbox",
        "calibrate 't1 Q2' --device mine.py:open",
        "search --dataset iris --papers-from mine:load",
    ],
)
def test_a_window_of_the_console_grants_only_what_the_operator_granted(
    line: str, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("card.yaml").write_text(CARD)
    Path("mine").mkdir()
    with talk() as conversation, WORKERS.held():
        window = Session(conversation, WORKERS, Shown(root), operator=False)
        window.line(line)
        assert "whoever starts `labwright serve`" in " ".join(capsys.readouterr().out.split())
        assert run_ids(root) == []
        window.line("calibrate 't1 Q2' --seed 3")
        assert len(run_ids(root)) == 1
        window.close()


def test_a_key_in_a_line_of_the_shell_is_kept_nowhere(
    session: Session, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABWRIGHT_API_KEY", "sk-planted-in-a-line")
    Path("samples.yaml").write_text(DILUTION)
    session.line("run samples.yaml --with title=sk-planted-in-a-line")
    assert len(run_ids(root)) == 1
    kept = [path for path in root.parent.rglob("*") if path.is_file() and b"sk-planted-in-a-line" in path.read_bytes()]
    assert kept == []


def test_every_command_that_starts_a_system_is_taken_and_no_other_word() -> None:
    assert verb_and_rest("labwright search --dataset iris") == ("search", "--dataset iris")
    assert verb_and_rest("Search for it\nand more") == verb_and_rest("doctor") == ("", "")
    assert read_line("demo --seed 4", Terms()).jobs[0].choices.device_options["frequency_offset"] == 1.5  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("How long does Q2 stay excited?", "t1 Q2"),
        ("Compute the ground state energy of H2", "run task-vqe"),
        ("search --dataset digits, a very small search", "run search"),
        ("a calibration series of caffeine", "run protocol-calibration"),
    ],
)
def test_the_nearest_line_to_free_words_is_of_the_right_system(words: str, line: str) -> None:
    assert line in offered(words, Terms()).splitlines()[2]


def test_run_says_which_commands_take_words(root: Path) -> None:
    done = CliRunner().invoke(app, ["run", "ground state energy of H2"])
    assert (done.exit_code, "forge (computations)" in done.output) == (2, True)


def test_the_searches_and_designs_of_the_help_are_lines_that_run(session: Session, root: Path) -> None:
    lines = [line.strip() for line in HELP.splitlines() if line.startswith("search --")]
    for line in [*lines, "run protocol-calibration"]:
        assert line in HELP
        session.line(line)
    assert [system for system, _, _ in made(root)] == ["feature_map_search", "protocol_design"]
