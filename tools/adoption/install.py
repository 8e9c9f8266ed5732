"""An accepted measurement goes into a lab folder, and is tried there once."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from labwright.tools.adoption.card import AdoptionCard, source_of
from labwright.tools.adoption.experiment import CARD
from labwright.tools.atomic_files import write_atomic
from labwright.tools.errors import InputError
from labwright.tools.experiments.call import ExperimentCall
from labwright.tools.experiments.conformance import broken_data_promises, broken_promises, broken_report_promises
from labwright.tools.experiments.perform import perform
from labwright.tools.experiments.registry import card as card_of
from labwright.tools.experiments.registry import experiments
from labwright.tools.limits.guard import Terms, guarded
from labwright.tools.limits.limits_document import Law
from labwright.tools.qpu.opening import open_device
from labwright.tools.specifications.yaml_files import read_document, to_yaml

MODULE = '''"""{summary} Adopted from {file}."""

from labwright.tools.adoption import adopt

{object} = adopt(__file__, __name__)
'''


def install(where: Path, card: AdoptionCard, lab: Path, laws: tuple[Law, ...], device: str) -> str:
    """Write code, card and module into `lab`, and run it once: what the trial said.

    Args:
        where: file of the card, beside the code unless the card names a path.
        card: as it was read from there.
        lab: folder of the lab.
        laws: limits that hold in the trial.
        device: for the trial.

    Raises:
        InputError: the code is another one than was described, failed, or breaks the contract; nothing is left.
    """
    content = source_of(card, where.parent)
    module, kept = lab / f"{card.name}.py", lab / f"_{card.name}_source.py"
    described = read_document(where.read_text(encoding="utf-8")).data | {"file": kept.name}
    lab.mkdir(parents=True, exist_ok=True)
    written = {
        kept: content,
        module.with_suffix(CARD): to_yaml(described).encode(),
        module: MODULE.format(summary=card.summary, file=card.file, object=card.object).encode(),
    }
    try:
        for target, text in written.items():
            write_atomic(target, text)
        return tried(lab, card.name, laws, device)
    except Exception:
        for target in written:
            target.unlink(missing_ok=True)
        raise


def tried(lab: Path, name: str, laws: tuple[Law, ...], device: str) -> str:
    """One run with its defaults, and whether the experiment keeps what every experiment promises.

    Raises:
        InputError: it does not, or it gives nothing.
    """
    kind = experiments(lab)[name]
    broken = broken_promises(kind, lab)
    arguments: dict[str, Any] = {each.name: each.maximum for each in card_of(kind).parameters if each.required}
    with tempfile.TemporaryDirectory() as folder:
        terms = Terms.of_a_person(laws)
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
