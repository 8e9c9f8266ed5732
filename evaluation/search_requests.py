"""Suite `search_wishes`: searches in words, through the graph to the specification that a person is shown.

`--data DIR` holds ``wishes.yaml`` files, also in folders below: a list of ``say`` (the words, all that the system gets)
and ``means`` (what a careful colleague would do, for the judge). Where the specification holds maps of the person,
these are built and evaluated once; trials, budget and methods to compare with are cut for that, and data that are not
there are replaced by the digits. With a model the same words are also given without one: they have to come back, with
nothing done.

A judge reads ``search_wishes/sheet.md`` in the folder of `--out` and writes ``judged.yaml`` beside it (name of the case
-> ``right``, ``asked`` or ``wrong``, and why). The same command then counts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labwright.evaluation.runner import Context, Options, Row, Suite, spent
from labwright.graphs.feature_map_search.choices import Choices
from labwright.graphs.feature_map_search.run_context import chosen_by
from labwright.graphs.feature_map_search.running import SearchRequest, start
from labwright.graphs.questions import Answer, Question
from labwright.graphs.understand.reading_questions import HOW
from labwright.tools.atomic_files import write_atomic
from labwright.tools.errors import InputError
from labwright.tools.feature_maps.circuit import Circuit
from labwright.tools.plain_yaml import read_yaml
from labwright.tools.specifications.yaml_files import read_document, to_yaml

FILE, SHEET, JUDGED = "wishes.yaml", "sheet.md", "judged.yaml"
VERDICTS = ("right", "asked", "wrong")
QUESTION = """Does what is specified and built do what was meant? Write `NAME: {verdict: right, why: ...}`.
`right`: yes. `asked`: what is missing or other is asked about, or shown as left out or assumed before anything runs.
`wrong`: neither."""
MOST_GATES = 150  # of a map, on the judge's sheet
# not wanted of a map that is only to be looked at
UNBUILT = ("test", "papers", "processor", "evaluations", "baselines")


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody said, and what they meant by it."""

    name: str
    seed: int
    say: str
    means: str


def cases_of(options: Options) -> list[Wish]:
    """Every wish of the folder.

    Raises:
        InputError: no folder is named, or it holds no wishes.
    """
    if not options["data"]:
        raise InputError(f"Name the folder of the wishes: --data DIR, with {FILE} files of `say` and `means`.")
    folder, found = Path(options["data"]), list[Wish]()
    for path in sorted(folder.rglob(FILE)):
        own = path.parent.name if path.parent != folder else folder.name
        listed = read_yaml(path.read_text(encoding="utf-8"))
        for n, each in enumerate(listed if isinstance(listed, list) else listed["wishes"], 1):
            found.append(Wish(f"{own}-{n}", options["seed"], str(each["say"]).strip(), _plain(each["means"])))
    if not found:
        raise InputError(f"{folder} holds no {FILE}.")
    return [wish for wish in found if not options["tasks"] or wish.name in options["tasks"]]


def _plain(means: Any) -> str:
    return means.strip() if isinstance(means, str) else to_yaml(means).strip()


def with_model(wish: Wish, context: Context) -> Row:
    """The specification that is shown, and the maps that it describes, built."""
    asked, shown = list[str](), dict[str, str]()

    def answer(question: Question) -> Answer | None:
        if question.id.startswith("plan") and "run" in [option.value for option in question.options]:
            if shown:
                return None
            shown["body"] = question.body_markdown.partition(f"\n\n{HOW}:")[0]  # as judged: what words became
            shown["spec"] = (question.form_schema or {})["properties"]["yaml"]["default"]
            small = _small(read_document(shown["spec"]).data)
            return Answer(id=question.id, decision="edit", value={"yaml": to_yaml(small)}) if small else None
        if question.id.startswith("idea"):
            return Answer(id=question.id, decision="run")
        asked.append(f"{question.title} {question.body_markdown}".strip())
        return None

    chosen = {"mind": context.options["mind"], "approval": "always", "figures": False, "seed": wish.seed}
    outcome = start(SearchRequest(choices=Choices(words=wish.say, **chosen)), context.folder, on_question=answer)
    found: Row = {"given": "specification" if shown else "asked" if asked else outcome.status}
    found |= {"asked": asked, "reason": "" if shown else outcome.reason, **shown, "maps": _maps(outcome.run_dir)}
    return {"say": wish.say, "means": wish.means, "passed": False, **found, **spent(outcome.document.get("usage", {}))}


def _small(data: dict[str, Any]) -> dict[str, Any]:
    """The search cut to the maps of the person; empty if it has none."""
    own = data.get("persons_ideas")
    if not own:
        return {}
    small = {name: value for name, value in data.items() if name not in UNBUILT}
    small |= {"trials": 1, "ideas": len(own), "evaluations": len(own), "baselines": [], "tune": False}
    small["preparation"] = "min-max" if data.get("preparation", "auto") == "auto" else data["preparation"]
    try:
        from labwright.graphs.feature_map_search.run_context import check_data

        check_data(chosen_by(small, Choices()))
    except InputError:
        small["dataset"] = "digits"
    return small


