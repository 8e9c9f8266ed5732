"""Small tools by the dozen, and reports of a gate that let them in."""

from __future__ import annotations

from labwright.tools.forge.gate import GATE_CHECKS
from labwright.tools.forge.toolset.contract import Candidate, Parameter, ToolContract
from labwright.tools.forge.toolset.gate_findings import GateReport
from labwright.tools.forge.toolset.tool_source import camel
from labwright.tools.forge.toolset.toolset import Toolset

TOPICS = (
    "qubit decay fidelity entangled state circuit noise",
    "spin chain energy magnetisation lattice ground",
    "molecule geometry dipole orbital vibration bond",
    "cavity photon mode coupling resonator spectrum",
    "figure curve panel axis picture colour",
    "reaction enthalpy entropy equilibrium rate barrier",
    "pulse control detuning rotation sequence echo",
    "lattice band momentum hopping filling gap",
)
VERBS = "mean total relative squared lowest highest final initial smoothed scaled shifted normalised".split()


def passed(candidate: Candidate) -> GateReport:
    """A report that lets a candidate in."""
    return GateReport(candidate.name, candidate.sha256, True, (), GATE_CHECKS, "bubblewrap")


def scaling(name: str, purpose: str = "", imports: str = "", inner: str = "given.x") -> Candidate:
    """A tool that multiplies by a factor; with `imports` and `inner` it may use another one."""
    purpose, mine = purpose or f"{name.replace('_', ' ').capitalize()} of a value.", camel(name)
    source = (
        f'"""{purpose}\n\nSource: arithmetic textbook.\n"""\n\nfrom pydantic import BaseModel, Field\n{imports}\n\n'
        f'class {mine}Input(BaseModel, allow_inf_nan=False):\n    """Given."""\n\n'
        f'    x: float = Field(description="A value.")\n'
        f'    factor: float = Field(gt=0, description="A factor.")\n\n\n'
        f'class {mine}Output(BaseModel):\n    """Made."""\n\n    y: float = Field(description="The product.")\n\n\n'
        f'def {name}(given: {mine}Input) -> {mine}Output:\n    """{purpose}"""\n'
        f"    return {mine}Output(y={inner} * given.factor)\n"
    )
    tests = (
        "import pytest\nfrom pydantic import ValidationError\n\n"
        f"from tools.{name} import {mine}Input, {name}\n\n\n"
        f"def test_invariant_product():\n"
        f"    assert {name}({mine}Input(x=3.0, factor=2.0)).y == pytest.approx(6.0)\n\n\n"
        f'def test_error_factor():\n    with pytest.raises(ValidationError, match="factor"):\n'
        f"        {mine}Input(x=1.0, factor=0.0)\n"
    )
    field = {"type": "float", "unit": ""}
    contract = ToolContract(
        name=name,
        purpose=purpose,
        package="stdlib",
        method="Multiplication.",
        inputs=[
            Parameter(name="x", description="A value.", **field),
            Parameter(name="factor", description="A factor.", **field),
        ],
        outputs=[Parameter(name="y", description="The product.", **field)],
        invariants=["It is linear in both."],
    )
    return Candidate(contract, source, tests)


def many(count: int) -> list[Candidate]:
    """`count` tools of several topics, all with different names."""
    made = []
    for number in range(count):
        words = TOPICS[number % len(TOPICS)].split()
        step = number // len(TOPICS)
        one, other = words[step % len(words)], words[(step // len(words) + step + 1) % len(words)]
        verb = VERBS[(step * 7 + number) % len(VERBS)]
        name = f"{verb}_{one}_{other}_{number}"
        made.append(scaling(name, f"The {verb} {one} and {other} of a system, for {' and '.join(words[:4])}."))
    return made


def admit_half(folder: str, start: int) -> None:
    """Every second of 24 tools; for two processes at once."""
    toolset = Toolset(folder)
    for one in many(24)[start::2]:
        toolset.admit(one, passed(one), "rules")
