"""Measurement bases and observables of a circuit task."""

from __future__ import annotations

import re

from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.deliverables import label_values, wanted

_LETTERS = re.compile(
    r"(?<![A-Za-z_\d|<>^])([XYZ])(?:[- ]bas[ei]s|(?=(?:\s*,\s*|\s+and\s+|"
    r"\s+or\s+)(?:in\s+)?(?:the\s+)?[XYZ](?:[- ]bas[ei]s|\s*,|\s+and|\s+or)))"
)
_STRING = re.compile(
    r"(?<![A-Za-z_\d])(?:[XYZI1](?:\s*@\s*|\s*_\{?\d\}?\s*(?=[XYZ]_)|))*[XYZI](?:_\{?\d\}?)?(?![A-Za-z])"
)
_LONG = re.compile(
    r"(?<![A-Za-z_\d|])(?P<plain>[XYZI]{2,})(?![A-Za-z_\d])|(?P<tensor>[XYZI1](?:\s*@\s*[XYZI1])+)|"
    r"(?P<sites>(?:[XYZ]_?\{?\d\}?\s*){1,})(?![A-Za-z_])"
)


def bases_and_observables(body: Body, n: int) -> tuple[list[str], list[str], str]:
    """Bases (one letter a qubit), observables (Pauli strings with identities), and words that are neither."""
    text = body.text
    observables: list[str] = []
    for match in _LONG.finditer(text):
        word = _word(match, n)
        if word is None:
            continue
        if len(word) != n:
            return [], [], match[0]
        if set(word) != {"I"}:
            observables.append(word)
    observables += _spaced(text, n)
    observables += _single(text, n)
    for label in label_values(wanted(body.wanted, "expectation"), "observable"):
        word = label.value
        if re.fullmatch(r"[XYZI]+", word) and len(word) == n:
            observables.append(word)
        elif (
            re.fullmatch(rf"[XYZ]{{{n}}}", word) is None
            and not re.fullmatch(r"[XYZ]\d?", word)
            and not re.match(r"a'? b'?$", word)
        ):
            return [], [], word
    letters = [match[1] for match in _LETTERS.finditer(text)]
    if re.search(r"computational|Z[- ]basis", text):
        letters.insert(0, "Z")
    bases = [letter * n for letter in letters]
    bases += [
        label.value
        for label in label_values(wanted(body.wanted, "counts"), "basis")
        if re.fullmatch(rf"[XYZ]{{{n}}}", label.value)
    ]
    if re.search(r"parit(?:y|ies)", text) and "Z" * n not in observables:
        observables.append("Z" * n)
    observables = list(dict.fromkeys(observables))
    for word in observables:
        if not any(all(a in ("I", b) for a, b in zip(word, basis, strict=True)) for basis in bases):
            bases.append(word.replace("I", "Z"))
    if not observables:
        observables = list(dict.fromkeys(bases))
    return list(dict.fromkeys(bases)), observables, ""


def _spaced(text: str, n: int) -> list[str]:
    """Pauli strings with a letter for each qubit and blanks between, ``X Z 1 1``."""
    pattern = rf"(?<![\w|.])[XYZI1](?:[ \t]+[XYZI1]){{{n - 1}}}(?![\w.])"
    found = [re.sub(r"\s", "", match[0]).replace("1", "I") for match in re.finditer(pattern, text)] if n > 1 else []
    return [word for word in found if set(word) != {"I"}]


_ONE = re.compile(
    r"(?<![A-Za-z_\d|@])(?P<letter>[XYZ])>?\s+(?P<how>of|on|for)\s+(?:the\s+)?(?:qubit\s+(?P<number>\d)|"
    r"(?P<order>first|second|third|fourth)(?:\s+(?:qubit|one)))"
)
_ORDER = {"first": 0, "second": 1, "third": 2, "fourth": 3}


def _single(text: str, n: int) -> list[str]:
    """``the mean of Y on qubit 2`` as an observable; a gate on a qubit is none."""
    found = []
    for match in _ONE.finditer(text):
        gate = re.search(
            r"\b(?:apply|applies|applied|gates?|an?|then|followed by|by|with)\s+(?:an?\s+)?$",
            text[: match.start()],
            re.I,
        ) or re.match(r"[- ]gate", text[match.end("letter") :])
        site = int(match["number"]) if match["number"] else _ORDER[match["order"]]
        spoken = text[max(0, match.start() - 60) : match.start()]
        if (
            not gate
            and site < n
            and (match["how"] == "of" or re.search(r"<$|expect|observable|average|mean|value", spoken))
        ):
            found.append("I" * site + match["letter"] + "I" * (n - site - 1))
    return found


def _word(match: re.Match[str], n: int) -> str | None:
    if match["tensor"]:
        return re.sub(r"[\s@]", "", match["tensor"]).replace("1", "I")
    if match["plain"]:
        return match["plain"] if set(match["plain"]) != {"I"} else None
    pairs = re.findall(r"([XYZ])_?\{?(\d)\}?", match["sites"])
    letters = ["I"] * n
    for letter, site in pairs:
        if int(site) >= n:
            return None
        letters[int(site)] = letter
    return "".join(letters)
