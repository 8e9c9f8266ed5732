"""The one document that ``--json FILE`` writes, whatever the command."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Artifact(BaseModel):
    """A file that the run made."""

    model_config = ConfigDict(extra="forbid")
    path: str = Field(description="Relative to the run folder.")
    kind: str = Field(description="figure, data, report, text or json.")
    sha256: str = Field(description="Hex digest of the file's bytes.", pattern="^[0-9a-f]{64}$")


class ResultDocument(BaseModel):
    """How a command ended and what it found."""

    model_config = ConfigDict(extra="forbid")
    run_id: str = Field(description="Empty if the command started no run.")
    system: str = Field(description="lab_calibration, or the name of the command that started no run.")
    status: Literal["complete", "failed", "refused", "stopped"]
    reason: str = Field(default="", description="Why the status is not `complete`.")
    seconds: float = Field(default=0.0, ge=0, description="Wall time of this process's part of the run.")
    mind: str = Field(default="rules", description="`rules`, or provider:model.")
    seed: int = Field(default=0, description="Of every random draw.")
    usage: dict[str, Any] = Field(default_factory=dict, description="Calls, tokens and money, in all and an agent.")
    questions: list[dict[str, Any]] = Field(default_factory=list, description="What the run waits to be told.")
    result: dict[str, Any] = Field(
        default_factory=dict,
        description="Calibration: qubits{name{before, after, rb_error_per_gate, rb_error_std, limit_error_per_gate}},"
        " stages[]. Search: feature_map, evaluations, validation_accuracy, test_accuracy, baselines{}, trajectory[];"
        " over several seeds: seeds, kernels{}, differences{}. Evaluation: suite, n, score, interval, rows[].",
    )
    artifacts: list[Artifact] = Field(default_factory=list)
