"""What a person is asked about a reading, and what each answer changes. Pure functions."""

from __future__ import annotations

from typing import Any

from labwright.graphs.questions import Answer, Option, Question, document
from labwright.graphs.understand.state import Bound, Filler, UnderstandState
from labwright.tools.errors import InputError
from labwright.tools.specifications.base import Problem, SpecificationError
from labwright.tools.specifications.differences import differences
from labwright.tools.specifications.kinds import SHORT
from labwright.tools.specifications.patches import GENERATED, patched, path_of, put, read_patches, value_at
from labwright.tools.specifications.quotations import quoted
from labwright.tools.specifications.yaml_files import is_document, read_document, to_yaml

RUN, EDIT, CANCEL, ELSEWHERE = "run", "edit", "cancel", "elsewhere"
HOW = "How it is done"  # the last part of a plan's text; the code says it, no reader of the words
LEFT_OUT = "left_out"  # kind of a finding: a wish that the specification has no place for
ASKED_FOR = "asked_for"  # kind of a finding: a correction of what was shown
ANSWERED = "answered"  # kind of a finding: words that answer a question for a value; without it the question stays
Update = dict[str, Any]
_CANCEL = [Option(value=CANCEL, label="Cancel")]
NO_MODEL = "Other words are read by a model: `--model openai:NAME` (see `labwright doctor`)."


def question_of(here: Bound, state: UnderstandState) -> Question:
    """The question that is open; what was wrong with the last answer stands on top."""
    asked = _open(here, state)
    body = "\n\n".join(filter(None, [state.get("why", ""), asked.body_markdown]))
    turn = f"{asked.id} {state.get('asks', 0) + 1}"  # a question that is put again is another one
    changed = "\n\n".join(filter(None, [state.get("why", ""), asked.changed])) if asked.kind == "approve" else ""
    return asked.model_copy(update={"id": turn, "body_markdown": body, "changed": changed})


def _open(here: Bound, state: UnderstandState) -> Question:
    if state.get("asked"):
        return _asked(state)
    if state.get("nearest"):
        return _nearest(here, state)
    if missing := [each for each in state.get("problems", []) if each["missing"]]:
        return _missing(here, missing[0])
    return _whole(here, state)


def _asked(state: UnderstandState) -> Question:
    """A question of the drafting agent."""
    asked = state["asked"]
    options = [Option(value=text, label=text) for text in asked["options"]]
    known = asked.get("known", "")
    return Question(id="clarify", kind="clarify", title=asked["text"], body_markdown=known, options=options, free=True)


def _nearest(here: Bound, state: UnderstandState) -> Question:
    """Lines that could be run instead of words that were not read; nothing is preselected."""
    near = state["nearest"]
    short = SHORT.get(here.system, here.system)
    write = f"Write it in the short form or as a specification; `labwright new {short}` shows both."
    found = "Nearest to it:" if near["lines"] else "No experiment or procedure here has a word of it."
    if near.get("example"):
        write = f"Write it as a specification; `labwright new {short}` prints this one."
        found = f"```yaml\n{near['example']}```"
    body = "\n\n".join([f"Not read: «{near['unread']}». Nothing was done.", f"{write} {NO_MODEL}", found])
    options = [Option(value=line, label=line) for line in near["lines"]]
    return Question(
        id="words",
        kind="choose",
        title="These words were not fully read.",
        body_markdown=body,
        options=[*options, Option(value=CANCEL, label="Cancel")],
        free=True,
    )


def _missing(here: Bound, problem: dict[str, Any]) -> Question:
    """A value that only the person has."""
    field = Problem(**problem).field
    form = here.filler.form(Problem(**problem)) if here.filler else None
    options = [Option(value=each, label=each) for each in problem["options"]]
    only = problem["options"][0] if len(problem["options"]) == 1 else None
    return Question(
        id=f"missing {field}",
        kind="clarify",
        title=problem["fix"] or problem["message"],
        body_markdown=f"{problem['message']} (`{field}`)",
        options=[*options, *([Option(value=EDIT, label="Fill in the form")] if form else []), *_CANCEL],
        default=only,
        consequence=f"{only} is used, as there is no other." if only else "",
        form_schema=form,
        free=True,
    )


def _whole(here: Bound, state: UnderstandState) -> Question:
    """The specification as it would be run, with everything that is open."""
    text = to_yaml(shown(state["draft"]))
    parts = [here.read_back(state["draft"], sampling=True)]
    if state.get("origin") == "model":
        parts += _listed("Read from your words", quoted(state["draft"], state.get("sources", {}), state["words"]))
    parts += _listed("Wrong", [Problem(**each).sentence() for each in state.get("problems", [])])
    parts += _listed("Your words against it", _against(state))
    parts += _listed("Left out", _left_out(state))
    parts += _listed("Assumed", state.get("reading", []))
    parts.append(f"```yaml\n{text}```")
    parts += _listed(HOW, [] if state.get("problems") else here.how(state["draft"]))
    wrong = bool(state.get("problems"))
    run = [] if wrong else [Option(value=RUN, label="Run it")]
    other = [Option(value=ELSEWHERE, label=here.elsewhere)] if here.elsewhere else []
    return Question(
        id="plan",
        kind="approve",
        title="This cannot be run as it stands." if wrong else "Is this what you want?",
        body_markdown="\n\n".join(parts),
        changed=_changed(state),
        options=[*run, Option(value=EDIT, label="Edit it"), *other, Option(value=CANCEL, label="Cancel")],
        form_schema={"type": "object", "properties": {"yaml": document(text)}},
        free=True,
        spoken=not wrong and here.words_start(),
    )


