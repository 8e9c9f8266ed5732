"""The initial states of a task."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.matrices import matrices
from labwright.agents.tool_forging.readers.language.orders import ORDER
from labwright.agents.tool_forging.readers.open_system.ket_sums import state_near
from labwright.agents.tool_forging.readers.open_system.listed_starts import listed, mixture
from labwright.agents.tool_forging.readers.open_system.operators import System
from labwright.agents.tool_forging.readers.open_system.spoken_starts import eigenstate, spoken_states, with_photons
from labwright.agents.tool_forging.readers.open_system.states import (
    SpokenState,
    aliases_of,
    amplitudes,
    product_ket,
)
from labwright.agents.tool_forging.readers.open_system.told_levels import ToldLevels
from labwright.agents.tool_forging.readers.open_system.told_starts import told_product

_CUE = re.compile(
    (
        r"\binitial\w*|\bstart(?:s|ing|ed)?\b|\bbegin\w*|\bprepar(?:ed?|ations?|ing)\b|\btime zero\b|\bt\s*=\s*0\s*:|"
        r"\bat (?:the outset|first|time zero|t = "
        r"0)\b|\b(?:is|are|sits?|be) (?:put|placed|left|in(?: the| its)?) |\bplaced?\b|\bput\b|\boutset\b|\bat "
        r"t\s*=\s*0\b|\benters?\b|\b(?:(?:both|all|each) (?:qubits |spins |atoms )?in(?= \||the)|at first|empty|"
        r"one time from|once from)\b|\bfrom (?=\||(?:the|its|an?) (?:\w+ "
        r")?(?:excited|ground|superposition|plus|minus|vacuum)\b)|\bfrom \(a\)|"
        r"\bevolve\w*\b[^.;]*\bfrom\b|\bcompar\w+\s+(?:\w+\s+){0,3}(?=\|)|"
        r"\b(?:same|again|repeat\w*|once more)\s+(?:\w+\s+){0,4}(?:for|from|with|in)\s+(?=\||\()"
    ),
    re.I,
)
_KET = r"\|[^|<>]{1,8}>(?:\s*\|[^|<>]{1,8}>)?"
_EIGEN = re.compile(
    (
        r"(?P<signs>(?:(?:plus|minus|\+|-|\+1|-1|positive|negative)(?:\s*(?:,|and|"
        r"or)\s*(?:in\s+)?(?:the\s+)?)?)+|(?:two|both)(?:\s+of)?(?:\s+the)?)\s*eigen(?:states?|"
        r"vectors?)\s*of\s+(?:the\s+)?(?:Pauli\s+)?(?P<axis>sigma_?\{?[x"
        r"yz]\}?|[XYZ]\b)"
    ),
    re.I,
)


def initial_states(
    body: Body, system: System, names: Mapping[str, float], timed: bool = True
) -> list[SpokenState] | Question | Unread:
    """Every initial state, in order; a question where none can be found.

    Args:
        timed: whether the text gives times; without them only the steady state is wanted, which no start changes.
    """
    found: list[SpokenState] = []
    told = listed(_beginnings(body), system, names)
    if told or isinstance(told, Question):
        return told
    beginning = " ".join(one.text for one in body.sentences if not one.is_heading and _CUE.search(one.text))
    product = told_product(beginning, system)
    if product == "partial":
        return Question(text="In which state does each of the parts begin?")
    if isinstance(product, SpokenState):
        return [product]
    titled = False  # whether the sentence before is the title of a section on the start
    for sentence in body.sentences:
        if sentence.is_heading:
            titled = bool(_CUE.search(sentence.text))
            continue
        cue = _CUE.search(sentence.text)
        if titled and cue is None and not ORDER.search(sentence.text):
            found = _merged([*found, *_states(sentence.text, system, names, body)])
        titled = cue is not None and bool(_TITLE.fullmatch(sentence.text))
        defined = re.search(r"\bis the\b[^.;]*\beigenstate", sentence.text)
        if cue or (re.search(r"\beigenstates? of [XYZ]\b", sentence.text) and not defined):
            whole = cue is None or re.match(
                r"(?:is|are|sits?|be|placed?|put|enters?|outset|at)\b", cue[0].strip(), re.I
            )
            text = sentence.text if cue is None or whole else sentence.text[cue.start() :]
            found = _merged([*found, *_states(_before_orders(text), system, names, body)])
    if not found and len(system.dims) == 1 and system.dims[0] > 2 and not system.oscillators:
        found = _named_level(beginning, system)
    if not found and system.oscillators:
        found = with_photons(body.text, system)
    rho = next(
        (
            one
            for one in matrices(body.plain)
            if one.name.lower().startswith("rho") and len(one.rows) == math.prod(system.dims)
        ),
        None,
    )
    if rho is not None:
        found.append(SpokenState("rho", ("rho", "mixed"), matrix=rho.rows))
    pure = re.search(r"\brho\s*(?:\(0\)|_\{?0\}?)\s*=\s*\|(?P<ket>[^|<>]{1,6})>\s*<(?P<bra>[^|<>]{1,6})\|", body.text)
    if pure and pure["ket"] == pure["bra"] and not found:
        psi = product_ket(f"|{pure['ket']}>", system.dims, system.levels, not system.flipped)
        found += [SpokenState(pure["ket"], (pure["ket"],), psi)] if psi else []
    shares = _mixture(body.text if re.search(r"\bmix", body.text) else beginning, system) or mixture(
        beginning, system, names
    )
    if shares is not None:
        return shares if isinstance(shares, Question | list) else [shares]
    if found:
        return found
    if re.search(r"\b(?:steady|stationary)\b", body.text, re.I) and not timed:
        size = math.prod(system.dims)
        rows = tuple(tuple(complex(i == j) / size for j in range(size)) for i in range(size))
        return [SpokenState("mixed", ("mixed",), matrix=rows)]  # a steady state does not depend on it
    return Question(text="In which state does the system begin?")


_TITLE = re.compile(
    r"\W*(?:the\s+)?(?:initial (?:states?|conditions?|preparations?)|starts?|preparations?|beginning)\W*", re.I
)


def _beginnings(body: Body) -> str:
    """The stretches that tell of beginnings: sentences with such a word, and the list below a line with one."""
    told: list[str] = []
    listing = False
    for one in body.sentences:
        if one.is_heading:
            listing = bool(_CUE.search(one.text))
            continue
        item = bool(re.fullmatch(r"\s*(?:[-*+]|\d+[.)])\s+", body.text[: one.start].rpartition("\n")[2]))
        cued = bool(_CUE.search(one.text))
        if cued or (listing and (item or not ORDER.search(one.text))):
            told.append(body.text[body.text.rfind("\n", 0, one.start) + 1 if item else one.start : one.end])
        listing = (cued and one.text.rstrip().endswith((":", "following"))) or (
            listing and (item or not ORDER.search(one.text))
        )
    return "\n".join(told)


def _named_level(text: str, system: System) -> list[SpokenState]:
    """The level that is named first behind a word of beginning."""
    for cue in _CUE.finditer(text):
        names = ToldLevels(tuple(system.levels)).mentioned(re.split(r"[.;]\s", text[cue.end() :])[0])
        if names:
            psi = [0j] * system.dims[0]
            psi[system.levels.index(names[0])] = 1
            return [SpokenState(names[0], (names[0],), tuple(psi))]
    return []


_NO_ORDERS = frozenset({"prepare", "state", "work", "map", "repeat", "compare"})


def _before_orders(text: str) -> str:
    """What stands in front of the first order: "and show how often it is up" is no beginning."""
    for match in ORDER.finditer(text):
        if match.start("verb") > 12 and match["verb"].lower() not in _NO_ORDERS:
            return text[: match.start("verb")]
    return text


def _merged(states: list[SpokenState]) -> list[SpokenState]:
    """Each state once: ``the ground state |0>`` names one state twice."""
    kept: list[SpokenState] = []
    for one in states:
        same = next((k for k, other in enumerate(kept) if other.name == one.name or _alike(one, other)), None)
        if same is None:
            kept.append(one)
        else:
            first = kept[same]
            kept[same] = replace(first, aliases=tuple(dict.fromkeys((*first.aliases, one.name, *one.aliases))))
    return kept


def _alike(one: SpokenState, other: SpokenState) -> bool:
    """Whether two pure states differ at most by a phase."""
    if not one.amplitudes or len(one.amplitudes) != len(other.amplitudes):
        return False
    overlap = abs(sum(complex(a).conjugate() * b for a, b in zip(one.amplitudes, other.amplitudes, strict=True)))
    sizes = [math.sqrt(sum(abs(a) ** 2 for a in state.amplitudes)) for state in (one, other)]
    return math.isclose(overlap, sizes[0] * sizes[1], rel_tol=1e-9)


def _states(text: str, system: System, names: Mapping[str, float], body: Body) -> list[SpokenState]:
    text = _DEFINED.sub(lambda m: " " * len(m[0]), text)
    made: list[SpokenState] = []
    excited_up = not system.flipped
    used: list[tuple[int, int]] = []
    for match in _EIGEN.finditer(text):
        if len(system.dims) == 1 and system.dims[0] == 2:
            axis = re.sub(r"sigma|_|\{|\}", "", match["axis"]).lower()
            signs = re.findall(r"plus|minus|\+|-|positive|negative", match["signs"].lower())
            for sign in signs or ["plus", "minus"]:
                made.append(eigenstate(axis, "-" if sign in ("minus", "-", "negative") else "+", match.start()))
            used.append(match.span())
    place = 0
    while near := state_near(text, place, names):
        place = near[2]
        psi = amplitudes(near[0], system.dims, system.levels, excited_up) if len(near[0]) > 1 else None
        if psi is not None:
            extra = ("superposition", "bell") if len(system.dims) > 1 else ("superposition",)
            made.append(
                SpokenState(
                    "superposition" if not aliases_of(psi) else aliases_of(psi)[0],
                    (*aliases_of(psi), *extra),
                    psi,
                    start=near[1],
                )
            )
            used.append(near[1:])
    for match in re.finditer(_KET, text):
        if (
            any(a <= match.start() < b for a, b in used)
            or re.match(r"\s*<", text[match.end() :])
            or text[match.start() - 1 : match.start()] == "<"
        ):
            continue
        psi = product_ket(match[0], system.dims, system.levels, excited_up)
        if psi is not None and not re.match(
            r"\s*(?:\([^()]*\)\s*)?(?:is|as|being|denotes|=)\s+(?:the\s+)?(?:ground|excited|upper|lower)",
            text[match.end() :],
        ):
            name = re.sub(r"[|>\s]", "", match[0])
            known = aliases_of(psi) if len(system.dims) == 1 and system.dims[0] == 2 else ()
            named = (
                ("excited",)
                if _level_word(text, match.start(), "excited")
                else ("ground",)
                if _level_word(text, match.start(), "ground")
                else ()
            )
            if named:
                used.append((max(0, match.start() - 24), match.end()))
            used.append(match.span())
            made.append(
                SpokenState(
                    named[0] if named else (known[0] if known else name),
                    (name, *known, *named),
                    psi,
                    start=match.start(),
                )
            )
    for match in re.finditer(
        r"(?:^|[\s:(])(?P<axis>[+-][xyz])(?![\w])(?=\s*(?:[.,;)]|$|state|eigenstate|direction|axis))", text
    ):
        if system.dims == [2] and not made:
            made.append(eigenstate(match["axis"][1], match["axis"][0], match.start()))
    made += spoken_states(text, system, used)
    return sorted(made, key=lambda one: one.start)


# "|0> as the ground state" says what a ket is called, and no beginning
_DEFINED = re.compile(
    r"\|\s*[^|<>]{1,3}\s*>\s*(?:\([^()]*\)\s*)?(?:is|as|being|denotes|=)\s+(?:the\s+|its\s+|an?\s+)?"
    r"(?:ground|excited|upper|lower)(?:[- ](?:states?|levels?))?"
)


def _level_word(text: str, place: int, word: str) -> bool:
    return bool(re.search(rf"{word}(?: state| level)?\s*\(?\s*$", text[:place]))


_SHARE = re.compile(
    r"(?P<share>\d+(?:\.\d+)?)\s*(?:%|percent|per cent)\s+(?:of (?:the |its )?\w+\s+)?(?:is |are )?(?:in|on|at)\s+"
    r"(?:the\s+)?(?:level\s+|state\s+)?\|?(?P<level>\w+)>?"
)


def _mixture(text: str, system: System) -> list[SpokenState] | Question | None:
    """``a mixture: 70 % in level 1, 30 % in level 2``; a question where the shares are no whole."""
    shares = {one["level"]: float(one["share"]) for one in _SHARE.finditer(text) if one["level"] in system.levels}
    told = re.search(r"\bmixture|\bmixed\b|\bensemble|incoherent|statistical", text)
    if not shares or (len(shares) < 2 and not told):
        return None
    total = sum(shares.values())
    if not math.isclose(total, 100.0, abs_tol=0.5):
        return Question(text=f"The shares of the initial mixture add up to {total:g} %, not to 100 %. Which are meant?")
    weights = [shares.get(name, 0.0) / total for name in system.levels]
    rows = tuple(
        tuple(complex(weight if i == j else 0.0) for j in range(len(weights))) for i, weight in enumerate(weights)
    )
    return [SpokenState("mixture", ("mixture", "mixed"), matrix=rows)]
