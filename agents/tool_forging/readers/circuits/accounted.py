"""Whether a specification of a circuit accounts for the whole text."""

from __future__ import annotations

import re
from collections.abc import Iterable

from labwright.agents.tool_forging.readers.base import Reading, Unread
from labwright.agents.tool_forging.readers.circuits.circuit import Circuit
from labwright.agents.tool_forging.readers.circuits.words import VOCABULARY
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.leftover import unknown_words
from labwright.agents.tool_forging.readers.language.tally import passed_over
from labwright.tools.forge.families.circuits.spec import CircuitSpec

# numbers that are names: qubits, kets, bits
_NAMES_ONLY = re.compile(
    r"\|[^|<>]{1,14}>|\b(?:qubits?|q|bits?|outcomes?|bitstrings?|states?|index|numbered|labell?ed|called|controls?|"
    r"target|from|to|"
    r"on|onto|CNOT|CX|CZ|CCX|Toffoli)\s*(?:\d(?:\s*(?:,|and|->|to|or)\s*)?)+(?![.\d])|[XYZ]_?\{?\d\}?"
    r"|\b[01]{2,8}\b|\bq\[?\d\]?|\d\s*->\s*\d|\b\d[- ]qubits?\b|sqrt\(?\d\)?|exp\([^()]*\)|\b\d+\s*%|"
    r"\(\s*\d\s*,\s*\d\s*(?:,\s*\d\s*)?\)|1\s*[-+]\s*\d?\s*[a-z]\b|\*pi/180|\blog(?:arithm)?\w*(?: to| of| "
    r"with)?(?: the)?(?: base)?[ _]?2\b|"
    r"\(\s*\d\s*\)(?=\s+[A-Za-z])"
)
_GIVEN = frozenset(
    {
        "counts",
        "expectation",
        "parameters",
        "exact_expectation",
        "standard_error",
        "fidelity",
        "purity",
        "entropy",
        "entanglement_entropy",
    }
)


def accounted(circuit: Circuit, spec: CircuitSpec) -> Reading | Unread:
    """Which sentences the specification covers; words that nobody knows make a sentence unread."""
    spans = []
    for sentence in circuit.body.sentences:
        strange = unknown_words(sentence.text, VOCABULARY, circuit.used, sentence.start)
        if strange and not sentence.is_heading:
            words = circuit.body.original(sentence.start, sentence.end)
            return Unread(words, f"These words are not understood: {', '.join(dict.fromkeys(strange))}.")
        spans.append(circuit.body.span(sentence))
    used = [*circuit.used, *(one.span() for one in _NAMES_ONLY.finditer(circuit.text))]
    held = [spec.model_dump(mode="json", exclude={"target"}), list(circuit.held)]
    left = passed_over(circuit.body, used, held, [spec.shots, 2**spec.n_qubits])
    if left is not None:
        return Unread(left[0], f"The number {left[1]} in it is nothing that the reader of circuits has used.")
    missing = list(_not_given(circuit.body, spec))
    if missing:
        return Unread(missing[0], "The family of circuits does not give this quantity.")
    spans += [one.span for one in circuit.body.wanted]
    return Reading("circuits", spec, spans, tuple(dict.fromkeys(circuit.assumed)))


def _not_given(body: Body, spec: CircuitSpec) -> Iterable[str]:
    given = set(_GIVEN)
    if spec.chsh:
        given.add("chsh")
    if spec.outcomes:
        given.add("probability")
    for one in body.wanted:
        yield from (f"`{quantity}`" for quantity in one.quantities if quantity not in given)
