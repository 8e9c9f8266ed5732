"""From what jobs told to findings: the checks ``tests``, ``errors`` and ``invariants``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from labwright.tools.forge.gate.output_laws import broken_laws
from labwright.tools.forge.gate.parsed_candidate import Draft
from labwright.tools.forge.gate.rulebook import finding
from labwright.tools.forge.toolset.gate_findings import GateFinding

Job = dict[str, Any]
_HONEST = frozenset(("ValueError", "RuntimeError"))
_DIFFERENT = 3  # inputs from which on an output should have varied
_SHORTEST = 12  # characters of a message that says something


def tests_findings(base: Job, limit: float) -> Iterator[GateFinding]:
    """What the first run of the tests shows."""
    if base["ending"] == "late":
        yield finding("too_slow", 0, limit=limit, test="the whole run")
    elif base["ending"] == "garbled":
        yield finding("forged", 0, error="Something other than the runner spoke for the tests.")
    elif base["ending"] != "ok":
        yield finding("crashed", 0, test="the tests", error=f"exit code {base.get('code', 'unknown')}")
    elif base["stage"] != "done":
        rule = "import_failed" if base["stage"] == "tool" else "tests_import_failed"
        yield finding(rule, base["error"]["line"], error=base["error"]["message"])
    else:
        yield from _outcomes(base)


def _outcomes(base: Job) -> Iterator[GateFinding]:
    if not base["outcomes"]:
        yield finding("no_tests")
    for one in base["outcomes"]:
        if one["outcome"] == "skipped":
            yield finding("skipped", one["error"]["line"], test=one["test"])
        elif one["outcome"] != "passed":
            yield finding("test_failed", one["error"]["line"], test=one["test"], error=one["error"]["message"])
    for rule, words in base["flags"].items():
        yield finding(rule, 0, found=words)


def hollow_findings(base: Job, hollow: Job) -> Iterator[GateFinding]:
    """Which tests pass although the tool gave nothing: they are forged, or do not look at it."""
    if hollow["ending"] != "ok" or hollow["stage"] != "done":
        yield finding("forged", 0, error="The tests run with the tool, but end oddly when it gives nothing.")
        return
    called = {one["test"] for one in hollow["seen"]}
    expecting = {one["test"] for one in base["seen"] if one.get("error")}
    for one in hollow["outcomes"]:
        if one["outcome"] != "passed":
            continue
        if one["test"] in called:
            yield finding("forged", 0, error=f"`{one['test']}` passes although the tool gave nothing.")
        elif one["test"] not in expecting:
            yield finding("not_called", 0, test=one["test"])


def apart_findings(apart: Job, watching: frozenset[str], limit: float) -> Iterator[GateFinding]:
    """Which tests fail where the tool's answers come from other processes, as plain data.

    Args:
        apart: that run.
        watching: functions among the tests that look into the tool's process, which then says nothing.
        limit: of the run, in seconds.
    """
    if apart["ending"] == "late":
        yield finding("too_slow", 0, limit=limit, test="the run with the tool in processes of its own")
    elif apart["ending"] != "ok" or apart["stage"] != "done":
        yield finding("apart", 0, test="The whole run", error=str(apart.get("error", apart["ending"]))[:300])
    else:
        for one in apart["outcomes"]:
            if one["outcome"] != "passed" and one["test"].partition("[")[0] not in watching:
                yield finding("apart", one["error"]["line"], test=one["test"], error=one["error"]["message"])
        calls = [one for one in apart["asked"] if one["request"]["ask"] == "call" and "value" in one["reply"]]
        if not {one["test"].partition("[")[0] for one in calls} - watching:
            yield finding("all_watch")


def errors_findings(base: Job, expecting: frozenset[str]) -> Iterator[GateFinding]:
    """Whether the tool says what is wrong, where the tests provoke it.

    Args:
        base: the first run.
        expecting: functions among the tests that expect an error by pytest.raises.
    """
    names = [one["test"] for one in base["outcomes"] if one["test"].startswith("test_error_")]
    for test in [name for name in names if name.partition("[")[0] in expecting]:
        errors = [one["error"] for one in base["seen"] if one["test"] == test and one.get("error")]
        if not errors:
            yield finding("no_error", 0, test=test)
        for error in errors:
            if not _HONEST & set(error["kinds"]):
                yield finding("error_type", 0, found=error["kinds"][0])
            elif len(error["message"].strip()) < _SHORTEST:
                yield finding("error_message", 0, found=error["message"])


def given(base: Job) -> list[str]:
    """Inputs that the tests made, each once."""
    return list(dict.fromkeys(one["given"] for one in base["seen"] if one.get("given")))


def finite_findings(probe: Job) -> Iterator[GateFinding]:
    """Which fields of the input take NaN or infinity."""
    if probe["ending"] != "ok" or probe["stage"] != "done":
        yield finding("probe_failed", 0, error=str(probe.get("error", probe["ending"])))
        return
    for one in probe["open"]:
        yield finding("nan_accepted", 0, **one)


def some_inputs(base: Job, most: int) -> list[str]:
    """Different inputs of the tests that were answered, from the quickest to the slowest."""
    answered = [one for one in base["seen"] if one.get("given") and one.get("gave")]
    inputs = list(dict.fromkeys(one["given"] for one in sorted(answered, key=lambda one: one.get("seconds", 0.0))))
    return inputs[:: max(1, len(inputs) // most)][:most]


def _unvarying(base: Job) -> Iterator[GateFinding]:
    """An output that the tests never see change, although the input does."""
    calls = {one["given"]: json.loads(one["gave"]) for one in base["seen"] if one.get("given") and one.get("gave")}
    if len(calls) < _DIFFERENT:
        return
    first, *others = calls.values()
    if all(one == first for one in others):
        yield finding("never_varies", 0, number=len(calls))


def invariant_findings(draft: Draft, base: Job) -> Iterator[GateFinding]:
    """Whether an invariant's test looks at the tool, and what in the outputs seen is impossible."""
    calling = {one["test"] for one in base["seen"] if one.get("gave")}
    if not any(test.startswith("test_invariant_") for test in calling):
        yield finding("invariant_idle")
    yield from _unvarying(base)
    outputs = [one["gave"] for one in base["seen"] if one.get("gave")]
    for words in broken_laws(draft.candidate.contract, outputs):
        yield finding("law_broken", 0, found=words)
