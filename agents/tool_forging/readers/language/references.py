"""References of a task to what is not in its text: last week's rates, the plot of an earlier report."""

from __future__ import annotations

import re

from labwright.agents.call import Question

_EARLIER = r"(?:last|previous|earlier|preceding|former|recent|prior)"
_WORKS = (
    r"(?:plots?|figures?|graphs?|runs?|reports?|stud(?:y|ies)|simulations?|calculations?|e-?mails?|mails?|messages?|"
    r"letters?|projects?|papers?|experiments?|analys[ei]s|homework|tickets?|notebooks?|scripts?|conversations?|"
    r"chats?|meetings?|talks?|posters?|campaigns?|measurements?|tasks?|orders?|requests?)"
)
_ELSEWHERE = re.compile(
    r"\blast (?:time|week|month|year|semester|term|autumn|spring|summer|winter|\w+day)(?:'s)?\b|\byesterday(?:'s)?\b|"
    rf"\b(?:the|our|your|my|his|her|their|that|an?) (?:\w+ )?{_EARLIER} (?:\w+ )?(?P<work>{_WORKS})\b|"
    r"\b(?:as|like) (?P<before>before|previously)\b|"
    r"\b(?:our|my|your) usual (?:\w+ )?(?:parameters?|settings?|values?|rates?|system|set-?up|conditions?|"
    r"levels?|methods?|basis|protocol|model)\b",
    re.I,
)
# how things were done is a pointer only where something is taken over: "worse than last time" sets nothing
_TAKEN = re.compile(
    r"\b(?:same|as|like|use|using|take|taking|keep|keeping|repeat\w*|redo|again|with|from|identical|equal|reuse|"
    r"unchanged|usual|recreate|reproduce|match\w*|continue)\b",
    re.I,
)


def reference_elsewhere(text: str) -> Question | None:
    """The question for what a task takes over from something that is not in its text; None if it takes nothing.

    Once the person has answered, the answer stands under ``## Clarifications`` and the question is not asked again.
    """
    body, _, answers = text.partition("## Clarifications")
    for found in _ELSEWHERE.finditer(body):
        words = _sentence(body, found)
        if _TAKEN.search(words) and not _within(body, found) and found[0] not in answers:
            return Question(
                text=f"The task points to something that is not in it ({found[0]}): {words} "
                "Which values and settings are meant? Please give all of them."
            )
    return None


def _within(body: str, found: re.Match[str]) -> bool:
    """Whether the text itself has what is pointed to: it speaks of a plot before it says *the previous plot*."""
    before = body[: found.start()]
    if found["work"]:
        return bool(re.search(rf"\b{re.escape(found['work'][:4])}", before, re.I))
    return bool(found["before"]) and bool(re.search(r"[.;:!?\n]\s", before))


def _sentence(body: str, found: re.Match[str]) -> str:
    """The sentence around a match, on one line."""
    start = max((m.end() for m in re.finditer(r"[.;!?]\s+|\n\s*\n", body[: found.start()])), default=0)
    end = re.search(r"[.;!?](?=\s|$)|\n\s*\n|$", body[found.end() :])
    return " ".join(body[start : found.end() + (end.end() if end else 0)].split())
