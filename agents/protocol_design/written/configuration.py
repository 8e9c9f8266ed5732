"""The twenty ways in which agents can write steps: who works, how well they reason, with which tools and checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from labwright.agents.call import Tier

Agents = Literal["single-agent", "multi-agent"]
Reasoning = Literal["none", "partial", "full"]
Checks = Literal["none", "guided", "unguided"]
# name of the last part -> (tools, checks)
EQUIPMENT: dict[str, tuple[bool, Checks]] = {
    "plain": (False, "none"),
    "tools": (True, "none"),
    "tools+guided": (True, "guided"),
    "tools+unguided": (True, "unguided"),
}
REASONING: dict[Agents, tuple[Reasoning, ...]] = {
    "single-agent": ("none", "full"),
    "multi-agent": ("none", "partial", "full"),
}


@dataclass(frozen=True, slots=True)
class Configuration:
    """One of the ways; its name is such as ``multi-agent/partial/tools+guided``.

    Attributes:
        agents: one role that does everything, or a supervisor with five.
        reasoning: which roles the reasoning model answers: none, only the one that understands, or all.
        tools: whether the chemistry tools are offered.
        checks: what is done with finished steps. ``guided``: computed checks, one after the other; ``unguided``: a
            reviewer looks at the whole, always with the reasoning model.
    """

    agents: Agents
    reasoning: Reasoning
    tools: bool
    checks: Checks

    @property
    def name(self) -> str:
        """The name that chooses it."""
        equipment = next(name for name, parts in EQUIPMENT.items() if parts == (self.tools, self.checks))
        return f"{self.agents}/{self.reasoning}/{equipment}"

    def tier(self, role: str) -> Tier:
        """Which model answers `role`."""
        if role == "review" or self.reasoning == "full":
            return "reasoning"
        return "reasoning" if self.reasoning == "partial" and role == "understand" else "general"


CONFIGURATIONS: dict[str, Configuration] = {
    made.name: made
    for agents, levels in REASONING.items()
    for reasoning in levels
    for tools, checks in EQUIPMENT.values()
    for made in [Configuration(agents, reasoning, tools, checks)]
}
