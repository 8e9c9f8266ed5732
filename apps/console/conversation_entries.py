"""What was said in a conversation, as its windows show it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from labwright.apps.chat.chat_output import Shown
from labwright.apps.console.files import run_at

if TYPE_CHECKING:
    from labwright.graphs.front_desk.state import Reply
    from labwright.graphs.questions import Question

Who = Literal["person", "desk", "note", "wrong"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that was said.

    Attributes:
        kind: of the desk's replies, else empty.
        figures: (id of the run, path in its folder).
    """

    who: Who
    text: str
    kind: str = ""
    run_id: str = ""
    status: str = ""
    figures: tuple[tuple[str, str], ...] = ()


@dataclass
class Recorder(Shown):
    """What a chat prints, kept for the windows instead."""

    add: Callable[[Entry], None] = lambda entry: None

    def event(self, run_id: str, event: dict[str, Any]) -> None:
        """Stages are shown by the runs' own cards."""

    def reply(self, reply: Reply) -> None:
        """One thing that the desk says."""
        figures = owned(self.root, reply["figures"])
        self.add(Entry("desk", reply["text"], reply["kind"], reply["run_id"], reply["status"], figures))

    def question(self, question: Question, run_id: str, part: str = "new") -> None:
        """The windows draw the question that the talk holds."""

    def said(self, text: str, style: str = "") -> None:
        """A line of the chat's own."""
        self.add(Entry("wrong" if style == "red" else "note", text))


def owned(root: Path, paths: list[str]) -> tuple[tuple[str, str], ...]:
    """`paths` of figures as (run, path in its folder); what lies in no run's folder is left out."""
    found = []
    for path in paths:
        try:
            run_id, *rest = Path(path).relative_to(root).parts
        except ValueError:
            continue
        if rest and run_at(root, run_id) is not None:
            found.append((run_id, "/".join(rest)))
    return tuple(found)
