"""Reads tasks about ground-state energies of molecules by the variational quantum eigensolver."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import ValidationError

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.language.accounting import Account
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.deliverables import label_values
from labwright.agents.tool_forging.readers.language.numbers import integer, numbers_at
from labwright.tools.forge.families.vqe.spec import Point, Scan, VqeSpec

_MEANT = re.compile(
    r"\bVQE\b|variational (?:quantum )?(?:eigensolver|circuits?|algorithm)|\bUCCSD\b|unitary coupled[- ]cluster", re.I
)
_OTHER = re.compile(
    r"\b(?:ADAPT(?:-VQE)?|quantum annealing|QPE|phase estimation|SSVQE|VQD|qubit[- ]?ADAPT|shot noise|shots?|"
    r"noise model|noisy"
    r"|depolari[sz]ing|excited states?|excitation energ\w+|QSE|subspace expansion|PennyLane|Qiskit|CUDA-?Q|"
    r"parity mapping"
    r"|error mitigation|orbital[- ]optimi[sz]ed|open[- ]shell|triplet)\b",
    re.I,
)
_WORDS = frozenset(
    """
    active space frozen core angstrom ansatz antibonding atom atoms atomic basis bfgs bohr bond bonding charge
    charged chemical chemistry circuit classical cluster cobyla coefficient configuration correlated correlation
    coupled covalent dissociate dissociates dissociation doubles eigensolver eigenvalue electron electrons
    electronic energetic equilibrium exact fci fermion fermionic fock fragment full full-ci geometries geometry
    ground ground-state hamiltonian hardware hardware-efficient hartree hartree-fock helium hydride hydrogen
    interaction ion ionic jordan-wigner lithium bravyi kitaev mapped mapping minimal minimise minimize
    minimiser minimum molecular molecule molecules nuclei nuclear optimiser optimizer orbital orbitals potential
    pyscf qubit qubits qulacs reference repulsion scf separation singles slsqp sto sto-3g surface tequila
    transformation trotter trotterised trotterized uccsd ucc unitary upccgsd variational variationally variance
    vqe wavefunction binding stretched stretch compressed multireference static statically beryllium boron
    fluorine beh inter-atomic interatomic internuclear dimension layer layers millihartree chemical-accuracy
    accuracy accurate fluoride hydronium closed-shell singlet positive two-electron distances lengths
    """.split()
)
_FORMULA = re.compile(r"(?<![\w])((?:(?:He|Li|Be|Ne|Na|[HBCNOF])_?\{?\d?\}?){1,4})(\^?\{?\d?[+-]\}?)?(?![A-Za-z])")
_ATOM = re.compile(r"(He|Li|Be|Ne|Na|[HBCNOF])_?\{?(\d?)\}?")
_NAMES = {"hydrogen molecule": ("H2", ["H", "H"], 0), "dihydrogen": ("H2", ["H", "H"], 0),
          "lithium hydride": ("LiH", ["Li", "H"], 0), "helium hydride": ("HeH+", ["He", "H"], 1)}  # fmt: skip
_MINIMAL = {"H": 1, "He": 1, "Li": 5, "Be": 5, "B": 5, "C": 5, "N": 5, "O": 5, "F": 5, "Ne": 5}
_PROTONS = {"H": 1, "He": 2, "Li": 3, "Be": 4, "B": 5, "C": 6, "N": 7, "O": 8, "F": 9, "Ne": 10, "Na": 11}
_BASES = r"STO-?\s?[36]G|\b[346]-\d{2,3}\+*G(?:\*{0,2}|\([^)]*\))|(?:aug-)?cc-pV[DTQ]Z|def2-\w+"
_LEN = r"(?:angstroms?|Å|Angstroms?|bohr|a\.u\.|pm|pico-?met(?:re|er)s?|nm|nano-?met(?:re|er)s?)"
_BOHR = 0.529177210903


class VqeReader:
    """See `labwright.agents.tool_forging.readers.base.Reader`."""

    family = "vqe"

    def read(self, task: TaskText) -> Reading | Question | Unread | None:
        """Read the task if it names VQE."""
        body = Body(task)
        if not _MEANT.search(body.text):
            return None
        other = _OTHER.search(body.text)
        if other:
            return Unread(body.original(*other.span()),
                          "The book has VQE for ground states with tequila on an exact simulator.")  # fmt: skip
        return _Task(body).whole()


class _Task:
    """One task on the way to its specification."""

    def __init__(self, body: Body) -> None:
        self.body, self.text = body, body.text
        self.account = Account(body, _WORDS)
        self.assumed: list[str] = []

    def whole(self) -> Reading | Question | Unread:
        basis = self.basis()
        molecules = self.molecules()
        if not molecules:
            return Question(text="Which molecule is meant?")
        scans = []
        for name, symbols, charge in molecules:
            points = self.points(name, symbols)
            if isinstance(points, Question | Unread):
                return points
            active = self.active(symbols, charge, basis)
            if isinstance(active, Unread):
                return active
            scans.append(Scan(molecule=name, symbols=symbols, charge=charge, points=points, active_orbitals=active))
        ansatz = self.ansatz()
        layers = self.account.find(r"(\d+|one|two|three|four) layers?")
        bravyi = self.account.find(r"Bravyi[- ]Kitaev")
        try:
            spec = VqeSpec(
                title=self.body.title, scans=scans, basis=basis, ansatz=ansatz,
                layers=(integer(layers[1]) or 2) if layers else 2,
                mapping="bravyi_kitaev" if bravyi else "jordan_wigner", optimiser=self.optimiser(),
            )  # fmt: skip
        except ValidationError as wrong:
            return Unread(self.body.title, str(wrong.errors()[0]["msg"]))
        doubt = self.account.doubt()
        if doubt:
            return Unread(doubt[0], f"{doubt[1]!r} in it is nothing that the reader of VQE tasks knows.")
        return Reading("vqe", spec, self.account.covered(), self.assumed)

    def basis(self) -> str:
        found = self.account.every(_BASES)
        if found:
            return found[0][0].lower().replace(" ", "").replace("sto3g", "sto-3g").replace("sto6g", "sto-6g")
        if not self.account.find(r"minimal basis"):
            self.assumed.append("No basis set is given; STO-3G is used. Energies of other basis sets are lower.")
        return "sto-3g"

    def molecules(self) -> list[tuple[str, list[str], int]]:
        """Name, symbols and charge of each molecule that the task wants, in order."""
        found: dict[str, tuple[str, list[str], int]] = {}
        for words, made in _NAMES.items():
            for match in re.finditer(words, self.text, re.I):
                self.account.use(*match.span())
                found.setdefault(made[0], made)
        for match in _FORMULA.finditer(self.text):
            atoms = [symbol for symbol, times in _ATOM.findall(match[1]) for _ in range(int(times or 1))]
            if len(atoms) < 2 or (
                re.fullmatch(r"CNOT|CNO|HF|CNF|OF|NO|ON|BF|BO", match[1]) and not self.is_species(match[1])
            ):
                continue
            sign = match[2] or ""
            size = re.search(r"\d", sign)
            charge = (int(size[0]) if size else 1) * (1 if "+" in sign else -1) if re.search(r"[+-]", sign) else 0
            if match[2] == "-" and re.match(r"[A-Za-z]", self.text[match.end() :]):
                charge = 0
            self.account.use(*match.span())
            name = re.sub(r"[_{}]", "", match[1]) + ("+" if charge == 1 else "-" if charge == -1 else "")
            found.setdefault(name, (name, atoms, charge))
        wanted = [one.value for one in label_values(self.body.wanted, "molecule")]
        if wanted and set(wanted) <= set(found):
            return [found[name] for name in wanted]
        if len(found) == 1 and len(wanted) == 1:
            _, symbols, charge = next(iter(found.values()))
            return [(wanted[0], symbols, charge)]
        return list(found.values())

    def is_species(self, word: str) -> bool:
        """Whether letters that abbreviate a method are a molecule here: hydrogen fluoride and not Hartree-Fock."""
        return bool(re.search(rf"\b(?:molecule|of|for) {word}\b|hydrogen fluoride", self.text))

    # geometry

    def points(self, name: str, symbols: list[str]) -> list[Point] | Question | Unread:
        listed = self.listed(symbols)
        if listed:
            return [Point(positions=listed)]
        line = len(symbols) == 2 or bool(self.account.find(r"\blinear\b|\bchain\b|equally spaced"))
        if not line or not _one_distance(symbols):
            return Question(text=f"What is the geometry of {name}: the coordinates of its atoms in angstrom?")
        distances = self.distances()
        if isinstance(distances, Question):
            return distances
        return [Point(positions=_in_line(symbols, one), distance=one) for one in distances]

    def listed(self, symbols: list[str]) -> list[list[float]]:
        """Coordinates in lines of the text or of an input file: a symbol and three numbers."""
        number = r"(-?\d+(?:\.\d+)?)"
        texts = [self.text, *(one for one in self.body.task.inputs.values() if one)]
        for text in texts:
            rows = list(
                re.finditer(rf"(?:^|[;\n,(])\s*([A-Z][a-z]?)\s*[:(]?\s*{number}[\s,]+{number}[\s,]+{number}", text)
            )
            if [row[1] for row in rows] == symbols:
                if text is self.text:
                    for row in rows:
                        self.account.use(*row.span())
                return [[float(row[k]) for k in (2, 3, 4)] for row in rows]
        return []

    def distances(self) -> list[float] | Question:
        for match in re.finditer(
            rf"(?:from|between|over|range of|in)?\s*\[?\s*\d+\.?\d*\s*{_LEN}?\s*(?:to|and|-|up to|,)\s*\d", self.text
        ):
            found = numbers_at(self.text, match.start())
            if found is None or found.kind not in {"range", "interval"}:
                continue
            tail = self.text[found.start : found.end + 12]
            if not re.search(_LEN, tail) and not re.search(
                r"distance|bond|length|R\b", self.text[max(0, match.start() - 60) : match.start()]
            ):
                continue
            self.account.use(found.start, found.end)
            low, high = (item.value({}) for item in found.items)
            return self.grid(low, high, found.points, found.step, tail)
        return self.single_distances()

    def grid(self, low: float, high: float, points: int | None, step: float | None, tail: str) -> list[float]:
        least = self.account.find(
            r"(?:at\s+)?(?:least\s+)?(\d+|[a-z]+)\s+(?:or more\s+)?(?:equally spaced |evenly spaced )?(?:bond "
            r")?(?:distances|points|geometries|bond lengths|values|lengths)(?:\s+or more)?\b"
        )
        asked = points or (integer(least[1]) if least else None)
        if step:
            points = round((high - low) / step) + 1
        elif asked is None or re.search(r"at least \w+ (?:distances|points|geom)|or more", self.text):
            points = _round_count(low, high, max(asked or 0, 13))
            self.assumed.append(f"{points} equally spaced distances are computed between {low:g} and {high:g}.")
        else:
            points = asked
        length = re.search(_LEN, tail)
        unit = _angstroms(length[0] if length else "")
        return [unit * (low + (high - low) * k / (points - 1)) for k in range(points)]

    def single_distances(self) -> list[float] | Question:
        found: list[float] = []
        pattern = rf"(?:\d+\.?\d*\s*{_LEN}?\s*(?:,\s*(?:and\s+)?|\s+and\s+|;\s*))*\d+\.?\d*\s*({_LEN})"
        for match in re.finditer(pattern, self.text):
            self.account.use(*match.span())
            unit = _angstroms(match[1])
            found += [unit * float(one) for one in re.findall(r"\d+\.?\d*", match[0]) if unit * float(one) not in found]
        if not found:
            return Question(text="At which bond distance or distances (angstrom)?")
        return sorted(found)

    # the circuit

    def active(self, symbols: list[str], charge: int, basis: str) -> list[int] | Unread:
        electrons = sum(_PROTONS[one] for one in symbols) - charge
        space = self.account.find(

                r"active space[^.;]{0,30}?(\d+|two|four|six)\s*(?:electrons?|e)\b[^.;]{0,10}?(\d+|two|three|four|"
                r"five|six)\s*(?:spatial |molecular |active )?(?:orbitals?|o)\b"

        ) or self.account.find(
            r"\((\d+)\s*e?\s*,\s*(\d+)\s*o?\)(?=[^.;]{0,12}active| space)|active "
            r"space[^.;]{0,12}\((\d+)\s*e?\s*,\s*(\d+)\s*o?\)"
        )  # fmt: skip
        if space:
            numbers = [integer(one) for one in space.groups() if one]
            inside, orbitals = int(numbers[0] or 0), int(numbers[1] or 0)
            core = (electrons - inside) // 2
            self.assumed.append(
                "The active orbitals are those around the gap, in the order of their Hartree-Fock energies."
            )
            if inside > electrons or (electrons - inside) % 2:
                return Unread(self.body.original(*space.span()), f"{electrons} electrons do not fit that active space.")
            return list(range(core, core + orbitals))
        frozen = self.account.find(
            r"froz?en[- ]core|freeze the core|freezing the (?:1s )?core|core (?:orbitals? )?frozen|frozen 1s"
        )
        if frozen:
            if not basis.startswith("sto"):
                return Unread(
                    self.body.original(*frozen.span()), "The orbitals above a frozen core are known for STO-nG only."
                )
            core = sum(_PROTONS[one] > 2 for one in symbols)
            return list(range(core, sum(_MINIMAL[one] for one in symbols)))
        return []

    def ansatz(self) -> Literal["uccsd", "upccgsd", "hardware_efficient"]:
        if self.account.find(r"hardware[- ]efficient"):
            return "hardware_efficient"
        if self.account.find(r"(?:k-)?UpCCGSD|paired"):
            return "upccgsd"
        if not self.account.find(r"UCCSD|unitary coupled[- ]cluster"):
            self.assumed.append("No ansatz is given; UCCSD is used, which is exact for two electrons.")
        return "uccsd"

    def optimiser(self) -> Literal["BFGS", "COBYLA", "SLSQP"]:
        for name in ("COBYLA", "SLSQP", "BFGS"):
            if self.account.find(rf"(?:L-)?{name}(?:-B)?"):
                return name
        return "BFGS"


def _angstroms(unit: str) -> float:
    """Angstrom per unit of length."""
    if re.match(r"bohr|a\.u", unit):
        return _BOHR
    return 0.01 if re.match(r"p", unit) else 10.0 if re.match(r"n", unit) else 1.0


def _round_count(low: float, high: float, least: int) -> int:
    """At least so many points, so that their distance is a multiple of 0.05 if possible."""
    for points in range(least, 2 * least):
        steps = (high - low) / (points - 1) / 0.05
        if abs(steps - round(steps)) < 1e-9:
            return points
    return least


def _one_distance(symbols: list[str]) -> bool:
    """Whether all neighbours on a line are alike: equal atoms, or three with a different one in the middle."""
    return len(symbols) == 2 or len(set(symbols)) == 1 or (len(symbols) == 3 and len(set(symbols)) == 2)


def _in_line(symbols: list[str], distance: float) -> list[list[float]]:
    """Atoms on a line at equal distances; of three, the one that is unlike the others goes to the middle."""
    order = list(range(len(symbols)))
    single = [k for k in order if symbols.count(symbols[k]) == 1]
    if len(symbols) == 3 and len(single) == 1:
        order.remove(single[0])
        order.insert(1, single[0])
    place = {atom: k for k, atom in enumerate(order)}
    return [[0.0, 0.0, distance * place[k]] for k in range(len(symbols))]


READER = VqeReader()
