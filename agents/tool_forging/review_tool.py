"""The tool reviewer: what the gate cannot see, shown by a test that code runs."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from pydantic import BaseModel, Field

from labwright.agents.tool_forging.tool_interface import Interface, read_interface
from labwright.agents.typed_call import AgentCall
from labwright.tools.errors import InputError
from labwright.tools.forge.toolset.contract import ToolContract


class ReviewIn(BaseModel):
    """A draft that the gate has looked at."""

    contract: ToolContract
    source: str
    tests: str
    gate: str = Field(default="", description="What the gate measured, in words.")
    survivors: list[str] = Field(
        default_factory=list, description="Deliberate faults in the source that no test noticed."
    )
    notes: str = Field(default="", description="What its writer said of it: claims to look into, no evidence.")
    pitfalls: list[str] = Field(default_factory=list, description="Conventions and traps that the analysis names.")
    earlier: list[str] = Field(
        default_factory=list,
        description="What an earlier review found, and its writer was to mend; empty the first time.",
    )


class Bug(BaseModel):
    """Something that is wrong."""

    what: str = Field(description="What is wrong, which input shows it, and what is right.")
    line: int = Field(ge=0, description="Line of the source; 0 if it is in the tests or in no line.")


class Accepted(BaseModel):
    """A deliberate fault that no test needs to notice."""

    mutant: str = Field(description="One of `survivors`, letter by letter.")
    reason: str = Field(description="Why no right test could tell it from the source.")


class Review(BaseModel):
    """Whether a draft may enter the toolset."""

    approved: bool
    reason: str = Field(description="One or two sentences: what was looked at.")
    bugs: list[Bug] = Field(description="Empty exactly if approved.")
    test: str = Field(
        description="One more test as a module of its own: imports, then functions test_*. It is run at once: it has"
        " to pass if you approve, and to fail if it shows a bug."
    )
    accepted: list[Accepted] = Field(description="Survivors that are no fault of the tests; usually empty.")


def review_by_rules(given: ReviewIn) -> Review:
    """Source against contract: the same fields go in and come out. The physics was the gate's to test."""
    try:
        have = read_interface(given.source, given.contract.name)
        names = [node.name for node in ast.walk(ast.parse(given.tests)) if isinstance(node, ast.FunctionDef)]
    except (InputError, SyntaxError) as wrong:
        return _review([Bug(what=str(wrong), line=0)], "The files were read.")
    proofs = [name for name in names if name.startswith("test_invariant_")]
    bugs = _fields(given, have)
    if given.contract.invariants and not proofs:
        bugs.append(Bug(what="No invariant of the contract is tested: no test_invariant_* is there.", line=0))
    return _review(bugs, f"Fields held against the contract, {len(proofs)} tests of invariants; the gate has passed.")


def _review(bugs: list[Bug], reason: str) -> Review:
    return Review(approved=not bugs, bugs=bugs, reason=reason, test="", accepted=[])


def _fields(given: ReviewIn, have: Interface) -> list[Bug]:
    wanted = {
        have.input: ({one.name for one in given.contract.inputs}, set(have.inputs)),
        have.output: ({one.name for one in given.contract.outputs}, set(have.outputs)),
    }
    return [
        Bug(what=f"{model} lacks {', '.join(sorted(contract - there))}, which the contract names.", line=0)
        for model, (contract, there) in wanted.items()
        if contract - there
    ]


def check_review(given: ReviewIn, answer: Review) -> list[str]:
    """Approved or with bugs, at lines that exist; what is accepted was a survivor."""
    found = []
    if answer.approved and answer.bugs:
        found.append(
            "A draft with bugs is not approved: where one stands, `approved` is false; one that the files refute is"
            " left out, and `reason` says what refuted it."
        )
    if not answer.approved and not answer.bugs:
        found.append("A draft is rejected for bugs: name each with its line in `bugs`.")
    total = len(given.source.splitlines())
    found += [
        f"The source has {total} lines, so line {one.line} is not in it." for one in answer.bugs if one.line > total
    ]
    found += [
        f"`accepted` names {one.mutant!r}, which is none of `survivors`."
        for one in answer.accepted
        if one.mutant not in given.survivors
    ]
    return found + [f"Why is {one.mutant!r} accepted?" for one in answer.accepted if len(one.reason.split()) < 4]


REVIEW = AgentCall(
    "tool_forging.review_tool",
    "tool_forging/review_tool.md",
    ReviewIn,
    Review,
    review_by_rules,
    check_review,
    "reasoning",
)


def reviewing(run: Callable[[str], list[str]]) -> AgentCall[ReviewIn, Review]:
    """The same role, whose test is run before its verdict is believed.

    Args:
        run: the gate's findings on the draft with one more test; empty if it holds.
    """

    def check(given: ReviewIn, answer: Review) -> list[str]:
        if found := check_review(given, answer):
            return found
        if not answer.test.strip():
            return ["There is no `test`: hand in a case whose answer you know."] if answer.approved else []
        wrong = run(answer.test)
        if answer.approved and wrong:
            return [
                f"You approve, but your test does not hold: {' '.join(wrong)} Either it shows a bug (then `approved`"
                " is false), or the test is wrong (then hand in a right one)."
            ]
        if not answer.approved and not wrong:
            return [
                "You reject, but your test passes, so it shows no bug. Hand in one that fails because of the bug, an"
                " empty text if no test can show it, or approve."
            ]
        return []

    return replace(REVIEW, check=lambda given, answer: check(given, answer))
