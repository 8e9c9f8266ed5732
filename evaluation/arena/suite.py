"""Suites `arena` and `arena-models`: every entrant on the same sealed devices, graded by the oracle alone.

Each worker process has the agent's side only; the grader is a process of its own below it (`client.Arena`).
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from labwright.evaluation.arena import entrants, tool_loop_entrants
from labwright.evaluation.arena.client import Arena
from labwright.evaluation.arena.entrants import Entrant
from labwright.evaluation.runner import Context, OnProgress, Options, Row, Suite, spent
from labwright.evaluation.scoring import bootstrap, wilson
from labwright.tools.atomic_files import write_atomic
from labwright.tools.errors import InputError, ToolError

ALONE: dict[str, Entrant] = {
    "labwright": entrants.labwright,
    "expert_script": partial(entrants.script, name="expert_script"),
    "fixed_script": partial(entrants.script, name="fixed_script"),
    "random": entrants.chance,
}
ASKING: dict[str, Entrant] = {
    "labwright": entrants.labwright,
    "plain": partial(tool_loop_entrants.loop, name="plain"),
    "deepagents": partial(tool_loop_entrants.loop, name="deepagents"),
}
TITLES = {
    "labwright": "Labwright, rules", "expert_script": "expert script", "fixed_script": "fixed script",
    "random": "random", "labwright, model": "Labwright, model", "plain, model": "plain loop, model",
    "deepagents, model": "deepagents, model",
}  # fmt: skip
# Numbers of a secret's devices. Good and drifting ones are `drawn`, about two in three of them good.
CONDITIONS = {"drawn": range(0, 100), "spoilt": range(100, 200), "doubly_spoilt": range(200, 300)}
GROUPS = {"drawn": ("good", "drifting"), "spoilt": ("spoilt",), "doubly_spoilt": ("doubly_spoilt",)}
COLUMNS = (
    "entrant", "devices", "right", "silently_wrong", "gave_up", "ratio", "within_1_sigma", "within_2_sigma",
    "device_seconds", "acquisitions", "requests", "tokens",
)  # fmt: skip
PATIENT = {"device_seconds": 3000.0, "acquisitions": 150, "wall_seconds": 6 * 3600.0}  # a person may answer for a model


@dataclass(frozen=True, slots=True)
class Entry:
    """One entrant on one device. `seed` is the device's number below the secret."""

    name: str
    seed: int
    entrant: str
    condition: str


