"""The pipeline of the winner: fitted, scored on the test part, and saved in the run's folder."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from labwright.graphs.feature_map_search.run_context import Workbench
from labwright.graphs.feature_map_search.trial_records import circuit_of

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline


def pipeline_of(bench: Workbench, record: dict[str, Any]) -> Pipeline:
    """The winner's pipeline, fitted to the training part."""
    from labwright.tools.feature_maps.product.pipeline_fitting import fitted_pipeline

    return fitted_pipeline(circuit_of(record), bench.split, C=record["penalty"], memory_mb=bench.choices.memory_mb)


def tested(bench: Workbench, record: dict[str, Any]) -> dict[str, Any]:
    """Scores on the opened test part, and what was predicted for each of its rows."""
    from labwright.tools.feature_maps.product.pipeline_fitting import predicted

    part = bench.test_part
    found, codes = predicted(pipeline_of(bench, record), bench.split, part)
    plain = {"rows": part.rows.tolist(), "true": part.y.tolist(), "predictions": codes.tolist()}
    return {"scores": asdict(found), **plain}


def save(bench: Workbench, record: dict[str, Any]) -> str:
    """Write the pipeline into the run's folder; gives the path of its folder there."""
    from labwright.tools.feature_maps.product.saved import FOLDER, About, save_pipeline

    split, facts = bench.split, bench.split.facts
    kept = ("data_set", "data_set_sha256", "seed", "n_train", "n_validation", "n_test", "preprocessing", "test_from")
    data = {name: facts[name] for name in kept if name in facts} | {"run": bench.run.run_id}
    rows = {"train": split.train.rows, "validation": split.validation.rows, "test": split.sealed.rows}
    about = About(record["class_name"], data, rows)
    save_pipeline(pipeline_of(bench, record), bench.run.folder / FOLDER, about)
    bench.run.chain.keep(*sorted(path for path in (bench.run.folder / FOLDER).rglob("*") if path.is_file()))
    return FOLDER
