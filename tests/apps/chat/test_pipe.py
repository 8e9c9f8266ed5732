"""``labwright chat`` through a pipe: lines in, work done, questions answered by the next lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from designs import AZIDE
from scripted_model import Reply, ScriptedModel
from talks import DILUTION, decided
from typer.testing import CliRunner, Result

from labwright.apps.chat import piped
from labwright.apps.chat.piped import messages
from labwright.apps.cli import app
from labwright.tools import named_persons
from labwright.tools.runs import list_runs, open_run, read_result, summarise
from labwright.tools.runs.run import load_run, run_ids

BLOCK = f'"""\n{DILUTION}\n"""\n'  # several lines that are one message


def chat(text: str, *options: str) -> Result:
    return CliRunner().invoke(app, ["chat", *options], input=text)


def test_one_line_of_echo_does_the_work_unattended(root: Path) -> None:
    done = chat("Measure T1 of Q1\n", "--approve", "auto", "--answers", "defaults")
    assert done.exit_code == 0, done.output
    [run] = list_runs(root)
    assert (run.system, run.status) == ("lab_calibration", "complete")
    assert "COMPLETE" in done.stdout
    figures = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("figure")]
    assert figures
    assert all(Path(path).is_file() for path in figures)
    assert "\x1b" not in done.stdout


def test_a_block_is_one_message_and_the_next_line_answers_its_question(root: Path) -> None:
    done = chat(f"{BLOCK}write\ncost\n")
    assert done.exit_code == 0, done.output
    [run] = list_runs(root)
    assert run.status == "complete"
    assert "Write the robot's file?" in done.stdout
    assert "1 run and this conversation, in all: model calls 0" in done.stdout


def test_a_question_that_nobody_answers_ends_with_3_and_the_conversation_goes_on(root: Path) -> None:
    done = chat(BLOCK)
    assert done.exit_code == 3, done.output
    assert "Write the robot's file?" in done.stdout
    [line] = [line for line in done.stdout.splitlines() if line.startswith("Go on with: labwright ")]
    name = line.rpartition(" ")[2]
    assert not (root / list_runs(root)[0].run_id / "robot").exists()
    went_on = chat("write\n", "--continue", name)
    assert went_on.exit_code == 0, went_on.output
    assert list_runs(root)[0].status == "complete"


def test_what_is_refused_leaves_with_the_code_of_every_command(root: Path) -> None:
    done = chat("Measure T1 of Q77\n")
    assert done.exit_code == 2, done.output
    assert "no qubit 'Q77'" in done.stdout


def test_a_slip_is_no_approval(root: Path) -> None:
    done = chat(f"{BLOCK}yes\n5\nok go\n")
    assert done.exit_code == 3
    assert "'yes' does not say which one" in done.stdout
    assert all(f"Not read: «{words}»" in done.stdout for words in ("5", "ok go"))
    run = open_run(root, "latest")
    assert [event["decision"] for event in run.events.read() if event["kind"] == "answer"] == ["5", "ok go"]
    assert summarise(run).status == "interrupted"
    assert not (run.folder / "robot").exists()


def test_a_finding_needs_a_signature_that_no_line_of_the_chat_can_give(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = root.parent / "people.json"
    monkeypatch.setenv("LABWRIGHT_PEOPLE", str(file))
    named_persons.add(file, "jane", "correct horse")
    said = chat(f'"""\n{AZIDE}\n"""\naccept\njane, correct horse\n', "--approve", "auto", "--answers", "defaults")
    assert said.exit_code == 3, said.output
    assert "hydrazoic acid" in said.stdout
    assert "Nobody whom this laboratory knows has signed" in said.stdout
    run = open_run(root, "latest")
    assert not (run.folder / "robot").exists()
    question = (read_result(run) or {})["questions"][0]
    named_persons.sign(file, run.folder, question["signs"], "jane", "correct horse")
    done = chat("accept\n", "--continue", "latest")
    assert done.exit_code == 0, done.output
    assert (read_result(open_run(root, "latest")) or {})["result"]["accepted"]["by"]["name"] == "jane"


def test_a_model_that_cannot_be_reached_is_said_with_what_works_and_the_plan_is_not_repeated(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"base_url": "http://127.0.0.1:9/v1", "api_key": "none", "retries": "0"}.items():
        monkeypatch.setenv(f"LABWRIGHT_{name.upper()}", value)
    first = chat(BLOCK, "--model", "openai:none")
    assert "Order of addition" in first.stdout
    done = chat("where is it\n", "--model", "openai:none", "--continue", "latest")
    assert "openai:none at http://127.0.0.1:9/v1 cannot be reached. Check LABWRIGHT_BASE_URL" in done.stdout
    assert "still waits; this answers it: write, edit, abort, PATH = VALUE." in done.stdout
    assert not [words for words in ("make sense", "Order of addition") if words in done.stdout]
    whole = chat("/look\n", "--model", "openai:none", "--continue", "latest")
    assert whole.stdout.count("Order of addition") == 1


def test_who_is_asked_is_told_while_a_model_is_slow(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(piped, "SLOW", (0.1,))
    monkeypatch.setattr(piped, "PATIENCE", 0.05)
    slow = Reply.answer(decided({"kind": "say", "text": "Late."}), delay=0.6)
    with ScriptedModel([slow]) as model:
        for name, value in {"base_url": model.url, "api_key": "none"}.items():
            monkeypatch.setenv(f"LABWRIGHT_{name.upper()}", value)
        done = chat("hello there\n", "--model", "openai:scripted")
    sign, answer = done.stdout.index("openai:scripted is asked (front desk, decide)"), done.stdout.index("Late.")
    assert sign < answer


def test_an_edit_changes_the_step_and_asks_again(root: Path) -> None:
    done = chat(f"{BLOCK}/edit step_2 = PDT Tip1000uL\n/approve\n")
    assert done.exit_code == 0, done.output
    document = read_result(open_run(root, "latest"))
    assert document is not None
    assert document["result"]["steps"][1]["tags"] == ["PDT", "Tip1000uL"]


def test_lines_become_messages() -> None:
    lines = ["one\n", "two \\\n", "three\n", '"""\n', "four\n", "\n", "five\n", '"""\n', "six"]
    assert list(messages(lines)) == ["one", "two \nthree", "four\n\nfive", "six"]


def test_a_written_specification_runs_in_the_chat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LABWRIGHT_RUNS", str(tmp_path / "runs"))
    step = "t1 Q1, points = 21, shots = 500"
    spec = f'{{system: lab_calibration, seed: 3, steps: ["{step}"]}}'
    (tmp_path / "two.yaml").write_text(f"system: sequence\nsteps:\n  - {{label: one, spec: {spec}}}\n")
    said = CliRunner().invoke(app, ["chat", "--approve", "auto"], input="/run missing.yaml\n/run two.yaml\n")
    assert said.exit_code == 0, said.output
    assert "missing.yaml" in said.output
    runs = [load_run(tmp_path / "runs" / name) for name in run_ids(tmp_path / "runs")]
    done = {run.record.system: summarise(run).status for run in runs if run.record.system != "front_desk"}
    assert done == {"sequence": "complete", "lab_calibration": "complete"}
