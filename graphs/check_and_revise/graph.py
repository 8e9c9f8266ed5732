"""check -> findings? -> revise -> check ..., guided or unguided, within a budget."""

from __future__ import annotations

from typing import Any, Literal

from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from labwright.graphs.check_and_revise.state import GUIDED_ROUNDS, UNGUIDED_ROUNDS, Checker, Finding, SelfCheckState
from labwright.graphs.node_kinds import AGENT, CHECK


def build_self_check(checker: Checker) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The subgraph for one kind of artifact; mount it as a node so that drawings show it.

    Guided mode runs the named checks in order and hands the first one's findings to the reviser; after a repair all
    run again, because a repair may break what passed. Unguided mode asks for one whole review a round.
    """

    def check(state: SelfCheckState) -> SelfCheckState:
        findings = _find(checker, state)
        return {
            "findings": findings,
            "check_status": _status(state, findings),
            "check_log": [*state.get("check_log", []), *findings],
        }

    def revise(state: SelfCheckState) -> SelfCheckState:
        mended = checker.revise(state["artifact"], state["findings"], state.get("check_context", {}))
        if mended is None or mended == state["artifact"]:
            return {"check_status": "exhausted"}
        return {"artifact": mended, "check_round": state.get("check_round", 0) + 1, "check_status": "open"}

    def after_check(state: SelfCheckState) -> Literal["revise", "__end__"]:
        return "revise" if state["check_status"] == "open" else "__end__"

    def after_revise(state: SelfCheckState) -> Literal["check", "__end__"]:
        return "check" if state["check_status"] == "open" else "__end__"

    builder = StateGraph(SelfCheckState)
    builder.add_node("check", check, metadata=CHECK)
    builder.add_node("revise", revise, metadata=AGENT)
    builder.add_edge(START, "check")
    builder.add_conditional_edges("check", after_check)
    builder.add_conditional_edges("revise", after_revise)
    return builder.compile(name="self_check")


def _find(checker: Checker, state: SelfCheckState) -> list[Finding]:
    context = state.get("check_context", {})
    if state.get("check_mode", "guided") == "unguided":
        return checker.review(state["artifact"], context)
    for name in checker.names:
        if findings := checker.check(name, state["artifact"], context):
            return findings
    return []


def _status(state: SelfCheckState, findings: list[Finding]) -> Literal["open", "clean", "exhausted"]:
    if not findings:
        return "clean"
    limit = UNGUIDED_ROUNDS if state.get("check_mode", "guided") == "unguided" else GUIDED_ROUNDS
    return "exhausted" if state.get("check_round", 0) >= limit else "open"
