"""Criteria about what a report says: words that have to be there. Reported apart, and in no headline score."""

from __future__ import annotations

import re
from functools import cache

import yaml

from labwright.evaluation.forge.criteria import Criterion, check, share
from labwright.evaluation.forge.tasks import CASES
from labwright.evaluation.forge.workspace import Workspace


@cache
def _topics() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = yaml.safe_load((CASES / "prose.yaml").read_text(encoding="utf-8"))
    return found


def prose(task: str, workspace: Workspace) -> list[Criterion]:
    """Whether the report speaks of what it should; empty for tasks without such a criterion."""
    topics = _topics().get(task, {})
    if not topics:
        return []
    flags = re.IGNORECASE | re.DOTALL
    parts = [(bool(re.search(pattern, workspace.report, flags)), topic) for topic, pattern in topics.items()]
    return [check("P1", f"the report discusses {', '.join(topics)}", lambda: share(parts))]
