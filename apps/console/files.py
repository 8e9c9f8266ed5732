"""Files of run folders, and nothing else of this machine."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response

from labwright.tools.errors import RecordError
from labwright.tools.runs import Run, load_run, read_result

PICTURES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg"}
OPEN = ("figures", "data", "robot")  # folders whose files are served whether or not the run has ended
REPORT = "report.md"
_NAME = re.compile(r"[\w-][\w.-]{0,199}")
# A file is data, whatever it says of itself: nothing in it is run, and no page may frame it.
HEADERS = {"Content-Security-Policy": "default-src 'none'; sandbox", "Cache-Control": "private, no-cache"}


def run_at(root: Path, run_id: str) -> Run | None:
    """The run of exactly this id below `root`; None if there is none."""
    if not _NAME.fullmatch(run_id):
        return None
    folder = root / run_id
    try:
        return load_run(folder) if not folder.is_symlink() else None
    except RecordError:
        return None


def served(run: Run, path: str) -> Path | None:
    """The file `path` of the run's folder, if it is one that may be sent; links are not followed."""
    parts = PurePosixPath(path).parts
    plain = parts and not path.startswith("/") and "\\" not in path and "\0" not in path
    if not plain or ".." in parts or "/".join(parts) != path:
        return None
    if not (_open(parts) or path in listed(run)):
        return None
    found = run.folder
    for part in parts:
        found = found / part
        if found.is_symlink():
            return None
    return found if found.is_file() else None


def listed(run: Run) -> list[str]:
    """The paths that the run's own document lists, in its order."""
    try:
        return [str(one["path"]) for one in (read_result(run) or {}).get("artifacts", [])]
    except (RecordError, KeyError, TypeError):
        return []


def pictures(run: Run) -> list[str]:
    """Paths of the run's figures so far, by name; those of its parts, too."""
    folders = [run.folder / name for name in ("figures", "robot")]
    folders += sorted((run.folder / "parts").glob("*/figures"))
    found = [path for folder in folders for path in sorted(folder.glob("*.png"))]
    return [path.relative_to(run.folder).as_posix() for path in found]


def savable(run: Run) -> list[str]:
    """Paths of what can be saved of the run: its report first, then what its document lists, then its figures."""
    named = [REPORT, *listed(run), *pictures(run)]
    return [path for path in dict.fromkeys(named) if served(run, path) is not None]


async def send(request: Request, root: Path) -> Response:
    """The answer to a request for a file: pictures are shown, anything else is saved."""
    run = run_at(root, request.path_params["run_id"])
    path = served(run, request.path_params["path"]) if run is not None else None
    if path is None:
        return PlainTextResponse("There is no such file, or it is not one that is served.", 404)
    kind = PICTURES.get(path.suffix.lower())
    if kind and "download" not in request.query_params:
        return FileResponse(path, media_type=kind, headers=HEADERS)
    name = path.name if path.name != REPORT or run is None else f"{run.run_id}-{REPORT}"
    return FileResponse(path, media_type="application/octet-stream", filename=name, headers=HEADERS)


def _open(parts: tuple[str, ...]) -> bool:
    if len(parts) > 2 and parts[0] == "parts":
        parts = parts[2:]
    return parts == (REPORT,) or (len(parts) > 1 and parts[0] in OPEN)
