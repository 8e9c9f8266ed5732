"""Labelled samples for classifiers: where they come from, and how they are split and prepared without a leak."""

from labwright.tools.datasets.labelled_samples import Dataset, Part, SealedPart, Split
from labwright.tools.datasets.load import load_dataset
from labwright.tools.datasets.split import prepare_split

__all__ = ["Dataset", "Part", "SealedPart", "Split", "load_dataset", "prepare_split"]
