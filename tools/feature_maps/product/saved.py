"""A fitted pipeline as a folder of plain data and code.

``pipeline.json`` holds preparation, circuit, classes and the hashes of the other files; ``arrays.npz`` the numbers
of the classifier and the rows of the split; ``feature_map.py``, ``feature_map.qasm`` and ``README.md`` are for people
and other programs. Loading reads the first two. It runs no code and opens no pickle, so a folder of a stranger is safe
to load; ``feature_map.py`` is code, to be run by whoever has read it.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError
from sklearn.pipeline import Pipeline

from labwright.tools.atomic_files import write_atomic
from labwright.tools.datasets.feature_preparation import Preparation
from labwright.tools.errors import CorruptRecordError, InputError
from labwright.tools.feature_maps.circuit import MAX_QUBITS, Circuit
from labwright.tools.feature_maps.export import as_pennylane, as_qasm3
from labwright.tools.feature_maps.gates import GATES
from labwright.tools.feature_maps.product.classifier import FidelityKernelClassifier
from labwright.tools.runs.hashed_files import sha256_of, to_json

PIPELINE, ARRAYS, CODE, QASM, README = "pipeline.json", "arrays.npz", "feature_map.py", "feature_map.qasm", "README.md"
FILES = (ARRAYS, CODE, QASM, README)
FOLDER = "pipeline"  # in the folder of a run
PREDICT = "predict_with_qiskit.py"
Target = Literal["pennylane", "qasm", "qiskit", "pipeline"]
TARGETS: dict[Target, tuple[str, ...]] = {
    "pennylane": (CODE,),
    "qasm": (QASM,),
    "qiskit": (PREDICT, QASM, PIPELINE, ARRAYS),
    "pipeline": (PIPELINE, *FILES),
}
FITTED = ("support_", "support_vectors_", "n_support_", "dual_coef_", "intercept_")
MOST_MB = 2048.0  # of the arrays, unless the caller allows more
VERSIONS = ("numpy", "scikit-learn", "pennylane")


class Saved(BaseModel):
    """``pipeline.json``."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    format: Literal["labwright-pipeline"] = "labwright-pipeline"
    version: Literal[1] = 1
    name: str
    versions: dict[str, str]
    preparation: dict[str, Any]
    circuit: dict[str, Any]
    C: float
    precision: Literal["complex64", "complex128"]
    classes: list[str] | list[int] | list[float] | list[bool]
    data: dict[str, Any]
    files: dict[str, str]


@dataclass(frozen=True, slots=True)
class About:
    """What is known of a pipeline beside what it computes.

    Attributes:
        name: of the class of the feature map.
        data: name and hash of the data set, seed of the split, and so on; JSON-plain.
        rows: part of the split, such as ``train`` -> its rows in the data set.
    """

    name: str
    data: dict[str, Any] = field(default_factory=dict)
    rows: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)


def pipeline_of(preparation: Preparation, classifier: FidelityKernelClassifier) -> Pipeline:
    """The two fitted steps as one estimator for raw samples."""
    return Pipeline([("prepare", preparation), ("classify", classifier)])


def save_pipeline(pipeline: Pipeline, folder: Path, about: About) -> dict[str, str]:
    """Write a fitted pipeline of `pipeline_of` into `folder`; file -> sha256.

    Raises:
        InputError: it has other steps, or is not fitted.
    """
    preparation, classifier = _steps(pipeline)
    circuit: Circuit = classifier.circuit_
    arrays = {name: np.asarray(getattr(classifier, name)) for name in FITTED}
    arrays |= {f"rows_{part}": np.asarray(rows, dtype=np.int64) for part, rows in about.rows.items()}
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, **arrays)
    words = f"{about.name}: the feature map of a saved pipeline. Features are prepared ones."
    contents = {
        ARRAYS: stream.getvalue(),
        CODE: as_pennylane(circuit, about.name, docstring=words).encode(),
        QASM: as_qasm3(circuit).encode(),
        README: _readme(about, circuit).encode(),
    }
    saved = Saved(
        name=about.name,
        versions={name: metadata.version(name) for name in ("labwright", *VERSIONS)},
        preparation=preparation.to_dict(),
        circuit=circuit.to_json(),
        C=classifier.C,
        precision=classifier.precision,
        classes=classifier.classes_.tolist(),
        data=about.data,
        files={name: sha256_of(content) for name, content in contents.items()},
    )
    for name, content in contents.items():
        write_atomic(folder / name, content)
    write_atomic(folder / PIPELINE, to_json(saved.model_dump(mode="json")))
    return {**saved.files, PIPELINE: sha256_of((folder / PIPELINE).read_bytes())}


