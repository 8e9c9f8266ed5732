"""Where a result comes from: date, commit, versions, machine."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from typing import Any

from labwright import __version__
from labwright.tools.code_version import commit


def provenance(seconds: float) -> dict[str, Any]:
    """When, with which code and on what kind of machine; no paths and no names."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit(),
        "version": __version__,
        "seconds": round(seconds, 1),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
    }
