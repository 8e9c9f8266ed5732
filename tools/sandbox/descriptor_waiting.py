"""Waiting for descriptors, however many the process has open: ``select`` knows the first 1024 only."""

from __future__ import annotations

import select
from collections.abc import Collection

READABLE = select.POLLIN | select.POLLHUP | select.POLLERR  # an end and an error can be read, too
WRITABLE = select.POLLOUT | select.POLLHUP | select.POLLERR


def ready(readers: Collection[int], writers: Collection[int], seconds: float | None) -> tuple[set[int], set[int]]:
    """Those of `readers` and of `writers` that would not block; both empty after `seconds`, None for ever."""
    poll = select.poll()
    for descriptor in {*readers, *writers}:
        wanted = (select.POLLIN if descriptor in readers else 0) | (select.POLLOUT if descriptor in writers else 0)
        poll.register(descriptor, wanted)
    found = poll.poll(None if seconds is None else max(0.0, seconds) * 1000)
    return (
        {descriptor for descriptor, events in found if events & READABLE and descriptor in readers},
        {descriptor for descriptor, events in found if events & WRITABLE and descriptor in writers},
    )
