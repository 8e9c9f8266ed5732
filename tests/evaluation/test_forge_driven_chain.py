"""The driven chain, whose literal pulses and stated pi pulses are both right: every criterion can fail."""

from copy import deepcopy

import numpy as np
import pytest
from forge_workspaces import SPOILERS, lines, made, record, write

from labwright.evaluation.forge.accuracy_criteria.floquet import EPSILONS, LITERAL, PULSES, averaged
from labwright.evaluation.forge.grading import COMPUTED
from labwright.evaluation.forge.workspace_contents import read_workspace


def scores(name, workspace, folder):
    found = COMPUTED[name](read_workspace(write(workspace, folder)))
    return {f"{k} {one.name}": one for k, one in enumerate(found)}


def driven(tau, parameters):
    """A driven chain of ten, exact; the five realisations are one, as each takes seconds."""
    disorder, bulk = np.tile(np.random.default_rng(1).uniform(-2, 2, 10), (5, 1)), [2, 3, 4, 5, 6, 7]
    records = [record("disorder", disorder, {"realisation": range(5), "site": range(10)})]
    curves, entropies = {}, {}
    for epsilon in EPSILONS:
        x, s = averaged(disorder, epsilon, tau, bulk)
        curves[str(epsilon)], entropies[str(epsilon)] = x, s
        records.append(record("magnetisation", x, {"period": range(51)}, axis="x", epsilon=epsilon))
        records.append(record("entropy", s, {"period": range(51)}, cut="middle", epsilon=epsilon))
    parameters = {"bulk": bulk, "magnetisation_operator": "Sx", **parameters}
    return made(records, [lines(curves, entropies, x=range(51))], parameters)


@pytest.mark.slow
def test_driven_chain_literal_and_with_stated_pulses(tmp_path):
    name = "dynamics/09_floquet_tdmrg"
    literal = driven(LITERAL, {})
    assert {k: one.found for k, one in scores(name, literal, tmp_path / "right").items() if one.score < 1} == {}
    pulses = driven(PULSES["y pulse of pi"], {})
    unsaid = scores(name, pulses, tmp_path / "unsaid")
    assert [key for key, one in unsaid.items() if one.score < 1] == ["6 I3"]
    pulses["parameters"]["convention"] = "y pulse of pi"
    assert all(one.score == 1 for one in scores(name, pulses, tmp_path / "said").values())
    left = set(unsaid) - {"6 I3"}
    for number, spoil in enumerate([*SPOILERS.values(), _unflipped]):
        wrong = spoil(literal)
        wrong["records"][0] = literal["records"][0]  # the disorder stays: other ones only cost time
        left -= {key for key, one in scores(name, wrong, tmp_path / str(number)).items() if one.score < 1}
    assert left == set()
    other = deepcopy(literal)
    for row in other["records"][0]["value"]:
        row[0] = 2.5  # beyond W
    assert scores(name, other, tmp_path / "disorder")["7 I4"].score == 0


def _unflipped(workspace):
    wrong = deepcopy(workspace)
    for one in wrong["records"]:
        if one["quantity"] == "magnetisation":
            one["value"] = [0.5 * 0.9**k for k in range(51)]
    return wrong
