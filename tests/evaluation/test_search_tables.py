"""What the tables of searches are made of: differences over splits, and the data sets of scikit-learn."""

import pytest

from labwright.evaluation import suites
from labwright.evaluation.accuracy_spread import compared
from labwright.evaluation.search_splits import made
from labwright.tools.errors import InputError


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
    wine, cancer = made("wine", 0), made("breast-cancer", 0)
    assert (wine.X.shape, len(wine.classes)) == ((178, 13), 3)
    assert (cancer.X.shape, len(cancer.classes)) == ((569, 30), 2)
    with pytest.raises(InputError, match="no data set 'beer'"):
        made("beer", 0)


def test_every_suite_says_what_it_does():
    about = suites.about()
    assert about.keys() == suites.SUITES.keys()
    assert all(len(said) > 10 for said in about.values())
