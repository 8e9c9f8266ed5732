"""A request as it is typed: the words themselves, or a file that holds them."""

from __future__ import annotations

from pathlib import Path

from labwright.tools.errors import InputError

LONGEST_NAME = 255  # bytes; the system refuses to look up longer ones


def request_text(request: str, suffixes: tuple[str, ...], example: str) -> str:
    """The words, or the text of the file that `request` names: one that exists, or ends in one of `suffixes`.

    Of prose that was compiled, the plan.

    Raises:
        InputError: nothing is asked (the message gives `example`), or a file is named that cannot be read.
    """
    if not request.strip():
        raise InputError(f"Argument `TEXT|FILE` is empty. {example}")
    named = "\n" not in request and len(request.encode()) <= LONGEST_NAME
    if not named or not (request.endswith(suffixes) or Path(request).is_file()):
        return request
    try:
        text = Path(request).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"File {request!r} cannot be read ({error}). Check the path.") from error
    from labwright.tools.specifications.compiled_plan_files import text_or_plan

    return text_or_plan(Path(request).expanduser(), text)
