"""Cut the text of a paper into overlapping chunks of a bounded number of tokens.

Tokens are estimated without a tokenizer, since every tokenizer of a language model has to be downloaded first: a run
of ASCII letters counts one token for each six letters begun, a run of digits one for each three begun, any other
sign one. English prose comes to about 1.3 tokens a word, as with common byte-pair vocabularies; formulas count more,
as they do there.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

CHUNK_TOKENS = 1024
OVERLAP_TOKENS = 128  # about a paragraph: a thought that the cut divides is whole in one of the two chunks
LETTERS_A_TOKEN, DIGITS_A_TOKEN = 6, 3
LONGEST_WORD = 240  # characters; longer runs without a space are cut, so that no word exceeds a chunk
PAGE_BREAK = "\n\n"

_PIECES = re.compile(r"[A-Za-z]+|\d+|[^\sA-Za-z\d]")
_WORDS = re.compile(rf"\S{{1,{LONGEST_WORD}}}")
_SENTENCE_END = re.compile(r"[.!?][\"')\]]*$")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a paper.

    Attributes:
        text: as it stands in the paper.
        first_page: on which it begins, from 1.
        last_page: on which it ends.
    """

    text: str
    first_page: int
    last_page: int


def estimated_tokens(text: str) -> int:
    """About how many tokens a language model would count in `text`."""
    total = 0
    for piece in _PIECES.findall(text):
        size = LETTERS_A_TOKEN if piece.isascii() and piece.isalpha() else DIGITS_A_TOKEN if piece.isdigit() else 1
        total += -(-len(piece) // size)
    return total


def chunks(pages: Sequence[str], size: int = CHUNK_TOKENS, overlap: int = OVERLAP_TOKENS) -> list[Chunk]:
    """The chunks of a paper, in order; each ends with a sentence if one ends in its last quarter.

    Args:
        pages: text of each page.
        size: most tokens of a chunk, by `estimated_tokens`.
        overlap: tokens that a chunk shares with the next, at most half of `size`.
    """
    if not 0 <= overlap <= size // 2 or size < LONGEST_WORD:
        raise ValueError(
            f"A chunk of {size} tokens cannot overlap by {overlap}; at most half, and {LONGEST_WORD} or more."
        )
    text = PAGE_BREAK.join(pages)
    page_starts = [0, *accumulate(len(page) + len(PAGE_BREAK) for page in pages)]
    words = [(match.start(), match.end()) for match in _WORDS.finditer(text)]
    # Tokens before each word, so that a stretch costs one subtraction.
    before = [0, *accumulate(estimated_tokens(text[start:end]) for start, end in words)]
    made: list[Chunk] = []
    first = 0
    while first < len(words):
        last = _end(text, words, before, first, size)
        start, end = words[first][0], words[last - 1][1]
        made.append(Chunk(text[start:end], bisect_right(page_starts, start), bisect_right(page_starts, end - 1)))
        if last == len(words):
            break
        first = max(first + 1, bisect_right(before, before[last] - overlap - 1))
    return made


def _end(text: str, words: Sequence[tuple[int, int]], before: Sequence[int], first: int, size: int) -> int:
    """Index after the last word of the chunk that begins with word `first`."""
    furthest = min(len(words), max(first + 1, bisect_right(before, before[first] + size) - 1))
    if furthest == len(words):
        return furthest
    for candidate in range(furthest, first, -1):
        if before[candidate] - before[first] < 0.75 * size:
            break
        if _SENTENCE_END.search(text[words[candidate - 1][0] : words[candidate - 1][1]]):
            return candidate
    return furthest
