"""Earlier experiments and notes on the instrument that are shown to who reads a description."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel


class Similar(BaseModel):
    """Something that was done or written before and may help. Its numbers are those of another experiment."""

    kind: Literal["experiment", "instrument"]
    title: str
    text: str
