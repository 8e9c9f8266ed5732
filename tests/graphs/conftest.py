"""Every test gets folders and settings of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from own_folders import root as root
from scripted_model import ScriptedModel


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., None]:
    """Points the settings at a server, as a person would: through the environment."""

    def point(model: ScriptedModel, **settings: Any) -> None:
        given = {"base_url": model.url, "api_key": "none", "state": tmp_path / "state", "timeout": 20, **settings}
        for name, value in given.items():
            monkeypatch.setenv(f"LABWRIGHT_{name.upper()}", str(value))

    return point
