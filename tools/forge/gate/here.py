"""The gate's runs where this process already is confined: for whoever drafts a tool and wants to know beforehand.

Nothing is admitted by what comes out here: a draft that ends or fools this process fools itself.
"""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from typing import Any

from labwright.tools.errors import SandboxedFailure
from labwright.tools.forge.gate.confined import ALWAYS, GateLimits, request, wanted
from labwright.tools.forge.gate.draft import Draft
from labwright.tools.forge.gate.inside import answer


class Here:
    """As `labwright.tools.forge.gate.confined.Bench`, without a sandbox of its own."""

    level = "here"

    def __init__(self, limits: GateLimits) -> None:
        self._limits = limits

    def run(
        self, draft: Draft, jobs: Sequence[Mapping[str, Any]], texts: Mapping[str, str], seconds: float
    ) -> list[dict[str, Any]]:
        """The outcome of each job, see `labwright.tools.forge.gate.confined.Bench.run`.

        Raises:
            SandboxedFailure: a package cannot be imported.
        """
        for name in (*ALWAYS, *sorted(wanted(draft, texts))):
            try:
                importlib.import_module(name)
            except Exception as wrong:
                raise SandboxedFailure(type(wrong).__name__, str(wrong)) from wrong
        asked = request(draft, jobs, texts, seconds, self._limits)
        # A job that ran late may still write while its folder is removed; the sandbox ends with this process.
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, chdir(folder), _silent():
            results: list[dict[str, Any]] = answer(asked)["results"]
        return results

    def close(self) -> None:
        """There is nothing to end."""


@contextmanager
def _silent() -> Iterator[None]:
    """Drop what the jobs say on screen: they warn of every deliberate fault. Findings come over pipes."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept, nowhere = (os.dup(1), os.dup(2)), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        yield
    finally:
        for place, number in zip(kept, (1, 2), strict=True):
            os.dup2(place, number)
            os.close(place)
        os.close(nowhere)
