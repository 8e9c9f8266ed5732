"""Which words speak for which system: the vocabulary of each field, with weights.

A weight of 3 is a word that only one of the four systems could mean, 2 one that it usually means, 1 a hint.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from labwright.agents.front_desk.wishes import System
from labwright.agents.protocol_design.names import find_chemicals

QUBIT = re.compile(r"\b[Qq](?:ubit\s*)?(\d{1,3})\b|\bqubits?\s+(\d{1,3})\b(?!\s*-?(?:trials?|ideas?|shots))")
_AMOUNT = r"\d+(?:\.\d+)?\s*"

_WORDS: dict[System, dict[int, str]] = {
    "lab_calibration": {
        3: r"ramsey|rabi|(?:spin\s+)?echo\b|randomi[sz]ed benchmarking|\brb\b|resonator|t1\b|t2\b|t2\*|bring[- ]?up"
        r"|pi[- ]pulses?|x180|x90|drag\b|readout|read-out|recalibrat\w*|(?:re)?tune[- ]?up|retune|single[- ]shot",
        2: r"calibrat\w*(?!\s+(?:series|samples?|standards?|curves?)\b)|benchmark\w*|coherence|decoherence"
        r"|drive frequency|spectroscopy|qubit frequency|(?:gate|drive|pulse) amplitude|processor|x gate|dephas\w*",
        1: r"measure\w*|drift\w*|qubits?\b|gates?\b|characteri[sz]e|fridge|cryostat|error per gate|determine|check",
    },
    "feature_map_search": {
        3: r"feature[- ]maps?|quantum kernels?|encoding circuits?|quantum (?:support vector machine|svm)|data encoding"
        r"|quantum embeddings?|kernel search",
        2: r"embeddings?|encod(?:e|es|ing|ings)|support vector|svm|classif\w*|digits(?:-augmented)?|mnist|cifar-10"
        r"|fashion-mnist|trials?|principal components|rbf|handwritten",
        1: r"kernels?|maps?|data ?sets?|ideas?|accuracy|ansatz|search\w*|evolve|machine learning",
    },
    "tool_forging": {
        3: r"hamiltonians?|lindblad\w*|master equation|ground[- ]state|gs energy|dmrg|tensor network|td-?dft|dft|vqe"
        r"|grape|heom|heisenberg|ising|hubbard|ghz|bell (?:state|pair)s?|density matri\w*|entanglement|concurrence"
        r"|expectation values?|qutip|qiskit|pennylane|pyscf|forge\w*|optimal control|absorption spectrum|pkas?"
        r"|vibrational frequenc\w*|hartree|basis set|sto-3g|trotter|floquet|eigenvalues?|process fidelity"
        r"|schr(?:o|oe|ö)dinger equation|ioni[sz]ation energy|electron affinity|geometry optimi[sz]ation"
        r"|two-level system"
        r"|magneti[sz]ation|(?:make|write|build|need)\b[^.]{0,20}\btools?",
        2: r"simulat\w*|comput\w*|calculat\w*|fidelity|depolari[sz]\w*|molecul\w*|orbitals?|dynamics|spins?|solve"
        r"|numerical\w*|integrate|tools?|fit(?:s|ting)?\b|toolsets?|histogram|bond length|ring strain|equations?"
        r"|reaction energ\w*",
        1: r"plot\w*|populations?|spectrum|energy|chain|optimi[sz]\w*|pulse|noise|state|tasks?|evolution|quantum",
    },
    "protocol_design": {
        3: r"vials?|pipett\w*|dispens\w*|liquid handl\w*|dilut\w*|vortex\w*|stock solutions?|well ?plates?|wells\b"
        r"|equiv(?:alents?)?\b|v/v|w/w|calibration (?:series|samples|standards|curves?)|standards|electrolytes?"
        r"|robot(?:'s)?|wet[- ]lab|plate (?:map|layout)|titrat\w*|esterification|alkylation|hplc|duplicates?"
        r"|triplicates?",
        2: r"stocks?|mix\b|mixtures?|stir\w*|weigh\w*|samples?|blanks?|solutions?|solvents?|aliquots?|quench\w*"
        rf"|reagents?|{_AMOUNT}(?:ml|ul|µl|mmol|umol|mm|um|mg|g/l|mg/ml|ug/ml|molar)\b|plates?|total volume|catalyst"
        r"|protocols?",
        1: r"prepare|heat\w*|cap(?:ped|s)?\b|cool\w*|controls?|series|degc|overnight|fill\w*|concentration|shake",
    },
}
_CHEMICAL_WEIGHT = 2
_QUBIT_WEIGHT = 2
DESCRIBING = 2  # from here on, words say enough to be about a system


@cache
def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{words})(?![\w])", re.IGNORECASE)


def scores(text: str) -> dict[System, int]:
    """How much `text` speaks for each system; a word counts once, and for the strongest place that it has."""
    bare = _without_names(text)
    found: dict[System, int] = {system: _weight(bare, levels.items()) for system, levels in _WORDS.items()}
    found["protocol_design"] += _CHEMICAL_WEIGHT * min(2, len({name for name, _, _ in find_chemicals(bare)}))
    found["lab_calibration"] += _QUBIT_WEIGHT * bool(QUBIT.search(text))
    return found


def _weight(text: str, levels: Iterable[tuple[int, str]]) -> int:
    taken: set[str] = set()
    total = 0
    for weight, words in levels:
        for match in _pattern(words).finditer(text):
            word = match.group().casefold()
            if not any(word in longer for longer in taken):
                total += weight
            taken.add(word)
    return total


def _without_names(text: str) -> str:
    """`text` without paths: what a file is called says nothing sure about what is wanted."""
    return re.sub(r"\S*[/\\]\S+|\S+\.(?:md|txt|ya?ml|csv|npz|json)\b", " ", text)


def qubits_in(text: str) -> list[str]:
    """The qubits that `text` names, as Q1."""
    return list(dict.fromkeys(f"Q{one or other}" for one, other in QUBIT.findall(text)))
