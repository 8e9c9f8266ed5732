"""Which commit of the code is running."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
SOURCES = ("agents", "apps", "evaluation", "graphs", "prompts", "tools", ":!evaluation/results")


def commit() -> str:
    """Short hash of the checked-out commit, with a ``+`` if the code differs from it; empty outside a checkout."""
    hashed, plus, _ = code().partition("+")
    return hashed + plus


def code() -> str:
    """As `commit`, with a digest of the difference after the ``+``: what was made by equal code may stand together."""
    try:
        hashed = _git("rev-parse", "--short", "HEAD")
        changed = _git("status", "--porcelain", "--", *SOURCES)
        difference = _git("diff", "HEAD", "--", *SOURCES) if changed else ""
    except (OSError, subprocess.CalledProcessError):
        return ""
    return f"{hashed}+{hashlib.sha256((changed + difference).encode()).hexdigest()[:8]}" if changed else hashed


def _git(*words: str) -> str:
    done = subprocess.run(["git", "-C", str(HERE), *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()
