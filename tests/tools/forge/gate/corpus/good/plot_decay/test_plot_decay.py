import pytest
import json
import math
from pathlib import Path

from matplotlib.image import imread

from tools.plot_decay import PlotDecayInput, plot_decay


def _made(path, times=(1.0, 2.0, 4.0), values=(8.0, 4.0, 1.5), rate=math.log(2)):
    return plot_decay(PlotDecayInput(path=str(path), times=list(times), values=list(values), rate=rate))


def test_invariant_law_begins_at_the_first_value(tmp_path):
    made = _made(tmp_path / "img" / "decay.png")
    measured, law = json.loads(Path(made.data_path).read_text())["panels"][0]["series"]
    assert law["y"] == pytest.approx([8.0, 4.0, 1.0])
    assert (measured["x"], measured["y"]) == ([1.0, 2.0, 4.0], [8.0, 4.0, 1.5])


def test_figure_is_a_picture(tmp_path):
    made = _made(tmp_path / "decay.png")
    assert Path(made.path).read_bytes()[1:4] == b"PNG"
    assert imread(made.path).shape == (340, 500, 4)


def test_error_path_and_lengths(tmp_path):
    with pytest.raises(ValueError, match="end with .png"):
        _made(tmp_path / "decay.svg")
    with pytest.raises(ValueError, match="one value"):
        _made(tmp_path / "decay.png", values=(1.0, 2.0))
