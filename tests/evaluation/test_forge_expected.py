"""Tasks by other hands: data that parse, a grader that can fail."""

import re
from functools import cache

import forge_as_expected
import numpy as np
import pytest
from forge_workspaces import SPOILERS, made, record, write

from labwright.evaluation import suites as all_suites
from labwright.evaluation.forge import suites
from labwright.evaluation.forge.accuracy import as_expected
from labwright.evaluation.forge.expected import Expectation, read_expected
from labwright.evaluation.forge.finding import candidates, in_file
from labwright.evaluation.forge.grading import grade
from labwright.evaluation.forge.tasks import EXTRAS, SETS, expected_sets, load_tasks
from labwright.evaluation.forge.units import factor
from labwright.evaluation.forge.workspace import read_workspace
from labwright.tools.errors import InputError

ALL = [task for one in expected_sets() for task in load_tasks(one)]
SOLVABLE = [task for task in ALL if task.outcome == "solve"]
UNDOABLE = [task for task in ALL if task.outcome != "solve"]


@cache
def expectation(name):
    [task] = [task for task in ALL if task.name == name]
    return read_expected(task.folder)


def test_the_set_is_found_by_its_folder_and_is_a_suite():
    assert "strangers" in expected_sets()
    assert not set(expected_sets()) & set(SETS)
    assert "forge-strangers" in all_suites.SUITES


@pytest.mark.parametrize("task", ALL, ids=lambda task: task.name)
def test_every_task_parses(task):
    assert len(task.text) > 200
    assert set(task.extras) <= set(EXTRAS)
    assert bool(task.causes) == (task.outcome != "solve")
    assert all(re.compile(cause) for cause in task.causes)
    if task.outcome == "solve":
        assert 0 < task.seconds <= 180
        names = [one.name for one in expectation(task.name).results]
        assert len(set(names)) == len(names)
        used = [*expectation(task.name).figures, *expectation(task.name).files]
        assert {name for one in used for name in getattr(one, "show", getattr(one, "hold", []))} <= set(names)


SPELLINGS = [  # each task in one by default, in all of them where slow tests run
    pytest.param(task, spelling, id=f"{task.name}-{spelling}", marks=[pytest.mark.slow] * (spelling != number % 3))
    for number, task in enumerate(SOLVABLE)
    for spelling in range(3)
]


@pytest.mark.parametrize(("task", "spelling"), SPELLINGS)
def test_what_is_expected_is_right_in_every_spelling(task, spelling, tmp_path):
    workspace = forge_as_expected.right(expectation(task.name), spelling)
    found = grade(task, write(workspace, tmp_path / "w"))
    short = [one for one in found.criteria if one.score < 1 and not _by_hand(task, one)]
    assert [(one.name, one.demand, one.found) for one in short] == []


def _by_hand(task, criterion):
    """Files and pulses are not in the made-up workspaces; they have tests of their own."""
    pulses = {f"I{k}" for k, one in enumerate(expectation(task.name).results, 1) if one.pulses}
    shows = {f"F{k}" for k, one in enumerate(expectation(task.name).figures, 1)
             if any(r.pulses for r in expectation(task.name).results if r.name in one.show)}  # fmt: skip
    return criterion.name.startswith("D") or criterion.name in pulses | shows


# One task in five by default. That they are all of one grader is what the default run shows; slow tests run them all.
@pytest.mark.parametrize(
    "task",
    [pytest.param(one, id=one.name, marks=[pytest.mark.slow] * (n % 5 > 0)) for n, one in enumerate(SOLVABLE, 1)],
)
def test_every_criterion_can_fail_on_values_that_are_there(task, tmp_path):
    right = forge_as_expected.right(expectation(task.name))
    left = {one.name for one in grade(task, write(right, tmp_path / "right")).criteria if not _by_hand(task, one)}
    other = {**right, "packages": ["numpy"], "script": "import numpy\nnumpy.array([1])\n"}
    for number, wrong in enumerate([*(spoil(right) for spoil in SPOILERS.values()), other, _reworded(right)]):
        found = grade(task, write(wrong, tmp_path / str(number)))
        left -= {one.name for one in found.criteria if one.score < 1}
    assert left == set()


