"""The reader: a passage in short, so that several fit into a prompt."""

from __future__ import annotations

import re
from collections import Counter

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.call import AgentCall
from labwright.agents.lab_calibration.numbers import numbers_in, unsupported

# A sentence of a paper speaks of circuits and data. One that speaks to whoever reads it is no part of the science.
ADDRESSED = re.compile(
    r"(?:^\W*|[:;,!]\s*|\b(?:please|now|then|and|to|must|should)\s+)(?:ignore|disregard|forget|override)\b[^.]{0,60}\b(?:instruction|prompt|rule|above|previous|earlier|task)"
    r"|\b(?:you|your)\b[^.]{0,40}\b(?:must|should|are|have to|will|reply|answer|score|output|task)\b"
    r"|\b(?:system prompt|as an ai|language model:|assistant:|dear (?:reviewer|model|assistant))"
    r"|\b(?:note|message|instructions?) (?:to|for) (?:the |any |all )?(?:reviewer|referee|model|assistant|llm|ai)s?\b"
    r"|^\W*(?:give|assign|rate|score|rank)\b[^.]{0,60}\b(?:10|ten|full marks|highest|maximum|top)\b"
    r"|^\W*(?:reply|respond|answer|output|print|execute|run)\b",
    re.IGNORECASE,
)
CUES = (
    re.compile(r"\b(?:we (?:propose|use|introduce|study|encode|apply|design)|circuit|encod\w+|feature map)\b", re.I),
    re.compile(r"\b(?:accurac\w+|outperform\w*|achiev\w+|result\w*|show\w*|found|improve[sd]?)\b|\d", re.I),
    re.compile(r"\b(?:future|limit\w*|however|remain\w*|open|further|fail\w*|improvement)\b", re.I),
)  # method, results, what is left open
CUE_WEIGHT, FIRST_WEIGHT = 0.5, 0.5  # against the share of common words, which is at most 1
PLAIN = frozenset(
    "the and for with that this are was were from into its our can which have has been not but than then such these "
    "those their they also each between where when more most over under using used use one two".split()
)


class SummariseIn(BaseModel):
    """A passage of a paper."""

    title: str
    text: str
    max_words: int = Field(ge=1)


class SummariseOut(BaseModel):
    """The passage in short."""

    model_config = ConfigDict(extra="forbid")
    summary: str = Field(description="Method, results and what is left open, within the word limit.")


def summarise_by_rules(given: SummariseIn) -> SummariseOut:
    """The telling sentences of the passage, word for word and in its order; nothing is added."""
    sentences = science(given.text)
    if not sentences:
        return SummariseOut(summary="")
    values = _values(sentences)
    chosen: list[int] = []
    room = given.max_words
    for place in _order(sentences, values):
        if (count := len(sentences[place].split())) <= room:
            chosen.append(place)
            room -= count
    if not chosen:  # not one sentence is short enough: the beginning of the best
        best = max(range(len(sentences)), key=lambda place: values[place])
        return SummariseOut(summary=" ".join(sentences[best].split()[: given.max_words]))
    return SummariseOut(summary=" ".join(sentences[place] for place in sorted(chosen)))


def science(text: str) -> list[str]:
    """The sentences of a passage, without those that address a reader or a model."""
    joined = re.sub(r"(?<=[a-z])-\s*\n\s*(?=[a-z])", "", text)  # words that were cut at the end of a line
    parts = re.split(r"(?<=[.!?])\s+(?=[\"'(\[]?[A-Z0-9])|\n\s*\n", joined)
    sentences = [" ".join(part.split()) for part in parts]
    return [one for one in sentences if len(one.split()) > 2 and not ADDRESSED.search(one)]


def _values(sentences: list[str]) -> list[float]:
    """How much each sentence tells: words that the passage repeats, cues, and a first sentence's place."""
    counts = Counter(word for one in sentences for word in set(_words(one)))
    most = max(counts.values(), default=1)
    values = []
    for place, one in enumerate(sentences):
        words = _words(one)
        common = sum(counts[word] for word in words) / (most * max(len(words), 8))
        values.append(common + CUE_WEIGHT * sum(bool(cue.search(one)) for cue in CUES) + FIRST_WEIGHT * (place == 0))
    return values


def _order(sentences: list[str], values: list[float]) -> list[int]:
    """Best sentence of each kind first, so that a short summary has method, result and outlook; then the rest."""
    ranked = sorted(range(len(sentences)), key=lambda place: (-values[place], place))
    firsts = [next((place for place in ranked if cue.search(sentences[place])), ranked[0]) for cue in CUES]
    return list(dict.fromkeys([*firsts, *ranked]))


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"[a-z]{3,}", text.lower()) if word not in PLAIN]


def check_summary(given: SummariseIn, answer: SummariseOut) -> list[str]:
    """Within the limit, no number that the passage lacks, nothing that addresses the reader."""
    found = []
    if (count := len(answer.summary.split())) > given.max_words:
        found.append(f"The summary has {count} words; at most {given.max_words} are allowed.")
    if not count and science(given.text):
        found.append("The summary is empty, but the passage says something.")
    if invented := unsupported(answer.summary, numbers_in(f"{given.title} {given.text}")):
        found.append(f"These numbers do not stand in the passage: {', '.join(invented)}.")
    if addressed := ADDRESSED.search(answer.summary):
        found.append(f'"{addressed.group().strip()}" addresses the reader and is no science; leave it out.')
    return found


SUMMARISE = AgentCall(
    "feature_map_search.summarise_paper",
    "feature_map_search/summarise_paper.md",
    SummariseIn,
    SummariseOut,
    summarise_by_rules,
    check_summary,
    "light",
)
