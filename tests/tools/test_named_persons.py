"""Named persons: a sign-off needs a passphrase, and holds for one run and its findings."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from tiers import sampled

from labwright.tools import named_persons
from labwright.tools.errors import InputError

WORDS = "correct horse"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    named_persons.add(tmp_path / "people.json", "jane", WORDS)
    return tmp_path / "people.json"


def run(tmp_path: Path, name: str = "run-1") -> Path:
    (tmp_path / name).mkdir()
    return tmp_path / name


@pytest.mark.parametrize("name", ["me", "ME", "root", "", "a", "two words", "../jane"])
def test_names_that_say_nothing_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not name a person"):
        named_persons.add(tmp_path / "people.json", name, WORDS)


def test_a_sign_off_holds_for_its_run_and_its_findings_alone(file: Path, tmp_path: Path) -> None:
    first, other = run(tmp_path), run(tmp_path, "run-2")
    named_persons.sign(file, first, "abc", "jane", WORDS)
    found = named_persons.signed(file, first, "abc")
    assert found is not None
    assert found.name == "jane"
    assert named_persons.signed(file, first, "abd") is None
    (other / named_persons.SIGN_OFF).write_bytes((first / named_persons.SIGN_OFF).read_bytes())
    assert named_persons.signed(file, other, "abc") is None
    named_persons.remove(file, "jane")
    assert named_persons.signed(file, first, "abc") is None


@pytest.mark.parametrize(("name", "words"), sampled([("jane", "wrong horse!"), ("john", WORDS), ("jane", "")]))
def test_without_the_passphrase_nothing_is_signed(name: str, words: str, file: Path, tmp_path: Path) -> None:
    folder = run(tmp_path)
    with pytest.raises(InputError, match="do not belong together"):
        named_persons.sign(file, folder, "abc", name, words)
    assert not (folder / named_persons.SIGN_OFF).exists()


@pytest.mark.parametrize(
    "forged", sampled([{"name": "john"}, {"time": "2020-01-01"}, {"proof": ""}, {"findings": "abd"}], 2)
)
def test_what_somebody_wrote_by_hand_is_no_sign_off(forged: dict[str, str], file: Path, tmp_path: Path) -> None:
    folder = run(tmp_path)
    made = named_persons.sign(file, folder, "abc", "jane", WORDS)
    (folder / named_persons.SIGN_OFF).write_text(json.dumps(asdict(replace(made, **forged))))
    assert named_persons.signed(file, folder, forged.get("findings", "abc")) is None


@pytest.mark.parametrize("text", ["", "[]", '{"name": "jane"}', '{"name": 3, "run_id": 1, "findings": 2, "time": 3}'])
def test_a_damaged_sign_off_is_none(text: str, file: Path, tmp_path: Path) -> None:
    folder = run(tmp_path)
    (folder / named_persons.SIGN_OFF).write_text(text)
    assert named_persons.signed(file, folder, "abc") is None


def test_the_file_of_persons_is_its_owners_and_keeps_no_passphrase(file: Path) -> None:
    assert file.stat().st_mode & 0o077 == 0
    assert WORDS not in file.read_text()
