"""Where noise acts by the words of a task, and what the probability of depolarising noise means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from labwright.tools.forge.families.circuits.spec import Place

_TWO = r"(?:two[- ]qubit(?!s)|2-qubit|entangling|CNOT|CX|CZ|controlled[- ]\w+|multi-qubit|SWAP)"
_TWO_GATES = re.compile(
    rf"(?:after|follow\w*|on|to|behind|of|at)\s+(?:(?:each|every|all|any) of the(?=\s+[\w-]+\s+gates\b)|each|every|any|"
    rf"all(?: the)?|the (?:\w+ )?)\s*{_TWO}s?(?:\s+(?:gate|operation)s?)?\b|"
    rf"(?:each|every|all)(?: the)? {_TWO}(?: gate)?s? (?:is|are|gets?|be) (?:followed|accompanied|noisy|imperfect|"
    rf"faulty)|"
    rf"{_TWO} gates? (?:only|alone)\b|only (?:after |on |the )?(?:the )?(?:\w+ )?{_TWO}s?\b|after (?:the "
    rf")?(?:CNOTs|CZs|entangling gates)\b|"
    rf"\b(?:noisy|imperfect|faulty)\s+{_TWO}s?\b|{_TWO}s? (?:\w+ )?(?:gates? )?(?:is|are) (?:each )?(?:noisy|"
    rf"imperfect|faulty|not perfect)",
    re.I,
)
_ONE_GATES = re.compile(
    r"(?:after|follow\w*|on|to|behind|of)\s+(?:each|every|any|all(?: the)?|the)\s+(?:single|one|"
    r"1)[- ]qubit\s+(?:gate|operation|rotation)s?",
    re.I,
)
_GATES = re.compile(
    r"(?:after|follow\w*|on|to|at|with|behind|of)\s+(?:each|every|any|all(?: the)?)\s+(?:single\s+|quantum\s+|"
    r"elementary\s+|one of the\s+)?(?:gates?|operations?)\b|(?:each|every) (?:gate|operation) is followed|gate "
    r"noise|every gate|"
    r"(?:after|follow\w*|on) (?:each|every)(?: one)? of (?:these|the|its|those) (?:\w+ )?(?:gates|operations)|all "
    r"gates (?:are|is) (?:noisy|followed)",
    re.I,
)
_ONCE = re.compile(
    r"\b(?:each|every|both|all)(?:\s+of)?(?:\s+the)?(?:\s+\w+)?\s+qubits?\b(?!\s+(?:is|are|being)? "
    r"?measured)|each qubit|each one of (?:them|the)|"
    r"every qubit|after (?:the )?(?:whole |last |state |entire )*(?:preparation|circuit|CNOT|gate|state|gates)"
    r"|(?:just |right |immediately )?before (?:the )?measur\w+|at the (?:very )?end|on qubits? \d|to qubits? \d|"
    r"prepared state|once prepared|after it|after preparing|\bonce\b[^.;]{0,40}\b(?:qubit|preparation)",
    re.I,
)
# "the second qubit passes a channel", "send qubit 1 through"
_ONE_QUBIT = re.compile(
    r"(?:\bqubit\s*(?P<q>\d)|\b(?P<o>first|second|third|fourth)\s+(?:qubit|one))\s+(?:\w+\s+){0,2}?(?:through|"
    r"passes|pass|"
    r"undergoes|suffers|experiences|is (?:sent|exposed|stored|kept|transmitted|subject\w*)|goes|travels|flies|sees|"
    r"feels)\b(?!\s+an?\s+(?-i:[A-Z]))",
    re.I,
)
_ORDINALS = {"first": 0, "second": 1, "third": 2, "fourth": 3}
_ONLY = re.compile(r"(?:on|to|of)\s+qubits?\s+(\d+(?:(?:\s*,\s*|\s+and\s+)\d+)*)(?:\s+only)?")


def place_of(text: str, whole: str) -> tuple[Place, list[int], str]:
    """Where noise acts by the words of a text, with the qubits it names, and the words; empty words for the default.

    Args:
        text: sentences about the noise without their gates.
        whole: the same with them.
    """
    found: list[tuple[Place, re.Match[str] | None]] = [
        ("two_qubit_gates", _TWO_GATES.search(whole)),
        ("one_qubit_gates", _ONE_GATES.search(whole)),
        ("every_gate", _GATES.search(text)),
    ]
    for place, match in found:
        if match:
            return place, [], match[0]
    one = _ONE_QUBIT.search(text)
    if one:
        return "after_preparation", [_index(one["q"] or one["o"])], one[0]
    last = _ONCE.search(text)
    if last:
        only = _ONLY.search(text) if re.search(r"qubits?\s+\d", last[0]) else None
        return "after_preparation", [int(one) for one in re.findall(r"\d+", only[1])] if only else [], last[0]
    return "every_gate", [], ""


def _index(word: str) -> int:
    return _ORDINALS[word.lower()] if word.lower() in _ORDINALS else int(word)


def named_gates(words: str) -> set[str]:
    """The kinds of two-qubit gates that words about a noise's place name; empty for two-qubit gates in general."""
    names = {"cx": r"CNOT|CX|controlled[- ](?:NOT|X)", "cz": r"CZ|controlled[- ]Z", "swap": r"SWAP"}
    return {name for name, pattern in names.items() if re.search(pattern, words, re.I)}


def convention_of(text: str, backend: str, formulas: Sequence[str] = ()) -> tuple[Literal["mixing", "pauli"], str]:
    """Which depolarising convention is meant, and the words that say so; the backend's own where nothing does.

    Args:
        formulas: conventions that formulas of the task say.
    """
    mixing = re.search(r"completely mixed|maximally mixed|fully mixed|totally mixed", text)
    pauli = re.search(
        r"(?<![A-Za-z])(?:p(?:_\w|\d)?|q|lambda|epsilon|gamma)\s*/\s*(?:3|15)\b|random Pauli|each Pauli|Pauli "
        r"errors? (?:X|each)|"
        r"one of (?:the )?(?:three |3 |fifteen |15 )?(?:Paulis?|X, Y)|Pauli (?:\w+ )?at random",
        text,
    )
    if "mixing" in formulas or (mixing and "pauli" not in formulas):
        return "mixing", mixing[0] if mixing else "formula"
    if "pauli" in formulas or pauli:
        return "pauli", pauli[0] if pauli else "formula"
    return ("mixing" if backend == "qiskit" else "pauli"), ""
