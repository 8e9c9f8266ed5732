"""Published cases: items of a file that `--data` names, one typed question each, graded by code.

The data stay outside: a user downloads them, and a file of another form is refused with the item and the field.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from labwright.agents.errors import AgentGaveUp
from labwright.agents.typed_call import AgentCall, Question, Refusal, Runtime, without_words
from labwright.evaluation.language_suites import outcome_of
from labwright.evaluation.runner import Context, Options, Row
from labwright.tools.errors import InputError

OPTIONS: Options = {"data": None, "tasks": (), "seeds": 0, "mind": "rules"}  # seeds: so many drawn items; 0: all
CHOOSES = ("data", "tasks", "seeds")


class PublishedIn(BaseModel):
    """A question as it was published, and what belongs to it."""

    question: str
    material: dict[str, str] = {}
    choices: list[str] = []
    form: Literal["one of the choices", "text"] = "text"


class PublishedOut(BaseModel):
    """The answer alone, and why."""

    model_config = ConfigDict(extra="forbid")
    answer: str = Field(description="One of the choices letter by letter, or JSON, or text, as `form` says.")
    reason: str = Field(description="What speaks for it, in one or two sentences.")


def _faults(given: PublishedIn, said: PublishedOut) -> list[str]:
    if said.answer in given.choices or not given.choices:
        return []
    return [f"`answer` must be one of {given.choices}, but is {said.answer!r}."]


PUBLISHED = AgentCall(
    "evaluation.published", "evaluation/published.md", PublishedIn, PublishedOut, without_words, check=_faults
)


class Item(BaseModel):
    """One published item; fields that we do not use may stand beside ours."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    @property
    def key(self) -> str:
        """Its published name."""
        raise NotImplementedError


Form = TypeVar("Form", bound=Item)


@dataclass(frozen=True, slots=True)
class Case:
    """One item of a file."""

    name: str
    data: str
    seed: int = 0


@cache
def load(path: str, form: type[Form], what: str) -> dict[str, Form]:
    """The items of a file by their published names: a JSON list, or one object a line.

    Raises:
        InputError: there is no such file, or it is not what was published: an item lacks a field, or has another
            type there; or there is none.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
        plain = json.loads(text) if text.lstrip().startswith("[") else [json.loads(each) for each in text.splitlines()]
    except FileNotFoundError as error:
        raise InputError(f"There is no file {path}. --data names {what}.") from error
    except (OSError, ValueError) as error:
        raise InputError(f"{path} is not {what}: {error}.") from error
    found: dict[str, Form] = {}
    for number, each in enumerate(plain):
        try:
            item = form.model_validate(each)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "the whole"
            raise InputError(f"{path} is not {what}: item {number}, {where}: {first['msg']}.") from error
        found[item.key] = item
    if not found:
        raise InputError(f"{path} is not {what}: it holds no item.")
    return found


def path_of(options: Options, what: str) -> str:
    """What `--data` names.

    Raises:
        InputError: it was left out.
    """
    if not options["data"]:
        raise InputError(f"Name the published data: --data PATH of {what}.")
    return str(Path(options["data"]).expanduser().absolute())


def chosen(names: Sequence[str], options: Options) -> list[Case]:
    """All items, those of `tasks`, or as many as `seeds` drawn without a choice of ours."""
    wanted = [name for name in names if not options["tasks"] or name in options["tasks"]]
    if 0 < options["seeds"] < len(wanted):
        wanted = sorted(random.Random(0).sample(wanted, options["seeds"]))
    return [Case(name, str(options["data"])) for name in wanted]


def asked(context: Context, given: PublishedIn) -> tuple[PublishedOut | None, dict[str, Any]]:
    """The answer, or None; and the row as far as it goes without a grade."""
    try:
        reply: PublishedOut | Question | Refusal = context.mind.answer(PUBLISHED, given, Runtime())
    except AgentGaveUp as error:
        reply = Refusal(reason=str(error))
    if isinstance(reply, PublishedOut):
        return reply, {"said": reply.answer, "reason": reply.reason}
    return None, {"said": "", "reason": reply.text if isinstance(reply, Question) else reply.reason,
                  "outcome": "asked" if isinstance(reply, Question) else "refused"}  # fmt: skip


def graded(row: Row, score: float) -> Row:
    """The row with its grade; what is half right has not passed."""
    right = score >= 1.0
    return {"outcome": outcome_of(right, "done"), **row, "score": score, "passed": right,
            "faults": "" if right else row["reason"][:300]}  # fmt: skip
