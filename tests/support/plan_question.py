"""A question that hands over a whole specification, as a run asks it before its first measurement."""

from __future__ import annotations

from labwright.graphs.questions import Option, Question, document

PLAN = "spec: 1\nsystem: lab_calibration\nsteps:\n  - t1 Q1\n"
WHOLE = Question(
    id="plan 1",
    kind="approve",
    title="Is this what you want?",
    options=[Option(value=name, label=f"{name.title()} it") for name in ("run", "edit", "cancel")],
    form_schema={"type": "object", "properties": {"yaml": document(PLAN)}},
    free=True,
)
