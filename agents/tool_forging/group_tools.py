"""The optimiser's grouping: a folder with too many tools becomes a few folders that say what is in them."""

from __future__ import annotations

from pydantic import BaseModel, Field

from labwright.agents.typed_call import AgentCall

NAME = r"^[a-z][a-z0-9]*(_[a-z0-9]+)*$"
MOST = 10  # tools in one folder


class ToolSummary(BaseModel):
    """A tool as its index shows it."""

    name: str
    purpose: str = Field(description="First line of its docstring.")
    package: str = Field(default="", description="Distribution that does the work.")


class GroupIn(BaseModel):
    """A folder of the toolset that holds too many tools."""

    folder: str = Field(description="Path below the toolset; empty for its root.")
    tools: list[ToolSummary]
    folders: list[str] = Field(default_factory=list, description="Folders that are there already and may take tools.")
    most: int = Field(default=MOST, ge=2, description="Tools that one folder may hold.")


class Group(BaseModel):
    """A folder and what moves into it."""

    folder: str = Field(pattern=NAME, max_length=40, description="Name in snake_case: what its tools have in common.")
    purpose: str = Field(description="One sentence for INDEX.md, so that a reader knows whether to look inside.")
    tools: list[str] = Field(min_length=1, description="Names of the tools that move there.")


class Grouping(BaseModel):
    """Folders for the tools; what no group names stays where it is."""

    groups: list[Group] = Field(min_length=1)


def group_by_rules(given: GroupIn) -> Grouping:
    """By package, and by the first words of their names."""
    from labwright.tools.forge.toolset.folder_regrouping import propose_groups

    proposed = propose_groups({one.name: one.package for one in given.tools}, given.most)
    groups = [(folder.replace("/", "_"), names) for folder, names in proposed.items() if folder]
    return Grouping(groups=[Group(folder=name, purpose=f"Tools on {name}.", tools=tools) for name, tools in groups])


def check_grouping(given: GroupIn, answer: Grouping) -> list[str]:
    """Every tool at most once, in folders that are not too large, and fewer than `most` tools left behind."""
    names = {one.name for one in given.tools}
    moved = [name for group in answer.groups for name in group.tools]
    found = [f"There is no tool {name} in this folder." for name in moved if name not in names]
    found += [f"{name} is in several groups." for name in dict.fromkeys(moved) if moved.count(name) > 1]
    folders = [group.folder for group in answer.groups]
    found += [f"Two groups are called {name}." for name in dict.fromkeys(folders) if folders.count(name) > 1]
    found += [f"{name} is a tool's name; call the folder otherwise." for name in folders if name in names]
    for group in answer.groups:
        if len(group.tools) > given.most:
            found.append(f"{group.folder} would hold {len(group.tools)} tools; at most {given.most} are allowed.")
    left = len(names - set(moved))
    if left > given.most:
        found.append(f"{left} tools stay where they are; at most {given.most} may.")
    return found


GROUP = AgentCall(
    "tool_forging.group_tools",
    "tool_forging/group_tools.md",
    GroupIn,
    Grouping,
    group_by_rules,
    check_grouping,
    "general",
)
