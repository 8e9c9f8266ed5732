"""How a model spec says that a model is recorded, or played from a recording."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from labwright.agents.errors import ModelUnavailable


@dataclass(frozen=True, slots=True)
class Source:
    """What a spec asks for.

    Attributes:
        model: ``rules`` or ``provider:name``; empty for a replay, whose recording knows it.
        kind: ``record`` or ``replay``; empty for a model as it is.
        folder: of the recording.
    """

    model: str
    kind: Literal["", "record", "replay"] = ""
    folder: Path = Path()

    @classmethod
    def of(cls, spec: str) -> Source:
        """Read ``rules``, ``provider:name``, ``record:DIR,provider:name`` or ``replay:DIR``.

        Raises:
            ModelUnavailable: a recording without a folder, or without a model to record.
        """
        kind, _, rest = spec.partition(":")
        if kind == "replay" and rest:
            return cls("", "replay", Path(rest).expanduser())
        folder, _, model = rest.rpartition(",")
        if kind == "record" and folder and ":" in model:
            return cls(model, "record", Path(folder).expanduser())
        if kind in {"record", "replay"}:
            raise ModelUnavailable(f"Model {spec!r} must be `record:DIR,provider:name` or `replay:DIR`.")
        return cls(spec)
