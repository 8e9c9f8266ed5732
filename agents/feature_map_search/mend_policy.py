"""Mends that cannot change what a feature map means: names of arguments and gates, imports, wires, measurements.

Every mend is an edit of the text at the place that the finding names, so that comments and layout stay.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

from labwright.agents.call import Refusal
from labwright.agents.feature_map_search.ideas import CodeFinding, CodeOut

IMPORTS = {
    "np": "import numpy as np",
    "qml": "import pennylane as qml",
    "math": "import math",
    "BaseFeatureMap": "from labwright.tools.feature_maps.base import BaseFeatureMap",
}
# The same gate, with the same angle, under the name that other libraries give it.
SAME_GATE = {
    "RXX": "IsingXX", "RYY": "IsingYY", "RZZ": "IsingZZ", "CP": "ControlledPhaseShift",
    "CPhase": "ControlledPhaseShift", "P": "PhaseShift", "CX": "CNOT", "iSWAP": "ISWAP", "Swap": "SWAP",
    "CCX": "Toffoli", "Cnot": "CNOT", "Cz": "CZ",
}  # fmt: skip
MEASUREMENTS = {"state", "probs", "expval", "var", "sample", "counts", "density_matrix"}
WIRE_WORDS = {"wire", "qubit", "qubits", "target", "index"}


@dataclass(frozen=True, slots=True)
class Edit:
    """Bytes `start` to `end` of the code become `text`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Module:
    """Code with its tree, and where each line begins."""

    code: bytes
    tree: ast.Module
    begins: list[int]

    def span(self, node: ast.expr | ast.stmt | ast.keyword) -> tuple[int, int]:
        """First and last byte of a node."""
        last, column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return self.begins[node.lineno - 1] + node.col_offset, self.begins[last - 1] + column

    def text(self, node: ast.expr) -> str:
        """The code of a node."""
        start, end = self.span(node)
        return self.code[start:end].decode()

    def gates(self, line: int | None) -> list[tuple[ast.Call, str]]:
        """Calls ``qml.Name(...)`` that stand on a line (on any if None), with their names."""
        found = []
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                root = node.func.value
                on_line = line is None or node.lineno <= line <= (node.end_lineno or node.lineno)
                if isinstance(root, ast.Name) and root.id in {"qml", "pennylane"} and on_line:
                    found.append((node, node.func.attr))
        return found


def mended(code: str, findings: list[CodeFinding], references: list[str], n_qubits: int) -> CodeOut | Refusal:
    """The code with every finding mended, or why that takes more than a rule."""
    module = _read(code)
    if module is None:
        return Refusal(reason="The code does not parse; which text was meant is not for a rule to guess.")
    edits: list[Edit] = []
    for finding in findings:
        found = _edits(module, finding, references)
        if not found:
            return Refusal(reason=f"No rule mends this: {finding.message} {finding.mend}".strip())
        edits += found
    text = module.code
    for edit in sorted(set(edits), key=lambda one: (-one.start, one.text)):
        text = text[: edit.start] + edit.text.encode() + text[edit.end :]
    name = _class_name(module)
    if not name or not edits:
        return Refusal(reason="The code has no class that could be mended, or nothing was found in it.")
    return CodeOut(code=text.decode(), class_name=name)


def _read(code: str) -> Module | None:
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError):
        return None
    raw = code.encode()
    return Module(raw, tree, [0, *accumulate(len(line) for line in raw.splitlines(keepends=True))])


def _class_name(module: Module) -> str:
    classes = [node for node in module.tree.body if isinstance(node, ast.ClassDef)]
    mapped = [c for c in classes if any(isinstance(f, ast.FunctionDef) and f.name == "feature_map" for f in c.body)]
    return mapped[-1].name if mapped else ""


def _edits(module: Module, finding: CodeFinding, references: list[str]) -> list[Edit]:
    rule = re.split(r"[^A-Za-z_]+", finding.rule)[-1]  # the graph may put where it was found before the name
    mend = MENDS.get(rule)
    return mend(module, finding, references) if mend else _missing_import(module, finding, references)


def _line(finding: CodeFinding) -> int | None:
    found = re.search(r"\b[Ll]ine (\d+)", finding.message)
    return int(found[1]) if found else None


