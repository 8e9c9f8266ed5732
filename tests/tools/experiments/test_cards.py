"""Every experiment says everything an agent has to know, and its `run` holds to it."""

import re

import pytest

from labwright.tools.errors import InputError
from labwright.tools.experiments.base import Bench, quantities
from labwright.tools.experiments.registry import card, descriptions, experiments, reference_image

CLASSES = experiments()
NAMES = sorted(CLASSES)


def test_what_every_lab_expects_on_one_qubit_is_there():
    bring_up = ["resonator_spectroscopy", "resonator_power_sweep", "qubit_spectroscopy", "readout_calibration"]
    tune_up = ["rabi", "ramsey", "amplitude_pingpong", "drag_calibration", "ef_spectroscopy"]
    checks = ["t1", "t2_ramsey", "spin_echo", "single_qubit_rb", "all_xy", "readout_mitigation"]
    assert {*bring_up, *tune_up, *checks} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_is_described_with_unit_default_and_bounds(name):
    found = card(CLASSES[name])
    assert found.parameters[0].name == "qubit"
    assert found.parameters[0].required
    for parameter in found.parameters[1:]:
        assert parameter.description, parameter.name
        assert not parameter.required
        if parameter.type == "bool":
            assert f"Default {parameter.default}" in parameter.description
            continue
        assert parameter.minimum <= parameter.default <= parameter.maximum
        stated = re.search(r"Default (-?[\d.]+?)[.,]?(?:\s|$)", parameter.description)
        assert stated, parameter.name
        assert float(stated.group(1)) == parameter.default, parameter.name
        if parameter.unit and parameter.unit != "full scale":
            assert re.search(rf"\b{parameter.unit}\b", parameter.description), parameter.name


@pytest.mark.parametrize("name", NAMES)
def test_the_docstring_says_what_it_gives_and_when_to_use_it(name):
    found = card(CLASSES[name])
    assert found.summary.endswith(".")
    assert "Use it" in found.docstring
    assert "Args:" not in found.docstring  # the parameters say it, once
    assert all(parameter.description for parameter in found.parameters)
    assert CLASSES[name].summary_instructions.strip()


@pytest.mark.parametrize("name", NAMES)
def test_inspections_are_marked_and_their_pictures_exist(name):
    prompt = CLASSES[name].plot.visual_prompt
    assert "good" in prompt
    assert "failure" in prompt or "not converged" in prompt
    assert CLASSES[name].report.text_inspection
    for picture in re.findall(r'Image\("([^"]+)"\)', prompt):
        assert reference_image(picture).stat().st_size < 40_000


@pytest.mark.parametrize("name", "ramsey rabi drag_calibration resonator_spectroscopy readout_calibration".split())
def test_pictures_show_a_good_and_a_bad_run(name):
    prompt = CLASSES[name].plot.visual_prompt
    assert f'Image("{name}_good.png")' in prompt
    assert f'Image("{name}_bad.png")' in prompt


@pytest.mark.parametrize("name", NAMES)
def test_bounds_are_enforced_before_anything_is_played(name, open_lab):
    device = open_lab().device
    for parameter, quantity in quantities(CLASSES[name]).items():
        experiment = CLASSES[name](Bench(device, "never"))
        with pytest.raises(InputError, match=f"`{parameter}` must be between"):
            experiment.run("Q1", **{parameter: type(quantity.maximum)(quantity.maximum * 1.01 + 1)})
    assert device.clock == 0 or device.status("never.0") == "absent"


def test_a_lab_folder_adds_experiments(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from labwright.tools.experiments.rabi import Rabi\n\n\nclass Mine(Rabi):\n    name = 'my_rabi'\n"
    )
    found = experiments(tmp_path)
    assert set(found) == {*NAMES, "my_rabi"}
    assert experiments(tmp_path)["my_rabi"] is found["my_rabi"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import nothing_of_this_name\n", "does not import"),
        ("from labwright.tools.experiments.rabi import Rabi\nclass Mine(Rabi): pass\n", "Two experiments"),
    ],
)
def test_a_broken_lab_folder_says_so(tmp_path, text, message):
    (tmp_path / "broken.py").write_text(text)
    with pytest.raises(InputError, match=message):
        experiments(tmp_path)


def test_a_missing_lab_folder_and_a_missing_picture_say_so(tmp_path):
    with pytest.raises(InputError, match="no lab folder"):
        experiments(tmp_path / "none")
    with pytest.raises(InputError, match="no reference picture"):
        reference_image("none.png", tmp_path)


def test_descriptions_join_continued_lines():
    assert descriptions("X.\n\nArgs:\n    a: one\n        two.\n    b: three.\n\nRaises:\n    E: no.") == {
        "a": "one two.",
        "b": "three.",
    }
