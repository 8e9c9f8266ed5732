"""The tools of a model at work: files, the shell, figures, jobs, packages, skills."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool

from labwright.agents.errors import AgentGaveUp
from labwright.agents.model_backend import ModelMind
from labwright.agents.tool_forging.view_figure import VIEW, Seen, ViewIn, view_by_rules
from labwright.agents.typed_call import Question, Refusal, Runtime
from labwright.agents.viewing_log import Looks
from labwright.agents.workspace_files import inner, reading_tools, running_tools, writing_tools
from labwright.agents.workspace_jobs import job_tools
from labwright.agents.workspace_task import WorkspaceTask
from labwright.tools.errors import InputError
from labwright.tools.workspace.installed_packages import Navigator
from labwright.tools.workspace.skill_guides import read_skill, skills
from labwright.tools.workspace.workspace import Workspace, shortened

MOST_IMAGE = 8_000_000  # bytes of a figure that is sent
MOST_DATA = 20_000  # characters of the plotted data that go with it
_SCHEMAS: dict[str, Any] = {}
SIGNATURES = {".png": b"\x89PNG", ".jpg": b"\xff\xd8", ".jpeg": b"\xff\xd8"}


def tools_for(
    task: WorkspaceTask[Any, Any], workspace: Workspace, mind: ModelMind, runtime: Runtime, looks: Looks
) -> list[BaseTool]:
    """What the task's abilities allow; what is looked at goes into `looks`."""
    made = reading_tools(workspace, looks)
    if "write" in task.abilities:
        made += writing_tools(workspace, task.computed)
    if "run" in task.abilities:
        made += running_tools(workspace, looks, "jobs" in task.abilities and workspace.jobs is not None)
    if "view_image" in task.abilities:
        made.append(_viewing(workspace, mind, runtime))
    if "jobs" in task.abilities and workspace.jobs is not None:
        made += job_tools(workspace)
    if "packages" in task.abilities:
        made += _packages(Navigator(mind.state / "navigation"))
    if "skills" in task.abilities:
        made.append(_skills())
    return [_tool(one) for one in made]


def _tool(function: Callable[..., str]) -> BaseTool:
    """A tool; the schema of its arguments, which takes 2 ms to make, is made once a process."""
    name = f"{function.__module__}.{function.__qualname__}"  # a closure is of one code, whatever it holds
    tool = StructuredTool.from_function(function, args_schema=_SCHEMAS.get(name))
    _SCHEMAS[name] = tool.args_schema
    return tool


def _viewing(workspace: Workspace, mind: ModelMind, runtime: Runtime) -> Callable[..., str]:
    def view_image(path: str, question: str) -> str:
        """Look at a figure (PNG or JPEG) and answer a question about it."""
        return viewed(workspace, mind, runtime, inner(path), question)

    return view_image


def viewed(workspace: Workspace, mind: ModelMind, runtime: Runtime, path: str, question: str) -> str:
    """What a vision model sees in a figure; without one, what its plotted data say.

    Raises:
        InputError: it is no figure, too large, or the vision model gave no valid answer.
    """
    signature = SIGNATURES.get(path[path.rfind(".") :].lower())
    content = workspace.files.read_bytes(path, MOST_IMAGE + 1)
    if signature is None or not content.startswith(signature) or len(content) > MOST_IMAGE:
        raise InputError(f"{path} is no PNG or JPEG of at most {MOST_IMAGE} bytes.")
    beside = path[: path.rfind(".")] + ".json"
    data = workspace.files.text(beside, MOST_DATA) if workspace.files.exists(beside) else ""
    given = ViewIn(figure=path, question=question, data=data)
    looking = Runtime([workspace.folder / path], runtime.on_event, runtime.tags, runtime.sample)
    if not mind.sees_images:
        return _told(view_by_rules(given))
    try:
        seen = mind.answer(VIEW, given, looking)
    except AgentGaveUp as lost:  # a look that fails is no reason to end the work that wanted it
        raise InputError(f"Nobody could look at {path}: {lost} Its plotted data can be read as a file.") from lost
    return _told(seen)


def _told(seen: Seen | Question | Refusal) -> str:
    if isinstance(seen, Seen):
        faults = "".join(f"\nFault: {one}" for one in seen.faults)
        return seen.seen + faults
    return seen.reason if isinstance(seen, Refusal) else seen.text


def _packages(navigator: Navigator) -> list[Callable[..., str]]:
    def search_packages(query: str, packages: list[str]) -> str:
        """Find functions of installed packages (import names, such as qutip) by what one does, in a few words."""
        return navigator.search(query, packages[:8])

    def open_module(name: str) -> str:
        """Show what a module offers, or signature and docstring of a function or class, by dotted name."""
        return navigator.open_module(name)

    return [search_packages, open_module]


def _skills() -> Callable[..., str]:
    def read_guide(name: str) -> str:
        return shortened(read_skill(name))

    listed = "\n".join(f"- {one.name}: {one.about}" for one in skills().values())
    read_guide.__name__ = "read_skill"
    read_guide.__doc__ = f"Read a guide on a method, conventions or figures:\n{listed}"
    return read_guide
