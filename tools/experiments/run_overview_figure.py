"""One picture of a whole run: its measurements side by side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = 3
WIDTH = 15.0  # inches


def overview(pictures: Sequence[tuple[str, Path]]) -> Figure:
    """The figures of `pictures` (title, PNG file) in reading order, three a row, each with its title.

    Raises:
        ValueError: there is no picture.
    """
    from matplotlib.figure import Figure  # here: its first import looks for fonts
    from matplotlib.image import imread

    if not pictures:
        raise ValueError("An overview needs at least one picture.")
    images = [imread(path) for _, path in pictures]
    columns = min(COLUMNS, len(images))
    rows = -(-len(images) // columns)
    # every cell as tall as the tallest picture at the common width, so that no picture is distorted
    aspect = max(image.shape[0] / image.shape[1] for image in images)
    figure = Figure(figsize=(WIDTH * columns / COLUMNS, WIDTH / COLUMNS * (aspect + 0.08) * rows), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False)
    for axis in axes.flat:
        axis.axis("off")
    for axis, image, (title, _) in zip(axes.flat, images, pictures, strict=False):
        axis.imshow(image, interpolation="antialiased")
        axis.set_title(title, fontsize=11)
    return figure


def chosen(runs: Sequence[tuple[str, str, str]], most: int = 6) -> list[int]:
    """Which of `runs` (experiment, qubit, verdict) tell the story: the first that was not accepted, then the last
    accepted one of every experiment, in order; at most `most`.
    """
    kept = {
        (experiment, qubit): place for place, (experiment, qubit, verdict) in enumerate(runs) if verdict == "success"
    }
    rejected = [place for place, (_, _, verdict) in enumerate(runs) if verdict != "success"]
    last = sorted(kept.values())[-(most - 1 if rejected else most) :]
    return sorted({*rejected[:1], *last})
