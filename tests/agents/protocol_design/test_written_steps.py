"""The tagged form is read strictly and back again; written steps meet the checks; tools answer or say why not."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from labwright import prompts
from labwright.agents.protocol_design.written.calculate import CALCULATE, CalculateIn, CalculateOut
from labwright.agents.protocol_design.written.configuration import CONFIGURATIONS
from labwright.agents.protocol_design.written.judged import BLIND, CHECKS, faults, judged, judged_text, to_mend
from labwright.agents.protocol_design.written.mend import MEND, MendIn, MendOut
from labwright.agents.protocol_design.written.tagged import NotSteps, parse, tagged
from labwright.agents.protocol_design.written.toolbox import OFFERED, Request, use
from labwright.tools.chemistry.chemicals import VOLATILE_BELOW
from labwright.tools.errors import InputError
from labwright.tools.knowledge.notes import EXPERIMENTS, notes_in
from labwright.tools.liquid_handler.checks.run import CHECKS as ALL_CHECKS
from labwright.tools.liquid_handler.design import Dose, ExperimentDesign, Factor, Group, Stock
from labwright.tools.liquid_handler.platform import (
    DEFAULT_MIX_TIME,
    DEFAULT_STIR,
    DEFAULT_VORTEX,
    HEATING_MAX,
    HEATING_MIN,
    MAX_STIR,
    MAX_VORTEX,
    ROOM,
    SAFE_TO_OPEN,
    SYRINGE_MIN,
)
from labwright.tools.liquid_handler.processing import cooling_time
from labwright.tools.liquid_handler.protocol import Made, make_protocol

RIGHT = """
[plate] Plate 1 | 4 x 6 | 8 mL
[source] sodium chloride
[source] water
[source] 28 % ammonia | 28 % w/w ammonia in water | 0.90 g/mL
[source] compound 7 | liquid | 212.3 g/mol | 1.1 g/mL
[add] sodium chloride | Plate 1 | mg | A1-A2=20 | Powder
[add] water | Plate 1 | uL | A1-B2=2000 | SyringePump Backsolvent
[add] 28 % ammonia | Plate 1 | uL | A1=50 B2=75.5 | SyringePump ExtSingleTip
[add] compound 7 | Plate 1 | uL | B1=100 | PDT Tip250uL
[set] Cap | Plate 1 | - | A1-B2=1
[set] VortexRate | Plate 1 | rpm | A1-B2=800
[set] Delay | Plate 1 | min | A1-B2=5
[set] VortexRate | Plate 1 | rpm | A1-B2=0
"""


def test_lines_become_steps() -> None:
    draft = parse(RIGHT)
    assert [step.action for step in draft.steps] == ["Add"] * 4 + ["Set"] * 4
    assert draft.steps[1].amounts == {(0, 0): 2000, (0, 1): 2000, (1, 0): 2000, (1, 1): 2000}
    assert draft.steps[2].amounts == {(0, 0): 50, (1, 1): 75.5}
    made = judged(draft)
    assert not made.blocked
    assert made.amounts.cupboard.materials["28 % ammonia"].density == pytest.approx(0.90)
    assert made.case.run.received["Plate 1", (1, 1)] == {"water": 2000, "28 % ammonia": 75.5}


def test_transfers_name_where_they_take_from() -> None:
    text = RIGHT.replace("[source] water", "[plate] Plate 2 | 6 x 8 | 2 mL\n[source] water", 1)
    text += (
        "[set] Cap | Plate 1 | - | A1-B2=0\n[transfer] Plate 1 | Plate 2 | uL | A1-A2=100<B1-B2 B1=50<A1 | PDT Tip250uL"
    )
    step = parse(text).steps[-1]
    assert step.origins == {(0, 0): (1, 0), (0, 1): (1, 1), (1, 0): (0, 0)}
    moved = text.replace("uL | A1-A2=100<B1-B2 B1=50<A1 | PDT Tip250uL", "- | A1-B2=7 | MoveVial")
    assert set(parse(moved).steps[-1].amounts.values()) == {1.0}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("[plate] Plate 1 | 4 x 6", "[plate] Plate 1 | four", "Line 1: The array 'four'"),
        ("[add] water | Plate 1", "[add] water | Plate 2", "Line 7: 'Plate 2' is not declared"),
        ("[add] water", "[add] methanol", "Line 7: 'methanol' is not declared"),
        ("| uL | A1-B2=2000", "| mL | A1-B2=2", "'water' is dispensed in uL, not in 'mL'"),
        ("A1-B2=2000", "A1-E2=2000", "not on Plate 1, which has 4 x 6 wells"),
        ("A1-B2=2000", "A1-B2=2000 A1=5", "A1 stands twice"),
        ("A1-B2=2000", "A1-B2=-5", "is not written like A1-B4=500"),
        ("A1-B2=2000", "A1-B2=2000<A1", "is not written like A1-B4=500"),
        ("A1-B2=2000", "B2-A1=2000", "not on Plate 1"),
        ("A1-B2=2000", "A1=0", "No well gets anything"),
        ("A1-B2=2000", "A0=2000", "not on Plate 1"),
        ("4 x 6 | 8 mL", "99999 x 99999 | 8 mL", "There is no array of 99999 x 99999"),
        ("4 x 6 | 8 mL", "4 x 0 | 8 mL", "There is no array of 4 x 0"),
        ("4 x 6 | 8 mL", "4 x 6 | 0 mL", "with vials of 0 mL"),
        ("[set] Delay | Plate 1 | min", "[set] Wait | Plate 1 | min", "There is no parameter 'Wait'"),
        ("[set] Delay | Plate 1 | min", "[set] Delay | Plate 1 | h", "Delay is given in min, not in 'h'"),
        ("[source] water", "[source] water\n[source] water", "'water' is declared twice"),
        ("28 % w/w ammonia", "28 % ammonia", "of what? Write w/w, w/v or v/v"),
        ("28 % w/w ammonia in water", "28 % w/w propanol in water", "Write one of: 1-propanol, 2-propanol"),
        ("[source] compound 7 | liquid | 212.3 g/mol | 1.1 g/mL", "[source] compound 7", "not in the table"),
        (" | 212.3 g/mol | 1.1 g/mL", " | 212.3 g/mol", "density of 'compound 7' is not known"),
        ("[source] water", "[source] ammonia", "is a gas"),
        ("[set] Cap", "Then cap", "does not begin with"),
        (
            "[set] Cap | Plate 1 | - | A1-B2=1",
            "[set] Cap | Plate 1 | -",
            "has the fields: parameter | plate | unit | wells",
        ),
    ],
)
def test_a_line_that_does_not_read_is_named_with_what_mends_it(old: str, new: str, words: str) -> None:
    assert old in RIGHT
    found = faults(RIGHT.replace(old, new, 1))
    assert any(words in fault for fault in found), found
    assert all(re.match(r"Line \d+: ", fault) for fault in found)


@pytest.mark.parametrize("text", ["", "Just mix it.", "[plate] Plate 1 | 4 x 6 | 8 mL", "x\n" * 500])
def test_what_is_no_protocol_at_all_is_refused(text: str) -> None:
    with pytest.raises(NotSteps):
        parse(text)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_mutated_steps_are_read_or_refused_and_never_crash(data: st.DataObject) -> None:
    text = RIGHT
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text) - 1))
        text = (
            text[:at]
            + data.draw(st.sampled_from(["", "|", "=", "9", "A", "<", "\n", "[", "é", " | "]))
            + text[at + 1 :]
        )
    if faults(text):
        with pytest.raises(InputError):
            judged_text(text)
    else:
        assert judged_text(text).protocol.steps


AMOUNTS = st.integers(20, 400)


@settings(max_examples=60, deadline=None)
@given(st.lists(AMOUNTS, min_size=1, max_size=8, unique=True), st.integers(1, 3), st.booleans(), st.booleans())
def test_what_is_planned_reads_back_from_its_tagged_form(
    levels: list[int], replicates: int, stock: bool, dilute: bool
) -> None:
    stocks = [Stock.model_validate(_STOCK)] if stock else []
    doses = [Dose(substance="salt in water" if stock else "ethanol", kind="volume", factor="amount")]
    group = Group(
        factors=[Factor.model_validate({"name": "amount", "levels": [f"{level} uL" for level in levels]})],
        doses=[*doses, Dose(substance="water", kind="remainder")],
        replicates=replicates,
        total_volume="1 mL",
    )
    plain = {"chemicals": [{"name": "ethanol"}, {"name": "water"}, {"name": "sodium chloride"}], "stocks": stocks}
    workup = {"factor": 10, "total_volume": "1 mL", "diluent": "water"} if dilute else None
    design = ExperimentDesign.model_validate({**plain, "groups": [group], "workup": workup})
    made = make_protocol(design)
    assert isinstance(made, Made)
    draft = parse(tagged(made))
    assert draft.plates == made.protocol.plates
    assert draft.steps == made.protocol.steps
    again = judged(draft)
    assert again.case.run.received == made.case.run.received
    assert again.protocol.sources == made.protocol.sources
    assert not again.blocked


_STOCK = {
    "name": "salt in water",
    "solute": "sodium chloride",
    "solvent": "water",
    "concentration": "2 %",
    "basis": "w/v",
}


def test_shipped_experiments_are_steps_without_an_error() -> None:
    for note in notes_in(EXPERIMENTS):
        [steps] = re.findall(r"```\n(.*?)```", note.text, re.DOTALL)
        assert to_mend(judged_text(steps)) == [], note.title


FAULTS = {
    "left_on": ("[set] VortexRate | Plate 1 | rpm | A1-B2=0\n", ""),
    "delay": ("[set] Delay | Plate 1 | min | A1-B2=5\n", ""),
    "overflow": ("A1-B2=2000", "A1-B2=9000"),
    "speed": ("A1-B2=800", "A1-B2=1800"),
    "tags": ("A1-A2=20 | Powder", "A1-A2=20 | SyringePump"),
    "plates": ("4 x 6 | 8 mL", "4 x 6 | 5 mL"),
    "dispense": ("B1=100 | PDT Tip250uL", "B1=1 | PDT Tip10uL"),
    "efficiency": ("[set] Cap", "[add] water | Plate 1 | uL | A1=100 | SyringePump Backsolvent\n[set] Cap"),
}


@pytest.mark.parametrize("code", FAULTS)
def test_faults_of_written_steps_are_found(code: str) -> None:
    old, new = FAULTS[code]
    assert old in RIGHT
    assert to_mend(judged_text(RIGHT)) == []
    assert code in {finding.code for finding in to_mend(judged_text(RIGHT.replace(old, new, 1)))}


def test_checks_that_need_a_design_are_left_out_and_no_others() -> None:
    assert set(CHECKS.values()) | set(BLIND) == set(ALL_CHECKS)
    assert not set(CHECKS.values()) & set(BLIND)


def test_tools_answer_or_say_why_not() -> None:
    request: TypeAdapter[Request] = TypeAdapter(Request)

    def answer(**plain: object) -> str:
        return use(request.validate_python(plain)).answer

    assert answer(tool="volume_of_mass", chemical="methanol", mass="1 g").startswith("126")
    assert answer(tool="volume_of_moles", chemical="benzaldehyde", moles="500 umol").startswith("50.8")
    ammonia = {"tool": "concentration_of_percent_solution", "basis": "w/w", "percent": 28}
    assert answer(**ammonia, solute="ammonia", density=None) == "14.797 M"
    assert answer(**ammonia, solute="28% ammonia", density=None).startswith("error: '28% ammonia' is not in the table")
    pair = answer(tool="amounts_of_pair", first="ethanol", second="benzoic acid", total="4 M", ratio=0.5, volume="2 mL")
    assert "benzoic acid 651.32 mg" in pair
    assert answer(tool="stock_volume", stock="0.5 M", wanted="25 mM", volume="2 mL") == "100 uL"
    assert answer(tool="stock_volume", stock="0.5 M", wanted="1 g", volume="2 mL").startswith("error: ")
    assert len(OFFERED) == 5


def test_a_configuration_without_tools_refuses_requests_for_them() -> None:
    request: TypeAdapter[Request] = TypeAdapter(Request)
    asked = request.validate_python({"tool": "volume_of_mass", "chemical": "methanol", "mass": "1 g"})
    without, with_tools = (CalculateIn(text="", said=[], tools=tools) for tools in ([], OFFERED))
    assert "No tools are offered" in CALCULATE.check(without, CalculateOut(requests=[asked], notes=""))[0]
    assert CALCULATE.check(with_tools, CalculateOut(requests=[asked], notes="")) == []
    assert CALCULATE.check(with_tools, CalculateOut(requests=[], notes=" ")) != []


def test_mending_must_change_something_and_read() -> None:
    given_ = MendIn(text="", said=[], steps=RIGHT, mistakes=[])
    assert "unchanged" in MEND.check(given_, MendOut(analysis="", steps=f"{RIGHT}\n"))[0]
    assert "Line 1" in MEND.check(given_, MendOut(analysis="", steps="Mix it."))[0]


def test_names_say_what_a_configuration_is() -> None:
    for name, configuration in CONFIGURATIONS.items():
        agents, reasoning, equipment = name.split("/")
        assert (configuration.agents, configuration.reasoning) == (agents, reasoning)
        assert configuration.tools == equipment.startswith("tools")
        assert configuration.checks == (equipment.partition("+")[2] or "none")


TIMED_AND_DILUTED = """
[plate] Plate 1 | 4 x 6 | 4 mL
[plate] Plate 2 | 4 x 6 | 4 mL
[source] ethyl acetate
[source] water
[source] 0.1 M sodium hydroxide | 0.1 M sodium hydroxide in water
[add] 0.1 M sodium hydroxide | Plate 1 | uL | A1-A3=1500 | SyringePump ExtSingleTip
[add] ethyl acetate | Plate 1 | uL | A1-A3=500 | PDT Tip1000uL
[set] Cap | Plate 1 | - | A1-A3=1
[set] HeatingTemp | Plate 2 | degC | B1-B3=50
[set] VialTimers | Plate 2 | min | B1=5 B2=10 B3=20
[transfer] Plate 1 | Plate 2 | - | B1-B3=1<A1-A3 | MoveVial StartVialTimer
[transfer] Plate 2 | Plate 1 | - | A1-A3=1<B1-B3 | MoveVial WaitVialTimer
[set] HeatingTemp | Plate 2 | degC | B1-B3=25
[set] Delay | Plate 2 | min | B1-B3=30
[set] Cap | Plate 1 | - | A1-A3=0
[add] water | Plate 2 | uL | A1-A3=900 | SyringePump Backsolvent
[transfer] Plate 1 | Plate 2 | uL | A1-A3=100 | PDT Tip250uL
[set] Cap | Plate 1 | - | A1-A3=1
[set] Cap | Plate 2 | - | A1-A3=1
"""


def test_timed_vials_may_stand_in_other_wells_beside_diluted_samples() -> None:
    assert to_mend(judged_text(TIMED_AND_DILUTED.strip())) == []
    unfinished = TIMED_AND_DILUTED.replace("MoveVial WaitVialTimer", "MoveVial")
    assert "timers" in {finding.code for finding in to_mend(judged_text(unfinished.strip()))}


def test_the_numbers_that_agents_are_told_are_the_platforms() -> None:
    told = prompts.render("protocol_design/written_finish.md", text="", said=[]).system
    wanted = [f"boiling below {VOLATILE_BELOW:g} degC", f"{DEFAULT_STIR:g} rpm for stirring"]
    wanted += [f"{DEFAULT_VORTEX:g} rpm for vortexing", f"of mixing is stated: {DEFAULT_MIX_TIME:g} min"]
    wanted += [f"{cooling_time(hot - ROOM):g} min from {hot:g} degC" for hot in (60, 100, HEATING_MAX)]
    wanted += [f"HeatingTemp ({HEATING_MIN:g} to {HEATING_MAX:g} degC)", f"below {SAFE_TO_OPEN:g} degC before"]
    wanted += [
        f"StirRate (up to {MAX_STIR:g} rpm)",
        f"VortexRate (up to {MAX_VORTEX:g} rpm)",
        f"below {SYRINGE_MIN:g} uL",
    ]
    assert [words for words in wanted if words not in told] == []
