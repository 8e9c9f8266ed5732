"""The optimiser's grouping: a folder with too many tools becomes a few folders that say what is in them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import BaseModel, Field

from labwright.agents.call import AgentCall

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


# Subject -> words that speak for it, the first subject with the most words wins. General words of the two fields.
SUBJECTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "plotting": ("Figures and the data they show.", ("plot", "figure", "heatmap", "draw", "chart", "visual")),
    "open_systems": (
        "Dissipative dynamics: master equations, baths, steady states.",
        ("lindblad", "dissipat", "bath", "heom", "redfield", "steady", "collapse", "decay", "open", "master", "noise"),
    ),
    "circuits": (
        "Gate circuits, sampling and variational algorithms.",
        ("circuit", "gate", "qubit", "shots", "vqe", "ansatz", "counts", "variational", "tomography"),
    ),
    "control": ("Pulses that steer a system.", ("pulse", "control", "grape", "krotov", "fidelity", "optimal")),
    "many_body": (
        "Chains and lattices: tensor networks, exact diagonalisation, Floquet dynamics.",
        ("spin", "chain", "dmrg", "mps", "tebd", "floquet", "lattice", "hubbard", "ising", "tensor", "gibbs", "order"),
    ),
    "structures": (
        "Molecular geometry: building, reading, optimising.",
        ("geometr", "structure", "smiles", "conformer", "xyz", "optimi", "molecule", "symmetry", "point_group"),
    ),
    "electronic_structure": (
        "Energies, orbitals and properties of molecules.",
        ("energy", "orbital", "dft", "scf", "hartree", "dipole", "charge", "excit", "tddft", "basis", "homo"),
    ),
    "thermochemistry": (
        "Frequencies, enthalpies, free energies, solvation.",
        ("frequen", "vibration", "thermo", "enthalp", "gibbs", "solv", "pka", "hessian", "strain"),
    ),
    "dynamics": ("Time evolution and expectation values.", ("evol", "dynamics", "time", "propagat", "expectation")),
}


def group_by_rules(given: GroupIn) -> Grouping:
    """By subject words in name and purpose, then by package; a group that is too large is cut by its packages."""
    sorted_in: dict[str, list[ToolSummary]] = {}
    for one in given.tools:
        sorted_in.setdefault(_subject(one), []).append(one)
    groups: list[Group] = []
    for subject, tools in sorted_in.items():
        purpose = SUBJECTS[subject][0] if subject in SUBJECTS else f"Tools on {subject}."
        groups += _cut(subject, purpose, tools, given.most)
    return Grouping(groups=[one.model_copy(update={"folder": _free(one.folder, given)}) for one in groups])


def _subject(tool: ToolSummary) -> str:
    text = f"{tool.name} {tool.name} {tool.purpose}".lower()  # a name says more than a sentence
    scores = {subject: sum(text.count(word) for word in words) for subject, (_, words) in SUBJECTS.items()}
    best = max(scores, key=lambda subject: scores[subject])
    return best if scores[best] else _snake(tool.package) or "general"


def _cut(subject: str, purpose: str, tools: Sequence[ToolSummary], most: int) -> list[Group]:
    """One group, or as many as are needed; the first keeps the plain name."""
    ordered = sorted(tools, key=lambda one: (one.package, one.name))
    parts = [ordered[start : start + most] for start in range(0, len(ordered), most)]
    return [
        Group(
            folder=subject if number == 1 else f"{subject}_{number}",
            purpose=purpose,
            tools=[one.name for one in part],
        )
        for number, part in enumerate(parts, 1)
    ]


def _free(folder: str, given: GroupIn) -> str:
    """A name that is no tool's here: a module and a folder of one name hide each other."""
    return f"{folder}_tools" if folder in {one.name for one in given.tools} else folder


def _snake(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


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
