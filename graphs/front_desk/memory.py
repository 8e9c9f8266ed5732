"""What is remembered across conversations: notes, devices, toolsets and earlier runs, in a LangGraph store.

The namespaces are ``(person, "notes")`` and ``(person, "runs")``. Only the person's own words and the facts of runs are
kept. The search is by meaning, with the project's own embedder. The store is a file of this machine, or, where workers
share a database, a table there.
"""

from __future__ import annotations

import hashlib

from langgraph.store.base import BaseStore

from labwright.agents.front_desk.actions import About, Remember
from labwright.graphs.front_desk.facts import found_in_words
from labwright.tools.runs.run import Run

NOTES, RUNS = "notes", "runs"
MOST_NOTES, MOST_RUNS, MOST_SEARCHED = 50, 5, 1000
LEAST_NEAR = 0.1  # cosine; two texts without a common word lie near 0


def _of(person: str, what: str) -> tuple[str, str]:
    """The namespace of what is kept of a person; a store takes no dot in its parts, and a name has no per cent sign."""
    return (person.replace(".", "%2E"), what)


def keep_note(store: BaseStore, person: str, note: Remember) -> None:
    """Keep a note; the same words are kept once."""
    key = hashlib.sha256(note.text.casefold().encode()).hexdigest()[:16]
    store.put(_of(person, NOTES), key, {"about": note.about, "text": note.text, "value": note.value})


def keep_run(store: BaseStore, person: str, run: Run) -> None:
    """Keep that a run ended, and what came of it, to be found again."""
    words = f"{run.record.asked[:400]}\n{found_in_words(run)}"
    store.put(_of(person, RUNS), run.run_id, {"run_id": run.run_id, "system": run.record.system, "text": words})


def notes_of(store: BaseStore, person: str) -> list[Remember]:
    """All notes, the oldest first."""
    items = store.search(_of(person, NOTES), limit=MOST_NOTES)
    ordered = sorted(items, key=lambda item: item.created_at)
    return [Remember.model_validate({"value": "", **item.value}) for item in ordered]


def runs_like(store: BaseStore, person: str, words: str) -> list[str]:
    """Ids of earlier runs that `words` may mean, the likeliest first."""
    from labwright.tools.knowledge.embedding import HashingEmbedder  # numpy is not needed to open a conversation

    items = store.search(_of(person, RUNS), limit=MOST_SEARCHED)
    if not items:
        return []
    embedder = HashingEmbedder()
    nearness = embedder.matrix([item.value["text"] for item in items]) @ embedder.matrix([words])[0]
    ranked = sorted(zip(nearness.tolist(), items, strict=True), key=lambda pair: -pair[0])
    return [item.key for near, item in ranked[:MOST_RUNS] if near > LEAST_NEAR]


def value_of(notes: list[Remember], about: About) -> str:
    """What the newest note about a device or a toolset names; empty if none does."""
    return next((note.value for note in reversed(notes) if note.about == about and note.value), "")
