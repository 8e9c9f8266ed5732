"""How translation scales with the number of indexed experiments: activation time, recall, prompt size.

Run ``python -m labwright.evaluation.benchmarks.translation_scale``. The experiments are synthetic: cards of equal
shape whose names and phrases are drawn from invented words, so that only their number changes.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from labwright import prompts
from labwright.agents.lab_calibration.activation import ActivationIn, activation_by_rules
from labwright.agents.lab_calibration.translate_code import TRANSLATE_CODE, CodeIn
from labwright.agents.lab_calibration.translate_words import ASKED
from labwright.tools.experiments.call import ExperimentCard, ParameterCard
from labwright.tools.knowledge.embedding import HashingEmbedder
from labwright.tools.knowledge.index import ActivationIndex

SIZES = (10, 100, 1000)
N_K = 3  # agents in the first round
LAST_N_K = 9  # and in the last
QUERIES = 50
SYLLABLES = "ba co di fu ga he ki lo mu ne pa ri so tu va xe yo zi".split()


def synthetic_cards(n: int, seed: int = 0) -> dict[str, ExperimentCard]:
    """`n` cards of equal shape: four drawn words name each, six phrases ask for it."""
    draw = random.Random(seed)
    cards = {}
    for i in range(n):
        words = ["".join(draw.choice(SYLLABLES) for _ in range(3)) for _ in range(8)]
        name = "_".join([*words[:2], f"{i:04d}"])
        phrases = ", ".join(f"{words[j]} {words[j + 1]}" for j in range(6))
        docstring = f"Measure the {words[2]} {words[3]} of a qubit.\n\n{ASKED} {phrases}."
        parameters = (
            ParameterCard("qubit", "str", True, None, "", None, None, "Name of the qubit."),
            ParameterCard("stop", "float", False, 1.0, "us", 0.1, 100.0, "Longest delay."),
        )
        cards[name] = ExperimentCard(name, docstring.partition("\n")[0], docstring, parameters)
    return cards


def measure(n: int) -> dict[str, Any]:
    """One size: activation medians over instructions that name a known card, recall, prompt characters."""
    cards = synthetic_cards(n)
    sentences = {
        name: activation_by_rules(ActivationIn(name=name, docstring=card.docstring)).sentences
        for name, card in cards.items()
    }
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        began = time.perf_counter()
        index = ActivationIndex(sentences, Path(folder))
        built = time.perf_counter() - began
        chosen = random.Random(1).choices(list(cards), k=QUERIES)
        instructions = [f"Measure the {name.replace('_', ' ')[:-5]} of Q1 with a stop of 5 us" for name in chosen]
        times, ranked = [], []
        for instruction in instructions:
            began = time.perf_counter()
            ranked.append([name for name, _ in index.rank(instruction, LAST_N_K)])
            times.append(1e3 * (time.perf_counter() - began))
    hits = sum(map(_hits, brute_force(sentences, instructions), ranked))
    return {
        "experiments": n,
        "index_seconds": round(built, 3),
        "activation_ms_median": round(statistics.median(times), 2),
        "activation_ms_worst": round(max(times), 2),
        "recall_at_9": round(hits / (QUERIES * LAST_N_K), 4),
        "right_agent_first": sum(a[0] == b for a, b in zip(ranked, chosen, strict=True)) / QUERIES,
        "prompt_characters": round(
            statistics.mean(_prompts(cards, *pair) for pair in zip(instructions, ranked, strict=True))
        ),
    }


def brute_force(sentences: dict[str, list[str]], instructions: list[str]) -> list[dict[str, float]]:
    """Every agent's exact score for every instruction: all inner products."""
    embedder = HashingEmbedder()
    matrix = embedder.matrix(text for group in sentences.values() for text in group)
    products = embedder.matrix(instructions) @ matrix.T
    best = products.reshape(len(instructions), len(sentences), -1).max(axis=2)
    return [dict(zip(sentences, map(float, row), strict=True)) for row in best]


def _hits(exact: dict[str, float], ranked: list[str]) -> int:
    """How many of the ranked agents score no less than the last one that belongs; equal scores count for each other."""
    last = sorted(exact.values(), reverse=True)[len(ranked) - 1]
    return sum(exact[name] >= last - 1e-5 for name in ranked)


def _prompts(cards: dict[str, ExperimentCard], instruction: str, ranked: list[str]) -> int:
    """Characters of the prompts of the first round."""
    total = 0
    for name in ranked[:N_K]:
        given = CodeIn(instruction=instruction, card=cards[name], variables={}, qubits=["Q1", "Q2", "Q8"])
        text = prompts.render(TRANSLATE_CODE.prompt, **given.model_dump(mode="json"))
        total += len(text.system) + len(text.user)
    return total


def main() -> None:
    """Print one line of JSON a size."""
    for n in SIZES:
        sys.stdout.write(json.dumps(measure(n)) + "\n")


if __name__ == "__main__":
    main()
