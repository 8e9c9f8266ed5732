"""The instructions of the suite `translation`: what each of them should become.

The development half may be looked at while the policy is improved. A sealed half is written in one go in other voices,
committed before the policy is tuned on, and run once; then it is opened, and may be looked at from there on.

In the development half `dev_8` (slang and dictation), `dev_9` (long and polite) and `dev_10` (theorists, programmers,
operators), 120 each, were written by other hands who had seen neither the policy nor an earlier case; at their first
try 61, 52 and 59 of their 96, 96 and 98 calls were right in every value.

- ``first``: 67 instructions in the voice of the development half; the run is ``results/translation_sealed.json``.
- ``second``: 156 in a German postdoc's English, a terse operator's notes and a student's mails; written before the
  policy read any such voice; the run is ``results/translation_sealed_2.json``. Opened since.
  It holds 59 more in tickets, in the words of a guest from another field, and as spoken, written after those were
  opened; their run is ``results/translation-sealed.json``. Opened since, too.
- ``third``: 129 by two authors who had not seen the policy, in seven voices, from a dictation to a shift log; run once
  at commit b560298, the run is ``results/translation_sealed_3.json``. Opened since. Two of its short sentences stand in
  ``first``, too: the authors had not seen that either.

- ``fourth``: 220 by three authors (60, 60 and 100) who had read `docs/experiments.md`, which says how to ask, and the
  docstrings of the experiments, and neither policy nor cases; run once at commit ca9c893, the last hundred added before
  anything was changed; the run is ``results/translation_sealed_4.json``. Opened since. Three sentences were written by
  two of them, and one stands in ``third``, too: without these 166 of 171 calls were right, with them 169 of 174.

No set is sealed at present: what a run of any of them says now is that nothing was unlearnt.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from labwright.tools.experiments.call import PROCEDURE, ExperimentCall

CASES = Path(__file__).parent / "cases" / "translation"
FILES = {
    "dev": ("dev.jsonl", *(f"dev_{number}.jsonl" for number in range(2, 11))),
    "first": ("sealed.jsonl",),
    "second": ("sealed_2.jsonl", "sealed_3.jsonl", "sealed_4.jsonl"),
    "third": ("sealed_5.jsonl", "sealed_6.jsonl"),
    "fourth": ("sealed_7.jsonl", "sealed_8.jsonl", "sealed_9.jsonl"),
}
Split = Literal["dev", "first", "second", "third", "fourth"]
Outcome = Literal["call", "ask", "refuse"]
SEVERAL = "several"


@dataclass(frozen=True, slots=True)
class Case:
    """One instruction and what it should become.

    Attributes:
        instruction: as a person wrote it.
        outcome: a call, a question or a refusal.
        calls: every call in order, with each argument that differs from its default.
        variables: the variable table.
        kind: plain, paraphrased, values, several, procedure, refuse, ask; empty in the first set.
        voice: who wrote it.
    """

    instruction: str
    outcome: Outcome
    calls: tuple[ExperimentCall, ...] = ()
    variables: dict[str, Any] = field(default_factory=dict)
    kind: str = ""
    voice: str = ""

    @property
    def single(self) -> bool:
        """Whether one experiment's card can answer it: no procedure, no list of orders."""
        return self.kind != SEVERAL and not any(call.experiment.startswith(PROCEDURE) for call in self.calls)


def load_cases(split: Split) -> list[Case]:
    """The cases of one half."""
    lines = [line for name in FILES[split] for line in (CASES / name).read_text(encoding="utf-8").splitlines()]
    return [_case(json.loads(line)) for line in lines]


def _case(line: dict[str, Any]) -> Case:
    calls = line["calls"] if "calls" in line else [line] if line["experiment"] else []
    return Case(
        line["instruction"],
        line["outcome"],
        tuple(ExperimentCall(call["experiment"], call["arguments"]) for call in calls),
        line["variables"],
        line.get("kind", ""),
        line.get("voice", ""),
    )
