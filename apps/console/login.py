"""The page that asks for the token, and how often one may try."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape

from starlette.responses import HTMLResponse

WINDOW = 60.0  # s
MOST_OF_ONE, MOST_OF_ALL = 5, 50  # wrong tokens within the window, of one address and of all together
MOST_ADDRESSES = 1000

_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Labwright</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>
body {{ font: 1rem/1.5 sans-serif; max-width: 32rem; margin: 3rem auto; padding: 0 1rem; }}
input, button {{ font: inherit; padding: .5rem; width: 100%; box-sizing: border-box; margin: .25rem 0 1rem; }}
button {{ background: #0072B2; color: #fff; border: 0; }}
*:focus-visible {{ outline: 3px solid #E69F00; outline-offset: 2px; }}
</style></head><body><main><h1>Labwright</h1><p role="alert">{trouble}</p>
<p>The token was printed where <code>labwright serve</code> was started.</p>
<form method="post" action="/login"><label>Token <input type="password" name="token" required autofocus
autocomplete="current-password"></label><button>Come in</button></form></main></body></html>"""


def form(trouble: str = "", status: int = 401) -> HTMLResponse:
    """The page."""
    return HTMLResponse(_PAGE.format(trouble=escape(trouble)), status, headers={"Cache-Control": "no-store"})


@dataclass
class Attempts:
    """Wrong tokens of the last minute. Who had too many waits, and the right one does not help meanwhile."""

    clock: Callable[[], float] = time.monotonic
    _of: dict[str, deque[float]] = field(default_factory=dict)
    _all: deque[float] = field(default_factory=deque)

    def wait(self, address: str) -> float:
        """Seconds until another may be tried; 0 now."""
        return max(self._left(self._of.get(address, deque()), MOST_OF_ONE), self._left(self._all, MOST_OF_ALL))

    def failed(self, address: str) -> None:
        """Count a wrong one."""
        while len(self._of) >= MOST_ADDRESSES:
            del self._of[next(iter(self._of))]
        self._of.setdefault(address, deque()).append(self.clock())
        self._all.append(self.clock())

    def _left(self, times: deque[float], most: int) -> float:
        while times and times[0] <= self.clock() - WINDOW:
            times.popleft()
        return max(1.0, times[-most] + WINDOW - self.clock()) if len(times) >= most else 0.0
