"""Fixture of the tests that run whole systems: folders and settings of the test's own."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from labwright.tools.runs.seals import KEY, private_folder


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the runs; nothing of the person's own settings is seen.

    The key is that of the whole session, so that a run of a wider fixture counts as one of this lab.
    """
    key = Path(os.environ["LABWRIGHT_STATE"]) / KEY
    for name in [name for name in os.environ if name.startswith("LABWRIGHT_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)  # where .env and .labwright would lie
    monkeypatch.setenv("LABWRIGHT_RUNS", str(tmp_path / "runs"))
    if key.exists():
        shutil.copy2(key, private_folder(tmp_path / ".labwright") / KEY)
    return tmp_path / "runs"
