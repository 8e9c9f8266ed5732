"""What each stage of a run found, by name: accepted or not, with the numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from labwright.agents.lab_calibration.grounding import Measurement
from labwright.agents.lab_calibration.write_report import value_in_words


def by_stage(rows: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Stage -> what it found. A stage is called by its label or its line; a second one of the same name gets `` (2)``.

    Args:
        rows: the stage runs of a result document, in order.

    Returns:
        Each stage's experiment, number of measurements (`runs`), last verdict, cause and diagnosis, what the analysis
        found in words, and `results` (name -> value, error, unit). If its last run was not `accepted`, each result is
        the last there is.
    """
    names: dict[tuple[str, str], str] = {}
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        if "path" not in row:
            continue
        place = (row.get("lane", ""), row["path"])
        name = names.setdefault(place, _name(row, found))
        older, accepted = found.get(name, {}), row["verdict"] == "success"
        found[name] = {
            **{key: row.get(key, "") for key in ("experiment", "verdict", "cause", "diagnosis", "found")},
            "runs": older.get("runs", 0) + bool(row["action"]),
            "accepted": accepted,
            "results": ({} if accepted else older.get("results", {})) | row["estimates"],
        }
    return found


def _name(row: Mapping[str, Any], taken: Mapping[str, Any]) -> str:
    numbered = row["stage"] == f"Stage {row['path'].rpartition('@')[2]}"
    name = " ".join(filter(None, [row.get("lane", ""), row["instruction"] if numbered else row["stage"]]))
    same = sum(each == name or each.startswith(f"{name} (") for each in taken)
    return f"{name} ({same + 1})" if same else name


def not_accepted(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """What was measured and refused, a line a stage: ``t1 Q2: t1 41 +- 9 us; lifetime not precise enough``."""
    return [
        f"{name}: {in_words(each['results'])}; {each['diagnosis']}"
        for name, each in by_stage(rows).items()
        if each["results"] and not each["accepted"]
    ]


def in_words(results: Mapping[str, Mapping[str, Any]]) -> str:
    """``t1 125.0 +- 2.0 us, contrast 0.609 +- 0.007``."""
    return ", ".join(f"{name} {value_in_words(Measurement(name=name, **each))}" for name, each in results.items())


def stages_by_name(rows: Iterable[Mapping[str, Any]]) -> str:
    """The report's table; empty where no stage found anything."""
    lines = ["## Results by stage", "", "| stage | found | |", "|---|---|---|"]
    for name, each in by_stage(rows).items():
        if each["experiment"]:
            verdict = "accepted" if each["accepted"] else f"not accepted: {each['diagnosis']}"
            cells = (name, in_words(each["results"]), "skipped" if each["verdict"] == "skipped" else verdict)
            lines.append(f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |")
    return "\n".join(lines) if len(lines) > 4 else ""
