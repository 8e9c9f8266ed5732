"""The short form: orders in a small formal language (`short_form.lark`), read to the steps of a plan or not at all."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from lark import Token, Tree
from lark.exceptions import LarkError, UnexpectedEOF, UnexpectedInput

from labwright.tools.errors import InputError
from labwright.tools.experiments.call import PROCEDURE
from labwright.tools.specifications.catalogue import Catalogue, places, spoken
from labwright.tools.specifications.lark_grammars import parser
from labwright.tools.specifications.transition_conditions import count_of

LONGEST = 4000  # characters; one line has about 60
DUT = "dut"


class NotRead(InputError):
    """A text is not in the short form; `position` is where the grammar stopped."""

    def __init__(self, text: str, position: int, why: str = "") -> None:
        self.text, self.position = text, position
        super().__init__(why or f"Not read from here on: {text[position : position + 60].strip()!r}.")


@dataclass(slots=True)
class Reading:
    """What was read: the fields of a `CalibrationPlan` that the text sets."""

    steps: list[dict[str, Any]] = field(default_factory=list)
    everywhere: bool = False  # for all qubits
    couplers: list[str] | None = None  # None: not spoken of; empty: all
    maintain: bool = False
    qubits: list[str] = field(default_factory=list)  # of upkeep

    def plan(self) -> dict[str, Any]:
        """The plan as a document's plain data."""
        if self.maintain:
            return {"system": "lab_calibration", "mode": "maintain", "for": self.qubits or "all"}
        found: dict[str, Any] = {"system": "lab_calibration", "steps": self.steps}
        if self.everywhere:
            found["for"] = "all"
        if self.couplers is not None:
            found["couplers"] = self.couplers or ["all"]
        return found


def read(text: str, catalogue: Catalogue) -> Reading:
    """The orders of `text`.

    Raises:
        NotRead: any part of it is not in the short form.
    """
    if len(text) > LONGEST:
        raise NotRead(text, LONGEST, f"The text has {len(text)} characters; the short form takes {LONGEST}.")
    try:
        tree = _tree(text, catalogue.pattern)
    except UnexpectedEOF as error:
        raise NotRead(text, len(text), "The text ends too early.") from error
    except UnexpectedInput as error:
        raise NotRead(text, error.pos_in_stream or 0) from error
    except LarkError as error:
        raise NotRead(text, 0) from error
    return _Reader(text, catalogue).reading(tree)


@lru_cache(maxsize=1024)
def _tree(text: str, tasks: str) -> Tree[Token]:
    """The syntax tree; the steps of procedures are read again with every plan that uses them."""
    return parser("short_form", tasks=tasks, positions=True).parse(text)


