"""A tiny family for tests: a card gives numbers, a recipe adds them, a script plots the partial sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml
from pydantic import BaseModel

from labwright.agents.tool_forging.known_task_types import Known
from labwright.tools.forge.tasks.results import Results
from labwright.tools.forge.tasks.task_type import Judgement, Script
from labwright.tools.forge.toolset.builtin_tools import Toolbox
from labwright.tools.forge.toolset.contract import Parameter, ToolContract

# An analysis without tools; tests put in what they are about.
PLAN = {
    "stages": [{"purpose": "Add.", "tool": ""}], "reuse": [], "new": [], "pitfalls": [], "packages": [],
    "assumptions": [],
}  # fmt: skip
SOURCE = '''"""Partial sums of numbers: s_k = x_1 + ... + x_k. Plain arithmetic."""

from __future__ import annotations

from pydantic import BaseModel, Field


class AddNumbersInput(BaseModel, allow_inf_nan=False):
    """Numbers to add."""

    numbers: list[float] = Field(min_length=1, description="The numbers, of one unit.")


class AddNumbersOutput(BaseModel):
    """Their partial sums."""

    sums: list[float] = Field(description="Partial sums, in the unit of the numbers.")


def add_numbers(given: AddNumbersInput) -> AddNumbersOutput:
    """The partial sums of the numbers, in order."""
    sums: list[float] = []
    for number in given.numbers:
        sums.append((sums[-1] if sums else 0.0) + number)
    return AddNumbersOutput(sums=sums)
'''
TESTS = """import pytest
from tools.add_numbers import AddNumbersInput, add_numbers


def test_invariant_the_last_sum_is_the_sum():
    assert add_numbers(AddNumbersInput(numbers=[1.0, 2.5, 4.0])).sums == [1.0, 3.5, 7.5]


def test_error_without_numbers():
    with pytest.raises(ValueError):
        AddNumbersInput(numbers=[])
"""
SCRIPT = """import json
from pathlib import Path

from {module} import AddNumbersInput, add_numbers

numbers = {numbers}
sums = add_numbers(AddNumbersInput(numbers=numbers)).sums
Path("results").mkdir(exist_ok=True)
record = {{"quantity": "partial_sum", "axes": [{{"name": "term", "values": list(range(len(sums)))}}], "value": sums}}
found = {{"parameters": {{"numbers": numbers}}, "records": [record]}}
Path("results/sums{suffix}.json").write_text(json.dumps(found))
Path("img").mkdir(exist_ok=True)
Path("img/sums.png").write_bytes(b"\\x89PNG\\r\\n\\x1a\\n")
panel = {{"title": "", "x_label": "term", "y_label": "sum", "series": [{{"label": "s", "x": [0], "y": sums}}]}}
Path("img/sums.json").write_text(json.dumps({{"kind": "lines", "title": "Sums", "panels": [panel]}}))
print("sum", sums[-1])
"""
CONTRACT = ToolContract(
    name="add_numbers",
    purpose="Partial sums of numbers.",
    package="numpy",
    method="One after the other, in double precision.",
    inputs=[Parameter(name="numbers", type="list[float]", description="The numbers.", unit="1")],
    outputs=[Parameter(name="sums", type="list[float]", description="Partial sums.", unit="1")],
    invariants=["The last one is the sum."],
)


class SumSpec(BaseModel):
    numbers: list[float]
    order: str = "as written"


class SumFamily:
    name = "sums"
    card = SumSpec

    def __init__(self, package: str = "numpy", script: str = SCRIPT) -> None:
        self.package, self.script = package, script

    def tools(self, spec: SumSpec) -> Mapping[str, str]:
        return {"add_numbers": "Add the numbers."}

    def scripts(self, spec: SumSpec, imports: Mapping[str, str]) -> Sequence[Script]:
        def made(numbers: Sequence[float], suffix: str) -> str:
            return self.script.format(module=imports["add_numbers"], numbers=list(numbers), suffix=suffix)

        return [
            Script("Add all numbers.", made(spec.numbers, "")),
            Script("Add the first two.", made(spec.numbers[:2], "_subset"), subset=True),
        ]

    def judge(self, spec: SumSpec, results: Results, figures: Mapping[str, object]) -> Sequence[Judgement]:
        last, right = results.one("partial_sum").value[-1], sum(spec.numbers)  # type: ignore[index]
        passed = abs(last - right) < 1e-9  # type: ignore[operator]
        return [Judgement("sum rule", passed, f"The last partial sum is {last}, the sum {right}.", "bug", "Add again.")]

    def report(self, spec: SumSpec, results: Results, figures: Sequence[str]) -> str:
        return f"## Results\n\nThe sum of {len(spec.numbers)} numbers is {results.one('partial_sum').value[-1]}."  # type: ignore[index]


def sums_known(folder: Path, **more: str) -> Known:
    """Knowledge of sums alone, with its toolbox in `folder`; `package` and `script` change the family."""
    recipe = folder / "toolbox" / "sums" / "add_numbers"
    recipe.mkdir(parents=True, exist_ok=True)
    contract = CONTRACT.model_copy(update={"package": more.get("package", CONTRACT.package)})
    (recipe / "contract.yaml").write_text(yaml.safe_dump(contract.model_dump(mode="json"), sort_keys=False))
    (recipe / "add_numbers.py").write_text(SOURCE)
    (recipe / "test_add_numbers.py").write_text(TESTS)
    family = SumFamily(**more)
    return Known(families=lambda: {"sums": family}, toolbox=Toolbox(folder / "toolbox"))
