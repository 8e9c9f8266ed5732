"""The nodes of the reading. Each names the next one in `then`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from labwright.agents.typed_call import Question, Refusal
from labwright.agents.understand.coverage_check import COVER, CoverIn, CoverOut, kept
from labwright.agents.understand.repair import CORRECT, REPAIR, CorrectIn, CorrectOut, RepairIn, RepairOut
from labwright.graphs.person_interrupt import wait
from labwright.graphs.questions import Answer
from labwright.graphs.understand import reading_questions as person
from labwright.graphs.understand.state import (
    MOST_COVERS,
    MOST_REPAIRS,
    Bound,
    Checked,
    Drafted,
    Reader,
    UnderstandState,
)
from labwright.tools.errors import InputError
from labwright.tools.specifications.base import Problem, SpecificationError
from labwright.tools.specifications.patches import patched, path_of, value_at
from labwright.tools.specifications.yaml_files import is_document, plain_value, read_document, to_yaml

Update = dict[str, Any]
NOT_CHANGED = "not_changed"  # kind of a finding: a repair that leads nowhere


class Nodes:
    """The nodes, for one system's reader."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    def draft(self, state: UnderstandState) -> Update:
        """A draft: what is formal is parsed, other words are a model's; without one the nearest lines are offered."""
        here = self.reader.bound(state)
        fresh: Update = {"problems": [], "uncovered": [], "repairs": 0, "covers": 0, "settled": [], "standing": "open"}
        fresh |= {
            "nearest": {},
            "asked": {},
            "why": "",
            "left_out": [],
            "assumed": [],
            "sources": {},
            "disputed": [],
            "reading": [],
            "before": {},
            "go": False,
        }
        if state.get("draft") and state.get("correction"):
            assumed = state.get("assumed", [])
            return {**fresh, "assumed": assumed, **person.corrected(state, state["correction"])}
        if state.get("draft"):
            return {**fresh, "origin": state.get("origin") or "written", "then": "validate"}
        try:
            parsed = here.parse(state["words"])
        except InputError as wrong:
            return {**fresh, **_refused(str(wrong))}
        if parsed is not None:
            found, origin = parsed
            return {**fresh, **_drafted(found), "origin": origin, "then": "validate"}
        if not here.reads_words:
            near = asdict(here.nearest(state["words"]))
            near["lines"] = near["lines"] or state.get("nearest", {}).get("lines", ())  # those offered before
            return {**fresh, "nearest": near, "origin": "", "then": "person"}
        return {**fresh, **_read(here.draft(state["words"]))}

    def validate(self, state: UnderstandState) -> Update:
        """Types, units, limits, existence, physics: facts only."""
        here, read = self.reader.bound(state), state["origin"] == "model"
        try:
            checked = here.check(state["draft"], read=read)
        except SpecificationError as wrong:
            checked = Checked(state["draft"], list(wrong.problems))
        problems = [asdict(problem) for problem in checked.problems]
        found: Update = {"draft": checked.data, "problems": problems, "reading": checked.assumptions}
        found["reading"] = [*state.get("assumed", []), *checked.assumptions]
        found["sources"] = _in_place(state, checked.data)
        if problems and all(problem["missing"] for problem in problems):
            return {**found, "then": "person"}
        if problems:
            if read and state.get("repairs", 0) < MOST_REPAIRS:
                return {**found, "then": "repair"}
            if read or state["origin"] == "person" or state.get("asks"):  # somebody is there who can put it right
                return {**found, "then": "person"}
            lines = read_document(state["words"]).lines if is_document(state["words"]) else {}
            return {**found, **_refused(str(SpecificationError(checked.problems, lines=lines)))}
        if read and state.get("covers", 0) < MOST_COVERS:
            here.emit({"kind": "drafted", "draft": person.shown(checked.data)}, f"drafted {state.get('covers', 0)}")
            return {**found, "then": "cover"}
        return {**found, **self._shown(here, {**state, **found})}  # type: ignore[typeddict-item]

    def repair(self, state: UnderstandState) -> Update:
        """Patches for what validation or the second agent found."""
        here = self.reader.bound(state)
        given = RepairIn(
            words=state["words"],
            specification=to_yaml(person.shown(state["draft"])),
            problems=[Problem(**problem).sentence() for problem in state["problems"]],
            uncovered=[person.finding(each) for each in state["uncovered"]],
            example=here.example() if state["uncovered"] or not all(one["path"] for one in state["problems"]) else "",
        )
        said = any(each["kind"] in (person.ASKED_FOR, person.ANSWERED) for each in state["uncovered"])
        answer = self._corrected(here, state, given) if said else here.ask(REPAIR, given)
        if isinstance(answer, Question):
            return {"asked": answer.model_dump(), "repairs": state.get("repairs", 0) + 1, "then": "person"}
        seen = [each for each in state["uncovered"] if each["kind"] != NOT_CHANGED]
        changed, refused = _repaired(state["draft"], answer, here.grows)
        # nobody can put it right, or the two readers disagree: it stays open for the person
        open_still = [each for each in seen if each["kind"] != person.ANSWERED] if changed is None else []
        stays = [*open_still, *(refused if seen else [])]
        given_up = changed is None and not refused and state["problems"]
        more = _overruled(state, answer, changed is not None) if isinstance(answer, CorrectOut) else {}
        return {
            **more,
            "repairs": state.get("repairs", 0) + 1,
            "settled": [*state.get("settled", []), *([each["phrase"], each["path"]] for each in seen)],
            "draft": state["draft"] if changed is None else changed,
            "why": state.get("why", "") if changed is None else "",
            "sources": _in_place(state, changed or state["draft"]),
            "disputed": [*state.get("disputed", []), *stays],
            "uncovered": [] if seen else refused,
            "then": "person" if given_up else "validate",
        }

    def _corrected(self, here: Bound, state: UnderstandState, given: RepairIn) -> Any:
        """What the person's own words change, and which of the assumptions they overrule."""
        settled = [f"{number}. {line}" for number, line in enumerate(_settled(state), 1)]
        return here.ask(CORRECT, CorrectIn(**given.model_dump(), settled=settled))

    def cover(self, state: UnderstandState) -> Update:
        """A second agent holds the words against the specification, without the first one's reasons."""
        here = self.reader.bound(state)
        specification = to_yaml(person.shown(state["draft"]))
        given = CoverIn(
            words=state["words"],
            besides=here.besides(state),
            specification=specification,
            read_back=here.read_back(state["draft"]),
        )
        answer = here.ask(COVER, given)
        rounds = state.get("covers", 0) + 1
        if isinstance(answer, CoverOut):
            found = [each.model_dump() for each in kept(answer, given, state.get("settled", []))]
        else:  # a refusal or a question is no clean bill: the person sees the plan
            rounds, found = MOST_COVERS, [_unchecked(answer)]
        update: Update = {"covers": rounds, "uncovered": found}
        here.emit({"kind": "covered", "findings": update["uncovered"]}, f"covered {rounds} {len(state['words'])}")
        fresh = [each for each in found if not person.said_before(each, state.get("left_out", []))]
        if fresh and rounds < MOST_COVERS:
            return {**update, "uncovered": fresh, "then": "repair"}
        update["uncovered"] = [*found, *state.get("disputed", [])]
        if here.elsewhere:  # what is left out is done there
            left = [each["phrase"] for each in update["uncovered"] if each["kind"] == person.LEFT_OUT]
            update["left_out"] = list(dict.fromkeys([*state.get("left_out", []), *left]))
            update["uncovered"] = [each for each in update["uncovered"] if each["kind"] != person.LEFT_OUT]
        return {**update, **self._shown(here, {**state, **update})}  # type: ignore[typeddict-item]

    def person(self, state: UnderstandState) -> Update:
        """One question: what is missing, which of the nearest lines, or the whole specification."""
        here = self.reader.bound(state)
        question = person.question_of(here, state)
        if here.defaults and question.default is not None and not state.get("why"):
            answer = Answer(id=question.id, decision=question.default, note="default")
        else:
            here.emit({"kind": "question", "question": question.model_dump()}, f"question {question.id}")
            answer = wait(question)
        here.emit(answer.event(), f"answer {question.id}")
        update = person.applied(here, state, answer)
        return {**update, **self._done(state)} if update.get("standing") == "done" else update

    def _shown(self, here: Bound, state: UnderstandState) -> Update:
        """To the person where something is open; else done."""
        if state.get("uncovered") or (here.asks(state) and not _goes_on(here, state)):
            return {"then": "person"}
        return self._done(state)

    def _done(self, state: UnderstandState) -> Update:
        here = self.reader.bound(state)  # as it has become
        told = {"origin": state.get("origin", ""), "read_back": here.read_back(state["draft"])}
        here.emit({"kind": "understood", **told, "assumptions": state.get("reading", [])}, "understood")
        here.save(state["draft"])
        return {"standing": "done", "then": "end"}