def _listed(title: str, lines: list[str]) -> list[str]:
    return [f"{title}:\n" + "\n".join(f"- {line}" for line in lines)] if lines else []


def shown(data: dict[str, Any]) -> dict[str, Any]:
    """A specification as it is shown: without what only Labwright writes. The draft itself keeps that."""
    return {name: value for name, value in data.items() if name not in GENERATED}


def finding(each: dict[str, Any]) -> str:
    """What the second agent found, in one line."""
    return f"{each['kind'].replace('_', ' ')}{f': {where}' if (where := _where(each)) else ''} ({each['why']})"


def _where(each: dict[str, Any]) -> str:
    return (each["phrase"] and f'"{each["phrase"]}"') or str(each["path"])


def _against(state: UnderstandState) -> list[str]:
    """What the second agent found besides what is left out."""
    return [finding(each) for each in state.get("uncovered", []) if each["kind"] != LEFT_OUT]


def _left_out(state: UnderstandState) -> list[str]:
    """What the draft leaves out, each wish once: with the second agent's reason where it found the same."""
    found = [each for each in state.get("uncovered", []) if each["kind"] == LEFT_OUT]
    own = [line for line in state.get("left_out", []) if not any(said_before(each, [line]) for each in found)]
    return [*(f"{_where(each)} ({each['why']})".lstrip() for each in found), *own]


def said_before(each: dict[str, Any], left_out: list[str]) -> bool:
    """Whether a finding is a wish that the draft's author left out knowingly."""
    phrase = each["phrase"]
    return bool(phrase and each["kind"] == LEFT_OUT) and any(
        phrase in line or line in phrase for line in left_out if line
    )


def applied(here: Bound, state: UnderstandState, answer: Answer) -> Update:
    """What the answer changes; `standing` is done where the specification may be run."""
    return {"why": "", **_applied(here, state, answer), "asks": state.get("asks", 0) + 1}


def _applied(here: Bound, state: UnderstandState, answer: Answer) -> Update:
    said = answer.decision.strip()
    if said == CANCEL:
        return {"standing": "stopped", "why": answer.note or "A person cancelled it.", "then": "end"}
    if said == ELSEWHERE and here.elsewhere:
        return {"standing": "refused", "why": answer.note or "A person wants it so.", "then": "end"}
    if said == RUN and not state.get("problems") and not state.get("nearest") and not state.get("asked"):
        return {"standing": "done", "uncovered": [], "then": "end"}
    missing = [each for each in state.get("problems", []) if each["missing"]]
    if missing and not state.get("nearest") and not read_patches(said):
        if here.filler:
            return _taken(here, here.filler, state, missing[0], answer)
        if said != EDIT:
            return _filled(state, missing[0], said)
    if said == EDIT:
        return _edited(state, answer.value)
    return _in_words(here, state, said)


def _taken(here: Bound, filler: Filler, state: UnderstandState, problem: dict[str, Any], answer: Answer) -> Update:
    """The answer as data, if it is; words otherwise, where a model reads them."""
    said = "" if answer.decision == EDIT else answer.decision.strip()
    try:
        data = filler.fill(state["draft"], Problem(**problem), said, answer.value)
    except SpecificationError as wrong:
        why = "\n".join(each.sentence() for each in wrong.problems)
        if said and here.corrects and here.reads_words:
            return {**corrected(state, f"{problem['fix']} {said}", ANSWERED), "why": why}
        return _again(why)
    words = f"{state.get('words', '')}\n\n{problem['fix']} {said or answer.value}".strip()
    return {"draft": data, "words": words, "origin": state.get("origin") or "written", **_SETTLED}


_SETTLED: Update = {"problems": [], "then": "validate"}


def corrected(state: UnderstandState, said: str, kind: str = ASKED_FOR) -> Update:
    """Words that change what stands: they go to the repairing agent, which answers with patches."""
    asked = {"kind": kind, "phrase": said, "path": "", "why": "the person says so now; it overrules the rest"}
    words = with_words(state.get("words", ""), said)
    fresh: Update = {"asked": {}, "correction": "", "problems": [], "repairs": 0, "covers": 0, "disputed": []}
    shown_whole = not any(state.get(name) for name in ("asked", "nearest", "correction"))
    before = _before(state) if shown_whole and kind == ASKED_FOR else state.get("before", {})
    return {
        **fresh,
        "go": False,
        "before": before,
        "words": words,
        "uncovered": [asked],
        "origin": "model",
        "then": "repair",
    }


def _before(state: UnderstandState) -> Update:
    """What the person has before them: the specification, and every line that was told beside it."""
    return {"draft": shown(state["draft"]), "told": [*state.get("reading", []), *state.get("left_out", [])]}


