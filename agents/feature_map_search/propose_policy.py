"""The rules mind's ideas. A first thin version: graded maps whose scale moves with the trial."""

from __future__ import annotations

from labwright.agents.feature_map_search.ideas import Idea, ProposeIn, ProposeOut
from labwright.tools.feature_maps.recipe import Recipe


def propose_by_rules(given: ProposeIn) -> ProposeOut:
    """As many graded maps as asked for, none like another."""
    count = max(given.n_ideas, len(given.persons_ideas))
    return ProposeOut(ideas=[_idea(given, place) for place in range(count)])


def _idea(given: ProposeIn, place: int) -> Idea:
    number = (given.trial - 1) * given.n_ideas + place
    recipe = Recipe(
        start="zero",
        axes=["RY", "RZ"] if place % 2 else ["RY"],
        scale=1.5 + 0.25 * (number % 12),
        decay=0.35 + 0.05 * (number % 3),
        centre=0.5,
        offset=0.0,
        entangler="CZ" if place % 2 else "CNOT",
        entangler_angle=0.0,
        pattern="ring",
        every=1,
        repeats=1,
        mixing=0.0,
    )
    said = (
        f"Each block of {given.task.n_qubits} components turns one qubit a component about {' and '.join(recipe.axes)},"
        f" by {recipe.scale:g} rad in the first block and by a factor {recipe.decay:g} less in every further one,"
        f" and a ring of {recipe.entangler} gates joins the qubits between the blocks."
    )
    wish = f" A person's idea: {given.persons_ideas[place]}" if place < len(given.persons_ideas) else ""
    why = " Components of little variance then turn the state by little, so that noise does not drown the classes."
    return Idea(
        name=f"GradedMap{given.trial}Number{place + 1}",
        explanation=said + why + wish,
        formula=rf"U(x) = \prod_b E \prod_q R_b({recipe.scale:g} \cdot {recipe.decay:g}^b x_{{bn+q}})",
        summary=" ".join([said + why] * 2),
        key_sentences=[said],
        recipe=recipe,
    )
