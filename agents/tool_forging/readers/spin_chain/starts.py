"""Initial states of chains: Haar-random, bitstrings, Neel, domain walls, polarised."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.spin_chain.told_bits import partial, repeated_bits, told_bits
from labwright.tools.forge.families.spin_chain.spec import Initial

_SPINS = r"\b(?:spins?|qubits?|sites?|they|atoms?)\s+"
_EVERY = (
    r"\b(?:all|every|each)(?:\s+of)?(?:\s+(?:the|its|them|these))?(?:\s+(?:\w+\s+)?(?:spins?|qubits?|sites?|ones?))?\s+"
)
_IS = (
    r"(?:(?:is|are|being|be|pointing|points?|start\w*|sits?|initiali[sz]ed|initially|prepared|begin\w*|standing|"
    r"stand|polari[sz]ed|aligned|oriented|turned|all|with)\s+)*"
)
_ZERO = (
    r"in (?:the )?(?:state )?(?:zero|\|0>|0\b)|in (?:the )?(?:state )?(?:with )?Z\s*=\s*\+\s*1|in (?:the "
    r")?Z\s*=\s*\+\s*1 state"
)
_DIRECTIONS = {
    "+x": (math.pi / 2, 0.0),
    "-x": (math.pi / 2, math.pi),
    "+y": (math.pi / 2, math.pi / 2),
    "-y": (math.pi / 2, -math.pi / 2),
}


def initial_states(
    body: Body, n: int, values: Mapping[str, list[float]]
) -> tuple[list[Initial], list[str]] | Question | Unread:
    """The states from which the chain starts, and what was settled."""
    text, said = body.text, list[str]()
    # directions count only where the text speaks of the beginning: "time along y" is about a figure
    start = " ".join(
        one.text for one in body.sentences if re.search(r"initial|start|begin|prepar|quench|from", one.text, re.I)
    )
    made: list[Initial] = []
    if re.search(r"\bHaar\b|\brandom (?:initial |pure )?(?:quantum )?state\b", text):
        seeds = [int(one) for one in values.get("seed", [])] or [
            int(one) for one in re.findall(r"\bseeds?\s*(?:=|:|of|number)?\s*(\d+)", text)
        ]
        if not seeds:
            seeds = [1]
            said.append(
                "The Haar-random state is drawn with seed 1; another seed gives other small magnetisations "
                "but the same behaviour."
            )
        made += [Initial(label="haar" if len(seeds) == 1 else f"haar {seed}", kind="haar", seed=seed) for seed in seeds]
    product = re.search(r"\brandom product state", text)
    if product:
        return Unread(product[0], "Product states must be given by their directions.")
    told = "\n".join(one.text for one in body.sentences if not one.is_heading)
    bits = _bits(told, n) or _bits(text, n)  # a heading names the start only where nothing else does
    if isinstance(bits, Question):
        return bits
    made += [Initial(label=label, kind="bits", bits=word) for label, word in bits]
    for name, words in (
        (
            "+x",
            (
                r"\|\+>|(?:polari[sz]ed|aligned|pointing|all spins?) (?:along |in )?(?:the )?\+?\s?x|all (?:spins|"
                r"qubits) in \|\+>|\|\+\+\+*"
            ),
        ),
        ("-x", r"\|->|polari[sz]ed along -x"),
        ("+y", r"\|\+i>|(?:polari[sz]ed|aligned|pointing) along \+?y\b"),
    ):
        if re.search(words, start):
            made.append(Initial(label=name, kind="product", directions=[list(_DIRECTIONS[name])] * n))
    if not made:
        return Question(
            text="In which state does the chain start?",
            options=["all spins up", "Neel state", "domain wall", "Haar-random state"],
        )
    return made, said


def _bits(text: str, n: int) -> list[tuple[str, str]] | Question:
    """Starts as bitstrings with their labels: written out, told spin by spin, by name, or with one spin flipped."""
    written = _written(text, n)
    if isinstance(written, Question) or written:
        return written
    beginning = " ".join(one for one in re.split(r"(?<=[.;?\n])\s", text) if _BEGINS.search(one))
    told = repeated_bits(beginning, n) or told_bits(beginning, n)
    if told:
        return [(_label(told, n), told)]
    made = _named(text, n)
    if {"up", "down"} <= {label for label, _ in made} and not re.search(
        r"\b(?:both|two|each of the) (?:\w+ )?(?:starts?|states|initial|runs)", text
    ):
        return Question(text="Which spins are up and which are down at the beginning?")
    if told == "" and partial(beginning) and not {"neel", "domain_wall"} & {label for label, _ in made}:
        return Question(text="Which spins are up and which are down at the beginning?")
    flipped = _flipped(text, n)
    return flipped if flipped is not None else made


def _written(text: str, n: int) -> list[tuple[str, str]] | Question:
    """Bitstrings and arrows that a text writes out."""
    found: list[tuple[str, str]] = []
    for bits, more in re.findall(r"\|([01]{2,})(\.\.\.[01]*)?>", text):
        unit = bits if len(bits) <= 2 else bits[:2]
        word = (unit * n)[:n] if more else bits
        if len(word) != n:
            return Question(text=f"The chain has {n} qubits, but the state |{word}> has {len(word)}. Which is right?")
        found.append((word, word))
    bare = re.search(rf"{_STATE}[^.;\n\d]{{0,30}}?(?<![\d.])([01]{{{n}}})(?!\.?\d)", text, re.I)
    if bare and not found:
        found.append((bare[1], bare[1]))
    if _ONE_IS_UP.search(text):
        turned = str.maketrans("01", "10")
        found = [(word.translate(turned),) * 2 for word, _ in found]
    for one in re.findall(
        r"\|\s*((?:up|down|uparrow|downarrow)[\s,]*(?:(?:up|down|uparrow|downarrow)[\s,]*)+)(?:\.\.\.)?>", text
    ):
        letters = ["0" if word.startswith("up") else "1" for word in re.findall(r"up|down", one)]
        found.append(("".join((letters * n)[:n]),) * 2)
    return list(dict.fromkeys(found))


def _label(bits: str, n: int) -> str:
    half = n // 2
    wall = "0" * half + "1" * (n - half)
    return {"0" * n: "up", "1" * n: "down", wall: "domain_wall"}.get(bits) or (
        "flipped" if bits.count("1") == 1 else bits
    )


def _named(text: str, n: int) -> list[tuple[str, str]]:
    """Starts by their names: Neel, domain wall, all up, all down."""
    half = n // 2
    bits = {
        "neel": "".join("01"[k % 2] for k in range(n)),
        "domain_wall": "0" * half + "1" * (n - half),
        "up": "0" * n,
        "down": "1" * n,
    }
    return [(label, bits[label]) for label, words in _NAMES.items() if re.search(words, text, re.I)]


def _flipped(text: str, n: int) -> list[tuple[str, str]] | Question | None:
    """One spin that is flipped against all others; None where the text tells of none."""
    if not _ONE_FLIPPED.search(text):
        return None
    where = _WHERE_FLIPPED.search(text)
    if not where and not re.search(r"\bmiddle\b|\bcent(?:re|er|ral)\b", text):
        return Question(text="Which spin is flipped at the beginning?")
    site = int(where[1] or where[2]) if where else n // 2
    if site >= n:
        return Question(text=f"The flipped spin {site} is none of 0 to {n - 1}. Which one is meant?")
    return [("flipped", "".join("1" if k == site else "0" for k in range(n)))]


# the other way round than |0> = up
_ONE_IS_UP = re.compile(
    r"(?<![\w.])1>?\s*(?:=|is|means|stands for|denotes|for)\s*(?:a |spin[- ])?up\b|(?<![\w.])0>?\s*(?:=|is|means|"
    r"stands for|denotes|for)\s*"
    r"(?:a |spin[- ])?down\b|\bup\s*(?:=|is)\s*\|?1\b",
    re.I,
)
_STATE = r"\b(?:initial|start\w*|begin\w*|init|prepar\w+)\b"
_NAMES = {
    "neel": r"\bN\\?'?[eé]el\b|\balternat(?:ing|e|es) (?:up|spins?|state|product|configuration|start|along (?:the "
    r")?z|between up)|\bantiferromagnetic "
    r"(?:product |initial )?state",
    "domain_wall": r"\bdomain[- ]wall (?:initial |product )?state|\bdomain wall\b[^.;]{0,40}(?:initial|start|middle|"
    r"cent)|(?:initial|start\w*|begin\w*|from)[^.;]{0,30}\bdomain[- ]wall",
    "up": rf"\ball[- ](?:up|zeros?)\b|{_EVERY}{_IS}(?:up(?:wards)?\b|{_ZERO})|{_SPINS}{_IS}(?:all "
    rf")?(?:up(?:wards)?\b|(?:along|in|parallel to) (?:the )?\+\s?z|{_ZERO})|\bfully polari[sz]ed "
    rf"(?:up|along \+?z)|"
    r"\|0>\^|\|up up|polari[sz]ed (?:along|in) (?:the )?\+?\s?z|(?:start|begin|"
    r"initial)\w*[^.;]{0,30}(?:state|register) (?:of all )?zeros?\b|all (?:of them )?in \|0>|along "
    r"(?:the )?\+\s?(?:hat )?z\b",
    "down": rf"\ball[- ]down\b|{_EVERY}{_IS}(?:down(?:wards)?\b|in \|1>)|{_SPINS}{_IS}(?:all "
    rf")?down(?:wards)?\b|\|1>\^|\|down down",
}
_ONE_FLIPPED = re.compile(
    r"(?:single|one) (?:spin|qubit|site) (?:flip|flipped|excit)\w*|(?:single|one) (?:flipped spin|"
    r"excitation|magnon)|(?:with|except) (?:the |a )?(?:spin|qubit|site)\s*(\d+) (?:flipped|down)",
    re.I,
)
_WHERE_FLIPPED = re.compile(
    r"(?:on|at|of) (?:the )?(?:site|qubit|spin)\s*(\d+)|(?:spin|qubit|site)\s*(\d+) (?:is )?(?:flipped|down|excited)"
)
_BEGINS = re.compile(
    r"initial|start|begin|prepar|quench|\bfrom\b|\binit\b|point|flipped|first \w+ |all (?:spins|qubits|ions|in|"
    r"up|down)|every (?:spin|qubit)|half|sites?\s*\d|t\s*=\s*0|time (?:zero|0\b)|\balternat|\b(?:even|odd)\b",
    re.I,
)