def _settled(state: UnderstandState) -> list[str]:
    """What the draft's author assumed, then what they left out."""
    return [*state.get("assumed", []), *state.get("left_out", [])]


def _overruled(state: UnderstandState, answer: CorrectOut, changed: bool) -> Update:
    """What is still assumed and left out after a correction, and whether to go on: only where it changes something."""
    gone = [_settled(state)[number - 1] for number in answer.overruled]
    assumed, left_out = state.get("assumed", []), state.get("left_out", [])
    return {
        "assumed": [line for line in assumed if line not in gone],
        "left_out": [line for line in left_out if line not in gone],
        "go": answer.then == "start" and (changed or bool(gone)),
    }


def _goes_on(here: Bound, state: UnderstandState) -> bool:
    """Whether a changed plan runs without another question: its correction says so, and nothing in it is new to ask."""
    before = state.get("before") or {}
    if not state.get("go") or not before:
        return False
    new = {*state.get("reading", []), *state.get("left_out", [])} - {*before["told"]}
    return not new and not here.needs_leave(before["draft"], state["draft"])


def _repaired(draft: dict[str, Any], answer: Any, grows: bool) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
    """The draft with the patches that fit it, None if none does; a finding for each of the others."""
    changed, refused = None, []
    for each in answer.patches if isinstance(answer, RepairOut) else []:
        try:
            changed = patched(
                draft if changed is None else changed, [(path_of(each.path), plain_value(each.value))], grows=grows
            )
        except SpecificationError as wrong:
            problem = wrong.problems[0]
            why = f"{problem.message} {problem.fix}".strip()
            refused.append({"kind": NOT_CHANGED, "phrase": "", "path": each.path, "why": why})
    return changed, refused


