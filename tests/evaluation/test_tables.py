"""What documents say about the results is what the results say."""

import hashlib
import json
from pathlib import Path

from labwright.evaluation import tables
from labwright.evaluation.arena.suite import table

HERE = Path(tables.FOLDER).parent
ARENAS = [path.stem for path in tables.FOLDER.glob("arena*.json")]


def test_the_page_of_the_diagnosis_holds_the_committed_result_and_the_known_causes():
    text = (HERE.parent / "docs" / "diagnosis.md").read_text(encoding="utf-8")
    assert tables.diagnosis_table() in text
    assert tables.causes_table() in text


def test_the_page_of_the_arena_holds_the_committed_results():
    text = (HERE.parent / "docs" / "arena.md").read_text(encoding="utf-8")
    assert tables.arena_table() in text
    for name in ARENAS:
        assert tables.origin(name) in text


def test_the_table_follows_the_results(tmp_path):
    for path in tables.FOLDER.glob("*.json"):
        changed = path.read_text(encoding="utf-8").replace("of 35 (", "of 36 (")
        (tmp_path / path.name).write_text(changed, encoding="utf-8")
    assert "of 36 (" in tables.arena_table(tmp_path)
    assert "of 36 (" not in tables.arena_table()


def test_the_committed_tables_are_what_their_rows_come_to():
    for name in ARENAS:
        result = json.loads((tables.FOLDER / f"{name}.json").read_text(encoding="utf-8"))
        assert table(result["rows"]) == result["table"]
        assert hashlib.sha256(result["secret"].encode()).hexdigest() == result["sealed"]
        assert result["crashed"] == 0
