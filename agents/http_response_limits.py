"""Bounds on time and size of a model's reply: the client's own timeout begins anew with every byte."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import httpx2

LARGEST = 64 * 2**20  # bytes; the longest replies have some hundred kB


class _Bounded(httpx2.SyncByteStream):
    def __init__(self, inner: httpx2.SyncByteStream, seconds: float) -> None:
        self._inner, self._seconds = inner, seconds

    def __iter__(self) -> Iterator[bytes]:
        end, size = time.monotonic() + self._seconds, 0
        for piece in self._inner:
            size += len(piece)
            if size > LARGEST:
                raise httpx2.ReadError(f"the reply is larger than {LARGEST // 2**20} MiB")
            if time.monotonic() > end:
                raise httpx2.ReadTimeout(f"the reply was not complete after {self._seconds:g} s")
            yield piece

    def close(self) -> None:
        self._inner.close()


def bounded(seconds: float) -> Callable[[httpx2.Response], None]:
    """A hook of httpx2's client: what reads the body of a response stops after `seconds` or `LARGEST` bytes."""

    def bound(response: httpx2.Response) -> None:
        if isinstance(response.stream, httpx2.SyncByteStream):
            response.stream = _Bounded(response.stream, seconds)

    return bound
