"""Puts what was found in the sentences together into one group of vials."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from labwright.agents.protocol_design.answers import substance_in
from labwright.agents.protocol_design.grammar.amounts import Amounts, expand, find_amounts
from labwright.agents.protocol_design.grammar.marked import Marked, levels, single
from labwright.agents.protocol_design.grammar.portions import DOSED, Found
from labwright.agents.protocol_design.grammar.stocks import ROLES, Nouns, dimension_of
from labwright.agents.protocol_design.reading import (
    Amount,
    Dilution,
    Doubt,
    Pairing,
    Portion,
    SampleGroup,
    StockSolution,
    Substance,
    Variation,
)

AS_STATED = "as the amounts say"
SOLVENTS = ("solvent", "diluent")


@dataclass
class Assembly:
    """One group of vials under construction.

    Attributes:
        vials: how many the text promises.
        answers: what was settled, by the doubt's id; `amounts` are those that are quantities.
    """

    text: Marked
    nouns: Nouns
    found: Found
    stocks: list[StockSolution]
    times: Variation | None
    vials: int | None
    answers: dict[str, str]
    amounts: dict[str, Amount]
    doubts: list[Doubt] = field(default_factory=list)
    factors: list[Variation] = field(default_factory=list)
    doses: list[Portion] = field(default_factory=list)
    pairings: list[Pairing] = field(default_factory=list)

    def group(self) -> SampleGroup:
        """The group; doubts are collected on the way."""
        for first, second, ratio, total in self.found.shares:
            self._share(first, second, ratio, total)
        self._labelled()
        for substance, amount in self.found.doses:
            self._dose(substance, amount)
        self._refer()
        self._fill()
        if self.times is not None:
            self.factors.append(self.times)
        self._stock_solvents()
        self._count()
        return SampleGroup(
            name="samples",
            factors=self.factors,
            combine="cross",
            rows=[],
            pairings=[*self.pairings, *(pair for one in self.found.only for pair in self._pairing(*one))],
            doses=self.doses,
            replicates=self.found.replicates,
            total_volume=self._total(),
        )

    @property
    def fill_name(self) -> str | None:
        """The chemical that fills up, if it is one."""
        filled = [dose.substance for dose in self.doses if dose.kind == "remainder"]
        names = [factor.name for factor in self.factors]
        return filled[0] if filled and filled[0] not in names else None

    def names(self) -> set[str]:
        """Every chemical that the design uses."""
        used = {dose.substance for dose in self.doses} | {name for factor in self.factors for name in factor.chemicals}
        for stock in self.stocks:
            used |= {stock.solute, stock.solvent or ""}
        return used

    def substances(self, workup: Dilution | None) -> list[Substance]:
        """The chemicals with their roles."""
        factors, stocks = {factor.name for factor in self.factors}, {stock.name for stock in self.stocks}
        names = sorted((self.names() | ({workup.diluent} if workup else set())) - factors - stocks - {""})
        return [Substance(name=name, role=self._role(name)) for name in names]  # type: ignore[arg-type]

    def _role(self, name: str) -> str:
        filling = [dose.substance for dose in self.doses if dose.kind == "remainder"]
        if name in filling or any(name in self.nouns.sets.get(role, []) for role in SOLVENTS):
            return "solvent"
        return "catalyst" if name in self.nouns.sets.get("catalyst", []) else "unknown"

    def _resolve(self, mark: str) -> str:
        """A mark as the design names it: a chemical, a stock, or a factor over chemicals (which is added)."""
        name = self.text.name(mark)
        if mark[0] != "F":
            return name
        chemicals = self.nouns.of(name)
        if len(chemicals) == 1:
            return chemicals[0]
        if name not in [factor.name for factor in self.factors]:
            self.factors.append(Variation(name=name, levels=[], chemicals=chemicals))
        return name

    def means(self, mark: str) -> str:
        """What `_resolve` gives, without adding a factor."""
        name = self.text.name(mark)
        chemicals = self.nouns.of(name) if mark[0] == "F" else []
        return chemicals[0] if len(chemicals) == 1 else name

    def _vary(self, name: str, item: Amounts, values: tuple[float, ...]) -> str:
        factor = f"{name} amount"
        self.factors.append(Variation(name=factor, levels=levels(item, values), chemicals=[]))
        return factor

    def _dose(self, mark: str, amount_mark: str) -> None:
        name, item = self._resolve(mark), self.text.amount(amount_mark)
        if mark[0] == "S" and item.unit and dimension_of(item.unit) not in ("mass", "volume"):
            name = next(stock.solute for stock in self.stocks if stock.name == name)  # 0.1 M "from a stock": its solute
        if any(dose.substance == name for dose in self.doses):
            self.text.used.discard(amount_mark)  # a second amount of one substance is not understood
            return
        if answered := find_amounts(self.answers.get(f"levels of {name}", "")):
            item = answered[0] if answered[0].unit == item.unit else item
        values = expand(item, self.vials)
        if not values:
            what = f"Which levels of {name} are meant by {item.words!r}? List them with their unit."
            self.doubts.append(Doubt(id=f"levels of {name}", text=what, options=[], default=None, consequence=""))
            return
        amount, factor = (single(item), None) if len(values) == 1 else (None, self._vary(name, item, values))
        kind = "equivalents" if item.unit in ("equiv", "mol%") else DOSED[dimension_of(item.unit)]
        via = next((stock.name for stock in self.stocks if stock.solute == name and kind != "equivalents"), None)
        basis = self._basis(name, item, via) if kind == "fraction" else None
        self.doses.append(_portion(name, kind, amount, factor, via=via, basis=basis))

    def _labelled(self) -> None:
        """Members of one set with amounts of their own: all levels crossed, then limited by pairings."""
        clauses = self.found.labelled
        if not clauses:
            return
        name, items = self._resolve(clauses[0].factor), [self.text.amount(m) for one in clauses for m in one.amounts]
        chemicals = self.nouns.of(self.text.name(clauses[0].factor))
        members = sorted(member for one in clauses for member in one.members)
        if members != list(range(1, len(chemicals) + 1)) or len({(one.factor) for one in clauses}) > 1:
            what = f"How much of each {name} is taken? The numbers {members} do not name each once."
            self.doubts.append(Doubt(id=f"{name} by number", text=what, options=[], default=None, consequence=""))
            return
        if len({item.unit for item in items}) > 1 or dimension_of(items[0].unit) not in ("mass", "moles", "volume"):
            what = f"The amounts of each {name} are in different units. What is meant?"
            self.doubts.append(Doubt(id=f"{name} units", text=what, options=[], default=None, consequence=""))
            return
        by_value = {item.values[0]: single(item) for item in items}
        factor = f"{name} amount"
        self.factors.append(Variation(name=factor, levels=list(by_value.values()), chemicals=[]))
        self.doses.append(_portion(name, DOSED[dimension_of(items[0].unit)], None, factor))
        for one in clauses:
            own = [self.text.amount(mark) for mark in one.amounts]
            levels_ = [f"{item.values[0]:g} {item.unit}" for item in own]
            names = [chemicals[member - 1] for member in one.members]
            if len(levels_) < len(by_value):
                self.pairings.append(
                    Pairing(when_factor=name, when_levels=names, only_factor=factor, only_levels=levels_)
                )

    def _labelled_counts(self) -> None:
        """Promised numbers of samples of labelled members must come out, for each member or for all of them."""
        labelled = {name for one in self.found.labelled for name in [self.text.name(one.factor)]}
        skip = labelled | {f"{name} amount" for name in labelled}
        others = 1
        for factor in self.factors:
            others *= 1 if factor.name in skip else len(factor.levels) or len(factor.chemicals)
        for one in self.found.labelled:
            made = len(one.amounts) * others
            if one.count is not None and one.count not in (made, made * len(one.members)):
                self._mismatch(f"number for {one.members}", f"{one.count} samples", f"{made} for each")

    def _basis(self, name: str, item: Amounts, via: str | None) -> str:
        if dimension_of(item.unit) == "density":
            return "w/v"
        # A percentage that comes from a percentage stock is on the stock's basis.
        stock = next((one.basis for one in self.stocks if one.name == via and one.concentration.unit == "%"), "")
        given = item.basis or self.answers.get(f"basis of {name}") or stock
        if given in ("v/v", "w/w", "w/v"):
            return given
        says = f"{item.words} of {name} is read as volume of {name} in the volume of the mixture."
        what = f"Is {item.words!r} of {name} by volume or by weight?"
        doubt = Doubt(id=f"basis of {name}", text=what, options=["v/v", "w/v", "w/w"], default="v/v", consequence=says)
        self.doubts.append(doubt)
        return "v/v"

    def _refer(self) -> None:
        """Equivalents count against the one substance that is given in moles."""
        relative = [i for i, dose in enumerate(self.doses) if dose.kind == "equivalents"]
        anchors = [dose.substance for dose in self.doses if dose.kind in ("moles", "mass", "molarity")]
        for i in relative:
            answer = self.answers.get(f"reference of {self.doses[i].substance}")
            given = next((name for name in (answer, substance_in(answer)) if name in anchors), None)
            reference = given or (anchors[0] if anchors else None)
            if len(set(anchors)) != 1 and given is None:
                what = f"Equivalents of {self.doses[i].substance} with respect to what?"
                name = f"reference of {self.doses[i].substance}"
                self.doubts.append(Doubt(id=name, text=what, options=anchors, default=None, consequence=""))
            self.doses[i] = self.doses[i].model_copy(update={"reference": reference})

    def _share(self, first: str, second: str, ratio: str, total: str | None) -> None:
        a, b, item = self._resolve(first), self._resolve(second), self.text.amount(ratio)
        lower = item.seconds or tuple(1.0 for _ in item.values)
        if total is None:  # by volume: the second one fills up
            values = tuple(100 * x / (x + y) for x, y in zip(item.values, lower, strict=True))
            share = Amounts(values, "%", "v/v", "list", item.start, item.end, item.words)
            amount, factor = (single(share), None) if len(values) == 1 else (None, self._vary(a, share, values))
            self.doses += [_portion(a, "fraction", amount, factor, basis="v/v"), _portion(b, "remainder", None, None)]
            return
        parts = tuple(x / y for x, y in zip(item.values, lower, strict=True))
        plain = Amounts(parts, "", "", "list", item.start, item.end, item.words)
        one = Amount(value=1.0, unit="", words=item.words)
        whole = single(self.text.amount(total))
        mine, factor = (single(plain), None) if len(parts) == 1 else (None, self._vary(f"{a} parts", plain, parts))
        dose = _portion(a, "share", whole, None)
        self.doses.append(dose.model_copy(update={"parts": mine, "parts_factor": factor}))
        self.doses.append(_portion(b, "share", whole, None).model_copy(update={"parts": one}))

    def _fill(self) -> None:
        """What fills up: said so, the solvent, or what the samples are "in"."""
        if any(dose.kind == "remainder" for dose in self.doses):
            return
        dosed = {dose.substance for dose in self.doses}
        # What has a dose of its own cannot fill up.
        marks = [mark for mark in self.found.fills if self.means(mark) not in dosed]
        mark = marks[0] if marks else self._solvent_mark()
        name = self._resolve(mark) if mark else self._filler()
        if name is not None and name not in dosed:
            self.doses.append(_portion(name, "remainder", None, None))

    def _filler(self) -> str | None:
        """Nothing is said to fill up the total volume: ask, with a stock's solvent as the default."""
        if self.found.total is None or not any(dose.kind in ("molarity", "fraction", "share") for dose in self.doses):
            return None
        carrier = next((stock.solvent for stock in self.stocks if stock.solvent), None)
        answer = substance_in(self.answers.get("filler"))
        if answer is None:
            says = f"{carrier}, the solvent of a stock, fills up to the total volume." if carrier else ""
            what = f"What fills the vials up to {self.found.total.words}?"
            self.doubts.append(Doubt(id="filler", text=what, options=[], default=carrier, consequence=says))
        return answer

    def _solvent_mark(self) -> str | None:
        for noun in SOLVENTS:
            if noun in self.nouns.sets:
                return f"F{self.text.factors.index(noun)}"
        dosed = {dose.substance for dose in self.doses}
        inside = [m for m in re.findall(r"\bin\s+<([CF]\d+)>", self.text.text) if self.text.name(m) not in dosed]
        if inside:
            return str(inside[0])
        beside = [f"C{i}" for i, name in enumerate(self.text.chemicals) if name not in dosed]
        fractions = [dose for dose in self.doses if dose.kind == "fraction"]
        return beside[0] if fractions and len({self.text.name(mark) for mark in beside}) == 1 else None

    def _total(self) -> Amount | None:
        if self.found.total is not None:
            return single(self.found.total)
        if "total volume" in self.amounts:
            return self.amounts["total volume"]
        needs = any(dose.kind in ("remainder", "molarity", "fraction", "share") for dose in self.doses)
        if needs:
            what = "What is the total volume of each vial?"
            self.doubts.append(Doubt(id="total volume", text=what, options=[], default=None, consequence=""))
        return None

    def _stock_solvents(self) -> None:
        for i, stock in enumerate(self.stocks):
            if stock.solvent is not None:
                continue
            name = f"solvent of {stock.name}"
            answer = substance_in(self.answers.get(name))
            if answer is None:
                says = f"The stock {stock.name} is taken to be made in {self.fill_name}." if self.fill_name else ""
                what = f"In what is the stock {stock.name!r} dissolved?"
                self.doubts.append(Doubt(id=name, text=what, options=[], default=self.fill_name, consequence=says))
            self.stocks[i] = stock.model_copy(update={"solvent": answer})

    def _pairing(self, left: list[str], right: list[str]) -> list[Pairing]:
        """The factors that hold the names on both sides."""
        lefts, rights = ([self.text.name(mark) for mark in side] for side in (left, right))
        owner = {name: factor.name for factor in self.factors for name in factor.chemicals}
        whens, onlys = {owner.get(name) for name in lefts}, {owner.get(name) for name in rights}
        if len(whens) != 1 or len(onlys) != 1 or None in whens | onlys:
            what = f"Which sets do {' and '.join(lefts)} and {' and '.join(rights)} belong to?"
            self.doubts.append(Doubt(id=f"pairing of {lefts[0]}", text=what, options=[], default=None, consequence=""))
            return []
        return [
            Pairing(when_factor=str(whens.pop()), when_levels=lefts, only_factor=str(onlys.pop()), only_levels=rights)
        ]

    def _count(self) -> None:
        """Promised numbers of vials and of chemicals must come out."""
        self._labelled_counts()
        made = 1
        for factor in self.factors:
            made *= len(factor.levels) or len(factor.chemicals)
        if self.vials is not None and not self.found.only and self.vials not in (made, made * self.found.replicates):
            self._mismatch("number of vials", f"{self.vials} vials", f"{made} different ones")
        for noun, promised in self.nouns.counted:
            if len(self.nouns.of(noun)) != promised:
                self._mismatch(f"number of {noun}s", f"{promised} {noun}s", f"{len(self.nouns.of(noun))}")

    def _mismatch(self, name: str, says: str, comes: str) -> None:
        if self.answers.get(name) == AS_STATED:
            return
        what = f"The text speaks of {says}, but its amounts and combinations make {comes}. Which is right?"
        self.doubts.append(Doubt(id=name, text=what, options=[AS_STATED], default=None, consequence=""))


def _portion(
    substance: str,
    kind: str,
    amount: Amount | None,
    factor: str | None,
    via: str | None = None,
    basis: str | None = None,
) -> Portion:
    return Portion(
        substance=substance,
        kind=kind,  # type: ignore[arg-type]
        amount=amount if kind != "equivalents" or amount is None else _equivalents(amount),
        factor=factor,
        parts=None,
        parts_factor=None,
        via=via,
        basis=basis,  # type: ignore[arg-type]
        reference=None,
    )


def _equivalents(amount: Amount) -> Amount:
    return amount.model_copy(update={"value": amount.value / 100, "unit": "equiv"}) if amount.unit == "mol%" else amount


assert set(SOLVENTS) <= set(ROLES)
