"""Stock solutions, and nouns that stand for chemicals: "a 10 mM stock of X in Y", "the bases are X, Y and Z"."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from labwright.agents.protocol_design.grammar.amounts import COUNTS, Amounts
from labwright.agents.protocol_design.grammar.marked import Marked, single
from labwright.agents.protocol_design.reading import StockSolution
from labwright.tools.chemistry.quantities import dimension
from labwright.tools.chemistry.solutions import reagent_density

C, A = r"<C\d+>", r"<A\d+>"
LIST = rf"{C}(?:(?:\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+){C})*"
ROLES = ("solvent", "catalyst", "additive", "modifier", "analyte", "diluent", "reagent", "initiator", "ligand")
_ROLE = "|".join(ROLES)
_COUNT = "|".join(COUNTS)
# Words before a verb that name no set of chemicals.
_NO_NOUN = {
    "it", "there", "this", "that", "which", "volume", "samples", "vials", "reactions", "they", "vial", "sample",
    "blank", "blanks", "control", "controls",  # vials too: see controls.py
}  # fmt: skip
_VERBS = ("used", "needed", "required", "available", "tested", "compared", "studied")
_SOLUTION = r"(?:stock solution|standard solution|stock|solution)"
_STOCKS = (
    rf"(?P<a>{A})\s+(?P<aq>aqueous\s+)?(?:{_SOLUTION})\s+of\s+(?P<c>{C})(?:\s+(?:in|dissolved in)\s+(?P<v>{C}))?",
    rf"(?:stock )?solution\s+of\s+(?P<a>{A})\s+(?P<aq>aqueous\s+)?(?P<c>{C})(?:\s+in\s+(?P<v>{C}))?",
    rf"(?P<a>{A})\s+(?P<aq>aqueous\s+)?(?P<c>{C})(?:\s+in\s+(?P<v>{C}))?\s+{_SOLUTION}(?:\s+in\s+(?P<w>{C}))?",
    rf"(?P<a>{A})\s+(?P<aq>aqueous\s+)(?P<c>{C})",
)
_IMPLIED = (
    rf"(?P<x>{C})(?:[^.<]|{A})*?"
    r"(?:\b(?:added|dispensed|supplied|available|provided|dosed|taken|comes)\s+(?:as|from)|,\s+from)\s+(?:an?\s+)?"
    rf"(?P<tail>(?P<a>{A})\s+{_SOLUTION}(?:\s+in\s+{C})?)(?!\s+of)"
)
# "a 2 M solution of X" is a stock only where something is taken from it; otherwise it is what is wanted.
_TAKEN = re.compile(r"(?:from|as|using|with|of|by|and|the)(?:\s+(?:a|an|the))?\s*$", re.IGNORECASE)


@dataclass
class Nouns:
    """Sets of chemicals by the noun that names them, such as ``base`` -> its chemicals."""

    sets: dict[str, list[str]] = field(default_factory=dict)
    counted: list[tuple[str, int]] = field(default_factory=list)  # noun and how many the text promises

    def of(self, mark_name: str) -> list[str]:
        """The chemicals of a noun."""
        return self.sets[mark_name]


def read_stocks(text: Marked) -> list[StockSolution]:
    """Stocks of the text; their words become marks ``<S0>``."""
    found: list[StockSolution] = []
    for pattern in _STOCKS:
        text.rewrite(pattern, lambda match: _stock(text, match, found))
    text.rewrite(_IMPLIED, lambda match: _implied(text, match, found))
    return found


def _implied(text: Marked, match: re.Match[str], found: list[StockSolution]) -> str:
    """ "X at 0.1 M, added as a 1 M solution in Y": the stock is one of X."""
    made = re.sub(
        rf"{A}\s+{_SOLUTION}", lambda inner: f"{match['a']} {match['x']} stock solution", match["tail"], count=1
    )
    return match.group()[: match.start("tail") - match.start()] + re.sub(
        _STOCKS[2], lambda inner: _stock(text, inner, found), made, flags=re.IGNORECASE
    )


def _stock(text: Marked, match: re.Match[str], found: list[StockSolution]) -> str:
    groups = match.groupdict()
    mark = groups["a"][1:-1]
    item = text.amount(mark)
    concentrated = item.unit == "%" or (item.unit and dimension(item.unit) in ("molarity", "density"))
    taken = "stock" in match.group() or groups["aq"] or _TAKEN.search(text.text[: match.start()])
    if mark in text.used or len(item.values) != 1 or not concentrated or not taken:
        return match.group()
    solute = text.name(groups["c"][1:-1])
    carrier = groups.get("v") or groups.get("w")
    solvent = text.name(carrier[1:-1]) if carrier else "water" if groups["aq"] else None
    text.use(mark, groups["c"][1:-1], carrier[1:-1] if carrier else None)
    basis = (
        "M" if dimension_of(item.unit) == "molarity" else "w/v" if dimension_of(item.unit) == "density" else item.basis
    )
    name = f"{item.words} {solute}"
    if name not in [stock.name for stock in found]:
        # Reagents in water are sold by weight; otherwise the platform's % is v/v.
        sold = solvent in (None, "water") and reagent_density(solute, item.values[0]) is not None
        default = "w/w" if groups["aq"] or sold else "v/v"
        found.append(
            StockSolution(name=name, solute=solute, solvent=solvent, concentration=single(item), basis=basis or default)  # type: ignore[arg-type]
        )
        text.stocks.append(name)
    return f"<S{text.stocks.index(name)}>"


def dimension_of(unit: str) -> str:
    """The dimension of a unit as the amounts name it; ratios and mol% are plain."""
    return unit if unit in ("ratio", "mol%") else dimension(unit)


def read_nouns(text: Marked) -> Nouns:
    """Nouns that stand for chemicals; where they occur stands ``<F0>`` afterwards."""
    nouns = Nouns()
    announced = (
        r"\b(?P<noun>\w+) (?:is|are|will be|can be|may be) (?:one|any|either|each|chosen|taken) (?:of|from)"
        rf" (?:the )?(?:following )?(?:{A}|{_COUNT}) \w+"
    )
    text.rewrite(announced, lambda match: _announced(text, match))
    patterns = (
        r"(?:\bthe\s+|\bfollowing\s+|\bthese\s+|\bmy\s+)*"
        rf"(?:(?P<count>\b(?:{_COUNT})|{A})\s+)?(?:different\s+)?\b(?P<noun>[A-Za-z]\w*)"
        rf"(?:\s+(?:chemicals|compounds|reagents|(?:(?:are|is|will be)\s+)?(?:{'|'.join(_VERBS)})))?"
        rf"(?P<dose>,?\s+(?:at|of|with)\s+{A}(?:\s+each)?)?"
        r"\s*(?::|\b(?:are|is|will be|were)\b:?|,\s*namely|\()"
        rf"\s*(?P<list>{LIST})\)?",
        rf"(?P<list>{C})\s+(?:is|will be|acts|will act|serves|will serve|should act)\s+(?:as\s+)?"
        rf"(?:the\s+|an?\s+)?(?:\w+\s+)?(?P<noun>{_ROLE})\b",
        rf"(?P<count>\b(?:{_COUNT})|{A})\s+(?:different\s+)?(?P<noun>[A-Za-z]\w*s),\s+(?P<list>{LIST})",
        rf"\b(?P<noun>{_ROLE})\s+(?P<list>{C})",
        rf"(?P<list>{C})\s+(?:(?:is|will be)\s+(?:added|used|taken|dispensed)\s+)?as\s+"
        rf"(?:the\s+|an?\s+)?(?P<noun>{_ROLE})\b",
    )
    for pattern in patterns:
        text.rewrite(pattern, lambda match: _set(text, match, nouns))
    _last_words(text, nouns)
    _alternatives(text, nouns)
    for noun in nouns.sets:
        mark = f"<F{text.factors.index(noun)}>"
        counted = rf"(?:\b(?P<count>{_COUNT})\s+|(?P<a>{A})\s+)?(?:different\s+)?\b{re.escape(noun)}(?:e?s)?\b(?!>)"
        text.rewrite(counted, lambda match, mark=mark, noun=noun: _mention(text, match, mark, noun, nouns))  # type: ignore[misc]
    return nouns


def _last_words(text: Marked, nouns: Nouns) -> None:
    """ "The acid" means the one chemical called "... acid" that has no role of its own."""
    taken = {name for chemicals in nouns.sets.values() for name in chemicals} | {
        solute for stock in text.stocks for solute in text.chemicals if stock.endswith(f" {solute}")
    }
    for word in {name.rpartition(" ")[2] for name in text.chemicals if " " in name} - set(nouns.sets):
        meant = {name for name in text.chemicals if name.endswith(f" {word}")} - taken
        if len(meant) == 1 and word.isalpha() and re.search(rf"\b{word}\b", text.text, re.IGNORECASE):
            nouns.sets[word] = sorted(meant)
            text.factors.append(word)


def _alternatives(text: Marked, nouns: Nouns) -> None:
    """ "A, B or C" without a noun of their own are a set: each vial gets one of them."""

    def change(match: re.Match[str]) -> str:
        chemicals = [text.name(mark[1:-1]) for mark in re.findall(C, match.group())]
        taken = {name for members in nouns.sets.values() for name in members}
        if taken & set(chemicals) or len(set(chemicals)) < len(chemicals):
            return match.group()
        name = " or ".join(chemicals)
        nouns.sets[name] = chemicals
        text.factors.append(name)
        text.use(*(mark[1:-1] for mark in re.findall(C, match.group())))
        return f"<F{len(text.factors) - 1}>"

    text.rewrite(rf"{C}(?:\s*,\s*{C})*\s*,?\s+or\s+{C}", change)


def _announced(text: Marked, match: re.Match[str]) -> str:
    for mark in re.findall(A, match.group()):
        text.use(mark[1:-1])
    return match["noun"]


def _set(text: Marked, match: re.Match[str], nouns: Nouns) -> str:
    noun = match["noun"].lower()
    chemicals = [text.name(mark[1:-1]) for mark in re.findall(C, match["list"])]
    if (
        noun in (*_NO_NOUN, *_VERBS)
        or noun in COUNTS
        or (len(chemicals) == 1 and noun.endswith("s") and noun[:-1] not in ROLES)
    ):
        return match.group()
    singular = _singular(noun) if len(chemicals) > 1 or noun[:-1] in ROLES else noun
    if singular in nouns.sets and nouns.sets[singular] != chemicals:
        return match.group()
    nouns.sets[singular] = chemicals
    if match.groupdict().get("count"):
        _count(text, match["count"], singular, nouns)
    text.use(*(mark[1:-1] for mark in re.findall(C, match["list"])))
    if singular not in text.factors:
        text.factors.append(singular)
    return f"<F{text.factors.index(singular)}>{match.groupdict().get('dose') or ''}"


def resolve_its(text: Marked) -> None:
    """ "Its concentration" is that of the substance that was named last."""

    def change(match: re.Match[str]) -> str:
        named = re.findall(r"<[CFS]\d+>", text.text[: match.start()])
        return match.group().replace(match["its"], named[-1]) if named else match.group()

    text.rewrite(r"\b(?P<its>its)\s+(?:final\s+)?(?:concentration|amount|loading|level|dose|share)\b", change)


def join_members(text: Marked) -> None:
    """ "Salt 1 and salt 2" is "salt 1 and 2"."""

    def change(match: re.Match[str]) -> str:
        first, second = (text.amount(match[side][1:-1]) for side in ("a", "b"))
        if first.unit or second.unit or first.form != "list" or second.form != "list":
            return match.group()
        text.use(match["a"][1:-1], match["b"][1:-1])
        words = f"{first.words} and {second.words}"
        text.amounts.append(Amounts((*first.values, *second.values), "", "", "list", first.start, second.end, words))
        return f"{match['f']} <A{len(text.amounts) - 1}>"

    pattern = rf"(?P<f><F\d+>) (?P<a>{A})(?:,? and |, )(?P=f) (?P<b>{A})"
    while re.search(pattern, text.text):
        before = text.text
        text.rewrite(pattern, change)
        if text.text == before:
            return


def _mention(text: Marked, match: re.Match[str], mark: str, noun: str, nouns: Nouns) -> str:
    written = match["count"] or match["a"]
    if written and match.group().rstrip().lower().endswith("s"):
        if match["a"] and text.amount(match["a"][1:-1]).unit:
            return f"{match['a']} {mark}"
        _count(text, written, noun, nouns)
        return mark
    return f"{written} {mark}" if written else mark


def _count(text: Marked, written: str, noun: str, nouns: Nouns) -> None:
    if written.startswith("<A"):
        item = text.amount(written[1:-1])
        if item.unit or len(item.values) != 1:
            return
        text.use(written[1:-1])
        nouns.counted.append((noun, int(item.values[0])))
    else:
        nouns.counted.append((noun, COUNTS[written.lower()]))


def _singular(noun: str) -> str:
    if noun.endswith("sses"):
        return noun[:-2]
    return noun[:-1] if noun.endswith("s") and not noun.endswith("ss") else noun
