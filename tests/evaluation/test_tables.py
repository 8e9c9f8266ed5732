"""What documents say about the results is what the results say."""

from pathlib import Path

from labwright.evaluation import tables

HERE = Path(tables.FOLDER).parent


def test_the_manual_holds_the_committed_results():
    text = (HERE / "README.md").read_text(encoding="utf-8")
    assert tables.calibration_table() in text
    assert tables.origin() in text


def test_the_table_follows_the_results(tmp_path):
    for path in tables.FOLDER.glob("*.json"):
        changed = path.read_text(encoding="utf-8").replace('"score": 1.0', '"score": 0.5')
        (tmp_path / path.name).write_text(changed, encoding="utf-8")
    assert "10 of 20" in tables.calibration_table(tmp_path)
    assert "10 of 20" not in tables.calibration_table()
