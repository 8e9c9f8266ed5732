"""A filter on system calls: no sockets, no tracing, no mounting, no second way around (classic BPF, seccomp(2)).

It names what is refused. Calls that are newer than the table do not exist for the confined process, so a new kernel
opens no new door.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
from collections.abc import Iterable

from labwright.tools.sandbox import linux_calls

NEWEST = 450  # numbers are the same on all architectures from 403 on
AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
COLUMN = {"x86_64": 0, "aarch64": 1}
CLONE_NEW_ANYTHING = 0x7E020000
TIOCSTI, TIOCLINUX = 0x5412, 0x541C  # both type into a terminal as if a person did

# fmt: off
# name: number on x86_64 and on aarch64; -1 where there is no such call
NUMBERS: dict[str, tuple[int, int]] = {
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "process_madvise": (440, 440), "kcmp": (312, 272), "pidfd_open": (434, 434), "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "chroot": (161, 51), "unshare": (272, 97), "setns": (308, 268), "clone3": (435, 435), "swapon": (167, 224),
    "swapoff": (168, 225), "reboot": (169, 142), "kexec_load": (246, 104), "kexec_file_load": (320, 294),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106), "acct": (163, 89),
    "quotactl": (179, 60), "quotactl_fd": (443, 443), "settimeofday": (164, 170), "clock_settime": (227, 112),
    "clock_adjtime": (305, 266), "adjtimex": (159, 171), "sethostname": (170, 161), "setdomainname": (171, 162),
    "iopl": (172, -1), "ioperm": (173, -1), "bpf": (321, 280), "perf_event_open": (298, 241),
    "userfaultfd": (323, 282), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "fanotify_init": (300, 262), "fanotify_mark": (301, 263),
    "open_by_handle_at": (304, 265), "name_to_handle_at": (303, 264), "keyctl": (250, 219), "add_key": (248, 217),
    "request_key": (249, 218), "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "semget": (64, 190),
    "semop": (65, 193), "semtimedop": (220, 192), "semctl": (66, 191), "msgget": (68, 186), "msgsnd": (69, 189),
    "msgrcv": (70, 188), "msgctl": (71, 187), "mq_open": (240, 180), "mq_unlink": (241, 181), "socket": (41, 198),
    "connect": (42, 203), "bind": (49, 200), "listen": (50, 201), "accept": (43, 202), "accept4": (288, 242),
    "vhangup": (153, 58), "syslog": (103, 116), "personality": (135, 92), "open_tree": (428, 428),
    "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432),
    "fspick": (433, 433), "mount_setattr": (442, 442), "move_pages": (279, 239), "migrate_pages": (256, 238),
    "memfd_secret": (447, 447), "modify_ldt": (154, -1), "setpriority": (141, 140), "ioprio_set": (251, 30),
    "chmod": (90, -1), "fchmod": (91, 52), "fchmodat": (268, 53), "chown": (92, -1), "fchown": (93, 55),
    "lchown": (94, -1), "fchownat": (260, 54), "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16), "utime": (132, -1),
    "utimes": (235, -1), "utimensat": (280, 88), "futimesat": (261, -1), "truncate": (76, 45),
    "inotify_add_watch": (254, 27), "sched_setaffinity": (203, 122), "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118), "sched_setattr": (314, 274), "kill": (62, 129), "tkill": (200, 130),
    "tgkill": (234, 131), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240), "clone": (56, 220),
    "ioctl": (16, 29), "prlimit64": (302, 261), "getpid": (39, 172), "getppid": (110, 173), "gettid": (186, 178),
    "getpgid": (121, 155), "getsid": (124, 156), "getpgrp": (111, -1), "fork": (57, -1), "vfork": (58, -1),
    "execve": (59, 221), "execveat": (322, 281), "getrusage": (98, 165), "times": (100, 153),
    "clock_gettime": (228, 113), "getuid": (102, 174), "geteuid": (107, 175), "getgid": (104, 176),
    "getegid": (108, 177), "getresuid": (118, 148), "getresgid": (120, 150), "getgroups": (115, 158),
    "gettimeofday": (96, 169), "time": (201, -1),
}
# fmt: on
ALWAYS = (
    "ptrace process_vm_readv process_vm_writev process_madvise kcmp pidfd_getfd pidfd_send_signal mount umount2"
    " pivot_root chroot unshare setns swapon swapoff reboot kexec_load kexec_file_load init_module finit_module"
    " delete_module acct quotactl quotactl_fd settimeofday clock_settime clock_adjtime adjtimex sethostname"
    " setdomainname iopl ioperm bpf perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register"
    " fanotify_init fanotify_mark open_by_handle_at name_to_handle_at keyctl add_key request_key shmget shmat shmctl"
    " semget semop semtimedop semctl msgget msgsnd msgrcv msgctl mq_open mq_unlink socket connect bind listen accept"
    " accept4 vhangup syslog personality open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr move_pages"
    " migrate_pages memfd_secret modify_ldt setpriority ioprio_set"
).split()
# What Landlock does not rule: a path's owner, mode, times and attributes, and the scheduling of other processes.
ON_SHARED_FILES = (
    "chmod fchmod fchmodat chown fchown lchown fchownat setxattr lsetxattr fsetxattr removexattr lremovexattr"
    " fremovexattr utime utimes utimensat futimesat truncate inotify_add_watch sched_setaffinity sched_setscheduler"
    " sched_setparam sched_setattr"
).split()
SIGNALS = "kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo".split()

# What tells one process, or one moment, from another.
IDS = "getpid getppid gettid getpgid getsid getpgrp getuid geteuid getgid getegid".split()
MOMENTS = "getrusage times getresuid getresgid getgroups".split()
CLOCKS = "clock_gettime gettimeofday time".split()
CLONE_THREAD = 0x10000

_LOAD, _EQUAL, _GREATER, _ANY_BIT, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x06
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_SET_MODE_FILTER = {"x86_64": 317, "aarch64": 277}
_Instruction = tuple[int, int, int, int]


def available() -> bool:
    """Whether the table knows this machine's system calls."""
    return platform.system() == "Linux" and platform.machine() in COLUMN


