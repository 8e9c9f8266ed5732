"""Importing a graph does no work: no file is written, nothing is connected to, no process is started."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

CONFIG = json.loads((Path(__file__).parents[2] / "langgraph.json").read_text())
GRAPHS = sorted(each["path"] for each in CONFIG["graphs"].values())
# The hook hears of everything that the interpreter itself does, whichever library asks for it.
WATCHED = """
import os, sys
told = []
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
READ = (sys.prefix, sys.base_prefix, sys.argv[2], "/proc/", "/sys/", "/dev/", "/etc/", "/usr/")

def hear(event, arguments):
    if event == "open":
        path, mode, flags = arguments
        if isinstance(path, int) or "__pycache__" in str(path):
            return
        if (flags or 0) & WRITING and str(path) != os.devnull:
            told.append(f"writes {path}")
        elif not str(path).startswith(READ):
            told.append(f"reads {path}")
    elif event in ("socket.connect", "socket.bind", "socket.getaddrinfo", "subprocess.Popen", "os.fork", "os.exec",
                   "os.posix_spawn", "os.system", "os.mkdir", "os.rename", "os.remove", "shutil.copyfile",
                   "sqlite3.connect"):
        told.append(f"{event} {arguments}")

sys.addaudithook(hear)
module, _, name = sys.argv[1].partition(":")
import importlib
found = getattr(importlib.import_module(module), name)
print(type(found).__name__, *told, sep=chr(10))
"""


@pytest.mark.slow
@pytest.mark.parametrize("graph", GRAPHS)
def test_importing_a_graph_touches_nothing(graph: str, tmp_path: Path) -> None:
    """But for urllib3, which asks the kernel for a free port of ::1 to learn whether there is IPv6, and gives it back.

    Bytecode is not written here; that Python keeps it is Python's own.
    """
    repository, home = str(Path(__file__).parents[2]), tmp_path / "home"  # fixtures may have a folder beside it
    home.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, graph, repository],
        capture_output=True,
        text=True,
        cwd=home,
        timeout=120,
        env={"PATH": "/usr/bin:/bin", "HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert done.returncode == 0, done.stderr
    kind, *told = done.stdout.splitlines()
    assert "Graph" in kind
    assert [line for line in told if not line.startswith("socket.bind") or "'::1', 0" not in line] == []
    assert list(home.iterdir()) == []


def test_the_hook_hears(tmp_path: Path) -> None:
    (tmp_path / "noisy.py").write_text(
        "import sqlite3\nopen('left.txt', 'w').close()\ngraph = sqlite3.connect('x.db')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, "noisy:graph", "/nowhere"],
        capture_output=True, text=True, cwd=tmp_path, timeout=60, env={"PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    assert "writes left.txt" in done.stdout
    assert "sqlite3.connect" in done.stdout
