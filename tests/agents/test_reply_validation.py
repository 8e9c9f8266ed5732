"""A reply is found in the words around it where only one can be meant; a fault in it is shown where it stands."""

from __future__ import annotations

from pathlib import Path

import pytest
from add_up import Sentence, Sum, adding

from labwright.agents.reply_validation import judge

ASKED = Sentence(sentence="add 1 and 2")
REPLY = '{"answer": {"numbers": [1, 2], "total": 3}, "question": null, "refusal": null}'


@pytest.mark.parametrize(
    "said",
    [
        f"Here is my reply:\n\n```json\n{REPLY}\n```\nThat is all.",
        f"The sum is 3. {REPLY}",
        f'{REPLY}\nI added {{"numbers": 2}}.',
    ],
)
def test_the_one_reply_in_prose_is_taken(said: str, tmp_path: Path) -> None:
    assert judge(adding(tmp_path), ASKED, said).reply == Sum(numbers=[1, 2], total=3)


@pytest.mark.parametrize("said", [f"{REPLY}\nor\n{REPLY}", f"{{broken {REPLY}}}", f'[1, {{"a": {REPLY}', "It is {3}."])
def test_what_could_be_meant_otherwise_is_not_guessed(said: str, tmp_path: Path) -> None:
    verdict = judge(adding(tmp_path), ASKED, said)
    assert verdict.reply is None
    assert "not JSON" in verdict.findings[0]


def test_a_fault_is_shown_where_it_stands(tmp_path: Path) -> None:
    broken = REPLY.replace("[1, 2],", "[1, 2]")
    (said,) = judge(adding(tmp_path), ASKED, broken).findings
    assert '[1, 2] "total": 3' in said
    assert len(said) < 120
