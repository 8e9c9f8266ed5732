"""Which sandbox this machine can give: every level is tried, strongest first, and has to prove itself."""

from __future__ import annotations

import logging
import os
import shutil
import sys
import threading
from collections.abc import Callable
from typing import get_args

from labwright.tools.errors import InputError, SandboxError, SandboxUnavailableError
from labwright.tools.sandbox.base import Level
from labwright.tools.sandbox.canary import escapes
from labwright.tools.sandbox.confined import ConfinedSandbox

LEVELS: tuple[Level, ...] = get_args(Level)
FORCE = "LABWRIGHT_SANDBOX"
MEND = "Install bubblewrap (`apt install bubblewrap`), or allow user namespaces or Landlock on this machine."
STEP_DOWN = "Sandbox level {} cannot be used here: {}"

_log = logging.getLogger("labwright.sandbox")
_proven: dict[Level, ConfinedSandbox | str] = {}  # a level's sandbox, or why it cannot be used
_logged: set[Level] = set()
_proving = threading.Lock()


def open_sandbox(*, weakest: Level = "landlock", report: Callable[[str], None] | None = None) -> ConfinedSandbox:
    """The strongest sandbox that holds on this machine. Every step down is reported; none is silent.

    Args:
        weakest: the weakest level that will do. ``rlimits`` hides no file: it is for a person to choose.
        report: hears of every level that does not hold; if None the log of warnings does, once a process.

    Raises:
        SandboxUnavailableError: only something weaker, or nothing, holds.
        InputError: the environment variable LABWRIGHT_SANDBOX names no level.
    """
    wanted = _allowed(weakest)
    refused: list[str] = []
    for level in wanted:
        found = proven(level)
        if isinstance(found, ConfinedSandbox):
            return found
        refused.append(f"{level}: {found}")
        if report is not None:
            report(STEP_DOWN.format(level, found))
        elif level not in _logged:
            _logged.add(level)  # once a process: every run of a conversation opens a sandbox
            _log.warning(STEP_DOWN.format(level, found))
    raise SandboxUnavailableError(f"No sandbox on this machine is strong enough. {' '.join(refused)} {MEND}")


def proven(level: Level) -> ConfinedSandbox | str:
    """The sandbox of a level if it stood its canary in this process, else what was wrong."""
    with _proving:
        if level not in _proven:
            _proven[level] = _prove(level)
        return _proven[level]


def _allowed(weakest: Level) -> tuple[Level, ...]:
    allowed = LEVELS[: LEVELS.index(weakest) + 1]
    forced = os.environ.get(FORCE, "")
    if not forced:
        return allowed
    if forced not in LEVELS:
        raise InputError(f"{FORCE} must be one of {', '.join(LEVELS)}, but is {forced!r}.")
    if forced not in allowed:
        raise SandboxUnavailableError(
            f"{FORCE} asks for {forced}, which is weaker than {weakest}. Unset it, or allow the weaker level."
        )
    return (forced,)


def _prove(level: Level) -> ConfinedSandbox | str:
    if sys.platform != "linux":
        return "it needs Linux."
    program = shutil.which("bwrap") or ""
    if level == "bubblewrap" and not program:
        return "bubblewrap is not installed."
    reasons = []
    for userns in (False, True) if level == "bubblewrap" and os.getuid() == 0 else (False,):
        sandbox = ConfinedSandbox(level, bubblewrap=program if level == "bubblewrap" else "", userns=userns)
        try:
            done = escapes(sandbox)
        except (SandboxError, OSError) as broken:
            reasons.append(str(broken))
            continue
        if not done:
            return sandbox
        reasons.append(f"the canary got through: {', '.join(done)}.")
    return " ".join(reasons)
