"""``labwright adopt``: a measurement written for another framework is read, described, accepted, and tried."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from labwright.apps.exits import endings
from labwright.apps.terminal_output import err, escape, out
from labwright.tools.errors import InputError
from labwright.tools.runs import write_atomic

if TYPE_CHECKING:
    from labwright.tools.adoption.card import AdoptionCard
    from labwright.tools.adoption.source_reading import Foreign


def adopt(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A Python module, or a folder of them.")],
    name: Annotated[str, typer.Option("--object", help="Function or class in it; all are listed if left out.")] = "",
    card: Annotated[Path | None, typer.Option(help="The filled card.")] = None,
    lab: Annotated[Path | None, typer.Option(help="Lab folder that the experiment goes into.")] = None,
    accept: Annotated[str, typer.Option(help="Without a terminal: the first 12 characters of the file's hash.")] = "",
    model: Annotated[str, typer.Option(help="Who fills in the card, such as openai:gpt-4.1; a person if empty.")] = "",
    notes: Annotated[Path | None, typer.Option(help="What its owners say of it, for the model: a text file.")] = None,
    device: Annotated[str, typer.Option(help="On which it is tried once.")] = "simulated",
) -> None:
    """Adopt a measurement of another framework: read without running, fill in its card, accept, try it once."""
    with endings():
        from labwright.tools.adoption.source_reading import foreign_in

        files = sorted(path.glob("*.py")) if path.is_dir() else [path]
        if not files:
            raise InputError(f"There is no Python module in {path}.")
        found = [(file, each) for file in files for each in foreign_in(file)]
        chosen = [(file, each) for file, each in found if each.name == name]
        if not name:
            for file, each in found:
                out().print(escape(_line(file, each)), soft_wrap=True)
            return
        if len(chosen) != 1:
            there = ", ".join(each.name for _, each in found) or "nothing that could measure"
            raise InputError(f"{name!r} is {'there twice' if chosen else 'not there'} in {path}. There is: {there}.")
        file, foreign = chosen[0]
        if card is None:
            _draft(file, foreign, lab or Path(), model, notes)
            return
        if lab is None:
            raise InputError("Name the lab folder with --lab; `labwright new-lab FOLDER` writes one.")
        _adopt(file, foreign, card, lab.expanduser(), accept, device)


def _line(file: Path, each: Foreign) -> str:
    return f"{file}:{each.line}  {each.name}  ({each.style}; parameters: {', '.join(each.parameters) or 'none'})"


def _draft(file: Path, foreign: Foreign, folder: Path, model: str, notes: Path | None) -> None:
    """Write the card as far as it is known."""
    from labwright.tools.adoption.source_reading import draft, drafted

    target = folder / f"{draft(file, foreign)['name']}.card.yaml"
    if target.exists():
        raise InputError(f"{target} is there already. Give it with --card, or remove it.")
    text = drafted(file, foreign)
    if model:
        text = _filled(
            file.read_text(encoding="utf-8"), text, notes.read_text(encoding="utf-8") if notes else "", model
        )
    folder.mkdir(parents=True, exist_ok=True)
    write_atomic(target, text.encode())
    out().print(escape(str(target)), soft_wrap=True)
    says = "look it through" if model else "put a value where it has ?"
    lab = escape(str(folder if folder != Path() else "LAB"))
    then = f"labwright adopt {escape(str(file))} --object {foreign.name} --card {escape(str(target))} --lab {lab}"
    out().print(f"{says}, then: {then}", soft_wrap=True)


def _filled(source: str, draft: str, notes: str, model: str) -> str:
    """The card as a model fills it in."""
    from labwright.agents.backend_selection import make_mind
    from labwright.agents.lab_calibration.adopt_card import ADOPT, AdoptIn
    from labwright.agents.typed_call import Question, Refusal

    answer = make_mind(model).answer(ADOPT, AdoptIn(source=source, notes=notes, draft=draft))
    if isinstance(answer, Question):
        raise InputError(f"The model asks: {answer.text} Fill in the card yourself, or say it with --notes.")
    if isinstance(answer, Refusal):
        raise InputError(f"The model refuses: {answer.reason}")
    err().print(escape(answer.reason), soft_wrap=True)
    return answer.card


def _adopt(file: Path, foreign: Foreign, where: Path, lab: Path, accept: str, device: str) -> None:
    """Show what would run, have it accepted, write it into the lab folder, hold it to the contract and try it."""
    from labwright.agents.settings import Settings
    from labwright.tools.adoption.card import read_card
    from labwright.tools.adoption.install import install
    from labwright.tools.limits.files import found

    card = read_card(where.read_text(encoding="utf-8"), where.name)
    if card.open():
        raise InputError(f"{where} is not filled in: {', '.join(card.open())}.")
    if card.object != foreign.name or card.file != file.name:
        raise InputError(f"{where} is the card of {card.object!r} in {card.file!r}, not of {foreign.name!r}.")
    if (module := lab / f"{card.name}.py").exists():
        raise InputError(f"{module} is there already. Remove it to adopt the measurement again.")
    out().print(escape(shown(card, foreign)), soft_wrap=True)
    _accepted(card, accept)
    said = install(where, card, lab, found(Settings().limits, str(lab), device), device)
    out().print(escape(said), soft_wrap=True)
    out().print(f'use it:   labwright calibrate "{card.name} Q1" --lab {escape(str(lab))}', soft_wrap=True)


def shown(card: AdoptionCard, foreign: Foreign) -> str:
    """What a person accepts."""
    asked = [
        f"  {name}: {each.smallest:g} to {each.largest:g} {each.unit}".rstrip()
        for name, each in card.given.items()
        if each.is_ in ("number", "count")
    ]
    given = [f"  {name}: {each.value if each.is_ == 'fixed' else each.is_}" for name, each in card.given.items()
             if each.is_ not in ("number", "count")]  # fmt: skip
    knobs = [f"  knob {n}: {k.smallest:g} to {k.largest:g} {k.unit}" for n, k in card.knobs.items()]
    results = [f"  {n}: {f.smallest:g} to {f.largest:g} {f.unit} from {f.from_}" for n, f in card.results.items()]
    reaches = f"It reaches beyond itself by: {', '.join(foreign.reaches)}." if foreign.reaches else ""
    return "\n".join(
        [
            f"{card.name}: {card.summary}",
            f"code: {card.file}, {card.object} (line {foreign.line}), sha256 {card.sha256[:12]}",
            *(["chosen by whoever runs it:", *asked] if asked else []),
            *(["given:", *given, *knobs] if given or knobs else []),
            "results:",
            *results,
            *([reaches] if reaches else []),
            "It will run inside of Labwright with your rights, and it writes no setting.",
        ]
    )


def _accepted(card: AdoptionCard, accept: str) -> None:
    """A person's yes, at the terminal or by the hash.

    Raises:
        InputError: none.
    """
    if accept:
        if len(accept) < 12 or not card.sha256.startswith(accept):
            raise InputError(f"--accept {accept!r} is not the hash of this file ({card.sha256[:12]}).")
        return
    if not sys.stdin.isatty():
        raise InputError(f"Nobody can accept it here. If you have read the code, add: --accept {card.sha256[:12]}")
    if typer.prompt("Have you read the code, and may it run? yes/no", default="no") != "yes":
        raise InputError("It was not accepted; nothing was written.")
