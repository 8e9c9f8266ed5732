"""Errors of the tools layer, named by what the caller does next.

ToolError
+-- InputError             fix the input and call again
|   +-- HardwareLimitError     the device refuses: a number is outside its limits
|   |   +-- LabLimitError          the lab's limits.yaml refuses
|   +-- UnknownQubitError      the device has no such qubit
|   +-- ProcedureError         a procedure document is malformed
|   +-- RuleError              a feature map breaks a rule; `findings` say which
|   +-- MemoryLimitError       the work would not fit the memory that it may use
+-- DataError              measure again, differently
|   +-- FitError               the data do not determine the model
+-- RecordError            a stored run cannot be used as it is
|   +-- RunNotFoundError       no such run
|   +-- CorruptRecordError     a file or checkpoint does not read back
|   +-- ForeignRunError        another lab began it, or its choices were changed
|   +-- JobNotFoundError       no such job
+-- UnknownOutcomeError    a step was begun and it is unknown whether it happened; ask a person
+-- UnreachableError       an outside service does not answer, or not sensibly; try later
+-- LeaseError             somebody else drives this run or device
+-- SafetyStop             the run may not go on: its bounds are spent, or the device does not hold what was written
+-- SandboxError           confined code could not be run
    +-- SandboxUnavailableError  nothing on this machine confines; a person must decide
    +-- SandboxedFailure         the confined code failed or broke a limit
"""

from __future__ import annotations


class ToolError(Exception):
    """Base of every error that a tool raises on purpose."""


class InputError(ToolError):
    """The input is wrong; the message says what, where, and how to fix it."""


class HardwareLimitError(InputError):
    """A requested number is outside what the device can run.

    Attributes:
        quantity: name of the number, such as ``amplitude``.
        value: what was asked for.
        minimum: smallest value the device accepts.
        maximum: largest value the device accepts.
        unit: unit of the three numbers.
    """

    def __init__(self, quantity: str, value: float, minimum: float, maximum: float, unit: str) -> None:
        self.quantity, self.value, self.minimum, self.maximum, self.unit = quantity, value, minimum, maximum, unit
        shown = f" {unit}" if unit else ""
        super().__init__(
            f"Argument `{quantity}` must be between {minimum:g} and {maximum:g}{shown}, but is {value:g}."
            f" Choose a value inside the device's limits."
        )


class LabLimitError(HardwareLimitError):
    """A number is outside the lab's limits, which no run can loosen; the message names file and line."""

    def __init__(self, message: str) -> None:
        ToolError.__init__(self, message)


class UnknownQubitError(InputError):
    """The device has no such qubit."""

    def __init__(self, qubit: str, known: tuple[str, ...]) -> None:
        self.qubit, self.known = qubit, known
        super().__init__(f"The device has no qubit {qubit!r}. It has: {', '.join(known)}.")


class ProcedureError(InputError):
    """A procedure document is malformed."""


class RuleError(InputError):
    """A feature map breaks a rule.

    Attributes:
        findings: one dict a broken rule, with ``rule`` (short name), ``message`` (what, where) and ``mend``.
    """

    def __init__(self, findings: list[dict[str, str]]) -> None:
        self.findings = findings
        super().__init__(" ".join(f"{one['message']} {one['mend']}".strip() for one in findings))


class MemoryLimitError(InputError):
    """The work would not fit the memory that it may use."""

    def __init__(self, what: str, needed_mb: float, limit_mb: float, mend: str) -> None:
        self.needed_mb, self.limit_mb = needed_mb, limit_mb
        super().__init__(f"{what} needs about {needed_mb:.0f} MB, but may use {limit_mb:.0f} MB. {mend}")


class DataError(ToolError):
    """The data are not good enough; measure again, differently."""


class FitError(DataError):
    """The data do not determine the model."""


class RecordError(ToolError):
    """A stored run cannot be used as it is."""


class RunNotFoundError(RecordError):
    """No run of this name in the runs folder."""


class CorruptRecordError(RecordError):
    """A stored file or checkpoint does not read back."""


class ForeignRunError(RecordError):
    """A run that this lab did not begin, or whose ``run.json`` is not as this lab wrote it: it is only read."""

    def __init__(self, run_id: str, *, changed: bool) -> None:
        why = "it was not begun here, or by an earlier version"
        if changed:
            why = "its run.json was changed, or its files.jsonl (restore the file from a copy)"
        super().__init__(
            f"Run {run_id} does not carry the seal of this lab: {why}. It can be read and exported. Look at what it"
            f" asks for (`labwright runs show {run_id}`) and at the state folder (LABWRIGHT_STATE). To go on with it"
            f" all the same: `labwright runs resume {run_id} --adopt`. That takes its choices and its journal as they"
            " stand, replays them instead of the stored checkpoints, and asks every question anew."
        )


class JobNotFoundError(RecordError):
    """No job of this id."""


class UnknownOutcomeError(ToolError):
    """A step was begun, the process died, and whoever acted cannot tell whether it happened."""

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(
            f"Action {key[:12]} was begun and its outcome is unknown: the device cannot tell whether it happened."
            f" Look at the device, then allow the step again or stop the run."
        )


class UnreachableError(ToolError):
    """An outside service does not answer, or answers with something that cannot be understood."""


class LeaseError(ToolError):
    """Another process drives this run or device."""


class SafetyStop(ToolError):
    """The run stops here, with everything kept: a bound is spent, an approval is void, or a write did not hold."""


class SandboxError(ToolError):
    """Confined code could not be run."""


class SandboxUnavailableError(SandboxError):
    """Nothing on this machine confines code strongly enough; the message says what was tried and how to fix it."""


class SandboxedFailure(SandboxError):
    """The confined code failed or broke a limit.

    Attributes:
        ending: how it ended: ``failed``, ``timeout``, ``memory``, ``killed`` or ``overflow``.
        kind: name of the exception that it raised; empty if it raised none.
        detail: the end of its traceback or error output.
    """

    def __init__(self, ending: str, message: str, kind: str = "", detail: str = "") -> None:
        self.ending, self.kind, self.detail = ending, kind, detail
        super().__init__(message)
