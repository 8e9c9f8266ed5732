"""Scripts, sheet and design file move what the plan says; their simulators or the tracker see what cannot be."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from designs import one_liquid, plan_of

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.experiment_design import ExperimentDesign
from labwright.tools.liquid_handler.protocol_file_writing import write
from labwright.tools.liquid_handler.protocol_steps import Protocol
from labwright.tools.liquid_handler.robots import OUTPUTS
from labwright.tools.liquid_handler.robots.bench_sheet import bench_sheet, sheet_moves
from labwright.tools.liquid_handler.robots.deck import deck_of
from labwright.tools.liquid_handler.robots.opentrons import opentrons_script
from labwright.tools.liquid_handler.robots.outputs import disagreements, findings, text_of, written
from labwright.tools.liquid_handler.robots.scripts import pylabrobot_script
from labwright.tools.liquid_handler.robots.simulators import run_log_moves, run_opentrons, run_pylabrobot
from labwright.tools.liquid_handler.robots.volume_tracker import Move, differences, holds, moves_of, track, usable

ROOT = Path(__file__).parents[3]
SIMULATE = Path(os.environ.get("LABWRIGHT_OPENTRONS") or ROOT / ".opentrons" / "bin" / "opentrons_simulate")


def scaled(protocol: Protocol, subject: str, change: Callable[[float], float]) -> Protocol:
    """`protocol` with the amounts of one source changed."""
    steps = [
        replace(step, amounts={well: change(value) for well, value in step.amounts.items()})
        if step.subject == subject
        else step
        for step in protocol.steps
    ]
    return replace(protocol, steps=tuple(steps))


def test_file_and_sheet_move_the_volumes_of_the_plan(designs: dict[str, ExperimentDesign]) -> None:
    for design in designs.values():
        made = plan_of(design)
        assert disagreements(made, "design_file") == disagreements(made, "bench") == []


def test_a_sheet_with_another_volume_is_seen(designs: dict[str, ExperimentDesign]) -> None:
    made = plan_of(designs["cross"])
    less = bench_sheet(replace(made, protocol=scaled(made.protocol, "water", lambda volume: volume - 0.2)))
    tracked = track(sheet_moves(less), usable(made.protocol), holds(made.protocol))
    assert len(differences(tracked, made.protocol, made.case.run)) == 4


def test_the_pylabrobot_script_runs_and_agrees(designs: dict[str, ExperimentDesign]) -> None:
    pytest.importorskip("pylabrobot")
    assert disagreements(plan_of(designs["timed"]), "pylabrobot") == []


@pytest.mark.slow  # the tracker sees both below
def test_pylabrobot_refuses_overdraw_and_overflow(designs: dict[str, ExperimentDesign]) -> None:
    pytest.importorskip("pylabrobot")
    deck = deck_of(plan_of(designs["cross"]).protocol)
    bottles = tuple(replace(bottle, usable=bottle.usable / 4) for bottle in deck.bottles)
    with pytest.raises(InputError, match=r"Step \d+, Sources .* PyLabRobot cannot draw"):
        run_pylabrobot(pylabrobot_script(replace(deck, bottles=bottles)))
    plates = tuple(replace(plate, vial=500.0) for plate in deck.plates)
    with pytest.raises(InputError, match="would overflow in PyLabRobot"):
        run_pylabrobot(pylabrobot_script(replace(deck, plates=plates)))


def test_the_tracker_sees_overdraw_and_overflow(designs: dict[str, ExperimentDesign]) -> None:
    protocol = plan_of(designs["cross"]).protocol
    short = tuple(replace(source, load=300.0) if source.name == "brine" else source for source in protocol.sources)
    told = track(moves_of(protocol), usable(replace(protocol, sources=short)), holds(protocol)).problems
    assert len(told) == 2
    assert all("drawn from brine" in text for text in told)
    flooded = scaled(protocol, "sugar", lambda volume: 20 * volume)
    loads = dict.fromkeys(usable(flooded), 1000000.0)
    assert any("would hold" in text for text in track(moves_of(flooded), loads, holds(flooded)).problems)
    stray = track([Move(("a", ""), ("Plate 1", "A1"), 5.0)], {("a", ""): 5.0}, {})
    assert "Plate 1 A1 holds 5 uL" in differences(stray, protocol, plan_of(designs["cross"]).case.run)[0]


def test_a_large_source_stands_in_several_bottles(designs: dict[str, ExperimentDesign]) -> None:
    much = scaled(plan_of(designs["cross"]).protocol, "water", lambda volume: 60_000.0)
    deck = deck_of(much)
    waters = [bottle for bottle in deck.bottles if bottle.source == "water"]
    drawn = {pour.origin for action in deck.actions for pour in action.pours}
    assert len(waters) == 4
    assert {bottle.spot for bottle in waters} <= drawn
    assert all(bottle.load <= 125_000 for bottle in waters)
    with pytest.raises(InputError, match="more than a bottle gives"):
        deck_of(scaled(much, "water", lambda volume: 2e5))


def test_the_opentrons_file_takes_tips_by_volume_and_modules_by_treatment(designs: dict[str, ExperimentDesign]) -> None:
    script = opentrons_script(deck_of(plan_of(designs["ester"]).protocol))
    assert "'robotType': 'Flex'" in script
    assert "'Plate 1': ('D1', 'heaterShakerModuleV1', 4, 6, 4000.0)" in script
    assert "TIPS = {200: 'B2', 1000: 'A2'}" in script
    assert "'ask', 'Plate 1', 0.0, False, 'Cap Plate 1: A1, A2, A3.'" in script
    assert "'Weigh benzoic acid into Plate 1, mg: A3 488.492.'" in script
    warm = designs["ester"].model_dump(mode="json", exclude_defaults=True)
    warm["conditions"] = [{"kind": "heat", "temperature": "120 degC", "time": "30 min"}, {"kind": "cool"}]
    script = opentrons_script(deck_of(plan_of(ExperimentDesign.model_validate(warm)).protocol))
    assert "'ask', 'Plate 1', 120.0, False, 'By hand: Plate 1 to 120 degC'" in script  # the module ends at 95


def test_a_protocol_too_large_for_the_deck_is_refused(designs: dict[str, ExperimentDesign]) -> None:
    deck = deck_of(plan_of(designs["cross"]).protocol)
    many = tuple(replace(deck.plates[0], name=f"Plate {number}") for number in range(12))
    with pytest.raises(InputError, match=r"needs \d+ places on the deck of a Flex, which has 11"):
        opentrons_script(replace(deck, plates=many))


def test_the_run_log_is_read(designs: dict[str, ExperimentDesign]) -> None:
    log = """Step 2. water into Plate 1
