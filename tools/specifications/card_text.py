"""Cards as text for a reader: one line each, or compact with parameters, causes and what is written."""

from __future__ import annotations

from labwright.tools.experiments.call import PROCEDURE, ExperimentCard, ParameterCard
from labwright.tools.specifications.catalogue import listed, roles, spoken
from labwright.tools.specifications.values import shown

LONGEST_USE = 420  # characters of what an experiment is for


def one_line(card: ExperimentCard) -> str:
    """``ramsey(qubit): measures the qubit frequency to a few kHz and corrects the drive frequency.``"""
    if card.name.startswith(f"{PROCEDURE}:"):
        return f"procedure {spoken(card.name)}({', '.join(roles(card))}): {card.summary.partition(': ')[2]}"
    _, colon, text = card.summary.partition(":")
    return f"{card.name}({', '.join(roles(card))}): {(text if colon else card.summary).strip()}"


def compact(card: ExperimentCard) -> str:
    """What a translation needs of a card, in about a thousand characters."""
    lines = [f"{card.name.replace(':', ' ')}({', '.join(roles(card))})", f"  {card.summary}"]
    use = " ".join(card.docstring.partition("\n")[2].partition("Asked for as:")[0].split())
    lines += [f"  {use[:LONGEST_USE].rpartition('.')[0] or use[:LONGEST_USE]}."] if use else []
    lines += [f"  - {_parameter(each)}" for each in card.parameters if each.name not in roles(card)]
    lines += [f"  results: {listed(_with_unit(*each) for each in card.results.items())}"] if card.results else []
    lines += [f"  causes: {listed(card.causes)}"] if card.causes else []
    lines += [f"  writes: {listed(card.writes)}"] if card.writes else []
    return "\n".join(lines)


def _with_unit(name: str, unit: str) -> str:
    return f"{name} ({unit})" if unit else name


def _parameter(each: ParameterCard) -> str:
    bounds = f" [{each.minimum:g}..{each.maximum:g}]" if each.minimum is not None and each.maximum is not None else ""
    default = "" if each.required else f" = {_default(each)}"
    text = each.description.partition(" Default")[0].rstrip(".")
    return f"{each.name}{default}{f' {each.unit}' if each.required and each.unit else ''}{bounds}: {text}"


def _default(each: ParameterCard) -> str:
    if isinstance(each.default, int | float) and not isinstance(each.default, bool):
        return shown(each.default, each.unit)
    return str(each.default)
