"""How often each check sees its fault: `python -m labwright.evaluation.benchmarks.protocol_faults`.

Writes results/protocol_faults.json. Every kind of fault is put into as many right protocols of drawn designs.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from labwright.evaluation import protocol_faults as f
from labwright.evaluation.committed_results import FOLDER
from labwright.evaluation.protocol_faults import Kind, adds, dosed, on, sets, source, tagged, to
from labwright.evaluation.result_provenance import provenance
from labwright.tools.atomic_files import write_atomic
from labwright.tools.liquid_handler.pipetting_manner import PLAIN
from labwright.tools.liquid_handler.protocol_steps import BY_HAND
from labwright.tools.runs.hashed_files import to_json

KINDS = (
    Kind("a well that the plate does not have", "wells", on(adds(), f.off_the_plate)),
    Kind("a plate that is not on the deck", "plates", on(adds(), lambda p, i: f.changed(p, i, plate="Plate 7"))),
    Kind("an array that does not exist", "plates", f.no_such_array),
    Kind("a source that nobody knows", "subject", on(adds(), lambda p, i: f.changed(p, i, subject="mystery"))),
    Kind("mg for uL, or uL for mg", "units", on(adds(), f.other_unit)),
    Kind("a negative amount", "units", on(adds(), to(lambda v: -v, 1))),
    Kind("200 degC", "temperature", on(sets("HeatingTemp", above=30), to(lambda v: 200.0))),
    Kind("stirring at 900 rpm", "speed", on(sets("StirRate", above=0), to(lambda v: 900.0))),
    Kind("vortexing at 1500 rpm", "speed", on(sets("VortexRate", above=0), to(lambda v: 1500.0))),
    Kind("a source that is not loaded", "sources", f.unloaded),
    Kind("two sources of one name", "sources", f.loaded_twice),
    Kind("more sources than places", "deck", f.crowded),
    Kind("a powder by pump, or a liquid by powder dispenser", "tags", on(adds(), f.other_dispenser)),
    Kind("not pipetted as asked", "manner_lost", on(f.in_a_manner, lambda p, i: f.changed(p, i, manner=PLAIN))),
    Kind("weighed by the robot, not by a person", "manner_lost", on(tagged(BY_HAND), f.by_robot)),
    Kind("a 10 uL tip for more", "tip", f.small_tip),
    Kind("an addition done twice", "efficiency", on(adds(), f.doubled)),
    Kind("vials filled to 90 %", "fill", f.filled_to(0.9)),
    Kind("vials that overflow", "overflow", f.filled_to(1.5)),
    Kind("a vial not filled up", "total_volume", f.too_little),
    Kind("a source with too little in it", "overdraw", source(load=5.0)),
    Kind("0.5 uL of a liquid", "dispense", on(adds("uL"), to(lambda v: 0.5, 1))),
    Kind("0.2 mg of a solid", "weighable", on(adds("mg"), to(lambda v: 0.2, 1))),
    Kind("a dose 5 % too large", "balance", dosed(lambda v: 1.05 * v)),
    Kind("a dose 5 % too large, seen as a concentration", "concentration", dosed(lambda v: 1.05 * v)),
    Kind("a dose ten times too large", "concentration", dosed(lambda v: 10 * v)),
    Kind("an addition left out", "balance", f.left_out),
    Kind("two vials with each other's dose", "balance", f.swapped),
    Kind("a vial that nobody asked for", "balance", f.extra_vial),
    Kind("an asked vial left empty", "levels", f.emptied),
    Kind("a wrong molar mass", "molar_mass", source(molar_mass=20.0)),
    Kind("a wrong density", "density", source(density=0.5)),
    Kind("half the portion diluted", "portion", on(f.pours, to(lambda v: v / 2))),
    Kind("portions of each other's vial", "portion", f.other_vial),
    Kind("no quench or diluent in the second plate", "portion", f.no_quench),
    Kind("a serial dilution in the wrong order", "portion", f.series_reversed),
    Kind("into vials at rest that are to be stirred", "conditions", f.at_rest),
    Kind("no portion of the vial that is to give it", "portion", f.portion_left_out),
    Kind("nothing added to the second plate", "portion", f.second_left_out),
    Kind("a sample not taken", "portion", f.sample_left_out),
    Kind("a sample taken too late", "samples", f.sampled_late),
    Kind("an addition in between made at the beginning", "conditions", f.late_early),
    Kind("an addition in between left out", "balance", f.late_left_out),
    Kind("5 % too much added in between", "concentration", f.late_dosed),
    Kind("more transferred than there is", "transfer", on(f.pours, to(lambda v: v + 2e4))),
    Kind("a solid after a liquid", "order", f.solids_late),
    Kind("water onto acid", "acid", f.water_on_acid),
    Kind("pipetting through caps", "cap", f.through_caps),
    Kind("a plastic tip through whole septa", "cap", f.blunt),
    Kind("caps on vials that take none", "cap", f.capped_uncappable),
    Kind("heating without caps", "cap_before_heat", f.heated_open),
    Kind("opening hot vials", "cool_before_open", f.opened_hot),
    Kind("stirring for no time", "delay", f.not_waited("StirRate")),
    Kind("stirrer left on", "left_on", on(sets("StirRate", below=1), f.without, last=True)),
    Kind("heat left on", "left_on", f.heat_left_on),
    Kind("a delay while vial timers run", "timers", f.delay_between_timers),
    Kind("timers that nothing awaits", "timers", on(tagged("WaitVialTimer"), f.without)),
    Kind("no timers set", "timers", on(sets("VialTimers"), f.without)),
    Kind("one vial with another time", "timers", on(sets("VialTimers"), to(lambda v: v + 5, 1))),
    Kind("another time than asked", "conditions", f.another_time),
    Kind("another temperature than asked", "conditions", f.other_degrees(filling=False)),
    Kind("filled at another temperature", "conditions", f.other_degrees(filling=True)),
    Kind("a volatile never capped", "volatile", f.uncapped),
)  # fmt: skip
MOST_DRAWN = 3000


def measure(each: int = 40, seed: int = 0, kinds: Sequence[Kind] = KINDS) -> dict[str, Any]:
    """Detections a kind, and findings where nothing is wrong.

    Returns:
        {drawn, false_alarms, least, rows: [{fault, code, put, seen, missed}]}; a false alarm is an error finding of
        a right protocol.
    """
    rng = random.Random(seed)
    put: dict[str, list[int]] = {kind.name: [] for kind in kinds}
    seen = dict.fromkeys(put, 0)
    missed: dict[str, list[int]] = {name: [] for name in put}
    alarms: list[str] = []
    drawn = 0
    for number, made in zip(range(MOST_DRAWN), f.right_protocols(seed), strict=False):
        left = [kind for kind in kinds if len(put[kind.name]) < each]
        if not left:
            break
        drawn += 1
        alarms += [f"{number}: {one.code}: {one.message}" for one in made.findings if one.severity == "error"]
        before = {one.code for one in made.findings}
        for kind in left:
            wrong = kind.inject(made, rng)
            if wrong is None or kind.code in before or wrong == made.protocol:
                continue
            put[kind.name].append(number)
            if kind.code in f.codes(made, wrong):
                seen[kind.name] += 1
            else:
                missed[kind.name].append(number)
    rows = [
        {"fault": k.name, "code": k.code, "put": len(put[k.name]), "seen": seen[k.name], "missed": missed[k.name]}
        for k in kinds
    ]
    shares = [seen[k.name] / max(1, len(put[k.name])) for k in kinds]
    return {"each": each, "seed": seed, "drawn": drawn, "false_alarms": alarms, "least": min(shares), "rows": rows}


def table(result: dict[str, Any]) -> str:
    """The result as Markdown."""
    lines = ["| fault | finding | seen |", "|---|---|---:|"]
    lines += [f"| {row['fault']} | `{row['code']}` | {row['seen']} of {row['put']} |" for row in result["rows"]]
    alarms = len(result["false_alarms"])
    return "\n".join([*lines, f"| nothing wrong: errors found in {result['drawn']} right protocols | | {alarms} |"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, write, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=FOLDER / "protocol_faults.json")
    given = parser.parse_args(arguments)
    began = perf_counter()
    result = measure(given.each, given.seed)
    write_atomic(given.output.absolute(), to_json({**provenance(perf_counter() - began), **result}))
    sys.stdout.write(table(result) + "\n")
    return int(result["least"] < 0.98 or bool(result["false_alarms"]))


if __name__ == "__main__":
    raise SystemExit(main())
