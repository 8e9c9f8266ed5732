"""``labwright adopt``: a measurement written for another framework is read, described, accepted, and tried."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from labwright.apps.exits import endings
from labwright.apps.screen import err, escape, out
from labwright.tools.errors import InputError
from labwright.tools.runs import write_atomic

if TYPE_CHECKING:
    from labwright.tools.adoption.card import AdoptionCard
    from labwright.tools.adoption.reading import Foreign

MODULE = '''"""{summary} Adopted from {file}."""

from labwright.tools.adoption import adopt

{object} = adopt(__file__, __name__)
'''


def adopt(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A Python module, or a folder of them.")],
    name: Annotated[str, typer.Option("--object", help="Function or class in it; all are listed if left out.")] = "",
    card: Annotated[Path | None, typer.Option(help="The filled card.")] = None,
    lab: Annotated[Path | None, typer.Option(help="Lab folder that the experiment goes into.")] = None,
    accept: Annotated[str, typer.Option(help="Without a terminal: the first 12 characters of the file's hash.")] = "",
    model: Annotated[str, typer.Option(help="Who fills in the card, such as openai:gpt-4.1; a person if empty.")] = "",
    device: Annotated[str, typer.Option(help="On which it is tried once.")] = "simulated",
) -> None:
    """Adopt a measurement of another framework: read without running, fill in its card, accept, try it once."""
    with endings():
        from labwright.tools.adoption.reading import foreign_in

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
            _draft(file, foreign, lab or Path(), model)
            return
        if lab is None:
            raise InputError("Name the lab folder with --lab; `labwright new-lab FOLDER` writes one.")
        _adopt(file, foreign, card, lab.expanduser(), accept, device)


def _line(file: Path, each: Foreign) -> str:
    return f"{file}:{each.line}  {each.name}  ({each.style}; parameters: {', '.join(each.parameters) or 'none'})"


def _draft(file: Path, foreign: Foreign, folder: Path, model: str) -> None:
    """Write the card as far as it is known."""
    from labwright.tools.adoption.reading import draft
    from labwright.tools.specifications.reading import to_yaml

    plain = draft(file, foreign)
    target = folder / f"{plain['name']}.card.yaml"
    if target.exists():
        raise InputError(f"{target} is there already. Give it with --card, or remove it.")
    notes = [f"# {foreign.style}; what the code returns or stores: {', '.join(foreign.leaves) or 'nothing seen'}"]
    text = "\n".join(notes) + "\n" + to_yaml(plain)
    if model:
        text = _filled(file.read_text(encoding="utf-8"), text, model)
    folder.mkdir(parents=True, exist_ok=True)
    write_atomic(target, text.encode())
    out().print(escape(str(target)), soft_wrap=True)
    says = "look it through" if model else "put a value where it has ?"
    lab = escape(str(folder if folder != Path() else "LAB"))
    then = f"labwright adopt {escape(str(file))} --object {foreign.name} --card {escape(str(target))} --lab {lab}"
    out().print(f"{says}, then: {then}", soft_wrap=True)


def _filled(source: str, draft: str, model: str) -> str:
    """The card as a model fills it in."""
    import json

    from labwright.agents.call import Question, Refusal
    from labwright.agents.lab_calibration.adopt_card import ADOPT, AdoptIn
    from labwright.agents.models import make_mind
    from labwright.tools.adoption.card import AdoptionCard

    form = json.dumps(AdoptionCard.model_json_schema(by_alias=True), ensure_ascii=False)
    answer = make_mind(model).answer(ADOPT, AdoptIn(source=source, draft=draft, form=form))
    if isinstance(answer, Question):
        raise InputError(f"The model asks: {answer.text} Fill in the card yourself, or say it in the code's docstring.")
    if isinstance(answer, Refusal):
        raise InputError(f"The model refuses: {answer.reason}")
    err().print(escape(answer.reason), soft_wrap=True)
    return answer.card


def _adopt(file: Path, foreign: Foreign, where: Path, lab: Path, accept: str, device: str) -> None:
    """Show what would run, have it accepted, write it into the lab folder, hold it to the contract and try it."""
    from labwright.tools.adoption.card import read_card, source_of
    from labwright.tools.adoption.experiment import CARD

    card = read_card(where.read_text(encoding="utf-8"), where.name)
    if card.open():
        raise InputError(f"{where} is not filled in: {', '.join(card.open())}.")
    if card.object != foreign.name or card.file != file.name:
        raise InputError(f"{where} is the card of {card.object!r} in {card.file!r}, not of {foreign.name!r}.")
    content = source_of(card, file.parent)
    module = lab / f"{card.name}.py"
    kept = lab / f"_{card.name}_source.py"
    if module.exists():
        raise InputError(f"{module} is there already. Remove it to adopt the measurement again.")
    out().print(escape(shown(card, foreign)), soft_wrap=True)
    _accepted(card, accept)
    lab.mkdir(parents=True, exist_ok=True)
    written = {
        kept: content,
        module.with_suffix(CARD): _as_kept(where, card, kept.name).encode(),
        module: MODULE.format(summary=card.summary, file=card.file, object=card.object).encode(),
    }
    try:
        for target, text in written.items():
            write_atomic(target, text)
        said = tried(lab, card.name, device)
    except Exception:
        for target in written:
            target.unlink(missing_ok=True)
        raise
    out().print(escape(said), soft_wrap=True)
    out().print(f'use it:   labwright calibrate "{card.name} Q1" --lab {escape(str(lab))}', soft_wrap=True)


def _as_kept(where: Path, card: AdoptionCard, name: str) -> str:
    from labwright.tools.specifications.reading import read_document, to_yaml

    return to_yaml(read_document(where.read_text(encoding="utf-8")).data | {"file": name})


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


def tried(lab: Path, name: str, device: str) -> str:
    """One run with its defaults, and whether the experiment keeps what every experiment promises.

    Raises:
        InputError: it does not, or it gives nothing.
    """
    import tempfile

    from labwright.agents.settings import Settings
    from labwright.tools.experiments.call import ExperimentCall
    from labwright.tools.experiments.contract import broken_data_promises, broken_promises, broken_report_promises
    from labwright.tools.experiments.perform import perform
    from labwright.tools.experiments.registry import card as card_of
    from labwright.tools.experiments.registry import experiments
    from labwright.tools.limits.files import found
    from labwright.tools.limits.guard import Terms, guarded
    from labwright.tools.qpu.opening import open_device

    kind = experiments(lab)[name]
    broken = broken_promises(kind, lab)
    arguments: dict[str, Any] = {each.name: each.maximum for each in card_of(kind).parameters if each.required}
    with tempfile.TemporaryDirectory() as folder:
        terms = Terms.of_a_person(found(Settings().limits, str(lab), device))
        opened = guarded(open_device(device, Path(folder), 0, {}), terms, Path(folder), Path(folder) / "driven.run")
        try:
            done = perform(kind, ExperimentCall(name, arguments | {"qubit": opened.qubits[0]}), opened, "trial")
        finally:
            opened.close()
    broken += broken_report_promises(kind, done.report) + broken_data_promises(done.experiment)
    if broken:
        raise InputError("It does not keep what every experiment promises:\n" + "\n".join(broken))
    if done.report.cause == "foreign_code_failed":
        raise InputError(f"The code failed when it was tried: {done.report.analysis}")
    return f"tried once: {done.report.verdict}: {done.report.analysis}"
