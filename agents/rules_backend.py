"""The rules mind: every call is answered by the role's own policy, with no model and no network."""

from __future__ import annotations

import time
from typing import Any

from labwright.agents.call_events import announce, traced
from labwright.agents.errors import AgentGaveUp
from labwright.agents.meter import Meter, Usage
from labwright.agents.typed_call import AgentCall, In, Out, Question, Refusal, Runtime
from labwright.agents.workspace_task import WorkspaceTask
from labwright.tools.workspace.workspace import Workspace


class RulesMind:
    """Dispatches to ``call.policy`` and holds its answer to ``call.check``, as a model's answer is."""

    name = "rules"
    sees_images = False
    reads_words = False

    def __init__(self, meter: Meter | None = None) -> None:
        self.meter = meter or Meter()

    def answer(self, call: AgentCall[In, Out], input: In, runtime: Runtime | None = None) -> Out | Question | Refusal:
        """Answer, ask or refuse; see `labwright.agents.typed_call.Mind`."""
        runtime, role, began = runtime or Runtime(), _any(call), time.perf_counter()
        self.meter.check()
        reply = traced(role, input, runtime, lambda: call.policy(input))
        findings = call.check(input, reply) if isinstance(reply, call.output) else []
        seconds = time.perf_counter() - began
        self.meter.record(call.name, Usage(answers=int(not findings), seconds=seconds))
        if findings:
            announce(runtime, role, self.name, None, seconds=seconds, reason=" ".join(findings))
            raise AgentGaveUp(
                f"The policy of {call.name} gave an answer that its own check refuses: {' '.join(findings)}",
                agent=call.name,
                findings=findings,
            )
        announce(runtime, role, self.name, reply, seconds=seconds)
        return reply

    def work(
        self, task: WorkspaceTask[In, Out], input: In, workspace: Workspace, runtime: Runtime | None = None
    ) -> Out | Question | Refusal:
        """Work by the role's policy, then answer; see `labwright.agents.workspace_task.WorkspaceMind`."""
        return self.answer(task.call(input, workspace), input, runtime)


def _any(call: AgentCall[In, Out]) -> AgentCall[Any, Any]:
    return call
