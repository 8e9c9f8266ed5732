"""Inside: a process gives up its rights as its plan says, then runs the command or serves the function."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import NoReturn

from labwright.tools.sandbox import landlock, linux_calls, namespaces, seccomp
from labwright.tools.sandbox.descriptor_waiting import ready
from labwright.tools.sandbox.plan import HOST, SHARED_MB, Plan, hidden_in_proc

NOT_STARTED = 125  # exit code when the walls could not be put up; nothing was run then
REAP_SECONDS = 0.2  # a dead orphan counts against the limit on processes until it is reaped


def bubblewrap_command(plan: Plan, bootstrap: list[str]) -> list[str]:
    """The bubblewrap command in which `bootstrap` is process 1.

    Started by root it makes no user namespace, because a limit on processes is not enforced for whoever is root
    outside: process 1 then changes to a user id of its own, which is all that it may still do.
    """
    words = [
        plan.bubblewrap,
        "--unshare-pid",
        "--unshare-net",
        "--unshare-ipc",
        "--unshare-uts",
        "--hostname",
        HOST,
        "--unshare-cgroup-try",
    ]
    words += ["--die-with-parent", "--new-session", "--as-pid-1", "--cap-drop", "ALL"]
    if os.getuid() == 0 and not plan.userns:
        words += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        nobody = str(linux_calls.NOBODY)
        words += ["--unshare-user", "--uid", nobody, "--gid", nobody]
    shown = [*plan.readable, *plan.links, *plan.devices]
    for folder in sorted({str(above) for inside in shown for above in Path(inside).parents} - {"/"}):
        words += ["--perms", "0755", "--dir", folder]  # bubblewrap alone would close them to the private user id
    for inside, outside in sorted(plan.readable.items()):
        words += ["--ro-bind", outside, inside]
    for inside, target in plan.links.items():
        words += ["--symlink", target, inside]
    for device in plan.devices:
        words += ["--dev-bind", device, device]
    if plan.proc:
        words += _proc_words()
    if plan.bound:
        words += ["--bind", plan.bound, plan.folder]
    else:
        words += ["--perms", "1777", "--size", str(scratch_bytes(plan)), "--tmpfs", plan.folder]
    return [*words, "--remount-ro", "/", "--", *bootstrap]


def _proc_words() -> list[str]:
    folders, files = hidden_in_proc()
    words = ["--proc", "/proc"]
    for folder in folders:
        words += ["--perms", "0555", "--size", "4096", "--tmpfs", folder, "--remount-ro", folder]
    for file in files:
        words += ["--ro-bind", "/dev/null", file]
    shared = str(SHARED_MB * linux_calls.MEGABYTE)
    return [*words, "--remount-ro", "/proc", "--perms", "1777", "--size", shared, "--tmpfs", "/dev/shm"]


def scratch_bytes(plan: Plan) -> int:
    """How much a work folder in memory may hold: four of the largest files, or one, and never half of the memory."""
    largest, memory = int(plan.limits["file_mb"]), os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min(max(largest, min(4 * largest, 4096)) * linux_calls.MEGABYTE, memory // 2)


def enter_namespaces(plan: Plan) -> None:
    """The level ``namespaces``; returns in process 1 of the new root."""
    namespaces.enter(
        plan.root,
        readable=plan.readable,
        links=plan.links,
        writable={plan.folder: plan.bound} if plan.bound else {},
        devices=plan.devices,
        scratch=None if plan.bound else (plan.folder, scratch_bytes(plan)),
        proc=hidden_in_proc() if plan.proc else None,
    )


def obey(plan: Plan) -> None:
    """Give up identity, files and system calls as the plan says. Serving processes are limited call by call.

    Raises:
        OSError: a wall could not be put up.
    """
    if os.getuid() == 0:
        linux_calls.become(plan.user or linux_calls.NOBODY, may_read_all=plan.closed)
    elif plan.own_root:
        linux_calls.set_capabilities(0)
    os.chdir(plan.folder)  # as the one it belongs to
    linux_calls.die_with_parent()  # again: a change of user id forgets it
    linux_calls.no_new_privileges()
    if plan.level == "landlock":
        writable = [plan.folder, "/dev/null", "/dev/zero"]
        landlock.restrict([*plan.readable.values(), *plan.devices], plan.listable, writable)
    if seccomp.available():
        seccomp.restrict(shared_files=not plan.own_root)
    elif plan.level != "rlimits":
        raise OSError("No system-call filter is known for this kind of processor.")
    linux_calls.hide_memory()


def main(text: str, leash: int) -> NoReturn:
    """Run the plan in `text`; the process ends with the command's exit code, 128 + n for signal n.

    Args:
        text: the plan.
        leash: descriptor of a pipe that ends when the keeper does. A signal on its death would not reach a process of
            another user id.
    """
    plan = Plan.from_json(text)
    children = linux_calls.open_children()
    try:
        if plan.still and plan.level == "bubblewrap" and os.getuid() == 0:
            _begin_again(plan)
        if children is None and plan.level == "landlock":
            raise OSError("The kernel does not list a process' children, so leftovers could not be ended.")
        obey(plan)
    except OSError as refused:
        os.write(2, f"labwright sandbox, level {plan.level}: {refused}\n".encode())
        os._exit(NOT_STARTED)
    if plan.mode == "serve":
        from labwright.tools.sandbox.worker import serve

        serve(plan, children, leash)
    if os.getpid() == 1:
        command = os.fork()
        if command != 0:
            _outlive(command, leash)
    os.close(leash)
    _run(plan)


def _begin_again(plan: Plan) -> None:
    """The same program once more, as the plan's user.

    Whatever bubblewrap starts for root gains capabilities, because the bounding set stays full, and for such a program
    the kernel takes back that addresses are fixed (`PER_CLEAR_ON_SETID`). A user other than root gains none.
    """
    linux_calls.become(plan.user or linux_calls.NOBODY, may_read_all=plan.closed)
    if linux_calls.fix_addresses():
        os.execve(sys.executable, sys.orig_argv, plan.environment)


def _outlive(command: int, leash: int) -> NoReturn:
    """As process 1, reap whatever ends; end with the command or the keeper, which ends the namespace and all in it."""
    watched = os.pidfd_open(command)
    while not ready([watched, leash], [], REAP_SECONDS)[0]:
        ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        while ended is not None and ended.si_pid != command:
            os.waitpid(ended.si_pid, 0)
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    if not ready([watched], [], 0)[0]:
        os._exit(NOT_STARTED)
    os._exit(namespaces.terminated(os.waitpid(command, 0)[1]))


def _run(plan: Plan) -> NoReturn:
    limits = plan.limits
    linux_calls.limit(
        cpu_seconds=limits["cpu_seconds"],
        memory_mb=limits["memory_mb"],
        file_mb=limits["file_mb"],
        processes=plan.processes,
        open_files=limits["open_files"],
    )
    program = sys.executable if plan.argv[0] == "python" else shutil.which(plan.argv[0]) or plan.argv[0]
    try:
        os.execve(program, [program, *plan.argv[1:]], plan.environment)
    except OSError as absent:
        os.write(2, f"{plan.argv[0]}: {absent.strerror}\n".encode())
    os._exit(127)