def _in_place(state: UnderstandState, data: dict[str, Any]) -> dict[str, str]:
    """The sources whose places are what they were: those in a list that got longer or shorter are not."""

    def length(draft: dict[str, Any], name: str) -> int:
        around = value_at(draft, path_of(name)[:-1])
        return len(around) if isinstance(around, dict | list) else -1

    sources = state.get("sources", {})
    return {name: each for name, each in sources.items() if length(state["draft"], name) == length(data, name)}


def _unchecked(answer: Question | Refusal) -> dict[str, Any]:
    why = answer.reason if isinstance(answer, Refusal) else answer.text
    return {"kind": "not_checked", "phrase": "", "path": "", "why": why}


def _drafted(found: Drafted) -> Update:
    return {
        "draft": found.data,
        "sources": dict(found.sources),
        "left_out": list(found.left_out),
        "assumed": list(found.assumed),
    }


def _read(answer: Drafted | Question | Refusal) -> Update:
    if isinstance(answer, Refusal):
        return _refused(answer.reason)
    if isinstance(answer, Question):
        return {"asked": answer.model_dump(), "origin": "model", "then": "person"}
    return {**_drafted(answer), "origin": "model", "then": "validate"}


def _refused(why: str) -> Update:
    return {"standing": "refused", "why": why, "then": "end"}
