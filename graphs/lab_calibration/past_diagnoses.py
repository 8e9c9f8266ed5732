"""Diagnoses that are remembered from run to run: dated cases in the LangGraph store, found again by how they began."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from labwright.agents.settings import Settings
from labwright.graphs.memory_store import open_memory

NAMESPACE = ("diagnoses",)
KEPT = ("causes", "updates", "acquisitions")  # of a diagnosis
MOST = 3  # cases that one diagnosis considers, the newest

Case = dict[str, Any]


def keep(run: str, key: str, case: Case) -> None:
    """Remember a case of `run`; the same `key` is one case."""
    with open_memory(Settings().state) as store:
        if store.get(NAMESPACE, key) is None:
            store.put(NAMESPACE, key, {**case, "run": run, "date": f"{datetime.now(UTC):%Y-%m-%d}"}, index=False)


def alike(signature: dict[str, str]) -> list[Case]:
    """The newest cases with the same device, experiment that failed, and cause that it reported."""
    with open_memory(Settings().state) as store:
        found = store.search(NAMESPACE, filter=dict(signature), limit=1000)
    newest = sorted(found, key=lambda item: item.created_at, reverse=True)
    return [item.value for item in newest[:MOST]]
