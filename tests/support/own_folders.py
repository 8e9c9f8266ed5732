"""Fixture of the tests that run whole systems: folders and settings of the test's own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the runs; nothing of the person's own settings is seen."""
    for name in [name for name in os.environ if name.startswith("LABWRIGHT_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)  # where .env and .labwright would lie
    monkeypatch.setenv("LABWRIGHT_RUNS", str(tmp_path / "runs"))
    return tmp_path / "runs"
