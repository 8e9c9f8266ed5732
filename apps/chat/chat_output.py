"""What the chat prints: what the desk says, the stages of runs as they end, results, figures, questions."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rich.console import Console, RenderableType

from labwright.apps.chat.inline_images import Way, drawn
from labwright.apps.exits import Watch
from labwright.apps.progress import TableProgress
from labwright.apps.system_displays import face_of
from labwright.apps.terminal_output import STYLE, Screen, escape, legible, out, print_assumed
from labwright.apps.terminal_questions import show
from labwright.tools.errors import RecordError
from labwright.tools.runs import Run, load_run, read_result

if TYPE_CHECKING:
    from labwright.graphs.front_desk.conversation import Turn
    from labwright.graphs.front_desk.state import Reply
    from labwright.graphs.questions import Question

Part = Literal["new", "title", "whole"]  # of a question
RESULTS = "results.json"  # every number and curve of a computation
REST = "`/look` shows all of it."
MOST_INLINE = 2  # figures of one run that are drawn; the paths of all are listed


@dataclass
class Shown:
    """Prints to stdout; every call makes its console anew, because a line editor may have replaced the stream.

    Attributes:
        root: folder of the runs.
        way: how figures are shown.
        stages: whether the stages of runs are told as they end.
    """

    root: Path
    way: Way = "paths"
    stages: bool = True
    _progress: dict[str, TableProgress[Any]] = field(default_factory=dict)
    _warned: set[str] = field(default_factory=set)
    _begun: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="milliseconds"))

    def event(self, run_id: str, event: dict[str, Any]) -> None:
        """One event of a run: a finished stage, trial or step is one line."""
        run = self._run(run_id)
        if run is None or not self.stages:
            return
        if event.get("kind") == "warning":  # such as of the sandbox: each run of the chat has it
            if event["text"] in self._warned:
                return
            self._warned.add(event["text"])
        if run_id not in self._progress:
            watch = Watch(self.root, run_id)
            self._progress[run_id] = face_of(run).progress(_plain(), watch, quiet=False)
            for old in run.events.read():  # of an earlier process: stages are counted on
                if old["time"] < self._begun:
                    self._progress[run_id].recall(old)
        self._progress[run_id].console = _plain()
        self._progress[run_id].hear(event)

    def turn(self, turn: Turn) -> None:
        """What the desk says, then what it asks."""
        for reply in turn.replies:
            self.reply(reply)
        if turn.question is not None:
            self.question(turn.question, turn.run_id)

    def reply(self, reply: Reply) -> None:
        """One thing that the desk says."""
        console, run = out(), self._run(reply["run_id"]) if reply["run_id"] else None
        if reply["kind"] in ("ended", "shown") and run is not None:
            self._ended(run, reply)
            return
        console.print(escape(reply["text"]), soft_wrap=not console.is_terminal)
        self.figures(reply["figures"])

    def _ended(self, run: Run, reply: Reply) -> None:
        console, status = out(), reply["status"]
        console.print()
        console.print(f"[{STYLE.get(status, 'yellow')}]{status.upper()}[/]  {escape(run.run_id)}", soft_wrap=True)
        result = (read_result(run) or {}).get("result", {})
        if reply["kind"] == "shown" and (done := face_of(run).history(run, console.width)) != "":
            console.print(done)
        tables, report = face_of(run).found(result, run.folder), run.folder / "report.md"
        told = reply["text"] if not tables or status != "complete" else ""
        if told:
            console.print(escape(told), soft_wrap=True)
        for table in tables:
            console.print(table)
        print_assumed(console, [] if told else result.get("assumptions", []))
        if report.exists() and str(report) not in told:
            console.print(f"report    {escape(str(report))}", soft_wrap=True)
        if tables and (run.folder / RESULTS).is_file():
            console.print(f"data      {escape(str(run.folder / RESULTS))}", soft_wrap=True)
        if result.get("xml"):
            console.print(f"file      {escape(str(run.folder / result['xml']))}", soft_wrap=True)
        self.figures(reply["figures"])

    def figures(self, paths: list[str]) -> None:
        """The paths of figures, and the first of them inside the terminal where it can."""
        for number, path in enumerate(paths):
            out().print(f"figure    {escape(path)}", soft_wrap=True)
            if self.way != "paths" and number < MOST_INLINE:
                try:
                    sys.stdout.write(drawn(Path(path), self.way))
                except OSError as fault:
                    out().print(f"(it cannot be shown here: {escape(str(fault))})", soft_wrap=True)
        sys.stdout.flush()

    def question(self, question: Question, run_id: str, part: Part = "new") -> None:
        """What waits for the person: what is new in it, or its title and options, or the whole."""
        console = out()
        console.print()
        if run_id:
            console.print(f"[bold yellow]{escape(run_id)} asks:[/]", soft_wrap=True)
        new = (
            "" if part == "whole" else REST if part == "title" else question.changed and f"{question.changed}\n\n{REST}"
        )
        show(question, console, body=new if question.body_markdown else "")

    def said(self, text: str, style: str = "") -> None:
        """A line of the chat's own."""
        out().print(f"[{style}]{escape(text)}[/]" if style else escape(text), soft_wrap=True)

    def running(self, run_ids: list[str], width: int, most: int) -> str:
        """The newest rows of the tables of runs that go on, as text with colours; at most `most` lines."""
        lines: list[str] = []
        for run_id in run_ids:
            run = self._run(run_id)
            if run is None:
                continue
            rows = [row for row in _rendered(face_of(run).history(run, width), width) if row]
            lines += [legible(run_id), *rows[-max(2, most // max(1, len(run_ids)) - 1) :]]
        return "\n".join(lines[-most:])

    def _run(self, run_id: str) -> Run | None:
        try:
            return load_run(self.root / run_id)
        except RecordError:
            return None


def _plain() -> Console:
    """A console that does not redraw: the line editor owns the last lines of the screen."""
    made = out()
    return Screen(file=made.file, width=made.width, force_terminal=False, highlight=False)


def _rendered(table: RenderableType, width: int) -> list[str]:
    console = Screen(width=width, force_terminal=True, color_system="standard", highlight=False)
    with console.capture() as captured:
        console.print(table)
    return captured.get().rstrip("\n").split("\n")
