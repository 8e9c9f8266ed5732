"""What the nodes of a forging run work with: workspace, toolset, sandbox, gate, mind. Opened once a process."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from functools import cached_property, lru_cache
from importlib.metadata import packages_distributions
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from labwright.agents.backend_selection import make_mind
from labwright.agents.settings import Settings
from labwright.agents.typed_call import In, Out, Question, Refusal, Runtime
from labwright.agents.workspace_task import WorkspaceMind, WorkspaceTask
from labwright.graphs.run_context import Event, OpenRuns, Surroundings
from labwright.graphs.tool_forging.choices import EMPTY, Choices
from labwright.tools.atomic_files import write_atomic
from labwright.tools.errors import InputError
from labwright.tools.jobs import JobLimits
from labwright.tools.runs.run import load_run
from labwright.tools.sandbox import open_sandbox
from labwright.tools.specifications.task import read_card
from labwright.tools.workspace.workspace import QUESTION, TOOLS, Workspace

if TYPE_CHECKING:
    from labwright.tools.forge.gate import GateBench
    from labwright.tools.forge.toolset.contract import ToolContract
    from labwright.tools.forge.toolset.toolset import Toolset
    from labwright.tools.jobs import JobService
    from labwright.tools.sandbox.base import Sandbox

SYSTEM = "tool_forging"
WORKSPACE, OWN_TOOLSET, JOBS = "workspace", "toolset", "jobs"  # below the run's folder
CLARIFICATIONS = "## Clarifications"
BESIDE = "inputs/card"  # what a card gave, where the rest is forged


class Smithy(Surroundings[Choices]):
    """One run's surroundings."""

    @property
    def mind(self) -> WorkspaceMind:
        """Who answers the typed calls and works in the workspace; a card needs no model."""
        return self._rules if self.card else self._chosen

    @cached_property
    def _rules(self) -> WorkspaceMind:
        return make_mind("rules", Settings(), self.meter)

    @cached_property
    def _chosen(self) -> WorkspaceMind:
        return make_mind(self.choices.mind, Settings(), self.meter)

    @property
    def card(self) -> bool:
        """Whether the task at hand is a card, which is computed straight from the tools that come with Labwright."""
        path = self.run.folder / WORKSPACE / QUESTION
        return _is_card(path.read_text(encoding="utf-8") if path.is_file() else self.run.record.asked)

    @cached_property
    def sandbox(self) -> Sandbox:
        """Where new code runs; what it is confined by goes on record."""
        said: list[str] = []
        found = open_sandbox(weakest=self.choices.sandbox, report=said.append)
        for line in said:
            self.warn(line)
        self.emit({"kind": "sandbox", "level": found.level}, once=f"sandbox {found.level}")
        return found

    @cached_property
    def jobs(self) -> JobService:
        """Long work, in processes that outlive this one."""
        from labwright.tools.jobs import JobService, LocalRunner

        return JobService(self.run.folder.absolute() / JOBS, LocalRunner())  # supervisors live elsewhere

    @cached_property
    def workspace(self) -> Workspace:
        """The folder in which the agents work."""
        chosen = self.choices
        limits = JobLimits(
            cpu_seconds=chosen.job_seconds * chosen.threads,
            wall_seconds=chosen.job_seconds,
            memory_mb=chosen.memory_mb,
            threads=chosen.threads,
        )
        return Workspace(self.run.folder.absolute() / WORKSPACE, self.sandbox, self.jobs, job_limits=limits)

    @cached_property
    def toolset(self) -> Toolset:
        """The person's tools, which outlast the run, or a folder's; beside them those that come with Labwright."""
        from labwright.tools.forge.toolset.builtin_tools import Toolbox
        from labwright.tools.forge.toolset.toolset import Toolset

        chosen = self.choices.toolset
        if chosen == EMPTY:
            return Toolset(self.run.folder / OWN_TOOLSET)
        folder = Path(chosen) if chosen else Settings().state.absolute() / OWN_TOOLSET
        return Toolset(folder, Toolbox() if self.choices.shipped else None)

    @cached_property
    def gate(self) -> GateBench:
        """The only way into the toolset."""
        from labwright.tools.forge.gate import GateBench

        return GateBench(self.sandbox, self.toolset, task_text=self.workspace.question)

    @cached_property
    def at_gate(self) -> Lock:
        """Held by whoever uses the gate: it has one confined process, and tools are made side by side."""
        return Lock()

    def library(self, contract: ToolContract) -> str:
        """Functions of a contract's package that may do its work, one a line; nothing for a mind without words."""
        from labwright.tools.workspace.installed_packages import Navigator

        owners = packages_distributions().items()
        names = [top for top, dists in owners if contract.package in dists and not top.startswith("_")]
        if not self.mind.reads_words or not names:
            return ""
        try:
            return Navigator(Settings().state / "navigation").search(f"{contract.purpose} {contract.method}", names)
        except InputError as unreadable:  # a package without Python source; its writer knows it or refuses
            return str(unreadable)

    def hear(self, event: Event) -> None:
        """As for every run; agents may speak at once."""
        with self._speaking:
            super().hear(event)

    @cached_property
    def _speaking(self) -> Lock:
        return Lock()

    def close(self) -> None:
        """End the gate's confined process; jobs go on, a resumed run finds them."""
        if "gate" in self.__dict__:
            self.gate.close()

    def work(self, task: WorkspaceTask[In, Out], given: In) -> Out | Question | Refusal:
        """One agent works in the workspace; its event goes to the run's log."""
        runtime = Runtime(on_event=self.hear, tags=self.tags, sample=self.choices.seed)
        return self.mind.work(task, given, self.workspace, runtime)

    def warn(self, text: str) -> None:
        """Tell the person, once a run."""
        self.emit({"kind": "warning", "text": text}, once=f"warning {text}")

    def lay_out(self, task: str) -> None:
        """Make the workspace: the task, and the folders that every agent knows."""
        folder = self.run.folder / WORKSPACE
        for name in ("inputs", "tool_smith", "results", "logs", "img", TOOLS):
            (folder / name).mkdir(parents=True, exist_ok=True)
        write_atomic(folder / QUESTION, task.encode())
        for line in _forewarned(task, self.choices.job_seconds):
            self.warn(line)
        self.materialise()

    def lay_beside(self, words: str, demands: list[str], why: str) -> None:
        """Put what a card gave beside the words, which say the task again, and name what is open."""
        folder = self.run.folder / WORKSPACE
        kept = {
            QUESTION: f"{BESIDE}.yaml",
            "results.json": f"{BESIDE}_results.json",
            "report.md": f"{BESIDE}_report.md",
        }
        for name, copy in kept.items():
            if not why and (folder / name).is_file():
                write_atomic(folder / copy, (folder / name).read_bytes())
            (folder / name).unlink(missing_ok=True)  # must not pass for what is forged
        if why:
            self._clear(folder)
        files = ", ".join(f"`{name}`" for name in kept.values())
        done = (
            f"The card failed, so nothing is done yet: {why}"
            if why
            else f"A card has computed the rest of this task: {files}. Its records are kept beside yours; do not"
            " compute them again. Still open:\n\n" + "\n".join(f"- {each}" for each in demands)
        )
        self.lay_out(f"{words.rstrip()}\n\n## Done already\n\n{done}\n")

    def _clear(self, folder: Path) -> None:
        """Take away what a card that failed has left, so that nobody reads it as done."""
        for one in sorted(folder.iterdir()):
            if one.is_symlink() or one.is_file():
                one.unlink()
            elif one.name not in ("inputs", "logs", TOOLS):
                shutil.rmtree(one)

    def materialise(self) -> None:
        """Put the toolset into the workspace as it is now, and remember it so that edits are seen."""
        folder = self.run.folder / WORKSPACE / TOOLS
        wanted = {} if self.choices.mode == "direct" else self.toolset.files()
        for path in sorted(folder.rglob("*"), reverse=True):
            if path.is_dir() and not path.is_symlink():
                if not any(path.iterdir()):
                    path.rmdir()
            elif str(path.relative_to(folder)) not in wanted:
                path.unlink()
        for name, content in wanted.items():
            path = folder / name
            if not path.is_file() or path.read_bytes() != content:
                write_atomic(path, content)
        self.workspace.mark_tools()

    def edited_tools(self) -> dict[str, dict[str, Any]]:
        """Tool -> contract of the tools whose files the executor changed; what it added or removed is put right.

        A file that it added is no tool: nothing enters the toolset but through the gate.
        """
        if self.choices.mode == "direct":
            return {}
        edits = self.workspace.edited_tools()
        by_path = {
            tool.module.replace(".", "/").removeprefix(f"{TOOLS}/") + ".py": tool for tool in self.toolset.tools()
        }
        for path in (*edits.added, *edits.removed):
            self.warn(f"The executor changed {TOOLS}/{path}, which is no tool's file; the change is not kept.")
        return {
            by_path[path].name: by_path[path].contract.model_dump(mode="json")
            for path in edits.changed
            if path in by_path
        }

    def clarify(self, question: str, answer: str) -> None:
        """Write an answer below the task, where every agent reads it. Saying it twice changes nothing."""
        path = self.run.folder / WORKSPACE / QUESTION
        text = path.read_text(encoding="utf-8")
        line = f"- {question} {answer}"
        if line not in text:
            head = "" if CLARIFICATIONS in text else f"\n\n{CLARIFICATIONS}\n"
            write_atomic(path, f"{text.rstrip()}{head}\n{line}\n".encode())


@lru_cache(maxsize=8)
def _is_card(text: str) -> bool:
    return read_card(text) is not None


def _forewarned(text: str, seconds: float) -> Iterable[str]:
    """What a person is to know before a long card begins."""
    from labwright.tools.forge.tasks import families

    card = read_card(text)
    known = families() if card else {}
    return known[card.task].forewarned(card.compiled(), seconds) if card and card.task in known else ()


def _open(run_dir: str, choices: dict[str, Any] | None) -> Smithy:
    run = load_run(Path(run_dir))
    return Smithy(run, Choices.model_validate(choices or run.record.choices))


SMITHIES = OpenRuns(_open)


def smithy(state: Any) -> Smithy:
    """The open smithy of the state's run; opened now if this process has not yet."""
    return SMITHIES.get(state["run_dir"], state["choices"])
