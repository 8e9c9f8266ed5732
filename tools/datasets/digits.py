"""The embedded data sets: scikit-learn's handwritten digits, and the same enlarged and distorted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labwright.tools.datasets.checks import check_memory, dataset_of
from labwright.tools.datasets.labelled_samples import Dataset

SIDE = 28  # pixels, that of MNIST
COPIES = 6  # of each original; 1797 originals then fill 6000 / 2000 / 2000 samples split by original
SIZES = (6000, 2000, 2000)

# How far a copy may be from its original. A digit stays readable and keeps its class.
ROTATION = 10.0  # degrees
SHIFT = 1.5  # pixels
SCALE = 0.1  # relative
SHEAR = 0.1


def digits(seed: int = 0, memory_mb: float = 4096.0) -> Dataset:
    """1797 handwritten digits of 8 x 8 pixels, 0 .. 16, from scikit-learn (UCI ML hand-written digits).

    Args:
        seed: has no effect; nothing is drawn.
        memory_mb: what the samples may use, MB.
    """
    from sklearn.datasets import load_digits

    check_memory("digits", 1797, 64, memory_mb)
    images, y = load_digits(return_X_y=True)
    return dataset_of("digits", images, y)


def digits_augmented(seed: int = 0, memory_mb: float = 4096.0) -> Dataset:
    """Six distorted copies of every digit at 28 x 28 pixels, 0 .. 1; `groups` names the original.

    A copy depends only on the seed, its original and its own number, so it does not matter which part of a split the
    original went to.

    Args:
        seed: of the distortions.
        memory_mb: what the samples may use, MB.
    """
    from sklearn.datasets import load_digits

    check_memory("digits-augmented", 1797 * COPIES, SIDE * SIDE, memory_mb)
    images, y = load_digits(return_X_y=True)
    enlarged = [_enlarged(image.reshape(8, 8) / 16.0) for image in images]
    samples = np.empty((len(y) * COPIES, SIDE * SIDE))
    for original, image in enumerate(enlarged):
        for copy in range(COPIES):
            samples[original * COPIES + copy] = distorted(image, seed, original, copy).reshape(-1)
    return dataset_of(
        "digits-augmented",
        samples,
        np.repeat(y, COPIES),
        groups=np.repeat(np.arange(len(y)), COPIES),
        sizes=SIZES,
        notes=(
            f"digits resized to {SIDE} x {SIDE}; {COPIES} copies of each, rotated by up to {ROTATION:g} degrees,"
            f" shifted by up to {SHIFT:g} pixels, scaled by up to {SCALE:.0%}, sheared by up to {SHEAR:g}",
        ),
    )


def distorted(image: NDArray[np.float64], seed: int, original: int, copy: int) -> NDArray[np.float64]:
    """A random affine distortion of an image about its centre; the same for the same three numbers.

    Args:
        image: shape (side, side), 0 .. 1.
        seed: of the data set.
        original: which image.
        copy: which copy of it.
    """
    from scipy.ndimage import affine_transform

    # A counter-based stream for each copy: no copy depends on how many were made before it.
    random = np.random.Generator(np.random.Philox(key=[seed, 0], counter=[0, original, copy, 0]))
    turn = np.deg2rad(random.uniform(-ROTATION, ROTATION))
    across, down = random.uniform(1 - SCALE, 1 + SCALE, 2)
    shear = random.uniform(-SHEAR, SHEAR)
    shift = random.uniform(-SHIFT, SHIFT, 2)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    inverse = rotation @ np.array([[1.0, shear], [0.0, 1.0]]) @ np.diag([1 / down, 1 / across])
    centre = (np.array(image.shape) - 1) / 2
    offset = centre - inverse @ (centre + shift)
    moved: NDArray[np.float64] = affine_transform(image, inverse, offset=offset, order=1, mode="constant")
    return moved


def _enlarged(image: NDArray[np.float64]) -> NDArray[np.float64]:
    """8 x 8 pixels as 28 x 28; a cubic spline overshoots, and a pixel stays within 0 .. 1."""
    from scipy.ndimage import zoom

    large: NDArray[np.float64] = zoom(image, SIDE / 8, order=3)
    return np.clip(large, 0.0, 1.0)
