"""The node that answers a question about runs: facts from their logs, words by an agent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from labwright.agents.errors import AgentError
from labwright.agents.front_desk.actions import Start
from labwright.agents.front_desk.explain import EXPLAIN, ExplainIn
from labwright.agents.typed_call import Question, Refusal
from labwright.graphs.front_desk import status_replies
from labwright.graphs.front_desk.desk_context import desk
from labwright.graphs.front_desk.facts import begun_with
from labwright.graphs.front_desk.reply_messages import reply
from labwright.graphs.front_desk.run_log_account import account_of
from labwright.graphs.front_desk.state import DeskState

Update = dict[str, Any]
MOST_RUNS, MOST_BEFORE, MOST_SAID = 3, 6, 800


def explain(state: DeskState) -> Update:
    """Answer from the logs of the runs that are asked about; without an answer the logs are shown."""
    here = desk(state)
    runs = [run for name in state["asked_about"][:MOST_RUNS] if (run := here.run_of(name)) is not None]
    before = [
        f"{one.type}: {begun_with(str(one.text), MOST_SAID)}" for one in state.get("messages", [])[:-1][-MOST_BEFORE:]
    ]
    given = ExplainIn(
        question=state.get("asked") or state["message"], talk=before, runs=[account_of(run) for run in runs]
    )
    more: list[dict[str, Any]] = []
    try:
        answer = here.ask(EXPLAIN, given)
    except AgentError:  # facts are facts, with or without a model to word them
        replies = [one for run in runs for one in status_replies.why(run, 0)]
    else:
        if isinstance(answer, Question | Refusal):
            replies = [reply(answer.text if isinstance(answer, Question) else answer.reason)]
        else:
            figures = [path for path in answer.figures if Path(path).is_file()]
            text = "\n".join([answer.text, *(f"computed: {each}" for each in answer.computed)])
            replies = [reply(text, "told", runs[0].run_id if len(runs) == 1 else "", "", figures)]
            if answer.compute:
                task = Start(system="tool_forging", text=answer.compute, file="", inputs=[], uses=[], after=False)
                more = [task.model_dump(mode="json")]
    actions = [*state["actions"], *more]
    phase = "act" if state["done"] < len(actions) else "attend"
    return {"replies": [*state["replies"], *replies], "actions": actions, "asked": "", "phase": phase}
