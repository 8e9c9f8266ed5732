"""What a recording leaves out, in one place: secrets, folders of the machine, and what differs from run to run.

Each is written as a name in guillemets, such as ``«home»`` or ``«id 1»``. In the replay of a reply the name becomes
what the request at hand has in its place. Everything listed here was found in real requests.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from labwright.agents.key_redaction import HIDDEN, LONG_ENOUGH, each_text, keys_of
from labwright.agents.settings import Settings

# Names of runs (20250131-142530-3f9a) and jobs (eight digits at the end). They are numbered as they come, so that a
# reply can speak of them again.
NUMBERED = re.compile(r"(?<!\d)\d{8}-\d{6}-(?:[0-9a-f]{8}|[0-9a-f]{4})(?![0-9a-f])")
RUNS = re.compile(r"(?:/[\w.@+-]+)+(?=/\d{8}-\d{6}-[0-9a-f]{4}(?![0-9a-f]))")  # any folder of runs
# What is replaced is group 2.
PASSING = (
    ("seconds", re.compile(r'("seconds": )(\d+\.\d+)')),  # of an evaluation, in the rounds of a search
    ("seconds", re.compile(r"(in a clean folder, in )(\d+\.\d s)")),  # scripts of a forged solution
    ("seconds", re.compile(r"( in )(\d+\.\d\ds(?: \(\d+:\d\d:\d\d\))?)")),  # pytest
    ("date", re.compile(r'("(?:today|started)": "|<data name="today">\n")(\d{4}-\d\d-\d\d[^"]*)')),
    ("model", re.compile(r"(\bmind: )((?:record|replay):[^\s\"\\|]+)")),  # as the front desk compares two runs
    ("key", re.compile(r"()(sk-[\w-]*\*[\w*-]*)")),  # as OpenAI repeats a part of a wrong one
)
ADDRESS = re.compile(r"\w+://([^\s/]+)\S*")
UNSPOKEN = (HIDDEN, "«address»")  # never put back


def machine(settings: Settings) -> dict[str, str]:
    """Text of this machine that is never written -> its name."""
    addresses = " ".join(filter(None, (settings.base_url, settings.chroma_url, *os.environ.values())))
    found = {text: "«address»" for one in ADDRESS.finditer(addresses) for text in (one[0], one[1])}
    found = {text: name for text, name in found.items() if len(text) >= LONG_ENOUGH}
    found |= dict.fromkeys(keys_of(settings), HIDDEN)
    places = {"here": Path.cwd(), "tmp": Path(tempfile.gettempdir()), "home": Path.home(), "python": Path(sys.prefix)}
    places |= {"state": settings.state.absolute(), "runs": settings.runs.absolute()}
    places |= {"source": Path(__file__).absolute().parents[3], "code": Path(__file__).resolve().parents[2]}
    for name, path in places.items():
        found |= {str(one): f"«{name}»" for one in (path.resolve(), path) if one != Path("/")}
    return found


class Names:
    """The names in one exchange: what its request calls ``«id 1»`` is called so in its reply."""

    def __init__(self, fixed: dict[str, str]) -> None:
        self._fixed, self._numbered, self._passing = dict(fixed), dict[str, str](), dict[str, str]()
        # A folder is found as a whole, also after an escaped line end; the longest first, as one lies in another.
        folder = r"(?:(?<![\w.])|(?<=\\[nrt])){}(?![\w-])"
        longest = sorted(fixed, key=len, reverse=True)
        each = [folder.format(re.escape(one)) if one.startswith("/") else re.escape(one) for one in longest]
        self._machine = re.compile("|".join(each) or r"(?!)")

    def of_request(self, value: Any) -> Any:
        """`value`, a JSON value, with names for what is left out."""
        return each_text(self._hidden, value)

    def of_reply(self, value: Any) -> Any:
        """The same for what came back; a passing time or date of the request has a name there, too."""
        return each_text(lambda text: self._retold(self._hidden(text)), value)

    def show(self, value: Any) -> Any:
        """A recorded reply, with what the request at hand has in place of each name."""
        texts = {name: text for text, name in self._fixed.items() if name not in UNSPOKEN}
        texts |= {name: text for text, name in self._numbered.items()} | self._passing

        def shown(text: str) -> str:
            return re.sub(r"«[a-z]+(?: \d+)?»", lambda found: texts.get(found[0], found[0]), text)

        return each_text(shown, value)

    def _hidden(self, text: str) -> str:
        text = RUNS.sub(lambda found: self._number("runs", found[0]), text)
        text = self._machine.sub(lambda found: self._fixed[found[0]], text)
        text = NUMBERED.sub(lambda found: self._number("id", found[0]), text)
        for kind, pattern in PASSING:
            text = pattern.sub(lambda found, kind=kind: found[1] + self._pass(kind, found[2]), text)  # type: ignore[misc]
        return text

    def _retold(self, text: str) -> str:
        for name, passing in self._passing.items():
            text = re.sub(rf"(?<![\w.]){re.escape(passing)}(?!\w)", name, text)
        return text

    def _number(self, kind: str, text: str) -> str:
        count = sum(name.startswith(f"«{kind} ") for name in self._numbered.values())
        return self._numbered.setdefault(text, f"«{kind} {count + 1}»")

    def _pass(self, kind: str, text: str) -> str:
        """A name for each time that it comes: what two runs have in the same place may be equal in one of them only."""
        name = f"«{kind} {len(self._passing) + 1}»"
        self._passing[name] = text
        return name
