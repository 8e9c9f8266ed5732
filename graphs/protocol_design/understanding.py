"""The node that turns words, and answers, into a reading."""

from __future__ import annotations

from typing import Any

from labwright.agents.call import Question, Refusal
from labwright.agents.protocol_design.reading import Reading, Settled
from labwright.agents.protocol_design.similar import Similar
from labwright.agents.protocol_design.understand import REFINE, UNDERSTAND, RefineIn, UnderstandIn
from labwright.graphs.protocol_design import asking
from labwright.graphs.protocol_design.state import DesignState
from labwright.graphs.protocol_design.workroom import workroom

Update = dict[str, Any]


def understand(state: DesignState) -> Update:
    """Read the description, or take the latest answer into the reading."""
    room, text = workroom(state), state["request"]
    settled = [Settled.model_validate(item) for item in state["settled"]]
    before, latest = state["reading"], state["latest"]
    similar = [Similar.model_validate(one) for one in state.get("similar", [])]
    answer: Reading | Question | Refusal
    if before is not None and latest is not None:
        newest = Settled.model_validate(latest)
        given = RefineIn(
            text=text, settled=settled, reading=Reading.model_validate(before), latest=newest, similar=similar
        )
        answer, settled = room.ask(REFINE, given), [*settled, newest]
    else:
        settled += [Settled.model_validate(latest)] if latest else []
        answer = room.ask(UNDERSTAND, UnderstandIn(text=text, settled=settled, similar=similar))
    plain: Update = {"settled": [item.model_dump() for item in settled], "latest": None}
    if isinstance(answer, Question):
        return {**plain, **asking.clarify(answer.text, answer.text, answer.options, None, "")}
    if isinstance(answer, Refusal):
        return {**plain, "phase": "report", "status": "refused", "cause": answer.reason}
    return {**plain, "reading": answer.model_dump(mode="json"), "phase": "read"}
