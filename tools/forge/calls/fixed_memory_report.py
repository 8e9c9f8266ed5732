"""Imported by a server of calls before the packages: some ask psutil for memory when they begin, which reads /proc."""

from __future__ import annotations

import importlib
import importlib.util
from types import SimpleNamespace
from typing import Any

TOTAL = 8 << 30  # bytes; about what a call may take


class _Process:
    """A process of which nothing is known."""

    def __init__(self, pid: int | None = None) -> None:
        self.pid = 0

    def __getattr__(self, name: str) -> Any:
        return lambda *_: [0] if name == "cpu_affinity" else SimpleNamespace(rss=0, vms=0)


def _tame(psutil: Any) -> None:
    half = SimpleNamespace(total=TOTAL, available=TOTAL // 2, used=TOTAL // 2, free=TOTAL // 2, percent=50.0)
    psutil.virtual_memory, psutil.Process = (lambda: half), _Process


if importlib.util.find_spec("psutil") is not None:
    _tame(importlib.import_module("psutil"))