Aspirating 100.5 uL from A1 of Sources 1 on slot D2 at 716.0 uL/sec
Dispensing 100.5 uL into B3 of Plate 1 on Heater-Shaker Module GEN1 on slot D1 at 716.0 uL/sec
Pausing robot operation: Step 3. Move whole vials from Plate 1 to Plate 2: B3 to A1.
carried: Plate 1 B3 -> Plate 2 A1
"""
    assert list(run_log_moves(log)) == [
        Move(("Sources 1", "A1"), ("Plate 1", "B3"), 100.5, 2),
        Move(("Plate 1", "B3"), ("Plate 2", "A1"), None, 3),
    ]
    with pytest.raises(InputError, match="not drawn"):
        list(run_log_moves(log.replace("Dispensing 100.5", "Dispensing 90")))


@pytest.mark.slow
def test_opentrons_accepts_every_design_and_agrees(designs: dict[str, ExperimentDesign]) -> None:
    if not SIMULATE.is_file():
        pytest.skip("opentrons_simulate is not there: run .ci/opentrons, or set LABWRIGHT_OPENTRONS")
    for design in designs.values():
        assert disagreements(plan_of(design), "opentrons", str(SIMULATE)) == []
    with pytest.raises(InputError, match="refuses the script"):
        run_opentrons(opentrons_script(deck_of(plan_of(designs["cross"]).protocol)).replace("right", "wrong"), SIMULATE)


@pytest.mark.slow
def test_opentrons_pipettes_on_no_plate_that_is_shaken_and_goes_on_shaking(tmp_path: Path) -> None:
    """Its simulator refuses to pipette on a heater-shaker that shakes, as the robot does."""
    if not SIMULATE.is_file():
        pytest.skip("opentrons_simulate is not there: run .ci/opentrons, or set LABWRIGHT_OPENTRONS")
    doses = [{"substance": "water", "kind": "volume", "amount": "1 mL"}]
    stirred = {"kind": "heat", "temperature": "60 degC", "time": "30 min", "by": "stir", "sample_at": ["10 min"]}
    sampling = {"volume": "50 uL", "quench": "water", "quench_volume": "450 uL"}
    plain = {"chemicals": [{"name": "water"}], "groups": [{"doses": doses}], "conditions": [stirred]}
    design = ExperimentDesign.model_validate({**plain, "sampling": sampling, "cap": False})
    script = opentrons_script(deck_of(plan_of(design).protocol))
    assert disagreements(plan_of(design), "opentrons", str(SIMULATE)) == []
    stopping = "self.modules[shaken].deactivate_shaker()"
    assert script.count(stopping) == 1
    with pytest.raises(InputError, match="while module is shaking"):
        run_opentrons(script.replace(stopping, "pass"), SIMULATE)
    file = tmp_path / "protocol.py"
    file.write_text(script, encoding="utf-8")
    log = subprocess.run(
        [SIMULATE, file], capture_output=True, text=True, check=True, env={"HOME": str(tmp_path)}
    ).stdout
    before, after = log.split("Aspirating 50.0 uL")
    assert before.rindex("Deactivating Shaker") > before.rindex("to Shake at 500 RPM")
    assert "to Shake at 500 RPM" in after


def test_a_simulator_that_is_not_there_is_named(designs: dict[str, ExperimentDesign], tmp_path: Path) -> None:
    made = plan_of(designs["cross"])
    [found] = findings(made, "robots.opentrons", str(tmp_path / "nothing"))
    assert "cannot be started" in found.message
    assert findings(made, "robots.opentrons", "") == []
    [output] = written(made, ["opentrons"])
    assert "LABWRIGHT_OPENTRONS" in output.note


def test_the_sheet_says_what_to_weigh(designs: dict[str, ExperimentDesign]) -> None:
    sheet = bench_sheet(plan_of(designs["cross"]))
    # 600 uL of brine are drawn and 1100 loaded: 1.1 mL x 1 M x 58.44 g/mol = 64.28 mg; of sugar 0.5 M, 99.09 mg.
    assert "64.28 mg of sodium chloride into water; fill up to 1.1 mL." in sheet
    assert "99.09 mg of glucose into water; fill up to 1.1 mL." in sheet
    moves = sheet_moves(sheet)
    assert len(moves) == 12
    assert Move(("brine", ""), ("Plate 1", "A4"), 200.0, 2) in moves
    assert "A1</span> 100" in bench_sheet(plan_of(designs["ester"]))


NAMES = ["'''", '"""', "a\\", "</script><b>x", "{{ 7*7 }}", "# protocol: end", "Ω 🧪", "x'); import os; ('", "%s{0}"]


@pytest.mark.parametrize("name", NAMES)
def test_names_stay_data(name: str, tmp_path: Path) -> None:
    made = plan_of(one_liquid(name, title=name))
    for kind in ("pylabrobot", "opentrons"):
        space: dict[str, object] = {}
        text = text_of(made, kind)
        head = text[text.index("# protocol: begin") :].split("\nTIPS" if kind == "pylabrobot" else "\nPIPETTES")[0]
        exec(compile(head, kind, "exec"), space)
        assert space["BOTTLES"][0][0] == name  # type: ignore[index]
    assert disagreements(made, "bench") == []
    assert "<b>" not in bench_sheet(made)
    paths = write(made, tmp_path, False, OUTPUTS)
    assert {"pylabrobot", "opentrons", "bench"} <= set(paths)
