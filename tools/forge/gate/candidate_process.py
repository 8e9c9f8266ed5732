"""Outside: the one confined process in which a candidate's jobs run, with its packages imported once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labwright.tools.errors import SandboxedFailure
from labwright.tools.forge.calls.call_processes import LARGE, Servers
from labwright.tools.forge.gate.parsed_candidate import Draft
from labwright.tools.forge.toolset.imported_packages import preloads
from labwright.tools.forge.toolset.tool_source import parse, tools_imported
from labwright.tools.sandbox.base import Limits, Sandbox, Server

FUNCTION = "labwright.tools.forge.gate.sandboxed_jobs:answer"
ALWAYS = (
    "numpy",
    "pydantic",
    "pytest",
    "labwright.tools.forge.calls.sandboxed_call",
    "labwright.tools.forge.gate.job_execution",
)


@dataclass(frozen=True, slots=True)
class GateLimits:
    """What a candidate may use.

    Attributes:
        tests_seconds: of all tests together; also of the processor.
        mutation_seconds: on the clock, of all mutants together.
        mutants: at most.
        enough: mutants after which a clear score counts.
        fewest: mutants that are judged although the time is over.
        score: of mutants noticed, at least.
        memory_mb: address space.
        file_mb: largest file.
        workers: jobs at once.
    """

    tests_seconds: float = 60.0
    mutation_seconds: float = 25.0
    mutants: int = 40
    enough: int = 12
    fewest: int = 8
    score: float = 0.7
    memory_mb: int = 8192
    file_mb: int = 32
    workers: int = 2


class Bench:
    """Runs jobs of candidates. The process is used again for the next candidate if that needs nothing more imported:
    candidates' code only ever runs in children of children of it."""

    def __init__(self, sandbox: Sandbox, limits: GateLimits) -> None:
        self.servers = Servers(sandbox)  # of calls as they are in use
        richer = getattr(sandbox, "with_proc", None)
        self._sandbox: Sandbox = richer() if richer else sandbox
        self._limits = limits
        self._server: Server | None = None
        self._loaded: frozenset[str] = frozenset()

    @property
    def level(self) -> str:
        """How strongly it is confined."""
        return self._sandbox.level

    def run(
        self, draft: Draft, jobs: Sequence[Mapping[str, Any]], texts: Mapping[str, str], seconds: float
    ) -> list[dict[str, Any]]:
        """The outcome of each job.

        Args:
            draft: whose jobs.
            jobs: see `labwright.tools.forge.gate.job_execution.run_job`.
            texts: dotted name -> source of the other tools that the candidate imports.
            seconds: on the clock, of all jobs together.

        Raises:
            SandboxedFailure: a package cannot be imported, or the confined process broke a limit.
        """
        needed = wanted(draft, texts)
        if self._server is None or not needed <= self._loaded:
            self.close()
            wall = self._wall(60.0, needed)
            self._server = self._sandbox.serve(FUNCTION, preload=[*ALWAYS, *sorted(needed)], limits=wall)
            self._loaded = needed
        asked = request(draft, jobs, texts, seconds, self._limits)
        reply = self._server.call(asked, self._wall(seconds + 5.0, needed))
        results: list[dict[str, Any]] = reply["results"]
        if len(results) != len(jobs):
            raise SandboxedFailure("failed", "The confined process did not answer for every job.")
        return results

    def _wall(self, seconds: float, packages: Iterable[str]) -> Limits:
        memory = max([self._limits.memory_mb, *(LARGE.get(one.split(".")[0], 0) for one in packages)])
        return Limits(seconds, seconds, memory_mb=memory, file_mb=self._limits.file_mb, output_kb=65_536)

    def close(self) -> None:
        """End the confined processes."""
        self.servers.close()
        if self._server is not None:
            self._server.close()
            self._server = None


def wanted(draft: Draft, texts: Mapping[str, str]) -> frozenset[str]:
    """Third-party modules that a candidate and the tools it imports need."""
    return frozenset(preloads([draft.tool.tree, draft.tests, *(parse(text, name) for name, text in texts.items())]))


def request(
    draft: Draft, jobs: Sequence[Mapping[str, Any]], texts: Mapping[str, str], seconds: float, limits: GateLimits
) -> dict[str, Any]:
    """What `labwright.tools.forge.gate.sandboxed_jobs.answer` is asked."""
    return {
        "jobs": list(jobs),
        "name": draft.name,
        "module": tool_module(draft),
        "modules": dict(texts),
        "source": draft.candidate.source,
        "tests": draft.candidate.tests,
        "workers": limits.workers,
        "seconds": seconds,
    }


def tool_module(draft: Draft) -> str:
    """Where the tests import the tool from."""
    for module in tools_imported(draft.tests):
        parts = module.split(".")
        if parts[-1] == draft.name and parts[-2:] != [draft.name, draft.name]:
            return module
    return f"tools.{draft.name}"
