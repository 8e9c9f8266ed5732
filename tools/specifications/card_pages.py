"""What a person reads about a kind of card: its page, and every field with its default. For a model that writes one."""

from __future__ import annotations

import json
from pathlib import Path

from labwright.tools.specifications.schema import schema_of
from labwright.tools.specifications.task import FREE, task_kinds

FOLDER = Path(__file__).parent / "pages"
OWN = {"dynamics": "task-cards-dynamics.md"}  # kinds with a page of their own, which names every field
ALL = "task-cards.md"


def one_line(kind: str) -> str:
    """A kind of card in one line."""
    about = " ".join((task_kinds()[kind].__doc__ or "").partition("\n\n")[0].split())
    return f"{kind}: {about}"


def card_kinds() -> list[str]:
    """The kinds of cards, without the free task."""
    return [name for name in task_kinds() if name != FREE]


def page_of(kind: str) -> str:
    """How a card of that kind is written."""
    preface, *sections = (FOLDER / ALL).read_text(encoding="utf-8").split("\n## ")
    if kind in OWN:
        return (FOLDER / OWN[kind]).read_text(encoding="utf-8")
    own = next((text for text in sections if f"`{kind}`" in text.partition("\n")[0]), "")
    schema = {name: part for name, part in schema_of("tool_forging", kind).items() if name != "examples"}
    fields = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return f"{preface}\n\n## {own}\n\n## Every field\n\n```json\n{fields}\n```"
