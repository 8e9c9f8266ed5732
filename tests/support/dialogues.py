"""One dialogue about a protocol: eight turns of the person, three of them corrections, and the model's part in it."""

from __future__ import annotations

from typing import Any

from designs import drafted, found, patches
from scripted_model import Reply, Request
from talks import decided

from labwright.agents.front_desk.decide import DECIDE

WORDS = (
    "Prepare standards of zorbinol in water with 0.1, 0.2 and 0.5 mM zorbinol from a 10 mM stock of zorbinol in water."
    " Vortex for 5 minutes."
)
DRAFT = """\
system: protocol_design
title: Zorbinol standards
outputs: []
chemicals: [{name: zorbinol}, {name: water}]
stocks:
  - {name: 10 mM zorbinol, solute: zorbinol, solvent: water, concentration: 10 mM, basis: M}
groups:
  - factors: [{name: level, levels: [0.1 mM, 0.2 mM, 0.5 mM]}]
    doses:
      - {substance: zorbinol, kind: molarity, factor: level, via: 10 mM zorbinol}
      - {substance: water, kind: remainder}
    total_volume: 1 mL
conditions:
  - {kind: mix, by: vortex, time: 5 min}
"""
# What the dialogue must end in.
AGREED = DRAFT.replace("time: 5 min", "time: 10 min").replace(
    "    total_volume: 1 mL\n",
    "    total_volume: 1 mL\n    replicates: 2\n"
    "  - {name: blank, doses: [{substance: water, kind: volume, amount: 1 mL}]}\n",
)
LONGER, LESS, BLANK = "10 minutes instead", "only 20 microlitres in each vial", "and a blank of 1 mL of water"
# The run's question -> what the person says to it. With the first words these are eight turns.
ANSWERS = {
    "clarify 1": "1 mL",
    "approve 1": LONGER,
    "approve 2": "groups.0.replicates = 2",
    "approve 3": LESS,  # cannot be done: the stock alone takes more
    "plan 2": "cancel",
    "approve 4": BLANK,
    "approve 5": "write",
}
BLANK_GROUP = "{name: blank, doses: [{substance: water, kind: volume, amount: 1 mL}]}"
_PATCHES = {
    LONGER: {"conditions__0__time": "10 min"},
    LESS: {"groups__0__total_volume": "20 uL"},
    BLANK: {"groups__1": BLANK_GROUP},
}


def model(request: Request) -> Reply:
    """The chat model: what it answers depends on nothing but the request, so that a killed process asks it again."""
    role = request.role.rpartition(".")[2]
    if request.role == DECIDE.name:
        if request.input["asking"]:
            return Reply.answer(decided({"kind": "answer"}))
        return Reply.answer(decided({"kind": "start", "system": "protocol_design", "text": request.input["message"]}))
    if role == "draft":
        if "1 mL" not in request.input["words"]:
            return Reply.question("What is the volume of each vial?")
        return Reply.answer(drafted(DRAFT))
    return Reply.answer(found() if role == "cover" else _repaired(request.input))


def _repaired(given: dict[str, Any]) -> dict[str, Any]:
    asked = next((words for words in _PATCHES if any(words in each for each in given["uncovered"])), "")
    return patches(**_PATCHES.get(asked, {}))