class _Reader:
    """Walks the syntax tree of one text."""

    def __init__(self, text: str, catalogue: Catalogue) -> None:
        self.text, self.catalogue = text, catalogue
        self.found = Reading()
        self.targets: list[list[str]] = []  # of the order before, for "it" and for orders that name none
        self.last: list[dict[str, Any]] = []  # steps of the order before, which limits and rules belong to
        self.multiplied = False  # one task gave several steps

    def reading(self, tree: Tree[Token]) -> Reading:
        for item in tree.children:
            assert isinstance(item, Tree)
            getattr(self, f"_{item.data}")(item)
        if self.found.maintain and self.found.steps:
            raise NotRead(self.text, 0, "Upkeep and other orders cannot stand in one text.")
        if self.multiplied and any(_numbered(each["go"]) for step in self.found.steps for each in step.get("on", [])):
            why = "`Stage N` is not clear where one order gives several steps. Write one order a qubit."
            raise NotRead(self.text, 0, why)
        return self.found

    def _order(self, tree: Tree[Token]) -> None:
        parts = [child for child in tree.children if isinstance(child, Tree)]
        if parts[0].data == "call":
            self._call(parts[0])
            return
        targets = self._targets([part for part in parts if part.data in ("named", "every", "it")])
        for part in parts:
            if part.data == "chip_couplers":
                self.found.couplers = [str(token) for token in part.children if token is not None]
        self._steps(parts, targets)

    def _bare(self, tree: Tree[Token]) -> None:
        """Without targets: those of the order before; what is still open then is asked for."""
        self._steps([child for child in tree.children if isinstance(child, Tree)], self.targets)

    def _steps(self, parts: list[Tree[Token]], targets: list[list[str]]) -> None:
        settings = self._settings([part for part in parts if part.data == "setting"])
        self.last = []
        for part in parts:
            if part.data == "task":
                steps = self._task(self._named(part.children[-1]), targets, settings)
                self.multiplied |= len(steps) > 1
                self.last += steps
        self.found.steps += self.last

    def _task(self, name: str, targets: list[list[str]], settings: dict[str, Any]) -> list[dict[str, Any]]:
        """One step a target; a group takes them all."""
        room = places(self.catalogue.cards[name])
        if room in (1, None) and (pairs := ["-".join(target) for target in targets if len(target) > 1]):
            why = f"{spoken(name)} is not for a pair such as {pairs[0]}. Name the qubits, as in Q1, Q2."
            raise NotRead(self.text, 0, why)
        if room is None and [DUT] in targets:
            raise NotRead(self.text, 0, f"{spoken(name)} takes its qubits together. Name them, as in Q1, Q2.")
        singles = [qubit for target in targets for qubit in target]
        if room is None:
            groups = [singles]
        elif room == 1:
            groups = [[qubit] for qubit in singles] or [[]]
        elif all(len(target) == room for target in targets):
            groups = targets or [[]]
        else:
            groups = [singles]
        return [_step(name, group, settings) for group in groups]

    def _call(self, tree: Tree[Token]) -> None:
        """``experiment(name=value, ...)``, the form in which calls are logged."""
        name = self._named(tree.children[0])
        given = [argument for argument in tree.children[1:] if isinstance(argument, Tree)]
        if any(isinstance(argument.children[0], Tree) for argument in given):
            raise NotRead(self.text, 0, "Name every argument, as in t1(qubit='Q1').")
        arguments = self._settings(given)
        qubits = [str(arguments.pop(role)) for role in ("qubit", "dut", "partner") if role in arguments]
        qubits += [each.strip() for each in str(arguments.pop("qubits", "")).split(",") if each.strip()]
        self.last = [_step(name, qubits, arguments)]
        self.targets = [[qubit] for qubit in qubits]
        self.found.steps += self.last

    def _targets(self, parts: list[Tree[Token]]) -> list[list[str]]:
        found: list[list[str]] = []
        for part in parts:
            if part.data == "it":
                found += self.targets
            elif part.data == "every":
                self.found.everywhere = True
                found.append([DUT])
            else:
                found.append([_unquoted(name) for name in str(part.children[0]).split("-")])
        self.targets = found
        return found

    def _named(self, words: Any) -> str:
        """The card that a task names; a letter that only looks like one of its name's is none."""
        if name := self.catalogue.named(str(words)):
            return name
        raise NotRead(self.text, words.start_pos or 0)

    def _settings(self, parts: list[Tree[Token]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in map(self._setting, parts):
            if name in found:
                raise NotRead(self.text, 0, f"`{name}` comes twice in one order. Write it once.")
            found[name] = value
        return found

    def _setting(self, tree: Tree[Token]) -> tuple[str, Any]:
        value = tree.children[1]
        assert isinstance(value, Tree)
        text = self.text[value.meta.start_pos : value.meta.end_pos]
        return str(tree.children[0]).lower(), _unquoted(text) if value.data == "text" else _plain(text)

    def _limit(self, tree: Tree[Token]) -> None:
        self._of_an_order("Repeat at most ...")
        times = self._count(tree.children[0])
        for step in self.last:
            if step.setdefault("repeats", times) != times:
                raise NotRead(self.text, 0, "One order has two limits of repetition. Write one.")

    def _count(self, tree: Any) -> int:
        word = str(tree.children[0]).lower()
        if (times := count_of(word)) is None:
            raise NotRead(self.text, 0, f"{word} is not a number of repetitions. Write a whole number, at most 50.")
        return times

    def _rule(self, tree: Tree[Token]) -> None:
        self._of_an_order("If ..., go to ...")
        condition, goal = tree.children[0], str(tree.children[1])
        assert isinstance(condition, Tree)
        said = self.text[condition.meta.start_pos : condition.meta.end_pos]
        for step in self.last:
            step.setdefault("on", []).append({"if": said, "go": _goal(goal)})

    def _of_an_order(self, what: str) -> None:
        if not self.last:
            raise NotRead(self.text, 0, f"{what!r} needs an order before it.")

    def _upkeep(self, tree: Tree[Token]) -> None:
        self.found.maintain = True
        targets = self._targets([child for child in tree.children if isinstance(child, Tree)])
        self.found.qubits = [qubit for target in targets for qubit in target if qubit != DUT]


def _step(name: str, qubits: list[str], settings: dict[str, Any]) -> dict[str, Any]:
    """A step's plain fields; `writes` and `repeats` may stand among the settings."""
    parameters = dict(settings)
    task = {"procedure": name.removeprefix(f"{PROCEDURE}:")} if name.startswith(PROCEDURE) else {"experiment": name}
    own: dict[str, Any] = {key: parameters.pop(key) for key in ("writes", "repeats") if key in parameters}
    return {**task, "qubits": list(qubits), **({"parameters": parameters} if parameters else {}), **own}


def _unquoted(text: str) -> str:
    return text.strip("'\"") if text[:1] in "'\"" else text


def _plain(text: str) -> Any:
    """A plain number as a number, a truth value as one, anything else as text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _numbered(goal: str) -> bool:
    return goal.startswith("Stage ")


def _goal(text: str) -> str:
    """A goal as the plan writes it: ``Stage 4``, ``COMPLETE``, ``next``, or a step's label."""
    low = " ".join(text.lower().split())
    if low in ("complete", "failed"):
        return low.upper()
    if low.startswith("stage "):
        return low.capitalize()
    return low if low in ("next", "repeat", "previous") else text.partition(" ")[2].strip()
