"""Right answers of every role of the feature-map search, for a scripted model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scripted_model import Reply, Request

from labwright.agents.feature_map_search.critique_idea import REFLECT
from labwright.agents.feature_map_search.ideas import ProposeIn, ProposeOut
from labwright.agents.feature_map_search.propose_ideas import PROPOSE, propose_by_rules
from labwright.agents.feature_map_search.repair_code import MEND_CODE
from labwright.agents.feature_map_search.review_trial import REVIEW, ReviewIn, review_by_rules
from labwright.agents.feature_map_search.score_idea import SCORE
from labwright.agents.feature_map_search.summarise_paper import SUMMARISE
from labwright.agents.feature_map_search.write_code import WRITE_CODE

CODE = """
import numpy as np
import pennylane as qml

from labwright.tools.feature_maps.base import BaseFeatureMap


class {name}(BaseFeatureMap):
    def __init__(self, n_qubits: int, scale: float = {scale}) -> None:
        super().__init__(n_qubits)
        self.scale = scale

    def feature_map(self, x: np.ndarray) -> None:
        for place in range(len(x)):
            qml.RY(self.scale * x[place], wires=place % self.n_qubits)
            qml.RZ(0.5 * x[place], wires=place % self.n_qubits)
"""
SCORED = {"originality": 5.0, "feasibility": 6.0, "versatility": 4.0, "reason": "As far as the papers tell."}


def proposed(given: dict[str, Any], *, bare: bool = False) -> dict[str, Any]:
    """The rules' ideas to an input, a person's words included as further ideas; `bare` ones have no recipe."""
    asked = ProposeIn.model_validate(given)
    own = asked.model_copy(update={"persons_ideas": [], "n_ideas": max(asked.n_ideas, len(asked.persons_ideas))})
    answer = propose_by_rules(own)
    assert isinstance(answer, ProposeOut)
    plain: dict[str, Any] = answer.model_dump(mode="json")
    for idea in plain["ideas"]:
        idea["key_sentences"] = ["quantum feature maps and kernels"] if asked.reads_papers else []
        idea["recipe"] = None if bare else idea["recipe"]
    return plain


def answers(*, bare: bool = False) -> Callable[[Request], Reply]:
    """A script that answers every role rightly; `bare` ideas are written as code by the model."""
    count = [0]

    def script(request: Request) -> Reply:
        given = request.input
        if request.role == PROPOSE.name:
            return Reply.answer(proposed(given, bare=bare))
        if request.role == SCORE.name:
            return Reply.answer({"score": SCORED, "enough": True, "queries": []})
        if request.role == REFLECT.name:
            return Reply.answer({"idea": given["idea"], "done": True, "change": ""})
        if request.role in (WRITE_CODE.name, MEND_CODE.name):
            count[0] += 1
            name = given["idea"]["name"]
            return Reply.answer({"code": CODE.format(name=name, scale=0.5 + 0.25 * count[0]), "class_name": name})
        if request.role == SUMMARISE.name:
            return Reply.answer({"summary": " ".join(given["text"].split()[:20])})
        assert request.role == REVIEW.name
        return Reply.answer(review_by_rules(ReviewIn.model_validate(given)).model_dump(mode="json"))

    return script
