"""A coding program of somebody else as the mind of workspace tasks; typed calls go to another mind."""

from __future__ import annotations

import dataclasses
import shutil
import threading
import time
from dataclasses import dataclass
from typing import Any, cast

from pydantic import BaseModel

from labwright.agents.call import AgentCall, In, Mind, Out, Question, Refusal, Runtime
from labwright.agents.coders import Coder, Heard, lines_of
from labwright.agents.errors import AgentGaveUp, BudgetExceeded, ModelUnavailable
from labwright.agents.events import announce, announce_step, traced
from labwright.agents.looks import Looks
from labwright.agents.meter import Meter, Usage
from labwright.agents.model_mind import complaint
from labwright.agents.replies import Verdict, judge
from labwright.agents.workspace_task import WorkspaceTask
from labwright.tools.errors import InputError
from labwright.tools.sandbox.base import Limits
from labwright.tools.sandbox.granted import Grant, GrantedSandbox
from labwright.tools.workspace.workspace import Workspace, shortened

ANSWER, FOLDER = "answer.json", "coder"  # of the reply and of the instructions, in the workspace
MESSAGE = (
    "Follow the instructions in the file {path} of the current folder, to their end. Nobody will answer questions."
)
HOW = """

## Where the reply goes

Write the reply, that one JSON object, to the file `answer.json` at the top of the workspace as your last act. What you
print is not read.

"""


@dataclass
class CoderMind:
    """Works with a coding program that is installed.

    Attributes:
        coder: which program, and how it is called.
        calls: answers typed calls.
        meter: counts what the program tells of its use; the budget ends it while it runs.
        model: for the program; empty for its own default.
        repairs: how often an invalid answer goes back.
        grant: what the program gets beyond the sandbox; None for nothing: then it has no network.
        memory_mb: address space of one process; these programs reserve much more than they use.
    """

    coder: Coder
    calls: Mind
    meter: Meter
    model: str = ""
    repairs: int = 2
    grant: Grant | None = None
    memory_mb: int = 65536

    @property
    def name(self) -> str:
        """Program and model."""
        return f"{self.coder.name}:{self.model}" if self.model else self.coder.name

    @property
    def reads_words(self) -> bool:
        """As who answers the calls does."""
        return self.calls.reads_words

    @property
    def sees_images(self) -> bool:
        """Whether the mind of the typed calls looks at figures; the program may look at them anyway."""
        return self.calls.sees_images

    def answer(self, call: AgentCall[In, Out], input: In, runtime: Runtime | None = None) -> Out | Question | Refusal:
        """A typed call is answered by `calls`."""
        return self.calls.answer(call, input, runtime)

    def work(
        self, task: WorkspaceTask[In, Out], input: In, workspace: Workspace, runtime: Runtime | None = None
    ) -> Out | Question | Refusal:
        """Let the program work in `workspace`; see `labwright.agents.workspace_task.WorkspaceMind`."""
        hired = _Hired(self, task, input, workspace, runtime or Runtime())
        reply = traced(hired.call, input, hired.runtime, hired.answer)
        return cast("Out | Question | Refusal", reply)  # `judge` made it of exactly these types


