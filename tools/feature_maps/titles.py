"""What the methods that a map is compared with are called in tables."""

from __future__ import annotations

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
