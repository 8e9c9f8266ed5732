"""The person's own words beside what was made of them: a quoted number that differs is shown, not refused."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from labwright.tools.specifications.patches import path_of, value_at
from labwright.tools.specifications.values import Quantity, ValueProblem, evaluate, parsed
from labwright.tools.units import converted

AROUND = ".,;:!?()[]\"'«»"  # what may stand around a number in a sentence


def quoted(data: dict[str, Any], sources: Mapping[str, str], words: str) -> list[str]:
    """One line for every place with a source: the path, the quotation, its numbers that are among no value there.

    Args:
        data: plain data of a specification.
        sources: path -> quotation or reason.
        words: what the person said.
    """
    found = []
    for name, source in sources.items():
        here = value_at(data, path_of(name))
        if here is None:
            continue
        if not stands_in(source, words):
            found.append(f"{name}: {source} (not a quotation of your words)")
            continue
        values = list(_values(here))
        differs = [text for text, each in _numbers(source) if not any(_same(each, value) for value in values)]
        found.append(f'{name}: "{source}"' + (f" (differs: {', '.join(differs)})" if differs else ""))
    return found


def stands_in(phrase: str, words: str) -> bool:
    """Whether `words` have the phrase, whatever its case, spaces, quotation marks, dashes and forms of letters."""
    return bool(_letters(phrase)) and _letters(phrase) in _letters(words)


def _letters(text: str) -> str:
    """`text` without what two spellings of the same words may differ in."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    kinds = ((unicodedata.category(char), char) for char in plain)
    bare = ("-" if kind == "Pd" or char == "\u2212" else char for kind, char in kinds if not _is_quote(kind, char))
    return " ".join("".join(bare).split()).strip(".,;:!? ")


def _is_quote(kind: str, char: str) -> bool:
    return kind in ("Pi", "Pf") or char in "\"'`"


def _numbers(text: str) -> Iterator[tuple[str, Quantity]]:
    """The numbers of a sentence with the units behind them; the number of a list's item is none of them."""
    words = text.split()
    for at, word in enumerate(words):
        number = word.strip(AROUND)
        if not number[:1].isdigit() and not (number[:1] in "-+" and number[1:2].isdigit()):
            continue
        if at == 0 and word in (f"{number}.", f"{number})"):
            continue
        both = f"{number} {words[at + 1].strip(AROUND)}" if at + 1 < len(words) and word == number else number
        read = next(((each, found) for each in (both, number) if (found := _quantity(each))), None)
        if read:
            yield read


def _quantity(text: str) -> Quantity | None:
    """A number, with or without a unit; None for anything else, such as arithmetic."""
    try:
        tree = parsed(text)
        plain = tree.data == "quantity" or (tree.data == "negative" and tree.children[0].data == "quantity")  # type: ignore[union-attr]
        return evaluate(tree, {}, text) if plain else None
    except ValueProblem:
        return None


def _values(data: Any) -> Iterator[Quantity]:
    """Every number in the fields of `data`, those within arithmetic and conditions, too."""
    if isinstance(data, dict | list):
        for each in data.values() if isinstance(data, dict) else data:
            yield from _values(each)
    elif isinstance(data, str):
        whole = _quantity(data)
        try:
            yield from [whole] if whole else (evaluate(each, {}, data) for each in parsed(data).find_data("quantity"))
        except ValueProblem:
            yield from (each for _, each in _numbers(data))
    elif not isinstance(data, bool) and data is not None:
        yield Quantity(float(data))


def _same(quote: Quantity, value: Quantity) -> bool:
    """Whether both are one number, in their units where both have one."""
    if quote.unit is None or value.unit is None:
        return quote.value == value.value
    return converted(quote.value, quote.unit, value.unit) == value.value
