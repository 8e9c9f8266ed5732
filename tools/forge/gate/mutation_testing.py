"""The check ``mutation``: how many deliberate faults the tests notice by an assertion."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from labwright.tools.forge.gate.candidate_process import GateLimits
from labwright.tools.forge.gate.mutants import Mutant, mutants
from labwright.tools.forge.gate.parsed_candidate import Draft
from labwright.tools.forge.gate.rulebook import finding
from labwright.tools.forge.toolset.gate_findings import WEAK, GateFinding, MutantCount

_UNSEEN = ("survived", "unreached")
Run = Callable[[list[dict[str, Any]], float], list[dict[str, Any]]]
SHOWN = 15  # survivors that a finding names
ADVISED = 0.5  # share of few mutants from which on they only advise
BATCH = 8  # mutants between two looks at the score
PATIENCE = 4.0  # times of `GateLimits.mutation_seconds` after which a few must do


def judge_mutants(
    draft: Draft, base: dict[str, Any], limits: GateLimits, run: Run
) -> tuple[MutantCount, list[str], list[GateFinding]]:
    """Counts, survivors and findings.

    A mutant is killed if an assertion fails, by the tests that reach the changed statement. One that only raises
    something else tells nothing of the tests: with a broken import every mutant would "die". It is counted apart, as
    is one that runs out of time. Beside the mutants the unchanged tool is judged by the very same means; it must
    pass, or nothing counts. Mutants are judged in a drawn order until the score is clear, see `_clear`.

    Args:
        draft: whose.
        base: the green first run, with the statements that each test reached.
        limits: how many, how long.
        run: runs jobs within some seconds.
    """
    source, times = draft.candidate.source, {one["test"]: float(one["seconds"]) for one in base["outcomes"]}
    drawn, equivalent = mutants(source, draft.name, limits.mutants, int(draft.candidate.sha256[:8], 16))
    reached, fates, over = _reached(base), dict[Mutant, str](), time.monotonic() + limits.mutation_seconds
    whole = _job(source, sorted(times, key=times.__getitem__), sum(times.values()))
    # The unchanged tool is known to end: on a busy machine it gets all the time there is.
    jobs: list[dict[str, Any]] = [{**whole, "wall": max(whole["wall"], limits.mutation_seconds)}]
    waiting: list[Mutant | None] = [None]
    for one in [*drawn, None]:
        if one is not None:
            tests = sorted(times if one.statement == 0 else reached.get(one.statement, ()), key=times.__getitem__)
            if not tests:
                fates[one] = "unreached"
                continue
            jobs.append(_job(one.source, tests, sum(times[test] for test in tests)))
            waiting.append(one)
        if len(jobs) < BATCH and one is not None:
            continue
        results = run(jobs, max(limits.mutation_seconds, over - time.monotonic())) if jobs else []
        for mutant, result in zip(waiting, results, strict=True):
            if mutant is not None:
                fates[mutant] = _fate(result)
            elif words := _not_green(result):
                return MutantCount(), [], [finding("mutation_baseline", 0, error=words)]
        fates |= dict.fromkeys(_harmless(fates, jobs, waiting, run, limits.mutation_seconds), "equivalent")
        jobs, waiting = [], []
        counted = _count(fates, equivalent)
        # A busy machine must not decide by a handful: a few more are judged beyond the time.
        spent = (time.monotonic() - over) / limits.mutation_seconds + 1
        if _clear(counted, limits) or (spent > 1 and counted.total >= limits.fewest) or spent > PATIENCE:
            break
    count = _count(fates, equivalent)
    unseen = sorted((one for one, fate in fates.items() if fate in _UNSEEN), key=lambda one: one.line)
    named = [f"{one} (no test reaches it)" if fates[one] == "unreached" else str(one) for one in unseen]
    return count, named, _findings(count, named, unseen[0].line if unseen else 0, limits)


def _harmless(
    fates: dict[Mutant, str], jobs: list[dict[str, Any]], waiting: list[Mutant | None], run: Run, seconds: float
) -> list[Mutant]:
    """Those of a batch that nobody noticed since they exchange two vectors of an inner product."""
    probed = [(one, job) for one, job in zip(waiting, jobs, strict=True) if one and one.probe]
    probed = [(one, job) for one, job in probed if fates[one] == "survived"]
    if not probed:
        return []
    results = run([{**job, "source": one.probe} for one, job in probed], seconds)
    return [one for (one, _), result in zip(probed, results, strict=True) if _fate(result) == "survived"]


def _clear(count: MutantCount, limits: GateLimits) -> bool:
    """Whether enough is known: a score far from the one that is needed shows early.

    Of 12 faults of which tests notice 60 % in truth, 11 or more are noticed in 2 of 100 drawings.
    """
    return count.total >= limits.enough and (count.score >= limits.score + 0.15 or count.score < limits.score - 0.2)


def _count(fates: dict[Mutant, str], equivalent: int) -> MutantCount:
    by = Counter(fates.values())
    survived = sum(by[fate] for fate in _UNSEEN)
    total, equivalent = by["killed"] + survived, equivalent + by["equivalent"]
    score = round(by["killed"] / total, 4) if total else 0.0
    return MutantCount(by["killed"], survived, total, by["crashed"], by["late"] + by["unread"], equivalent, score)


def _findings(count: MutantCount, named: list[str], line: int, limits: GateLimits) -> list[GateFinding]:
    if count.total == 0:
        words = f"{count.crashed} ended in another exception, {count.late} ran out of time"
        return [finding("no_mutants", 0, found=words)]
    # A few say little: they advise the reviewer, who gets the survivors, unless most of them went unnoticed.
    few = count.total < limits.enough and count.score >= ADVISED
    if count.score >= limits.score or few:
        return []
    more = f"; and {len(named) - SHOWN} more" if len(named) > SHOWN else ""
    shown = f"Not noticed: {'; '.join(named[:SHOWN])}{more}.{_uncounted(count)}"
    facts = {"killed": count.killed, "total": count.total, "score": count.score, "wanted": limits.score}
    return [finding(WEAK, line, found=shown, **facts)]


def _uncounted(count: MutantCount) -> str:
    """Which faults are not among the total, so that a total that changes with a test is no riddle."""
    rows = {
        "that ended in another exception than a failed assertion": count.crashed, "that ran out of time": count.late,
        "that change nothing": count.equivalent,
    }  # fmt: skip
    words = [f"{number} {what}" for what, number in rows.items() if number]
    return f" Not counted: {', '.join(words)}. Faults are drawn anew for every draft." if words else ""


def _reached(base: dict[str, Any]) -> dict[int, list[str]]:
    """First line of a statement -> tests that ran it."""
    found: dict[int, list[str]] = {}
    for one in base["outcomes"]:
        for line in one["hit"]:
            found.setdefault(line, []).append(one["test"])
    return found


def _job(source: str, tests: list[str], seconds: float) -> dict[str, Any]:
    wall = max(3.0, 4 * seconds + 2.0)  # a changed step size may be slower without being endless
    return {"kind": "tests", "mode": "mutant", "source": source, "only": tests, "wall": wall, "cpu": wall}


def _not_green(result: dict[str, Any]) -> str:
    if result["ending"] != "ok":
        return f"the run ended {result['ending']}"
    if result["stage"] != "done":
        return str(result["error"]["message"])
    wrong = [one for one in result["outcomes"] if one["outcome"] != "passed"]
    return f"{wrong[0]['test']}: {wrong[0]['error']['message']}" if wrong else ""


def _fate(result: dict[str, Any]) -> str:
    if result["ending"] in ("late", "unread"):
        return str(result["ending"])
    if result["ending"] != "ok" or result["stage"] != "done":
        return "crashed"
    outcomes = [one["outcome"] for one in result["outcomes"]]
    if "failed" in outcomes:
        return "killed"
    return "crashed" if any(one != "passed" for one in outcomes) else "survived"
