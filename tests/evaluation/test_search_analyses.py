"""The analyses of searches, end to end on three small clouds, and their arithmetic on numbers known beforehand."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from searches import clouds

from labwright.evaluation import suites, transfer
from labwright.evaluation.regression import PUBLISHED, Line, Trajectory, regression
from labwright.evaluation.sample_data import dataset, label
from labwright.evaluation.spread import compared
from labwright.evaluation.winners import Winner, finished_runs, winner_of
from labwright.tools.errors import InputError
from labwright.tools.feature_maps.circuit import Angle, Circuit, Gate

FIXED = """
import pennylane as qml
from labwright.tools.feature_maps.base import BaseFeatureMap

class OnlySix(BaseFeatureMap):
    def __init__(self, n_qubits, scale=1.5):
        super().__init__(n_qubits)
        self.scale = scale

    def feature_map(self, x):
        assert len(x) == 6
        for feature in range(6):
            qml.RY(phi=self.scale * x[feature], wires=feature % self.n_qubits)
"""


def doubtful(folder):
    """The clouds with every seventh label wrong: no map is right about all, so that no search ends early."""
    path = folder / "doubtful.npz"
    data = np.load(clouds(folder))
    np.savez(path, X=data["X"], y=(data["y"] + (np.arange(len(data["y"])) % 7 == 0)) % 3)
    return path


@pytest.fixture(scope="module")
def searched(tmp_path_factory):
    """Two searches of each kind on the clouds: the folder and the result."""
    folder = tmp_path_factory.mktemp("searched")
    data = str(doubtful(folder))
    chosen = {"seeds": 2, "trials": 3, "dataset": [data], "workers": 0}
    result = suites.run("search_trajectories", **chosen, out=folder / "out")
    return folder / "out", data, result


@pytest.fixture
def only_six(tmp_path):
    path = tmp_path / "only_six.py"
    path.write_text(FIXED)
    return Winner("OnlySix", FIXED, 3, 6, "", 0)


def transferred(winner, datasets, out):
    chosen = {"winner": winner.plain(), "dataset": datasets, "seeds": 1, "workers": 0, "out": out}
    return suites.run("search_transfer", **chosen)["rows"]


def in_search(name, kind, *accuracies):
    return Trajectory(name, kind, tuple(enumerate(accuracies, 1)))


# --- the regression


def test_a_line_without_noise_is_found_exactly():
    found = [in_search(f"{x}", "a", x, 0.5 * x + 0.4, 0.5 * x + 0.4) for x in (0.2, 0.5, 0.6, 0.9)]
    line = regression(found)
    assert line.slope == pytest.approx(0.5)
    assert line.intercept == pytest.approx(0.4)
    assert line.slope_error == pytest.approx(0, abs=1e-12)
    assert (line.points, line.searches) == (8, 4)


def test_errors_count_searches_and_not_their_trials():
    """The same later trial said twenty times is no more knowledge than said once."""
    rng = np.random.default_rng(3)
    pairs = [(x, 0.5 * x + 0.4 + 0.05 * rng.normal()) for x in np.linspace(0.2, 0.9, 12)]
    once = regression([in_search(str(n), "a", x, y) for n, (x, y) in enumerate(pairs)])
    often = regression([in_search(str(n), "a", x, *[y] * 20) for n, (x, y) in enumerate(pairs)])
    assert often.slope_error == pytest.approx(once.slope_error)
    assert once.slope == pytest.approx(np.polyfit(*np.transpose(pairs), 1)[0])
    # the textbook's error of independent points, which the jackknife has to be near
    x, y = np.transpose(pairs)
    rest = y - once.slope * x - once.intercept
    assert once.slope_error == pytest.approx(np.sqrt(rest @ rest / 10 / ((x - x.mean()) ** 2).sum()), rel=0.5)


def test_what_determines_no_line_gives_none():
    same = [in_search("a", "k", 0.8, 0.9), in_search("b", "k", 0.8, 0.7)]
    late = [Trajectory("c", "k", ((2, 0.5), (3, 0.6)))]  # its first trial had no map that could be evaluated
    assert regression(same) is None
    assert late[0].pairs() == []
    assert regression([*same, *late]) is None
    two = regression([in_search("a", "k", 0.6, 0.9), in_search("b", "k", 0.8, 0.7)])
    assert two.slope == pytest.approx(-1)
    assert two.slope_error is None


def test_a_line_in_words():
    assert PUBLISHED.words() == "y = 0.5164 x + 0.4315"
    assert (
        Line(0.2, -0.1, 0.05, 0.02, 8, 4).words() == "y = (0.200 ± 0.050) x + (-0.100 ± 0.020) (8 trials of 4 searches)"
    )
    assert Line(0.2, -0.1, None, None, 8, 4).words() == "y = 0.2000 x - 0.1000 (8 trials of 4 searches)"


# --- the suites


def test_trajectories_come_with_line_and_figure(searched):
    out, _, result = searched
    assert [row["faults"] for row in result["rows"]] == [""] * 4
    assert {row["kind"] for row in result["rows"]} == {"ungraded, start given", "random"}
    for row in result["rows"]:
        assert [trial for trial, _ in row["trials"]] == [1, 2, 3]
        assert row["first"] == row["trials"][0][1]
        assert row["best"] == max(value for _, value in row["trials"])
    line = result["regression"]["all"]
    assert (line["points"], line["searches"]) == (8, 4)
    x, y = np.transpose([(row["first"], later) for row in result["rows"] for _, later in row["trials"][1:]])
    assert line["slope"] == pytest.approx(np.polyfit(x, y, 1)[0], rel=1e-3)
    assert "y = 0.5164 x + 0.4315" in result["notes"][-1]
    assert result["passed"]
    with Image.open(out / result["figures"][0]) as picture:
        assert picture.width > 900
    json.dumps(result, allow_nan=False)


def test_the_first_map_of_a_search_is_the_drawn_one(searched):
    out, _, _ = searched
    for run, found in finished_runs(out):
        if wishes := run.record.choices["persons_ideas"]:
            first = json.loads((run.folder / found["tried"][0]["file"]).read_text())
            assert first["tried"]["recipe"] == wishes[0]


def test_finished_runs_give_the_same_line(searched):
    out, _, result = searched
    again = suites.run("search_trajectories", source=out)
    assert again["n"] == 4
    assert again["regression"] == result["regression"]


def test_a_folder_without_searches_is_refused(tmp_path):
    with pytest.raises(InputError, match="no finished search"):
        suites.run("search_trajectories", source=tmp_path)
    with pytest.raises(InputError, match="no folder"):
        suites.run("search_trajectories", source=tmp_path / "nowhere")


def test_a_winner_is_the_best_of_one_run(searched):
    out, data, _ = searched
    run, found = next(finished_runs(out))
    winner = winner_of(run.folder)
    assert f"class {winner.name}" in winner.source
    assert (winner.n_features, winner.n_qubits, winner.dataset) == (8, 10, data)
    assert winner.seed == run.record.seed
    assert winner.name == found["feature_map"]["name"]
    with pytest.raises(InputError, match="4 finished searches"):
        winner_of(out)


def test_a_found_map_is_transferred_beside_rbf(searched, tmp_path):
    run, _ = next(finished_runs(searched[0]))
    result = suites.run("search_transfer", source=run.folder, dataset=["wine"], seeds=2, workers=0, out=tmp_path)
    assert [row["how"] for row in result["rows"]] == ["compiled"] * 2
    for row in result["rows"]:
        assert (row["features"], row["n_train"], row["n_test"], row["classes"]) == (13, 106, 36, 3)
        assert 0.5 < row["test"] <= 1
        assert row["rbf_default"] > 0.8
    entry = result["summary"]["wine"]
    assert entry["minus rbf_default"] == pytest.approx(entry["test"] - entry["rbf_default"], abs=1e-4)
    # what lies there is not measured again
    again = suites.run("search_transfer", source=run.folder, dataset=["wine"], seeds=2, workers=0, out=tmp_path)
    assert again["rows"] == result["rows"]


def test_code_for_six_features_meets_more_and_fewer(only_six, tmp_path):
    data = np.load(clouds(tmp_path))
    np.savez(tmp_path / "few.npz", X=data["X"][:, :4], y=data["y"])
    names = [str(tmp_path / "clouds.npz"), str(tmp_path / "few.npz")]
    more, fewer = transferred(only_six, names, out=tmp_path / "rows")
    assert (more["how"], more["features"]) == ("data cut", 6)
    assert (fewer["how"], fewer["features"]) == ("map cut", 4)
    assert more["test"] > 0.5
    assert Path(tmp_path / "rows").is_dir()


def test_code_that_serves_no_other_number_is_a_row_with_its_reason(only_six, tmp_path):
    lost = Winner("OnlySix", FIXED, 3, None, "", 0)
    [row] = transferred(lost, ["wine"], out=tmp_path)
    assert row["status"] == "crashed"
    assert "RuleError" in row["faults"]


def test_a_cut_map_keeps_gates_and_offsets():
    gate = Gate("RY", (0,), (Angle(((0, 1.0), (3, 2.0)), 0.5),))
    short = transfer.cut(Circuit(2, 4, (Gate("CNOT", (0, 1)), gate)), 3)
    assert short == Circuit(2, 3, (Gate("CNOT", (0, 1)), Gate("RY", (0,), (Angle(((0, 1.0),), 0.5),))))
    assert transfer.used_features(short) == {0}


# --- small parts


def test_accuracies_are_compared_in_pairs():
    rows = [
        {"set": "a", "test": 0.90, "rbf": 0.80},
        {"set": "a", "test": 0.80, "rbf": 0.68},
        {"set": "a", "case": "crashed", "test": None},
        {"set": "b", "test": 0.5, "rbf": 0.6},
    ]
    table = compared(rows, "set", ("rbf",))
    assert table["a"] == {
        "n": 2.0, "test": 0.85, "test sd": 0.070711, "rbf": 0.74, "rbf sd": 0.084853,
        "minus rbf": 0.11, "minus rbf se": 0.01291, "minus rbf p": 0.074375,
    }  # fmt: skip
    assert table["b"] == {"n": 1.0, "test": 0.5, "rbf": 0.6, "minus rbf": -0.1}


def test_tables_of_scikit_learn_are_data_sets():
    wine, cancer = dataset("wine"), dataset("breast-cancer")
    assert (wine.X.shape, len(wine.classes)) == ((178, 13), 3)
    assert (cancer.X.shape, cancer.classes) == ((569, 30), ("malignant", "benign"))
    with pytest.raises(InputError, match="no data set 'beer'"):
        dataset("beer")


def test_labels_of_data_sets_are_names_of_folders():
    assert "/" not in label("/data/of/mine.npz")
    assert label("mnist:/a") != label("mnist:/b")


def test_every_suite_says_what_it_does():
    about = suites.about()
    assert about.keys() == suites.SUITES.keys()
    assert all(len(said) > 10 for said in about.values())
