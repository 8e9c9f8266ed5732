"""State of the self-check, and what a system brings to it."""

from __future__ import annotations

from typing import Any, Literal, Protocol

from typing_extensions import TypedDict

Mode = Literal["guided", "unguided"]
CheckStatus = Literal["open", "clean", "exhausted"]
UNGUIDED_ROUNDS = 5  # the most whole reviews one artifact gets
GUIDED_ROUNDS = 4  # the most repairs in guided mode


class Finding(TypedDict):
    """One thing that is wrong with an artifact."""

    check: str  # name of the check that found it
    message: str  # what is wrong and where
    mend: str  # how to put it right; may be empty


class SelfCheckState(TypedDict, total=False):
    """The keys that a system's state shares with the subgraph. All JSON-plain."""

    artifact: dict[str, Any]  # what is checked
    check_context: dict[str, Any]  # what the checks may need to know
    check_mode: Mode
    check_round: int  # repairs made so far
    findings: list[Finding]  # of the last check; empty when clean
    check_status: CheckStatus
    check_log: list[Finding]  # every finding that was ever made, for the record


class Checker(Protocol):
    """What a system knows about its artifacts."""

    @property
    def names(self) -> tuple[str, ...]:
        """The named checks, cheapest first."""
        ...

    def check(self, name: str, artifact: dict[str, Any], context: dict[str, Any]) -> list[Finding]:
        """Run one named check (guided mode)."""
        ...

    def review(self, artifact: dict[str, Any], context: dict[str, Any]) -> list[Finding]:
        """Judge the artifact as a whole (unguided mode)."""
        ...

    def revise(
        self, artifact: dict[str, Any], findings: list[Finding], context: dict[str, Any]
    ) -> dict[str, Any] | None:
        """A mended artifact, or None if it cannot be mended."""
        ...
