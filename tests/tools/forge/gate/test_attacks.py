"""Tools that know the gate: right while they are judged, wrong in use. None comes in, or it has no effect there.

Ours are edits of one good tool; those of other authors are diffs in evaluation/cases/forge/attacks. "Without effect" is
shown by use: a confined script asks the admitted tool for every input of its tests, in every way that a script may, and
finds the answers that it was judged by.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from gate_corpus import Bad, attacks, good
from tiers import sampled

from labwright.evaluation.forge.attacks import attack_paths, first_findings, judged, name_of, read_attack
from labwright.tools.forge.gate import GateBench

QUICK = ("a counter in a closure",)


def _ids(one: Bad) -> str:
    return one.name.replace(" ", "_").replace("/", "-")


@pytest.mark.parametrize("one", sampled([one for one in attacks() if one.rule], 10, _ids))
def test_an_attack_is_refused_by_name(bench: GateBench, one: Bad) -> None:
    report = bench.report(one.candidate)
    assert not report.passed
    assert one.rule in {finding.rule for finding in report.findings}, [str(finding) for finding in report.findings]


@pytest.mark.parametrize(
    "one",
    [
        *sampled([one for one in attacks() if one.name in QUICK], 1, _ids),
        *sampled([one for one in attacks() if one.name not in QUICK], 4, _ids, ("slow", "nightly")),
    ],
)
def test_an_attack_that_nobody_read_is_refused_or_has_no_effect(bench: GateBench, one: Bad) -> None:
    verdict, reasons = judged(bench, one.candidate, unread=True)
    assert verdict in ("refused", "without effect"), reasons


@pytest.mark.parametrize("path", sampled(attack_paths(), 10, name_of, ("slow", "nightly")))
def test_an_attack_of_another_author_is_refused_or_has_no_effect(bench: GateBench, path: Path) -> None:
    verdict, reasons = judged(bench, read_attack(path), unread=False)
    assert verdict in ("refused", "without effect"), reasons


def test_there_are_enough_attacks_and_the_gate_says_both_answers(bench: GateBench) -> None:
    assert len(attacks()) >= 50
    assert len(attack_paths()) >= 94
    one = next(one for one in attacks() if one.name == "pydantic imports by name")
    found = [finding for finding in first_findings(bench, one.candidate, unread=True) if finding.rule == "use_differs"]
    assert "`occupation` was 0." in found[0].message
    assert "in use" in found[0].message


def test_the_tool_that_they_disguise_comes_in(bench: GateBench) -> None:
    assert bench.report(good("thermal_occupation")).passed
