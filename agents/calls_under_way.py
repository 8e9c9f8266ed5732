"""The requests to models that this process waits for, so that a face can tell a slow model from a dead program."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class UnderWay:
    """One request that has no reply yet.

    Attributes:
        role: name of the call, such as ``front_desk.decide``.
        model: as in settings, such as ``openai:gpt-4.1-mini``.
        began: when it was sent, monotonic seconds.
    """

    role: str
    model: str
    began: float


_CALLS: list[UnderWay] = []
_LOCK = threading.Lock()


@contextmanager
def under_way(role: str, model: str) -> Iterator[None]:
    """Count a request among those that are waited for, until its reply is there."""
    call = UnderWay(role, model, time.monotonic())
    with _LOCK:
        _CALLS.append(call)
    try:
        yield
    finally:
        with _LOCK:
            _CALLS.remove(call)


def calls_under_way() -> list[UnderWay]:
    """The requests without a reply, oldest first."""
    with _LOCK:
        return list(_CALLS)