def restrict(*, shared_files: bool = False, signals_to: int | None = None) -> None:
    """Put the filter on this process, all its threads' later programs and children; it can only be tightened.

    Args:
        shared_files: also refuse to touch what is not read or written but changed in place, and other processes'
            scheduling; for levels on which the machine's own files and processes are in sight.
        signals_to: the one process that may be signalled, beside the own group; None refuses no signal.

    Raises:
        OSError: the kernel refuses the filter.
    """
    _install(_program(ALWAYS + (ON_SHARED_FILES if shared_files else []), signals_to))


def restrict_to_one(*, clocks: bool) -> None:
    """From now on no new process or program, every process and user id is 0, and the processor's time used is not told.

    Args:
        clocks: also refuse the kernel's clocks; for a process that asks them no more (`labwright.tools.forge.calls`).

    Raises:
        OSError: the kernel refuses the filter.
    """
    refused = ["fork", "vfork", "execve", "execveat", *MOMENTS, *(CLOCKS if clocks else [])]
    program = [
        *_start(),
        *_on("clone", [(_LOAD, 0, 0, 16), (_ANY_BIT, 1, 0, CLONE_THREAD), _error(errno.EPERM), _allow()]),
        *(step for name in IDS for step in _on(name, [_error(0)])),
        *(step for name in refused for step in _on(name, [_error(errno.EPERM)])),
        _allow(),
    ]
    _install(program)


def _install(program: list[_Instruction]) -> None:
    code = b"".join(struct.pack("=HBBI", *one) for one in program)
    buffer = ctypes.create_string_buffer(code, len(code))
    packed = struct.pack("@HP", len(program), ctypes.addressof(buffer))
    linux_calls.no_new_privileges()
    number = _SET_MODE_FILTER[platform.machine()]
    linux_calls.syscall("seccomp", number, ctypes.c_uint(1), ctypes.c_uint(0), ctypes.c_char_p(packed))


def _program(refused: Iterable[str], signals_to: int | None) -> list[_Instruction]:
    program = [
        *_start(),
        (_GREATER, 0, 1, NEWEST),
        _error(errno.ENOSYS),
        *_on("clone3", [_error(errno.ENOSYS)]),  # its flags cannot be read here; the C library then uses clone
        *_on("clone", [(_LOAD, 0, 0, 16), (_ANY_BIT, 0, 1, CLONE_NEW_ANYTHING), _error(errno.EPERM), _allow()]),
        *_on("ioctl", _refuse_argument(1, (TIOCSTI, TIOCLINUX))),
        *_on("prlimit64", _demand_argument(0, (0,))),
    ]
    for name in refused:
        program += _on(name, [_error(errno.EPERM)])
    if signals_to is not None:
        for name in SIGNALS:
            program += _on(name, _demand_argument(0, (0, signals_to)))
    return [*program, _allow()]


def _start() -> list[_Instruction]:
    """Load the call's number, on the kind of processor that the table is for."""
    return [
        (_LOAD, 0, 0, 4),
        (_EQUAL, 1, 0, AUDIT_ARCH[platform.machine()]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, 0),
    ]


def _on(name: str, block: list[_Instruction]) -> list[_Instruction]:
    """`block`, which must end in a return, for the call `name`; nothing where there is no such call."""
    number = NUMBERS[name][COLUMN[platform.machine()]]
    return [(_EQUAL, 0, len(block), number), *block] if number >= 0 else []


def _argument(index: int) -> _Instruction:
    return (_LOAD, 0, 0, 16 + 8 * index)  # lower half, little endian


def _refuse_argument(index: int, values: tuple[int, ...]) -> list[_Instruction]:
    tests = [step for value in values for step in ((_EQUAL, 0, 1, value), _error(errno.EPERM))]
    return [_argument(index), *tests, _allow()]


def _demand_argument(index: int, values: tuple[int, ...]) -> list[_Instruction]:
    tests = [step for value in values for step in ((_EQUAL, 0, 1, value), _allow())]
    return [_argument(index), *tests, _error(errno.EPERM)]


def _error(number: int) -> _Instruction:
    return (_RETURN, 0, 0, _ERROR | number)


def _allow() -> _Instruction:
    return (_RETURN, 0, 0, _ALLOW)
