"""Which commit of the code is running."""

from __future__ import annotations

import subprocess
from pathlib import Path


def commit() -> str:
    """Short hash of the checked-out commit, with a ``+`` if the code differs from it; empty outside a checkout."""
    here = Path(__file__).resolve().parent.parent
    try:
        hashed = _git(here, "rev-parse", "--short", "HEAD")
        changed = _git(here, "status", "--porcelain", "--", "*.py", "*.md", "*.json", ":!evaluation/results")
    except (OSError, subprocess.CalledProcessError):
        return ""
    return f"{hashed}+" if changed else hashed


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()
