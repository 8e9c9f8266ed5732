"""The shell completes commands and options."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

LABWRIGHT = Path(sys.executable).parent / "labwright"


def completed(words: str) -> list[str]:
    asked = {"_LABWRIGHT_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    done = subprocess.run(
        [str(LABWRIGHT)], env={**os.environ, **asked}, capture_output=True, text=True, timeout=60, check=False
    )
    return done.stdout.split()


def test_commands_and_options_are_completed() -> None:
    assert completed("labwright cal") == ["calibrate"]
    assert "--approve" in completed("labwright calibrate --app")
