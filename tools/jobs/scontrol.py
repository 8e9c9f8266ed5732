"""What SLURM says about jobs, read from ``scontrol -o show job``: it works without an accounting database."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass

from labwright.tools.errors import UnreachableError

ANSWER_SECONDS = 60.0
FIELD = re.compile(r"(?:^|\s)(JobId|JobName|JobState|Reason|ExitCode|Dependency)=(\S*)")


@dataclass(frozen=True, slots=True)
class Told:
    """One job as SLURM sees it.

    Attributes:
        number: SLURM's job id.
        name: as given to sbatch.
        state: such as ``RUNNING``; without what SLURM adds after a blank.
        reason: such as ``DependencyNeverSatisfied``.
    """

    number: str
    name: str
    state: str
    reason: str


def show_jobs() -> dict[str, Told]:
    """All jobs that the controller still remembers, by name; of several with one name the newest.

    Raises:
        UnreachableError: SLURM does not answer.
    """
    return parse(command(["scontrol", "-o", "show", "job"]))


def parse(text: str) -> dict[str, Told]:
    """The jobs in the output of ``scontrol -o show job``."""
    found = {}
    for line in text.splitlines():
        fields = dict(FIELD.findall(line))
        if "JobId" in fields and "JobState" in fields:
            told = Told(fields["JobId"], fields.get("JobName", ""), fields["JobState"], fields.get("Reason", ""))
            found[told.name] = told
    return found


def command(words: list[str], stdin: str = "") -> str:
    """Standard output of one of SLURM's commands.

    Raises:
        UnreachableError: it is not installed, failed, or took too long.
    """
    try:
        done = subprocess.run(
            words, input=stdin, capture_output=True, text=True, timeout=ANSWER_SECONDS, check=False, cwd="/"
        )
    except FileNotFoundError:
        raise UnreachableError(
            f"{words[0]} is not installed here. Install SLURM's commands, or use local jobs."
        ) from None
    except subprocess.TimeoutExpired:
        raise UnreachableError(
            f"{words[0]} did not answer within {ANSWER_SECONDS:g} s. Is the controller up?"
        ) from None
    if done.returncode != 0:
        raise UnreachableError(f"{words[0]} failed: {' '.join(done.stderr.split())[-300:]}")
    return done.stdout
