"""Which couplers a request for the chip names: "Bring up the chip and the couplers Q1-Q2, Q5-Q6"."""

from __future__ import annotations

import re

from labwright.agents.call import Refusal

_NOUN = r"(?:couplers?|(?:coupled )?pairs?|(?:two-qubit|CZ) gates?)"
_LINK = r"(?:and|with|plus|including|together with|along with|as well as|then|also|but)"
_NOT = r"(?:without|but not|but no|but without|except|no)"
_VERB = r"(?:calibrate|bring up|tune up|set up)"
_WHICH = r"(?:on|for|of|its|their|the|all|every|each|any|these|chosen|following)"
CLAUSE = re.compile(
    rf"[\s,;.]*\b(?P<lead>(?:(?:{_NOT}|{_LINK}|{_VERB}|{_WHICH})[\s,]+)*){_NOUN}\b(?P<rest>.*)$", re.IGNORECASE
)
EXCEPT = re.compile(r",?\s*\b(?:except(?: for| of)?|but not|without|other than|apart from)\b", re.IGNORECASE)
FILLER = frozenset(
    "and or of on for from at the a between only coupler couplers pair pairs qubit qubits touching around all them as"
    " well too also both each side by".split()
)


def parted(text: str) -> tuple[str, str, str] | None:
    """The request without what it says of couplers, the words that lead to these, and what is said of them."""
    found = CLAUSE.search(text)
    return None if found is None else (text[: found.start()].strip(), found["lead"].strip(), found["rest"].strip(" :"))


def couplers_meant(lead: str, rest: str, known: list[str], qubits: list[str]) -> list[str] | Refusal:
    """The couplers that a request asks for, as the device names them and in its order.

    Args:
        lead: the words before "couplers".
        rest: what is said of them; nothing means all.
        known: the device's couplers, such as Q1-Q2.
        qubits: that are worked on.
    """
    if re.search(rf"\b{_NOT}\b", lead, re.IGNORECASE):
        return []
    wanted, _, unwanted = _split(rest)
    meant, left_out = _named(wanted, known), _named(unwanted, known)
    for one in (meant, left_out):
        if isinstance(one, Refusal):
            return one
    assert not isinstance(meant, Refusal)
    assert not isinstance(left_out, Refusal)
    explicit, touched = meant
    for name in explicit:
        if idle := [qubit for qubit in name.split("-") if qubit not in qubits]:
            return Refusal(
                reason=f"The coupler {name} needs {idle[0]}, which the request leaves out. Add it, or leave out the"
                " coupler."
            )
    everything = not explicit and not touched
    gone = {*left_out[0], *(name for name in known if set(name.split("-")) & set(left_out[1]))}
    chosen = {name for name in known if everything or name in explicit or set(name.split("-")) & set(touched)}
    return [name for name in known if name in chosen - gone and set(name.split("-")) <= set(qubits)]


def _split(rest: str) -> tuple[str, str, str]:
    found = EXCEPT.search(rest)
    return (rest, "", "") if found is None else (rest[: found.start()], found.group(), rest[found.end() :])


def _named(text: str, known: list[str]) -> tuple[list[str], list[str]] | Refusal:
    """Couplers that are named by both qubits, and qubits that stand alone, whose couplers are all meant."""
    name = "|".join(re.escape(q) for q in sorted({q for pair in known for q in pair.split("-")}, key=len, reverse=True))
    if not name:
        return Refusal(reason="The device has no couplers. Leave them out of the request.")
    joined = rf"\s*(?:-|–|—|/|_|\+)\s*|\s*,\s*(?=(?:{name})\s*\))"
    pairs = rf"\(?\b({name})(?:{joined})({name})\b\)?|\bbetween ({name}) and ({name})\b"
    explicit = []
    for found in re.finditer(pairs, text, re.IGNORECASE):
        one, two = (found[1] or found[3]).upper(), (found[2] or found[4]).upper()
        coupler = next((pair for pair in (f"{one}-{two}", f"{two}-{one}") if pair in known), None)
        if coupler is None:
            return Refusal(reason=f"{one} and {two} are not coupled. Couplers are: {', '.join(known)}.")
        explicit.append(coupler)
    left = re.sub(pairs, " ", text, flags=re.IGNORECASE)
    touched = [found.upper() for found in re.findall(rf"\b({name})\b", left, re.IGNORECASE)]
    words = re.findall(r"[\w.]+", re.sub(rf"\b(?:{name})\b", " ", left, flags=re.IGNORECASE).lower())
    if strange := [word for word in words if word.strip(".") and word not in FILLER]:
        return Refusal(
            reason=f"What is asked of the couplers is not understood: {' '.join(strange)!r}. Name them, as in: and the"
            f" couplers {known[0]}."
        )
    return explicit, touched
