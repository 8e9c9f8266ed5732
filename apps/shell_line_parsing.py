"""Commands that start a system, read by the shell's own parser without starting it: for conversations and the queue."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from labwright.apps.design_protocol import SUFFIXES
from labwright.apps.exits import reading_jobs
from labwright.apps.request_text import LONGEST_NAME
from labwright.graphs.registry import NAMES, SYSTEMS
from labwright.tools.errors import InputError

if TYPE_CHECKING:
    import typer

    from labwright.graphs.front_desk.permissions import Terms
    from labwright.graphs.specification_runs import Job

PROGRAM = "labwright"
VERBS = (*(SYSTEMS[name].verb for name in NAMES), "demo", "run")  # commands that start a system
TEXTS = {"calibrate": "request", "design": "request", "forge": "question", "search": "request"}  # argument of words
WAITS = {"out_dir": "--out", "json_file": "--json"}  # what only a command that waits for its run can write
OF_OPERATOR = {  # parameter -> option, of what only whoever starts a server grants
    "device": "--device", "device_option": "--device-option", "device_folder": "--device-folder", "lab": "--lab",
    "toolset": "--toolset", "inputs": "--input", "papers": "--papers", "papers_from": "--papers-from",
    "allow_weak_sandbox": "--allow-weak-sandbox",
}  # fmt: skip
USAGE = "`{0}` is not read: {1}. `{0} --help` shows what it takes."
CHOICES = {"model": "mind", "approve": "approval", "device_option": "device_options"}  # option -> choice of a run


@dataclass(frozen=True, slots=True)
class ShellLine:
    """What a line starts.

    Attributes:
        jobs: the runs, one for each seed of a search.
        named: the choices that the line itself names; the others are the conversation's.
        free: its text is words that only a model reads: no file, no document, not the short form.
        options: the parameters that the line gives.
    """

    jobs: list[Job]
    named: list[str]
    free: bool
    options: frozenset[str] = frozenset()


def verb_and_rest(line: str) -> tuple[str, str]:
    """The command that a line begins with, and what follows; of a file alone `run`; ("", "") if it is neither."""
    text = line.strip().removeprefix("/").removeprefix(f"{PROGRAM} ").strip()
    verb, _, rest = text.partition(" ")
    if "\n" in text or verb not in VERBS:
        return ("run", shlex.quote(text)) if _is_file(text) and Path(text).is_file() else ("", "")
    return verb, rest.strip()


def is_bare(line: str) -> bool:
    """Whether a line has no sign of the shell but its first word, so that it may be a sentence as well."""
    rest = verb_and_rest(line)[1]
    return not (
        line.startswith(("/", PROGRAM))
        or rest[:1] in ("'", '"')
        or "--" in rest
        or (" " not in rest and _is_file(rest))
    )


def read_line(line: str, terms: Terms) -> ShellLine:
    """The runs that a line of the shell asks for, where `verb_and_rest` finds a command; nothing is started.

    Raises:
        InputError: the shell would refuse it, in the shell's words.
    """
    verb, rest = verb_and_rest(line)
    try:
        arguments = shlex.split(rest)
    except ValueError as fault:
        raise InputError(USAGE.format(verb, fault)) from fault
    jobs, given, text = jobs_of(verb, arguments)
    return ShellLine(jobs, _named(verb, given), bool(text) and _free(text, verb, terms), frozenset(given))


def granted_by(line: ShellLine) -> str:
    """The options of a line that let a run read files or use code of the machine, or confine it less; empty if none."""
    return ", ".join(f"`{option}`" for name, option in OF_OPERATOR.items() if name in line.options)


def jobs_of(verb: str, arguments: list[str]) -> tuple[list[Job], set[str], str]:
    """(the runs that a command would start, the parameters that its arguments name, its text).

    Raises:
        InputError: the shell would refuse it, in the shell's words.
    """
    import typer

    from labwright.apps.cli import command as command_of

    command = command_of(verb)
    if "--help" in arguments:
        command.rich_markup_mode = None  # plain text, returned instead of printed
        raise InputError(command.get_help(command.context_class(command, info_name=verb)))
    try:
        context = command.make_context(verb, arguments)
    except Exception as wrong:
        if not isinstance(wrong, typer.BadParameter.__mro__[1]):  # typer's UsageError, which it does not export
            raise
        raise InputError(USAGE.format(verb, cast("Any", wrong).format_message().rstrip("."))) from wrong
    context.params["quiet"] = True
    given = {name for name in context.params if _typed(context, name)}
    if there := [option for name, option in WAITS.items() if name in given]:
        raise InputError(
            f"{' and '.join(there)} cannot be given here: nothing waits for the run. Its folder has it all."
        )
    with reading_jobs() as jobs, context:
        context.invoke(cast("Any", command.callback), **context.params)
    return jobs, given, str(context.params.get(TEXTS.get(verb, ""), ""))


def _typed(context: typer.Context, name: str) -> bool:
    source: Any = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _named(verb: str, given: set[str]) -> list[str]:
    named = {CHOICES.get(name, name) for name in given}
    named |= {"seed"} if verb in ("run", "search", "demo") else set()  # the document's, or the search's own
    named |= {"device", "device_options", "device_folder", "seed", "lab"} if "maintain" in given else set()
    named |= {"device_options", "device_folder"} if "device" in given else set()  # another device has its own
    named |= {"device", "device_options", "device_folder", "lab", "approval", "answers"} if verb == "demo" else set()
    return sorted(named)


def _free(text: str, verb: str, terms: Terms) -> bool:
    from labwright.graphs.front_desk.message_reading import in_short_form
    from labwright.tools.specifications.yaml_files import is_document

    return not (_is_file(text) or is_document(text) or (verb == "calibrate" and in_short_form(text, terms)))


def _is_file(text: str) -> bool:
    """Whether it names a file that is there, or has the form of one."""
    return len(text.encode()) < LONGEST_NAME and (Path(text).is_file() or text.endswith(SUFFIXES))
