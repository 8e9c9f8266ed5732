"""Every example runs as it stands."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
LONG = ("calibrate_qubit", "feature_map_search", "forge_tools", "front_desk")


@pytest.mark.parametrize(
    "example",
    [pytest.param(one, marks=pytest.mark.slow if one.stem in LONG else (), id=one.stem) for one in EXAMPLES],
)
def test_example(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(example), run_name="__main__")
    assert "complete" in capsys.readouterr().out
