"""Numbers in words of several parts: ``three thousand``, ``thirty-five hundredths``, ``two and a half``."""

from __future__ import annotations

import re

_ONES = {
    word: value
    for value, word in enumerate(
        (
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen"
        ).split()
    )
}
_TENS = {
    word: 10 * value for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}
_LARGE = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
_PARTS = {
    "half": 2,
    "halves": 2,
    "third": 3,
    "thirds": 3,
    "quarter": 4,
    "quarters": 4,
    "fifth": 5,
    "fifths": 5,
    "tenth": 10,
    "tenths": 10,
    "hundredth": 100,
    "hundredths": 100,
    "thousandth": 1000,
    "thousandths": 1000,
}
_SMALL = "|".join([*_ONES, *_TENS])
_WORD = rf"(?:{_SMALL}|hundred|thousand|million)"
# two words at least, or one that says more than sixteen: small ones are read where they stand
COMPOUND = (
    rf"(?<![\w-])(?i:(?:an?\s+)?(?:{_WORD})(?:[\s-]+(?:and\s+)?(?:{_WORD}))+(?:[\s-]+(?:tenths?|hundredths?|"
    rf"thousandths?))?"
    rf"|(?:{_SMALL})[\s-]+(?:tenths?|hundredths?|thousandths?|thirds|quarters|fifths|halves)"
    rf"|(?:an?|one)[\s-]+(?:tenth|hundredth|thousandth|quarter|third|"
    rf"fifth)(?=\s+(?:of\s+a\s+)?(?:[a-zA-Z]*seconds?|[munpf]?s\b|eV|meV|angstrom|per\b))"
    rf"|(?:{_SMALL})\s+and\s+a\s+(?:half|quarter|third)"
    rf"|seventeen|eighteen|nineteen|{'|'.join(_TENS)}|a\s+(?:hundred|thousand|million))(?![\w-]*\w)"
)


def spelled(match: re.Match[str]) -> str:
    """The digits; the words themselves where they are no number, such as ``two one``."""
    words = [word for word in re.split(r"[\s-]+", match[0].lower()) if word not in {"and"}]
    below = _PARTS.get(words[-1]) if len(words) > 1 else None
    if len(words) > 2 and words[-2] == "a" and below:
        value = _whole(words[:-2])
        return match[0] if value is None else f"{value + 1 / below:.10g}"
    value = _whole(list(words[:-1] if below else words))
    if value is None:
        return match[0]
    return f"{value / below:.10g}" if below else str(value)


def _whole(words: list[str]) -> int | None:
    total = current = 0
    last = 10**9  # size of the last small part: tens take ones, nothing else stands side by side
    for word in words:
        if word in {"a", "an"}:
            current, last = 1, 0
        elif word in _LARGE:
            size = _LARGE[word]
            current = max(current, 1) * size
            last = size
            if size > 100:
                total, current = total + current, 0
        else:
            value = _ONES.get(word, _TENS.get(word))
            if value is None or not (last > 100 or last == 100 or (last >= 20 and last % 10 == 0 and value < 10)):
                return None
            current += value
            last = value if value else 1
    return total + current
