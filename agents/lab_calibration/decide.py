"""After a stage: where to go next, and with which parameters."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.call import AgentCall
from labwright.agents.lab_calibration import language
from labwright.agents.lab_calibration.numbers import Named, Parameter, misfits

COMPLETE, FAILED = "COMPLETE", "FAILED"
STAGE = re.compile(r"\bstage (\d+)\b", re.IGNORECASE)
PERMITS = re.compile(r"in any case|regardless|even if|anyway|whatever|optional", re.IGNORECASE)
# "4 times the stop time" and "4 times longer" say how to repeat, not how often.
TIMES = re.compile(r"(\w+)\s*(?:times(?!\s+(?:as|the|that|its|of|\w+er\b|more))|retries|repetitions)", re.IGNORECASE)
ONCE = re.compile(
    r"\b(?:repeat|retry|rerun|again|most|only)\b[^.;,]*\b(once|twice)\b(?!\s+(?:the|it|this)\b)", re.IGNORECASE
)
MOST_STEPS_BACK = 2  # by the rule of one stage
_WHEN = r"(?P<word>if|when|whenever|once|unless|on|in case of|after)"
_DO = r"(?:go|repeat|retry|rerun|return|stop|abort|give up|continue|proceed|step back)\b"
# A comma parts condition and action; without one, the verb of the action does.
CLAUSES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^{_WHEN}\s+(?P<when>[^,]+?)(?:,\s*(?:then\s+)?|\s+then\s+|:\s*)(?P<do>.+)$",
        rf"^{_WHEN}\s+(?P<when>[^,]+?)(?<!\bthe)(?<!\ba)\s+(?P<do>{_DO}.*)$",
        rf"^(?P<do>{_DO}.*?),?\s+(?P<word>if|when|whenever|once|unless|in case of|after|on(?= (?:success|failure)))\s+"
        r"(?P<when>.+)$",
    )
)
NEGATION = re.compile(r"\b(not|never|no|without|cannot|neither)\b|n't\b")
GOOD_WORDS = re.compile(r"\b(succe|pass|good\b|done\b|converge|confirm|work|accept)")
BAD_WORDS = re.compile(r"\b(bad\b|invalid|poor|wrong)")
NUMBER_WORDS = {"once": 1, "one": 1, "twice": 2, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
COUNTED = re.compile(
    rf"\b(?P<number>\d+|{'|'.join(NUMBER_WORDS)})"
    r"(?:\s+(?:\w+\s+)?(?P<what>times|failures|attempts|runs|tries|repetitions|retries)|(?<=twice))\b"
)


class StageCard(BaseModel):
    """A stage as the decision sees it."""

    label: str
    instruction: str


class DecideIn(BaseModel):
    """Where the run stands."""

    current: StageCard
    rule: str = Field(description="The current stage's transition rule.")
    stages: list[StageCard] = Field(description="All stages in order.")
    executed: int = Field(description="How often the current stage ran, this time included.")
    failed: int
    succeeded: int
    retry_limit: int = Field(description="The most runs of one stage.")
    stepped_back: int = Field(description="How often this stage has already sent the run back.")
    verdict: Literal["success", "adjust", "bad_data", "wrong_setup"]
    diagnosis: str
    reason: str
    proposal: list[Named] = Field(description="Parameter changes that the inspection proposes.")
    parameters: list[Parameter] = Field(description="Parameters the stage ran with, and their bounds.")


class DecideOut(BaseModel):
    """The transition."""

    model_config = ConfigDict(extra="forbid")
    analysis: str = Field(description="One to three sentences: which part of the rule applies, and why.")
    next: str = Field(description='Label of a stage, or "COMPLETE", or "FAILED".')
    changes: list[Named] = Field(description="Parameters to change before the next stage runs; empty if none.")


def decide_by_rules(given: DecideIn) -> DecideOut:
    """Read the rule clause by clause; where it is silent, go on, repeat, step back once, give up, in this order."""
    limit = _limit(given)
    for clause in _clauses(given.rule):
        target = _ordered(clause, given)
        if target is None or (target == given.current.label and (given.executed >= limit or _hopeless(given))):
            continue
        answer = _answer(given, target, f'The rule "{clause}" applies')
        if not _moves(given, answer, _labels(given)) and not _worn_out(given, target):
            return answer
    return _without_rule(given, limit)


def _hopeless(given: DecideIn) -> bool:
    """Whether the same run would only give the same result: something else has to come first, or change."""
    return given.verdict == "wrong_setup" and not given.proposal


def _labels(given: DecideIn) -> list[str]:
    return [stage.label for stage in given.stages]


def _worn_out(given: DecideIn, target: str) -> bool:
    """Whether the way back from here has been taken often enough to know that it does not help."""
    labels = _labels(given)
    back = target in labels and labels.index(target) < labels.index(given.current.label)
    return back and given.stepped_back >= MOST_STEPS_BACK


def _without_rule(given: DecideIn, limit: int) -> DecideOut:
    if given.verdict == "success":
        return _answer(given, _following(given), "The stage succeeded")
    if given.verdict in ("adjust", "bad_data") and given.executed < limit:
        return _answer(given, given.current.label, "The stage may be repeated")
    labels = [stage.label for stage in given.stages]
    place = labels.index(given.current.label)
    if place > 0 and given.stepped_back < 1:
        return _answer(given, labels[place - 1], "Repeating did not help, so the stage before is done again")
    return _answer(given, FAILED, "Nothing is left to try")


def _answer(given: DecideIn, target: str, why: str) -> DecideOut:
    changes = list(given.proposal) if target == given.current.label else []
    reason = f"{why}: {given.diagnosis or given.verdict} (run {given.executed} of this stage)."
    return DecideOut(analysis=reason, next=target, changes=changes)


def _following(given: DecideIn) -> str:
    labels = [stage.label for stage in given.stages]
    place = labels.index(given.current.label) + 1
    return labels[place] if place < len(labels) else COMPLETE


def _limit(given: DecideIn) -> int:
    """Runs that the rule allows: "at most 4 times" counts repetitions, so the first run comes on top."""
    said = TIMES.search(given.rule) or ONCE.search(given.rule)
    times = _counted(said.group(1)) if said else None
    return min(given.retry_limit, times + 1) if times else given.retry_limit


def _counted(word: str) -> int | None:
    return int(word) if word.isdigit() else NUMBER_WORDS.get(word.lower())


def _clauses(rule: str) -> list[str]:
    """The sentences of a rule, cut before "else" and "otherwise"."""
    parts = [re.split(r",?\s+(?=(?:else|otherwise)\b)", each, flags=re.I) for each in language.sentences(rule)]
    return [clause for part in parts for clause in part]


def _ordered(clause: str, given: DecideIn) -> str | None:
    """Where a clause of the rule sends the run; None if its condition does not hold or it names no place."""
    if re.match(r"^(otherwise|else)\b", clause, re.IGNORECASE):
        return _target(clause, given) if given.verdict != "success" else None
    found = next(filter(None, (pattern.match(clause) for pattern in CLAUSES)), None)
    if found is None and PERMITS.search(clause):  # "go on in any case" has no condition
        return _target(clause, given)
    if found is None or _applies(found["when"], given) == (found["word"].lower() == "unless"):
        return None
    return _target(found["do"], given)


def _applies(when: str, given: DecideIn) -> bool:
    """Whether a condition holds for the inspection's verdict and diagnosis."""
    good = given.verdict == "success"
    low = when.lower()
    if (said := COUNTED.search(low)) and (times := _counted(said["number"])):
        return not good and given.failed >= times + (said["what"] in ("repetitions", "retries"))
    if re.search(r"repeated|still|again", low):
        return not good and given.executed >= _limit(given)
    if re.search(r"\bfail|\bunsuccess", low):  # good data in the wrong range are no failure while they can be repeated
        return not good and (given.verdict != "adjust" or given.executed >= _limit(given))
    if BAD_WORDS.search(low):
        return not good
    if GOOD_WORDS.search(low):
        return good != bool(NEGATION.search(low))
    wanted = language.stems(low)
    seen = language.stems(given.diagnosis)
    return not good and bool(wanted) and len(wanted & seen) >= max(1, round(0.5 * len(wanted)))


