"""Refuses to build where git made plain files of the links in src/labwright; everything else is in pyproject.toml."""

from __future__ import annotations

import sys
from pathlib import Path

from setuptools import setup

FOLDERS = ("agents", "apps", "evaluation", "graphs", "prompts", "tools")

broken = [name for name in FOLDERS if not (Path(__file__).parent / "src" / "labwright" / name).is_dir()]
if broken:
    # Without this the build would succeed and install an empty package.
    sys.exit(
        f"error: src/labwright/{broken[0]} must be a symbolic link to a folder, but is not"
        f" ({len(broken)} of {len(FOLDERS)} links are broken). Git made no links when it cloned."
        " Fix it with: git config core.symlinks true && git checkout -- src/labwright"
        " (on Windows turn on Developer Mode first, or use WSL)."
    )

setup()
