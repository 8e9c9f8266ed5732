"""The molecules of a VQE task: by name or formula, with their charges."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.framed import Framed
from labwright.agents.tool_forging.readers.language.clean import clean
from labwright.agents.tool_forging.readers.language.coordinates import blocks, positions
from labwright.agents.tool_forging.readers.language.deliverables import label_values
from labwright.agents.tool_forging.readers.language.numbers import integer

_FORMULA = re.compile(r"(?<![\w])((?:(?:He|Li|Be|Ne|Na|[HBCNOF])_?\{?\d?\}?){1,4})(\^?\{?\d?[+-]\}?)?(?![A-Za-z])")
_ATOM = re.compile(r"(He|Li|Be|Ne|Na|[HBCNOF])_?\{?(\d?)\}?")
_NAMES = {"hydrogen molecules?": ("H2", ["H", "H"], 0), "(?:di|molecular )hydrogen": ("H2", ["H", "H"], 0),
          r"water(?: molecules?)?": ("H2O", ["O", "H", "H"], 0), "hydrogen fluoride": ("HF", ["H", "F"], 0),
          "beryllium (?:di)?hydride": ("BeH2", ["Be", "H", "H"], 0), "helium hydride": ("HeH+", ["He", "H"], 1),
          "tri-?hydrogen cation": ("H3+", ["H", "H", "H"], 1), "ammonia": ("NH3", ["N", "H", "H", "H"], 0),
          "methane": ("CH4", ["C", "H", "H", "H", "H"], 0),
          "nitrogen molecules?|(?:di|molecular )nitrogen": ("N2", ["N", "N"], 0),
          "boron (?:mono)?hydride": ("BH", ["B", "H"], 0), "carbon monoxide": ("CO", ["C", "O"], 0),
          "lithium hydride": ("LiH", ["Li", "H"], 0)}  # fmt: skip
PROTONS = {"H": 1, "He": 2, "Li": 3, "Be": 4, "B": 5, "C": 6, "N": 7, "O": 8, "F": 9, "Ne": 10, "Na": 11}
_ELEMENTS = {"hydrogen": "H", "helium": "He", "lithium": "Li", "beryllium": "Be", "carbon": "C", "nitrogen": "N"}
_ATOMS = rf"\b(two|three|four|five|six|[2-9])\s+({'|'.join(_ELEMENTS)})\s+(?:atoms|nuclei)\b"
_LETTERS = r"CNOT|CNO|HF|CNF|OF|NO|ON|BF|BO|FCN|NOF"  # that are mostly no molecule
_TURNED_DOWN = re.compile(
    r"\b(?:is not|isn't|are not|not|no longer|other than|instead of|rather than|unlike|beyond|apart from|"
    r"larger than|bigger than|"
    r"smaller than|heavier than|after|than)\s+(?:an?\s+|the\s+|only\s+|just\s+)?$",
    re.I,
)
_CHARGE = re.compile(
    r"\b(?:(?:total|net|overall|molecular)\s+)?charge\s*(?:of|=|:|is|q\s*=)?\s*(?P<sign>[+-]|plus |"
    r"minus )?\s*(?P<size>\d|one|zero)"
    r"\s*(?P<behind>[+-](?!\d)|plus\b|minus\b|positive\b|negative\b)?(?:\s*e\b)?",
    re.I,
)


@dataclass
class Molecule:
    """One molecule.

    Attributes:
        name: as it is called in the results.
        symbols: of its atoms.
        places: offsets at which the text names it.
    """

    name: str
    symbols: list[str]
    charge: int
    places: list[int] = field(default_factory=list)

    @property
    def electrons(self) -> int:
        return sum(PROTONS[one] for one in self.symbols) - self.charge


def molecules(task: Framed) -> list[Molecule] | Question:
    """Each molecule that the task wants, in order."""
    found = _named(task, task.text)
    for match in _FORMULA.finditer(task.text):
        if (one := _of_formula(task, match)) is not None:
            found.setdefault(one.name, one).places.append(match.start())
    chosen = _chosen(task, found or _counted(task) or _listed(task) or _named(task, clean(task.body.task.text).text))
    if not chosen:
        return Question(text="Which molecule is meant?")
    return _charged(task, chosen) or next((asked for one in chosen if (asked := _odd(one))), None) or chosen


def _named(task: Framed, text: str) -> dict[str, Molecule]:
    """Molecules by their names; `text` may also hold what only sets the scene."""
    found: dict[str, Molecule] = {}
    for words, (name, symbols, charge) in _NAMES.items():
        for match in re.finditer(rf"\b(?:{words})\b", text, re.I):
            if text is task.text:
                task.account.use(*match.span())
            found.setdefault(name, Molecule(name, list(symbols), charge)).places.append(match.start())
    return found


def _counted(task: Framed) -> dict[str, Molecule]:
    """``four hydrogen atoms``."""
    found: dict[str, Molecule] = {}
    for match in task.account.every(_ATOMS):
        many, symbol = integer(match[1]) or 0, _ELEMENTS[match[2].lower()]
        one = Molecule(f"{symbol}{many}", [symbol] * many, 0)
        found.setdefault(one.name, one).places.append(match.start())
    return found if len(found) == 1 else {}


def _listed(task: Framed) -> dict[str, Molecule]:
    """The molecule whose coordinates stand in the text, called by its formula."""
    rows = [[symbol for symbol, _ in positions(task.text, block)] for block in blocks(task.text)]
    if len({tuple(one) for one in rows}) != 1 or not set(rows[0]) <= PROTONS.keys():
        return {}
    counts = {symbol: rows[0].count(symbol) for symbol in dict.fromkeys(rows[0])}
    name = "".join(f"{symbol}{many if many > 1 else ''}" for symbol, many in counts.items())
    return {name: Molecule(name, list(rows[0]), 0, [0])}


def _of_formula(task: Framed, match: re.Match[str]) -> Molecule | None:
    """The molecule of a formula; None where the letters are a method, a bond or an atom."""
    atoms = [symbol for symbol, times in _ATOM.findall(match[1]) for _ in range(int(times or 1))]
    if len(atoms) < 2 or (re.fullmatch(_LETTERS, match[1]) and not _is_species(task.text, match[1])):
        return None
    sign = match[2] or ""
    size = re.search(r"\d", sign)
    charge = (int(size[0]) if size else 1) * (1 if "+" in sign else -1) if re.search(r"[+-]", sign) else 0
    if match[2] == "-" and re.match(r"[A-Za-z]", task.text[match.end() :]):
        charge = 0
    task.account.use(*match.span())
    if _is_bond(task.text, match) or _TURNED_DOWN.search(task.text[max(0, match.start() - 30) : match.start()]):
        return None
    name = re.sub(r"[_{}]", "", match[1]) + ("+" if charge == 1 else "-" if charge == -1 else "")
    return Molecule(name, atoms, charge)


def _chosen(task: Framed, found: dict[str, Molecule]) -> list[Molecule]:
    """Those of the results section, where it names them."""
    wanted = [one.value for one in label_values(task.body.wanted, "molecule")]
    if wanted and set(wanted) <= set(found):
        return [found[name] for name in wanted]
    made = list(found.values())
    if len(made) == 1 and len(wanted) == 1:
        made[0].name = wanted[0]
    return made


def _charged(task: Framed, chosen: list[Molecule]) -> Question | None:
    """A charge that is told beside a formula without one, or that contradicts it."""
    told = {_charge(one) for one in task.account.every(_CHARGE.pattern)}
    if len(told) != 1 or len(chosen) != 1:
        return None
    charge, one = told.pop(), chosen[0]
    if one.charge not in (0, charge):
        return Question(
            text=f"{one.name} is written with charge {one.charge:+d}, but the task says {charge:+d}. Which is meant?"
        )
    if one.charge != charge:
        one.charge = charge
        one.name += {1: "+", -1: "-"}.get(charge, f"({charge:+d})")
    return None


def _charge(match: re.Match[str]) -> int:
    size = {"one": 1, "zero": 0}.get(match["size"].lower()) if match["size"].isalpha() else int(match["size"])
    sign = (match["sign"] or match["behind"] or "+").strip().lower()
    return -int(size or 0) if sign in {"-", "minus", "negative"} else int(size or 0)


def _odd(one: Molecule) -> Question | None:
    if one.electrons % 2 == 0:
        return None
    return Question(
        text=f"{one.name} has {one.electrons} electrons, an odd number, but VQE is done for closed shells. "
        "Which charge is meant?"
    )


def _is_species(text: str, word: str) -> bool:
    """Whether letters that abbreviate a method are a molecule here: hydrogen fluoride and not Hartree-Fock."""
    return bool(re.search(rf"\b(?:molecule|of|for)\s*:?\s+{word}\b|hydrogen fluoride", text))


def _is_bond(text: str, match: re.Match[str]) -> bool:
    """Whether letters name a bond or an angle of a molecule: ``r(OH)``, ``the HOH angle``."""
    before, behind = text[max(0, match.start() - 3) : match.start()], text[match.end() : match.end() + 12]
    return bool(
        re.search(r"[rRd<]\s?\($|<$|[rR]_\{?$", before)
        or re.match(r"[\s)]*(?:bond|angle|distance|length|separation)", behind)
    )
