"""The cases of a task about chains: which symbols vary, the Hamiltonian or the period of each, and their labels."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.language.assignments import assignments, resolved
from labwright.agents.tool_forging.readers.language.deliverables import label_values
from labwright.agents.tool_forging.readers.language.scalars import key
from labwright.agents.tool_forging.readers.language.tally import Watched
from labwright.agents.tool_forging.readers.spin_chain.chain import Chain
from labwright.agents.tool_forging.readers.spin_chain.models import named_layers, named_model
from labwright.agents.tool_forging.readers.spin_chain.patterns import exponents, hamiltonian, interaction
from labwright.agents.tool_forging.readers.spin_chain.told_model import told_model
from labwright.tools.forge.families.spin_chain.spec import Case, Pattern


def kicked(chain: Chain) -> bool:
    return (
        bool(re.search(r"\bkick\w*|\bFloquet\b", chain.text, re.I))
        or len(re.findall(r"\bexp\(\s*-\s*[ij]\b", chain.text)) > 1
    )


def swept(chain: Chain) -> list[dict[str, float]] | Question:
    """Values of what varies, case by case: together where each is set as often as the others, else as a product."""
    skip = {"t", "T", "N", "L", "n", "seed", "dt", "i"}
    if not kicked(chain):
        skip.add("T")
    for match in re.finditer(r"\bfrom\s+(\w+)\s*=\s*[^.;]{1,40}?\bto\s+\1\s*=", chain.text):
        name = key(match[1])
        if len(chain.values.get(name, [])) == 2:
            before, after = chain.values[name]
            chain.values[name] = [after]
            chain.assumed.append(
                f"The quench takes {name} from {before:g} to {after:g}: the chain evolves with the "
                f"latter from the state that is named."
            )
    many = {name: found for name, found in chain.values.items() if len(found) > 1 and name not in skip}
    if not many:
        return [{}]
    if len(many) == 1:
        name, found = next(iter(many.items()))
        return [{name: value} for value in found]
    counts = {len(found) for found in many.values()}
    listed = {one.key for one in chain.found if len(one.numbers.items) > 1}
    if len(counts) == 1 and not listed & many.keys():
        return [dict(zip(many, values, strict=True)) for values in zip(*many.values(), strict=True)]
    if re.search(r"\b(?:each|every|all) (?:combination|pair)|\bfor (?:each|every|both)\b", chain.text, re.I):
        return [dict(zip(many, values, strict=True)) for values in product(*many.values())]
    return Question(text=f"Several quantities have several values: {', '.join(many)}. Which combinations are meant?")


def cases_of(chain: Chain) -> list[Case] | Question | Unread:
    varied = swept(chain)
    if isinstance(varied, Question):
        return varied
    made = []
    for number, chosen in enumerate(varied):
        names = Watched({name: found[0] for name, found in chain.values.items()} | chosen)
        layers: list[list[Pattern]] | None = None
        terms: list[Pattern] = []
        if kicked(chain):
            layers = exponents(chain.text, names)
            if layers is None:
                spoken = named_layers(chain.text, names)
                if isinstance(spoken, Question | Unread):
                    return spoken
                layers, said = spoken
                chain.assumed += said
        else:
            made_of = _continuous(chain, names)
            if isinstance(made_of, Question | Unread):
                return made_of
            terms, said = made_of
            chain.assumed += said
        chain.seen |= names.seen
        made.append(Case(labels=labels(chain, chosen, names, number, len(varied)), patterns=terms, layers=layers or []))
    return made


def _continuous(chain: Chain, names: Watched) -> tuple[list[Pattern], list[str]] | Question | Unread:
    """The Hamiltonian as a formula, told term by term, as an interaction, or by its name; and what was settled."""
    written = hamiltonian(chain.text, names)
    if written is not None:
        return written, []
    told = told_model(chain.text, names)
    if told is not None:
        return told
    written = interaction(chain.text, names)
    return (written, []) if written is not None else named_model(chain.text, names, chain.unit_name)


def labels(chain: Chain, chosen: dict[str, float], names: dict[str, float], number: int, of: int) -> dict[str, Any]:
    """How the results tell a case from the others: by the label whose values the section of results describes."""
    wanted = [label for one in chain.body.wanted for label in one.labels]
    for label in dict.fromkeys(wanted):
        for value in label_values(chain.body.wanted, label):
            if value.note and fits(chain, value.note, names):
                return {label: value.value}
    free = [label for label in dict.fromkeys(wanted) if label not in {"axis", "cut", "observable", "initial", "site"}]
    if of == 1:
        return {}
    found: dict[str, Any] = {}
    for name, number_here in chosen.items():
        same = next((label for label in free if key(label) == name), None)
        if free and same is None and len(chosen) > 1:
            continue  # the section names the one that tells cases apart
        found[same or (free[0] if len(free) == 1 and len(chosen) == 1 else name)] = number_here
    if free and not found:
        called = label_values(chain.body.wanted, free[0])
        found[free[0]] = called[number].value if len(called) == of else number + 1
    return found


def fits(chain: Chain, note: str, names: dict[str, float]) -> bool:
    """Whether a note such as ``for K = 3`` holds for these values."""
    inside = resolved(assignments(note), {chain.unit_name: 1.0} if chain.unit_name else None)
    return bool(inside) and all(
        name in names and abs(names[name] - values[0]) < 1e-9 for name, values in inside.items()
    )
