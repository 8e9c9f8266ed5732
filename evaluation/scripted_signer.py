"""Signs findings in unattended suites as a named person, with a file of persons of its own.

Suites measure whether the right protocol is written; that a person is needed is counted as a question like any other.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from labwright.graphs.questions import Answer, Question
from labwright.graphs.running import OnQuestion
from labwright.tools import named_persons
from labwright.tools.runs.run import run_ids

NAME = "evaluation"


@contextmanager
def named_person(root: Path, others: OnQuestion | None = None) -> Iterator[OnQuestion]:
    """Who answers the questions of the newest run in `root`: signs findings, and leaves the rest to `others`."""
    file, passphrase = root / ".people.json", secrets.token_hex(8)
    named_persons.add(file, NAME, passphrase)

    def answer(question: Question) -> Answer | None:
        if not question.signs:
            return others(question) if others else None
        named_persons.sign(file, root / run_ids(root)[-1], question.signs, NAME, passphrase)
        return Answer(id=question.id, decision=question.options[0].value)

    with patch.dict(os.environ, LABWRIGHT_PEOPLE=str(file)):
        yield answer
