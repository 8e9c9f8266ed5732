"""Errors of the agents layer.

    AgentError
    +-- AgentGaveUp        no valid answer within the repair budget; a person or the caller decides
    +-- BudgetExceeded     stop cleanly, everything kept
    +-- ModelUnavailable   address, key or model is wrong; fix the settings
"""

from __future__ import annotations


class AgentError(Exception):
    """Base of every error that an agent raises on purpose."""


class AgentGaveUp(AgentError):
    """The model gave no valid answer within the repair budget."""


class BudgetExceeded(AgentError):
    """The run's budget of tokens, money, calls or time is spent."""


class ModelUnavailable(AgentError):
    """The model does not answer at all."""
