"""Errors of the agents layer, named by what the caller does next.

AgentError
+-- AgentGaveUp        no valid answer within the repair budget; a person or the caller decides
+-- BudgetExceeded     stop cleanly, everything kept
+-- ModelUnavailable   address, key or model is wrong; fix the settings
+-- CallDefinitionError    a role is defined wrongly; a developer fixes it
+-- RecordingMismatch      a replay is not the recorded run; undo the change or record again
"""

from __future__ import annotations

from collections.abc import Sequence


class AgentError(Exception):
    """Base of every error that an agent raises on purpose."""


class AgentGaveUp(AgentError):
    """No valid answer within the repair budget.

    Attributes:
        agent: name of the call.
        findings: what was wrong with the last answer, in sentences.
        attempts: how many answers were tried.
    """

    def __init__(self, message: str, *, agent: str = "", findings: Sequence[str] = (), attempts: int = 1) -> None:
        self.agent, self.findings, self.attempts = agent, tuple(findings), attempts
        super().__init__(message)


class BudgetExceeded(AgentError):
    """The run's budget of tokens, money, calls or time is spent.

    Attributes:
        limit: ``tokens``, ``money``, ``calls`` or ``seconds``.
        allowed: the budget, in that unit.
        spent: what was spent; None if it cannot be known.
    """

    def __init__(self, message: str, *, limit: str = "", allowed: float = 0.0, spent: float | None = None) -> None:
        self.limit, self.allowed, self.spent = limit, allowed, spent
        super().__init__(message)


class ModelUnavailable(AgentError):
    """The model does not answer at all; the message says which setting to change."""


class CallDefinitionError(AgentError):
    """A role is defined wrongly, such as an output type that no model can be held to."""


class RecordingMismatch(AgentError):
    """A replay asks for what was not recorded, or leaves over what was."""
