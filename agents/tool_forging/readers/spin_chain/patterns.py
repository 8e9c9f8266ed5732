"""From expressions such as ``-J sum_i Z_i Z_{i+1} - h sum_i X_i`` to patterns of Pauli letters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from labwright.agents.tool_forging.readers.language.operators import (
    Expression,
    Factor,
    Term,
    UnknownSymbol,
    expression_at,
)
from labwright.agents.tool_forging.readers.language.spin_operators import plain_operators
from labwright.tools.forge.families.spin_chain.spec import Pattern

# an elementary operator as a sum of Pauli letters
_PAULI: dict[str, list[tuple[complex, str]]] = {
    "X": [(1, "X")],
    "Y": [(1, "Y")],
    "Z": [(1, "Z")],
    "I": [(1, "I")],
    "Sx": [(0.5, "X")],
    "Sy": [(0.5, "Y")],
    "Sz": [(0.5, "Z")],
    "P": [(0.5, "X"), (0.5j, "Y")],
    "M": [(0.5, "X"), (-0.5j, "Y")],
    "Sp": [(0.5, "X"), (0.5j, "Y")],
    "Sm": [(0.5, "X"), (-0.5j, "Y")],
}
_POWER = re.compile(
    r"\*?\s*/?\s*\(?\(?1?\)?/?\(?\s*\|\s*i\s*-\s*j\s*\|\s*\^\s*\{?\(?(?P<power>[A-Za-z]+|"
    r"[\d.]+(?:\s*/\s*\d+)?)\)?\}?\)?\)?"
)
_FRACTION = re.compile(r"frac\{(?P<top>[^{}|]+)\}\{(?P<low>\|\s*i\s*-\s*j\s*\|(?:\s*\^\s*(?:\{[^{}]*\}|[\w.]+))?)\}")


class NoPattern(Exception):
    """A term is no sum over the chain; the message says which."""


def power_law(text: str, names: Mapping[str, float]) -> tuple[str, float | None]:
    """The text without a factor ``1/|i-j|^alpha`` (blanks in its place), and alpha."""
    text = _FRACTION.sub(lambda m: f"{m['top']} / {m['low']}".ljust(len(m[0])), text)
    match = _POWER.search(text)
    if match is None:
        return text, None
    word = match["power"]
    if not re.match(r"[\d.]", word) and word not in names:
        raise UnknownSymbol(word)
    top, _, low = word.partition("/")
    value = float(top) / float(low or 1) if re.match(r"[\d.]", word) else names[word]
    return text[: match.start()] + " " * len(match[0]) + text[match.end() :], value


def patterns(expression: Expression, power: float | None = None) -> list[Pattern]:
    """The terms of an expression; every one must be summed over the chain.

    Raises:
        NoPattern: one is not, or its coefficient is not real.
    """
    total: dict[tuple[str, tuple[int, ...], float | None], complex] = {}
    among_pairs = any(_all_pairs(term) for term in expression.terms)
    for term in expression.terms:
        if term.drive is not None:
            raise NoPattern("a time-dependent term")
        far = _all_pairs(term) or not among_pairs  # "sum_{i<j}" is what the power belongs to, if the text has one
        for coefficient, letters, offsets in _placed(term):
            long = power if far and len(letters) == 2 else None
            if long is None and _all_pairs(term) and len(letters) == 2:
                long = 0.0
            name = (letters, offsets, long)
            total[name] = total.get(name, 0j) + coefficient
    made = []
    for (letters, offsets, long), value in total.items():
        if abs(value) < 1e-15 and len(total) > 1:
            continue
        if abs(value.imag) > 1e-12 * max(1.0, abs(value)):
            raise NoPattern("a term that is not Hermitian")
        made.append(Pattern(letters=letters, offsets=list(offsets), coefficient=value.real, power=long))
    return made


def _all_pairs(term: Term) -> bool:
    """Whether a term is summed over all pairs of sites, not over neighbours only."""
    return bool(re.fullmatch(r"\s*\w\s*(?:<|>|!=|\\neq)\s*\w\s*", term.summed or ""))


def _placed(term: Term) -> Iterable[tuple[complex, str, tuple[int, ...]]]:
    if not term.factors:
        return
    sites = _sites(term)
    products: list[tuple[complex, list[tuple[int, str]]]] = [(complex(term.coefficient), [])]
    for factor, site in zip(term.factors, sites, strict=True):
        if factor.op not in _PAULI:
            raise NoPattern(f"the operator {factor.op}")
        products = [
            (value * scale, [*letters, (site, letter)])
            for value, letters in products
            for scale, letter in _PAULI[factor.op]
        ]
    for value, letters in products:
        kept = sorted((site, letter) for site, letter in letters if letter != "I")
        if len({site for site, _ in kept}) != len(kept):
            raise NoPattern("two operators on one site")
        if kept:
            first = kept[0][0]
            yield value, "".join(letter for _, letter in kept), tuple(site - first for site, _ in kept)


def _sites(term: Term) -> list[int]:
    """Offsets of the factors: i, i+1, ..., a pair i, j, or neighbours where no index is written."""
    if all(factor.site is None for factor in term.factors):
        return list(range(len(term.factors)))
    if term.width and all(isinstance(factor.site, int) for factor in term.factors):
        return [int(factor.site or 0) for factor in term.factors]
    return [_offset(factor, term) for factor in term.factors]


def _offset(factor: Factor, term: Term) -> int:
    site = str(factor.site)
    pair = bool(re.search(r"<|,", term.summed or ""))
    if site == "j" and (pair or "i" in {str(one.site) for one in term.factors}):
        return 1
    found = re.fullmatch(r"[ijkln](?:([+-])(\d))?", site)
    if not found:
        raise NoPattern(f"a term on site {site} alone")
    return int(f"{found[1]}{found[2]}") if found[1] else 0


_DEFINED = re.compile(r"(?<![A-Za-z|])H(?:_\{?\w+\}?|_?\d)?\s*(?:\([^)]*\))?\s*[=:]\s*")
_EXPONENT = re.compile(r"\bexp\(\s*-\s*(?:1\s*)?[ij](?![A-Za-z])\s*\*?\s*|\be\^\{\s*-\s*[ij](?![A-Za-z])\s*\*?\s*")


_PAIR = re.compile(
    r"\bJ_?\{?(?:ij|i,\s*j|jk)\}?\s*=\s*(?P<c>[A-Za-z]\w*|"
    r"[\d.]+)?\s*\*?\s*/?\s*\(?\s*\|\s*\w\s*-\s*\w\s*\|\s*(?:\^\s*\{?\(?(?P<power>[A-Za-z]+|[\d.]+)\)?\}?)?"
)
_MORE = re.compile(
    r"[^.;]{0,60}?(?P<sign>\bplus\b|\bminus\b|\+|(?<=[ ,])-)\s+(?:an? )?(?:(?P<c>[\d.]+|[A-Za-z])\s*(?:times|"
    r"\*)?\s*)?(?:the )?sum\s+(?:over [\w ]{2,30} )?of\s+"
)
_THROUGH = re.compile(
    r"\b(?:through|via|interaction|coupling|coupled by|interact by|Hamiltonian(?: is| of)?|energy function|of "
    r"the form|exchange)\s*:?\s*(?=[-+\d(A-Z])"
)


def hamiltonian(text: str, names: Mapping[str, float]) -> list[Pattern] | None:
    """The Hamiltonian that a text writes out; None if it writes none."""
    text, names = _pair_coupling(text, names)
    text, power = power_law(plain_operators(text, {}), names)
    for match in _DEFINED.finditer(text):
        found = expression_at(text, match.end(), names)
        if found and any(one.factors for one in found.terms):
            terms = [*found.terms, *_further(text, found.end, names)]
            if not any(one.summed is not None for one in terms) and not _running(terms):
                raise NoPattern("a Hamiltonian without a sum over the chain")
            return patterns(Expression(tuple(terms), found.start, found.end), power)
    return None


_FAR = re.compile(
    r"\b(?:every|each|all|any) (?:possible )?pairs?\b|\ball[- ]to[- ]all\b|\blong[- ]range|\bfalls? off\b|"
    r"\bpower[- ]law",
    re.I,
)


def interaction(text: str, names: Mapping[str, float]) -> list[Pattern] | None:
    """``neighbours interact through J (Sx Sx + Sy Sy)``; None where a text writes nothing of the kind, or all pairs."""
    text, power = power_law(plain_operators(text, {}), names)
    if power is None and _FAR.search(text):
        return None
    for match in _THROUGH.finditer(text):
        try:
            found = expression_at(text, match.end(), names)
        except UnknownSymbol:
            continue
        if found and any(len(one.factors) > 1 for one in found.terms):
            return patterns(found, power)
    return None


def _running(terms: Iterable[Term]) -> bool:
    """Whether every operator bears a running index, so that the sum over the chain is only not written."""
    factors = [factor for term in terms for factor in term.factors]
    return bool(factors) and all(re.fullmatch(r"[ijkln](?:[+-]\d)?", str(factor.site)) for factor in factors)


def _further(text: str, end: int, names: Mapping[str, float]) -> list[Term]:
    """Terms that are told behind a formula: ``plus 0.5 times the sum of Z_i Z_{i+2}``."""
    made: list[Term] = []
    while match := _MORE.match(text, end):
        found = expression_at(text, match.end(), names)
        if found is None or not any(one.factors for one in found.terms):
            break
        word = match["c"] or "1"
        scale = float(word) if re.match(r"[\d.]", word) else names.get(word)
        if scale is None:
            raise UnknownSymbol(word)
        sign = -1.0 if match["sign"] in {"minus", "-"} else 1.0
        made += [replace(one, coefficient=sign * scale * one.coefficient) for one in found.terms]
        end = found.end
    return made


def _pair_coupling(text: str, names: Mapping[str, float]) -> tuple[str, Mapping[str, float]]:
    """``J_ij = J/|i-j|^2`` put into the sum that it belongs to."""
    match = _PAIR.search(text)
    if match is None:
        return text, names
    scale = match["c"] or "1"
    power = match["power"] or "1"
    plain = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    written = re.sub(r"\bJ_?\{?(?:ij|i,\s*j|jk)\}?(?=\s*[A-Za-z(\\])", f"{scale}/|i-j|^{power} ", plain, count=1)
    return written, names


def exponents(text: str, names: Mapping[str, float]) -> list[list[Pattern]] | None:
    """The layers of a period that a text writes as exponentials, the one that acts first in front.

    A product is read from the right, as operators act; exponentials that stand apart, each in its own clause, come in
    the order in which they are told.
    """
    runs: list[list[list[Pattern]]] = []
    end = None
    for match in _EXPONENT.finditer(text):
        found = expression_at(_closed(text, match.end()), 0, names)
        if found is None or not any(one.factors for one in found.terms):
            continue
        joined = end is not None and text[end : match.start()].strip(" )}*@\n") == ""
        runs = [*runs[:-1], [*runs[-1], patterns(found)]] if joined else [*runs, [patterns(found)]]
        end = match.end() + found.end
    product = next((run for run in runs if len(run) > 1), None)
    if product is not None:
        return product[::-1]
    told: list[list[Pattern]] = []
    for run in runs:
        told += [layer for layer in run if layer not in told]
    return told or None


def _closed(text: str, start: int) -> str:
    """What stands up to the bracket that closes the exponential."""
    depth = 1
    for place in range(start, len(text)):
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return text[start:place]
    return text[start:]
