"""Papers: what is read and refused, how they are cut, and what a search finds."""

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

from labwright.tools.errors import CorruptRecordError, InputError
from labwright.tools.knowledge import paper_store as papers_module
from labwright.tools.knowledge import paper_text
from labwright.tools.knowledge.chroma_store import opened
from labwright.tools.knowledge.chunking import chunks, estimated_tokens
from labwright.tools.knowledge.embedding import HashingEmbedder
from labwright.tools.knowledge.paper_store import PaperStore
from labwright.tools.knowledge.paper_text import read_paper

TOPICS = {
    "kernels": "Quantum kernels compare states of an encoding circuit by their overlap for support vector machines",
    "baking": "Bread needs flour water salt and yeast and a hot oven for an hour until the crust is brown",
    "birds": "Swallows migrate over the desert each autumn and return to the same nests when spring has come",
}


@pytest.fixture
def folder(tmp_path, pdf):
    """Three papers in three forms."""
    made = tmp_path / "papers"
    (made / "below").mkdir(parents=True)
    (made / "kernels.pdf").write_bytes(pdf(["Cover page of a long report", TOPICS["kernels"]], "Kernels of circuits"))
    (made / "baking.md").write_text(f"# How bread is made\n\n{TOPICS['baking']}.\n", encoding="utf-8")
    (made / "below" / "birds.txt").write_text(f"{TOPICS['birds']}.\n", encoding="utf-8")
    return made


def test_a_search_names_distinct_papers_with_title_source_and_pages(folder):
    store = PaperStore(None)
    assert store.add(folder) == []
    assert store.count() == 3
    found = store.search("overlap of quantum states in a support vector machine", k=2)
    assert found[0].title == "Kernels of circuits"
    assert found[0].source == "kernels.pdf"
    assert (found[0].first_page, found[0].last_page) == (1, 2)
    assert TOPICS["kernels"] in found[0].text
    assert len({each.paper for each in found}) == 2
    assert found[0].score > found[1].score
    assert store.search("birds that migrate over the desert in autumn", k=9)[0].source == "birds.txt"
    assert len(store.search("birds that migrate over the desert in autumn", k=9)) == 3
    assert store.search("   ") == store.search("birds", 0) == []


def test_one_long_paper_does_not_hide_the_others(tmp_path):
    (tmp_path / "long.txt").write_text(
        "All about quantum kernels.\n" + "Quantum kernels again. " * 20000, encoding="utf-8"
    )
    (tmp_path / "short.txt").write_text("A short note on quantum gravity and its kernels.", encoding="utf-8")
    store = PaperStore(None)
    store.add(tmp_path)
    assert store._collection.count() > 60
    assert {each.source for each in store.search("quantum kernels", 2)} == {"long.txt", "short.txt"}


def test_the_same_content_is_kept_once_and_survives_the_process(folder, tmp_path):
    PaperStore(tmp_path / "store").add(folder)
    again = PaperStore(tmp_path / "store")
    assert again.count() == 3
    (folder / "copy.pdf").write_bytes((folder / "kernels.pdf").read_bytes())
    passages = again._collection.count()
    again.add(folder)
    assert again._collection.count() == passages
    assert again.count() == 3


def test_an_interrupted_addition_is_no_paper_and_is_made_good(folder, monkeypatch):
    store = PaperStore(None)
    monkeypatch.setattr(papers_module, "BATCH", 1)
    monkeypatch.setattr(papers_module, "chunks", lambda pages: chunks(pages, 240, 0))
    (folder / "long.txt").write_text("A paper on many things. " * 400, encoding="utf-8")
    collection, written = store._collection, []

    def dies(**options):
        written.append(options["ids"])
        if len(written) == 3:
            raise KeyboardInterrupt
        return type(collection).upsert(collection, **options)

    monkeypatch.setattr(collection, "upsert", dies)
    with pytest.raises(KeyboardInterrupt):
        store.add(folder / "long.txt")
    assert len(written) == 3
    assert store.count() == 0
    monkeypatch.undo()
    store.add(folder / "long.txt")
    assert store.count() == 1


def test_files_that_cannot_be_read_are_named_and_the_rest_is_added(folder, pdf):
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4\nnothing follows")
    (folder / "empty.txt").write_bytes(b"")
    store = PaperStore(None)
    assert [name for name, _ in store.add(folder)] == ["broken.pdf", "empty.txt"]
    assert store.count() == 3


