"""Reads tasks about ground-state energies of molecules by the variational quantum eigensolver."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Literal

from pydantic import ValidationError

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.language.absences import without_absences
from labwright.agents.tool_forging.readers.language.accounting import Account
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.coordinates import blocks, positions, unit_of
from labwright.agents.tool_forging.readers.language.deliverables import label_values
from labwright.agents.tool_forging.readers.language.numbers import integer
from labwright.agents.tool_forging.readers.vqe.distances import Length, lengths, shared, spread
from labwright.tools.forge.families.vqe.spec import Ansatz, Point, Scan, VqeSpec

_MEANT = re.compile(
    r"\bVQE\b|variational (?:quantum )?(?:eigensolver|circuits?|algorithm)|\bUCCSD\b|unitary coupled[- ]cluster|"
    r"\bUpCCGSD\b|hardware[- ]efficient (?:circuit|ansatz)",
    re.I,
)
_OTHER = re.compile(
    r"\b(?:ADAPT(?:-VQE)?|quantum annealing|QPE|phase estimation|SSVQE|VQD|qubit[- ]?ADAPT|shot noise|shots?|"
    r"noise model|noisy"
    r"|depolari[sz]ing|excited states?|excitation energ\w+|QSE|subspace expansion|PennyLane|Qiskit|CUDA-?Q|"
    r"parity mapping"
    r"|error mitigation|CNOTs?|circuit depth|depth of the circuit|gate counts?|two-qubit gates?|entangling gates?|"
    r"orbital[- ]optimi[sz]ed|open[- ]shell|triplet)\b",
    re.I,
)
_WORDS = frozenset(
    """
    casci minimum curve well depth deep fragments bend bent angle angles pauli string strings words term terms
    noise-free noiseless statevector state-vector simulated optimise optimize optimised optimized diagonalise
    diagonalize diagonalisation diagonalization parameter parameters difference differences excitation excitations
    fragment falls dissociated monatomic neutral spin-orbital spin-orbitals spatial nuclei internuclear milli
    microhartree ev kcal energy-error gradient gradients inverse singlet-state cation anion isolated
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
_NAMES = {"hydrogen molecules?": ("H2", ["H", "H"], 0), "(?:di|molecular )hydrogen": ("H2", ["H", "H"], 0),
          r"water(?: molecules?)?": ("H2O", ["O", "H", "H"], 0), "hydrogen fluoride": ("HF", ["H", "F"], 0),
          "beryllium (?:di)?hydride": ("BeH2", ["Be", "H", "H"], 0), "helium hydride": ("HeH+", ["He", "H"], 1),
          "trihydrogen cation": ("H3+", ["H", "H", "H"], 1), "ammonia": ("NH3", ["N", "H", "H", "H"], 0),
          "methane": ("CH4", ["C", "H", "H", "H", "H"], 0), "nitrogen molecules?": ("N2", ["N", "N"], 0),
          "lithium hydride": ("LiH", ["Li", "H"], 0)}  # fmt: skip
_MINIMAL = {"H": 1, "He": 1, "Li": 5, "Be": 5, "B": 5, "C": 5, "N": 5, "O": 5, "F": 5, "Ne": 5}
_PROTONS = {"H": 1, "He": 2, "Li": 3, "Be": 4, "B": 5, "C": 6, "N": 7, "O": 8, "F": 9, "Ne": 10, "Na": 11}
_BASES = r"STO-?\s?[36]G|\b[346]-\d{2,3}\+*G(?:\*{0,2}|\([^)]*\))|(?:aug-)?cc-pV[DTQ]Z|def2-\w+"


