"""Mutated cards of tasks: `python -m labwright.evaluation.benchmarks.card_mutants --cards 1000`.

Every card of the examples and of docs/task-cards-dynamics.md is changed in one place: a field left out, renamed or of
another type, another unit, a wrong dimension, NaN, a negative or huge number, an unknown operator, a letter missing.
A mutant must be *refused* with line, field, cause and cure, or be *accepted*. What was accepted is written out and read
again, which must give the same card; it is *equal* if it says what the card said before the change. Anything else is a
crash.
"""

from __future__ import annotations

import argparse
import json
import operator
import random
import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from functools import reduce
from pathlib import Path
from typing import Any

from labwright.tools.forge.tasks import family
from labwright.tools.specifications.base import SpecificationError
from labwright.tools.specifications.examples import example
from labwright.tools.specifications.reading import read_document, to_yaml
from labwright.tools.specifications.task import FREE, Card, read_card, task_kinds

GRAMMAR = Path(__file__).resolve().parents[2] / "docs" / "task-cards-dynamics.md"
KEPT = ("spec", "system", "task")  # without these it is no card of its kind
JUNK: tuple[Any, ...] = (
    None, True, -1, 0, 3, 1e9, 10**30, float("nan"), float("inf"), "", " ", "x", "nan", "1/0", "-1", "1e400", "Q(q)",
    "5 parsecs", "5 MHz", "3 us", "ket(7)", "[]", "[1, 2", "linspace(0, 1, 0)", "linspace(0, 1, 10**9)", "().__class__",
    "X*", "\u00bd", "ZZZZZZZZ", [], {}, [[1]], ["x"], [1, 2, 3], {"a": 1}, {"a": {"b": []}}, [[0, 1], [2]], "9**9**9",
    "0 0", ".xyz", "-> A",
)  # fmt: skip
UNITS = re.compile(r"\b(?:us|ns|ms|MHz|GHz|kHz|meV|K|fs)\b")
COLUMNS = ("cards", "refused", "accepted", "equal", "crashed")
Place = tuple[Any, ...]


def right_cards() -> list[dict[str, Any]]:
    """The example of every kind, and those of the grammar of dynamics, as plain data."""
    texts = [example("task", kind) for kind in task_kinds() if kind != FREE]
    if GRAMMAR.is_file():
        texts += re.findall(r"```yaml\n(.*?)```", GRAMMAR.read_text("utf-8"), re.S)
    return [read_document(text).data for text in texts]


def places(data: Any, path: Place = ()) -> Iterator[Place]:
    """Every place of nested data."""
    for key, one in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        yield (*path, key)
        yield from places(one, (*path, key))


def mutated(card: dict[str, Any], draw: random.Random) -> tuple[str, dict[str, Any]]:
    """(what was changed, card) with one place changed."""
    made = json.loads(json.dumps(card))
    *way, last = place = draw.choice([one for one in places(made) if one[0] not in KEPT])
    holder = reduce(operator.getitem, way, made)
    old, how = holder[last], draw.choice(("junk", "junk", "drop", "rename", "typo", "unit", "scale", "twice"))
    if how == "drop":
        del holder[last]
    elif how == "rename" and isinstance(holder, dict):
        holder[f"{last}{draw.choice('sx_')}"] = holder.pop(last)
    elif how == "typo" and isinstance(old, str) and old:
        cut = draw.randrange(len(old))
        holder[last] = old[:cut] + draw.choice(("", "(", "~", "]", old[cut:][:2])) + old[cut + 1 :]
    elif how == "unit" and isinstance(old, str):
        holder[last] = (
            UNITS.sub(draw.choice(("", "K", "meV", "ns", "furlong")), old) if UNITS.search(old) else f"{old} us"
        )
    elif how == "scale" and isinstance(old, int | float) and not isinstance(old, bool):
        holder[last] = old * draw.choice((-1, 0, 0.5, 1e6))
    elif how == "twice" and isinstance(holder, list):
        holder.append(old)
    else:
        how, holder[last] = "junk", draw.choice(JUNK)
    return f"{how} {'.'.join(map(str, place))}: {old!r} to {holder[last] if last in _keys(holder) else 'nothing'!r}"[
        :200
    ], made


