"""The canary: code that tries what is forbidden, sent into a sandbox before anything else is trusted to it."""

from __future__ import annotations

import json
import os
import secrets
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from labwright.tools.errors import SandboxError
from labwright.tools.sandbox.base import Limits, Sandbox
from labwright.tools.sandbox.plan import readable_paths

LIMITS = Limits(cpu_seconds=10, wall_seconds=30, memory_mb=1024, file_mb=1, processes=8, output_kb=64)
# `rlimits` is known not to hide anything; it must at least hold its limits and show no environment.
OF_LIMITS = ("environment", "memory", "processes", "large file")


def escapes(sandbox: Sandbox) -> list[str]:
    """Names of the forbidden acts that succeeded; empty if the sandbox holds.

    Raises:
        SandboxError: the canary itself did not come back, so nothing is proven.
    """
    with _bait() as given:
        script = Path(__file__).with_name("canary_acts.py").read_bytes()
        files = {"acts.py": script, "given.json": json.dumps(given).encode()}
        done = sandbox.run(["python", "-I", "-S", "acts.py"], files=files, limits=LIMITS)
        touched = [] if Path(given["secret"]).read_text() == given["word"] else ["write outside"]
        touched += ["a file outside"] if Path(given["outside"]).exists() else []
    try:
        acts: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        words = done.stderr.decode(errors="replace").strip()[-500:]
        raise SandboxError(f"The canary did not come back ({done.ending}). {words}".strip()) from None
    through = [name for name, succeeded in acts.items() if succeeded] + touched
    if sandbox.level == "rlimits":
        return [name for name in through if name in OF_LIMITS]
    return through


@contextmanager
def _bait() -> Iterator[dict[str, Any]]:
    """A secret file that the person could read, an address that answers, and this process' own marks."""
    with tempfile.TemporaryDirectory(prefix="labwright-bait-") as folder, socket.socket() as listener:
        Path(folder).chmod(0o755)
        secret, word = Path(folder, "secret"), secrets.token_hex(8)
        secret.write_text(word)
        secret.chmod(0o666)
        Path(folder, "open").mkdir()
        Path(folder, "open").chmod(0o777)
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield {
            "secret": str(secret),
            "word": word,
            "outside": str(Path(folder, "open", "written")),
            "port": listener.getsockname()[1],
            "process": os.getpid(),
            "home": str(Path.home()),
            "hidden": _something_hidden(),
        }


def _something_hidden() -> str:
    """A name in the person's home folder that the interpreter does not need; empty if there is none."""
    shown = readable_paths()
    for entry in sorted(Path.home().iterdir()):
        if not any(Path(path).is_relative_to(entry) for path in shown):
            return entry.name
    return ""
