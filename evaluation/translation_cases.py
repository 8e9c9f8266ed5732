"""The instructions of the suite `translation`: what each of them should become.

Two halves. The development half (`dev*.jsonl`) may be looked at while the policy is improved. The sealed half
(`sealed_2.jsonl`, `sealed_3.jsonl`) was written in one go in three other voices (a German postdoc's English, a terse
operator, a student's mail), is committed before the policy is tuned, and is run to report. `sealed.jsonl` is the first
sealed half, of 67; its one result is kept in ``results/translation_sealed.json``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from labwright.tools.experiments.call import PROCEDURE, ExperimentCall

CASES = Path(__file__).parent / "cases" / "translation"
FILES = {
    "dev": ("dev.jsonl", "dev_2.jsonl", "dev_3.jsonl"),
    "sealed": ("sealed_2.jsonl", "sealed_3.jsonl"),
    "first": ("sealed.jsonl",),
}
Split = Literal["dev", "sealed", "first"]
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
