"""Searching installed packages by words, and opening one module at a time; answers stay short."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from labwright.tools.atomic_files import write_atomic
from labwright.tools.errors import InputError
from labwright.tools.workspace.installed_packages.symbols import FORMAT, PackageIndex, Symbol, read_package, version_of

MOST_CHARACTERS = 8000  # of one answer
_NAME, _MODULE, _LINE, _ABOUT, _METHOD = 2.5, 1.0, 1.5, 1.0, 0.5  # weights of a word by where it stands
_LITTLE = frozenset(
    "a an and as at by for from in is of on or the to with using use compute calculate function".split()
)


class Navigator:
    """Indexes of installed packages, made when first asked for and kept by version.

    Args:
        folder: where they are kept; `navigation` below the state folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[str, _Searched] = {}

    def index(self, package: str) -> PackageIndex:
        """The index of a package.

        Raises:
            InputError: it is not installed.
        """
        return self._searched(package).index

    def search(self, query: str, packages: Sequence[str], most: int = 8) -> str:
        """The nearest functions and classes, one line each: path, signature, what it does.

        A package that is there and has nothing of the kind is told from one that is not there.

        Args:
            query: some words.
            packages: import names.
            most: lines.

        Raises:
            InputError: none of the packages is installed.
        """
        ranked: list[tuple[float, Symbol]] = []
        absent: list[str] = []
        for package in packages:
            try:
                ranked += self._searched(package).rank(query)
            except InputError as wrong:
                absent.append(str(wrong))
        if len(absent) == len(packages):
            raise InputError(" ".join(absent) or "Name the packages to look through.")
        ranked.sort(key=lambda pair: (-pair[0], len(pair[1].path), pair[1].path))
        lines = [_shown(symbol) for _, symbol in ranked[:most]]
        there = ", ".join(one for one in packages if one in self._open)
        lines = lines or [f"Nothing found for {query!r} in {there}, which is installed: try other words."]
        return _bounded([*lines, *absent])

    def open_module(self, name: str) -> str:
        """What a module offers: its submodules, functions and classes, a line each; of one alone, its docstring.

        Raises:
            InputError: there is neither a module nor a function or class of this name.
        """
        index = self.index(name.split(".")[0])
        itself = next((one for one in index.symbols if one.path == name), None)
        if itself is not None and name not in index.modules:
            return _bounded(
                [_shown(itself), *([itself.about] if itself.about else []), *map("method {}".format, itself.methods)]
            )
        symbols = [one for one in index.symbols if one.path.rpartition(".")[0] == name or one.module == name]
        below = [one for one in index.modules if one.rpartition(".")[0] == name]
        if name not in index.modules and not symbols:
            near = [one for one in index.modules if name.rpartition(".")[2] in one][:6]
            raise InputError(f"There is no module {name!r}. Near: {', '.join(near) or 'none'}.")
        lines = [f"# {name} ({index.package} {index.version}): {index.modules.get(name, '')}"]
        lines += [f"module {one}: {index.modules[one]}" for one in below]
        return _bounded([*lines, *map(_shown, symbols)])

    def _searched(self, package: str) -> _Searched:
        if package not in self._open:
            self._open[package] = _Searched(self._kept(package))
        return self._open[package]

    def _kept(self, package: str) -> PackageIndex:
        version = version_of(package)
        path = self._folder / f"{package}-{version}.json"
        if path.exists():
            try:
                plain = json.loads(path.read_bytes())
            except ValueError:
                plain = {}  # half of a file from elsewhere; it is made anew
            if plain.get("format") == FORMAT:
                return PackageIndex.from_plain(plain)
        made = read_package(package)
        write_atomic(path, json.dumps(made.plain()).encode())
        return made


class _Searched:
    """An index with its words counted."""

    def __init__(self, index: PackageIndex) -> None:
        self.index = index

    @cached_property
    def _words(self) -> list[dict[str, float]]:
        found = []
        for one in self.index.symbols:
            weights: dict[str, float] = {}
            module, _, name = one.path.rpartition(".")
            parts = [(name, _NAME), (module, _MODULE), (one.line, _LINE), (one.about, _ABOUT)]
            parts.append((" ".join(one.methods), _METHOD))
            for text, weight in parts:
                for word in words(text):
                    weights[word] = max(weight, weights.get(word, 0.0))
            found.append(weights)
        return found

    @cached_property
    def _rarity(self) -> dict[str, float]:
        counted = Counter(word for weights in self._words for word in weights)
        return {word: math.log(1 + len(self._words) / count) for word, count in counted.items()}

    def rank(self, query: str) -> list[tuple[float, Symbol]]:
        """Symbols that share a word with the query, with their scores."""
        asked = set(words(query))
        scored = []
        for symbol, weights in zip(self.index.symbols, self._words, strict=True):
            score = sum(weights[word] * self._rarity[word] for word in asked if word in weights)
            if score > 0:
                # Of two equal ones, the one nearer to the package's top is meant for people.
                scored.append((score / (1 + 0.12 * symbol.path.count(".")), symbol))
        return scored


def words(text: str) -> list[str]:
    """Words of names and sentences, without endings that do not matter."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text).lower().replace("_", " ")
    found = re.findall(r"[a-z]+\d*|\d+", spaced)
    return [
        re.sub(r"(ing|ed|es|s|ion|ions|e)$", "", word) if len(word) > 4 else word
        for word in found
        if word not in _LITTLE
    ]


def _shown(symbol: Symbol) -> str:
    kind = "class " if symbol.kind == "class" else ""
    return f"{kind}{symbol.path}{symbol.signature}: {symbol.line}"


def _bounded(lines: Sequence[str]) -> str:
    made: list[str] = []
    size = 0
    for number, line in enumerate(lines):
        size += len(line) + 1
        if size > MOST_CHARACTERS - 40:
            made.append(f"... and {len(lines) - number} more")
            break
        made.append(line)
    return "\n".join(made) + "\n"