def _keys(holder: Any) -> Any:
    return holder if isinstance(holder, dict) else range(len(holder))


def fate(data: dict[str, Any]) -> tuple[str, str, Card | None]:
    """(``refused``, ``accepted``, ``unexplained`` or ``crashed``; what was said; the card)."""
    try:
        card = read_card(to_yaml(data))
        assert card is not None
        made, kind = card.compiled(), family(card.task)
        imports = {need.recipe: f"tools.{need.recipe}" for need in kind.needs(made)}
        for script in kind.scripts(made, imports):
            compile(script.source, "script", "exec")
        again = read_card(to_yaml(_said(card)))
        assert again is not None
        assert _said(again) == _said(card), "What was read is another card once it is written out."
    except SpecificationError as wrong:
        bare = [one for one in wrong.problems if not one.message or not (one.fix or ". " in one.message)]
        return "unexplained" if bare else "refused", str(wrong), None
    except Exception as crash:  # noqa: BLE001
        return "crashed", f"{type(crash).__name__}: {crash}"[:400], None
    return "accepted", "", card


def _said(card: Card) -> dict[str, Any]:
    """What a card says, as plain data."""
    return card.model_dump(mode="json", by_alias=True, exclude_unset=True)


def measure(count: int, seed: int = 1) -> dict[str, Any]:
    """How many mutants were refused and accepted, by kind of task, and every crash.

    Args:
        count: mutants; every kind has as many, but for a rest, and every card of a kind.
        seed: of what is changed.
    """
    draw, cards = random.Random(seed), right_cards()
    table = {right["task"]: Counter[str]() for right in cards}
    kinds = list(table)
    wrong: list[dict[str, str]] = []
    start_time = time.perf_counter()
    for number in range(count):
        own = [one for one in cards if one["task"] == kinds[number % len(kinds)]]
        right = own[number // len(kinds) % len(own)]
        said, data = mutated(right, draw)
        ended, why, card = fate(data)
        row = table[right["task"]]
        row["cards"] += 1
        row[ended] += 1
        if card is not None:
            row["equal"] += _same(card, right)
        if ended in ("crashed", "unexplained"):
            wrong.append({"task": right["task"], "changed": said, "said": why})
    total = sum(table.values(), Counter[str]())
    return {
        "cards": count, "seed": seed, "total": dict(total), "by_task": {name: dict(row) for name, row in table.items()},
        "wrong": wrong, "seconds": round(time.perf_counter() - start_time, 1),
    }  # fmt: skip


def _same(card: Card, right: dict[str, Any]) -> bool:
    before = read_card(to_yaml(right))
    return before is not None and card.compiled() == before.compiled()


def shown(found: dict[str, Any]) -> str:
    """The measurement as a table of Markdown, a row for each kind, with what was wrong below it."""
    rows = [*found["by_task"].items(), ("all", found["total"])]
    lines = [f"| kind | {' | '.join(COLUMNS)} |", f"|---|{'---:|' * len(COLUMNS)}"]
    lines += [f"| {name} | {' | '.join(str(row.get(one, 0)) for one in COLUMNS)} |" for name, row in rows]
    lines += [f"{one['task']}: {one['changed']}: {one['said']}" for one in found["wrong"]]
    return "\n".join([*lines, f"seed {found['seed']}, {found['seconds']} s"])


def main(argv: list[str] | None = None) -> int:
    """Print the measurement; 1 if anything crashed or was refused without a cure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cards", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(argv)
    warnings.simplefilter("ignore")  # NaN and overflow are what is looked for
    found = measure(given.cards, given.seed)
    sys.stdout.write(shown(found) + "\n")
    return int(bool(found["wrong"]))


if __name__ == "__main__":
    sys.exit(main())
