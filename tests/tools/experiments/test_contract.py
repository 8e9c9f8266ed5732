"""What every registered experiment promises to people and agents, whoever wrote it.

A new experiment is in here by being in the registry: units, bounds, descriptions, inspections, figures and reports.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from labwright.agents.lab_calibration.activation import ActivationIn, activation_by_rules, check_activation
from labwright.agents.lab_calibration.translate_words import ASKED, listed
from labwright.tools.errors import InputError
from labwright.tools.experiments.base import Bench, Experiment, Quantity, Report, quantities
from labwright.tools.experiments.call import ExperimentCall, ParameterCard
from labwright.tools.experiments.perform import perform, rehearse, visual_prompts
from labwright.tools.experiments.registry import card, experiments, reference_image
from labwright.tools.knowledge.quantities import UNITS, canonical_unit
from labwright.tools.qpu.device import Device
from labwright.tools.qpu.opening import open_device
from labwright.tools.qpu.settings import PairSettings, QubitSettings

CLASSES = experiments()
every = pytest.mark.parametrize("kind", [pytest.param(kind, id=name) for name, kind in sorted(CLASSES.items())])
Kind = type[Experiment]

# A label ends with its unit in parentheses, or names something that has none.
UNIT = re.compile(r"\((?:[GMk]?Hz|\$\\mu\$s|ns|s|rad|deg|%|full scale|arb\. units|units of its error)\)$")
DIMENSIONLESS = re.compile(
    r"fraction|population|probabilit|fidelity|contrast|coefficient|residual|deviation|/ \$\\sigma\$|"
    r"\\langle|number of|iteration|gates|cliffords|shots|counts|state|outcome|pair of pulses|operator|matrix|purity",
    re.IGNORECASE,
)
MEASUREMENT_UNITS = {"", "full scale", *UNITS}


@pytest.fixture
def device(tmp_path: Path) -> Iterator[Device]:
    made = open_device("simulated", tmp_path / "device", 1, {"frequency_offset": 0, "amplitude_error": 0, "drag": 0.5})
    yield made
    made.close()


def parameters(kind: Kind) -> list[ParameterCard]:
    return list(card(kind).parameters)


def arguments(kind: Kind, device: Device) -> dict[str, Any]:
    """What has no default: qubits in the device's order, numbers from the middle of their bounds."""
    names = iter(device.qubits)
    found: dict[str, Any] = {}
    for parameter in parameters(kind):
        if parameter.required and parameter.type == "str":
            found[parameter.name] = next(names)
        elif parameter.required:
            assert parameter.minimum is not None, f"{parameter.name} has neither default nor bounds"
            assert parameter.maximum is not None
            middle = (parameter.minimum + parameter.maximum) / 2
            found[parameter.name] = int(middle) if parameter.type == "int" else middle
    return found


# --- what is written ------------------------------------------------------------------------------------------------


@every
def test_the_name_is_snake_case_and_its_own(kind: Kind) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", kind.name)
    assert CLASSES[kind.name] is kind
    assert kind.__doc__


@every
def test_the_docstring_says_what_it_measures_when_to_use_it_and_what_it_is_called(kind: Kind) -> None:
    docstring = inspect.getdoc(kind.run) or ""
    summary = docstring.partition("\n")[0]
    assert summary.endswith(".")
    assert len(summary) > 30
    assert "Use it" in docstring
    assert len(listed(docstring, ASKED)) >= 2
    assert "Raises:\n" not in docstring or "InputError" in docstring


@every
def test_every_number_has_a_unit_that_is_known_and_bounds_that_hold_its_default(kind: Kind) -> None:
    hints = get_type_hints(kind.run, include_extras=True)
    for name, parameter in list(inspect.signature(kind.run).parameters.items())[1:]:
        hint = hints[name]
        plain = get_args(hint)[0] if hasattr(hint, "__metadata__") else hint
        members = {*get_args(plain)} - {type(None)} or {plain}
        if not members & {int, float}:
            continue
        marks = [mark for mark in getattr(hint, "__metadata__", ()) if isinstance(mark, Quantity)]
        assert len(marks) == 1, f"{name} is a number without Quantity(unit, minimum, maximum)"
        (quantity,) = marks
        assert canonical_unit(quantity.unit) in UNITS, f"{name}: nobody could convert into {quantity.unit!r}"
        assert quantity.minimum < quantity.maximum, name
        if parameter.default not in (inspect.Parameter.empty, None):
            assert quantity.minimum <= parameter.default <= quantity.maximum, name


@every
def test_every_parameter_is_described_with_unit_and_default(kind: Kind) -> None:
    for parameter in parameters(kind):
        assert len(parameter.description) > 10, f"{parameter.name} is not described"
        if parameter.unit:
            assert re.search(rf"(?<!\w){re.escape(parameter.unit)}(?!\w)", parameter.description), (
                f"{parameter.name} does not say that it is in {parameter.unit}"
            )
        if not parameter.required and parameter.default is not None:
            stated = re.search(r"Default:? (True|False|-?[\d.]*\d|[\w/+-]+)", parameter.description)
            assert stated, f"{parameter.name} does not say its default"
            number = isinstance(parameter.default, int | float) and not isinstance(parameter.default, bool)
            said: object = float(stated[1]) if number else stated[1]
            assert said == (float(parameter.default) if number else str(parameter.default)), parameter.name


