"""Start, resume and fork a search from Python; what every face of the program calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from labwright.graphs.feature_map_search.choices import Choices
from labwright.graphs.feature_map_search.forking import fork as fork
from labwright.graphs.feature_map_search.graph import build_graph
from labwright.graphs.feature_map_search.run_context import SYSTEM, WORKBENCHES, check_choices
from labwright.graphs.running import OnEvent, OnQuestion, System
from labwright.graphs.running import Outcome as Outcome
from labwright.tools.specifications.kinds import from_choices
from labwright.tools.specifications.search import SearchSpec


def specify(text: str, choices: Choices, files: list[str]) -> dict[str, Any]:
    """The search as a specification."""
    title = "" if text in (choices.words, SearchRequest(choices=choices).words) else " ".join(text.split())[:200]
    return from_choices(SearchSpec, choices, **({"title": title} if title else {}))


SEARCH = System(SYSTEM, build_graph, WORKBENCHES, check_choices, fork, specify=specify)


@dataclass(frozen=True)
class SearchRequest:
    """What is wanted: words for the record, and the choices that say what is done."""

    text: str = ""  # empty: what the choices have
    choices: Choices = field(default_factory=Choices)

    @property
    def words(self) -> str:
        """The text, or a sentence that the choices make."""
        return self.text or self.choices.words or f"Find a quantum feature map for {self.choices.dataset}"


def start(
    request: SearchRequest, root: Path, *, on_event: OnEvent | None = None, on_question: OnQuestion | None = None
) -> Outcome:
    """Search until the trials are done, a budget is spent or a person is needed.

    Raises:
        InputError: the data set cannot be used; no run is made.
        SandboxUnavailableError: nothing on this machine confines candidate code.
        OSError: the runs folder cannot be written.
        ModelUnavailable: the chosen model does not answer.
    """
    chosen = request.choices
    return SEARCH.start(request.words, chosen, root, seed=chosen.seed, on_event=on_event, on_question=on_question)


resume = SEARCH.resume
