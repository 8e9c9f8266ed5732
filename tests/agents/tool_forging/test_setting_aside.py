"""Words that nobody understands: a person may have the task done without them, and nobody else."""

from __future__ import annotations

from pathlib import Path

import pytest

from labwright.agents.call import Question, Refusal
from labwright.agents.tool_forging.analyse import AnalyseIn, Analysis, analyse_by_rules
from labwright.agents.tool_forging.clarified import GO_ON, STOP, mended, set_aside
from labwright.agents.tool_forging.readers.base import TaskText
from labwright.agents.tool_forging.reading_task import NoRecipe, read_task
from labwright.agents.tool_forging.setting_aside import question_for
from labwright.tools.forge.workspace import Workspace

TASK = (
    "A qubit with H = 0.5 X and T1 = 5 starts in |0>.\nCompute <Z> for t = 0 to 10 in 101 points.\n"
    "Also compute its emission\nspectrum.\n"
)


def asked(text: str) -> Question:
    task = TaskText(text)
    reply = read_task(task)
    assert isinstance(reply, NoRecipe), reply
    question = question_for(task, reply, read_task)
    assert question is not None
    return question


def answered(text: str, answer: str) -> str:
    title = asked(text).text.partition("\n\n")[0]
    return f"{text.rstrip()}\n\n## Clarifications\n- {title} {answer}\n"


def test_the_question_names_the_words_and_shows_how_the_rest_is_read() -> None:
    question = asked(TASK)
    assert question.options == [GO_ON, STOP]
    title, _, body = question.text.partition("\n\n")
    assert "\n" not in title
    assert "spectrum" in title
    assert "hamiltonian 0.5 X" in body
    assert "expectation" in body


@pytest.mark.parametrize("answer", [GO_ON, "yes", "Go on without them."])
def test_with_a_yes_the_rest_is_read_and_the_report_says_so(answer: str) -> None:
    text = answered(TASK, answer)
    read = read_task(TaskText(mended(text)))
    assert isinstance(read, list), read
    assert [one.family for one in read] == ["open_system"]
    assert len(set_aside(text)) == 1
    assert "as a person decided" in set_aside(text)[0]


@pytest.mark.parametrize("answer", [STOP, "no", "Stop.", "abort"])
def test_with_a_no_nothing_is_left_out(answer: str) -> None:
    text = answered(TASK, answer)
    assert isinstance(read_task(TaskText(mended(text))), NoRecipe)
    assert set_aside(text) == []


def test_words_said_otherwise_stand_in_their_place() -> None:
    text = answered(TASK, "Also compute the purity.")
    read = read_task(TaskText(mended(text)))
    assert isinstance(read, list), read
    assert read[0].spec.model_dump()["wants"] == ["expectation", "purity"]
    assert set_aside(text) == [
        "Said otherwise by a person: Also compute its emission spectrum. Now: Also compute the purity."
    ]
    assert isinstance(read_task(TaskText(mended(answered(TASK, "it is important")))), NoRecipe), "as little understood"


def test_where_the_rest_is_no_task_the_words_can_only_be_said_otherwise() -> None:
    text = "A qubit with H = 0.5 X and T1 = 5 starts in |0>. Compute its luminosity for t = 0 to 10 in 101 points."
    reply = read_task(TaskText(text))
    assert isinstance(reply, NoRecipe)
    question = question_for(TaskText(text), reply, read_task)
    assert question is not None
    if question.options == [STOP]:
        assert "not understood either" in question.text
    title, answer = question.text.partition("\n")[0], "Compute <Z> for t = 0 to 10 in 101 points."
    told = f"{text}\n\n## Clarifications\n- {title} {answer}\n"
    assert isinstance(read_task(TaskText(mended(told))), list)


def test_a_task_of_which_nothing_is_understood_is_refused_without_a_question() -> None:
    task = TaskText("Train a neural network on my data and plot its loss.")
    reply = read_task(task)
    assert isinstance(reply, NoRecipe)
    assert question_for(task, reply, read_task) is None


def test_the_analyser_asks_once_and_takes_stop_for_an_answer(tmp_path: Path) -> None:
    blank = Workspace(tmp_path)
    first = analyse_by_rules(AnalyseIn(task=TASK), blank)
    assert isinstance(first, Question)
    stopped = analyse_by_rules(AnalyseIn(task=answered(TASK, STOP)), blank)
    assert isinstance(stopped, Refusal)
    assert "no recipe for" in stopped.reason
    again = analyse_by_rules(AnalyseIn(task=answered(TASK, "it is important")), blank)
    assert isinstance(again, Question)
    assert again.text.startswith('That answer is not understood: "it is important". These words')
    done = analyse_by_rules(AnalyseIn(task=answered(TASK, GO_ON)), blank)
    assert isinstance(done, Analysis)
    assert any("as a person decided" in one for one in done.assumptions)