def _changed(state: UnderstandState) -> str:
    """What differs from the plan that was shown before, and what is new beside it; empty if none was shown."""
    before = state.get("before") or {}
    if not before:
        return ""
    now = _before(state)
    fields = [
        f"{path}: {_value(was)} -> {_value(value)}" for path, was, value in differences(before["draft"], now["draft"])
    ]
    return "\n\n".join(
        [
            *_listed("Changed", fields or ["nothing"]),
            *_listed("Wrong", [Problem(**each).sentence() for each in state.get("problems", [])]),
            *_listed("Your words against it", _against(state)),
            *_listed("Left out", [line for line in _left_out(state) if line not in before["told"]]),
            *_listed("New beside it", [line for line in state.get("reading", []) if line not in before["told"]]),
            *_listed("Holds no longer", [line for line in before["told"] if line not in now["told"]]),
        ]
    )


def _value(value: Any) -> str:
    return "not set" if value is None else " ".join(str(value).split())


def with_words(before: str, said: str) -> str:
    """What the specification answers to: everything that the person said, so that a later reader knows it, too."""
    return f"{before}\n\n{said}".strip()


def _edited(state: UnderstandState, value: dict[str, Any]) -> Update:
    """A specification that the person has written or changed: read as a document, seen by nobody else."""
    if not value:
        return _again("The edit changes nothing. Send the changed YAML, or say it as in: steps.0.stop = 300 us")
    draft = state.get("draft", {})
    try:
        if "yaml" in value:
            kept = {name: draft[name] for name in GENERATED if name in draft}  # was not shown, so not taken out
            data = kept | read_document(str(value["yaml"])).data
        else:
            data = patched(draft, [(path_of(name), each) for name, each in value.items()])
    except SpecificationError as wrong:
        return _again(str(wrong))
    return {"draft": data, "origin": "person", "nearest": {}, "asked": {}, "uncovered": [], "then": "validate"}


def _filled(state: UnderstandState, problem: dict[str, Any], said: str) -> Update:
    """The missing value put in its place, and for a qubit in every step that lacks one."""
    path, data = tuple(problem["path"]), state["draft"]
    value: Any = said
    if path[-1] == "qubits":
        value = [part.strip() for part in said.split(",") if part.strip()]
        if strange := [name for name in value if problem["options"] and name not in problem["options"]]:
            return _again(f"There is no {strange[0]!r} here.")
    elif problem["options"] and said in problem["options"]:  # a unit
        value = f"{value_at(data, path)} {said}"
    same = [tuple(each["path"]) for each in state["problems"] if each["missing"] and each["path"][-1] == "qubits"]
    places = same if path[-1] == "qubits" else [path]
    try:
        for place in places:
            data = put(data, place, value)
    except SpecificationError as wrong:
        return _again(str(wrong))
    read = state.get("origin") == "model"
    words = f"{state['words']}\n\n{problem['fix']} {said}" if read else state.get("words", "")
    origin = "model" if read else "person"  # whose next mistake is not the end
    return {"draft": data, "words": words, "origin": origin, "problems": [], "then": "validate"}


def _in_words(here: Bound, state: UnderstandState, said: str) -> Update:
    """Words: patches, a line of the short form or a document; anything else goes to the model, if there is one."""
    if state.get("draft") and (patches := read_patches(said)):
        try:
            data = patched(state["draft"], patches, grows=here.grows)
        except SpecificationError as wrong:
            return _again(str(wrong))
        kept = {"draft": data, "words": with_words(state["words"], said), "origin": "person"}
        return {**kept, "uncovered": [], "problems": [], "then": "validate"}
    chosen = said in state.get("asked", {}).get("options", [])  # a part of the words, not an order of its own
    try:
        # a malformed document is told, not run
        parsed = None if chosen else here.parse(said)
        formal = parsed is not None or (not chosen and is_document(said))
    except InputError as wrong:
        return _again(str(wrong))
    if parsed is not None and parsed[1] == "written" and state.get("draft"):
        return _edited(state, {"yaml": said})
    if not formal and not here.reads_words and state.get("draft"):  # what was read stays
        return _again(f"Not read: «{said}». Write PATH = VALUE, such as {_a_path(state)}. {NO_MODEL}")
    asked = state.get("asked", {})
    parts = [asked.get("text", ""), asked.get("known", ""), said]
    answered = " ".join(filter(None, parts))  # "water" alone says nothing later
    if not formal and here.corrects and state.get("draft"):
        return corrected(state, answered)
    fresh: Update = {"draft": {}, "asked": {}, "problems": [], "then": "draft"}
    if formal or not here.reads_words:
        return {**fresh, "words": said}
    return {**fresh, "words": f"{state['words']}\n\n{answered}"}


def _a_path(state: UnderstandState) -> str:
    """A patch as an example, for the draft at hand."""
    return "steps.0.stop = 2 us" if "steps" in state["draft"] else "title = Another title"


def _again(why: str) -> Update:
    """The same question once more, with what was wrong with the answer."""
    return {"why": why, "then": "person"}
