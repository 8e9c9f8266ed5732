"""Nodes of the ideas: propose, look up, score, reflect."""

from __future__ import annotations

from typing import Any

from labwright.agents.feature_map_search.critique_idea import REFLECT, ReflectIn, ReflectOut
from labwright.agents.feature_map_search.ideas import Idea, Paper, Review, Score
from labwright.agents.feature_map_search.propose_ideas import PROPOSE, ProposeIn, ProposeOut, idea_of
from labwright.agents.feature_map_search.score_idea import SCORE, ScoreIn, ScoreOut
from labwright.agents.feature_map_search.summarise_paper import SUMMARISE, SummariseIn, SummariseOut
from labwright.agents.typed_call import Question, Refusal
from labwright.graphs.feature_map_search import asking
from labwright.graphs.feature_map_search.idea_routing import end, next_idea
from labwright.graphs.feature_map_search.run_context import Workbench, workbench
from labwright.graphs.feature_map_search.state import SearchState, Work
from labwright.graphs.feature_map_search.trial_records import evaluations, scores, shown
from labwright.tools.feature_maps.recipe import Recipe

Update = dict[str, Any]
PER_QUERY = 3  # passages looked up for one query
MOST_PAPERS = 9  # summaries that a prompt gets
SUMMARY_WORDS = 120


def propose(state: SearchState) -> Update:
    """The ideas of this trial; a person's own come first, as many a trial as the trial has room for."""
    bench, room = workbench(state), _room(state)
    wishes = state["guidance"][:room]
    own = [idea_of(bench.task, Recipe.model_validate(one)) for one in wishes if not isinstance(one, str)]
    words = [one for one in wishes if isinstance(one, str)]
    answer = _asked(state, words, room - len(own))
    if isinstance(answer, Question):
        return asking.clarify(state, answer)
    ideas = [*own, *(answer.ideas if isinstance(answer, ProposeOut) else [])]
    if isinstance(answer, Refusal) and not own:
        return end(state, f"No other idea: {answer.reason}")
    names = [idea.name for idea in ideas]
    bench.emit({"kind": "proposed", "trial": state["trial"], "names": names}, once=f"proposed {state['trial']}")
    queue = [idea.model_dump(mode="json") for idea in ideas[:room]]
    told: SearchState = {**state, "queue": queue, "work": None}
    return {"guidance": state["guidance"][room:], **next_idea(told)}


def _asked(state: SearchState, words: list[str], n: int) -> ProposeOut | Question | Refusal:
    """The ideas beside a person's recipes; none is asked for where these fill the trial."""
    bench, rows = workbench(state), state.get("tried", [])
    if not n:
        return ProposeOut(ideas=[])
    given = ProposeIn(
        task=bench.task,
        data=bench.facts if bench.mind.reads_words else None,
        trial=state["trial"],
        history=shown(bench, rows),
        review=Review.model_validate(state["review"]) if state["review"] else None,
        persons_ideas=words,
        n_ideas=n,
        reads_papers=bench.reads_papers,
    )
    return bench.ask(PROPOSE, given)


def _room(state: SearchState) -> int:
    """How many ideas this trial may have."""
    bench = workbench(state)
    left = bench.choices.budget_of_evaluations - evaluations(bench, state.get("tried", []))
    return min(bench.choices.ideas, left)


def retrieve(state: SearchState) -> Update:
    """What the papers say to the queries; every passage is summarised for what it gives to the idea."""
    bench, work = workbench(state), _work(state)
    store, papers = bench.papers, list(work["papers"])
    known = {(paper["source"], paper["title"]) for paper in papers}
    for query in work["queries"]:
        for passage in store.search(query, k=PER_QUERY) if store else []:
            if (passage.source, passage.title) not in known and len(papers) < MOST_PAPERS:
                known.add((passage.source, passage.title))
                paper = _summarised(bench, passage.title, passage.source, passage.text)
                papers += [paper] if paper["summary"] else []
    found = len(papers) - len(work["papers"])
    bench.emit({"kind": "retrieved", "idea": work["idea"]["name"], "papers": found})
    return {"work": Work(**{**work, "papers": papers, "queries": []}), "phase": "score"}


def _summarised(bench: Workbench, title: str, source: str, text: str) -> dict[str, Any]:
    answer = bench.ask(SUMMARISE, SummariseIn(title=title, text=text, max_words=SUMMARY_WORDS))
    if isinstance(answer, Refusal):  # references or noise: no science in it, as an empty summary says, too
        summary = ""
    else:
        summary = answer.summary if isinstance(answer, SummariseOut) else text[: SUMMARY_WORDS * 6]
    return Paper(title=title, source=source, summary=summary).model_dump()


def score(state: SearchState) -> Update:
    """Judge the idea; ask for more literature while it lacks some and rounds are left."""
    bench, work = workbench(state), _work(state)
    rounds = bench.choices.scoring_rounds
    can_read = not work["last_score"]
    given = ScoreIn(
        task=bench.task,
        idea=Idea.model_validate(work["idea"]),
        papers=[Paper.model_validate(paper) for paper in work["papers"]],
        round=work["round"] if can_read else rounds,  # the last round asks for nothing
        rounds=rounds,
        before=scores(bench, state.get("tried", []), state["trial"] - 1),
    )
    answer = bench.ask(SCORE, given)
    if not isinstance(answer, ScoreOut):  # a score advises only: without one the idea is tried all the same
        return {"work": work, **_after_score(state, work)}
    judged = Work(**{**work, "score": answer.score.model_dump()})
    bench.emit({"kind": "scored", "idea": work["idea"]["name"], **answer.score.model_dump()})
    if can_read and not answer.enough and work["round"] < rounds:
        judged = Work(**{**judged, "queries": answer.queries, "round": work["round"] + 1})
        return {"work": judged, "phase": "retrieve"}
    return {"work": judged, **_after_score(state, judged)}


def _after_score(state: SearchState, work: Work) -> Update:
    if work["last_score"] or work["score"] is None or not workbench(state).choices.reflection_rounds:
        return consented(state, work)
    return {"phase": "reflect"}


def reflect(state: SearchState) -> Update:
    """Improve the idea until the reflection is content or its rounds are over; a changed idea is scored again."""
    bench, work = workbench(state), _work(state)
    given = ReflectIn(
        task=bench.task,
        idea=Idea.model_validate(work["idea"]),
        score=Score.model_validate(work["score"]),
        papers=[Paper.model_validate(paper) for paper in work["papers"]],
        round=work["reflections"] + 1,
        rounds=bench.choices.reflection_rounds,
    )
    answer = bench.ask(REFLECT, given)
    if not isinstance(answer, ReflectOut):
        return consented(state, work)
    idea = answer.idea.model_dump(mode="json")
    thought = Work(**{**work, "idea": idea, "reflections": work["reflections"] + 1})
    if not answer.done and thought["reflections"] < given.rounds:
        return {"work": thought, "phase": "reflect"}
    if idea == work["original"]:
        return {"work": thought, **consented(state, thought)}
    return {"work": Work(**{**thought, "last_score": True}), "phase": "score"}


def consent(state: SearchState) -> Update:
    """On to the code, or to the person who wants to see every idea first."""
    return consented(state, _work(state))


def consented(state: SearchState, work: Work) -> Update:
    """The same, for an idea that is not in the state yet."""
    if workbench(state).choices.approval == "always":
        return asking.idea(state, work)
    return {"phase": "write_code"}


def _work(state: SearchState) -> Work:
    work = state["work"]
    assert work is not None
    return work