def _maps(folder: Path) -> list[dict[str, Any]]:
    """The maps that were built, gate by gate; of those that were not, why."""
    found = []
    for path in sorted(folder.glob("data/candidates/*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        tried = record["tried"]
        map_ = {name: tried.get(name, "") for name in ("name", "outcome", "reason")}
        if tried["outcome"] == "evaluated":
            map_["explanation"] = record["idea"]["explanation"]
            map_["gates"] = gates_of(Circuit.from_json(record["circuit"]))
        found.append(map_)
    return found


def gates_of(circuit: Circuit) -> list[str]:
    """One line a gate: ``RX(3 x0 - 1.5) 0``."""
    lines = []
    for gate in circuit.gates[:MOST_GATES]:
        terms = ([*(f"{weight:.4g} x{n}" for n, weight in a.weights), f"{a.offset:.4g}"] for a in gate.angles)
        angles = [" + ".join(each).removesuffix(" + 0") for each in terms]
        lines.append(f"{gate.name}({', '.join(angles)}) {' '.join(map(str, gate.wires))}".replace("()", ""))
    more = len(circuit.gates) - MOST_GATES
    return [*lines, f"... and {more} more"] if more > 0 else lines


def without_model(wish: Wish, context: Context) -> Row:
    """The words have to come back unread, with an example to fill in; nothing is built, and no data are opened."""
    outcome = start(SearchRequest(choices=Choices(words=wish.say, figures=False)), context.folder)
    body = outcome.questions[0]["body_markdown"] if outcome.questions else ""
    done = [one.name for one in (outcome.run_dir / "data").glob("**/*") if one.is_file()]
    whole = outcome.status == "stopped" and "Nothing was done" in body and "persons_ideas" in body
    faults = f"built {', '.join(done)}" if done else "" if whole else f"{outcome.status}: {outcome.reason}"
    return {"say": wish.say, "passed": not faults, "faults": faults, "given": "handed back"}


def run_wish(wish: Wish, context: Context) -> Row:
    """With the model that was chosen, or without one."""
    return (without_model if context.options["mind"] == "rules" else with_model)(wish, context)


def summarise(rows: list[Row], context: Context) -> dict[str, Any]:
    """What the judge found; the sheet for the judge, where nobody has judged yet."""
    if context.options["mind"] == "rules":
        return {}
    path = context.folder / JUDGED
    judged: Mapping[str, Any] = read_yaml(path.read_text(encoding="utf-8")) if path.exists() else {}
    if context.kept:
        context.folder.mkdir(parents=True, exist_ok=True)
        write_atomic(context.folder / SHEET, sheet(rows).encode())
    graded = [_graded(row, judged.get(row["case"])) for row in rows]
    counts = {name: sum(row["verdict"] == name for row in graded) for name in (*VERDICTS, "not judged")}
    return {"rows": graded, "notes": [", ".join(f"{name} {count}" for name, count in counts.items())]}


def _graded(row: Row, judged: Any) -> Row:
    """The row with the judge's verdict.

    Raises:
        InputError: the verdict is none of `VERDICTS`.
    """
    if judged is None:
        return {**row, "verdict": "not judged", "faults": f"not judged; see {SHEET}"}
    verdict, why = (judged["verdict"], judged.get("why", "")) if isinstance(judged, dict) else (str(judged), "")
    if verdict not in VERDICTS:
        raise InputError(f"{JUDGED}: {row['case']} has verdict {verdict!r}. Write one of: {', '.join(VERDICTS)}.")
    passed = verdict != "wrong"
    judgement = {"verdict": verdict, "outcome": verdict, "passed": passed, "faults": "" if passed else why, "why": why}
    return {**row, **judgement}


def sheet(rows: Sequence[Row]) -> str:
    """For each wish what was said and meant, what was asked, the specification, and the maps, for a judge."""
    parts = [f"# Wishes\n\n{QUESTION}"]
    for row in rows:
        parts.append(f"## {row['case']}\n\n**Said:** {row['say']}\n\n**Means:** {row['means']}")
        parts += [f"**Asked:** {one}" for one in row["asked"]]
        parts += [f"**Shown:**\n\n{row['body']}"] if "body" in row else [f"**Ended:** {row['given']} {row['reason']}"]
        for map_ in row["maps"]:
            text = f"{map_['explanation']}\n\n```\n" + "\n".join(map_["gates"]) + "\n```" if "gates" in map_ else ""
            parts.append(f"**Map {map_['name']}** ({map_['outcome']}) {map_['reason']}\n\n{text}")
    return "\n\n".join(parts) + "\n"


SUITE = Suite(
    name="search_wishes",
    doc="Searches in words, to the specification and the maps in them, for a judge; --data DIR holds them",
    cases=cases_of,
    run=run_wish,
    options={"data": None, "mind": "rules", "seed": 0, "tasks": ()},
    summarise=summarise,
    beside=lambda options: {} if options["mind"] == "rules" else {"without_model": without_model},
    columns=("case", "given", "verdict", "faults"),
    chooses=("data", "tasks"),
)
