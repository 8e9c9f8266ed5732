"""The classifier keeps scikit-learn's contract and predicts as a support vector machine on the whole kernel."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

from labwright.tools.datasets.feature_preparation import Preparation
from labwright.tools.feature_maps.product.classifier import FidelityKernelClassifier, default_circuit
from labwright.tools.feature_maps.product.saved import pipeline_of

# `Pipeline` itself fits the steps that it was given, whatever they are.
OF_ANY_PIPELINE = {"check_estimators_overwrite_params", "check_dont_overwrite_parameters"}


@parametrize_with_checks([FidelityKernelClassifier()])
@pytest.mark.filterwarnings("ignore:Skipping check:sklearn.exceptions.SkipTestWarning")
def test_the_classifier_is_a_scikit_learn_estimator(estimator, check):
    check(estimator)


def failed(estimator):
    found = check_estimator(estimator, on_fail=None, on_skip=None)
    return {one["check_name"] for one in found if one["status"] == "failed"}


def test_the_pipeline_fails_no_check_that_other_pipelines_pass():
    ours = failed(pipeline_of(Preparation("standardise"), FidelityKernelClassifier()))
    assert ours == failed(make_pipeline(StandardScaler(), SVC())) == OF_ANY_PIPELINE


@pytest.mark.parametrize("n_classes", [2, 3, 10])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_it_predicts_as_a_machine_on_the_whole_kernel(n_classes, C):
    X, y = load_digits(return_X_y=True)
    X, y = X[y < n_classes][:420], np.array([f"class {k}" for k in range(10)])[y[y < n_classes]][:420]
    prepared = Preparation("min-max", 9).fit(X[:210]).transform(X)
    ours = FidelityKernelClassifier(default_circuit(9), C).fit(prepared[:210], y[:210])
    whole = SVC(C=C, kernel="precomputed").fit(ours.kernel(prepared[:210]), y[:210])
    other = ours.kernel(prepared[210:], prepared[:210])
    assert (ours.predict(prepared[210:]) == whole.predict(other)).all()
    assert np.allclose(ours.decision_function(prepared[210:]), whole.decision_function(other), atol=1e-10)


def test_a_map_for_other_features_is_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="X has 4 features, but the feature map takes 3"):
        FidelityKernelClassifier(default_circuit(3)).fit(X, y)
