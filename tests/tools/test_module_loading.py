"""A person's own modules: imported once, and their mistakes told with the line."""

from pathlib import Path

import pytest

from labwright.tools.errors import InputError
from labwright.tools.module_loading import load_file


def test_a_file_is_imported_once_a_version(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("number = 1\n")
    first = load_file(path, "module")
    assert load_file(path, "module") is first
    path.write_text("number = 2\n")
    assert load_file(path, "module").number == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = 1\ny = x / 0\n", "ZeroDivisionError: division by zero (line 2)"),
        ("import nothing_of_this_name\n", "ModuleNotFoundError: No module named 'nothing_of_this_name' (line 1)"),
        ("def f(:\n", "SyntaxError: invalid syntax (mine.py, line 1)"),
    ],
)
def test_what_does_not_import_names_the_line(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "mine.py"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        load_file(path, "experiment module")
    assert says in str(error.value)
    assert str(error.value).startswith(f"The experiment module {path} does not import")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        load_file(tmp_path / "none.py", "device module")