def _reworded(workspace):
    records = [{**one, "value": "C1"} if isinstance(one["value"], str) else one for one in workspace["records"]]
    return {**workspace, "records": records}


def expected(**more):
    return Expectation.model_validate(
        {"results": [{"name": "p", "quantity": ["population"], "tolerance": 0.01, **more}]}
    )


def scored(expectation, workspace, folder, name="I1"):
    folder = write(workspace, folder)
    [one] = [c for c in as_expected.accuracy(expectation, folder, read_workspace(folder)) if c.name == name]
    return one


CURVE = {"axis": "time", "axis_unit": "us", "at": [0, 1, 2], "values": [1.0, 0.5, 0.25], "labels": {"level": ["e", 1]}}


def test_a_curve_is_found_in_a_surface_in_another_unit_and_under_a_synonym(tmp_path):
    surface = record(
        "occupation_probability", [[0, 1.0], [0.5, 0.5], [0.75, 0.25]], {"time": [0, 1e3, 2e3], "level": [0, 1]}
    )
    surface["axes"][0]["unit"] = "ns"
    assert scored(expected(**CURVE), made([surface], []), tmp_path / "a").score == 1
    surface["axes"][0]["unit"] = "ps"
    assert scored(expected(**CURVE), made([surface], []), tmp_path / "b").score == 0
    surface["axes"][0]["unit"] = "kcal/mol"
    assert "no population" in scored(expected(**CURVE), made([surface], []), tmp_path / "c").found


def test_a_label_of_the_wanted_key_decides(tmp_path):
    wrong = record("population", [1.0, 0.5, 0.25], {"time": [0, 1, 2]}, "", level="g", series="e")
    assert scored(expected(**CURVE), made([wrong], []), tmp_path / "a").score == 0
    unkeyed = record("population", [1.0, 0.5, 0.25], {"time": [0, 1, 2]}, "", series="e")
    assert scored(expected(**CURVE), made([unkeyed], []), tmp_path / "b").score == 1


def test_counts_are_found_beside_single_probabilities(tmp_path):
    wanted = expected(quantity=["probability", "counts"], probabilities={"0": 0.5, "1": 0.5}, shots=10, tolerance=0.2)
    single = record("probability", 0.6, outcome="0")
    assert scored(wanted, made([single], []), tmp_path / "a").score == 0
    assert scored(wanted, made([single, record("counts", {"0": 6, "1": 4})], []), tmp_path / "b").score == 1


def test_a_file_of_the_asked_name_counts_whole_and_results_alone_half(tmp_path):
    wanted = expected(**CURVE)
    wanted = wanted.model_copy(update={"files": [_file("decay.csv")]})
    right = record("population", [1.0, 0.5, 0.25], {"time": [0, 1, 2]}, "", level="e")
    assert scored(wanted, made([right], []), tmp_path / "a", "D1").score == 0.5
    folder = write(made([], []), tmp_path / "b")
    (folder / "decay.csv").write_text("time (ns),population e\n0,1\n1000,0.5\n2000,0.25\n")
    found = {one.name: one.score for one in as_expected.accuracy(wanted, folder, read_workspace(folder))}
    assert found == {"I1": 1, "D1": 1}
    (folder / "decay.csv").write_text("time (ns),population e\n0,1\n1000,0.9\n2000,0.25\n")
    assert all(one.score == 0 for one in as_expected.accuracy(wanted, folder, read_workspace(folder)))


def _file(name):
    from labwright.evaluation.forge.expected import File

    return File(name=name, hold=["p"])


