"""Runs written scripts in the robots' own simulators, each as a process of its own, and reads back what they did."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.robots.volume_tracker import Move, Spot

TIME_LIMIT = 300.0  # s; a full deck takes a few
NO_PYLABROBOT = "Running the PyLabRobot script needs the package pylabrobot: pip install 'labwright[robots]'"


@dataclass(frozen=True, slots=True)
class Simulated:
    """What a simulator did.

    Attributes:
        moves: of liquid, in order.
        held: what the simulator's own trackers hold in the end, uL; empty where it has none.
    """

    moves: tuple[Move, ...]
    held: dict[Spot, float]


def has_pylabrobot() -> bool:
    """Whether the extra `robots` is installed."""
    return find_spec("pylabrobot") is not None


def run_pylabrobot(script: str) -> Simulated:
    """Run a PyLabRobot script on the simulated robot.

    Raises:
        InputError: PyLabRobot is not installed, or it refuses a move (over-draw, overflow); the message says which.
    """
    if not has_pylabrobot():
        raise InputError(NO_PYLABROBOT)
    with tempfile.TemporaryDirectory() as folder:
        file, log = Path(folder) / "protocol.py", Path(folder) / "log.json"
        file.write_text(script, encoding="utf-8")
        _run([sys.executable, "-I", str(file), "--log", str(log)], "PyLabRobot")
        return logged(log.read_text(encoding="utf-8"))


def logged(log: str) -> Simulated:
    """What the log of a PyLabRobot script says."""
    read = json.loads(log)
    moves = [Move((*one["from"],), (*one["to"],), one["uL"], one["step"]) for one in read["moves"]]
    held = {(rack, well): volume for rack, vials in read["volumes"].items() for well, volume in vials.items()}
    return Simulated(tuple(moves), held)


def run_opentrons(script: str, program: Path) -> Simulated:
    """Run a protocol in Opentrons' simulator.

    Args:
        program: `opentrons_simulate`, of an environment of its own.

    Raises:
        InputError: it cannot be started, or it refuses the protocol; the message is the simulator's last line.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "protocol.py"
        file.write_text(script, encoding="utf-8")
        return Simulated(tuple(run_log_moves(_run([str(program), str(file)], "Opentrons"))), {})


_DRAWN = re.compile(r"^\s*Aspirating ([\d.]+) uL from ([A-Z]+\d+) of (.+?) on .* at [\d.]+ uL/sec")
_GIVEN = re.compile(r"^\s*Dispensing ([\d.]+) uL into ([A-Z]+\d+) of (.+?) on .* at [\d.]+ uL/sec")
_CARRIED = re.compile(r"^\s*carried: (.+) ([A-Z]+\d+) -> (.+) ([A-Z]+\d+)$")
_STEP = re.compile(r"^\s*(?:Pausing robot operation: )?Step (\d+)\.")


def run_log_moves(log: str) -> Iterator[Move]:
    """The moves of a run log of `opentrons_simulate`.

    Raises:
        InputError: something is dispensed that was not drawn.
    """
    step, held = 0, None
    for line in log.splitlines():
        if found := _STEP.match(line):
            step = int(found[1])
        elif found := _DRAWN.match(line):
            held = (float(found[1]), (found[3], found[2]))
        elif found := _GIVEN.match(line):
            if held is None or abs(held[0] - float(found[1])) > 0.01:
                raise InputError(f"The run log dispenses what was not drawn: {line.strip()}")
            yield Move(held[1], (found[3], found[2]), held[0], step)
            held = None
        elif found := _CARRIED.match(line):
            yield Move((found[1], found[2]), (found[3], found[4]), None, step)


def _run(command: Sequence[str], who: str) -> str:
    """The standard output of a simulator; no key of ours is in its environment."""
    kept = {name: value for name, value in os.environ.items() if name in {"PATH", "HOME", "LANG", "TMPDIR"}}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=TIME_LIMIT, check=False, env=kept, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired as late:
        raise InputError(f"{who} did not finish within {TIME_LIMIT:g} s.") from late
    except OSError as missing:
        raise InputError(f"{who} cannot be started: {missing}.") from missing
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise InputError(f"{who} refuses the script: {last}")
    return done.stdout
