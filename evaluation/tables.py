"""The committed results as a Markdown table; documents hold its text, and a test holds them to it."""

from __future__ import annotations

from pathlib import Path
from statistics import mean, stdev
from typing import Any

from labwright.evaluation import search_splits
from labwright.evaluation.arena.suite import TITLES as ENTRANTS
from labwright.evaluation.committed_results import FOLDER
from labwright.evaluation.digits_search import METHODS
from labwright.tools.feature_maps.compared_methods import TITLES
from labwright.tools.feature_maps.paired_tests import holm, over_splits, verdict
from labwright.tools.runs.hashed_files import read_json
from labwright.tools.upkeep.causes import table as known_causes

SHORT = {
    "rbf_tuned": "RBF, min-max",
    "rbf_weighted": "the same, weights by rank",
    "pca_rbf": "RBF, unscaled components",
    "standard_rbf": "RBF, standardised",
    "standard_linear": "linear, standardised",
    "gradient_boosting": "gradient boosting",
}


def arena_table(folder: Path = FOLDER) -> str:
    """Every entrant of the arena on all of its devices: outcomes with their intervals, honesty, and what it took."""
    lines = [
        "| entrant | right | silently wrong | gave up | drawn, spoilt, doubly: right"
        " | true error / limit where calibrated | claims within 1, 2 of their errors"
        " | device s | acquisitions | requests, tokens |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name in (name for name in ("arena", "arena_models") if (folder / f"{name}.json").exists()):
        listed = _read(folder, name)["table"]
        for row in (row for row in listed if row["devices"] == "all"):
            groups = [one["right"].split(" (")[0] for one in listed if one["entrant"] == row["entrant"]][:3]
            claims = f"{row['within_1_sigma']}, {row['within_2_sigma'].split(' (')[0]}"
            asked = f"{row['requests']}, {row['tokens']}" if row["requests"] else ""
            cells = [ENTRANTS[row["entrant"]], row["right"], row["silently_wrong"], row["gave_up"]]
            cells += [", ".join(groups), row["ratio"], claims, row["device_seconds"], row["acquisitions"], asked]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def diagnosis_table(folder: Path = FOLDER) -> str:
    """How often both causes of doubly spoilt devices were named, by the order of looks and by what was remembered."""
    lines = [
        "| looks | both causes named, no other | one of them named | acquisitions | device s |",
        "|---|---:|---:|---:|---:|",
    ]
    for row in _read(folder, "diagnosis")["table"]:
        cells = (row[name] for name in ("order", "both_named", "one_named", "acquisitions", "device_seconds"))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def causes_table() -> str:
    """The known causes: what tells each, from which bound on, and why."""
    causes, looks = known_causes()
    lines = ["| cause | look | device s | quantity | bound | because |", "|---|---|---:|---|---:|---|"]
    for name, each in causes.items():
        bound = f"> {each.above:g}" if each.above is not None else f"< {each.below:g}"
        cells = (name, each.look, f"{looks[each.look].seconds:g}", each.quantity, f"{bound} {each.unit}".rstrip())
        lines.append(f"| {' | '.join(cells)} | {each.because} |")
    return "\n".join(lines)


def overview_table(folder: Path = FOLDER) -> str:
    """One line a system, for the README: what was measured, ours, and what stands beside it."""
    arena = _read(folder, "arena")["table"]
    trouble = _read(folder, "adversarial")["rows"]
    count = {name: sum(row[name] for row in trouble) for name in ("silently_wrong", "n")}
    summary, published = _read(folder, "search_splits")["summary"], _read(folder, "forge_dynamics")["rows"]
    tasks = {row["task"]: True for row in published} | {row["task"]: False for row in published if not row["passed"]}
    won = sum(all(_said(entry)[one] == "better" for one in ("rbf_tuned", "standard_rbf")) for entry in summary.values())
    wrong = "{silently_wrong} of {n}".format(**count)
    rows = [
        (
            "random qubits within 15 % of their limit, no claim far off",
            *_in_arena(arena, "drawn"),
        ),
        ("the same with a fault, or rightly refused; with two faults", *_with_faults(arena)),
        ("drawn mishaps and odd arguments: COMPLETE and wrong", wrong, "", ""),
        (
            "published wet-lab experiments, written as YAML: right robot file",
            _passed(_read(folder, "protocol_experiments")),
            "",
            "",
        ),
        (
            "published dynamics tasks (Forjador's), from specifications: all criteria",
            f"{sum(tasks.values())} of {len(tasks)}",
            "",
            "",
        ),
        ("data sets on which a found map beats tuned RBF kernels (paired tests)", f"{won} of {len(summary)}", "", ""),
    ]
    lines = [
        "| measured on simulators, without a language model | Labwright | fixed script | expert script |",
        "|---|---:|---:|---:|",
    ]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def _with_faults(table: list[dict[str, Any]]) -> list[str]:
    one, two = (_in_arena(table, devices) for devices in ("spoilt", "doubly_spoilt"))
    return [f"{single}; {double}" for single, double in zip(one, two, strict=True)]


def _in_arena(table: list[dict[str, Any]], devices: str) -> tuple[str, str, str]:
    """How many were right: Labwright by rules, fixed script, expert script."""
    found = {row["entrant"]: row["right"].split(" (")[0] for row in table if row["devices"] == devices}
    return found["labwright"], found["fixed_script"], found["expert_script"]


def search_table(folder: Path = FOLDER) -> str:
    """Searches on the digits beside the methods that they are compared with, with paired tests over splits."""
    rows = _read(folder, "search")["rows"]
    lines = ["| map found | against | accuracy | found minus this | p | |", "|---:|---|---:|---:|---:|---|"]
    own = [row["test"] for row in rows]
    others = {name: [row[name] for row in rows] for name in METHODS}
    return "\n".join([*lines, *_compared_rows(own, others, (rows[0]["n_train"], rows[0]["n_test"]))])


def splits_table(folder: Path = FOLDER) -> str:
    """Mean accuracies of every data set, and which methods the map is better or worse than."""
    summary = _read(folder, "search_splits")["summary"]
    heads = ["data set", "map found", *(SHORT[name] for name in SHORT), "map better than", "worse than"]
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "---:|" * (1 + len(SHORT)) + "---|---|"]
    for name, entry in summary.items():
        values = [f"{entry[one]:.3f}" for one in ("test", *SHORT)]
        said = _said(entry)
        named = [
            ", ".join(TITLES[one] for one in said if said[one] == which) or "none" for which in ("better", "worse")
        ]
        lines.append("| " + " | ".join([name, *values, *named]) + " |")
    return "\n".join(lines)


