"""The layers: which folder may import which, and under which name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BARE = ("agents", "apps", "evaluation", "graphs", "prompts", "tools")


def test_import_contracts_hold() -> None:
    program = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([program, "--no-cache"], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


def test_bare_folder_names_are_banned(tmp_path: Path) -> None:
    # `import tools` works in a checkout and names somebody else's package after an installation.
    wrong = tmp_path / "wrong.py"
    wrong.write_text("".join(f"import {name}\n" for name in BARE))
    program = Path(sys.executable).with_name("ruff")
    command = [program, "check", "--no-cache", "--config", ROOT / "pyproject.toml", "--select", "TID251", wrong]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.count("TID251") == len(BARE), done.stdout + done.stderr
