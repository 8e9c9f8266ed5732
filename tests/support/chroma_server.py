"""A Chroma server on loopback, as a process of a test."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

PATIENCE = 600.0  # s for the server to answer; usually under 1


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of a server whose store lies in `folder`."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [str(Path(sys.executable).parent / "chroma"), "run", "--path", str(folder / "store")]
    command += ["--host", "127.0.0.1", "--port", str(port)]
    with (folder / "chroma.log").open("wb") as log:
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, "ANONYMIZED_TELEMETRY": "False"},
        )
    address = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + PATIENCE
        while not _up(address):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"The server did not come up:\n{(folder / 'chroma.log').read_text()[-3000:]}")
            time.sleep(0.05)
        yield address
    finally:
        process.kill()
        process.wait()


def _up(address: str) -> bool:
    try:
        return httpx.get(f"{address}/api/v2/heartbeat", timeout=2).status_code == 200
    except httpx.TransportError:
        return False