def load_pipeline(folder: Path | str, *, memory_mb: float = MOST_MB) -> Pipeline:
    """The fitted pipeline that `save_pipeline` wrote: `predict` and `decision_function` for raw samples.

    Every file is checked against its hash. No code of the folder is run.

    Args:
        folder: of the pipeline.
        memory_mb: what its arrays may take, MB.

    Raises:
        CorruptRecordError: a file is missing, was changed, or is not what `save_pipeline` writes.
    """
    place = Path(folder).expanduser()
    saved, contents = read_saved(place)
    arrays = _arrays(contents[ARRAYS], memory_mb)
    try:
        preparation = Preparation.from_dict(saved.preparation)
        circuit = _checked(Circuit.from_json(saved.circuit))
        classifier = _classifier(saved, circuit, arrays)
    except (InputError, KeyError, ValueError) as wrong:
        raise CorruptRecordError(f"{place / PIPELINE} is no saved pipeline: {wrong}") from wrong
    if len(preparation.low_) != circuit.n_features:
        raise CorruptRecordError(
            f"{place / PIPELINE}: the preparation gives {len(preparation.low_)} features, the feature map takes"
            f" {circuit.n_features}. Save the pipeline again."
        )
    return pipeline_of(preparation, classifier)


def read_saved(folder: Path) -> tuple[Saved, dict[str, bytes]]:
    """``pipeline.json`` and the contents of the other files, whose hashes it holds.

    Raises:
        CorruptRecordError: a file is missing, was changed, or cannot be read.
    """
    try:
        saved = Saved.model_validate_json((folder / PIPELINE).read_bytes())
        contents = {name: (folder / name).read_bytes() for name in FILES}
    except OSError as missing:
        raise CorruptRecordError(f"{folder} is no saved pipeline: {missing.strerror}: {missing.filename}") from missing
    except ValidationError as wrong:
        first = wrong.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the document"
        raise CorruptRecordError(f"{folder / PIPELINE} is no saved pipeline: {place}: {first['msg']}") from wrong
    changed = [name for name in FILES if sha256_of(contents[name]) != saved.files.get(name)]
    if changed:
        raise CorruptRecordError(f"{folder / changed[0]} was changed after it was saved. Save the pipeline again.")
    return saved, contents


def place_of(source: Path) -> Path | None:
    """The folder of a pipeline: `source` itself, or ``pipeline`` in the folder of a run; None if there is none."""
    return next((place for place in (source, source / FOLDER) if (place / PIPELINE).is_file()), None)


def export_pipeline(folder: Path, to: Target, place: Path) -> list[Path]:
    """Write a saved pipeline for other programs into the folder `place`; the files that were written.

    Args:
        folder: of the pipeline, whose hashes are checked.
        to: ``pennylane``: the class, template and kernel; ``qasm``: OpenQASM 3; ``qiskit``: that, the numbers, and a
            program that predicts with the kernels of qiskit-machine-learning; ``pipeline``: all of it, to be loaded.
        place: made if it is missing.

    Raises:
        InputError: a file of that name is there already.
        CorruptRecordError: see `read_saved`.
    """
    _, contents = read_saved(folder)
    contents |= {PIPELINE: (folder / PIPELINE).read_bytes(), PREDICT: Path(__file__).with_name(PREDICT).read_bytes()}
    paths = [place / name for name in TARGETS[to]]
    if there := [path for path in paths if path.exists()]:
        raise InputError(f"File {there[0]} is there already. Remove it, or choose another folder with `--out`.")
    for path in paths:
        write_atomic(path, contents[path.name])
    return paths


