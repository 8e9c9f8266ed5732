"""Which experiments there are, those of a lab folder included; what each promises is in test_contract.py."""

import pytest

from labwright.tools.errors import InputError
from labwright.tools.experiments.registry import descriptions, experiments, reference_image

CLASSES = experiments()
NAMES = sorted(CLASSES)


def test_what_every_lab_expects_on_one_qubit_is_there():
    bring_up = ["resonator_spectroscopy", "resonator_power_sweep", "qubit_spectroscopy", "readout_calibration"]
    tune_up = ["rabi", "ramsey", "amplitude_pingpong", "drag_calibration", "ef_spectroscopy"]
    checks = ["t1", "t2_ramsey", "spin_echo", "single_qubit_rb", "all_xy", "readout_mitigation"]
    assert {*bring_up, *tune_up, *checks} <= set(NAMES)


@pytest.mark.parametrize("name", "ramsey rabi drag_calibration resonator_spectroscopy readout_calibration".split())
def test_pictures_show_a_good_and_a_bad_run(name):
    prompt = CLASSES[name].plot.visual_prompt
    assert f'Image("{name}_good.png")' in prompt
    assert f'Image("{name}_bad.png")' in prompt


def test_a_lab_folder_adds_experiments(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from labwright.tools.experiments.time_rabi import Rabi\n\n\nclass Mine(Rabi):\n    name = 'my_rabi'\n"
    )
    found = experiments(tmp_path)
    assert set(found) == {*NAMES, "my_rabi"}
    assert experiments(tmp_path)["my_rabi"] is found["my_rabi"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import nothing_of_this_name\n", "does not import"),
        ("from labwright.tools.experiments.time_rabi import Rabi\nclass Mine(Rabi): pass\n", "Two experiments"),
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
