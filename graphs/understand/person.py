"""What a person is asked about a reading, and what each answer changes. Pure functions."""

from __future__ import annotations

from typing import Any

from labwright.graphs.questions import Answer, Option, Question
from labwright.graphs.understand.state import Bound, UnderstandState
from labwright.tools.errors import InputError
from labwright.tools.specifications.base import SpecificationError
from labwright.tools.specifications.patches import patched, path_of, put, read_patches
from labwright.tools.specifications.reading import is_document, read_document, to_yaml

RUN, EDIT, CANCEL = "run", "edit", "cancel"
Update = dict[str, Any]
GENERATED = ("defaults", "procedures")  # fields that only Labwright writes; nobody has to read them
NO_MODEL = "To have free words read, choose a model: `--model openai:NAME` (see `labwright doctor`)."


def question_of(here: Bound, state: UnderstandState) -> Question:
    """The question that is open."""
    question = _open(here, state)
    body = "\n\n".join(filter(None, (state.get("wrong", ""), question.body_markdown)))
    number = state.get("asked_before", 0)
    return question.model_copy(
        update={"id": f"{question.id} {number}" if number else question.id, "body_markdown": body}
    )


def _open(here: Bound, state: UnderstandState) -> Question:
    number = len(state.get("words", "")) + 10_000 * state.get("repairs", 0)
    if state.get("asked"):
        return _asked(state, number)
    if state.get("nearest"):
        return _nearest(here, state, number)
    if missing := [each for each in state.get("problems", []) if each["missing"]]:
        return _missing(missing[0], state)
    return _whole(here, state, number)


def _asked(state: UnderstandState, number: int) -> Question:
    """A question of the drafting agent."""
    asked = state["asked"]
    options = [Option(value=text, label=text) for text in asked["options"]]
    return Question(id=f"clarify {number}", kind="clarify", title=asked["text"], options=options, free=True)


def _nearest(here: Bound, state: UnderstandState, number: int) -> Question:
    """Lines that could be run instead of words that were not read; nothing is preselected."""
    near = state["nearest"]
    lines = [f"- `{line}`" for line in near["lines"]] or ["- nothing is near to it"]
    retry = (
        f"Write it in the short form, as in the lines, or as a specification: `labwright new {_short(here.system)}`."
    )
    body = "\n".join([f"Not read: {near['unread']!r}. Nothing was done.", "", "Nearest:", *lines, "", retry, NO_MODEL])
    options = [Option(value=line, label=line) for line in near["lines"]]
    return Question(
        id=f"words {number}",
        kind="choose",
        title="These words were not fully read.",
        body_markdown=body,
        options=[*options, Option(value=CANCEL, label="Cancel")],
        free=True,
    )


def _missing(problem: dict[str, Any], state: UnderstandState) -> Question:
    """A value that only the person has."""
    field = ".".join(map(str, problem["path"]))
    options = [Option(value=each, label=each) for each in problem["options"]]
    only = problem["options"][0] if len(problem["options"]) == 1 else None
    return Question(
        id=f"missing {field}",
        kind="clarify",
        title=problem["fix"] or problem["message"],
        body_markdown=f"{problem['message']} (`{field}`)",
        options=options,
        default=only,
        consequence=f"{only} is used, as there is no other." if only else "",
        free=True,
    )


def _whole(here: Bound, state: UnderstandState, number: int) -> Question:
    """The specification as it would be run, with everything that is open."""
    text = to_yaml(shown(state["draft"]))
    parts = [here.read_back(state["draft"])]
    parts += [f"**{here.consent(state['draft'])}**"] if here.consent(state["draft"]) else []
    parts += _listed("Wrong", [sentence(each) for each in state.get("problems", [])])
    parts += _listed("Your words against it", [finding(each) for each in state.get("uncovered", [])])
    parts += _listed("Left out", state.get("left_out", []))
    parts += _listed("Assumed", state.get("reading", []))
    parts.append(f"```yaml\n{text}```")
    wrong = bool(state.get("problems"))
    run = [] if wrong else [Option(value=RUN, label="Run it")]
    return Question(
        id=f"plan {number} {state.get('covers', 0)}",
        kind="approve",
        title="This cannot be run as it stands." if wrong else "Is this what you want?",
        body_markdown="\n\n".join(parts),
        options=[*run, Option(value=EDIT, label="Edit it"), Option(value=CANCEL, label="Cancel")],
        form_schema={"type": "object", "properties": {"yaml": {"type": "string", "default": text}}},
        free=True,
    )


