"""The typed call of an agent that works in a folder: it reads, writes and runs there before it answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Generic, Literal, Protocol

from pydantic import AfterValidator

from labwright import prompts
from labwright.agents.reply_schema import outline
from labwright.agents.typed_call import AgentCall, In, Mind, Out, Question, Refusal, Runtime, Tier
from labwright.agents.viewing_log import Looks
from labwright.tools.workspace.workspace import Workspace

Ability = Literal["write", "run", "jobs", "view_image", "packages", "skills"]  # reading and searching every agent may
InWorkspace = Annotated[str, AfterValidator(lambda path: path.removeprefix("/"))]  # the file tools' paths begin so
ALL: frozenset[Ability] = frozenset({"write", "run", "jobs", "view_image", "packages", "skills"})

SCHEMA = """## Schema of the reply

Every property is required, and no other may be given. Paths in the reply are relative to the workspace, such as
`tool_smith/task_1/x.py`, and name files that are there; the contents of files stay in the files.

"""


@dataclass(frozen=True)
class WorkspaceTask(Generic[In, Out]):
    """One role that works in the workspace: one prompt, one typed answer, and what it may do on the way.

    Attributes:
        name: dotted, such as ``tool_forging.execute``.
        prompt: file below ``prompts/``, rendered with the fields of the input.
        input: pydantic type of the input.
        output: pydantic type of the answer, strict as that of an `AgentCall`.
        policy: the rules mind's function; it works in the workspace as a model would.
        check: what is wrong with an answer, in sentences; it may look at the files that the answer speaks of.
        tier: which model works.
        doubts: what else is wrong with an answer that was not computed but told, by a model or a program; gets what
            it has read, run or viewed.
        abilities: what the agent may do besides reading and searching.
        writable: where it may write, see `Workspace`; may name blanks of the input, such as ``{folder}``.
        computed: files that commands and jobs write, and no file tool.
        steps: the most requests to the model, those of the closing answer and its repairs apart.
        seconds: the most time on the clock; no further request is begun then.
    """

    name: str
    prompt: str
    input: type[In]
    output: type[Out]
    policy: Callable[[In, Workspace], Out | Question | Refusal]
    check: Callable[[In, Out, Workspace], list[str]] = lambda _input, _answer, _workspace: []
    tier: Tier = "reasoning"
    doubts: Callable[[In, Out, Workspace, Looks], list[str]] = lambda _input, _answer, _workspace, _looks: []
    abilities: frozenset[Ability] = ALL
    writable: tuple[str, ...] = ("",)
    computed: tuple[str, ...] = ()
    steps: int = 80
    seconds: float = 3600.0

    def __post_init__(self) -> None:
        AgentCall(self.name, self.prompt, self.input, self.output, _no_policy)  # one place says what a call may be

    def prompted(self, given: In) -> prompts.Rendered:
        """The prompt with the schema of the reply at its end: requests with tools carry none of their own."""
        rendered = prompts.render(self.prompt, **given.model_dump(mode="json"))
        call = AgentCall(self.name, self.prompt, self.input, self.output, _no_policy)
        shape = json.dumps(outline(call.reply_schema()), ensure_ascii=False, separators=(",", ":"))
        return prompts.Rendered(f"{rendered.system}\n\n{SCHEMA}```json\n{shape}\n```", rendered.user)

    def call(self, given: In, workspace: Workspace, looks: Looks | None = None) -> AgentCall[In, Out]:
        """The same role as a typed call that is bound to a workspace, narrowed to what the role may write.

        Args:
            given: the input.
            workspace: where it works.
            looks: what the agent looks at, filled while it works; None for a policy, which has no doubts to settle.
        """
        bound = self.bound(given, workspace)
        return AgentCall(
            self.name,
            self.prompt,
            self.input,
            self.output,
            lambda asked: self.policy(asked, bound),
            lambda asked, answer: [
                *self.check(asked, answer, bound),
                *(self.doubts(asked, answer, bound, looks) if looks is not None else ()),
            ],
            self.tier,
        )

    def bound(self, given: In, workspace: Workspace) -> Workspace:
        """The workspace with what this role may write."""
        fields = given.model_dump(mode="json")
        return workspace.narrowed([place.format(**fields) for place in self.writable])


def _no_policy(_given: object) -> Refusal:
    return Refusal(reason="A workspace task is answered in a workspace.")


class WorkspaceMind(Mind, Protocol):
    """A mind that can also work in a folder: an expert policy, a model with tools, or a coding program."""

    def work(
        self, task: WorkspaceTask[In, Out], input: In, workspace: Workspace, runtime: Runtime | None = None
    ) -> Out | Question | Refusal:
        """Work in `workspace`, then answer, ask or refuse.

        Raises:
            AgentGaveUp: no valid answer within the repair budget.
            BudgetExceeded: the run's budget is spent; what was written so far stays.
            ModelUnavailable: the model or the program does not answer at all.
        """
        ...
