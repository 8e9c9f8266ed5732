"""The gate's rules: to which check each belongs, what is said when it is broken, and how to mend it."""

from __future__ import annotations

from pathlib import Path

import yaml

from labwright.tools.forge.toolset.gate_findings import GateFinding

GATE_CHECKS: tuple[str, ...] = ("form", "rules", "lint", "tests", "errors", "use", "invariants", "mutation")
TEXT_CHECKS = GATE_CHECKS[:3]  # they run nothing, so all of them are made at once

# rule: (check, message, how to fix it)
RULES: dict[str, tuple[str, str, str]] = {
    rule: (check, *words)
    for check, rules in yaml.safe_load((Path(__file__).parent / "rules.yaml").read_text(encoding="utf-8")).items()
    for rule, words in rules.items()
}


def finding(rule: str, line: int = 0, **facts: object) -> GateFinding:
    """A finding of the book."""
    check, message, mend = RULES[rule]
    return GateFinding(check, rule, line, message.format(**facts), mend.format(**facts))
