"""Spin chains that are told term by term: ``0.5 X X on every bond``, ``each site feels a field -h Z``, ``ZZ: -1``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from labwright.agents.tool_forging.readers.language.accounting import Account
from labwright.agents.tool_forging.readers.language.products import UnknownSymbol
from labwright.agents.tool_forging.readers.language.scalars import GREEK, scalar_at
from labwright.agents.tool_forging.readers.tensor_network.formulas import Formula, Key, formula_at

_AXIS = r"\{?[xyz]\}?"
_OP = rf"(?:(?:S|sigma)[\^_]?{_AXIS}(?![A-Za-z0-9])|[XYZ](?![a-z])|S[xyz](?![a-z]))"
_INDEX = r"(?:_\{?[ijn](?:\s*\+\s*[12])?\}?|\(\s*[ijn](?:\s*\+\s*[12])?\s*\)|\[\s*[ijn](?:\s*\+\s*[12])?\s*\])?"
_PRODUCT = re.compile(rf"(?P<one>{_OP})(?P<at>{_INDEX})(?:[ \t]*\*?[ \t]*(?P<other>{_OP})(?P<to>{_INDEX}))?")
_NUMBER = r"\d+(?:\.\d+)?(?:\s*/\s*\d+)?"
_SYMBOL = (
    rf"(?![XYZIaA]\b)(?:{'|'.join(sorted(GREEK, key=len, reverse=True))}|[A-Za-z])"
    r"(?:_\{?\w{1,4}\}?|\d|(?<=[JhgB])(?:xy|[xyz]))?(?![A-Za-z(])"
)
_FACTOR = rf"(?:{_NUMBER}|(?<![A-Za-z]){_SYMBOL})"
_PLACED = rf"{_OP}{_INDEX}(?:[ \t]*\*?[ \t]*{_OP}{_INDEX})?"
_INNER = rf"(?:(?:{_FACTOR})[ \t]*\*?[ \t]*)?{_PLACED}"
# a coefficient in front of a product, or of a bracket with products
_STRETCH = re.compile(
    rf"(?<![\w<|^.])(?P<sign>[-+]|minus\s|plus\s)?[ \t]*(?P<front>(?:{_FACTOR}[ \t]*(?:\*|times\b|x\b)?[ \t]*){{0,2}})"
    rf"(?P<body>\(\s*-?\s*{_INNER}(?:\s*[-+]\s*{_INNER})*\s*\)|{_PLACED})(?![\w>|]|\s*>)"
)
_PLACE = re.compile(
    r"(?P<next>\b(?:(?:next|second)[- ](?:to[- ])?(?:nearest[- ])?neighbou?r\w*|second[- ]neighbou?rs?|"
    r"(?:two|2) (?:sites|places|bonds) apart|(?:at )?(?:a )?distance (?:of )?(?:two|2)\b))"
    r"|(?P<near>\b(?:(?:nearest[- ])?neighbou?r\w*|adjacent|bonds?|links?)\b)"
    r"|(?P<site>\b(?:each|every|all|any|per|single|one)\s+(?:(?:the|single|of|individual|ten|lattice)\s+)*"
    r"(?:sites?|spins?|qubits?)\b|\b(?:on|for|at|over|acts? on)\s+(?:sites?|spins?|qubits?)\b|\bon[- ]?site\b|"
    r"\blocally\b)",
    re.I,
)
_BEHIND = re.compile(
    rf"(?:\s*:|\s*=|[^.;\n\d:=]{{0,40}}?(?::|=|\bwith(?:\s+an?)?(?:\s+(?:coefficient|weight|strength|amplitude))?"
    rf"(?:\s+of)?|\bof\s+(?:strength|weight)|\bis|\bcoefficient|\bweight|\bstrength))\s*(?P<value>[-+]?\s*{_FACTOR})"
    r"(?!\s*[A-Za-z]{2,}\s+(?:sites|spins))"
)


# "a coefficient -1 of Z Z"
_BEFORE = re.compile(
    rf"\b(?:coefficient|weight|strength|amplitude|coupling(?: constant)?)\s*(?:of|=|:|"
    rf"is)?\s*(?P<value>[-+]?\s*{_FACTOR})"
    r"\s+(?:of|for|times|in front of|on|before|at)\s+$"
)
# "the x and y parts have strength 1, the z part strength one half"
_PARTS = re.compile(
    r"\b(?P<axes>[xyz](?:\s*(?:,|and|&)\s*[xyz])*)[- ](?:parts?|components?|terms?|couplings?|exchange)\s*"
    r"(?:(?:has|have|with|of|is|are|both|the|an?|each|=|:|strengths?|coupling|coefficients?|weights?|equal to)\s*){0,4}"
    rf"(?P<value>[-+]?\s*{_FACTOR}|one\b)"
)


@dataclass(frozen=True, slots=True)
class _Told:
    """A stretch with operators, how far its pairs reach (0: single sites), and a coefficient that stands apart."""

    match: re.Match[str]
    reach: int
    beside: str
    begin: int
    end: int


def listed_terms(
    account: Account, names: Mapping[str, float], start: int = 0, stop: int | None = None
) -> Formula | None:
    """The sum of the terms that stand in a part of the text; None where there is none.

    Args:
        names: values of symbols.

    Raises:
        UnknownSymbol: a coefficient is a symbol without a value.
    """
    terms: dict[Key, float] = _parts(account, names, start, stop)
    spins = bool(terms) and _in_spins(account.body.text)
    terms = {key: value / 4 if spins else value for key, value in terms.items()}
    for told in _stretches(account, start, len(account.body.text) if stop is None else stop):
        written = _written(told)
        found = formula_at(written, 0, names)
        if found is None:
            continue
        for key, value in found.terms.items():
            terms[key] = terms.get(key, 0.0) + value
        spins = spins or found.spins
        account.use(told.begin, told.end)
    return Formula(terms, spins, 0) if terms else None


def _parts(account: Account, names: Mapping[str, float], start: int, stop: int | None) -> dict[Key, float]:
    """Couplings of neighbours that are told by their components."""
    text = account.body.text
    stop = len(text) if stop is None else stop
    found = list(_PARTS.finditer(text, start, stop))
    if not found or not re.search(r"neighbou?r|adjacent|bonds?\b", text[start:stop], re.I):
        return {}
    turned = re.search(r"\b(?:all|both|each)\b[^.;]{0,12}\b(?:with )?(?:a )?(?:negative|minus) sign", text)
    sign = -1.0 if turned else 1.0
    terms: dict[Key, float] = {}
    for one in found:
        written = "1" if one["value"] == "one" else one["value"].replace(" ", "")
        item = scalar_at(written, 0, list(names))
        if item is None:
            raise UnknownSymbol(written)
        account.use(*one.span())
        for letter in re.findall(r"[xyz]", one["axes"]):
            terms[letter.upper() * 2, (0, 1)] = sign * item.value(names)
    return terms


def _in_spins(text: str) -> bool:
    """Whether operators are S = sigma/2 by the words of the text."""
    return bool(re.search(r"\bspin operators\b|\bS\s*=\s*sigma\s*/\s*2|\bS units\b", text, re.I)) and not re.search(
        r"(?<!not )(?<!no )\bPauli\b", text
    )


def _stretches(account: Account, start: int, stop: int) -> list[_Told]:
    """Terms with their reaches; none if it cannot be told on which sites one of them acts."""
    text = account.body.text
    found: list[_Told] = []
    matches = [one for one in _STRETCH.finditer(text, start, stop) if not _observed(text, one)]
    reaches: list[int | None] = []
    for k in reversed(range(len(matches))):  # "0.5 X X + 0.2 Z Z on every bond": the last one says it for all
        goes_on = k + 1 < len(matches) and not text[matches[k].end() : matches[k + 1].start()].strip()
        low, high = _around(account, matches, k, start, stop)
        reach = _reach(text, matches[k], low, high)
        reaches.insert(0, reaches[0] if reach is None and goes_on else reach)
    for k in range(1, len(matches)):  # "bonds carry 0.5 X X + 0.2 Z Z": the first one says it for all
        if reaches[k] is None and not text[matches[k - 1].end() : matches[k].start()].strip():
            reaches[k] = reaches[k - 1]
    for k, (one, reach) in enumerate(zip(matches, reaches, strict=True)):
        joined = (
            k + 1 < len(matches) and matches[k + 1]["sign"] and not text[one.end() : matches[k + 1].start()].strip()
        )
        low, high = _around(account, matches, k, start, stop)
        value = (
            None
            if one["front"].strip()
            else _BEFORE.search(text, low, one.start()) or _BEHIND.match(text, one.end(), high)
        )
        if not (one["front"].strip() or one["sign"] or value or joined):
            continue
        if reach is None:
            return []
        places = (one.span(), value.span() if value else one.span())
        begin, end = min(a for a, _ in places), max(b for _, b in places)
        found.append(_Told(one, reach, value["value"] if value else "", begin, end))
    return found


def _around(account: Account, matches: list[re.Match[str]], k: int, start: int, stop: int) -> tuple[int, int]:
    """From the term before to the term behind, within the sentence."""
    one = matches[k]
    sentence = next((s for s in account.body.sentences if s.start <= one.start() < s.end), None)
    low, high = (sentence.start, sentence.end) if sentence else (one.start(), one.end())
    low = max(low, start, matches[k - 1].end() if k else 0)
    return low, min(high, stop, matches[k + 1].start() if k + 1 < len(matches) else stop)


def _observed(text: str, match: re.Match[str]) -> bool:
    """Whether operators stand in an expectation value, or a dash in front of them may be one of punctuation."""
    before = text[max(0, match.start() - 24) : match.start()]
    dash = (
        match["sign"] == "-" and text[match.end("sign") : match.end("sign") + 1] == " " and re.search(r"\w $", before)
    )
    return "<" in before.rpartition(">")[2] or bool(dash)


def _reach(text: str, one: re.Match[str], low: int, high: int) -> int | None:
    """How far the operators of a term lie apart: by their indices, or by the words behind or before them."""
    products = list(_PRODUCT.finditer(one["body"]))
    pairs = {p["other"] is not None for p in products}
    if len(pairs) != 1:
        return None
    pair = pairs.pop()
    steps = {int(m[1]) for p in products if (m := re.search(r"\+\s*([12])", p["to"] or ""))}
    if pair and steps:
        return steps.pop() if len(steps) == 1 else None
    if not pair and products[0]["at"]:
        return 0
    behind = re.split(r"[,;]\s", text[one.end() : high])[0]
    places = [*_PLACE.finditer(behind), *reversed(list(_PLACE.finditer(text[low : one.start()])))]
    for place in places:
        if (place["site"] is None) == pair:
            return 2 if place["next"] else 1 if pair else 0
    return None


def _written(told: _Told) -> str:
    """The term as a formula with indices."""
    match = told.match
    sign = "-" if (match["sign"] or "").strip() in {"-", "minus"} else "+"
    front = re.sub(r"\b(?:times|x)\b", "*", match["front"]).strip(" *") or told.beside or "1"
    body = _PRODUCT.sub(lambda p: _indexed(p, told.reach), match["body"])
    return f"{sign} {front.strip()} * sum_i {body if body.startswith('(') else f'({body})'}"


def _indexed(product: re.Match[str], reach: int) -> str:
    first = _plain(product["one"], "i")
    return f"{first} {_plain(product['other'], f'i+{reach}')}" if product["other"] else first


def _plain(operator: str, site: str) -> str:
    axis = re.sub(r"[^xyzXYZ]", "", operator.removeprefix("sigma").removeprefix("S")).lower()
    return f"S_{{{site}}}^{axis}" if operator.startswith("S") else f"{axis.upper()}_{{{site}}}"
