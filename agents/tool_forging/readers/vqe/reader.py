"""Reads tasks about ground-state energies of molecules by the variational quantum eigensolver."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import ValidationError

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, Unread
from labwright.agents.tool_forging.readers.framed import Framed, WordReader
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.numbers import integer
from labwright.agents.tool_forging.readers.vqe.geometry import geometries
from labwright.agents.tool_forging.readers.vqe.molecules import molecules
from labwright.agents.tool_forging.readers.vqe.spaces import active_orbitals
from labwright.agents.tool_forging.readers.vqe.words import MEANT, OTHER, WORDS
from labwright.tools.forge.families.vqe.spec import Ansatz, Scan, VqeSpec

_BASES = r"STO-?\s?[36]G|\b[346]-\d{2,3}\+*G(?:\*{0,2}|\([^)]*\))|(?:aug-)?cc-pV[DTQ]Z|def2-\w+"
_ANSATZES: dict[Ansatz, str] = {
    "hardware_efficient": r"hardware[- ]efficient|\bHEA\b",
    "upccgsd": r"(?:k-)?UpCCGSD|\bpaired\s+(?:unitary|coupled|generali[sz]ed|UCC)",
    "uccsd": r"UCCSD|unitary coupled[- ]cluster",
}


class _Task(Framed):
    """One task on the way to its specification."""

    def whole(self) -> Reading | Question | Unread:
        basis = self.basis()
        if isinstance(basis, Question):
            return basis
        wanted = molecules(self)
        if isinstance(wanted, Question):
            return wanted
        active: dict[str, list[int]] = {}
        for one in wanted:
            made = active_orbitals(self, one, basis)
            if isinstance(made, Question | Unread):
                return made
            active[one.name] = made
        points = geometries(self, wanted)
        if isinstance(points, Question):
            return points
        scans = [
            Scan(
                molecule=one.name,
                symbols=one.symbols,
                charge=one.charge,
                points=points[one.name],
                active_orbitals=active[one.name],
            )
            for one in wanted
        ]
        spec = self.specified(basis, scans)
        if isinstance(spec, Unread):
            return spec
        self.account.every(
            r"\b(?:no|without(?: any)?) (?:noise|errors)\b|\bone Trotter (?:step|slice)\b|\bE\((?:HF|VQE|FCI)\)"
        )
        values = [one.distance for scan in scans for one in scan.points if one.distance is not None]
        self.account.held = {float(one) for one in (*values, len(values))}
        return self.answer("vqe", spec, "VQE tasks")

    def specified(self, basis: str, scans: list[Scan]) -> VqeSpec | Unread:
        circuits = self.circuits()
        layers = self.account.find(r"(\d+|one|two|three|four|five|six) layers?|\blayers?\s*[:=]\s*(\d+)")
        bravyi = self.account.find(r"Bravyi(?:[- ]|\s+and\s+)Kitaev|\bBK\b")
        try:
            return VqeSpec(
                title=self.body.title, scans=scans, basis=basis, ansatz=circuits[0],
                others=circuits[1:],
                layers=(integer(layers[1] or layers[2]) or 2) if layers else 2,
                mapping="bravyi_kitaev" if bravyi else "jordan_wigner", optimiser=self.optimiser(),
            )  # fmt: skip
        except ValidationError as wrong:
            return Unread(self.body.title, str(wrong.errors()[0]["msg"]))

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

    def circuits(self) -> list[Ansatz]:
        """All circuits that the text names, in its order; UCCSD if it names none."""
        found = {
            name: min(m.start() for m in places)
            for name, words in _ANSATZES.items()
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
    """Whether a basis set is told not to be used: ``instead of 6-31G``, ``6-31G seemed too poor``."""
    before, behind = text[max(0, match.start() - 30) : match.start()], text[match.end() : match.end() + 40]
    turned = r"\b(?:instead of|rather than|not|no longer|better than|beyond|unlike|than)\s+(?:the |in )?(?:minimal )?$"
    return bool(re.search(turned, before, re.I)) or bool(
        re.match(
            r"[\w\s]{0,12}\b(?:is|was|were|seems?|being)\s+(?:\w+\s+)?(?:too|poor|insufficient|inadequate)",
            behind,
        )
    )


def _whole(body: Body) -> Reading | Question | Unread:
    return _Task(body, WORDS).whole()


READER = WordReader(
    "vqe",
    lambda text: MEANT.search(text) is not None,
    OTHER,
    "The book has VQE for ground states with tequila on an exact simulator.",
    _whole,
)
