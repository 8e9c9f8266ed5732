"""Imported by a server of calls alone, behind the packages and before it forks: see `_prepare`."""

from __future__ import annotations

import hashlib
import json
import os
import random
import sys
import uuid
from collections.abc import Callable

import numpy as np
from pydantic import BaseModel, Field, ValidationError, field_validator

from labwright.tools.forge.calls.sandboxed_call import told
from labwright.tools.forge.toolset import client


def _prepare() -> None:
    """In the server, before it forks: draws that nobody seeded are the same in each call; there is one processor."""
    drawn = _Drawn()
    for module in (os, sys.modules["posix"]):
        module.urandom = drawn  # type: ignore[attr-defined]
        module.cpu_count = lambda: 1  # type: ignore[attr-defined]
        module.sched_getaffinity = lambda _: {0}  # type: ignore[attr-defined]
        module.times = lambda: os.times_result((0.0,) * 5)  # type: ignore[attr-defined]
        module.getloadavg = lambda: (0.0, 0.0, 0.0)  # type: ignore[attr-defined]
        module.sysconf = _sysconf(os.sysconf)  # type: ignore[attr-defined]
    random._urandom = drawn  # type: ignore[attr-defined]
    seed = random.Random.seed
    random.Random.seed = lambda self, a=None, version=2: seed(self, drawn(16) if a is None else a, version)  # type: ignore[method-assign]
    np.random.seed(0)
    uuid._generate_time_safe = None  # type: ignore[attr-defined]  # asks the machine's address and the time
    sys.argv, sys.orig_argv = ["tool"], ["tool"]
    sys.stdin = None
    _warm()


def _sysconf(asked: Callable[[str | int], int]) -> Callable[[str | int], int]:
    """Of the machine that it has one processor and memory as a call may use."""
    told: dict[str | int, int] = {"SC_NPROCESSORS_ONLN": 1, "SC_NPROCESSORS_CONF": 1}
    told |= {"SC_PHYS_PAGES": 1 << 21, "SC_AVPHYS_PAGES": 1 << 20}
    told |= {os.sysconf_names[str(name)]: value for name, value in told.items()}
    return lambda name: told[name] if name in told else asked(name)


def _warm() -> None:
    """Have done once what is slow the first time: what pydantic imports when it is used."""

    class Trial(BaseModel, allow_inf_nan=False):
        number: float = Field(gt=0, description="a number")
        more: list[float] = Field(default=[], min_length=0)

        @field_validator("number")
        @classmethod
        def _same(cls, value: float) -> float:
            return value

    try:
        Trial(number=-1.0)
    except ValidationError as wrong:
        json.dumps(told(wrong))
    client.encoded(Trial(number=1.0))


class _Drawn:
    """Bytes in the place of the system's random ones: a sequence that is the same in every process."""

    def __init__(self) -> None:
        self._number = 0

    def __call__(self, size: int) -> bytes:
        parts = []
        for _ in range(-(-size // 32)):
            self._number += 1
            parts.append(hashlib.sha256(str(self._number).encode()).digest())
        return b"".join(parts)[:size]


_prepare()
