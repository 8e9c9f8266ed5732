"""What the front desk's agents are told: the person's words, what was said before, and the runs there are."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class KnownRun(BaseModel):
    """An earlier run, as the desk lists it."""

    model_config = ConfigDict(extra="forbid")
    run_id: str
    system: str
    asked: str
    status: str = Field(description="complete, failed, refused, stopped, interrupted (asks something), running, dead.")
    started: str = Field(description="Such as 2026-03-12 09:10.")
    subject: list[str] = Field(description="What it is about: qubits, a data set, chemicals.")


class Said(BaseModel):
    """One earlier message of the conversation."""

    model_config = ConfigDict(extra="forbid")
    by: str = Field(description="person or desk")
    text: str


class Settled(BaseModel):
    """A question of the desk about this message, and the person's answer."""

    model_config = ConfigDict(extra="forbid")
    question: str
    answer: str


class RouteIn(BaseModel):
    """One message, with what it may refer to."""

    model_config = ConfigDict(extra="forbid")
    message: str
    settled: list[Settled] = Field(description="What was asked back about this message, in order.")
    talk: list[Said] = Field(description="The conversation before it, oldest first.")
    runs: list[KnownRun] = Field(description="Oldest first.")
    remembered: list[str] = Field(description="Notes of earlier conversations.")
    today: str = Field(description="Such as 2026-03-12.")

    @property
    def words(self) -> str:
        """Everything that the person said about this: the message, then the answers."""
        return "\n".join([self.message, *(one.answer for one in self.settled)])
