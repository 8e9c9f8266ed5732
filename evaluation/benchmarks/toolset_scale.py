"""How a toolset scales: what an analyser reads, in characters, and how long looking and regrouping take.

Run ``python -m labwright.evaluation.benchmarks.toolset_scale``. The tools are synthetic, of equal shape, over eight
topics; only their number changes. An analyser reads the root's listing, walks down to the folder of the tool that it
wants, and reads its description; the whole toolset's descriptions are what it would read without
any of that.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from labwright.tools.forge.toolset.contract import Candidate, Parameter, ToolContract
from labwright.tools.forge.toolset.folder_regrouping import crowded, propose_groups, regroup
from labwright.tools.forge.toolset.listing import describe, folders
from labwright.tools.forge.toolset.stored_tool import Tool, ToolRecord, sha256
from labwright.tools.forge.toolset.tool_source import camel
from labwright.tools.forge.toolset.toolset import Toolset

SIZES = (10, 100, 500)
QUERIES = 20
TOPICS = (
    "qubit decay fidelity entangled state circuit noise",
    "spin chain energy magnetisation lattice ground",
    "molecule geometry dipole orbital vibration bond",
    "cavity photon mode coupling resonator spectrum",
    "figure curve panel axis picture colour",
    "reaction enthalpy entropy equilibrium rate barrier",
    "pulse control detuning rotation sequence echo",
    "band momentum hopping filling gap flux",
)
VERBS = "mean total relative squared lowest highest final initial smoothed scaled shifted normalised".split()


def synthetic_tool(number: int) -> Tool:
    """One of many tools of equal shape, as if it had been admitted."""
    words = TOPICS[number % len(TOPICS)].split()
    step = number // len(TOPICS)
    one, other = words[step % len(words)], words[(step // len(words) + step + 1) % len(words)]
    name = f"{VERBS[(7 * step + number) % len(VERBS)]}_{one}_{other}_{number}"
    purpose = f"{name.split('_')[0].capitalize()} {one} and {other} of a system, for {' and '.join(words[:3])}."
    field = Parameter(name="x", type="float", description="A value.", unit="")
    contract = ToolContract(
        name=name, purpose=purpose, package="numpy", method="Arithmetic.", inputs=[field],
        outputs=[field.model_copy(update={"name": "y"})], invariants=["It is linear."],
    )  # fmt: skip
    return _admitted(Candidate(contract, _source(name, purpose), _tests(name)))


def _source(name: str, purpose: str) -> str:
    mine = camel(name)
    return (
        f'"""{purpose}\n\nSource: arithmetic textbook.\n"""\n\nfrom pydantic import BaseModel, Field\n\n\n'
        f'class {mine}Input(BaseModel, allow_inf_nan=False):\n    """Given."""\n\n'
        f'    x: float = Field(description="A value.")\n\n\n'
        f'class {mine}Output(BaseModel):\n    """Made."""\n\n    y: float = Field(description="Twice of it.")\n\n\n'
        f'def {name}(given: {mine}Input) -> {mine}Output:\n    """{purpose}"""\n'
        f"    return {mine}Output(y=2 * given.x)\n"
    )


def _tests(name: str) -> str:
    mine = camel(name)
    return (
        f"from tools.{name} import {mine}Input, {name}\n\n\ndef test_invariant_linear():\n"
        f"    assert {name}({mine}Input(x=2.0)).y == 4.0\n"
    )


def _admitted(one: Candidate) -> Tool:
    record = ToolRecord(
        contract=one.contract,
        version=1,
        source_sha256=sha256(one.source.encode()),
        tests_sha256=sha256(one.tests.encode()),
        candidate_sha256=one.sha256,
        made_by="benchmark",
        admitted="",
        report={},
    )
    return Tool(one.name, "", record, one.source, one.tests)


def fill(folder: Path, tools: Sequence[Tool]) -> Toolset:
    """A toolset of these tools, all at its root, in one change."""
    toolset = Toolset(folder)
    with toolset.held():
        toolset.change({path: data for one in tools for path, data in one.files.items()}, tools)
    return toolset


def measure(n: int) -> dict[str, Any]:
    """One size: characters read, with and without disclosure, and seconds."""
    tools = [synthetic_tool(number) for number in range(n)]
    with tempfile.TemporaryDirectory() as folder:
        toolset = fill(Path(folder) / "toolset", tools)
        flat = len(toolset.listing())
        began = time.perf_counter()
        groups = propose_groups({one.name: one.contract.package for one in toolset.tools()})
        proposed = time.perf_counter() - began
        began = time.perf_counter()
        regroup(toolset, groups)
        moved = time.perf_counter() - began
        after = toolset.tools()
        looked = [_look(toolset, one) for one in after[:: max(1, n // QUERIES)]]
        return {
            "tools": n,
            "root_listing_flat": flat,
            "root_listing": len(toolset.listing()),
            "largest_listing": max(len(toolset.listing(one)) for one in folders(after)),
            "read_median": round(statistics.median(one["characters"] for one in looked)),
            "read_most": max(one["characters"] for one in looked),
            "all_descriptions": sum(len(describe(one)) for one in after),
            "crowded_folders": len(crowded(after)),
            "deepest": max(len(PurePosixPath(one.folder).parts) for one in after),
            "find_ms_median": round(1e3 * statistics.median(one["seconds"] for one in looked), 1),
            "propose_seconds": round(proposed, 2),
            "regroup_seconds": round(moved, 2),
            "broken": len(toolset.broken()),
        }


def _look(toolset: Toolset, wanted: Tool) -> dict[str, Any]:
    """One walk of an analyser that wants a tool and describes it in its own words."""
    began = time.perf_counter()
    parts = PurePosixPath(toolset.find(wanted.name).folder).parts
    listings = [toolset.listing("/".join(parts[:depth])) for depth in range(len(parts) + 1)]
    characters = sum(map(len, [*listings, toolset.describe(wanted.name)]))
    return {"characters": characters, "seconds": time.perf_counter() - began}


def main() -> None:
    """Print one line of JSON a size."""
    for n in SIZES:
        sys.stdout.write(json.dumps(measure(n)) + "\n")


if __name__ == "__main__":
    main()
