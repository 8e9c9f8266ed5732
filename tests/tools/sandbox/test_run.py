"""Commands in a work folder: files go in, named files come back, limits have names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from labwright.tools.errors import InputError
from labwright.tools.sandbox import Limits
from labwright.tools.sandbox.confined import ConfinedSandbox


def test_files_go_in_and_nothing_stands_on_standard_input(sandbox: ConfinedSandbox) -> None:
    code = "import sys; print(open('in/a').read() + sys.stdin.read())"
    done = sandbox.run(["python", "-c", code], files={"in/a": b"first"})
    assert (done.ending, done.returncode, done.stdout) == ("ok", 0, b"first\n"), done.stderr
    assert done.level == sandbox.level


def test_numpy_works(sandbox: ConfinedSandbox) -> None:
    done = sandbox.run(["python", "-c", "import numpy as np; print(np.linalg.eigvalsh(np.eye(3)).sum())"])
    assert (done.ending, done.stdout) == ("ok", b"3.0\n"), done.stderr


@pytest.mark.parametrize(
    ("code", "limits", "ending"),
    [
        ("raise ValueError(1)", Limits(), "failed"),
        ("import os; os.abort()", Limits(), "killed"),
        ("while True: pass", Limits(wall_seconds=0.5), "timeout"),
        pytest.param("while True: pass", Limits(cpu_seconds=1), "timeout", marks=pytest.mark.slow),
        ("x = bytearray(8 << 30)", Limits(), "memory"),
        ("while True: print('x' * 10000)", Limits(output_kb=16), "overflow"),
        ("import sys\nwhile True: sys.stderr.write('x' * 10000)", Limits(output_kb=16), "overflow"),
        (
            "import time\nfor n in range(99):\n  open(str(n), 'wb').write(bytes(1 << 20)); time.sleep(0.01)",
            Limits(file_mb=2),
            "overflow",
        ),
    ],
)
def test_every_broken_limit_has_its_ending(code: str, limits: Limits, ending: str, sandbox: ConfinedSandbox) -> None:
    done = sandbox.run(["python", "-S", "-c", code], limits=limits)
    assert done.ending == ending, done
    assert len(done.stdout) <= 1024 * limits.output_kb


@pytest.mark.parametrize("name", ["/etc/x", "../x", "a/../../x", ""])
def test_names_that_lead_out_are_refused(name: str, sandbox: ConfinedSandbox) -> None:
    with pytest.raises(InputError):
        sandbox.run(["python"], files={name: b""})


def test_a_command_that_is_not_there(sandbox: ConfinedSandbox) -> None:
    done = sandbox.run(["no-such-command"])
    assert (done.ending, done.returncode) == ("failed", 127)


def test_kill_of_everything_in_sight_hits_only_itself(sandbox: ConfinedSandbox) -> None:
    code = "import os, signal\nfor p in (-1, os.getppid(), 1):\n  try: os.kill(p, 9)\n  except OSError: pass\nprint('done')"  # noqa: E501
    done = sandbox.run(["python", "-S", "-c", code])
    assert done.ending in ("ok", "killed")  # whatever it did, we are here to see it
    assert Path("/proc/self").exists()


def test_a_command_finds_nothing_of_ours_but_what_records_results(sandbox: ConfinedSandbox) -> None:
    code = """if True:
        import importlib, json, os, sys
        import labwright, labwright.results
        root, seen = labwright.__path__[0], []
        parts = ("tools", "agents", "graphs", "prompts", "evaluation", "apps", "tests", "docs")
        for name in (*parts, "tools.forge", "tools.forge.toolbox"):
            try:
                importlib.import_module(f"labwright.{name}")
                seen.append(name)
            except (ImportError, OSError):
                pass
        above = os.path.dirname(os.path.dirname(root))
        for folder in (root, *(os.path.join(above, part) for part in parts)):
            for at, _, names in os.walk(folder):
                for name in names:
                    try:
                        open(os.path.join(at, name)).close()
                        seen.append(os.path.relpath(os.path.join(at, name), root))
                    except OSError:
                        pass
        print(json.dumps(sorted(seen)))
    """
    done = sandbox.run(["python", "-c", code])
    assert done.ending == "ok", done.stderr
    seen = {one for one in json.loads(done.stdout) if "__pycache__" not in one}
    starting = {one for one in seen if sandbox.level != "landlock" and one.startswith("tools")}
    assert seen - starting == {"__init__.py", "results.py"}
    assert all(one in ("tools", "tools/__init__.py", "tools/errors.py") or "sandbox" in one for one in starting)
