"""What the admission gate says of a candidate: findings, and the report that lets a tool in."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from labwright.tools.forge.toolset.contract import Candidate

WEAK = "weak_tests"  # the rule that a reviewer may answer


@dataclass(frozen=True, slots=True)
class GateFinding:
    """One thing that keeps a candidate out.

    Attributes:
        check: one of `labwright.tools.forge.gate.GATE_CHECKS`.
        rule: its short name, stable: tests and tables refer to it.
        line: of the source, or of the tests where the message says so; 0 where no line is meant.
        message: what is wrong and where.
        mend: what to do.
    """

    check: str
    rule: str
    line: int
    message: str
    mend: str

    def __str__(self) -> str:
        where = f" (line {self.line})" if self.line else ""
        return f"{self.check}/{self.rule}{where}: {self.message} {self.mend}".strip()


@dataclass(frozen=True, slots=True)
class MutantCount:
    """How many deliberate faults the tests noticed.

    Attributes:
        killed: an assertion failed.
        survived: all tests still passed, or none reaches the changed line.
        total: killed and survived.
        crashed: another exception than a failed assertion came up first; not counted.
        late: ran out of time; not counted.
        equivalent: compiles to the same code as the original, or exchanges two vectors of an inner product; left out.
        score: killed / total; 0 if there is none.
    """

    killed: int = 0
    survived: int = 0
    total: int = 0
    crashed: int = 0
    late: int = 0
    equivalent: int = 0
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class GateReport:
    """The outcome of the gate for one candidate.

    Attributes:
        name: of the tool.
        candidate_sha256: `Candidate.sha256` of what was looked at.
        passed: whether every check passed without a finding.
        findings: of all checks that look at the texts; if there are none, of the first check after them that has some.
        checks: those that were run, in order.
        level: of the sandbox.
        mutants: counts; empty if the mutation check was not reached.
        seconds: check -> time it took.
        versions: distribution -> version of the packages that the tool imports.
        tests: names of the tests that ran green.
        seen: inputs of the tool that its tests used, as JSON texts; at most a few.
        survivors: deliberate faults that no test noticed.
        accepted: survivor -> why a reviewer holds that no right test could notice it.
    """

    name: str
    candidate_sha256: str
    passed: bool
    findings: tuple[GateFinding, ...]
    checks: tuple[str, ...]
    level: str
    mutants: MutantCount = MutantCount()
    seconds: dict[str, float] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    tests: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    survivors: tuple[str, ...] = ()
    accepted: dict[str, str] = field(default_factory=dict)

    @property
    def weak(self) -> bool:
        """Whether nothing is wrong but that tests notice too few deliberate faults."""
        return bool(self.findings) and all(one.rule == WEAK for one in self.findings)

    def accepting(self, reasons: dict[str, str], needed: float) -> GateReport:
        """The report with some survivors accepted; it passes if the tests then notice the share that is needed."""
        accepted = {one: reasons[one] for one in self.survivors if one in reasons}
        left = self.mutants.total - len(accepted)
        if not self.weak or not left or self.mutants.killed / left < needed:
            return replace(self, accepted=accepted)
        return replace(self, accepted=accepted, findings=(), passed=True)

    def fits(self, candidate: Candidate) -> bool:
        """Whether this is about exactly that candidate."""
        return self.name == candidate.name and self.candidate_sha256 == candidate.sha256

    def plain(self) -> dict[str, Any]:
        """JSON-plain."""
        return asdict(self) | {"findings": [asdict(one) for one in self.findings]}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> GateReport:
        """The report of `plain`."""
        made = dict(plain)
        made["findings"] = tuple(GateFinding(**one) for one in made["findings"])
        made["mutants"] = MutantCount(**made["mutants"])
        for name in ("checks", "tests", "seen", "survivors"):
            made[name] = tuple(made[name])
        return cls(**made)
