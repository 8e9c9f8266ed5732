"""What the analyses of a winner run on: the data sets of a search, and small tables that come with scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from labwright.tools.datasets import Dataset, Split, load_dataset, prepare_split
from labwright.tools.datasets.checks import dataset_of

MOST_FEATURES = 80  # principal components where a data set has more; the published searches used 80
FEATURES = {"digits": 40, "digits-augmented": 80}
REDUCED = {"digits-augmented": (1200, 400, 400)}  # train, validation and test samples; in full it takes minutes


def dataset(name: str, seed: int = 0, memory_mb: float = 4096.0) -> Dataset:
    """The data set of this name: ``wine`` and ``breast-cancer``, else as `labwright.tools.datasets.load_dataset`.

    Raises:
        InputError: no such data set.
    """
    if name in _TABLES:
        return _TABLES[name]()
    return load_dataset(name, seed=seed, memory_mb=memory_mb)


def features_of(found: Dataset) -> int:
    """The number of principal components that a data set is used with."""
    return FEATURES.get(found.name) or min(MOST_FEATURES, found.X.shape[1])


def reduced_split(found: Dataset, n_features: int, seed: int) -> Split:
    """The data prepared; of those in `REDUCED` only a part."""
    return prepare_split(found, n_features, seed, REDUCED.get(found.name))


def label(name: str) -> str:
    """The name of a data set as part of a folder's name."""
    return name.replace("/", "_").replace("\\", "_").strip("_")


def _wine() -> Dataset:
    """178 wines of three growers, 13 chemical measurements each (UCI Wine)."""
    from sklearn.datasets import load_wine

    return _of_bunch("wine", load_wine())


def _breast_cancer() -> Dataset:
    """569 tumours, 30 measurements of cell nuclei each (UCI Breast Cancer Wisconsin, Diagnostic)."""
    from sklearn.datasets import load_breast_cancer

    return _of_bunch("breast-cancer", load_breast_cancer())


def _of_bunch(name: str, bunch: Any) -> Dataset:
    return dataset_of(name, bunch.data, bunch.target, class_names=tuple(str(one) for one in bunch.target_names))


_TABLES: dict[str, Callable[[], Dataset]] = {"wine": _wine, "breast-cancer": _breast_cancer}