def _missing_import(module: Module, finding: CodeFinding, references: list[str]) -> list[Edit]:
    """An import that was forgotten, after the module's docstring and ``__future__``."""
    found = re.search(r"name '(\w+)' is not defined", finding.message)
    if not found or found[1] not in IMPORTS:
        return []
    head = [
        node
        for node in module.tree.body
        if (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        or (isinstance(node, ast.ImportFrom) and node.module == "__future__")
    ]
    place = module.begins[head[-1].end_lineno or 0] if head else 0
    return [Edit(place, place, f"{IMPORTS[found[1]]}\n")]


def _arguments(module: Module, finding: CodeFinding, references: list[str]) -> list[Edit]:
    """A keyword that the installed operation does not have, where only one can be meant."""
    edits: list[Edit] = []
    for call, name in module.gates(_line(finding)):
        if f"`qml.{name}`" in finding.message or f"`{name}`" in finding.message:
            edits += _renamed(module, call, _takes(name, finding, references))
    return edits


def _takes(name: str, finding: CodeFinding, references: list[str]) -> list[tuple[str, bool]]:
    """Arguments of an operation as (name, required), from the references or else from the finding."""
    head = re.compile(rf"(?:qml\.)?{re.escape(name)}\((?P<takes>[^()]*)\)")
    signatures = [found["takes"] for reference in references if (found := head.match(reference.strip()))]
    signatures += re.findall(r"It takes \(([^()]*)\)", finding.mend)
    arguments = [part.strip() for part in signatures[0].split(",")] if signatures else []
    return [(re.split(r"[=:]", part)[0].strip(), "=" not in part) for part in arguments if part]


def _renamed(module: Module, call: ast.Call, takes: list[tuple[str, bool]]) -> list[Edit]:
    names = [name for name, _ in takes]
    given = names[: len(call.args)] + [word.arg for word in call.keywords if word.arg in names]
    strange = [word for word in call.keywords if word.arg is not None and word.arg not in names]
    missing = [name for name, required in takes if required and name not in given]
    edits: list[Edit] = []
    if "wires" in missing and sum(word.arg in WIRE_WORDS for word in strange) == 1:
        word = next(word for word in strange if word.arg in WIRE_WORDS)
        edits.append(_rename(module, word, "wires"))
        strange.remove(word)
        missing.remove("wires")
    if len(strange) == len(missing) == 1:
        edits.append(_rename(module, strange[0], missing[0]))
        strange.clear()
    return [] if strange else edits


def _rename(module: Module, word: ast.keyword, name: str) -> Edit:
    start, _ = module.span(word)
    return Edit(start, start + len((word.arg or "").encode()), name)


def _operation(module: Module, finding: CodeFinding, references: list[str]) -> list[Edit]:
    """A gate under another library's name."""
    edits = []
    for call, name in module.gates(_line(finding)):
        if f"`{name}`" in finding.message and name in SAME_GATE:
            _, end = module.span(call.func)
            edits.append(Edit(end - len(name), end, SAME_GATE[name]))
    return edits


def _wires(module: Module, finding: CodeFinding, references: list[str]) -> list[Edit]:
    """Wires taken modulo their number, as the rule itself advises."""
    edits: list[Edit] = []
    for call, name in module.gates(_line(finding)):
        words = [word.value for word in call.keywords if word.arg == "wires"]
        if words and name in finding.message:
            inner = words[0].elts if isinstance(words[0], ast.List | ast.Tuple) else [words[0]]
            edits += [_wrapped(module, one) for one in inner if _can_leave(one)]
    return edits


def _can_leave(wire: ast.expr) -> bool:
    """Whether an index may pass the last wire; a bare loop variable that does is no slip at the end of a ring."""
    if isinstance(wire, ast.BinOp):
        return not isinstance(wire.op, ast.Mod)
    return isinstance(wire, ast.Constant) and isinstance(wire.value, int)


def _wrapped(module: Module, wire: ast.expr) -> Edit:
    text = module.text(wire)
    plain = text if isinstance(wire, ast.Constant) else f"({text})"
    return Edit(*module.span(wire), f"{plain} % self.n_qubits")


def _measurement(module: Module, finding: CodeFinding, references: list[str]) -> list[Edit]:
    """A measurement whose result goes nowhere but out of the method, where nobody reads it."""
    edits = []
    line = _line(finding)
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Return | ast.Expr) and isinstance(node.value, ast.Call):
            names = [name for call, name in module.gates(node.lineno) if call is node.value]
            if (line is None or node.lineno == line) and names and names[0] in MEASUREMENTS:
                edits.append(Edit(*module.span(node), "return" if isinstance(node, ast.Return) else "pass"))
    return edits


def _plain_numpy(module: Module, finding: CodeFinding, references: list[str]) -> list[Edit]:
    """PennyLane's numpy, whose arrays are trainable, for the plain one."""
    if b"requires_grad" in module.code:
        return []
    edits = []
    for node in module.tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "pennylane" and len(node.names) == 1:
            name = node.names[0]
            if name.name == "numpy":
                edits.append(Edit(*module.span(node), f"import numpy as {name.asname or 'numpy'}"))
    return edits


MENDS: dict[str, Callable[[Module, CodeFinding, list[str]], list[Edit]]] = {
    "arguments": _arguments,
    "unknown_operation": _operation,
    "wires": _wires,
    "measurement": _measurement,
    "trainable": _plain_numpy,
}
