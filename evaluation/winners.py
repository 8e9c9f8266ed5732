"""The map that a finished search found, or code of one's own: what the later analyses of a search begin with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from labwright.evaluation.case import Case
from labwright.evaluation.feature_maps import searched
from labwright.evaluation.runner import Context, OnProgress, Options
from labwright.tools.errors import InputError
from labwright.tools.runs.files import read_json
from labwright.tools.runs.run import Run, load_run

SYSTEM = "feature_map_search"
TRIALS = 10  # of the short search that is made where no winner was named, two maps each
QUBITS = 10  # of code that does not come from a run


@dataclass(frozen=True, slots=True)
class Winner:
    """Feature-map code and where it comes from; JSON-plain.

    Attributes:
        name: of the map.
        source: code; its hyperparameters have their defaults.
        n_qubits: wires.
        n_features: that it was found with; None for code without a run.
        dataset: that it was found on; empty for code without a run.
        seed: of the split it was found on.
    """

    name: str
    source: str
    n_qubits: int
    n_features: int | None
    dataset: str
    seed: int

    def plain(self) -> dict[str, Any]:
        """As JSON holds it."""
        return asdict(self)


def winner_of(place: Path, n_qubits: int = QUBITS) -> Winner:
    """The winner of a run folder (or of a folder that holds one run), or the code of a ``.py`` file.

    Args:
        place: folder or file.
        n_qubits: of code from a file.

    Raises:
        InputError: there is neither, or no single finished search with a map.
    """
    if place.is_file() and place.suffix == ".py":
        return Winner(place.stem, place.read_text(encoding="utf-8"), n_qubits, None, "", 0)
    found = list(finished_runs(place))
    if len(found) != 1:
        raise InputError(
            f"{place} holds {len(found)} finished searches, but one winner is wanted. Name the folder of one run,"
            " or a .py file with the code of a feature map."
        )
    run, result = found[0]
    if "feature_map" not in result:
        raise InputError(f"The search in {run.folder} found no map that keeps the rules. Name another run.")
    best = result["feature_map"]
    code = (run.folder / best["source"]).read_text(encoding="utf-8")
    sizes = best["circuit"]
    return Winner(best["name"], code, sizes["n_qubits"], sizes["n_features"], result["dataset"], run.record.seed)


def finished_runs(folder: Path) -> Iterator[tuple[Run, dict[str, Any]]]:
    """Every finished search at or below `folder`, by path, with the `result` part of its document.

    Raises:
        InputError: there is no such folder.
    """
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder}. Name the folder of a run, or one that holds runs.")
    for path in sorted(folder.rglob("result.json")):
        document = read_json(path, "Restore the file, or leave the run out.")
        if document.get("system") == SYSTEM and document.get("status") == "complete":
            yield load_run(path.parent), document["result"]


def prepare(options: Options, folder: Path, tell: OnProgress) -> Options:
    """Fills in ``winner``: of ``source``; without one, of a short search on digits that is kept in `folder`.

    Raises:
        InputError: ``source`` holds no winner, or the short search found none.
    """
    if options["winner"] is not None:
        return options
    if options["source"] is not None:
        return {**options, "winner": winner_of(Path(options["source"])).plain()}
    mind, seed = options["mind"], options["first"]
    place = folder / f"winner_{mind.replace(':', '_').replace('/', '_')}_{seed}"
    if not place.is_dir() or not list(finished_runs(place)):
        tell(f"searching digits for a winner, seed {seed}")
        choices: dict[str, Any] = {"dataset": "digits", "strategy": "graded", "trials": TRIALS, "baselines": []}
        row = searched(Case("winner", seed, choices), Context({"mind": mind}, place))
        if not row["passed"]:
            raise InputError(f"The short search for a winner failed: {row['faults']}. Name a run with `--source`.")
    return {**options, "winner": winner_of(place).plain()}
