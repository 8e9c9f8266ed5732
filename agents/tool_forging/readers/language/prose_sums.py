"""Hamiltonians in words, as formulas: signs, factors and sums over bonds or sites of products of Pauli letters."""

from __future__ import annotations

import re

_SIGN = r"(?P<{0}sign>minus|plus|\+|-)?\s*"
_TIMES = r"(?:(?P<{0}factor>(?!the\b|a\b|sum\b)[A-Za-z][\w{{}}]*|[\d.]+|one|two|half)\s+times\s+)?"
_OVER = (
    r"the\s+sum\s+over\s+(?:all\s+|the\s+|nearest[- ]neighbou?r\s+|neighbou?ring\s+)*(?P<{0}over>bonds|links|"
    r"pairs(?:\s+of\s+neighbou?rs)?|neighbou?rs|spins|sites|qubits)\s+of\s+(?:the\s+)?"
    r"(?:products?\s+(?:of\s+)?|operators?\s+)?(?P<{0}op>[XYZ]{{1,2}}|"
    r"sigma_?[xyz](?:\s*sigma_?[xyz])?)\b(?:\s*\((?:of\s+)?(?:strength|coefficient|"
    r"weight)\s+(?P<{0}note>[\w.]+)\))?"
)


def _term(name: str) -> str:
    return (_SIGN + _TIMES + _OVER).format(name)


PROSE_SUM = (
    rf"(?i:(?P<lead>(?:energy\s+function|hamiltonian|energy|H)\s*(?:is|:|=|"
    rf"reads)?\s*){_term('a')}(?:\s*,?\s*(?:and\s+)?{_term('b')})?(?:\s*,?\s*(?:and\s+)?{_term('c')})?)"
)
_NUMBERS = {"one": "1", "two": "2", "half": "0.5"}


def written_out(match: re.Match[str]) -> str:
    """The formula; bonds take both letters on neighbouring sites."""
    terms = "".join(_formula(match, part) for part in "abc" if match[f"{part}op"])
    return f"H = {terms.strip().removeprefix('+ ')}"


def _formula(match: re.Match[str], part: str) -> str:
    sign = "-" if match[f"{part}sign"] in {"minus", "-", "Minus"} else "+"
    factor = match[f"{part}factor"] or match[f"{part}note"] or ""
    factor = _NUMBERS.get(factor, factor)
    letters = re.sub(r"sigma_?|\s", "", match[f"{part}op"]).upper()
    if len(letters) == 1 and not match[f"{part}over"].lower().startswith(("spin", "site", "qubit")):
        letters *= 2
    sites = ("i", "{i+1}")
    body = " ".join(f"{letter}_{sites[k]}" for k, letter in enumerate(letters))
    return f" {sign} {factor + ' ' if factor else ''}sum_i {body}"


# ``sum (Sx Sx + Sy Sy) over nearest neighbours``: products of bare operators, one on each site of a bond
NEIGHBOURS = (
    r"\bsum\s*(?:_\{?<[^>]*>\}?)?\s*(?P<bracket>[\[(])(?P<inside>[^()\[\]_]{3,80})[\])]\s*(?:,\s*)?"
    r"over\s+(?:all\s+|the\s+)?(?:nearest[- ]neighbou?rs?(?:\s+(?:pairs|bonds))?|neighbou?r\w*(?:\s+\w+)?|bonds|links)"
)
_BARE_PAIR = re.compile(r"\b(?P<one>S[xyz]|[XYZ])\s*\*?\s*(?P<other>S[xyz]|[XYZ])\b")


def written_on_bonds(match: re.Match[str]) -> str:
    """The sum with its indices."""
    inside = _BARE_PAIR.sub(lambda m: f"{m['one']}_i {m['other']}_{{i+1}}", match["inside"])
    return f"sum_i ({inside})" if inside != match["inside"] else match[0]
