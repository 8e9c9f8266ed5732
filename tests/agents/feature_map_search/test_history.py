"""What of the maps that were tried a prompt gets."""

from __future__ import annotations

import ast

from labwright.agents.feature_map_search.history import in_short, without_comments
from labwright.agents.feature_map_search.ideas import Tried
from labwright.tools.feature_maps.template import TEMPLATE

BARE = '''
class Map:
    """Words."""

    def nothing(self):
        """Only words."""

    def feature_map(self, x):
        """Words."""
        text = "#"  # words
        return text
'''


def tried(trial: int, selection: float) -> Tried:
    said = {"summary": f"summary {trial}", "formula": f"f_{trial}", "code": TEMPLATE}
    return Tried(trial=trial, name=f"M{trial}", outcome="evaluated", selection=selection, **said)


def test_code_stays_the_same_program_without_its_words() -> None:
    bare = without_comments(BARE)
    assert "ords" not in bare
    assert "pass" in bare
    assert "text = '#'" in bare
    assert ast.dump(ast.parse(without_comments(bare))) == ast.dump(ast.parse(bare))


def test_the_best_three_keep_formula_and_code_and_the_last_trial_its_words() -> None:
    shown = in_short([tried(trial, selection) for trial, selection in enumerate((0.9, 0.5, 0.8, 0.7, 0.6), 1)])
    assert [bool(one.code) for one in shown] == [True, False, True, True, False]
    assert [bool(one.formula) for one in shown] == [True, False, True, True, True]
    assert '"""' not in shown[0].code
    assert "qml.RY(phi=self.scale * x[feature]" in shown[0].code
    assert in_short(shown) == shown


def test_what_does_not_apply_is_not_written() -> None:
    plain = Tried(trial=1, name="Lost", outcome="illegal", reason="A square.", seconds=2.0).model_dump(mode="json")
    assert plain == {
        "trial": 1, "name": "Lost", "outcome": "illegal", "reason": "A square.",
        "gates": 0, "two_qubit_gates": 0, "depth": 0,
    }  # fmt: skip
    assert Tried.model_validate({**plain, "precision": None}).reason == "A square."  # as earlier versions wrote it
