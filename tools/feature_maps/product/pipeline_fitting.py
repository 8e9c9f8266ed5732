"""The pipeline that a circuit and a split of data make, and what it says of the opened test part."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from labwright.tools.datasets.labelled_samples import Part, Split
from labwright.tools.feature_maps.circuit import Circuit
from labwright.tools.feature_maps.product.classifier import FidelityKernelClassifier
from labwright.tools.feature_maps.product.saved import pipeline_of
from labwright.tools.feature_maps.svm_assessment import Scores, check_kernel_memory, kernels, scores


def fitted_pipeline(
    circuit: Circuit,
    split: Split,
    *,
    C: float = 1.0,  # noqa: N803 (the field's letter)
    memory_mb: float = 4096.0,
) -> Pipeline:
    """The split's preparation and a classifier that is fitted to its training part, in double precision.

    Args:
        circuit: the feature map.
        split: whose test part stays sealed.
        C: penalty of the support vector machine.
        memory_mb: what the kernel may use, MB.

    Raises:
        MemoryLimitError: the kernel would not fit.
    """
    check_kernel_memory(split, 0, memory_mb)
    nothing = Part(split.train.X[:0], split.train.y[:0], split.train.raw[:0], split.train.rows[:0])
    kernel, _ = kernels(circuit, split.train, nothing, precision="complex128", memory_mb=memory_mb)
    classifier = FidelityKernelClassifier(circuit, C, memory_mb=memory_mb)
    classifier.fit_kernel(kernel, split.train.X, labels_of(split.classes)[split.train.y])
    return pipeline_of(split.preparation, classifier)


def predicted(pipeline: Pipeline, split: Split, part: Part) -> tuple[Scores, NDArray[np.int64]]:
    """Scores on the raw samples of a part, and the class number that each of them got."""
    names = labels_of(split.classes)
    order = np.argsort(names)
    found = order[np.searchsorted(names, pipeline.predict(part.raw), sorter=order)]
    return scores(part.y, found), found


def labels_of(classes: tuple[str, ...]) -> NDArray[Any]:
    """What a pipeline calls the classes: whole numbers if all names are such, else the names."""
    whole = all(name.removeprefix("-").isdigit() and str(int(name)) == name for name in classes)
    return np.array([int(name) for name in classes]) if whole else np.array(classes)
