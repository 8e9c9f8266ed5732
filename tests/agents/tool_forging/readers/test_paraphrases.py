"""The same task as a telegram, an email, homework and a table is the same specification."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers import read_task
from labwright.agents.tool_forging.readers.base import TaskText
from labwright.agents.tool_forging.reading_task import NoRecipe

GROUPS: dict[str, dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("paraphrases.yaml").read_text())
NAMES = frozenset(
    {"site_names", "title", "parameters", "formula", "label", "target", "target_name", "initial_name"}
)  # words, not physics
READ = [(name, k) for name, group in GROUPS.items() for k in range(len(group["wordings"]))]


def _spec(name: str, number: int) -> tuple[str, dict[str, Any]]:
    read = read_task(TaskText(GROUPS[name]["wordings"][number]))
    assert isinstance(read, list), read
    assert len(read) == 1
    return read[0].family, read[0].spec.model_dump(mode="json")


def _differences(one: Any, other: Any, path: str = "") -> Iterator[str]:
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(one.keys() | other.keys()):
            if key not in NAMES:
                yield from _differences(one.get(key), other.get(key), f"{path}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for k, (a, b) in enumerate(zip(one, other, strict=True)):
            yield from _differences(a, b, f"{path}[{k}]")
    elif isinstance(one, float) and isinstance(other, float | int):
        if one != pytest.approx(other, rel=1e-9, abs=1e-12):
            yield f"{path}: {one} or {other}"
    elif one != other:
        yield f"{path}: {one} or {other}"


@pytest.mark.parametrize(("name", "number"), READ, ids=[f"{name}-{k}" for name, k in READ])
def test_every_wording_gives_the_specification_of_the_first(name: str, number: int) -> None:
    family, spec = _spec(name, number)
    assert family == GROUPS[name]["family"]
    assert {key: spec[key] for key in GROUPS[name]["spec"]} == GROUPS[name]["spec"]
    assert list(_differences(spec, _spec(name, 0)[1])) == []


# a number of the first wording -> another one, and where the specification then differs
CHANGES = [
    ("bell_counts", "2000", "3000", ".shots"),
    ("noisy_ghz", "0.05", "0.07", ".probability"),
    ("t1_t2", "T2 = 15 us", "T2 = 12 us", ".collapse"),
    ("t1_t2", "301 points", "201 points", ".points"),
    ("cavity", "kappa = 0.1", "kappa = 0.2", ".collapse"),
    ("ising_quench", "h = 0.5", "h = 0.9", ".coefficient"),
    ("ising_quench", "8 qubits", "7 qubits", ".n_qubits"),
    ("kicked", "12 periods", "9 periods", ".steps"),
    ("lambda_control", "T = 30", "T = 25", ".duration"),
    ("dimer_heom", "lambda = 35", "lambda = 45", ".reorganization"),
    ("dimer_heom", "1 ps", "2 ps", ".duration"),
    ("hubbard", "U = 8", "U = 6", ".interaction"),
    ("ising_ground", "11 points", "6 points", ".values"),
    ("h2", "6 points", "3 points", ".scans"),
    ("water", "def2-SVP", "def2-TZVP", ".basis"),
]


@pytest.mark.parametrize(("name", "before", "after", "where"), CHANGES)
def test_another_number_is_another_specification(name: str, before: str, after: str, where: str) -> None:
    text = GROUPS[name]["wordings"][0]
    assert before in text
    read = read_task(TaskText(text.replace(before, after)))
    assert isinstance(read, list), read
    differ = list(_differences(read[0].spec.model_dump(mode="json"), _spec(name, 0)[1]))
    assert differ
    assert any(where in one for one in differ)


# what the first wording needs, taken out of it
MISSING = [
    ("noisy_ghz", r"with probability\s+p acts on the gate's qubits, p = 0, 0.02 and 0.05", "acts on the gate's qubits"),
    ("t1_t2", r"It starts in \|0>, the ground state\. ", ""),
    ("t1_t2", r" from t = 0 to t = 60 us with 301 points", ""),
    ("cavity", r" with g = 0\.3", ""),
    ("ising_quench", r", exactly, from all spins up", ""),
    ("kicked", r"Run 12 periods and record", "Record"),
    ("lambda_control", r"of duration T = 30 ", ""),
    ("dimer_heom", r" with reorganization energy lambda = 35 1/cm and", " with"),
    ("hubbard", r", interaction U = 8", ""),
    ("ising_ground", r" of 16 sites", ""),
    ("h2", r" at bond distances from 0\.5 to 1\.5 angstrom in 6 points", ""),
    ("water", r" with B3LYP/def2-SVP", ""),
]


@pytest.mark.parametrize(("name", "words", "instead"), MISSING)
def test_what_is_missing_is_asked_for_and_not_made_up(name: str, words: str, instead: str) -> None:
    text = GROUPS[name]["wordings"][0]
    assert re.search(words, text)
    read = read_task(TaskText(re.sub(words, instead, text)))
    assert isinstance(read, Question), read


IMPOSSIBLE = [
    ("Also compute the Wigner function of the final state.", "Wigner"),
    ("In addition, average over 50 realisations of a random field of strength 0.3.", "random"),
    ("Fit an exponential to the curve and report its time constant.", "Fit"),
    ("The temperature of the fridge is raised to 250 mK in the middle of the run.", "250"),
]
ELSEWHERE = ["bell_counts", "t1_t2", "ising_quench", "lambda_control", "dimer_heom", "ising_ground", "h2"]


@pytest.mark.parametrize("name", ELSEWHERE)
@pytest.mark.parametrize(("added", "word"), IMPOSSIBLE)
def test_a_wish_or_condition_that_nobody_can_meet_refuses_the_task_with_its_words(
    name: str, added: str, word: str
) -> None:
    read = read_task(TaskText(f"{GROUPS[name]['wordings'][0].rstrip()} {added}"))
    assert isinstance(read, NoRecipe | Question), read
    if isinstance(read, NoRecipe):
        assert word.lower() in read.text.lower()


@pytest.mark.parametrize("name", sorted(GROUPS))
@pytest.mark.parametrize(
    "told",
    [
        "Such calculations are a standard exercise in many lectures, and people often wonder what comes out.",
        "Please write a short comment on what comes out.",
    ],
)
def test_background_and_wishes_about_the_telling_change_nothing(name: str, told: str) -> None:
    read = read_task(TaskText(f"{told} {GROUPS[name]['wordings'][0].rstrip()} {told}"))
    assert isinstance(read, list), read
    assert list(_differences(read[0].spec.model_dump(mode="json"), _spec(name, 0)[1])) == []
