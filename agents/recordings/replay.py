"""``replay:DIR``: a recording answers in place of the model, without a network or a key.

A request is answered by the first exchange of the same role, messages and form that was not used yet; if there is none,
by one that differs only in the last digits of decimal numbers, which another processor computes otherwise. A replay
proves plumbing, parsing and checks. It cannot prove that a new prompt is better: a changed prompt is a miss.
"""

from __future__ import annotations

import math
import re
import threading
from collections import defaultdict, deque
from collections.abc import Callable
from difflib import SequenceMatcher
from functools import cache
from itertools import zip_longest
from pathlib import Path

from langchain_core.outputs import ChatResult

from labwright.agents.errors import RecordingMismatch
from labwright.agents.recordings.exchange import Json, error_from, key, lines_of, result_from
from labwright.agents.recordings.manifest import exchanges_in, load_manifest
from labwright.agents.recordings.redaction import Names, machine
from labwright.agents.settings import Settings

MOST_SHOWN = 200  # characters of a line in a message
DECIMAL = re.compile(r"\d+\.\d+(?:e[-+]?\d+)?|\d+e[-+]?\d+", re.IGNORECASE)
SAME, ZERO = 1e-4, 1e-9  # relative and absolute difference of decimals that two processors may compute


class Replay:
    """A recording being played. One process plays it once; `rewind` begins anew.

    Args:
        folder: of the recording.

    Raises:
        ModelUnavailable: there is no recording.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.manifest = folder, load_manifest(folder)
        self._machine = machine(Settings())
        self._lock = threading.Lock()
        self.rewind()

    def rewind(self) -> None:
        """Play from the beginning."""
        with self._lock:
            self._all = exchanges_in(self.folder).read()
            self._unused: dict[str, deque[Json]] = defaultdict(deque)
            for one in self._all:
                self._unused[key(one)].append(one)
            self.misses: list[RecordingMismatch] = []

    def exchange(self, model: str, request: Json, ask: Callable[[], ChatResult]) -> ChatResult:
        """The recorded reply, or the recorded failure; see `record_replay_chat_model.Keeper`.

        Raises:
            RecordingMismatch: no unused exchange fits; says the role and the first differing line.
        """
        names = Names(self._machine)
        hidden = names.of_request(request)
        with self._lock:
            waiting = self._unused[key(hidden)] or self._alike(hidden)
            if not waiting:
                self.misses.append(self._miss(hidden))
                raise self.misses[-1]
            found = waiting.popleft()
        if "failure" in found:
            raise error_from(names.show(found["failure"]))
        return result_from(names.show(found["reply"]))

    def leftover(self) -> list[Json]:
        """The exchanges that nobody asked for, as recorded and in their order."""
        with self._lock:
            unused = [one for waiting in self._unused.values() for one in waiting]
        return sorted(unused, key=lambda one: int(one["seq"]))

    def check(self) -> None:
        """Make sure that the replay was the recorded run: nothing missed, nothing left over.

        Raises:
            RecordingMismatch: it was not.
        """
        if self.misses:
            raise self.misses[0]
        if left := self.leftover():
            roles = ", ".join(dict.fromkeys(one["role"] or "(no role)" for one in left))
            raise RecordingMismatch(
                f"{len(left)} of {len(self._all)} exchanges in {self.folder} were not asked for, the first is number"
                f" {left[0]['seq']}. Roles: {roles}. Run what was recorded with its options, or record it again."
            )

    def _alike(self, request: Json) -> deque[Json]:
        """Unused exchanges that differ from `request` in the last digits of decimals only; empty if none do."""
        words, numbers = _decimals(request)
        for waiting in self._unused.values():
            if waiting and all(waiting[0].get(name) == request.get(name) for name in ("role", "sample")):
                recorded, those = _decimals(waiting[0])
                if recorded == words and all(map(_close, those, numbers)):
                    return waiting
        return deque()

    def _miss(self, request: Json) -> RecordingMismatch:
        role, wanted = request["role"], lines_of(request)
        same = [lines_of(one) for one in self._all if one["role"] == role]
        if not same:
            return RecordingMismatch(
                f"The recording in {self.folder} has no request of {role or 'a call without name'}."
            )
        compared = SequenceMatcher(b=wanted, autojunk=False)
        nearest, best = same[0], -1.0
        for lines in same:
            compared.set_seq1(lines)
            if compared.quick_ratio() > best:
                nearest, best = lines, compared.quick_ratio()
        return RecordingMismatch(
            f"The recording in {self.folder} lacks a request of {role}. {_difference(nearest, wanted)}"
        )


def _decimals(request: Json) -> tuple[str, list[float]]:
    """The text of a request without its decimal numbers, and these."""
    text = "\n".join(lines_of(request))
    return DECIMAL.sub("#", text), [float(found) for found in DECIMAL.findall(text)]


def _close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=SAME, abs_tol=ZERO)


def _difference(recorded: list[str], wanted: list[str]) -> str:
    pairs = zip_longest(recorded, wanted, fillvalue="(nothing)")
    for number, (old, new) in enumerate(pairs, start=1):
        if old != new:
            return (
                f"Line {number} of the nearest one is {_shown(old, new)!r}, but now it is {_shown(new, old)!r}."
                " Undo the change, or record again."
            )
    return "An equal one was recorded, but is asked for more often now. Record again if that is meant."


def _shown(line: str, other: str) -> str:
    """A line, or the part of a long one around where it differs from `other`."""
    at = next((place for place, pair in enumerate(zip(line, other, strict=False)) if pair[0] != pair[1]), 0)
    start = max(0, at - MOST_SHOWN // 2) if len(line) > MOST_SHOWN else 0
    return line[start : start + MOST_SHOWN]


@cache
def open_replay(folder: Path) -> Replay:
    """The replay of `folder` that this process plays; whoever opens it again goes on where it stands."""
    return Replay(folder)