def _target(do: str, given: DecideIn) -> str | None:
    """The stage that an action names."""
    low, refrain = re.subn(r"\b(?:do not|don't|never)\s+(?:repeat|retry|rerun)\b", "", do.lower())
    if found := re.search(r"\b(?:repeat|retry|rerun)\b.*?\bthen\b(.+)", low):  # "repeat twice, then give up"
        return given.current.label if given.executed < _limit(given) else _target(found.group(1), given)
    if found := STAGE.search(low):
        label = f"Stage {found.group(1)}"
        return label if label in {stage.label for stage in given.stages} else None
    if re.search(r"\bgo (back )?to failed\b|\bgive up\b|\babort\b|\bfail(ed)?\b", low):
        return FAILED
    if re.search(r"\b(repeat|retry|again|rerun)\b", low):
        return given.current.label
    if re.search(r"\bcomplete\b", low):
        return COMPLETE
    if re.search(r"\b(?:stop|finish)\b(?!\s+(?:time|value|delay|frequency|amplitude))", low):
        return COMPLETE if given.verdict == "success" or PERMITS.search(do) else FAILED
    if re.search(r"\b(previous|step back)\b", low):
        labels = [stage.label for stage in given.stages]
        return labels[max(0, labels.index(given.current.label) - 1)]
    if re.search(r"\b(next|go on|continue|proceed|carry on)\b", low):
        return _following(given)
    if found := re.search(r"go (?:back )?to (?:the )?(.+)", low):
        return _stage_like(found.group(1), given)
    return FAILED if refrain else None