class VqeReader:
    """See `labwright.agents.tool_forging.readers.base.Reader`."""

    family = "vqe"

    def read(self, task: TaskText) -> Reading | Question | Unread | None:
        """Read the task if it names VQE."""
        body = Body(task)
        if not _MEANT.search(body.text):
            return None
        other = _OTHER.search(without_absences(body.text))
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
        self.wanted: list[tuple[str, list[str], int]] = []
        self.places: dict[str, list[int]] = {}

    def whole(self) -> Reading | Question | Unread:
        basis = self.basis()
        if isinstance(basis, Question):
            return basis
        self.wanted = self.molecules()
        if not self.wanted:
            return Question(text="Which molecule is meant?")
        active = self.actives(basis)
        if isinstance(active, Unread):
            return active
        points = self.geometries()
        if isinstance(points, Question):
            return points
        scans = [
            Scan(molecule=name, symbols=symbols, charge=charge, points=points[name], active_orbitals=active[name])
            for name, symbols, charge in self.wanted
        ]
        circuits = self.circuits()
        layers = self.account.find(r"(\d+|one|two|three|four) layers?")
        bravyi = self.account.find(r"Bravyi[- ]Kitaev")
        try:
            spec = VqeSpec(
                title=self.body.title, scans=scans, basis=basis, ansatz=circuits[0],
                others=circuits[1:],
                layers=(integer(layers[1]) or 2) if layers else 2,
                mapping="bravyi_kitaev" if bravyi else "jordan_wigner", optimiser=self.optimiser(),
            )  # fmt: skip
        except ValidationError as wrong:
            return Unread(self.body.title, str(wrong.errors()[0]["msg"]))
        self.account.every(r"\b(?:no|without(?: any)?) (?:noise|errors)\b")
        doubt = self.account.doubt()
        if doubt:
            return Unread(doubt[0], f"{doubt[1]!r} in it is nothing that the reader of VQE tasks knows.")
        return Reading("vqe", spec, self.account.covered(), self.assumed)

    def basis(self) -> str | Question:
        found = self.account.every(_BASES)
        meant = [one for one in found if not _is_rejected(self.text, one)] or found
        if len({one[0].lower().replace(" ", "") for one in meant}) > 1:
            return Question(
                text=f"Which basis set is meant: {', '.join(one[0] for one in meant)}? One at a time is done."
            )
        if meant:
            return meant[0][0].lower().replace(" ", "").replace("sto3g", "sto-3g").replace("sto6g", "sto-6g")
        if not self.account.find(r"minimal basis"):
            self.assumed.append("No basis set is given; STO-3G is used. Energies of other basis sets are lower.")
        return "sto-3g"

    def molecules(self) -> list[tuple[str, list[str], int]]:
        """Name, symbols and charge of each molecule that the task wants, in order."""
        found: dict[str, tuple[str, list[str], int]] = {}
        for words, made in _NAMES.items():
            for match in re.finditer(words, self.text, re.I):
                self.account.use(*match.span())
                found.setdefault(made[0], (made[0], list(made[1]), made[2]))
                self.places.setdefault(made[0], []).append(match.start())
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
            if _is_bond(self.text, match):
                continue
            name = re.sub(r"[_{}]", "", match[1]) + ("+" if charge == 1 else "-" if charge == -1 else "")
            found.setdefault(name, (name, atoms, charge))
            self.places.setdefault(name, []).append(match.start())
        wanted = [one.value for one in label_values(self.body.wanted, "molecule")]
        if wanted and set(wanted) <= set(found):
            return [found[name] for name in wanted]
        if len(found) == 1 and len(wanted) == 1:
            name, symbols, charge = next(iter(found.values()))
            self.places[wanted[0]] = self.places[name]
            return [(wanted[0], symbols, charge)]
        return list(found.values())

    def is_species(self, word: str) -> bool:
        """Whether letters that abbreviate a method are a molecule here: hydrogen fluoride and not Hartree-Fock."""
        return bool(re.search(rf"\b(?:molecule|of|for) {word}\b|hydrogen fluoride", self.text))

    # geometry

    def geometries(self) -> dict[str, list[Point]] | Question:
        """The points of each molecule."""
        found: dict[str, list[Point]] = {}
        rest = []
        for name, symbols, _ in self.wanted:
            listed = self.listed(symbols)
            if listed:
                found[name] = [Point(positions=listed)]
            else:
                rest.append((name, symbols))
        angle = self.angle()
        told, assumed = lengths(self.account) if rest else ([], False)
        if assumed:
            self.assumed.append("A distance has no unit: angstrom.")
        for one in told:
            self.account.use(one.start, one.end)
        mentions = {name: self.places[name] for name, _ in rest}
        own = shared(told, mentions, self.text)
        if own is None:
            return Question(text=f"Which distance belongs to which molecule: {', '.join(mentions)}?")
        for name, symbols in rest:
            made = self.points(name, symbols, own[name], angle)
            if isinstance(made, Question):
                return made
            found[name] = made
        return found

    def points(
        self, name: str, symbols: list[str], told: Sequence[Length], angle: float | None
    ) -> list[Point] | Question:
        """A molecule at its distances: on a line, or bent by the angle."""
        single = [one for one in symbols if symbols.count(one) == 1]
        bent = angle is not None and len(symbols) == 3 and len(single) == 1
        line = len(symbols) == 2 or bool(
            self.account.find(r"\blinear(?:ly)?\b|\bchain\b|equally spaced|in a (?:row|line)|collinear")
        )
        if not bent and (not line or not _one_distance(symbols)):
            return Question(text=f"What is the geometry of {name}: the coordinates of its atoms in angstrom?")
        values = list(
            dict.fromkeys(round(v, 9) for one in told for v in spread(self.account, one, self.assumed.append))
        )
        if not values:
            return Question(text=f"At which bond distance or distances (angstrom) is {name} meant?")
        values = values if any(one.open_range for one in told) or len(told) == 1 else sorted(values)
        if bent and angle is not None:
            return [Point(positions=_bent(symbols, one, angle), distance=one) for one in values]
        return [Point(positions=_in_line(symbols, one), distance=one) for one in values]

    def angle(self) -> float | None:
        """The bond angle of a bent molecule (degrees)."""
        match = self.account.find(
            r"(?:angle|bent|H-?[A-Z][a-z]?-?H|<)[^.;\n\d]{0,40}?(\d+(?:\.\d+)?)\s*(?:degrees?|deg\b|°)|"
            r"(\d+(?:\.\d+)?)[\s-]*(?:degrees?|deg|°)(?=[^.;\n]{0,40}(?:angle|bent))"
        )
        return float(match[1] or match[2]) if match else None

    def listed(self, symbols: list[str]) -> list[list[float]]:
        """Coordinates in the text or an input file (angstrom): atoms of the same kinds, in the molecule's order."""
        for text in (self.text, *(one for one in self.body.task.inputs.values() if one)):
            for block in blocks(text):
                rows = positions(text, block)
                if sorted(symbol for symbol, _ in rows) != sorted(symbols):
                    continue
                if text is self.text:
                    self.account.use(block[0].start(), block[-1].end())
                    if not unit_of(text, block):
                        self.assumed.append("The unit of the coordinates is not given: angstrom.")
                symbols[:] = [symbol for symbol, _ in rows]
                return [place for _, place in rows]
        return []

    # the circuit

    def actives(self, basis: str) -> dict[str, list[int]] | Unread:
        """Active orbitals of each molecule."""
        found: dict[str, list[int]] = {}
        for name, symbols, charge in self.wanted:
            made = self.active(symbols, charge, basis)
            if isinstance(made, Unread):
                return made
            found[name] = made
        return found

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

    def circuits(self) -> list[Ansatz]:
        """All circuits that the text names, in its order; UCCSD if it names none."""
        patterns: dict[Ansatz, str] = {
            "hardware_efficient": r"hardware[- ]efficient|\bHEA\b",
            "upccgsd": r"(?:k-)?UpCCGSD|paired",
            "uccsd": r"UCCSD|unitary coupled[- ]cluster",
        }
        found = {
            name: min(m.start() for m in places)
            for name, words in patterns.items()
            if (places := self.account.every(words))
        }
        if not found:
            self.assumed.append("No ansatz is given; UCCSD is used, which is exact for two electrons.")
            return ["uccsd"]
        return sorted(found, key=found.__getitem__)

    def optimiser(self) -> Literal["BFGS", "COBYLA", "SLSQP"]:
        for name in ("COBYLA", "SLSQP", "BFGS"):
            if self.account.find(rf"(?:L-)?{name}(?:-B)?"):
                return name
        return "BFGS"


