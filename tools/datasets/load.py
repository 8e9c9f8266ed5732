"""A data set by its name."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np

from labwright.tools.datasets.checks import check_memory, dataset_of
from labwright.tools.datasets.digits import digits, digits_augmented
from labwright.tools.datasets.images import cifar10, mnist
from labwright.tools.datasets.labelled_samples import Dataset, Samples
from labwright.tools.datasets.table_datasets import from_csv, from_npz
from labwright.tools.errors import InputError

SAMPLES, FEATURES = 600, 6
SCALE = 0.5  # of the angles; with 1 and 2 the labels are learnt less well from 400 samples


def digits_quantum(seed: int = 0, memory_mb: float = 4096.0) -> Dataset:
    """Digits by their six first components, 0 .. 1, labelled by geometric difference (arXiv:2011.01938).

    The labels are simple for the kernel of a ZZ feature map on six qubits, and as hard as they can be for an RBF
    kernel of default width: whether a search finds that out is what the set is for. The digits' own classes are gone.

    Args:
        seed: which 600 of the 1797 digits.
        memory_mb: what samples and kernels may use, MB.
    """
    from labwright.tools.feature_maps.classical import rbf, scale_gamma
    from labwright.tools.feature_maps.geometry import engineered_labels
    from labwright.tools.feature_maps.known_maps import ZZMap, zz_kernel

    check_memory("digits-quantum", SAMPLES, SAMPLES, memory_mb)
    samples = _components(SAMPLES, seed)
    quantum = zz_kernel(ZZMap(FEATURES, FEATURES, SCALE), samples, dtype=np.complex128)
    labels = engineered_labels(rbf(samples, samples, gamma=scale_gamma(samples)), quantum)
    return dataset_of("digits-quantum", samples, labels)


def digits_observable(seed: int = 0, memory_mb: float = 4096.0) -> Dataset:
    """Digits by their six first components, 0 .. 1, labelled by a quantum process, as in arXiv:1804.11326.

    The label says whether the expectation of X on the first two qubits, behind a ZZ feature map on six, lies above its
    median. Of 1200 digits the half whose expectation is farthest from the median is kept: a gap, as there.

    Args:
        seed: which digits.
        memory_mb: what samples and states may use, MB.
    """
    from labwright.tools.feature_maps.known_maps import ZZMap

    check_memory("digits-observable", 2 * SAMPLES, 2**FEATURES, memory_mb)
    samples = _components(2 * SAMPLES, seed)
    states = ZZMap(FEATURES, FEATURES, SCALE).states(samples, np.complex128)
    flipped = states.reshape(-1, 4, 2 ** (FEATURES - 2))[:, ::-1].reshape(states.shape)  # X on wires 0 and 1
    apart = (states.conj() * flipped).real.sum(axis=1)
    apart -= np.median(apart)
    kept = np.sort(np.argsort(-np.abs(apart), kind="stable")[:SAMPLES])
    return dataset_of("digits-observable", samples[kept], (apart[kept] > 0).astype(np.int64))


def _components(count: int, seed: int) -> Samples:
    """So many of the 1797 digits by their first components, each 0 .. 1."""
    from sklearn.datasets import load_digits
    from sklearn.decomposition import PCA

    images, _ = load_digits(return_X_y=True)
    rows = np.random.Generator(np.random.Philox(key=seed)).permutation(len(images))[:count]
    found = PCA(FEATURES, svd_solver="full").fit_transform(images[rows])
    return np.asarray((found - found.min(axis=0)) / np.ptp(found, axis=0))


OfficialPart = Literal["train", "test"]

FORMS = (
    "digits, digits-augmented, digits-quantum, digits-observable, iris, wine, breast-cancer, moons, circles,"
    " mnist:FOLDER, fashion-mnist:FOLDER, cifar-10:FOLDER, .npz or .csv file"
)
_EMBEDDED: dict[str, Callable[[int, float], Dataset]] = {
    "digits": digits, "digits-augmented": digits_augmented, "digits-quantum": digits_quantum,
    "digits-observable": digits_observable,
}  # fmt: skip
_SMALL = ("iris", "wine", "breast-cancer", "moons", "circles")
DRAWN = 300  # samples of moons and circles
_FOLDERS = ("mnist", "fashion-mnist", "cifar-10")
_FILES: dict[str, Callable[[Path, float], Dataset]] = {".npz": from_npz, ".csv": from_csv}
# These run code when they are opened, or may hold objects that do.
_UNSAFE = (".pkl", ".pickle", ".npy", ".joblib", ".pt", ".pth")


def load_dataset(
    name: str,
    *,
    seed: int = 0,
    memory_mb: float = 4096.0,
    max_samples: int | None = 10_000,
    part: OfficialPart = "train",
) -> Dataset:
    """The data set of this name.

    Args:
        name: `FORMS` lists what it may be.
        seed: of what is drawn: which images of a large set, or the distortions of ``digits-augmented``.
        memory_mb: what the samples may use, MB; checked before they are read.
        max_samples: how many images of MNIST, Fashion-MNIST or CIFAR-10 to draw, equally many of each class; None: all.
        part: of these three, the official part to draw from.

    Raises:
        InputError: no such data set, or the file is wrong; the message says what and how to fix it.
        MemoryLimitError: it would not fit.
    """
    kind, colon, folder = name.partition(":")
    if colon and kind in _FOLDERS:
        return _from_folder(name, kind, folder, seed, memory_mb, max_samples, part)
    if name in _EMBEDDED:
        return _EMBEDDED[name](seed, memory_mb)
    if name in _SMALL:
        return _small(name, seed)
    ending = Path(name).suffix.lower()
    if ending in _UNSAFE:
        raise InputError(
            f"{name} is a {ending} file. Such a file can run code when it is opened, so it is never opened."
            " Save the arrays with numpy.savez(FILE.npz, X=X, y=y)."
        )
    if ending in _FILES:
        return _FILES[ending](_existing_file(name), memory_mb)
    raise _unknown(name)


def _small(name: str, seed: int) -> Dataset:
    """A table of scikit-learn, or moons and circles with noise, drawn with `seed`."""
    from sklearn import datasets

    makers: dict[str, Callable[[], tuple[Any, Any]]] = {
        "iris": lambda: datasets.load_iris(return_X_y=True),
        "wine": lambda: datasets.load_wine(return_X_y=True),
        "breast-cancer": lambda: datasets.load_breast_cancer(return_X_y=True),
        "moons": lambda: datasets.make_moons(DRAWN, noise=0.25, random_state=seed),
        "circles": lambda: datasets.make_circles(DRAWN, noise=0.15, factor=0.6, random_state=seed),
    }
    return dataset_of(name, *makers[name]())


def _from_folder(
    name: str, kind: str, folder: str, seed: int, memory_mb: float, max_samples: int | None, part: OfficialPart
) -> Dataset:
    path = Path(folder).expanduser()
    if not folder or not path.is_dir():
        raise InputError(f"{name}: there is no folder {folder!r}. Give the folder that holds the files: {kind}:FOLDER.")
    read = cifar10 if kind == "cifar-10" else mnist
    return read(name, path, part=part, max_samples=max_samples, seed=seed, memory_mb=memory_mb)


def _existing_file(name: str) -> Path:
    path = Path(name).expanduser()
    if path.is_dir():
        raise InputError(f"{name} is a folder. Give a file.")
    if not path.exists():
        raise InputError(f"There is no file {name}. Check the path; the present folder is {Path.cwd()}.")
    return path


def _unknown(name: str) -> InputError:
    kind = name.partition(":")[0].lower()
    if kind in _FOLDERS and ":" not in name:
        return InputError(f"The data set {name!r} is not embedded. Say where its files are: {kind}:FOLDER.")
    near = difflib.get_close_matches(kind, [*_EMBEDDED, *_SMALL, *_FOLDERS], 1, 0.6)
    hint = f" Did you mean {near[0]}?" if near else ""
    return InputError(f"There is no data set {name!r}.{hint} It may be {FORMS}.")
