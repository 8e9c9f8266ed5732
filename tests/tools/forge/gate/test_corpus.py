"""90 bad candidates stay out for the expected reason; eleven good ones of ours and twenty by another author come in."""

from __future__ import annotations

import pytest
from gate_corpus import Bad, bad, good, good_names
from tiers import sampled

from labwright.tools.forge.gate import GATE_CHECKS, RULES, TEXT_CHECKS, GateBench, GateLimits
from labwright.tools.sandbox import Sandbox

QUICK = ("thermal_occupation",)  # of the good ones, in the default run
QUICK_BAD = (
    "takes NaN where no test gives a number",
    "tests that copy the tool",
    "trace of two",
    "changes its input",
    "only one easy case",
)


def _text_only(one: Bad) -> bool:
    return RULES[one.rule][0] in TEXT_CHECKS


def _rejected(bench: GateBench, one: Bad) -> None:
    report = bench.report(one.candidate)
    assert not report.passed
    assert one.rule in {finding.rule for finding in report.findings}, [str(finding) for finding in report.findings]
    assert report.checks[-1] == ("lint" if _text_only(one) else RULES[one.rule][0])  # nothing ran in vain
    assert all(finding.message and finding.mend for finding in report.findings)


def test_the_corpus_is_as_large_as_promised() -> None:
    assert len(bad()) >= 60
    assert len(good_names()) == 31
    covered = {one.rule for one in bad()}
    assert {RULES[rule][0] for rule in covered} == set(GATE_CHECKS)


@pytest.mark.parametrize("one", sampled(filter(_text_only, bad()), 6, lambda one: one.name.replace(" ", "_")))
def test_bad_texts_stay_out(sandbox: Sandbox, one: Bad) -> None:
    _rejected(GateBench(sandbox, task_text=one.task), one)


def _running() -> list[object]:
    listed = [one for one in bad() if not _text_only(one)]
    return [
        pytest.param(one, id=one.name.replace(" ", "_"), marks=() if one.name in QUICK_BAD else pytest.mark.slow)
        for one in listed
    ]


@pytest.mark.parametrize("one", _running())
def test_bad_behaviour_stays_out(bench: GateBench, sandbox: Sandbox, one: Bad) -> None:
    if one.rule == "too_slow":
        with GateBench(sandbox, limits=GateLimits(tests_seconds=5.0)) as impatient:
            _rejected(impatient, one)
    else:
        _rejected(bench, one)


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=() if one in QUICK else pytest.mark.slow) for one in good_names()]
)
def test_good_ones_come_in(bench: GateBench, name: str) -> None:
    report = bench.report(good(name))
    assert report.passed, [str(finding) for finding in report.findings]
    assert report.checks == GATE_CHECKS
    assert report.mutants.score >= (0.7 if report.mutants.total >= 12 else 0.5)  # few faults only advise
    assert report.mutants.killed + report.mutants.survived == report.mutants.total > 0
    assert any(test.startswith("test_invariant_") for test in report.tests)
    assert report.seen
    assert "pydantic" in report.versions
    assert report.fits(good(name))