def _is_rejected(text: str, match: re.Match[str]) -> bool:
    """Whether a basis set is told not to be used: ``STO-3G was too poor``, ``instead of STO-3G``."""
    before, behind = text[max(0, match.start() - 30) : match.start()], text[match.end() : match.end() + 40]
    turned = r"\b(?:instead of|rather than|not|no longer|better than|beyond|unlike|than)\s+(?:the |in )?(?:minimal )?$"
    return bool(re.search(turned, before, re.I)) or bool(
        re.match(
            r"[\w\s]{0,12}\b(?:is|was|were|seems?|being)\s+(?:\w+\s+)?(?:too|poor|insufficient|inadequate)",
            behind,
        )
    )


def _is_bond(text: str, match: re.Match[str]) -> bool:
    """Whether letters name a bond or an angle of a molecule: ``r(OH)``, ``the HOH angle``."""
    before, behind = text[max(0, match.start() - 3) : match.start()], text[match.end() : match.end() + 12]
    return bool(
        re.search(r"[rRd<]\s?\($|<$", before) or re.match(r"[\s)]*(?:bond|angle|distance|length|separation)", behind)
    )


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


def _bent(symbols: list[str], distance: float, angle: float) -> list[list[float]]:
    """Three atoms with the unlike one in the middle, at equal distances and an angle in degrees."""
    half = math.radians(angle) / 2
    ends = iter((1.0, -1.0))
    return [
        [0.0, 0.0, 0.0]
        if symbols.count(one) == 1
        else [0.0, distance * math.sin(half) * next(ends), distance * math.cos(half)]
        for one in symbols
    ]