class _Hired:
    """One task under way."""

    def __init__(
        self, mind: CoderMind, task: WorkspaceTask[Any, Any], input: BaseModel, workspace: Workspace, runtime: Runtime
    ) -> None:
        self.mind, self.task, self.input, self.runtime = mind, task, input, runtime
        self.looks = Looks(named=False)  # uses of any tool: each program names its own
        bound = task.bound(input, workspace)
        self.workspace = bound.also(ANSWER, FOLDER)
        if mind.grant is not None:
            self.workspace = self.workspace.inside(GrantedSandbox(mind.grant))
        self.call: AgentCall[Any, Any] = task.call(input, workspace, self.looks)
        self.began, self.spent = time.perf_counter(), Usage()

    def answer(self) -> BaseModel:
        findings: tuple[str, ...] = ()
        for attempt in range(self.mind.repairs + 1):
            run = self._run(attempt, findings)
            verdict = self._verdict(run)
            if verdict.reply is not None:
                self.mind.meter.record(self.call.name, Usage(answers=1))
                self._announce(verdict.reply)
                return verdict.reply
            findings = verdict.findings
        self.mind.meter.record(self.call.name, Usage(lost=1))
        self._announce(None, " ".join(findings))
        raise AgentGaveUp(
            f"{self.mind.name} left no valid answer to {self.call.name} in {self.mind.repairs + 1} attempts."
            f" Last findings: {' '.join(findings)}",
            agent=self.call.name,
            findings=findings,
            attempts=self.mind.repairs + 1,
        )

    def _run(self, attempt: int, findings: tuple[str, ...]) -> _Run:
        """Start the program once and hear it to its end.

        Raises:
            BudgetExceeded: the budget is spent; the program was ended.
            ModelUnavailable: the program is not there or cannot reach its model.
        """
        path = f"{FOLDER}/{self.task.name.rpartition('.')[2]}_{attempt + 1}.md"
        self.workspace.files.write(path, self._instructions(findings))
        if self.workspace.files.exists(ANSWER):
            self.workspace.files.remove(ANSWER)
        self.mind.meter.begin(self.call.name)
        run = _Run(self, repair=attempt > 0)
        left = max(1.0, self.task.seconds - (time.perf_counter() - self.began))
        limits = Limits(
            cpu_seconds=left,
            wall_seconds=left,
            memory_mb=self.mind.memory_mb,
            file_mb=256,
            processes=256,
            open_files=4096,
        )
        command = self.mind.coder.command(MESSAGE.format(path=path), self.mind.model)
        try:
            done = self.workspace.run(
                command, limits=limits, on_output=run.hear, on_error=_unheard, cancelled=run.over
            ).completed
        finally:
            run.close()
        if run.stopped is not None:
            raise run.stopped
        if done.returncode == 127:
            raise ModelUnavailable(
                f"The program {command[0]} is not in the sandbox. Install it for all users, or allow its folder with"
                " LABWRIGHT_CODER_FOLDERS."
            )
        run.ended(done.ending, done.returncode, done.stderr.decode(errors="replace"))
        return run

    def _verdict(self, run: _Run) -> Verdict:
        if not self.workspace.files.exists(ANSWER):
            if run.error and not self.mind.grant:
                raise ModelUnavailable(
                    f"{self.mind.name} failed: {run.error} The sandbox has no network; LABWRIGHT_CODER_NETWORK=1 opens"
                    " it, and docs/decisions/0013-workspace-agents.md says what else that opens."
                )
            if run.error:
                raise ModelUnavailable(f"{self.mind.name} failed: {run.error}")
            return Verdict(findings=(f"There is no {ANSWER} at the top of the workspace. Write the reply there.",))
        try:
            return judge(self.call, self.input, self.workspace.files.text(ANSWER))
        except InputError as wrong:
            return Verdict(findings=(str(wrong),))

    def _instructions(self, findings: tuple[str, ...]) -> str:
        prompt = self.task.prompted(self.input)
        again = f"\n\n## Last time\n\n{complaint(findings)}\n" if findings else ""
        return f"{prompt.system}{HOW}{prompt.user}{again}\n"

    def _announce(self, reply: BaseModel | None, reason: str | None = None) -> None:
        announce(
            self.runtime,
            self.call,
            self.mind.name,
            reply,
            seconds=time.perf_counter() - self.began,
            reason=reason,
            tokens=None if self.spent.unknown else self.spent.tokens,
        )


class _Run:
    """One run of the program: its stream, what it cost, and when it has to end."""

    def __init__(self, hired: _Hired, repair: bool) -> None:
        self._hired, self._repair, self._began = hired, repair, time.perf_counter()
        self._rest = b""
        self._told = Usage()  # of this run, so far
        self._heard_usage = False
        self._lock = threading.Lock()
        self.error = ""
        self.stopped: BudgetExceeded | None = None

    def hear(self, part: bytes) -> None:
        """Take in what the program wrote."""
        whole, _, self._rest = (self._rest + part).rpartition(b"\n")
        for line in lines_of(whole.decode(errors="replace")):
            for heard in self._hired.mind.coder.hear(line):
                self._take(heard)

    def over(self) -> bool:
        """Whether the budget has no room for what was told so far."""
        if self.stopped is None:
            try:
                self._hired.mind.meter.check()
                self._hired.mind.meter.foresee(self._told)
            except BudgetExceeded as spent:
                self.stopped = spent
        return self.stopped is not None

    def ended(self, ending: str, code: int, errors: str) -> None:
        """Keep why a run that left no answer ended as it did."""
        if ending != "ok" and not self.error:
            self.error = f"It ended with {ending} ({code}). {shortened(errors.strip(), 400)}"

    def close(self) -> None:
        """Count the run; one that told nothing of its use is unknown."""
        self.hear(b"\n")
        usage = self._told if self._heard_usage else Usage(unknown=1, cost=None)
        usage.calls = max(0, usage.calls - 1)  # the first was counted when the run began
        usage.repairs, usage.seconds = int(self._repair), time.perf_counter() - self._began
        self._hired.mind.meter.record(self._hired.call.name, usage)
        self._hired.spent.add(usage)

    def _take(self, heard: Heard) -> None:
        if heard.tool:
            told = self._hired
            told.looks.count += 1
            announce_step(told.runtime, told.call, told.mind.name, heard.tool, heard.arguments, seconds=0.0)
        if heard.usage is not None:
            self._heard_usage = True
            if heard.total:
                self._told = dataclasses.replace(heard.usage)
            else:
                self._told.add(heard.usage)
        self.error = heard.error or self.error


def _unheard(_part: bytes) -> None:
    """What a program says on standard error is no part of its stream; it is kept for the end."""


def installed(coder: Coder) -> bool:
    """Whether the program can be found by its name."""
    return shutil.which(coder.program[0]) is not None
