"""Steps written by agents: a lead gives turns, agents speak, tools answer, until somebody hands in steps.

Used when `choices.configuration` names one of the twenty ways. Nobody is asked: a question is answered as an
unattended run would, and the agent decides.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Literal

from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from labwright.agents.call import AgentCall, In, Out, Question, Refusal
from labwright.agents.protocol_design.similar import Similar
from labwright.agents.protocol_design.written.arrange import ARRANGE, ArrangeIn
from labwright.agents.protocol_design.written.calculate import CALCULATE, TOOLS, CalculateIn, CalculateOut
from labwright.agents.protocol_design.written.configuration import CONFIGURATIONS, Configuration
from labwright.agents.protocol_design.written.finish import FINISH, FinishIn, Steps
from labwright.agents.protocol_design.written.planned import PERSON, Said
from labwright.agents.protocol_design.written.process import PROCESS, ProcessIn
from labwright.agents.protocol_design.written.single import SINGLE, SingleIn, SingleOut
from labwright.agents.protocol_design.written.supervise import SUPERVISE, SuperviseIn, SuperviseOut
from labwright.agents.protocol_design.written.toolbox import OFFERED, use
from labwright.agents.protocol_design.written.understand import UNDERSTAND, Notes, UnderstandIn
from labwright.graphs.protocol_design.state import DesignState
from labwright.graphs.protocol_design.workroom import workroom

Update = dict[str, Any]
Reply = Notes | CalculateOut | Steps | SingleOut | SuperviseOut
AUTOPILOT = "Please use your best judgment and proceed."
MOST_TURNS = 40
LEAD = "supervise"


def configuration_of(state: DesignState) -> Configuration:
    """The way in which this run writes steps."""
    return CONFIGURATIONS[state["choices"]["configuration"]]


def lead(state: DesignState) -> Update:
    """Whose turn it is: the one agent's, or whom the supervisor names."""
    if len(state["path"]) >= MOST_TURNS:
        return _refused(f"No steps were written in {MOST_TURNS} turns of the agents.")
    if configuration_of(state).agents == "single-agent":
        return {"turn": "single"}
    given = SuperviseIn(text=state["request"], said=_said(state))
    reply = _ask(state, SUPERVISE, LEAD, given)
    if isinstance(reply, SuperviseOut):
        return {"turn": reply.next, "path": [*state["path"], LEAD]}
    return _talked(state, LEAD, reply)


def work(state: DesignState) -> Update:
    """One agent speaks; tools that it asks for answer, and it speaks again."""
    role = state["turn"]
    reply = _turn(state, role)
    if isinstance(reply, Question | Refusal):
        return _talked(state, role, reply)
    path = [*state["path"], role]
    if isinstance(reply, CalculateOut | SingleOut) and reply.requests:
        results = [use(request) for request in reply.requests]
        told = Said(by=TOOLS, text="; ".join(f"{one.asked} = {one.answer}" for one in results))
        again = role if len(path) < MOST_TURNS else ""
        return {"said": [*state["said"], told.model_dump()], "path": path, "turn": again}
    if isinstance(reply, Steps | SingleOut):
        return {"draft": reply.steps.strip(), "path": path, "turn": "", "phase": "drafted"}
    assert isinstance(reply, Notes | CalculateOut)
    return {"said": [*state["said"], Said(by=role, text=reply.notes).model_dump()], "path": path, "turn": ""}


def _turn(state: DesignState, role: str) -> Reply | Question | Refusal:
    text, said = state["request"], _said(state)
    offered = OFFERED if configuration_of(state).tools else []
    similar = [Similar.model_validate(one) for one in state["similar"]]
    if role == "single":
        return _ask(state, SINGLE, role, SingleIn(text=text, said=said, tools=offered, similar=similar))
    if role == "understand":
        return _ask(state, UNDERSTAND, role, UnderstandIn(text=text, said=said, similar=similar))
    if role == "calculate":
        return _ask(state, CALCULATE, role, CalculateIn(text=text, said=said, tools=offered))
    if role == "arrange":
        return _ask(state, ARRANGE, role, ArrangeIn(text=text, said=said))
    if role == "process":
        return _ask(state, PROCESS, role, ProcessIn(text=text, said=said))
    return _ask(state, FINISH, role, FinishIn(text=text, said=said))


def _ask(state: DesignState, call: AgentCall[In, Out], role: str, given: In) -> Out | Question | Refusal:
    """The reply of the model that this configuration gives the role."""
    return workroom(state).ask(replace(call, tier=configuration_of(state).tier(role)), given)


def _talked(state: DesignState, role: str, reply: Question | Refusal) -> Update:
    """A question gets the one reply of an unattended run; a refusal ends the run."""
    path = [*state["path"], role]
    if isinstance(reply, Refusal):
        return {**_refused(reply.reason), "path": path}
    asked = Said(by=f"{role} asks", text=reply.text)
    told = Said(by=PERSON, text=AUTOPILOT)
    said = [*state["said"], asked.model_dump(), told.model_dump()]
    # The subgraph's assumptions are added to the run's, which has none before it in this way.
    return {"said": said, "path": path, "turn": "", "assumptions": [f"{reply.text} Answered: {AUTOPILOT}"]}


def _said(state: DesignState) -> list[Said]:
    return [Said.model_validate(one) for one in state["said"]]


def _refused(cause: str) -> Update:
    return {"phase": "report", "status": "refused", "cause": cause, "turn": ""}


def after_lead(state: DesignState) -> Literal["work", "lead", "__end__"]:
    """To the agent whose turn it is; the supervisor's own question brings it back."""
    if state["phase"] == "report":
        return "__end__"
    return "work" if state["turn"] else "lead"


def after_work(state: DesignState) -> Literal["work", "lead", "__end__"]:
    """The same agent again after its tools, else the lead; the end with the steps."""
    if state["phase"] in ("report", "drafted"):
        return "__end__"
    return "work" if state["turn"] else "lead"


def build_written() -> CompiledStateGraph[Any, Any, Any, Any]:
    """The subgraph; mount it as a node so that drawings show it."""
    builder = StateGraph(DesignState)
    builder.add_node("lead", lead)
    builder.add_node("work", work)
    builder.add_edge(START, "lead")
    builder.add_conditional_edges("lead", after_lead)
    builder.add_conditional_edges("work", after_work)
    return builder.compile(name="written")


def check_context(state: DesignState) -> dict[str, Any]:
    """What the checker of written steps has to know."""
    return {
        "run_dir": state["run_dir"],
        "text": state["request"],
        "said": json.dumps(state["said"]),
        "configuration": state["choices"]["configuration"],
    }
