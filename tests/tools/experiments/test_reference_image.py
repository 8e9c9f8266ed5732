"""Reference pictures come from the package or the lab folder, and from nowhere else."""

from pathlib import Path

import pytest

from labwright.tools.errors import InputError
from labwright.tools.experiments.registry import reference_image


def test_a_picture_of_the_lab_folder_is_found(tmp_path: Path) -> None:
    (tmp_path / "mine.png").write_bytes(b"png")
    assert reference_image("mine.png", tmp_path) == tmp_path / "mine.png"


@pytest.mark.parametrize("climb", ["../secret.png", "absolute", "link.png"])
def test_nothing_outside_of_it_is(tmp_path: Path, climb: str) -> None:
    lab = tmp_path / "lab"
    lab.mkdir()
    (tmp_path / "secret.png").write_bytes(b"secret")
    (lab / "link.png").symlink_to(tmp_path / "secret.png")
    with pytest.raises(InputError, match="no reference picture"):
        reference_image(str(tmp_path / "secret.png") if climb == "absolute" else climb, lab)
