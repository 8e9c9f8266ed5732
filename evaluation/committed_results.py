"""Where the committed results lie."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "results"
