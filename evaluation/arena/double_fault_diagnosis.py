"""Suite `diagnosis`: causes of doubly spoilt devices, named by looks in two orders, and with earlier cases at hand.

A case is one pair of faults on two sealed devices. On the first one the looks are taken in the order of expected bits a
device second, and in random order for as long (the control). The second one is diagnosed without a memory, with what
was found on the first, and with what belongs to another pair.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from labwright.evaluation.arena.client import Arena, ArenaDevice
from labwright.evaluation.arena.devices import FAULTS, seed_of
from labwright.evaluation.arena.suite import PATIENT, mean_of, sealed, share, unsealed
from labwright.evaluation.runner import Context, Options, Row, Suite
from labwright.tools.atomic_files import write_atomic
from labwright.tools.experiments.base import Bench
from labwright.tools.upkeep.diagnosing import Diagnosis, diagnose

ARMS = {
    "first": "first encounter", "random": "random order, as long", "alone": "second encounter, without memory",
    "remembered": "second encounter, with the case of the first", "misled": "second encounter, with a case of others",
}  # fmt: skip
AGAIN = len(FAULTS)  # devices whose numbers differ by so much have the same faults
COLUMNS = ("order", "devices", "both_named", "one_named", "acquisitions", "device_seconds")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two devices with the same two faults. `seed` is their number below the secret."""

    name: str
    seed: int


def pairs(options: Options) -> list[Pair]:
    """As many as ``seeds`` says."""
    return [Pair(f"doubly spoilt {number:02d}", number) for number in range(options["seeds"])]


def run(case: Pair, context: Context) -> Row:
    """All diagnoses of a pair of devices."""
    path = context.folder / "pair.secret"  # each pair has a secret of its own: one secret draws eight pairs of faults
    whole = bytes.fromhex(context.options["secret"].read_text(encoding="ascii"))
    write_atomic(path, seed_of(whole, case.seed, "pair").to_bytes(8, "big").hex().encode())
    with Arena(path, at_once=True) as arena:
        found: dict[str, dict[str, Any]] = {}
        first = found["first"] = _encounter(arena, context, case.seed, "first")
        lot = random.Random(case.seed)
        found["random"] = _encounter(
            arena, context, case.seed, "random", most_seconds=first["device_seconds"],
            choose=lambda _belief, looks: lot.choice(sorted(looks)) if looks else "",
        )  # fmt: skip
        second = case.seed + AGAIN
        found["alone"] = _encounter(arena, context, second, "alone")
        found["remembered"] = _encounter(arena, context, second, "remembered", cases=[first["named"]])
        others = sorted({"readout_noise", "short_lifetime", "drive_strength"} - set(first["causes"]))[:2]
        found["misled"] = _encounter(arena, context, second, "misled", cases=[others])
    return {"passed": first["both"], "faults": "" if first["both"] else str(first["named"]), "arms": found}


def _encounter(arena: Arena, context: Context, number: int, arm: str, **how: Any) -> dict[str, Any]:
    """One diagnosis of a device that is put on the bench anew, beside what is true."""
    arena.open(number, "qubit", "doubly_spoilt", PATIENT)
    made: Diagnosis = diagnose(Bench(ArenaDevice(arena, context.folder / arm), arm), "Q1", **how)
    arena.call("hand_in", status="refused", cause=min(made.causes, default="other"), reason="diagnosed")
    faults = arena.grade()["device_faults"]
    causes = {FAULTS[name].cause for name in faults}
    return {
        "device_faults": faults, "causes": sorted(causes), "named": sorted(made.causes),
        "probability": round(made.probability, 4), "both": made.causes == causes, "one": bool(made.causes & causes),
        "looks": [each.look for each in made.taken],
        "acquisitions": made.acquisitions, "device_seconds": round(made.seconds, 1),
    }  # fmt: skip


def summarise(rows: Sequence[Row], context: Context) -> dict[str, Any]:
    """A line an arm, how much sooner the second encounter ends, and the secret with its digest."""
    return {
        "table": [line(arm, [row["arms"][arm] for row in rows]) for arm in ARMS],
        **saved(rows),
        **unsealed(context),
    }


def line(arm: str, made: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """One line of the table."""
    named = {f"{k}_named": share(sum(each[k] for each in made), len(made)) for k in ("both", "one")}
    took = {k: mean_of([each[k] for each in made]) for k in ("acquisitions", "device_seconds")}
    return {"order": ARMS[arm], "devices": len(made), **named, **took}


def saved(rows: Sequence[Row]) -> dict[str, str]:
    """By how many acquisitions and device seconds the second encounter is shorter with a memory, device by device."""
    both = [(row["arms"]["alone"], row["arms"]["remembered"]) for row in rows]
    return {f"{k}_saved": mean_of([a[k] - b[k] for a, b in both]) for k in ("acquisitions", "device_seconds")}


SUITE = Suite(
    name="diagnosis",
    doc="Both causes of doubly spoilt devices named: looks by expected information, at random, with earlier cases",
    cases=pairs,
    run=run,
    options={"seeds": 25},
    prepare=sealed,
    summarise=summarise,
    columns=COLUMNS,
    chooses=("seeds",),
    required=0.8,
)
