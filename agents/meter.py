"""What a run has spent, per agent and in total, and the budget that stops it."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from labwright.agents.errors import BudgetExceeded


@dataclass(slots=True)
class Usage:
    """What one agent has spent. Tokens are the server's own counts.

    Attributes:
        answers: typed calls that returned, from whichever mind.
        calls: requests to a model, repairs and failed ones included; the client's own retries are not seen.
        cache_hits: answers that came from the disk cache and cost nothing.
        repairs: answers that went back to the model with what is wrong with them.
        failures: calls that ended without a reply.
        lost: typed calls that were given up: no valid answer after the last repair.
        unknown: replies for which the server reported no usage; the token counts are then lower bounds.
        input_tokens: prompt tokens, those of images included.
        output_tokens: completion tokens, those of hidden reasoning included.
        input_characters: of the text that was sent, earlier messages of the conversation included.
        output_characters: of the replies.
        images: pictures sent.
        image_tokens: part of `input_tokens`; None where no server reported it.
        seconds: time spent in calls.
        cost: money, in the currency of the price table; None where a price or a count is missing.
    """

    answers: int = 0
    calls: int = 0
    cache_hits: int = 0
    repairs: int = 0
    failures: int = 0
    lost: int = 0
    unknown: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    input_characters: int = 0
    output_characters: int = 0
    images: int = 0
    image_tokens: int | None = None
    seconds: float = 0.0
    cost: float | None = 0.0

    def add(self, other: Usage) -> None:
        """Add `other`. An unknown cost stays unknown; an unknown image count counts as nothing reported."""
        for item in fields(self):
            mine, theirs = getattr(self, item.name), getattr(other, item.name)
            if item.name == "cost":
                self.cost = None if mine is None or theirs is None else mine + theirs
            elif theirs is not None:
                setattr(self, item.name, (mine or 0) + theirs)

    @property
    def tokens(self) -> int:
        """Input and output tokens."""
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class Budget:
    """Upper limits of one run; None means no limit.

    Attributes:
        tokens: input and output tokens together.
        money: in the currency of the price table.
        calls: requests to a model.
        seconds: wall time of the run, the earlier parts of a resumed run included.
    """

    tokens: int | None = None
    money: float | None = None
    calls: int | None = None
    seconds: float | None = None

    @classmethod
    def parse(cls, text: str) -> Budget:
        """Read ``tokens=20000,calls=50,seconds=600,money=2``; empty text is no limit.

        Raises:
            ValueError: an unknown name, a number that does not read, or a negative one.
        """
        limits: dict[str, float] = {}
        for part in filter(None, (piece.strip() for piece in text.split(","))):
            name, _, number = (piece.strip() for piece in part.partition("="))
            if name not in cls.__dataclass_fields__ or name in limits:
                raise ValueError(
                    f"Budget {part!r} must be one of tokens=, money=, calls=, seconds=, each at most once."
                )
            limits[name] = _positive(name, number)
        whole = {name: int(value) for name, value in limits.items() if name in {"tokens", "calls"}}
        return cls(**{**limits, **whole})  # type: ignore[arg-type]


def _positive(name: str, number: str) -> float:
    try:
        value = float(number)
    except ValueError:
        raise ValueError(f"Budget `{name}` must be a number, but is {number!r}. Example: {name}=100.") from None
    if not 0 <= value < float("inf"):
        raise ValueError(f"Budget `{name}` must be a finite number of at least 0, but is {number}.")
    return value


class Meter:
    """Counts what every agent spends and stops the run when its budget is gone. Thread-safe.

    Calls are counted when they start, so a budget of calls is exact. Tokens and money are known when a reply
    arrives: calls already under way at that moment are finished and kept.
    """

    def __init__(self, budget: Budget | None = None) -> None:
        self.budget = budget or Budget()
        self._agents: dict[str, Usage] = {}
        self._lock = threading.Lock()
        self._earlier = 0.0  # wall seconds of the run before this process
        self._started = time.monotonic()

    def begin(self, agent: str) -> None:
        """Count one request to a model, if the budget has room for it.

        Raises:
            BudgetExceeded: it has not; says what was spent.
        """
        with self._lock:
            self._check(calls_wanted=1)
            self._usage(agent).calls += 1

    def check(self) -> None:
        """Raise `BudgetExceeded` if the budget of tokens, money or time is spent."""
        with self._lock:
            self._check(calls_wanted=0)

    def record(self, agent: str, usage: Usage) -> None:
        """Add what a call turned out to cost."""
        with self._lock:
            self._usage(agent).add(usage)

    @property
    def wall(self) -> float:
        """Seconds since the run began, without the time in which no process ran it."""
        return self._earlier + time.monotonic() - self._started

    def total(self) -> Usage:
        """The sum over all agents."""
        with self._lock:
            return self._total()

    def agents(self) -> dict[str, Usage]:
        """A copy of the usage of each agent."""
        with self._lock:
            return {name: Usage(**asdict(usage)) for name, usage in sorted(self._agents.items())}

    def state(self) -> dict[str, Any]:
        """The meter as plain JSON: ``{wall, total, agents}``."""
        agents = {name: asdict(usage) for name, usage in self.agents().items()}
        return {"wall": self.wall, "total": asdict(self.total()), "agents": agents}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Add a stored state, such as that of the run before it was interrupted, or of a parallel branch."""
        with self._lock:
            for name, usage in state.get("agents", {}).items():
                self._usage(name).add(Usage(**usage))
            self._earlier += float(state.get("wall", 0.0))

    def _usage(self, agent: str) -> Usage:
        return self._agents.setdefault(agent, Usage())

    def _total(self) -> Usage:
        total = Usage()
        for usage in self._agents.values():
            total.add(usage)
        return total

    def _check(self, calls_wanted: int) -> None:
        total, budget = self._total(), self.budget
        if budget.calls is not None and calls_wanted and total.calls + calls_wanted > budget.calls:
            raise _spent("calls", budget.calls, total.calls, total)
        if budget.seconds is not None and self.wall >= budget.seconds:
            raise _spent("seconds", budget.seconds, self.wall, total)
        if budget.tokens is not None and calls_wanted:
            if total.unknown:  # fail closed: a limit that cannot be measured cannot be kept
                raise _unknowable(
                    "tokens", budget.tokens, "the server reports no usage. Limit calls or seconds instead"
                )
            if total.tokens >= budget.tokens:
                raise _spent("tokens", budget.tokens, total.tokens, total)
        if budget.money is not None and calls_wanted:
            if total.cost is None:
                raise _unknowable("money", budget.money, "a price is missing. Set LABWRIGHT_PRICES, or limit tokens")
            if total.cost >= budget.money and (total.calls or budget.money == 0):
                raise _spent("money", budget.money, total.cost, total)


def _spent(limit: str, allowed: float, spent: float, total: Usage) -> BudgetExceeded:
    cost = "unknown" if total.cost is None else f"{total.cost:.4g}"
    return BudgetExceeded(
        f"The budget of {allowed:g} {limit} is spent ({spent:g} used): {total.calls} calls,"
        f" {total.input_tokens} input and {total.output_tokens} output tokens, cost {cost}."
        f" Everything done so far is kept; resume with a larger `--budget {limit}=...`.",
        limit=limit,
        allowed=allowed,
        spent=spent,
    )


def _unknowable(limit: str, allowed: float, why: str) -> BudgetExceeded:
    return BudgetExceeded(
        f"The budget of {allowed:g} {limit} cannot be kept, because {why}.", limit=limit, allowed=allowed
    )