def _stage_like(words: str, given: DecideIn) -> str | None:
    wanted = language.stems(words) - {"step", "stag", "expe"}
    best = max(given.stages, key=lambda stage: len(wanted & language.stems(stage.instruction)))
    return best.label if wanted & language.stems(best.instruction) else None


def check_decision(given: DecideIn, answer: DecideOut) -> list[str]:
    """A decision may not contradict what was measured, leave the table of stages, or exceed the retry limit."""
    labels = [stage.label for stage in given.stages]
    if answer.next not in (*labels, COMPLETE, FAILED):
        return [f"`next` must be one of {', '.join([*labels, COMPLETE, FAILED])}, but is {answer.next!r}."]
    return _moves(given, answer, labels) + _changes(given, answer)


def _moves(given: DecideIn, answer: DecideOut, labels: list[str]) -> list[str]:
    found = []
    here = labels.index(given.current.label)
    there = {COMPLETE: len(labels), FAILED: here}.get(
        answer.next, labels.index(answer.next) if answer.next in labels else here
    )
    # only the clause that permits it counts: "in any case" about one stage says nothing about another
    free = [clause for clause in _clauses(given.rule) if PERMITS.search(clause)]
    permitted = answer.next in {_ordered(clause, given) for clause in free}
    ordered = answer.next in {_ordered(clause, given) for clause in _clauses(given.rule)}
    named = ordered or answer.next.lower() in given.rule.lower()
    # a rule may send a failure on to the stage that mends it, but never to the end
    mending = ordered and answer.next != COMPLETE
    if given.verdict != "success" and there > here and not (permitted or mending):
        found.append(f"The verdict is {given.verdict!r}, so the run may not go on to {answer.next}.")
    if given.verdict == "success" and answer.next == FAILED:
        found.append("The verdict is 'success', so the run may not end as FAILED.")
    if given.verdict == "success" and there <= here and not ordered and answer.next != FAILED:
        found.append(f"After success the rule names no way back; the run goes on to {_following(given)}.")
    early = given.verdict in ("adjust", "bad_data") and given.executed < _limit(given) and bool(given.parameters)
    if answer.next == FAILED and early and not ordered:
        found.append(
            f"{given.current.label} ran {given.executed} of {_limit(given)} times; repeat it before giving up."
        )
    if there > here + 1 and not named:
        found.append(f"{answer.next} skips stages, which the rule does not allow. The next one is {_following(given)}.")
    if there < here and given.verdict != "success" and _worn_out(given, answer.next):
        found.append(f"{given.current.label} has sent the run back {given.stepped_back} times; it does not help.")
    if answer.next == given.current.label and given.executed >= given.retry_limit:
        found.append(f"{given.current.label} ran {given.executed} times, the limit is {given.retry_limit}.")
    return found


def _changes(given: DecideIn, answer: DecideOut) -> list[str]:
    if not answer.changes:
        return []
    if answer.next != given.current.label:
        return ["Parameters may change only when the same stage is repeated."]
    proposed = {item.name: item.value for item in given.proposal}
    found = misfits(answer.changes, given.parameters)
    for change in answer.changes:
        offered = proposed.get(change.name)
        if offered is None or abs(change.value - offered) > 0.02 * abs(offered):
            shown = ", ".join(f"{name} = {value:g}" for name, value in proposed.items()) or "nothing"
            found.append(f"The inspection does not propose {change.name} = {change.value:g}. It proposes: {shown}.")
    return found


DECIDE = AgentCall(
    "lab_calibration.decide",
    "lab_calibration/decide.md",
    DecideIn,
    DecideOut,
    decide_by_rules,
    check_decision,
    "general",
)
