"""Prose that a model has read once: the plan beside the document, held to its hash."""

from __future__ import annotations

from pathlib import Path

from labwright.tools.errors import InputError
from labwright.tools.runs.hashed_files import sha256_of
from labwright.tools.specifications.base import Specification
from labwright.tools.specifications.yaml_files import is_document, read_document, to_yaml

SUFFIX = ".plan.yaml"


def beside(document: Path) -> Path:
    """Where the plan of ``procedure.md`` lies: ``procedure.plan.yaml``."""
    return document.with_suffix(SUFFIX)


def hash_of(prose: str) -> str:
    """Hex digest of a document's text, whatever its line ends are."""
    return sha256_of("\n".join(prose.strip().splitlines()).encode())


def compiled(spec: Specification, prose: str, reader: str) -> str:
    """The document of a specification that `reader` made of `prose`."""
    head = f"# Read from the prose by {reader}. When the prose changes, compile it again: labwright compile\n"
    return head + to_yaml({**spec.plain(), "prose_sha256": hash_of(prose), "read_by": reader})


def text_or_plan(document: Path, text: str) -> str:
    """What is to be run for a document with `text`: the plan beside it if there is one, else the text.

    Raises:
        InputError: the text has changed since the plan was made of it, or the plan does not say of what it was made.
    """
    plan = beside(document)
    if document.suffix != ".md" or not plan.is_file():
        return text
    written = plan.read_text(encoding="utf-8")
    made_of = read_document(written, str(plan)).data.get("prose_sha256") if is_document(written) else None
    if made_of != hash_of(text):
        raise InputError(
            f"{document} has changed since {plan.name} was read from it. Read it again with"
            f" `labwright compile {document} --model provider:name`, or remove {plan.name}."
        )
    return written


def read_text(path: Path) -> str:
    """The text of a specification's or procedure's file, or the plan that was made of it.

    Raises:
        InputError: it cannot be read, or its plan is out of date.
    """
    try:
        text = path.expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"File {str(path)!r} cannot be read ({error}). Check the path.") from error
    return text_or_plan(path.expanduser(), text)
