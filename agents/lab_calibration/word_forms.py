"""Words of an instruction in one form: stems, lab synonyms, abbreviations, and how T2* and the like are written."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from labwright.agents.lab_calibration.spelling import spelled

_SUFFIXES = (
    "izations isations ization isation izing ising ized ised izes ises ize ise ations ation ating ated ates ate"
    " ities ity ions ion ings ing ely ly ed es s e"
).split()
# Words that mean the same in a lab, folded into one. Verbs of adjusting are one verb.
_SAMENESS = {
    word: target
    for target, words in {
        "calibrate": "recalibrate optimize optimise adjust tune retune correct cal calib recal re-tune",
        "coarse": "coarsely rough roughly approximate approximately crude crudely ballpark",
        "fine": "finely precise precisely accurate accurately exact exactly refine refined sharpen polish trim",
        "frequency": "frequencies f01 freq freqs",
        "randomize": "random",
        "characterize": "characterise characterisation characterization",
        "resonator": "cavity res cavities",
        "clifford": "cliffords",
        "infidelity": "error",
        "survive": "stay remain persist endure",
        "excited": "excitation excite",
        "locate": "pinpoint localize localise",
        "interleave": "interleaved interleaving",
        "depend": "dependent dependence depends",
        "repeat": "repeated repeatedly repetitive",
        "spectroscopy": "spec spectrum spectra spectroscopic",
        "amplitude": "amp amplitudes ampl",
        "conditional": "cond conditionally controlled-phase",
        "bring": "brought bringing",
        "point": "pts pt",
        "repetition": "reps rep",
        "continuous": "cont continuously",
        "iteration": "iter iters",
        "cz": "controlledz cphase cphasegate controlledphase ctrlz",
        "train": "trains",
        "relax": "relaxation relaxing relaxes",
        "dephase": "dephasing dephases",
        "interact": "interaction interactions interacts",
        "oscillate": "oscillation oscillations oscillates",
        "echo": "echoes",
        "transition": "transitions",
        "respond": "response responds responding responsive",
        "anharmonicity": "anharmonic anharm",
        "discriminate": "discrimination discriminator discriminating",
        "coherence": "coherent coherences",
        "strength": "strong strongly stronger",
        "degrade": "degraded worsen worsened deteriorate deteriorated",
        "misread": "misreads misreading misassigned misassignment",
        "mitigate": "mitigation mitigating",
        "assign": "assignment",
        "benchmark": "benchmarking benchmarked benchmarks",
        "tomography": "tomo tomographic tomographically",
        "entangle": "entangled entanglement entangling entangler",
        "matrix": "matrices",
        "repair": "repairs mend fix",
        "recover": "recovery",
    }.items()
    for word in words.split()
}
_OWN_ROOT = frozenset({"timing"})  # a thing that is done to gates, while "time" is a word of every sweep
_SHORT = {"spec": "spectroscopy", "cal": "calibration", "calib": "calibration", "amp": "amplitude", "freq": "frequency"}
_SHORT |= {"res": "resonator", "cond": "conditional", "rb": "randomized benchmarking", "ro": "readout"}
# How it is spoken or written, and the one word or words it becomes; in this order.
_WRITTEN = [
    (re.compile(pattern, re.IGNORECASE), to)
    for pattern, to in (
        (r"['’]s\b", ""),
        (r"\b(?:no|without a|without any) (?:tone|drive|pulse|microwave)s? (?:is |are |being )?(?:on|applied|played)\b",
         " undriven"),
        (r"\b(on|off)[- ]res\b", r"\1 resonance"),
        (r"\bCR\b", "cross resonance"),
        (r"\bham\b(?=\.? )", "hamiltonian"),
        (r"\bctrl\b", "control"),
        (r"\b(?:tgt|targ)\b", "target"),
        # letters as they are dictated
        (r"\bc[ .]z\b", "CZ"),
        (r"\br[ .]b\b", "RB"),
        (r"\bx[ .]y\b", "XY"),
        (r"[$\\{}]", ""),
        (r"\b(?:pre|post)-[a-z]+", ""),
        (r"\b([12])\s?q\b", lambda found: "single qubit" if found[1] == "1" else "two qubit"),
        (r"\b(?:one|1)[- ]qubit\b", "single qubit"),
        (r"\b2[- ]?qubits?\b", "two qubit"),
        (r"\bT[ _-]?(?:two|2)[ _-]?\^?(?:\*|star\b)", "T2star "),
        (r"\bT[ _-]?(?:two|2)[ _^-]?(?:E|echo|hahn)\b", "T2 echo"),
        (r"\bT[ _-](?:one|1)\b", "T1"),
        (r"\bT[ _-](?:two|2)\b", "T2"),
        (r"\b(T|t)ime (?=the\b|a\b|an\b|its\b)", r"\1iming "),  # the verb: to time a gate
        (r"\btun(?:e|ed|ing)[- ]?up\b", "tuneup"),
        (r"\btune ((?:\w+ ){1,3})up\b", r"tuneup \1"),
        (r"\bbring ((?:\w+ ){1,3})up\b", r"bring up \1"),
        (r"\b(?:without|no|not|don't|never|w/o|skip(?:ping)?|minus)(?: (?:an?|the|any|use|using|apply|applying"
         r"|it|we|hahn|spin)\b){0,3} ?echo\w*", "unechoed"),
        (r"\bnon[- ]?echo\w*|\bun[- ]?echo\w*|\becho[- ]free\b|\b(?:without|no|never|not|nothing|nobody"
         r"|no one) (?:being |is "
         r"|any )?refocus\w*(?: pulses?)?", "unechoed"),
        (r"\bI[/ ]?Q\b", "IQ"),
        (r"\bsingle[- ]shots?\b", "singleshot"),
        (r"\b(?:without|no|any|every|each|all|both|the)?\s?(?:other )?drives? (?:is |are |switched |turned "
         r"|being )*off\b|\b(?:without|no) (?:any )?(?:drive|driving|microwave)\w*\b"
         r"|\b(?:nobody|no one|noone|nothing|neither\w*|never|not)(?: of them| qubit| one)?(?: is| are"
         r"| being)? (?:drives?|driven|driving)\b", " undriven"),
        (r"\bread[- ]out\b", "readout"),
        (r"\bcontrolled[- ]?(?:Z|phase)\b|\bC[- ]?phase\b|\bcontrol[- ]Z\b", "CZ"),
        (r"\bZ[- ]Z\b", "ZZ"),
        (r"\bsi[- ]?zz?le\b", "siZZle"),
        (r"\bping[ -]pong(?:ing)?\b", "pingpong"),
        (r"\ball[- ]?xy\b", "allxy"),
        (r"\bf[_ -]?12\b|\bomega[_ -]?12\b|\bf[_ -]?ef\b|\bw12\b", "f12"),
        (r"\bf[_ -]?(?:01|ge)\b|\bomega[_ -]?01\b|\bfq\b|\bf_q\b", "f01"),
        (r"\|?\s?1\s?[>⟩]?\s?(?:<->|->|→|↔|to|-|–)\s?\|?\s?2\s?[>⟩]?(?= (?:transition|line|freq|spec|level"
         r"|resonance|splitting))", " 1 2 "),
        (r"\|([012efg])[>⟩]", r" \1 "),
        (r"\bpi[ -]?/[ -]?2\b|\bpi[- ]half\b|\bhalf[- ]pi\b|π/2", "pihalf"),
        (r"π", "pi "),
        (r"\bpi[- ]?pulses?\b", "pi pulse"),
        (r"\bstate[- ]of[- ]the[- ]art\b", ""),
    )
]  # fmt: skip


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """The word's root: one for `calibrate`, `calibration`, `calibrating`; British spelling as American."""
    root = _root(word)
    return _SAME.get(root, _SAME.get(root.removeprefix("re"), root))


