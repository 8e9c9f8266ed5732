"""What the built-in policies know: families for the science, drafts of the tools, and which card a task is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from labwright.tools.forge.tasks import families
from labwright.tools.forge.tasks.task_type import Family
from labwright.tools.forge.toolset.builtin_tools import Toolbox
from labwright.tools.specifications.task import Card, card_type, read_card


@dataclass(frozen=True)
class Known:
    """A body of knowledge; `STANDARD` is the one that comes with the package.

    Attributes:
        families: name -> family.
        toolbox: drafts of the tools.
    """

    families: Callable[[], Mapping[str, Family[Any]]] = families
    toolbox: Toolbox = field(default_factory=Toolbox)

    def card(self, task: str) -> tuple[Family[Any], Card] | None:
        """The card that the task's text is, and its family; None for words.

        Raises:
            SpecificationError: it is a card with a mistake.
        """
        known = self.families()
        card = read_card(task, {name: card_type(name, one.card) for name, one in known.items()})
        return None if card is None else (known[card.task], card)


STANDARD = Known()
