"""Accuracy of the sealed chemistry tasks, against references of our own PySCF script."""

from __future__ import annotations

from labwright.evaluation.forge.accuracy.molecules import excited_criteria, properties, reaction, reaction_criteria
from labwright.evaluation.forge.criteria import Criterion, Seen, check
from labwright.evaluation.forge.figures import bars_hold
from labwright.evaluation.forge.records import number
from labwright.evaluation.forge.workspace import Workspace


def hydrogenation(workspace: Workspace) -> list[Criterion]:
    """Ethylene and hydrogen to ethane, at two temperatures."""
    label = ("ethylene + hydrogen -> ethane", "hydrogenation")
    before, after = ["ethylene", "hydrogen"], ["ethane"]

    def drawn() -> Seen:
        wanted = {
            f"{quantity}, {at:g} K": number(workspace, quantity, reaction=label, temperature=at)
            for quantity in ("reaction_enthalpy", "reaction_gibbs")
            for at in (298.15, 500.0)
        }
        return bars_hold(workspace, wanted)

    def rises() -> Seen:
        low, high = (number(workspace, "reaction_gibbs", reaction=label, temperature=at) for at in (298.15, 500.0))
        true = reaction(before, after, "gibbs", "500") - reaction(before, after, "gibbs")
        return abs(high - low - true) < 1.0, f"by {high - low:.2f} kcal/mol, reference {true:.2f}"

    return [
        *(one for at in (298.15, 500.0) for one in reaction_criteria(workspace, label, before, after, temperature=at)),
        check("I1", "free energy rises from 298.15 to 500 K as it must", rises),
        check("F1", "bars of the reaction's numbers", drawn),
    ]


def thioformaldehyde(workspace: Workspace) -> list[Criterion]:
    """Ground state by B3LYP, excited states by two functionals."""
    name = "thioformaldehyde"

    def drawn() -> Seen:
        wanted = {
            f"{functional} {state}": number(
                workspace, "excitation_energy", molecule=name, functional=functional, state=state
            )
            for functional in ("B3LYP", "PBE0")
            for state in ("S1", "T1")
        }
        return bars_hold(workspace, wanted)

    return [
        *properties(workspace, {name: name}),
        *(one for f in ("B3LYP", "PBE0") for one in excited_criteria(workspace, name, [name], f, functional=f)),
        check("F1", "bars of S1 and T1 for both functionals", drawn),
    ]
