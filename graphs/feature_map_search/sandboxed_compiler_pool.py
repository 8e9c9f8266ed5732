"""The sandboxed compilers of this process, one a level: what they import takes seconds, so that searches share them.

Sharing is safe: every call is a forked child of its own, and nothing of one call is seen by the next.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from labwright.tools.sandbox.base import Level, Sandbox

if TYPE_CHECKING:
    from labwright.tools.feature_maps.compile import CompiledMap


class Confined:
    """A compiler and what was said when its sandbox was opened. Thread-safe.

    Attributes:
        level: how strongly it confines.
        warnings: every step down from a stronger level.
    """

    def __init__(self, sandbox: Sandbox, warnings: tuple[str, ...]) -> None:
        from labwright.tools.feature_maps.compile import Compiler

        self.level, self.warnings = sandbox.level, warnings
        self._compiler = Compiler(sandbox)
        self._lock = threading.Lock()

    def compile(
        self,
        source: str,
        n_qubits: int,
        n_features: int,
        hyperparameters: Mapping[str, Any] | None = None,
        *,
        seed: int = 0,
    ) -> CompiledMap:
        """See `labwright.tools.feature_maps.compile.Compiler.compile`."""
        with self._lock:
            return self._compiler.compile(source, n_qubits, n_features, hyperparameters, seed=seed)

    def close(self) -> None:
        """End the server; the next call starts another."""
        with self._lock:
            self._compiler.close()


class OpenCompilers:
    """The compilers that this process has open, by the weakest level that was allowed."""

    def __init__(self) -> None:
        self._open: dict[Level, Confined] = {}
        self._lock = threading.Lock()

    def open(self, weakest: Level) -> Confined:
        """The compiler in the strongest sandbox that works here.

        Raises:
            SandboxUnavailableError: only something weaker than `weakest` works.
        """
        from labwright.tools.sandbox import open_sandbox

        with self._lock:
            if weakest not in self._open:
                said: list[str] = []
                sandbox = open_sandbox(weakest=weakest, report=said.append)
                self._open[weakest] = Confined(sandbox, tuple(said))
            return self._open[weakest]

    def close(self) -> None:
        """End every server."""
        with self._lock:
            for confined in self._open.values():
                confined.close()


CONFINED = OpenCompilers()
atexit.register(CONFINED.close)
