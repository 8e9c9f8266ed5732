"""The methods that a map is compared with, and what they are called in tables."""

from __future__ import annotations

PREPARED = ("linear", "polynomial", "sigmoid", "rbf_default", "rbf_tuned", "rbf_weighted")
# These prepare the raw samples in their own way, so that a poor preparation of ours cannot make a map look good.
OUTSIDE = ("standard_linear", "standard_rbf", "pca_rbf_default", "pca_rbf", "gradient_boosting")
QUANTUM = ("zz", "npqc", "yzcx", "listing22")
ALL = (*PREPARED, *OUTSIDE, *QUANTUM)
QUICK = ("linear", "rbf_default", "standard_rbf", "pca_rbf_default")  # whose level a model is shown
TITLES = {
    "linear": "linear",
    "polynomial": "polynomial",
    "sigmoid": "sigmoid",
    "rbf_default": "RBF, default",
    "rbf_tuned": "RBF, tuned",
    "rbf_weighted": "RBF, weights by rank (control)",
    "standard_linear": "linear on standardised raw features",
    "standard_rbf": "RBF, tuned, on standardised raw features",
    "pca_rbf_default": "RBF, default, on unscaled components",
    "pca_rbf": "RBF, tuned, on unscaled components",
    "gradient_boosting": "gradient boosting on raw features",
    "listing22": "published map of Listing 22",
    "zz": "ZZ",
    "npqc": "NPQC",
    "yzcx": "YZCX",
    "commuting_map": "best map that depends on differences only",
    "noncommuting_map": "best map that depends on more than differences",
}