def _root(word: str) -> str:
    if word in _OWN_ROOT:
        return word
    if len(word) > 5 and word.endswith(("ied", "ies")):
        return f"{word[:-3]}y"
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3 and not word.endswith("ss"):
            bare = word.removesuffix(suffix)
            return bare[:-1] if len(bare) > 4 and bare[-1] == bare[-2] and suffix in ("ing", "ed") else bare
    return word


_SAME = {_root(word): _root(target) for word, target in _SAMENESS.items()}


def written_out(text: str) -> str:
    """`text` with the usual abbreviations of a notebook in full, for a search that knows whole words."""
    return re.sub(r"\b[A-Za-z]+\b", lambda found: _SHORT.get(found[0].lower(), found[0]), text)


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[str, ...]:
    for pattern, to in _WRITTEN:
        text = pattern.sub(to, text)
    text = text.replace("_", " ").replace("-", " ")
    return tuple(spelled(word) for word in re.findall(r"[a-zµ]+\d*[a-z]*|\d+(?:\.\d+)?", text.lower()))


def words(text: str) -> list[str]:
    """The words of `text` in lower case, split at hyphens and underscores; T2* becomes one word."""
    return list(_words(text))


def stems(text: str) -> list[str]:
    """Stems in order, function words included."""
    return [stem(word) for word in _words(text)]


def with_joined(parts: list[str]) -> frozenset[str]:
    """The stems and every two neighbours written as one, so that `ping pong` holds `pingpong`."""
    return frozenset(parts) | {left + right for left, right in pairwise(parts)}
