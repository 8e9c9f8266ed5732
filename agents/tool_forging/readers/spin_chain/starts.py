"""Initial states of chains: Haar-random, bitstrings, Neel, domain walls, polarised."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.spin_chain.told_bits import partial, told_bits
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
    bits = _bits(text, n)
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
    found: list[tuple[str, str]] = []
    for ket in re.findall(r"\|([01]{2,})(\.\.\.[01]*)?>", text):
        if ket[1]:
            unit = ket[0] if len(ket[0]) <= 2 else ket[0][:2]
            word = (unit * n)[:n]
        else:
            word = ket[0]
        if len(word) != n:
            return Question(text=f"The chain has {n} qubits, but the state |{word}> has {len(word)}. Which is right?")
        found.append((word, word))
    arrows = re.findall(
        r"\|\s*((?:up|down|uparrow|downarrow)[\s,]*(?:(?:up|down|uparrow|downarrow)[\s,]*)+)(?:\.\.\.)?>", text
    )
    for one in arrows:
        letters = ["0" if word.startswith("up") else "1" for word in re.findall(r"up|down", one)]
        found.append(("".join((letters * n)[:n]),) * 2)
    if found:
        return list(dict.fromkeys(found))
    half = n // 2
    beginning = " ".join(one for one in re.split(r"(?<=[.;?\n])\s", text) if _BEGINS.search(one))
    told = told_bits(beginning, n)
    if told:
        wall = "0" * half + "1" * (n - half)
        label = {"0" * n: "up", "1" * n: "down", wall: "domain_wall"}.get(told)
        return [(label or ("flipped" if told.count("1") == 1 else told), told)]
    if told == "" and partial(beginning):
        return Question(text="Which spins are up and which are down at the beginning?")
    named = [
        ("neel", "".join("01"[k % 2] for k in range(n)), r"\bN\\?'?[eé]el\b|\balternating\b"),
        (
            "domain_wall",
            "0" * half + "1" * (n - half),
            (
                r"\bdomain[- ]wall (?:initial |product )?state|\bdomain wall\b[^.;]{0,40}(?:initial|start|middle|"
                r"cent)|(?:initial|start\w*|begin\w*|from)[^.;]{0,30}\bdomain[- ]wall"
            ),
        ),
        (
            "up",
            "0" * n,
            rf"\ball[- ](?:up|zeros?)\b|{_EVERY}{_IS}(?:up(?:wards)?\b|{_ZERO})|{_SPINS}{_IS}(?:all "
            rf")?(?:up(?:wards)?\b|(?:along|in|parallel to) (?:the )?\+\s?z|{_ZERO})|\bfully polari[sz]ed "
            rf"(?:up|along \+?z)|"
            r"\|0>\^|\|up up|polari[sz]ed (?:along|in) (?:the )?\+?\s?z|(?:start|begin|"
            r"initial)\w*[^.;]{0,30}(?:state|register) (?:of all )?zeros?\b|all (?:of them )?in \|0>|along "
            r"(?:the )?\+\s?(?:hat )?z\b",
        ),
        (
            "down",
            "1" * n,
            (
                rf"\ball[- ]down\b|{_EVERY}{_IS}(?:down(?:wards)?\b|in \|1>)|{_SPINS}{_IS}(?:all "
                rf")?down(?:wards)?\b|\|1>\^|\|down down"
            ),
        ),
    ]
    made = [(label, word) for label, word, words in named if re.search(words, text, re.I)]
    flipped = re.search(
        (
            r"(?:single|one) (?:spin|qubit|site) (?:flip|flipped|excit)\w*|(?:single|one) (?:flipped spin|"
            r"excitation|magnon)|(?:with|except) (?:the |a )?(?:spin|qubit|site)\s*(\d+) (?:flipped|down)"
        ),
        text,
        re.I,
    )
    if flipped:
        where = re.search(
            (
                r"(?:on|at|of) (?:the )?(?:site|qubit|spin)\s*(\d+)|(?:spin|qubit|site)\s*(\d+) (?:is "
                r")?(?:flipped|down|excited)"
            ),
            text,
        )
        middle = re.search(r"\bmiddle\b|\bcent(?:re|er|ral)\b", text)
        if not where and not middle:
            return Question(text="Which spin is flipped at the beginning?")
        site = int(where[1] or where[2]) if where else half
        if site >= n:
            return Question(text=f"The flipped spin {site} is none of 0 to {n - 1}. Which one is meant?")
        word = "".join("1" if k == site else "0" for k in range(n))
        return [("flipped", word)]
    return made


_BEGINS = re.compile(
    r"initial|start|begin|prepar|quench|\bfrom\b|\binit\b|point|flipped|first \w+ |all (?:spins|qubits|ions|in|"
    r"up|down)|every (?:spin|qubit)|half|sites?\s*\d",
    re.I,
)
