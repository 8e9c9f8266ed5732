"""Do all robots' files move the plan's volumes? `python -m labwright.evaluation.benchmarks.robot_volume_agreement`.

Draws designs, writes every output, runs the scripts in their simulators, adds up what each output moves, and compares
with the plan. Then plants over-draw and overflow. Writes results/protocol_robots.json.

Needs the extra `robots`; Opentrons' simulator is LABWRIGHT_OPENTRONS, made by `.ci/opentrons`. `--schema FILE` also
validates every design file against a schema that is not part of this package.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from lxml import etree

from labwright.evaluation.committed_results import FOLDER
from labwright.evaluation.protocol_reference_procedures import load_experiments
from labwright.evaluation.random_protocols import random_design
from labwright.evaluation.result_provenance import provenance
from labwright.graphs.protocol_design.preparing import given_protocol
from labwright.tools.atomic_files import write_atomic
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.lsr_reader import faults, parse_safely, read_lsr
from labwright.tools.liquid_handler.lsr_writer import write_lsr
from labwright.tools.liquid_handler.platform import well_name
from labwright.tools.liquid_handler.protocol_planner import Made, make_protocol
from labwright.tools.liquid_handler.protocol_steps import Protocol
from labwright.tools.liquid_handler.robots.bench_sheet import ROUNDED, bench_sheet, sheet_moves
from labwright.tools.liquid_handler.robots.deck import Deck, deck_of
from labwright.tools.liquid_handler.robots.opentrons import opentrons_script
from labwright.tools.liquid_handler.robots.scripts import pylabrobot_script
from labwright.tools.liquid_handler.robots.simulators import Simulated, logged, run_log_moves
from labwright.tools.liquid_handler.robots.volume_tracker import AGREES, Move, Tracked, holds, moves_of, track, usable
from labwright.tools.runs.hashed_files import to_json
from labwright.tools.specifications.examples import FOLDER as TEMPLATES
from labwright.tools.specifications.protocol import ProtocolSpec

OUTPUTS = ("design file", "bench sheet", "PyLabRobot", "Opentrons")
SIGNS = {"over-draw": ("are drawn from", "cannot draw"), "overflow": ("would hold", "would overflow")}
MOST_DRAWN = 3000
MANY = Path(__file__).parents[1] / "robot_simulator_batch.py"
PARTS = 2  # simulators at once
Plant = Callable[[Made, Deck, random.Random], tuple[Protocol, Deck]]


def examples() -> Iterator[Made]:
    """Protocols of the templates and of the published experiments."""
    templates = [path.read_text() for path in sorted(TEMPLATES.glob("protocol-*.yaml"))]
    for text in (*templates, *(one.protocol for one in load_experiments())):
        data = given_protocol(text)
        assert data is not None
        made = make_protocol(ProtocolSpec.model_validate(data).design)
        assert isinstance(made, Made)
        yield made


def drawn(seed: int) -> Iterator[Made]:
    """Protocols of drawn designs that the checks find no error in."""
    rng = random.Random(seed)
    for _ in range(MOST_DRAWN):
        try:
            made = make_protocol(random_design(rng))
        except InputError:
            continue
        if isinstance(made, Made) and not made.blocked:
            yield made


@dataclass(frozen=True)
class Job:
    """One output of one protocol, right or with a fault planted."""

    output: str
    fault: str
    made: Made
    protocol: Protocol
    deck: Deck
    script: str = ""  # for a simulator


def job(output: str, fault: str, made: Made, seed: str) -> Job:
    """One job.

    Raises:
        InputError: the protocol does not fit this output.
    """
    protocol, deck = made.protocol, deck_of(made.protocol)
    if fault:
        protocol, deck = FAULTS[fault](made, deck, random.Random(seed))
    scripts = {"PyLabRobot": pylabrobot_script, "Opentrons": opentrons_script}
    return Job(output, fault, made, protocol, deck, scripts[output](deck) if output in scripts else "")


def simulate(jobs: list[Job], program: str) -> dict[str, Simulated | str]:
    """What the simulators did with every script, or the last line of the refusal."""
    found: dict[str, Simulated | str] = {}
    for output, kind, python in (("PyLabRobot", "pylabrobot", sys.executable), ("Opentrons", "opentrons", program)):
        scripts = [one.script for one in jobs if one.output == output]
        if not scripts:
            continue
        python = str(Path(python).with_name("python")) if kind == "opentrons" else python
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / f"{number}.py" for number in range(len(scripts))]
            for file, script in zip(files, scripts, strict=True):
                file.write_text(script)
            halves = [[python, "-I", str(MANY), kind, *map(str, files[part::PARTS])] for part in range(PARTS)]
            for running in [subprocess.Popen(command, env={"HOME": folder}) for command in halves if command[4:]]:
                running.wait()
            found |= {script: _done(file, kind) for file, script in zip(files, scripts, strict=True)}
    return found


def _done(file: Path, kind: str) -> Simulated | str:
    if file.with_suffix(".rc").read_text() != "0":
        return (file.with_suffix(".err").read_text().strip().splitlines() or ["no message"])[-1]
    if kind == "pylabrobot":
        return logged(file.with_suffix(".json").read_text())
    return Simulated(tuple(run_log_moves(file.with_suffix(".out").read_text())), {})


def tracked(one: Job, runs: dict[str, Simulated | str]) -> Tracked:
    """What an output's moves end in.

    Raises:
        InputError: the simulator refuses it.
    """
    protocol = one.protocol
    if one.output == "design file":
        read = read_lsr(write_lsr(protocol))
        return track(moves_of(read), usable(read), holds(read))
    if one.output == "bench sheet":
        sheet = bench_sheet(replace(one.made, protocol=protocol))
        return track(sheet_moves(sheet), usable(protocol, ROUNDED), holds(protocol))
    run = runs[one.script]
    if isinstance(run, str):
        raise InputError(run)
    found = track(run.moves, {bottle.spot: bottle.usable for bottle in one.deck.bottles}, holds(protocol))
    own = track([Move(("", ""), spot, volume) for spot, volume in run.held.items()], {("", ""): 1e12}, {})
    if run.held and worst(one.made, own) > AGREES and not one.fault:
        found.problems.append("the simulator's own trackers hold other volumes")
    return found


def worst(made: Made, found: Tracked) -> float:
    """The largest difference to the plan in any vial, uL."""
    ours = {(plate, well_name(*well)): vial.volume for (plate, well), vial in made.case.run.vials.items()}
    plates = {plate for plate, _ in ours}
    spots = {*ours, *(spot for spot in found.volumes if spot[0] in plates)}
    return max(abs(ours.get(spot, 0.0) - found.volumes.get(spot, 0.0)) for spot in spots)


def overdrawn(made: Made, deck: Deck, rng: random.Random) -> tuple[Protocol, Deck]:
    """One source holds a third of what is drawn from it."""
    bottle = rng.choice(deck.bottles)
    sources = [
        replace(one, load=made.case.run.drawn[one.name] / 3) if one.name == bottle.source else one
        for one in made.protocol.sources
    ]
    pours = [pour for action in deck.actions if action.kind == "pour" for pour in action.pours]
    given = {one.spot: sum(pour.volume for pour in pours if pour.origin == one.spot) for one in deck.bottles}
    bottles = [replace(one, usable=given[one.spot] / 3) if one.source == bottle.source else one for one in deck.bottles]
    return replace(made.protocol, sources=tuple(sources)), replace(deck, bottles=tuple(bottles))


def overfilled(made: Made, deck: Deck, rng: random.Random) -> tuple[Protocol, Deck]:
    """One addition is larger than its vial; what is loaded suffices."""
    steps = list(made.protocol.steps)
    index = rng.choice([n for n, step in enumerate(steps) if (step.action, step.unit) == ("Add", "uL")])
    step = steps[index]
    well, plate = rng.choice(list(step.amounts)), made.protocol.plate(step.plate)
    assert plate is not None
    much = 1.2 * plate.vial
    steps[index] = replace(step, amounts={**step.amounts, well: much})
    sources = [replace(one, load=one.load + 2 * much) for one in made.protocol.sources]
    wrong = replace(made.protocol, steps=tuple(steps), sources=tuple(sources))
    on_deck = deck_of(wrong)
    racks = tuple(replace(rack, vial=rack.vial * 4) for rack in on_deck.holders)
    bottles = tuple(replace(one, usable=one.usable + 2 * much) for one in on_deck.bottles)
    return wrong, replace(on_deck, holders=racks, bottles=bottles)


FAULTS: dict[str, Plant] = {"over-draw": overdrawn, "overflow": overfilled}


def measure(designs: int, each: int, seed: int, schema: etree.XMLSchema | None, program: str) -> dict[str, Any]:
    """Agreement of `designs` protocols, and detection of `each` planted over-draws and overflows.

    Returns:
        {schema: ..., examples and agreement: [{output, accepted, refused, unfit, worst_uL}], planted: [{fault, output,
        put, seen}]}.
    """
    shown, mades = list(examples()), [made for made, _ in zip(drawn(seed), range(designs), strict=False)]
    outputs = [output for output in OUTPUTS if program or output != "Opentrons"]
    ours = {output: _jobs(output, "", shown, seed) for output in outputs}
    rows = {(output, fault): _jobs(output, fault, mades[: each if fault else None], seed)
            for fault in ("", *FAULTS) for output in outputs}  # fmt: skip
    runs = simulate([one for jobs, _ in (*ours.values(), *rows.values()) for one in jobs], program)
    files = [made.file for made in (*shown, *mades)]
    validity = {"files": len(files), "valid_by_ours": sum(not faults(file) for file in files)}
    if schema is not None:
        validity["valid_by_observed"] = sum(schema.validate(parse_safely(file)) for file in files)
    return {
        "designs": designs, "each": each, "seed": seed, "shapes": _shapes(mades), "schema": validity,
        "examples": [_agreement(output, *ours[output], runs) for output in outputs],
        "agreement": [_agreement(output, *rows[output, ""], runs) for output in outputs],
        "planted": [_planted(fault, output, *rows[output, fault], runs) for fault in FAULTS for output in outputs],
    }  # fmt: skip


def _jobs(output: str, fault: str, mades: list[Made], seed: int) -> tuple[list[Job], Counter[str]]:
    """The jobs, and why others do not fit the output."""
    jobs: list[Job] = []
    unfit: Counter[str] = Counter()
    for number, made in enumerate(mades):
        try:
            jobs.append(job(output, fault, made, f"{seed} {number}"))
        except InputError as error:
            unfit[str(error)] += 1
    return jobs, unfit


def _agreement(output: str, jobs: list[Job], unfit: Counter[str], runs: dict[str, Simulated | str]) -> dict[str, Any]:
    counts: Counter[str] = Counter(accepted=0, refused=0, disagrees=0)
    reasons: Counter[str] = Counter()
    far = [0.0]
    for one in jobs:
        try:
            found = tracked(one, runs)
        except InputError as refused:
            counts["refused"] += 1
            reasons[str(refused)] += 1
            continue
        far.append(worst(one.made, found))
        counts["disagrees" if far[-1] > AGREES or found.problems else "accepted"] += 1
        reasons.update(found.problems[:1])
    return {"output": output, **counts, "unfit": unfit.total(), "worst_uL": round(max(far), 6)} | {
        "reasons": dict((reasons + unfit).most_common(5))
    }


def _planted(
    fault: str, output: str, jobs: list[Job], unfit: Counter[str], runs: dict[str, Simulated | str]
) -> dict[str, Any]:
    seen = sum(_seen(one, runs) for one in jobs)
    return {"fault": fault, "output": output, "put": len(jobs), "seen": seen, "unfit": unfit.total()}


def _seen(one: Job, runs: dict[str, Simulated | str]) -> bool:
    try:
        told = tracked(one, runs).problems
    except InputError as refused:
        told = [str(refused)]
    return any(word in text for text in told for word in SIGNS[one.fault])


def _shapes(mades: list[Made]) -> dict[str, int]:
    """What was drawn: plates, portions and time courses."""
    return {
        "one plate": sum(len(made.protocol.plates) == 1 for made in mades),
        "two plates": sum(len(made.protocol.plates) > 1 for made in mades),
        "portions into a second plate": sum(made.layout.twin_for == "dilution" for made in mades),
        "samples at times": sum(made.layout.twin_for == "samples" for made in mades),
        "serial dilutions": sum(any(group.serial for group in made.design.groups) for made in mades),
        "additions in between": sum(any(one.kind == "add" for one in made.design.conditions) for made in mades),
        "time courses": sum(made.layout.twin_for == "timers" for made in mades),
        "vials": sum(len(made.amounts.vials) for made in mades),
    }


def table(result: dict[str, Any]) -> str:
    """The result as Markdown."""
    lines = [
        "| output | accepted, agrees | refused | does not fit | worst difference, uL |",
        "|---|---:|---:|---:|---:|",
    ]
    for which in ("examples", "agreement"):
        for row in result[which]:
            cells = (row["accepted"], row["refused"] + row["disagrees"], row["unfit"], row["worst_uL"])
            lines.append(f"| {row['output']}{', examples' * (which == 'examples')} | {' | '.join(map(str, cells))} |")
    lines += ["", "| fault | output | seen | does not fit |", "|---|---|---:|---:|"]
    lines += [f"| {r['fault']} | {r['output']} | {r['seen']} of {r['put']} | {r['unfit']} |" for r in result["planted"]]
    return "\n".join([*lines, "", f"Design files: {result['schema']}"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, write, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--designs", type=int, default=200)
    parser.add_argument("--each", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--schema", type=Path, help="a schema of design files to validate against as well")
    parser.add_argument("--output", type=Path, default=FOLDER / "protocol_robots.json")
    given = parser.parse_args(arguments)
    schema = etree.XMLSchema(etree.parse(str(given.schema))) if given.schema else None
    began = perf_counter()
    result = measure(given.designs, given.each, given.seed, schema, os.environ.get("LABWRIGHT_OPENTRONS", ""))
    write_atomic(given.output.absolute(), to_json({**provenance(perf_counter() - began), **result}))
    sys.stdout.write(table(result) + "\n")
    missed = any(row["seen"] < row["put"] for row in result["planted"])
    return int(missed or any(row.get("refused") or row.get("disagrees") for row in result["agreement"]))


if __name__ == "__main__":
    raise SystemExit(main())