def test_pulses_are_propagated_again(tmp_path):
    problem = {
        "drift": "0 Z",
        "controls": {"X": "X"},
        "duration": 1.0,
        "initial": [1, 0],
        "target": [0, 1],
        "bound": 2.0,
    }
    wanted = Expectation.model_validate(
        {"results": [{"name": "u", "quantity": ["pulse"], "axis": "time", "at_least": 0.99, "pulses": problem}]}
    )
    time = np.linspace(0, 0.9, 10)
    good = record("pulse", np.full(10, np.pi / 2), {"time": time}, control="X")
    assert scored(wanted, made([good], []), tmp_path / "a").score == 1
    weak = record("pulse", np.full(10, 1.0), {"time": time}, control="X")
    assert scored(wanted, made([weak], []), tmp_path / "b").score == 0
    strong = record("pulse", np.full(10, 3 * np.pi / 2), {"time": time}, control="X")
    assert "allowed" in scored(wanted, made([strong], []), tmp_path / "c").found


TWO = {
    "drift": "0 ZZ",
    "controls": {"XI": "XI", "IX": "IX"},
    "duration": 1.0,
    "initial": [1, 0, 0, 0],
    "target": [0, 0, 1, 0],
}


@pytest.mark.parametrize(
    "names", [("XI", "IX"), ("X0", "X1"), ("X1", "X2"), ("left x", "right x"), (0, 1), (1, 2), ("u1", "u2")]
)
def test_controls_are_known_by_any_way_of_naming_them(names, tmp_path):
    wanted = Expectation.model_validate(
        {"results": [{"name": "u", "quantity": ["pulse"], "axis": "time", "at_least": 0.99, "pulses": TWO}]}
    )
    time, heights = np.linspace(0, 0.9, 10), (np.pi / 2, 0.0)
    pulses = [record("pulse", np.full(10, h), {"time": time}, control=n) for n, h in zip(names, heights, strict=True)]
    assert scored(wanted, made(pulses, []), tmp_path / "a").score == 1
    for one in pulses:
        one["value"] = [0.3] * 10
    assert scored(wanted, made(pulses, []), tmp_path / "b").score == 0


def test_a_long_table_is_read_row_by_row(tmp_path):
    path = tmp_path / "energies.csv"
    path.write_text("# made\nmolecule,energy [eV]\nwater,-27.211386\nammonia,-54.4\n")
    wanted = expected(quantity=["energy"], labels={"molecule": ["water"]}, unit="hartree", values=-1.0)
    [found] = candidates(in_file(path), wanted.results[0])
    assert float(found.value) == pytest.approx(-1.0, abs=1e-6)


@pytest.mark.parametrize(
    ("have", "wanted", "scale"),
    [("ns", "us", 1e-3), ("eV", "hartree", 1 / 27.211386), ("cm^-1", "meV", 1 / 8.0655439), ("", "fs", 1.0),
     ("kJ/mol", "kcal/mol", 1 / 4.184), ("%", "1", 0.01), ("K", "fs", None), ("furlong", "us", 1.0),
     ("deg", "rad", 0.01745329252), ("rad", "", 1.0)],
)  # fmt: skip
def test_units(have, wanted, scale):
    assert factor(have, wanted) == (scale if scale is None else pytest.approx(scale, rel=1e-5))


def test_the_suite_tells_refused_from_wrong(monkeypatch):
    def fake(task, repeat, setting, folder):
        status = "refused" if task.outcome != "solve" else "complete"
        passed = status == "refused" or task.name[10:12] < "03"
        row = {"task": task.name, "repeat": repeat, "mode": setting.mode, "status": status, "passed": passed}
        return {**row, "score": 1.0 * passed, "seconds": 1.0}

    monkeypatch.setattr(suites, "run_task", fake)
    result = all_suites.run("forge-strangers")
    assert not result["passed"]
    assert "done right: 2 of" in result["notes"][-1]
    assert all_suites.run("forge-strangers", tasks=["01", "02", "33"])["passed"]
    with pytest.raises(InputError, match="no task 'nothing'"):
        all_suites.run("forge-strangers", tasks=["nothing"])