def _listed(title: str, lines: list[str]) -> list[str]:
    return [f"{title}:\n" + "\n".join(f"- {line}" for line in lines)] if lines else []


def shown(data: dict[str, Any]) -> dict[str, Any]:
    """A specification without what only Labwright writes."""
    return {name: value for name, value in data.items() if name not in GENERATED}


def sentence(problem: dict[str, Any]) -> str:
    """A problem in one line."""
    field = ".".join(map(str, problem["path"]))
    return " ".join(filter(None, (f"{field}:" if field else "", problem["message"], problem["fix"])))


def finding(each: dict[str, Any]) -> str:
    """What the second agent found, in one line."""
    where = (each["phrase"] and f'"{each["phrase"]}"') or each["path"]
    return f"{each['kind'].replace('_', ' ')}: {where} ({each['why']})"


def _short(system: str) -> str:
    return {"lab_calibration": "calibration"}.get(system, system)


def applied(here: Bound, state: UnderstandState, answer: Answer) -> Update:
    """What the answer changes; `standing` is done where the specification may be run."""
    counted: Update = {"asked_before": state.get("asked_before", 0) + 1, "wrong": ""}
    return {**counted, **_applied(here, state, answer)}


def _applied(here: Bound, state: UnderstandState, answer: Answer) -> Update:
    said = answer.decision.strip()
    if said == CANCEL:
        return {"standing": "stopped", "why": answer.note or "A person cancelled it.", "then": "end"}
    if said == RUN and not state.get("problems") and not state.get("nearest") and not state.get("asked"):
        return {"standing": "done", "uncovered": [], "then": "end"}
    if said == EDIT:
        return _edited(state, answer.value)
    missing = [each for each in state.get("problems", []) if each["missing"]]
    if missing and not state.get("nearest"):
        return _filled(state, missing[0], said)
    return _in_words(here, state, said)


def _edited(state: UnderstandState, value: dict[str, Any]) -> Update:
    """A specification that the person has written or changed: read as a document, seen by nobody else."""
    try:
        if "yaml" in value:
            data = read_document(str(value["yaml"])).data
        elif value:
            data = patched(shown(state["draft"]), [(path_of(name), each) for name, each in value.items()])
        else:
            return _again(state, "Nothing was edited. Send the changed YAML, or say it as in: steps.0.stop = 300 us")
    except SpecificationError as wrong:
        return _again(state, str(wrong))
    return {"draft": data, "origin": "person", "nearest": {}, "asked": {}, "uncovered": [], "then": "validate"}


def _filled(state: UnderstandState, problem: dict[str, Any], said: str) -> Update:
    """The missing value put in its place, and for a qubit in every step that lacks one."""
    path, data = tuple(problem["path"]), shown(state["draft"])
    value: Any = said
    if path[-1] in ("qubits", "for"):
        value = [part.strip() for part in said.replace(" and ", ",").split(",") if part.strip()]
    elif problem["options"] and said in problem["options"]:  # a unit
        value = f"{_get(data, path)} {said}"
    same = [tuple(each["path"]) for each in state["problems"] if each["missing"] and each["path"][-1] == "qubits"]
    places = same if path[-1] == "qubits" else [path]
    try:
        for place in places:
            data = put(data, place, value)
    except SpecificationError as wrong:
        return _again(state, str(wrong))
    origin = "model" if state.get("origin") == "model" else "person"  # whose next mistake is not the end
    return {"draft": data, "origin": origin, "problems": [], "then": "validate"}


def _get(data: Any, path: tuple[Any, ...]) -> Any:
    for part in path:
        data = data[part]
    return data


def _in_words(here: Bound, state: UnderstandState, said: str) -> Update:
    """Words: patches, a line of the short form or a document; anything else goes to the model, if there is one."""
    if state.get("draft") and (patches := read_patches(said)):
        try:
            data = patched(shown(state["draft"]), patches)
        except SpecificationError as wrong:
            return _again(state, str(wrong))
        return {"draft": data, "origin": "person", "uncovered": [], "problems": [], "then": "validate"}
    try:
        formal = here.parse(said) is not None or is_document(said)  # a malformed document is told, not run
    except InputError as wrong:
        return _again(state, str(wrong))
    fresh: Update = {"draft": {}, "asked": {}, "nearest": {}, "problems": [], "then": "draft"}
    if formal or not here.reads_words:
        return {**fresh, "words": said}
    return {**fresh, "words": f"{state['words']}\n\n{said}"}


def _again(state: UnderstandState, why: str) -> Update:
    """The same question once more, with what was wrong with the answer."""
    return {"wrong": why, "then": "person"}
