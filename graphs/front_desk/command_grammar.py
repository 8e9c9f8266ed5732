"""The desk's commands: a small, total grammar. A line is a command as a whole or it is none; nothing is guessed.

What takes free words, a note or a file name with blanks, needs the slash: without it such a line is a sentence.
`RUN` is an id, a unique beginning of one, `latest`, or `#2` for the second run of the conversation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from labwright.agents.front_desk.actions import Action, Again, Remember, RunFile, Say, Show, Shown, Steer
from labwright.tools.specifications.examples import named as example_named
from labwright.tools.specifications.examples import names as examples
from labwright.tools.specifications.patches import read_patches

SMALL = "search --dataset iris --trials 1 --ideas 1 --qubits 2 --preparation min-max --baseline rbf_default"
HELP = f"""\
calibrate qubit Q1        orders in the short form: docs/calibration-plans.md
{SMALL}
                          a small search; `--trials`, `--ideas` and `--evaluations` set how long one takes
design FILE               a protocol, such as: run protocol-calibration
                          calibrate, search, forge, design and run are the shell's own lines in chat and
                          console, with their options: search --help
run FILE|EXAMPLE [using RUN] [with PATH = VALUE, ...]
                          run a specification, or a shipped example, changed or not;
                          `using` hands on what that run left
examples                  names of the shipped examples
again [RUN] [with PATH = VALUE, ...]
                          run it once more, changed or not
runs                      the runs there are
status [RUN ...]          which go on or wait
show [RUN]                what it did and found
why [RUN] [STAGE]         what it decided, by which numbers
compare [RUN] [RUN]       two runs side by side; the last two if none is named
cost [RUN ...]            what this conversation, or a run, has cost
stop [RUN ...]            stop what runs, and put off what asks
resume [RUN ...]          go on with it
/remember WORDS           keep a note
/remember device|toolset VALUE
                          use it from now on
never mind                put off the open question
thanks, help
RUN is an id, a beginning of one, latest, or #2 for the second run of this conversation.
Only /remember, and a file name with blanks, needs the slash.
A document in YAML with `system:` is run as it is. Other words need a model."""
SUFFIXES = (".yaml", ".yml", ".md", ".csv")
THANKS = "You are welcome."
_SHOWS: dict[str, tuple[Shown, int]] = {  # what is shown -> how many runs may be named
    "runs": ("runs", 0),
    "status": ("status", 20),
    "show": ("show", 1),
    "cost": ("cost", 20),
    "compare": ("compare", 2),
}
SAYS = {
    "help": HELP,
    "thanks": THANKS,
    "thank you": THANKS,
    "examples": f"`run NAME` runs one: {', '.join(examples())}.\nA small search: {SMALL}",
}


def usage(name: str) -> str:
    """The lines of the help about a command; empty if it is none."""
    found = ""
    for line in HELP.splitlines():
        own = line.removeprefix("/").split(" ", 1)[0] == name or (found and line.startswith(" "))
        if found and not own:
            break
        found += f"{line}\n" if own else ""
    return found.rstrip()


def read_command(line: str) -> Action | None:
    """The command that `line` is, with or without a slash before it; None if it is none."""
    line = line.strip()
    words = line.removeprefix("/").split()
    if not words:
        return None
    whole = " ".join(words).lower().rstrip(".!?")
    if whole in SAYS:
        return Say(text=SAYS[whole])
    if whole in ("never mind", "nevermind"):
        return Steer(what="later", runs=[])
    name, rest = words[0].lower(), words[1:]
    if not rest:
        name = name.rstrip(".!?")
    reader = READERS.get(name)
    return reader(rest, line) if reader is not None else None


def _runs(words: list[str], most: int) -> bool:
    """Whether every word may name a run."""
    return len(words) <= most and all(is_run(word) for word in words)


def is_run(word: str) -> bool:
    """Whether a word has the form of a run's name: it begins with a digit, is `#2`, or `latest`."""
    return word == "latest" or word[:1].isdigit() or (word[:1] == "#" and word[1:].isdigit())


def _shown(name: str) -> Callable[[list[str], str], Action | None]:
    what, most = _SHOWS[name]
    return lambda words, _line: Show(what=what, runs=words, stage=0) if _runs(words, most) else None


def _why(words: list[str], line: str) -> Action | None:
    stage = int(words.pop()) if words and words[-1].isdigit() and len(words[-1]) < 4 else 0
    return Show(what="why", runs=words, stage=stage) if _runs(words, 1) else None


def _steered(what: Literal["stop", "resume"]) -> Callable[[list[str], str], Action | None]:
    return lambda words, _line: Steer(what=what, runs=words) if _runs(words, 20) else None


def _again(words: list[str], line: str) -> Action | None:
    head, changes = _with(line)
    named = head.split()[1:]
    if changes is None or not _runs(named, 1):
        return None
    return Again(run=(named or [""])[0], changes=changes, words="")


def _run(words: list[str], line: str) -> Action | None:
    head, changes = _with(line)
    head, using, source = head.partition(" using ")
    named = head.split()[1:]
    file = " ".join(named)
    if changes is None or (using and not is_run(source.strip())) or (len(named) > 1 and not line.startswith("/")):
        return None
    if not file.endswith(SUFFIXES) and example_named(file) is None:
        return None  # `run ramsey Q1` is an order in the short form
    return RunFile(file=file, changes=changes, uses=[f"run:{source.strip()}"] if using else [])


def _remember(words: list[str], line: str) -> Action | None:
    if not words or not line.startswith("/"):
        return None
    text = " ".join(words)
    if words[0] in ("device", "toolset") and len(words) == 2:
        return Remember(about="device" if words[0] == "device" else "toolset", text=text, value=words[1])
    return Remember(about="preference", text=text[:1000], value="")


def _with(line: str) -> tuple[str, list[str] | None]:
    """What stands before ``with``, and the changes after it; None for changes that are no PATH = VALUE."""
    head, given, rest = " ".join(line.split()).removeprefix("/").partition(" with ")
    changes = _separated(rest) if given else []
    return head, changes if not changes or read_patches("\n".join(changes)) is not None else None


def _separated(text: str) -> list[str]:
    """``a = 1, b = [2, 3]`` at those commas that no bracket holds."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "[{(") - (letter in "]})")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


READERS: dict[str, Callable[[list[str], str], Action | None]] = {
    **{name: _shown(name) for name in _SHOWS},
    "why": _why,
    "stop": _steered("stop"),
    "pause": _steered("stop"),
    "resume": _steered("resume"),
    "again": _again,
    "run": _run,
    "remember": _remember,
}