def _steps(pipeline: Pipeline) -> tuple[Preparation, FidelityKernelClassifier]:
    steps = [step for _, step in pipeline.steps]
    if len(steps) != 2 or not isinstance(steps[0], Preparation) or not isinstance(steps[1], FidelityKernelClassifier):
        raise InputError("Only a pipeline of a Preparation and a FidelityKernelClassifier can be saved.")
    if not hasattr(steps[1], "circuit_"):
        raise InputError("The pipeline is not fitted. Call `fit` first.")
    return steps[0], steps[1]


def _arrays(content: bytes, memory_mb: float) -> dict[str, NDArray[Any]]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            needed = sum(member.file_size for member in archive.infolist()) / 1e6
            if needed > memory_mb:
                raise CorruptRecordError(f"The arrays need {needed:.0f} MB; {memory_mb:.0f} MB are allowed.")
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (ValueError, OSError, zipfile.BadZipFile) as wrong:
        raise CorruptRecordError(f"{ARRAYS} does not hold plain arrays: {wrong}") from wrong


def _checked(circuit: Circuit) -> Circuit:
    """A circuit from a file, with gates that exist on wires that exist."""
    if not 1 <= circuit.n_qubits <= MAX_QUBITS or circuit.n_features < 1:
        raise InputError(f"{circuit.n_qubits} qubits and {circuit.n_features} features cannot be.")
    for gate in circuit.gates:
        spec = GATES.get(gate.name)
        if spec is None or len(gate.angles) != spec.parameters or len(gate.wires) != (spec.wires or len(gate.wires)):
            raise InputError(f"{gate.name} on wires {gate.wires} is no gate of a feature map.")
        features = [feature for angle in gate.angles for feature, _ in angle.weights]
        inside = all(0 <= wire < circuit.n_qubits for wire in gate.wires) and len(set(gate.wires)) == len(gate.wires)
        if not inside or not all(0 <= feature < circuit.n_features for feature in features):
            raise InputError(f"{gate.name} on wires {gate.wires} uses a wire or a feature that there is not.")
    return circuit


def _classifier(saved: Saved, circuit: Circuit, arrays: dict[str, NDArray[Any]]) -> FidelityKernelClassifier:
    found = FidelityKernelClassifier(circuit, saved.C, saved.precision)
    found.circuit_, found.classes_, found.n_features_in_ = circuit, np.array(saved.classes), circuit.n_features
    for name in FITTED:
        setattr(found, name, arrays[name])
    n, k = len(found.support_), len(saved.classes)
    wanted = {
        "support_": (n,), "support_vectors_": (n, circuit.n_features), "n_support_": (k,),
        "dual_coef_": (k - 1, n), "intercept_": (k * (k - 1) // 2,),
    }  # fmt: skip
    for name, shape in wanted.items():
        values = arrays[name]
        if values.shape != shape or values.dtype.kind not in "if" or not np.isfinite(values).all():
            raise InputError(f"Array {name} must be finite numbers of shape {shape}, but has {values.shape}.")
    if found.n_support_.sum() != n:
        raise InputError("The support vectors do not add up.")
    return found


def _readme(about: About, circuit: Circuit) -> str:
    data = json.dumps(about.data, ensure_ascii=False)
    return f"""# {about.name}

A quantum kernel classifier on {circuit.n_qubits} qubits, saved as plain data and code by Labwright.

```python
import labwright
pipeline = labwright.load_pipeline("this/folder")     # a fitted scikit-learn Pipeline
pipeline.predict(X)                                   # X: raw samples, as in the data set
```

`labwright predict this/folder samples.csv` does the same for a table, and
`labwright export this/folder --to qiskit --out elsewhere` writes it for Qiskit.

| file | what it is |
|---|---|
| `pipeline.json` | preparation, circuit, classes, hashes of the other files |
| `arrays.npz` | support vectors, coefficients, rows of the split; no pickled objects |
| `feature_map.py` | the same circuit as a PennyLane class; needs numpy and PennyLane only |
| `feature_map.qasm` | the same in OpenQASM 3, the prepared features as inputs |

Loading checks the hashes and runs no code. `feature_map.py` is code: read it before you run it.

Made from: `{data}`
"""