def _said(entry: dict[str, float]) -> dict[str, str]:
    """Method -> whether the map is better, worse or neither on one data set, among all comparisons of it."""
    p = {one: entry[f"minus {one} p"] for one in search_splits.METHODS}
    adjusted = holm(p)
    return {one: verdict(entry[f"minus {one}"], p[one], adjusted[one]) for one in p}


def _compared_rows(own: list[float], others: dict[str, list[float]], sizes: tuple[int, int]) -> list[str]:
    tests = {name: over_splits(own, values, *sizes) for name, values in others.items()}
    adjusted = holm({name: one.p for name, one in tests.items()})
    words = {"better": "better", "worse": "worse", "open": "no difference shown"}
    lines = []
    for name, one in tests.items():
        said = words[verdict(one.mean, one.p, adjusted[name])]
        points = f"{round(one.mean, 2) + 0.0:+.2f} +- {one.error:.2f} pp"
        cells = [_spread(own), TITLES[name], _spread(others[name]), points, f"{one.p:.2g}", said]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def _spread(values: list[float]) -> str:
    return f"{mean(values):.4f} +- {stdev(values):.4f}"


def made(name: str, folder: Path = FOLDER) -> str:
    """When and with which code a result of searches was made."""
    result = _read(folder, name)
    seeds = result["seeds"]
    return f"Seeds {seeds[0]}-{seeds[-1]}, commit {result['commit']}, {result['date']}, {result['cores']} cores."


def origin(name: str = "arena", folder: Path = FOLDER) -> str:
    """When and with which code a result of the arena was made, and the digest that its secret was sealed with."""
    result = _read(folder, name)
    return f"Commit {result['commit'].rstrip('+')}, {result['date']}, sealed as {result['sealed'][:16]}."


def _read(folder: Path, name: str) -> dict[str, Any]:
    return read_json(folder / f"{name}.json", f"Make it anew: labwright eval {name} --out DIR.")


def _passed(result: dict[str, Any]) -> str:
    return f"{round(result['score'] * result['n'])} of {result['n']}"