def entries(options: Options, among: dict[str, Entrant]) -> list[Entry]:
    """For every entrant ``seeds`` drawn devices, half as many spoilt ones (at least two), a quarter doubly spoilt.

    ``tasks`` are names of entrants, or of single cases such as ``plain 100``.

    Raises:
        InputError: one of them names nothing that there is.
    """
    seeds = options["seeds"]
    many = {"drawn": seeds, "spoilt": min(seeds, max(2, -(-seeds // 2))), "doubly_spoilt": -(-seeds // 4)}
    chosen, found = set(options["tasks"] or among), list[Entry]()
    for who in among:
        for group, numbers in CONDITIONS.items():
            for number in numbers[: many[group]]:
                if {who, f"{who} {number:03d}"} & chosen:
                    found.append(Entry(f"{who} {number:03d}", number, who, condition_of(group, number)))
    if unknown := sorted(chosen - {one.entrant for one in found} - {one.name for one in found}):
        raise InputError(
            f"There is no {unknown[0]!r} among these devices. Entrants are: {', '.join(among)}; or one and a device of"
            f" it, such as '{next(iter(among))} 000'."
        )
    return found


def condition_of(group: str, number: int) -> str:
    """What a device of a group is; every third drawn one drifts."""
    return GROUPS[group][-1] if number % 3 == 2 else GROUPS[group][0]


def enter(case: Entry, context: Context, among: dict[str, Entrant]) -> Row:
    """Let an entrant work on its device, and have it graded."""
    mind = str(context.options.get("mind", "rules"))
    with Arena(context.options["secret"], at_once=True) as arena:
        arena.open(case.seed, "qubit", case.condition, PATIENT)
        said = ""
        try:
            entrant = among[case.entrant]
            if not context.options.get("diagnose", True) and case.entrant == "labwright":
                entrant = partial(entrants.labwright, diagnose=False)
            usage = entrant(arena, context.folder, mind)
        except ToolError as error:  # an entrant that falls over has handed in nothing
            usage, said = {}, f"{type(error).__name__}: {error}"
        grade = arena.grade()
    row = {"entrant": case.entrant + ", model" * (mind != "rules"), "passed": grade["ended"] == "right", "faults": said}
    return {**row, **grade, **(spent(usage) if usage else {})}


def sealed(options: Options, folder: Path, _tell: OnProgress) -> Options:
    """With a secret, drawn now unless the folder of the suites holds one; a later start sees the same devices."""
    path = folder.parent / "arena.secret"
    if not path.exists():
        write_atomic(path, secrets.token_hex(32).encode())
    return {**options, "secret": path}


def ready(options: Options, folder: Path, tell: OnProgress) -> Options:
    """`sealed`, once every chosen entrant has what it needs: none is graded for a missing package or prompt.

    Raises:
        InputError: no model is named, or an entrant has no prompt or package.
    """
    if options["mind"] == "rules":
        raise InputError("Suite arena-models needs a model: --model provider:name. `eval arena` needs none.")
    for who in {one.partition(" ")[0] for one in options["tasks"] or ASKING}:
        if who != "labwright" and who in ASKING:
            tool_loop_entrants.require(who)
    return sealed(options, folder, tell)


def summarise(rows: Sequence[Row], context: Context) -> dict[str, Any]:
    """A line an entrant and group of devices; and the secret, now that all have handed in, with its digest."""
    return {"table": table(rows), **unsealed(context)}


def unsealed(context: Context) -> dict[str, str]:
    """The secret of a suite and the digest that named it."""
    secret = context.options["secret"].read_text(encoding="ascii")
    return {"secret": secret, "sealed": hashlib.sha256(secret.encode()).hexdigest()}


def table(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """What the rows come to: shares with Wilson's interval, means with a bootstrap's."""
    found = []
    for who in dict.fromkeys(row["entrant"] for row in rows):
        for group, conditions in {**GROUPS, "all": ("good", "drifting", "spoilt", "doubly_spoilt")}.items():
            own = [row for row in rows if row["entrant"] == who and row["condition"] in conditions]
            if own:
                found.append({"entrant": who, "devices": group, **line(own)})
    return found


def line(rows: Sequence[Row]) -> dict[str, Any]:
    """One line of the table."""
    n = len(rows)
    claims = [claim for row in rows for claim in row["claims"]]
    near = {k: sum(abs(claim["sigmas"]) <= k for claim in claims) for k in (1, 2)}
    done = [row["ratio"] for row in rows if row["handed_in"] == "calibrated"]
    usage = [row["usage"] for row in rows if "usage" in row]
    counted = {
        k: sum(row["ended"] == k.replace("_", " ") for row in rows) for k in ("right", "silently_wrong", "gave_up")
    }
    return {
        "n": n,
        **{name: share(count, n) for name, count in counted.items()},
        "ratio": f"{median(done):.3g}, worst {max(done):.3g}" if done else "-",
        "within_1_sigma": share(near[1], len(claims)),
        "within_2_sigma": share(near[2], len(claims)),
        "device_seconds": mean_of([row["device_seconds"] for row in rows]),
        "acquisitions": mean_of([row["acquisitions"] for row in rows]),
        "requests": sum(one["calls"] for one in usage),
        "tokens": sum(one["input_tokens"] + one["output_tokens"] for one in usage),
    }


def share(count: int, n: int) -> str:
    """Such as ``20 of 25 (61-91 %)``: Wilson's interval."""
    low, high = wilson(count, n)
    return f"{count} of {n} ({100 * low:.0f}-{100 * high:.0f} %)" if n else "-"


def mean_of(values: Sequence[float]) -> str:
    """Such as ``7 (5-9)``: a bootstrap's interval."""
    low, high = bootstrap(values)
    return f"{sum(values) / len(values):.0f} ({low:.0f}-{high:.0f})"


SUITE = Suite(
    name="arena",
    doc="Calibration agents on sealed devices, graded by the oracle: Labwright by rules, two scripts, chance",
    cases=partial(entries, among=ALONE),
    run=partial(enter, among=ALONE),
    options={"seeds": 20, "tasks": ()},
    prepare=sealed,
    summarise=summarise,
    columns=COLUMNS,
    chooses=("seeds", "tasks"),
    workers=1,
)
MODELS = Suite(
    name="arena-models",
    doc="The same with a model: Labwright, a plain loop of tools, a deepagents agent; five devices each",
    cases=partial(entries, among=ASKING),
    run=partial(enter, among=ASKING),
    options={"seeds": 2, "tasks": (), "mind": "rules", "diagnose": True},
    prepare=ready,
    summarise=summarise,
    columns=COLUMNS,
    chooses=("seeds", "tasks"),
)
