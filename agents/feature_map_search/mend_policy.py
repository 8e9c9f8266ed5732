"""Mends that cannot change what a feature map means."""

from __future__ import annotations

from labwright.agents.call import Refusal
from labwright.agents.feature_map_search.ideas import CodeFinding, CodeOut


def mended(code: str, findings: list[CodeFinding], references: list[str], n_qubits: int) -> CodeOut | Refusal:
    """The mended code, or why it takes more than a rule."""
    return Refusal(reason=" ".join(f"{one.message} {one.mend}".strip() for one in findings) or "Nothing was found.")
