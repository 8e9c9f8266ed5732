"""PyLabRobot's own trackers come to our totals, and refuse what cannot be."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace

import pytest

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.design import ExperimentDesign
from labwright.tools.liquid_handler.protocol import Made, make_protocol
from labwright.tools.liquid_handler.pylabrobot_replay import disagreements, replay
from labwright.tools.liquid_handler.simulate import simulate
from labwright.tools.liquid_handler.steps import Protocol


def made(design: ExperimentDesign) -> Made:
    found = make_protocol(design)
    assert isinstance(found, Made)
    return found


def scaled(protocol: Protocol, subject: str, change: Callable[[float], float]) -> Protocol:
    """`protocol` with the amounts of one source changed."""
    steps = [
        replace(step, amounts={well: change(value) for well, value in step.amounts.items()})
        if step.subject == subject
        else step
        for step in protocol.steps
    ]
    return replace(protocol, steps=tuple(steps))


def test_totals_are_ours(designs: dict[str, ExperimentDesign]) -> None:
    pytest.importorskip("pylabrobot")
    for design in designs.values():
        one = made(design)
        replayed = replay(one.protocol)
        assert disagreements(one.protocol, one.case.run, replayed) == []
        assert set(replayed.volumes) == {place for place, vial in one.case.run.vials.items() if vial.volume}


def test_solids_are_said_to_be_untracked(designs: dict[str, ExperimentDesign]) -> None:
    pytest.importorskip("pylabrobot")
    assert replay(made(designs["ester"]).protocol).untracked == ("benzoic acid",)


def test_another_volume_is_a_disagreement(designs: dict[str, ExperimentDesign]) -> None:
    pytest.importorskip("pylabrobot")
    one = made(designs["cross"])
    less = scaled(one.protocol, "water", lambda volume: 0.99 * volume)
    found = disagreements(one.protocol, one.case.run, replay(less))
    assert len(found) == 5  # four vials and the source
    run = simulate(less, one.amounts.cupboard.materials)
    assert disagreements(less, run, replay(less)) == []


def test_overdraw_is_refused(designs: dict[str, ExperimentDesign]) -> None:
    pytest.importorskip("pylabrobot")
    protocol = made(designs["cross"]).protocol
    short = tuple(replace(source, load=300.0) if source.name == "brine" else source for source in protocol.sources)
    with pytest.raises(InputError, match=r"Step \d+, Plate 1 A1, A2, A3, A4: PyLabRobot cannot draw"):
        replay(replace(protocol, sources=short))


def test_overflow_is_refused(designs: dict[str, ExperimentDesign]) -> None:
    pytest.importorskip("pylabrobot")
    protocol = made(designs["cross"]).protocol
    loaded = tuple(replace(source, load=1e6) for source in protocol.sources)
    with pytest.raises(InputError, match="overflow"):
        replay(scaled(replace(protocol, sources=loaded), "water", lambda volume: 3 * volume))


def test_a_transfer_of_more_than_is_there_is_refused(designs: dict[str, ExperimentDesign]) -> None:
    pytest.importorskip("pylabrobot")
    protocol = made(designs["ester"]).protocol
    with pytest.raises(InputError, match="cannot draw"):
        replay(scaled(protocol, "Plate 1", lambda volume: 5000.0))


def test_the_tracking_switch_is_put_back(designs: dict[str, ExperimentDesign]) -> None:
    tracker = pytest.importorskip("pylabrobot.resources.volume_tracker")
    before = tracker.does_volume_tracking()
    replay(made(designs["cross"]).protocol)
    assert tracker.does_volume_tracking() == before


def test_a_missing_extra_says_how_to_install_it(
    designs: dict[str, ExperimentDesign], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        sys.modules, "pylabrobot.resources.volume_tracker", None
    )  # what Python does where it is missing
    with pytest.raises(InputError, match=r"pip install 'labwright\[robots\]'"):
        replay(made(designs["cross"]).protocol)
