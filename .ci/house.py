"""Compare the size of every folder with the most that docs/house.toml allows: `python .ci/house.py [--lower]`.

A line of code is a line of Python, TOML, YAML or Lark that is neither blank nor part of a docstring. Comments count.
"""

from __future__ import annotations

import argparse
import ast
import json
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOUSE = "docs/house.toml"
DECISIONS = "docs/decisions/"
TESTS = "tests"
FOLDERS = ("agents", "apps", "evaluation", "examples", "graphs", "prompts", "src", "tools", ".ci", TESTS)
SUFFIXES = (".py", ".toml", ".yaml", ".yml", ".lark")
DATA = ("evaluation/cases", "evaluation/results")  # do not count
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
TOTAL = "total"
DIRECTLY = "."  # the files of a folder that lie in none of its subfolders


@dataclass(frozen=True, slots=True)
class Limit:
    """The most lines that a folder may have, and why that is more than it was, if it is."""

    lines: int
    reason: str = ""


def count_lines(path: Path) -> int:
    """Lines of one file that are neither blank nor part of a docstring."""
    text = path.read_text()
    skipped = docstring_lines(text) if path.suffix == ".py" else set()
    return sum(bool(line.strip()) for n, line in enumerate(text.split("\n"), start=1) if n not in skipped)


def docstring_lines(text: str) -> set[int]:
    """Numbers of the lines, from 1, that docstrings of the module, its classes and its functions take up."""
    found: set[int] = set()
    blocks: list[ast.AST] = [ast.parse(text)]
    while blocks:  # ast.walk would visit every expression, which takes three times as long
        block = blocks.pop()
        for name in ("body", "orelse", "handlers", "finalbody", "cases"):
            nested = getattr(block, name, None)
            blocks += nested if isinstance(nested, list) else ()
        if isinstance(block, DOCUMENTED) and block.body:
            match block.body[0]:
                case ast.Expr(value=ast.Constant(value=str())) as first:
                    found |= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return found


def measure(root: Path = ROOT) -> dict[str, int]:
    """Lines of `tools`, of `tools/qpu`, of the files directly in `tools` (`tools/.`), and of all folders but tests."""
    sizes: Counter[str] = Counter()
    for folder in FOLDERS:
        for path in (root / folder).rglob("*"):
            parts = path.relative_to(root).parts
            if path.suffix not in SUFFIXES or "/".join(parts[:2]) in DATA:
                continue
            lines = count_lines(path)
            sizes[folder] += lines
            sizes[f"{folder}/{parts[1] if len(parts) > 2 else DIRECTLY}"] += lines
            sizes[TOTAL] += lines if folder != TESTS else 0
    return dict(sizes)


def parse(text: str) -> dict[str, Limit]:
    """The limits of docs/house.toml, under the names that `measure` uses."""
    limits = {}
    for folder, rows in tomllib.loads(text).items():
        for name, given in rows.items() if folder != TOTAL else [(TOTAL, rows)]:
            key = folder if name == TOTAL else f"{folder}/{name}"
            limits[key] = Limit(**given) if isinstance(given, dict) else Limit(given)
    return limits


def render(limits: Mapping[str, Limit], comment: str) -> str:
    """The text of docs/house.toml."""
    text = [f"{comment.strip()}\n\n{TOTAL} = {_value(limits[TOTAL])}  # of all folders but {TESTS}\n"]
    keys = sorted(set(limits) - {TOTAL}, key=lambda key: (key.partition("/")[0] == TESTS, key))
    for folder, group in groupby(keys, key=lambda key: key.partition("/")[0]):
        text.append(f"\n[{_bare(folder)}]\n")
        for key in group:
            name = key.partition("/")[2] or TOTAL
            text.append(f"{_bare(name)} = {_value(limits[key])}\n")
    return "".join(text)


def _bare(key: str) -> str:
    return json.dumps(key) if DIRECTLY in key else key


