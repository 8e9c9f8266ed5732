"""A quantum kernel and a support vector machine as one scikit-learn classifier."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.svm import SVC
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from labwright.tools.feature_maps.circuit import Angle, Circuit, Gate
from labwright.tools.feature_maps.kernel import kernel_matrix
from labwright.tools.feature_maps.simulate import Precision

Real = NDArray[np.float64]
MOST_QUBITS = 10  # of the map that is taken where none is given


class FidelityKernelClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A support vector machine on ``K(x, y) = |<psi(x)|psi(y)>|^2``.

    It learns as ``SVC(kernel="precomputed")`` does and predicts the same classes, but keeps only its support vectors:
    new samples are compared with these and not with the whole training part. All its state is plain arrays.

    Args:
        circuit: the feature map; None: one RY rotation a feature, on at most ten qubits with CZ gates between blocks.
        C: penalty of the support vector machine.
        precision: of the simulated states.
        memory_mb: what a kernel may use, MB.

    Attributes:
        classes_: labels in their sorted order.
        circuit_: the feature map in use.
        support_: places of the support vectors among the training samples, class by class, shape (n_support,).
        support_vectors_: shape (n_support, n_features).
        n_support_: support vectors of each class.
        dual_coef_: shape (n_classes - 1, n_support), in the order of libsvm.
        intercept_: one a pair of classes.
    """

    def __init__(
        self,
        circuit: Circuit | None = None,
        C: float = 1.0,  # noqa: N803 (the field's letter)
        precision: Precision = "complex128",
        memory_mb: float = 4096.0,
    ) -> None:
        self.circuit = circuit
        self.C = C
        self.precision = precision
        self.memory_mb = memory_mb

    def fit(self, X: Any, y: Any) -> FidelityKernelClassifier:  # noqa: N803 (scikit-learn's letters)
        """Fit to samples of shape (n_samples, n_features)."""
        return self.fit_kernel(None, X, y)

    def fit_kernel(self, kernel: NDArray[np.floating[Any]] | None, X: Any, y: Any) -> FidelityKernelClassifier:  # noqa: N803
        """Fit to samples whose kernel of shape (n_samples, n_samples) is known; None: computed here."""
        X, y = validate_data(self, X, y, dtype=np.float64)  # noqa: N806
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"All labels are {self.classes_[0]!s}: one class. A classifier needs two classes at least."
            )
        self.circuit_ = default_circuit(X.shape[1]) if self.circuit is None else self.circuit
        if self.circuit_.n_features != X.shape[1]:
            raise ValueError(f"X has {X.shape[1]} features, but the feature map takes {self.circuit_.n_features}.")
        machine = SVC(C=self.C, kernel="precomputed").fit(self.kernel(X) if kernel is None else kernel, codes)
        self.support_, self.support_vectors_ = machine.support_, X[machine.support_]
        self.n_support_, self.dual_coef_, self.intercept_ = machine.n_support_, machine.dual_coef_, machine.intercept_
        return self

    def kernel(self, X: Any, Y: Any = None) -> NDArray[np.floating[Any]]:  # noqa: N803 (scikit-learn's letters)
        """The kernel between prepared samples, shape (n_X, n_Y)."""
        return kernel_matrix(self.circuit_, X, Y, precision=self.precision, memory_mb=self.memory_mb)

    def decision_function(self, X: Any) -> Real:  # noqa: N803 (scikit-learn's letters)
        """As of `SVC`: one number a sample for two classes, else one a class: votes, and by how much they were won."""
        pairs = self._pairs(self._overlaps(X))
        n_classes = len(self.classes_)
        if n_classes == 2:
            return np.asarray(-pairs[:, 0])
        sums = np.zeros((len(pairs), n_classes))
        for column, (i, j) in enumerate(combinations(range(n_classes), 2)):
            sums[:, i] += pairs[:, column]
            sums[:, j] -= pairs[:, column]
        return np.asarray(votes(pairs, n_classes) + sums / (3 * (np.abs(sums) + 1)))

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803 (scikit-learn's letters)
        """The class of each sample, as `SVC` predicts it."""
        return self.predict_kernel(self._overlaps(X))

    def predict_kernel(self, kernel: NDArray[np.floating[Any]]) -> NDArray[Any]:
        """The class of samples whose kernel with the support vectors, shape (n_samples, n_support), is known."""
        codes = votes(self._pairs(kernel), len(self.classes_)).argmax(axis=1)
        return np.asarray(self.classes_[codes])

    def _overlaps(self, X: Any) -> NDArray[np.floating[Any]]:  # noqa: N803
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)  # noqa: N806
        return self.kernel(X, self.support_vectors_)

    def _pairs(self, kernel: NDArray[np.floating[Any]]) -> Real:
        return pair_decisions(kernel, self.n_support_, self.dual_coef_, self.intercept_)


def pair_decisions(kernel: NDArray[np.floating[Any]], n_support: Any, dual: Any, intercept: Any) -> Real:
    """One decision a pair of classes, shape (n_samples, n_pairs): positive for the first class of the pair.

    Pairs are in the order of libsvm: (0, 1), (0, 2), ..., (1, 2), ...

    Args:
        kernel: of samples and support vectors, shape (n_samples, n_support).
        n_support: support vectors of each class.
        dual: coefficients as `SVC.dual_coef_` has them, whose sign it turns for two classes.
        intercept: likewise.
    """
    if len(n_support) == 2:
        return np.asarray(-(kernel @ dual[0] + intercept[0]))[:, None]
    ends = np.cumsum([0, *n_support])
    own = [slice(ends[k], ends[k + 1]) for k in range(len(n_support))]
    columns = [
        kernel[:, own[i]] @ dual[j - 1, own[i]] + kernel[:, own[j]] @ dual[i, own[j]] + intercept[number]
        for number, (i, j) in enumerate(combinations(range(len(n_support)), 2))
    ]
    return np.asarray(np.stack(columns, axis=1), dtype=np.float64)


def votes(pairs: Real, n_classes: int) -> Real:
    """How many pairs each class wins, shape (n_samples, n_classes)."""
    found = np.zeros((len(pairs), n_classes))
    for column, (i, j) in enumerate(combinations(range(n_classes), 2)):
        won = pairs[:, column] > 0
        found[:, i] += won
        found[:, j] += ~won
    return found


def default_circuit(n_features: int) -> Circuit:
    """RY(x) of every feature, in blocks of at most `MOST_QUBITS` with a line of CZ between two blocks."""
    n_qubits = min(n_features, MOST_QUBITS)
    gates: list[Gate] = []
    for feature in range(n_features):
        if feature and feature % n_qubits == 0:
            gates += [Gate("CZ", (wire, wire + 1)) for wire in range(n_qubits - 1)]
        gates.append(Gate("RY", (feature % n_qubits,), (Angle(((feature, 1.0),), 0.0),)))
    return Circuit(n_qubits, n_features, tuple(gates))
