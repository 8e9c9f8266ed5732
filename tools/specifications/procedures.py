"""Procedures: Markdown documents that say how a larger task is done.

A procedure starts with ``# Title with 'dut'``; single quotes in the title mark its parameters. Below it come
``## Background`` (why, optional), ``## Steps`` (one list item or paragraph a step, in the short form) and
``## Results`` (what the report must answer, optional). Front matter may give the ``steps:`` written out; ``## Steps``
is then prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labwright.tools.errors import ProcedureError
from labwright.tools.specifications.yaml_files import read_document, split_front_matter

SHIPPED = Path(__file__).parent / "procedures"
SECTIONS = ("background", "steps", "results")
_QUOTED = re.compile(r"'([A-Za-z_]\w*)'")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")


@dataclass(frozen=True, slots=True)
class Procedure:
    """One procedure document.

    Attributes:
        slug: the title in lower case with hyphens, without quotes; unique in a library.
        title: with its parameters in single quotes.
        parameters: the quoted names of the title, in order.
        background: free text.
        steps: one a step: a line of the short form, or the fields of a step.
        results: what the final report must answer.
        path: the file, or ``<text>``.
    """

    slug: str
    title: str
    parameters: tuple[str, ...]
    background: str
    steps: tuple[str | dict[str, Any], ...]
    results: str
    path: str


def slug_of(title: str) -> str:
    """A file-name-like name of a title: parameters dropped, words joined by hyphens."""
    bare = re.sub(r"(?:^|\s+)(?:of|on|for|and|with)?\s*'[^']*'", "", title)
    return re.sub(r"[^a-z0-9]+", "-", bare.lower()).strip("-")


def parse_procedure(text: str, path: str = "<text>") -> Procedure:
    """Read one document.

    Raises:
        ProcedureError: no title, no steps, an unknown, doubled or empty section, an undeclared parameter.
    """
    front, prose = split_front_matter(text)
    written = read_document(text, path).data.get("steps") if prose else None
    before = front.count("\n") + 2 if prose else 0
    lines = ([""] * before + prose.splitlines()) if prose else text.splitlines()
    title, title_line = _title(lines, path)
    sections = _sections(lines, title_line, path)
    if "steps" not in sections and not written:
        raise ProcedureError(f"{path}, line {title_line}: {title!r} has no `## Steps`. Add one list item a step.")
    steps_line, body = sections.get("steps", (title_line, []))
    steps = tuple(written) if isinstance(written, list) else _steps(body)
    if not steps:
        raise ProcedureError(f"{path}, line {steps_line}: `## Steps` is empty. Add one list item a step.")
    parameters = tuple(dict.fromkeys(_QUOTED.findall(title)))
    _check_parameters(lines, title_line, parameters, path)
    background, results = ("\n".join(sections.get(name, (0, []))[1]).strip() for name in ("background", "results"))
    slug = slug_of(title)
    if not slug:
        raise ProcedureError(f"{path}, line {title_line}: the title names only parameters. Name the task.")
    return Procedure(slug, title, parameters, background, steps, results, path)


def read_procedure(path: Path) -> Procedure:
    """Read one file.

    Raises:
        ProcedureError: unreadable, not UTF-8, or malformed.
    """
    try:
        return parse_procedure(path.read_text(encoding="utf-8"), str(path))
    except UnicodeDecodeError as error:
        raise ProcedureError(f"{path}, byte {error.start}: not UTF-8. Save the file as UTF-8 text.") from error
    except OSError as error:
        raise ProcedureError(f"{path} cannot be read: {error.strerror}. Check the path.") from error


def load_procedures(folders: Iterable[Path] = ()) -> dict[str, Procedure]:
    """The shipped procedures and those of `folders`, by slug; a later folder replaces an equal slug.

    ``README.md`` is none.

    Raises:
        ProcedureError: a folder is missing, a file is malformed, or two files of one folder share a slug.
    """
    library: dict[str, Procedure] = {}
    for folder in (SHIPPED, *folders):
        if not folder.is_dir():
            raise ProcedureError(f"{folder} is no folder. Give a folder of Markdown procedures.")
        own: dict[str, Procedure] = {}
        for path in sorted(folder.glob("*.md")):
            if path.name.lower() == "readme.md":  # tells people about the folder
                continue
            procedure = read_procedure(path)
            if procedure.slug in own:
                raise ProcedureError(f"{path}: same title as {own[procedure.slug].path}. Rename one of the two.")
            own[procedure.slug] = procedure
        library |= own
    return library


def _title(lines: list[str], path: str) -> tuple[str, int]:
    for number, line in enumerate(lines, 1):
        if line.startswith("# "):
            return line[2:].strip(), number
        if line.strip():
            raise ProcedureError(f"{path}, line {number}: text before the title. Begin with `# Title with 'dut'`.")
    raise ProcedureError(f"{path}, line 1: the document is empty. Begin with `# Title with 'dut'`.")


def _sections(lines: list[str], title_line: int, path: str) -> dict[str, tuple[int, list[str]]]:
    """Section name -> (line of its header, lines of its body)."""
    found: dict[str, tuple[int, list[str]]] = {}
    body: list[str] | None = None
    for number, line in enumerate(lines[title_line:], title_line + 1):
        if line.startswith("# "):
            raise ProcedureError(f"{path}, line {number}: a second title. Keep one procedure a file.")
        if line.startswith("## "):
            name = line[3:].strip().lower()
            if name not in SECTIONS:
                raise ProcedureError(
                    f"{path}, line {number}: no section {line!r} is known. Use Background, Steps or Results."
                )
            if name in found:
                raise ProcedureError(f"{path}, line {number}: section {line!r} comes twice. Merge the two.")
            body = []
            found[name] = (number, body)
        elif body is not None:
            body.append(line)
        elif line.strip():
            raise ProcedureError(f"{path}, line {number}: text outside a section. Move it below `## Background`.")
    return found


def _steps(body: list[str]) -> tuple[str, ...]:
    """List items where there are any, paragraphs otherwise; wrapped lines are joined."""
    listed = any(_ITEM.match(line) for line in body)
    steps: list[list[str]] = []
    fresh = True
    for line in body:
        if not line.strip():
            fresh = True
        elif _ITEM.match(line) or (fresh and not listed) or not steps:
            steps.append([_ITEM.sub("", line).strip()])
            fresh = False
        else:
            steps[-1].append(line.strip())
            fresh = False
    return tuple(" ".join(part) for part in steps)


def _check_parameters(lines: list[str], title_line: int, parameters: tuple[str, ...], path: str) -> None:
    for number, line in enumerate(lines[title_line:], title_line + 1):
        for name in _QUOTED.findall(line):
            if name not in parameters:
                raise ProcedureError(
                    f"{path}, line {number}: '{name}' is not in the title, which has {_listed(parameters)}."
                    f" Add it to the title or drop the quotes."
                )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names) or "no parameters"