def _value(limit: Limit) -> str:
    if not limit.reason:
        return str(limit.lines)
    return f"{{ lines = {limit.lines}, reason = {json.dumps(limit.reason, ensure_ascii=False)} }}"


def too_large(sizes: Mapping[str, int], limits: Mapping[str, Limit]) -> list[str]:
    """One sentence for every folder that has more lines than it may have."""
    return [
        f"{key} has {lines} lines, {lines - allowed} more than {HOUSE} allows."
        for key, lines in sizes.items()
        if lines > (allowed := limits.get(key, Limit(0)).lines)
    ]


def idle(limits: Mapping[str, Limit]) -> list[str]:
    """Limits that hold nothing back, as they are larger than those of their parts together."""
    parts = {TOTAL: [key for key in limits if "/" not in key and key not in (TOTAL, TESTS)]}
    for key in limits:
        if "/" in key:
            parts.setdefault(key.partition("/")[0], []).append(key)
    sums = {whole: sum(limits[part].lines for part in those) for whole, those in parts.items()}
    return [
        f"{key} may have {limits[key].lines} lines, more than the {most} of its parts together; run it with --lower."
        for key, most in sums.items()
        if key in limits and limits[key].lines > most
    ]


def unexplained(before: Mapping[str, Limit], now: Mapping[str, Limit]) -> list[str]:
    """Limits that rose without a new reason. That of the total is a file of docs/decisions."""
    found = []
    for key, limit in now.items():
        old = before.get(key, Limit(0))
        decided = key != TOTAL or (limit.reason.startswith(DECISIONS) and (ROOT / limit.reason).is_file())
        if limit.lines > old.lines and (limit.reason in ("", old.reason) or not decided):
            found.append(f"{key} rose from {old.lines} to {limit.lines} in {HOUSE} without a reason that is new.")
    return found


def lower(sizes: Mapping[str, int], limits: Mapping[str, Limit]) -> dict[str, Limit]:
    """Limits no higher than what was measured; a folder that is gone has none."""
    return {key: Limit(min(limit.lines, sizes[key]), limit.reason) for key, limit in limits.items() if key in sizes}


def previous(root: Path = ROOT) -> dict[str, Limit] | None:
    """The limits before docs/house.toml was last changed; None for its first version, and where git does not tell."""
    try:
        commits = _git(root, "log", "--first-parent", "--max-count=2", "--format=%H", "--", HOUSE).split()
        texts = [_git(root, "show", f"{commit}:{HOUSE}") for commit in commits]
    except (OSError, subprocess.CalledProcessError):
        return None
    now = (root / HOUSE).read_text()
    return next((parse(text) for text in texts if text != now), None)


def _git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True).stdout


def as_table(sizes: Mapping[str, int], limits: Mapping[str, Limit]) -> str:
    """Measured and allowed lines of every folder."""
    rows = [f"{'folder':<32}{'lines':>8}{'at most':>9}"]
    for key in sorted({*sizes, *limits}):
        lines, limit = sizes.get(key, 0), limits.get(key, Limit(0))
        rows.append(f"{key:<32}{lines:>8}{limit.lines:>9}{'  too large' if lines > limit.lines else ''}")
    return "\n".join(rows)


def main() -> None:
    """Print the table; with --lower, rewrite the file first. Exit with 1 and say why if a limit is broken."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--lower", action="store_true", help="lower every limit to what was measured; none rises")
    wants_lower = parser.parse_args().lower
    sizes, text = measure(), (ROOT / HOUSE).read_text()
    limits = parse(text)
    if wants_lower:
        limits = lower(sizes, limits)
        (ROOT / HOUSE).write_text(render(limits, comment=text.partition(f"\n{TOTAL} =")[0]))
    print(as_table(sizes, limits))
    before = previous()
    wrong = too_large(sizes, limits) + idle(limits) + (unexplained(before, limits) if before else [])
    sys.exit("\n".join(wrong) or None)


if __name__ == "__main__":
    main()
