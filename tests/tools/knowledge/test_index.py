import sqlite3
import subprocess
import sys

import numpy as np
import pytest

from labwright.tools.errors import InputError
from labwright.tools.knowledge.embedding import HashingEmbedder
from labwright.tools.knowledge.index import ActivationIndex

AGENTS = {
    "rabi": ["Run a Rabi experiment", "Find the pi pulse amplitude", "Rabi oscillations", "Rough amplitude"],
    "t1": ["Measure T1", "Energy relaxation time", "Lifetime of the excited state", "T1 decay"],
    "spin_echo": ["Run a spin echo", "Hahn echo", "T2 echo time", "Echo coherence"],
}


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


@pytest.mark.parametrize("stored", [False, True])
def test_an_agent_scores_by_its_best_sentence(stored, tmp_path):
    index = ActivationIndex(AGENTS, tmp_path if stored else None)
    embed = HashingEmbedder()
    query = np.array(embed.embed_query("What is the energy relaxation time of Q1?"))
    ranked = index.rank("What is the energy relaxation time of Q1?", 3)
    exact = {name: max(float(np.dot(query, embed.embed_query(s))) for s in group) for name, group in AGENTS.items()}
    assert ranked[0][0] == "t1"
    assert dict(ranked) == pytest.approx(exact, abs=1e-5)
    assert [score for _, score in ranked] == sorted((score for _, score in ranked), reverse=True)


def test_rank_gives_at_most_k_and_an_empty_index_nothing():
    assert len(ActivationIndex(AGENTS).rank("Measure T1", 2)) == 2
    assert len(ActivationIndex(AGENTS).rank("Measure T1", 9)) == 3
    assert ActivationIndex({}).rank("Measure T1", 3) == []


def test_four_sentences_are_demanded():
    with pytest.raises(InputError, match="'t1' has 1 activation sentences; give 4"):
        ActivationIndex({"t1": ["Measure T1"]})


def test_indexing_again_embeds_nothing(tmp_path):
    class Counting(HashingEmbedder):
        documents = 0

        def embed_documents(self, texts):
            type(self).documents += len(texts)
            return super().embed_documents(texts)

    ActivationIndex(AGENTS, tmp_path, Counting())
    assert Counting.documents == 12
    ActivationIndex(AGENTS, tmp_path, Counting())
    assert Counting.documents == 12


def test_changed_sentences_get_an_index_of_their_own(tmp_path):
    changed = {**AGENTS, "t1": ["Order a pizza", "b", "c", "d"]}
    assert ActivationIndex(AGENTS, tmp_path).rank("order a pizza", 1)[0][1] < 0.5
    assert ActivationIndex(changed, tmp_path).rank("order a pizza", 1)[0][0] == "t1"


def test_a_damaged_store_is_built_anew(tmp_path):
    store = tmp_path / ActivationIndex(AGENTS).key
    store.mkdir()
    (store / "chroma.sqlite3").write_bytes(b"rubbish" * 1000)
    index = ActivationIndex(AGENTS, tmp_path)
    assert index.rebuilt
    assert index.rank("Measure T1", 1)[0][0] == "t1"


def test_a_store_that_vanishes_while_in_use_is_replaced_in_memory(tmp_path):
    index = ActivationIndex(AGENTS, tmp_path)
    expected = index.rank("order a pizza", 2)
    database = tmp_path / index.key / "chroma.sqlite3"
    connection = sqlite3.connect(database)
    with connection:
        for table in ("embeddings_queue", "embeddings", "embedding_metadata"):
            connection.execute(f"DROP TABLE {table}")
    connection.close()
    assert index.rank("order a pizza", 2) == expected
    assert index.rebuilt


def test_approximate_search_recalls_the_exact_best_nine():
    draw = np.random.default_rng(0)
    words = ["".join(draw.choice(list("abcdefghiklmnoprstuvz"), 6)) for _ in range(600)]
    agents = {f"a{i}": [" ".join(draw.choice(words, 4)) for _ in range(4)] for i in range(300)}
    embed = HashingEmbedder()
    matrix = embed.matrix(sentence for group in agents.values() for sentence in group)
    index = ActivationIndex(agents)
    hits = 0
    for _ in range(20):
        text = " ".join(draw.choice(words, 5))
        exact = (matrix @ np.asarray(embed.embed_query(text), dtype=np.float32)).reshape(300, 4).max(axis=1)
        ninth = np.sort(exact)[-9]
        hits += sum(exact[int(name[1:])] >= ninth - 1e-5 for name, _ in index.rank(text, 9))
    assert hits / 180 >= 0.98


def test_an_index_folder_that_cannot_be_made_is_replaced_in_memory(tmp_path):
    (tmp_path / "file").write_text("in the way")
    index = ActivationIndex({"t1": ["measure t1", "lifetime", "relaxation", "decay"]}, tmp_path / "file" / "knowledge")
    assert index.rebuilt
    assert index.rank("measure t1", 1)[0][0] == "t1"
