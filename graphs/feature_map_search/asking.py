"""Questions to a person: how each is put, and what its answer changes. The node asks, pure functions apply."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ValidationError
from typing_extensions import TypedDict

from labwright.agents.feature_map_search.ideas import Idea
from labwright.agents.typed_call import Question as AgentQuestion
from labwright.graphs.feature_map_search.idea_routing import end
from labwright.graphs.feature_map_search.run_context import workbench
from labwright.graphs.feature_map_search.state import SearchState, Work
from labwright.graphs.feature_map_search.trial_records import recorded, untried
from labwright.graphs.person_interrupt import wait
from labwright.graphs.questions import Answer, Option, Question
from labwright.tools.feature_maps.recipe import Recipe

Purpose = Literal["idea", "boundary", "clarify"]
RUN, EDIT, VETO, FINISH, ABORT = "run", "edit", "veto", "finish", "abort"
IDEA_OPTIONS = [
    Option(value=RUN, label="Try this feature map"),
    Option(value=EDIT, label="Change it first"),
    Option(value=VETO, label="Leave it out"),
    Option(value=ABORT, label="Abort the run"),
]
BOUNDARY_OPTIONS = [
    Option(value=RUN, label="Go on with the next trial"),
    Option(value=FINISH, label="End the search here and open the test part"),
    Option(value=ABORT, label="Abort the run"),
]
WORDS = ("explanation", "formula")  # what can be changed of an idea that has no recipe


class Open(TypedDict):
    """A question that waits."""

    purpose: Purpose
    form: dict[str, Any]


def _open(purpose: Purpose, question: Question) -> dict[str, Any]:
    return {"question": Open(purpose=purpose, form=question.model_dump()), "phase": "ask"}


def idea(state: SearchState, work: Work, trouble: str = "") -> dict[str, Any]:
    """Offer to try, change or leave out the idea; `trouble` says why an earlier change was not taken."""
    plain = Idea.model_validate(work["idea"])
    score = work["score"]
    parts = [trouble, plain.explanation, f"$${plain.formula}$$"]
    if score:
        marks = ", ".join(f"{name} {score[name]:g}" for name in ("originality", "feasibility", "versatility"))
        parts.append(f"Score: {marks}. {score['reason']}")
    asked = sum(key.startswith(f"idea {state['trial']}-{work['n']}") for key in state["answers"])
    question = Question(
        id=f"idea {state['trial']}-{work['n']}" + (f" again {asked}" if asked else ""),
        kind="approve",
        title=f"Try {plain.name}?",
        body_markdown="\n\n".join(part for part in parts if part),
        options=IDEA_OPTIONS,
        default=RUN,
        consequence="It is tried as proposed.",
        form_schema=_schema(plain),
    )
    return _open("idea", question)


def _schema(plain: Idea) -> dict[str, Any]:
    """The recipe's fields, or the words where there is no recipe. Lists are written with spaces between."""
    kinds = {bool: "boolean", int: "integer", float: "number"}
    values: dict[str, Any] = plain.recipe.model_dump(mode="json") if plain.recipe else _words_of(plain)
    shown = {name: " ".join(value) if isinstance(value, list) else value for name, value in values.items()}
    fields = {name: {"type": kinds.get(type(value), "string"), "default": value} for name, value in shown.items()}
    return {"type": "object", "properties": fields}


def _words_of(plain: Idea) -> dict[str, Any]:
    return {name: getattr(plain, name) for name in WORDS}


def boundary(state: SearchState) -> dict[str, Any]:
    """The place between two trials where a paused search waits."""
    question = Question(
        id=f"after trial {state['trial']} #{len(state['answers'])}",
        kind="choose",
        title=f"Paused after trial {state['trial']}.",
        body_markdown="The run was asked to pause here.",
        options=BOUNDARY_OPTIONS,
        default=RUN,
    )
    return _open("boundary", question)


def clarify(state: SearchState, asked: AgentQuestion) -> dict[str, Any]:
    """Hand an agent's question to the person."""
    question = Question(
        id=f"clarify {state['trial']} #{len(state['answers'])}",
        kind="clarify",
        title=asked.text,
        options=[Option(value=text, label=text) for text in asked.options],
    )
    return _open("clarify", question)


def ask(state: SearchState) -> dict[str, Any]:
    """Wait for the person (or take the default) and apply the answer. Nothing is written before the answer is here."""
    waiting = state["question"]
    assert waiting is not None
    question = Question.model_validate(waiting["form"])
    assumed: list[str] = []
    if state["choices"]["answers"] == "defaults" and question.default is not None:
        answer = Answer(id=question.id, decision=question.default, note="default")
        assumed = [f"{question.title} Assumed: {question.default}. {question.consequence}".strip()]
    else:
        workbench(state).emit({"kind": "question", "question": question.model_dump()}, once=f"question {question.id}")
        answer = wait(question)
    workbench(state).emit(answer.event(), once=f"answer {question.id}")
    answers = {**state["answers"], question.id: answer.model_dump()}
    told: SearchState = {**state, "answers": answers}
    done: dict[str, Any] = {"question": None, "answers": answers, "assumptions": assumed}
    return {**done, **_applied(told, waiting["purpose"], answer)}


def _applied(state: SearchState, purpose: Purpose, answer: Answer) -> dict[str, Any]:
    said = answer.decision
    if purpose == "clarify":
        return {"guidance": [*state["guidance"], said], "phase": "propose"}
    if said == ABORT:
        return {"phase": "report", "status": "stopped", "cause": answer.note or "A person aborted the run."}
    if purpose == "boundary":
        if said == RUN:
            return {"phase": "next"}
        return end(state, answer.note or "A person ended the search.")
    return _idea_answer(state, answer)


def _idea_answer(state: SearchState, answer: Answer) -> dict[str, Any]:
    work = state["work"]
    assert work is not None
    if answer.decision == VETO:
        return recorded(state, untried(state, "vetoed", answer.note or "A person left it out."), {})
    if answer.decision == EDIT:
        try:
            edited = _edited(Idea.model_validate(work["idea"]), answer.value)
        except ValidationError as wrong:
            first = wrong.errors()[0]
            return idea(state, work, f"The change was not taken: {'.'.join(map(str, first['loc']))}: {first['msg']}.")
        return {"work": Work(**{**work, "idea": edited.model_dump(mode="json")}), "phase": "write_code"}
    return {"phase": "write_code"}


def _edited(plain: Idea, value: dict[str, Any]) -> Idea:
    """The idea with the person's changes; whoever reads the record sees that its words are older than its recipe."""
    if plain.recipe is None:
        return Idea.model_validate({**plain.model_dump(mode="json"), **value})
    split = {name: str(new).split() if name == "axes" else new for name, new in value.items()}
    recipe = Recipe.model_validate({**plain.recipe.model_dump(mode="json"), **split})
    changed = ", ".join(f"{name} = {new}" for name, new in value.items())
    explanation = f"{plain.explanation} A person changed it afterwards: {changed}."
    return plain.model_copy(update={"recipe": recipe, "explanation": explanation})
