"""Merging: likes are found, the old tools' tests decide, and the second failure leaves everything as it was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from toolsets import many, passed, scaling

from labwright.tools.errors import InputError, SandboxUnavailableError
from labwright.tools.forge.contract import Candidate, Parameter
from labwright.tools.forge.gate import GateBench
from labwright.tools.forge.merge import Adapter, MergeJob, clusters, contained, supersets
from labwright.tools.forge.toolset import Toolset
from labwright.tools.sandbox import open_sandbox

SMALL = scaling("mean_decay", "Mean decay of an excited state.")


def _large(name: str = "mean_decay_shifted", default: str = "0.0, ") -> Candidate:
    """The same with a shift that may be left out."""
    made = scaling(name, "Mean decay of an excited state with a shift.")
    source = made.source.replace(
        '    factor: float = Field(gt=0, description="A factor.")\n',
        f'    factor: float = Field(gt=0, description="A factor.")\n'
        f'    shift: float = Field({default}description="A shift.")\n',
    ).replace("given.x * given.factor", "given.x * given.factor + given.shift")
    tests = made.tests + "\n\ndef test_shift():\n" + "".join(
        f"    assert {name}({_camel(name)}Input(x={x}, factor={f}, shift={s})).y == pytest.approx({x * f + s})\n"
        for x, f, s in ((1.0, 2.0, 0.5), (-2.0, 3.0, 1.5))
    )  # fmt: skip
    if not default:
        tests = tests.replace("factor=2.0)).y", "factor=2.0, shift=0.0)).y")
    shift = Parameter(name="shift", type="float", description="A shift.", unit="")
    contract = made.contract.model_copy(update={"inputs": [*made.contract.inputs, shift]})
    return Candidate(contract, source, tests)


def _camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


@pytest.fixture(scope="module")
def bench() -> Iterator[GateBench]:
    try:
        sandbox = open_sandbox()
    except SandboxUnavailableError as weak:
        pytest.skip(f"this machine can do no level: {weak}")
    with GateBench(sandbox) as made:
        yield made


@pytest.fixture
def toolset(tmp_path: Path) -> Toolset:
    made = Toolset(tmp_path / "t")
    for one in (SMALL, _large(), scaling("cavity_spectrum", "Spectrum of a driven cavity.")):
        made.admit(one, passed(one), "rules")
    return made


def _content(toolset: Toolset) -> dict[str, bytes]:
    files = (path for path in toolset.folder.rglob("*") if path.is_file() and path.name != "lease")
    return {str(path.relative_to(toolset.folder)): path.read_bytes() for path in files}


def test_likes_are_found(toolset: Toolset) -> None:
    assert clusters(toolset) == [["mean_decay", "mean_decay_shifted"]]
    assert supersets(toolset, ["mean_decay", "mean_decay_shifted"]) == [("mean_decay", "mean_decay_shifted")]


def test_different_tools_are_left_alone(tmp_path: Path) -> None:
    toolset = Toolset(tmp_path / "t")
    for one in many(8):
        toolset.admit(one, passed(one), "rules")
    assert clusters(toolset) == []


def test_a_field_without_default_is_not_contained(toolset: Toolset) -> None:
    strict = _large("mean_decay_strict", "")
    toolset.admit(strict, passed(strict), "rules")
    assert contained(toolset.find("mean_decay"), toolset.find("mean_decay_strict")) is None
    assert contained(toolset.find("mean_decay_shifted"), toolset.find("mean_decay")) is None
    other = replace(SMALL, contract=SMALL.contract.model_copy(update={"name": "mean_decay"}))
    assert contained(toolset.find("mean_decay"), toolset.find("mean_decay_shifted")) == Adapter(
        {"factor": "factor", "x": "x"}, {"y": "y"}
    ), other


def test_the_larger_one_answers_for_the_smaller(toolset: Toolset, bench: GateBench) -> None:
    done = MergeJob(toolset, bench, ["mean_decay", "mean_decay_shifted"]).keep("mean_decay_shifted")
    assert (done.state, done.kept, done.gone) == ("merged", "mean_decay_shifted", ("mean_decay",)), done.findings
    assert toolset.names() == ["cavity_spectrum", "mean_decay_shifted"]
    assert toolset.find("mean_decay_shifted").record.replaces == ["mean_decay"]
    assert bench.green(toolset.tools()) == []
    assert not (toolset.folder / ".forge" / "merging" / "mean_decay-mean_decay_shifted").exists()


def test_the_second_failure_restores(toolset: Toolset, bench: GateBench) -> None:
    before = _content(toolset)
    wrong = _large("decay_of_all")
    wrong = replace(wrong, source=wrong.source.replace("+ given.shift", "- given.shift"))
    adapters = {
        name: Adapter({"x": "x", "factor": "factor"}, {"y": "y"}) for name in ("mean_decay", "mean_decay_shifted")
    }
    job = MergeJob(toolset, bench, ["mean_decay", "mean_decay_shifted"])
    first = job.draft(wrong, adapters, "model")
    assert first.state == "again"
    assert "test_shift" in " ".join(first.findings)
    # A draft that passes the gate, but does not do what the old tools did: their shift has no place in its adapter.
    second = job.draft(_large("decay_of_all"), adapters, "model")
    assert second.state == "restored"
    assert "Tests of `mean_decay_shifted`" in " ".join(second.findings)
    assert _content(toolset) == before


@pytest.mark.slow
def test_a_second_try_may_succeed(toolset: Toolset, bench: GateBench) -> None:
    plain = Adapter({"x": "x", "factor": "factor"}, {"y": "y"})
    right = {
        "mean_decay": Adapter({"x": "x", "factor": "factor"}, {"y": "y"}, {"shift": 0.0}),
        "mean_decay_shifted": Adapter({"x": "x", "factor": "factor", "shift": "shift"}, {"y": "y"}),
    }
    draft = _large("decay_of_all", "")
    job = MergeJob(toolset, bench, ["mean_decay", "mean_decay_shifted"])
    assert job.draft(draft, dict.fromkeys(right, plain), "model").state == "again"
    done = job.draft(draft, right, "model")
    assert (done.state, done.kept) == ("merged", "decay_of_all"), done.findings
    assert toolset.names() == ["cavity_spectrum", "decay_of_all"]
    assert bench.green(toolset.tools()) == []


def test_a_tool_that_others_import_is_not_taken_away(toolset: Toolset, bench: GateBench) -> None:
    uses = scaling(
        "twice_scaled",
        imports="\nfrom tools.mean_decay import MeanDecayInput, mean_decay\n",
        inner="mean_decay(MeanDecayInput(x=given.x, factor=1.0)).y",
    )
    toolset.admit(uses, passed(uses), "rules")
    done = MergeJob(toolset, bench, ["mean_decay", "mean_decay_shifted"]).keep("mean_decay_shifted")
    assert done.state == "again"
    assert "`twice_scaled` imports `mean_decay`" in done.findings[0]


def test_one_tool_is_no_merger(toolset: Toolset, bench: GateBench) -> None:
    with pytest.raises(InputError, match="two tools"):
        MergeJob(toolset, bench, ["mean_decay", "mean_decay"])
