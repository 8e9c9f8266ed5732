"""Between the graph's process and the confined one: whatever happens to the first, nothing of the second stays.

The keeper holds the end of a pipe that only the graph's process can close. When that closes, on purpose or because
its holder died, or when the confined process ends, the keeper kills all that was started below it. Asking the kernel
to kill on the parent's death would not do from a graph: it acts on the death of the *thread* that started the process.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import NoReturn

from labwright.tools.sandbox import linux_calls, namespaces
from labwright.tools.sandbox.confine import NOT_STARTED, bubblewrap_command, enter_namespaces
from labwright.tools.sandbox.descriptor_waiting import ready
from labwright.tools.sandbox.plan import Plan
from labwright.tools.sandbox.safe_folder_walk import remove

BOOT = (
    "import sys; sys.path.insert(0, sys.argv[1]); from labwright.tools.sandbox import {module}; {module}.main({args})"
)


def boot_keeper(source: str, plan: str, lifeline: int) -> list[str]:
    """Command that becomes the keeper of `plan`; it needs no site packages, so none are imported."""
    code = BOOT.format(module="keeper", args="sys.argv[2], int(sys.argv[3])")
    return [sys.executable, "-I", "-S", "-B", "-c", code, source, plan, str(lifeline)]


def boot_confined(plan: Plan, leash: int) -> list[str]:
    """Command that becomes the confined process, inside."""
    code = BOOT.format(module="confine", args="sys.argv[2], int(sys.argv[3])")
    return [sys.executable, "-s", "-P", "-B", "-c", code, plan.source, plan.to_json(), str(leash)]


def main(text: str, lifeline: int) -> NoReturn:
    """Start the confined process of the plan in `text`, wait for it or for the lifeline's end, and leave nothing."""
    plan = Plan.from_json(text)
    linux_calls.adopt_orphans()
    children = linux_calls.open_children()
    leash, _held = os.pipe()
    confined = os.fork()
    if confined == 0:
        os.close(lifeline)
        os.close(_held)
        os.set_inheritable(leash, True)
        _become(plan, leash)
    for standard in (0, 1):
        os.close(standard)  # else nobody would see the end of the confined process' streams
    code = _wait(confined, lifeline)
    linux_calls.kill_descendants(children)
    if _abandoned(lifeline):
        for folder in filter(None, (plan.bound, plan.root)):
            remove(folder)
    os._exit(code)


def _become(plan: Plan, leash: int) -> NoReturn:
    os.setsid()
    linux_calls.die_with_parent()
    try:
        words = boot_confined(plan, leash)
        if plan.level == "bubblewrap":
            words = bubblewrap_command(plan, words)
        if plan.level == "namespaces":
            enter_namespaces(plan)
        if plan.still:
            linux_calls.fix_addresses()
        os.execve(words[0], words, plan.environment)
    except OSError as refused:
        os.write(2, f"labwright sandbox, level {plan.level}: {refused}\n".encode())
        os._exit(NOT_STARTED)


def _abandoned(lifeline: int) -> bool:
    """Whether the graph's process died: when it closes the pipe on purpose it says so first, and clears up itself."""
    return bool(ready([lifeline], [], 0)[0]) and not os.read(lifeline, 1)


def _wait(confined: int, lifeline: int) -> int:
    """Exit code of the confined process; that of a killed one if the lifeline ended first."""
    watched = os.pidfd_open(confined)
    ended, _ = ready([watched, lifeline], [], None)
    if watched not in ended:
        os.kill(confined, signal.SIGKILL)
    return namespaces.terminated(os.waitpid(confined, 0)[1])