@every
def test_inspections_are_there_and_say_how_to_judge(kind: Kind) -> None:
    prompts = visual_prompts(kind)
    assert prompts
    for prompt in prompts.values():
        assert prompt.lower().startswith("the figure shows") or "figure" in prompt or "against" in prompt
        assert "good" in prompt
        assert "fail" in prompt or "not converged" in prompt
        for picture in re.findall(r'Image\("([^"]+)"\)', prompt):
            assert reference_image(picture).stat().st_size < 40_000
    assert getattr(kind.report, "text_inspection", False)
    assert len(kind.summary_instructions.split()) > 8


@every
def test_activation_sentences_can_be_made_from_the_card(kind: Kind) -> None:
    given = ActivationIn(name=kind.name, docstring=card(kind).docstring)
    assert check_activation(given, activation_by_rules(given)) == []


# --- what is enforced -----------------------------------------------------------------------------------------------


@every
def test_bounds_are_enforced_on_both_sides_before_anything_is_played(kind: Kind, device: Device) -> None:
    usual = arguments(kind, device)
    for name, quantity in quantities(kind).items():
        size = quantity.maximum - quantity.minimum
        for wrong in (quantity.maximum + 0.01 * size + 1, quantity.minimum - 0.01 * size - 1, float("nan")):
            with pytest.raises(InputError, match=rf"`{name}` must be between .* Choose"):
                kind(Bench(device, "never")).run(**usual | {name: wrong})
    assert device.clock == 0


@every
def test_a_qubit_that_is_not_there_is_refused(kind: Kind, device: Device) -> None:
    usual = arguments(kind, device)
    for name in [name for name, value in usual.items() if isinstance(value, str)]:
        with pytest.raises(InputError, match="Q99"):
            kind(Bench(device, "never")).run(**usual | {name: "Q99"})
    assert device.clock == 0


@every
def test_a_call_can_be_rehearsed(kind: Kind, device: Device) -> None:
    assert rehearse(kind, ExperimentCall(kind.name, arguments(kind, device)), device) is not None
    assert device.clock == 0


# --- what comes out -------------------------------------------------------------------------------------------------


@every
def test_a_run_reports_in_units_and_draws_labelled_axes(kind: Kind, device: Device) -> None:
    done = perform(kind, ExperimentCall(kind.name, arguments(kind, device)), device, "one")
    report = done.report
    assert report.diagnosis
    assert report.analysis.endswith(".")
    assert set(report.proposal) <= {parameter.name for parameter in parameters(kind)}
    settings = {field.name for book in (QubitSettings, PairSettings) for field in fields(book)}
    assert set(report.updates) <= settings
    for name, estimate in report.estimates.items():
        assert estimate.unit in MEASUREMENT_UNITS, f"{name} is in {estimate.unit!r}"
        assert estimate.error >= 0 or estimate.error != estimate.error, name
    for name, draw in done.figures.items():
        assert_labelled(name, draw)


def assert_labelled(name: str, draw: Callable[[], Figure]) -> None:
    made = draw()
    made.draw_without_rendering()
    assert made.axes, name
    for axis in made.axes:
        for side, label in sides(axis):
            assert label, f"{name}: an axis without {side} label"
            assert UNIT.search(label) or DIMENSIONLESS.search(label), f"{name}: no unit in {label!r}"
    assert made.get_suptitle(), f"{name}: a figure without title"


def sides(axis: Axes) -> Iterator[tuple[str, str]]:
    """The labels an axis has to have; one that shares its abscissa or ordinate with another shows it once."""
    bar = axis.get_label() == "<colorbar>"
    if not axis.axison:
        return
    if not bar and any(tick.get_visible() for tick in axis.get_xticklabels()):
        yield "x", axis.get_xlabel()
    if any(tick.get_visible() for tick in axis.get_yticklabels()):
        yield "y", axis.get_ylabel()


# --- that the contract can be broken ----------------------------------------------------------------------------------


class Sloppy(CLASSES["rabi"]):  # type: ignore[misc]
    """An experiment whose author left out what agents and people need."""

    name = "sloppyRabi"
    summary_instructions = "It decides."

    def run(self, qubit: str, amplitude: float = 0.2, stop: Annotated[float, Quantity("parsec", 1, 0)] = 3.0) -> None:
        """Sloppy

        Args:
            amplitude: how strong.
        """

    def report(self) -> Report:
        raise NotImplementedError

    def plot(self) -> Figure:
        made = Figure()
        made.subplots().set_xlabel("time")
        return made


@pytest.mark.parametrize(
    "promise",
    [
        test_the_name_is_snake_case_and_its_own,
        test_the_docstring_says_what_it_measures_when_to_use_it_and_what_it_is_called,
        test_every_number_has_a_unit_that_is_known_and_bounds_that_hold_its_default,
        test_every_parameter_is_described_with_unit_and_default,
        test_inspections_are_there_and_say_how_to_judge,
        lambda kind: assert_labelled("plot", lambda: kind.plot(object())),
    ],
)
def test_an_experiment_that_breaks_a_promise_is_found(promise: Callable[[Kind], None]) -> None:
    with pytest.raises(AssertionError):
        promise(Sloppy)
