"""Where limits are found, and the copy of them that a run keeps."""

from __future__ import annotations

import os
from pathlib import Path

from labwright.tools.errors import CorruptRecordError, InputError
from labwright.tools.limits.limits_document import Law, read_law
from labwright.tools.runs.hashed_files import read_json, to_json

FILE = "limits.yaml"  # in the folder of a lab, or beside the file of its device
KEPT = "limits.json"  # in the run folder


def found(named: str, lab: str, device: str) -> tuple[Law, ...]:
    """The limits in force for new runs; several files all hold.

    Args:
        named: what the operator set as LABWRIGHT_LIMITS or ``--limits``: files with colons between.
        lab: folder of the lab; empty for none.
        device: the device's name, which may be that of a file.

    Raises:
        InputError: a named file cannot be read.
        SpecificationError: a file is malformed.
    """
    paths = [Path(name).expanduser().absolute() for name in named.split(os.pathsep) if name]
    source = device.rpartition(":")[0]
    folders = [lab, str(Path(source).parent) if source.endswith(".py") else ""]
    paths += [path for folder in folders if folder and (path := Path(folder).expanduser().absolute() / FILE).exists()]
    return tuple(_read(path) for path in dict.fromkeys(paths))


def _read(path: Path) -> Law:
    try:
        return read_law(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"The limits {path} cannot be read ({error}). Nothing is measured without them: put the file back, or take"
            " its name out of LABWRIGHT_LIMITS and --limits."
        ) from error


def packed(laws: tuple[Law, ...]) -> bytes:
    """What a run keeps of its limits."""
    return to_json({"limits": [{"name": law.name, "text": law.text} for law in laws]})


def with_kept(folder: Path, laws: tuple[Law, ...]) -> tuple[Law, ...]:
    """`laws`, and those that the run in `folder` began under: who resumes it under others loosens nothing."""
    path = folder / KEPT
    if not path.exists():
        return laws
    cure = "Restore it from a copy, or start the run anew."
    try:
        began = [read_law(each["text"], each["name"]) for each in read_json(path, cure)["limits"]]
    except (KeyError, TypeError, InputError) as error:
        raise CorruptRecordError(f"File {path} does not hold limits ({error}). {cure}") from error
    return tuple({law.text: law for law in (*laws, *began)}.values())
