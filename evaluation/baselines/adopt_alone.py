"""The control for the adoption of foreign code: one prompt without a draft's checks and a second try."""

from __future__ import annotations

from dataclasses import replace

from labwright.agents.lab_calibration.adopt_card import ADOPT

ADOPT_ALONE = replace(
    ADOPT, name="evaluation.adopt_alone", prompt="evaluation/adopt_alone.md", check=lambda _given, _answer: []
)
