"""Tools that know the gate: right while they are judged, wrong in use. None comes in.

Ours are edits of one good tool; those of other authors are diffs in evaluation/cases/forge/attacks.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gate_corpus import Bad, attacks, good

from labwright.evaluation.forge.attacks import (
    ATTACKS,
    attack_paths,
    first_findings,
    name_of,
    read_attack,
    refused_for_what_it_tries,
)
from labwright.tools.errors import SandboxUnavailableError
from labwright.tools.forge.gate import GateBench
from labwright.tools.plain_yaml import read_yaml
from labwright.tools.sandbox import open_sandbox

QUICK_OF_OTHERS = ("one/counts_by_global", "one/evaluates_annotations_by_dispatch")
QUICK = ("where temporary files go", "how often it was called", "sympify", "the command line")


@pytest.fixture(scope="module")
def bench() -> Iterator[GateBench]:
    try:
        sandbox = open_sandbox()
    except SandboxUnavailableError as weak:
        pytest.skip(f"this machine can do no level: {weak}")
    with GateBench(sandbox) as made:
        yield made


def _ids(one: Bad) -> str:
    return one.name.replace(" ", "_").replace("/", "-")


@pytest.mark.parametrize("one", attacks(), ids=_ids)
def test_an_attack_is_refused_by_name(bench: GateBench, one: Bad) -> None:
    report = bench.report(one.candidate)
    assert not report.passed
    assert one.rule in {finding.rule for finding in report.findings}, [str(finding) for finding in report.findings]


@pytest.mark.parametrize(
    "one",
    [
        pytest.param(one, id=_ids(one), marks=() if one.name in QUICK else pytest.mark.slow)
        for one in attacks()
        if one.runs
    ],
)
def test_an_attack_that_the_text_checks_missed_is_found_when_it_runs(bench: GateBench, one: Bad) -> None:
    assert one.runs in {finding.rule for finding in first_findings(bench, one.candidate, unread=True)}


def test_there_are_enough_attacks_and_the_gate_says_both_answers(bench: GateBench) -> None:
    assert len(attacks()) >= 30
    one = next(one for one in attacks() if one.name == "where temporary files go")
    found = [finding for finding in first_findings(bench, one.candidate, unread=True) if finding.rule == "use_differs"]
    assert "`occupation` was 0." in found[0].message
    assert "in use" in found[0].message


def of_others() -> Iterator[Any]:
    """The attacks of other authors: those that come in today are listed, those that take long are slow."""
    known = read_yaml((ATTACKS / "admitted.yaml").read_text())
    for path in attack_paths():
        name = name_of(path)
        marks = [pytest.mark.xfail(reason=known[name], strict=False)] if name in known else []
        marks += [] if name in QUICK_OF_OTHERS else [pytest.mark.slow]
        yield pytest.param(path, id=name.replace("/", "-"), marks=marks)


@pytest.mark.parametrize("path", list(of_others()))
def test_an_attack_of_another_author_is_refused(bench: GateBench, path: Path) -> None:
    found = first_findings(bench, read_attack(path), unread=False)
    assert refused_for_what_it_tries(found), [str(finding) for finding in found]


def test_the_tool_that_they_disguise_comes_in(bench: GateBench) -> None:
    assert bench.report(good("thermal_occupation")).passed
