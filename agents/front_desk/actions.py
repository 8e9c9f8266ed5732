"""What a message can ask the front desk to do, as types. No type here can hold an approval, a model or a device.

A model fills these from a person's words, and words may be hostile: a memo that says "approved". So what only a person
grants has no field (`labwright.graphs.front_desk.permissions`); `consent` can only ask for more, or for a smaller
budget.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

System = Literal["lab_calibration", "feature_map_search", "tool_forging", "protocol_design"]
Shown = Literal["runs", "status", "show", "cost", "compare", "why"]
About = Literal["preference", "device", "toolset"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Start(_Strict):
    """Start one piece of work in one of the four systems."""

    kind: Literal["start"] = "start"
    system: System
    text: str = Field(
        description="What is wanted, in the person's own words, whole and unchanged, without what belongs to other "
        "actions. A calibration that the short form says exactly may be written in it. Empty if `file` holds it."
    )
    file: str = Field(description="File of prose or a table that is named as the description; empty if none is.")
    inputs: list[str] = Field(description="Data files that are named for a task of tool_forging.")
    uses: list[str] = Field(
        description="What it takes from earlier runs: `run:ID` hands on all that the system can take of that run "
        "(device and settings, data, a feature map, tools); `run:ID#PATH` one value of its result."
    )
    after: bool = Field(
        description="Start only after the runs that earlier actions of this message start are complete. With it, "
        "`run:above` in `uses` means the last of them."
    )
    plan_first: bool = Field(default=False, description="The person wants to see the plan before it starts.")


class RunFile(_Strict):
    """Run a written specification, of whichever system."""

    kind: Literal["run"] = "run"
    file: str = Field(description="Its file (.yaml, .md with front matter, or .csv), or the name of a shipped example.")
    changes: list[str] = Field(description="What shall differ from it, as PATH = VALUE.")
    uses: list[str] = Field(description="As of `start`.")


class Again(_Strict):
    """Run an earlier specification once more, changed or not."""

    kind: Literal["again"] = "again"
    run: str = Field(description="Id of the earlier run.")
    changes: list[str] = Field(
        description="What shall differ, as PATH = VALUE in that run's specification. A value may be "
        "{from: run:ID#PATH}, taken from a result."
    )
    words: str = Field(
        description="What shall differ, in the person's words, where it cannot be said as PATH = VALUE; else empty."
    )
    plan_first: bool = Field(default=False, description="As of `start`.")


class Steer(_Strict):
    """Stop runs before their next stage, go on with stopped ones, or put the open question off."""

    kind: Literal["steer"] = "steer"
    what: Literal["stop", "resume", "later"] = Field(description="later: the open question waits; nothing is stopped.")
    runs: list[str] = Field(description="Their ids; empty: for stop all that go on or wait here, else the newest.")


class Show(_Strict):
    """Say something about runs. Code looks the facts up; for `why` a second agent words them."""

    kind: Literal["show"] = "show"
    what: Shown = Field(
        description="runs: a list of all; status: which go on or wait; show: what a run found; cost; compare: two "
        "runs, the newer first; why: any other question about what a run did, found or decided."
    )
    runs: list[str] = Field(description="Their ids; empty: those of this conversation, or the newest of it.")
    stage: int = Field(ge=0, description="Number of the measurement that `why` is about; 0: the whole run.")
    after: bool = Field(
        default=False,
        description="For `why`: answer by itself once these runs, and those that earlier actions of this message start "
        "or answer, have ended.",
    )


class Reply(_Strict):
    """The message plainly answers a question that waits. The run gets the person's own words, or one of its options."""

    kind: Literal["answer"] = "answer"
    run: str = Field(description="Id of the run whose question is answered; empty: that of the open question.")
    option: str = Field(description="The option that is meant, by its value; empty: the message itself is the answer.")


class Remember(_Strict):
    """Keep something in mind for later conversations."""

    kind: Literal["remember"] = "remember"
    about: About
    text: str = Field(max_length=1000, description="What to keep, in the person's words.")
    value: str = Field(description="For a device its package.module:factory, for a toolset its folder; else empty.")


class Consent(_Strict):
    """Runs that start from now on ask more, or may spend less. It never loosens what the person granted."""

    kind: Literal["consent"] = "consent"
    approval: Literal["", "risky", "always", "granted"] = Field(
        description="always: ask before every measurement of every run. granted: as the person granted it, which takes "
        "back what they wished in words before. Empty: as it is."
    )
    budget: str = Field(description="Such as `tokens=20000`, `calls=50`, `seconds=600`, `money=2`; empty: as it is.")


class Say(_Strict):
    """Answer in words: small talk, a question about this program, a question back, or why something is not done."""

    kind: Literal["say"] = "say"
    text: str = Field(max_length=4000, description="A short, honest reply. It claims no work and no measured number.")


Action = Start | RunFile | Again | Steer | Show | Reply | Remember | Consent | Say


class Decided(_Strict):
    """What a message asks for, in order."""

    actions: list[Annotated[Action, Field(discriminator="kind")]] = Field(min_length=1, max_length=6)
    reason: str = Field(description="Why, in a few words.")
