"""Those who hear that something changed: the windows of a run or of a conversation."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Generic, ParamSpec

_LOG = logging.getLogger(__name__)
News = ParamSpec("News")


class Hearers(Generic[News]):
    """Functions to call with the news; `of` says in a log what they show."""

    def __init__(self, of: str) -> None:
        self.of = of
        self._hearers: list[Callable[News, None]] = []

    def __bool__(self) -> bool:
        return bool(self._hearers)

    def add(self, hearer: Callable[News, None]) -> Callable[[], None]:
        """Tell `hearer` from now on; returns how to stop, which may be called twice."""
        self._hearers.append(hearer)

        def stop() -> None:
            if hearer in self._hearers:
                self._hearers.remove(hearer)

        return stop

    def telling(self, *news: News.args, **more: News.kwargs) -> Iterator[None]:
        """Tell each as it is asked for the next; one window's fault does not silence the others."""
        for hearer in list(self._hearers):
            try:
                hearer(*news, **more)
            except Exception:  # noqa: BLE001 - whatever a window does
                _LOG.exception("A window of %s could not be brought up to date.", self.of)
            yield

    def tell(self, *news: News.args, **more: News.kwargs) -> None:
        """Tell all of them at once."""
        for _ in self.telling(*news, **more):
            pass
