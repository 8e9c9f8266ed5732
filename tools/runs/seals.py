"""The lab's seal: an HMAC under a key in the state folder, which whoever writes into a run's folder does not have."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from functools import lru_cache
from pathlib import Path

from labwright.tools.errors import InputError

KEY = "seal.key"  # in the state folder
LENGTH = 32  # hex digits of a seal: 128 bits


def state_folder() -> Path:
    """Where the lab keeps what outlives runs: ``LABWRIGHT_STATE``, or `beside_runs`."""
    return Path(_place())


def beside_runs() -> Path:
    """``.labwright`` beside the runs folder, so that it is the same from wherever a command is given."""
    return Path(_beside_runs())


def seal(name: str, content: bytes) -> str:
    """The seal of `content` for `name`, such as a run and a file of it: it holds for no other name.

    Raises:
        InputError: the key cannot be read.
        OSError: the state folder cannot be written.
    """
    return hmac.digest(_key(_place()), f"{len(name)} {name} ".encode() + content, "sha256").hex()[:LENGTH]


def holds(found: str, name: str, content: bytes) -> bool:
    """Whether `found` is the seal of `content` for `name`."""
    return hmac.compare_digest(found.encode(), seal(name, content).encode())


def bound_name(folder: Path) -> str:
    """What the seals of the run in `folder` are bound to: the folder's name, so that a copy of a run has none.

    A part of a run (``parts/Q1``) is bound to the whole, too.
    """
    *_, whole, parts, name = ("", "", *os.path.abspath(folder).split("/"))  # noqa: PTH100 - many times a stage
    return f"{whole}/{name}" if parts == "parts" else name


def private_folder(folder: Path) -> Path:
    """`folder`, made for its owner only if it is not there."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def _place() -> str:
    place = os.environ.get("LABWRIGHT_STATE")
    return os.path.abspath(os.path.expanduser(place)) if place else _beside_runs()  # noqa: PTH100, PTH111


def _beside_runs() -> str:
    runs = os.path.abspath(os.path.expanduser(os.environ.get("LABWRIGHT_RUNS") or "runs"))  # noqa: PTH100, PTH111
    return f"{os.path.dirname(runs)}/.labwright"  # noqa: PTH120


@lru_cache(maxsize=8)
def _key(place: str) -> bytes:
    path = private_folder(Path(place)) / KEY
    if not path.exists():
        _make(path)
    key = path.read_bytes()
    if len(key) != hashlib.sha256().digest_size:
        raise InputError(
            f"The key {path} does not read. Restore it from a copy; without it no run of this lab counts as its own."
            " Or delete it, and take each run that goes on over: `labwright runs resume RUN --adopt`."
        )
    return key


def _make(path: Path) -> None:
    """Write a new key. Of two processes that do so at once, the first one's stays."""
    path.parent.chmod(0o700)
    temporary = path.with_name(f".{KEY}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(descriptor, secrets.token_bytes(hashlib.sha256().digest_size))
        os.fsync(descriptor)
        path.hardlink_to(temporary)
    except FileExistsError:
        pass
    finally:
        os.close(descriptor)
        temporary.unlink()
