import subprocess
import sys

import numpy as np
import pytest

from labwright.tools.knowledge.chroma_store import opened
from labwright.tools.knowledge.embedding import HashingEmbedder


def test_the_same_text_has_the_same_unit_vector_in_every_process():
    text = "Measure the T1 relaxation of Q1"
    here = HashingEmbedder(256).embed_query(text)
    code = f"from labwright.tools.knowledge.embedding import HashingEmbedder as H; print(H(256).embed_query({text!r}))"
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert there.strip() == str(here)
    assert np.linalg.norm(here) == pytest.approx(1.0, abs=1e-6)


def test_inflected_words_are_near_and_strange_ones_far():
    embed = HashingEmbedder()
    near = np.dot(embed.embed_query("calibrate the readout"), embed.embed_query("readout calibration"))
    far = np.dot(embed.embed_query("calibrate the readout"), embed.embed_query("order a pizza"))
    assert near > 0.4 > 0.1 > abs(far)
    assert not any(embed.embed_query("?!"))


def test_approximate_search_recalls_the_exact_best_nine():
    draw = np.random.default_rng(0)
    words = ["".join(draw.choice(list("abcdefghiklmnoprstuvz"), 6)) for _ in range(600)]
    embed = HashingEmbedder()
    matrix = embed.matrix(" ".join(draw.choice(words, 4)) for _ in range(1200))
    _, collection = opened("recall", None)
    collection.upsert(ids=[str(number) for number in range(1200)], embeddings=matrix)
    hits = 0
    for _ in range(20):
        query = np.asarray(embed.embed_query(" ".join(draw.choice(words, 5))), dtype=np.float32)
        exact = matrix @ query
        ninth = np.sort(exact)[-9]
        found = collection.query(query_embeddings=query[None], n_results=9)["ids"][0]
        hits += sum(exact[int(name)] >= ninth - 1e-5 for name in found)
    assert hits / 180 >= 0.98
