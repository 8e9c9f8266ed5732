"""Runs scripts after one import of their simulator: `python robot_simulator_batch.py pylabrobot|opentrons FILE...`.

Runs in the simulator's own environment, so it imports nothing of Labwright. Each script has a forked process of its
own; FILE.out and FILE.err hold what it printed, FILE.rc its exit code. What runs is what `opentrons_simulate FILE` and
`python FILE --log FILE.json` run.
"""

from __future__ import annotations

import os
import runpy
import sys
import traceback
from importlib import import_module
from pathlib import Path

IMPORTS = {"pylabrobot": ("pylabrobot.liquid_handling", "pylabrobot.resources"), "opentrons": ("opentrons.simulate",)}


def child(kind: str, file: Path) -> int:
    """The exit code of one script, in this process."""
    with file.with_suffix(".out").open("w") as out, file.with_suffix(".err").open("w") as err:
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        try:
            if kind == "opentrons":
                sys.argv = ["opentrons_simulate", str(file)]
                return int(import_module("opentrons.simulate").main() or 0)
            sys.argv = [str(file), "--log", str(file.with_suffix(".json"))]
            runpy.run_path(str(file), run_name="__main__")
        except SystemExit as stopped:
            if isinstance(stopped.code, str):
                sys.stderr.write(f"{stopped.code}\n")
            return stopped.code if isinstance(stopped.code, int) else int(stopped.code is not None)
        except Exception:  # noqa: BLE001 - it is the script's outcome, and this process must not go on as its parent
            traceback.print_exc()
            return 1
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
    return 0


def main(kind: str, files: list[str]) -> None:
    """One after the other."""
    for name in IMPORTS[kind]:
        import_module(name)
    for file in map(Path, files):
        process = os.fork()
        if not process:
            os._exit(child(kind, file))
        _, status = os.waitpid(process, 0)
        file.with_suffix(".rc").write_text(str(os.waitstatus_to_exitcode(status)))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
