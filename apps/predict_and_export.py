"""``labwright predict`` and ``labwright export``: a feature map that was found, used on new samples and elsewhere."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from labwright.apps.calibrate import Json
from labwright.apps.exits import endings
from labwright.apps.output_writing import write_document
from labwright.apps.terminal_output import err, escape, out
from labwright.tools.errors import InputError
from labwright.tools.runs import open_run, runs_root, write_atomic

if TYPE_CHECKING:
    from numpy.typing import NDArray

Source = Annotated[
    str, typer.Argument(metavar="PIPELINE", help="Folder of a saved pipeline, or a run: its id, or latest.")
]
TARGETS = ("pennylane", "qasm", "qiskit", "pipeline")


def predict(
    source: Source,
    data: Annotated[
        Path, typer.Argument(metavar="DATA", help="A .csv with a header or a .npz, with or without labels.")
    ],
    out_file: Annotated[Path | None, typer.Option("--out", help="Write the table here; else it is printed.")] = None,
    json_file: Json = None,
) -> None:
    """Predict the class of new samples with a saved pipeline; no code of the pipeline's folder is run."""
    with endings():
        from labwright.tools.datasets.table_datasets import unlabelled
        from labwright.tools.feature_maps.product.saved import load_pipeline

        folder = located(source)
        pipeline = load_pipeline(folder)
        if not data.is_file():
            raise InputError(f"There is no file {str(data)!r}. Check the path.")
        samples, labels = unlabelled(data, pipeline.n_features_in_)
        predicted = pipeline.predict(samples)
        table = table_of(predicted, pipeline.decision_function(samples), list(pipeline.classes_))
        if out_file is None:
            out().print(table, end="", markup=False, soft_wrap=True, highlight=False)
        else:
            write_atomic(out_file.expanduser().absolute(), table.encode())
        found: dict[str, Any] = {"pipeline": str(folder), "n": len(samples), "predicted": predicted.tolist()}
        if labels:
            right = [str(one) == label for one, label in zip(predicted.tolist(), labels, strict=True)]
            found["accuracy"] = sum(right) / len(right)
            err().print(f"{sum(right)} of {len(right)} as labelled: accuracy {found['accuracy']:.4f}")
        write_document(json_file, {"run_id": "", "system": "predict", "status": "complete", "result": found})


def export(
    source: Source,
    to: Annotated[str, typer.Option(help=f"{', '.join(TARGETS)}.")],
    place: Annotated[Path, typer.Option("--out", help="Folder to write into; made if it is missing.")],
) -> None:
    """Write a saved pipeline for PennyLane, for Qiskit, as OpenQASM 3, or whole for somebody else."""
    with endings():
        if to not in TARGETS:
            raise InputError(f"Option `--to` must be one of {', '.join(TARGETS)}, but is {to!r}.")
        from labwright.tools.feature_maps.product.saved import export_pipeline

        for path in export_pipeline(located(source), to, place.expanduser()):  # type: ignore[arg-type]  # checked above
            out().print(escape(str(path)), soft_wrap=True)


def located(source: str) -> Path:
    """The folder of the pipeline that a path or the name of a run means.

    Raises:
        InputError: there is none.
    """
    from labwright.tools.feature_maps.product.saved import place_of

    path = Path(source).expanduser()
    folder = path if path.is_dir() else open_run(runs_root(), source).folder
    found = place_of(folder)
    if found is None:
        raise InputError(f"{folder} holds no saved pipeline. A search that ended with a feature map leaves one.")
    return found


def table_of(predicted: NDArray[Any], decisions: NDArray[Any], classes: list[Any]) -> str:
    """A CSV table: row, predicted class, and the decision function, one column or one a class."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    columns = ["decision"] if decisions.ndim == 1 else [f"decision {name}" for name in classes]
    writer.writerow(["row", "predicted", *columns])
    for row, (name, decision) in enumerate(zip(predicted.tolist(), decisions.reshape(len(predicted), -1), strict=True)):
        writer.writerow([row, name, *(f"{value:.6g}" for value in decision)])
    return stream.getvalue()