def test_hidden_files_and_links_that_lead_out_are_left_alone(folder, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("The secret of the house is under the third stone.", encoding="utf-8")
    (folder / "link.txt").symlink_to(secret)
    (folder / ".hidden.txt").write_text("Hidden words of a hidden file.", encoding="utf-8")
    store = PaperStore(None)
    store.add(folder)
    assert {each.source for each in store.search("words of the house", 9)} == {"kernels.pdf", "baking.md", "birds.txt"}


def test_an_empty_folder_and_a_missing_file_are_said(tmp_path):
    with pytest.raises(InputError, match=r"no paper in .*\.pdf, \.txt, \.md"):
        PaperStore(None).add(tmp_path)
    with pytest.raises(InputError, match="There is no file"):
        PaperStore(None).add(tmp_path / "nothing.pdf")


def test_a_damaged_store_says_how_to_mend_it(tmp_path):
    (tmp_path / "chroma.sqlite3").write_bytes(b"not a database" * 100)
    with pytest.raises(CorruptRecordError, match="Delete that folder and add the papers again"):
        PaperStore(tmp_path).count()


BAD_PDFS = {
    "no mark": (lambda pdf: b"hello, this is no PDF", "lacks the mark"),
    "cut off": (lambda pdf: pdf(["Some words that nobody will read"])[:60], "damaged"),
    "pictures only": (lambda pdf: pdf(["", "", ""]), "pictures of its 3 pages but no text"),
    "no pages": (lambda pdf: pdf([]), "no pages"),
    "garbage inside": (lambda pdf: b"%PDF-1.7\n" + bytes(range(256)) * 40, "damaged"),
    "many pages": (lambda pdf: pdf(["a page"] * 30), "has 30 pages; at most 20"),
}


@pytest.mark.parametrize("case", list(BAD_PDFS))
def test_a_pdf_that_cannot_be_read_says_why(case, tmp_path, pdf, monkeypatch):
    monkeypatch.setattr(paper_text, "MAX_PAGES", 20)
    make, words = BAD_PDFS[case]
    (tmp_path / "bad.pdf").write_bytes(make(pdf))
    with pytest.raises(InputError, match=f"^bad.pdf .*{words}"):
        read_paper(tmp_path / "bad.pdf")


@pytest.mark.parametrize(("password", "opens"), [("", True), ("secret", False)])
def test_encryption_opens_only_with_an_empty_password(tmp_path, pdf, password, opens):
    from io import BytesIO

    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(BytesIO(pdf([TOPICS["kernels"]]))))
    writer.encrypt(password, owner_password="owner", algorithm="RC4-128")
    writer.write(tmp_path / "locked.pdf")
    if opens:
        assert TOPICS["kernels"] in read_paper(tmp_path / "locked.pdf").pages[0]
    else:
        with pytest.raises(InputError, match=r"is encrypted.*qpdf --decrypt"):
            read_paper(tmp_path / "locked.pdf")


def test_limits_of_size_text_and_time(tmp_path, pdf, monkeypatch):
    paper = tmp_path / "a.txt"
    paper.write_text("Some words of a paper. " * 100, encoding="utf-8")
    (tmp_path / "a.pdf").write_bytes(pdf([TOPICS["birds"]] * 3))
    monkeypatch.setattr(paper_text, "MAX_CHARACTERS", 200)
    for name in ("a.txt", "a.pdf"):
        with pytest.raises(InputError, match="more than 200 characters"):
            read_paper(tmp_path / name)
    monkeypatch.setattr(paper_text, "MAX_SECONDS", -1.0)
    with pytest.raises(InputError, match=r"to read\. Save it as plain text"):
        read_paper(tmp_path / "a.pdf")
    monkeypatch.setattr(paper_text, "MAX_BYTES", 1000)
    with pytest.raises(InputError, match="at most 0 MB"):
        read_paper(paper)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [("a.docx", b"x", "no paper that can be read"), ("a.txt", b"  \n", "no text"), ("a.md", b"\0\1binary", "not text")],
)
def test_other_files_are_refused(tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=words):
        read_paper(tmp_path / name)


def test_text_is_freed_of_what_a_terminal_would_obey(tmp_path):
    dirty = (
        "Title of this\x1b]0;owned\x07 paper\u202e here\n\nof\ufb01cial encod-\ning \u200bof\xa0data\x9b31m \U000e0041"
    )
    (tmp_path / "dirty.txt").write_text(dirty, encoding="utf-8")
    read = read_paper(tmp_path / "dirty.txt")
    assert read.title == "Title of this]0;owned paper here"
    assert read.pages[0].split("\n")[-1] == "official encoding of\xa0data31m "


@pytest.mark.parametrize("noise", ["Microsoft Word - draft3.doc", "untitled", "main.tex", "x"])
def test_a_title_that_a_program_wrote_is_not_taken(tmp_path, pdf, noise):
    (tmp_path / "a.pdf").write_bytes(pdf([f"arXiv:2101.00001v1 [quant-ph] 1 Jan 2021\n{TOPICS['birds']}"], noise))
    assert read_paper(tmp_path / "a.pdf").title == TOPICS["birds"]


def test_chunks_keep_their_size_cover_everything_and_overlap():
    sentences = [f"Sentence {i} speaks of quantum feature maps, of kernels and of item {i * 7919}." for i in range(900)]
    pages = [" ".join(sentences[start : start + 60]) for start in range(0, 900, 60)]
    made = chunks(pages)
    assert all(estimated_tokens(each.text) <= 1024 for each in made)
    assert all(each.text.endswith(".") for each in made)
    joined = " ".join(each.text for each in made)
    assert all(sentence in joined for sentence in sentences)
    for left, right in pairwise(made):
        shared = next(
            n for n in range(min(len(left.text), len(right.text)), 0, -1) if left.text.endswith(right.text[:n])
        )
        assert 90 <= estimated_tokens(right.text[:shared]) <= 130
    assert (made[0].first_page, made[-1].last_page) == (1, 15)
    assert all(each.first_page <= each.last_page for each in made)


@pytest.mark.parametrize("text", ["x" * 50_000, "=" * 9_000, "量子" * 3_000, "1" * 20_000])
def test_text_without_spaces_is_cut_all_the_same(text):
    made = chunks([text])
    assert max(estimated_tokens(each.text) for each in made) <= 1024
    assert len(made) > 1


def test_a_short_paper_is_one_chunk_and_an_empty_one_none():
    assert [each.text for each in chunks(["Two words."])] == ["Two words."]
    assert chunks([]) == chunks(["", "  "]) == []


def test_english_comes_to_about_a_token_and_a_third_a_word():
    text = (
        "We train a support vector machine on the kernel of the states, and compare its accuracy with that of others."
    )
    assert 1.1 < estimated_tokens(text) / len(text.split()) < 1.5


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
