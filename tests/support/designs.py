"""Short designs for tests: protocols with their words, a scripted reader, and lives that are cut off."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import lives
from scripted_model import Reply, Request

from labwright.graphs.protocol_design.choices import Choices
from labwright.graphs.protocol_design.running import DesignRequest, Outcome, resume, start
from labwright.graphs.questions import Answer, Question
from labwright.tools.liquid_handler.experiment_design import ExperimentDesign
from labwright.tools.liquid_handler.protocol_planner import Made, make_protocol
from labwright.tools.liquid_handler.robots.outputs import disagreements
from labwright.tools.liquid_handler.vial_amounts import Refusal
from labwright.tools.runs.run import open_run, run_ids
from labwright.tools.specifications.protocol import ProtocolSpec
from labwright.tools.specifications.yaml_files import read_document, validated

CLEAR_YAML = """\
system: protocol_design
title: Caffeine standards
chemicals: [{name: caffeine}, {name: water}]
stocks:
  - {name: 10 mM caffeine, solute: caffeine, solvent: water, concentration: 10 mM, basis: M}
groups:
  - factors: [{name: level, levels: [0.1 mM, 0.2 mM, 0.5 mM]}]
    doses:
      - {substance: caffeine, kind: molarity, factor: level, via: 10 mM caffeine}
      - {substance: water, kind: remainder}
    total_volume: 1 mL
conditions:
  - {kind: mix, by: vortex, time: 5 min}
"""
CLEAR_WORDS = (
    "Prepare standards of caffeine in water with 0.1, 0.2 and 0.5 mM caffeine from a 10 mM stock of caffeine in water."
    " The total volume of each is 1 mL. Vortex for 5 minutes."
)
OPEN_YAML = """\
system: protocol_design
title: Propanol in water
chemicals: [{name: propanol}, {name: water}]
groups:
  - factors: [{name: level, levels: [10 %, 20 %]}]
    doses:
      - {substance: propanol, kind: fraction, factor: level, basis: v/v}
      - {substance: water, kind: remainder}
    total_volume: 2 mL
conditions:
  - {kind: heat, temperature: 40 degC, time: 12 h}
  - {kind: cool, temperature: 25 degC}
"""
AZIDE = """\
system: protocol_design
title: azide and acid
outputs: []
chemicals:
- {name: sodium azide, state: solid, molar_mass: 65.01 g/mol}
- name: hydrogen chloride
- name: water
stocks:
- {name: acid, solute: hydrogen chloride, solvent: water, concentration: 1 M, basis: M}
groups:
- name: samples
  doses:
  - {substance: sodium azide, kind: mass, amount: 20 mg}
  - {substance: acid, kind: volume, amount: 300 uL}
"""
# Two vials of 100 mM glucose: 100 uL of sugar and 900 uL of water each.
SUGAR = {"name": "sugar", "solute": "glucose", "solvent": "water", "concentration": "1 M"}
BRINE = {"name": "brine", "solute": "sodium chloride", "solvent": "water", "concentration": "2 M"}
DOSES = [
    {"substance": "glucose", "kind": "molarity", "amount": "100 mM", "via": "sugar"},
    {"substance": "water", "kind": "remainder"},
]
GROUP = {"name": "runs", "doses": DOSES, "total_volume": "1 mL", "replicates": 2}
HEAT = {"kind": "heat", "temperature": "60 degC", "time": "2 h", "by": "none"}
CLEAR = f"---\n{CLEAR_YAML}---\n{CLEAR_WORDS}\n"
OPEN = f"---\n{OPEN_YAML}---\nMix propanol and water with 10 and 20 % v/v propanol, 2 mL each, at 40 C for 12 h.\n"
PRELOADED = ("labwright.graphs.protocol_design.running", "langgraph.checkpoint.sqlite", __name__)
Turn = dict[str, Any] | Reply
Script = Callable[[Request], Reply]


def drafted(protocol: str = CLEAR_YAML, **own: Any) -> dict[str, Any]:
    """The answer of the drafting agent."""
    return {"protocol": protocol, "sources": ["groups.0.total_volume = 1 mL"], "assumed": [], "left_out": [], **own}


def found(*findings: tuple[str, str, str]) -> dict[str, Any]:
    """The answer of the second reader: (kind, phrase, path)."""
    return {"findings": [{"kind": k, "phrase": p, "path": w, "why": "It differs."} for k, p, w in findings]}


def patches(**values: str) -> dict[str, Any]:
    """The answer of the repairing agent; ``__`` stands for a dot in a path."""
    changed = [{"path": name.replace("__", "."), "value": value} for name, value in values.items()]
    return {"reason": "As the words say.", "patches": changed}


def reader(**turns: list[Turn]) -> Script:
    """A reader: for each role (draft, cover, repair) its answers in turn; the last one is repeated."""
    usual: dict[str, list[Turn]] = {"draft": [drafted()], "cover": [found()], "repair": [patches()]}
    usual["correct"] = usual["repair"]
    left = {role: list(turns.get(role, answers)) for role, answers in usual.items()}

    def answer(request: Request) -> Reply:
        answers = left[request.role.rpartition(".")[2]]
        turn = answers.pop(0) if len(answers) > 1 else answers[0]
        return turn if isinstance(turn, Reply) else Reply.answer(turn)

    return answer


def design(text: str, root: Path, *, on_question: Any = None, **choices: Any) -> Outcome:
    """Design without a figure and without approval, unless said otherwise."""
    chosen = Choices.model_validate({"figures": False, "outputs": (), "approval": "auto", **choices})
    return start(DesignRequest(text, chosen), root, on_question=on_question)


def completed(text: str, root: Path, **choices: Any) -> Outcome:
    """A `design` that ends with a written protocol."""
    outcome = design(text, root, **choices)
    assert outcome.status == "complete", outcome.reason
    return outcome


def events(outcome: Outcome, kind: str) -> list[dict[str, Any]]:
    """The log's events of one kind."""
    return [event for event in open_run(outcome.run_dir.parent, outcome.run_id).events.read() if event["kind"] == kind]


def person(question: Question) -> Answer:
    """Somebody who answers every question the same way, whenever it comes."""
    return Answer(id=question.id, decision="write" if question.kind == "approve" else "2-propanol")


def live(root: Path, text: str, choices: dict[str, Any]) -> None:
    """One process of a design: it begins, or goes on with the one that is there."""
    if known := run_ids(root):
        resume(known[-1], root, on_question=person)
    else:
        design(text, root, on_question=person, **choices)


def life(root: Path, crash_at: str, text: str, choices: dict[str, Any]) -> int | None:
    """The exit code of one process of a design below `root`, -9 if it was killed."""
    return lives.life(live, (root, text, choices), crash_at, PRELOADED)


def read_design(text: str) -> ExperimentDesign:
    """The design of a protocol in YAML, read as the product reads it.

    Raises:
        InputError: it is none.
    """
    return validated(ProtocolSpec, read_document(text).data).design


def sugar_design(**own: Any) -> ExperimentDesign:
    """`GROUP`, its chemicals and stocks, and whatever a test has to say besides."""
    names = ("glucose", "water", "acetonitrile", "sodium chloride", "buffer")
    plain = {"chemicals": [{"name": name} for name in names], "stocks": [SUGAR, BRINE], "groups": [GROUP]}
    return ExperimentDesign.model_validate({**plain, **own})


def one_liquid(name: str, **own: Any) -> ExperimentDesign:
    """500 uL of a liquid of this name in one vial."""
    chemical = {"name": name, "state": "liquid", "density": "0.9 g/mL", "molar_mass": "100 g/mol"}
    doses = [{"substance": name, "kind": "volume", "amount": "500 uL"}]
    return ExperimentDesign.model_validate({"chemicals": [chemical], "groups": [{"doses": doses}], **own})


def plan_of(design: ExperimentDesign) -> Made:
    """The protocol of a design that has all it needs."""
    found = make_protocol(design)
    assert isinstance(found, Made), found
    return found


def sound_plan_of(design: ExperimentDesign) -> Made:
    """`plan_of` without an error, whose file and bench sheet move what it says."""
    found = plan_of(design)
    assert not found.blocked, found.findings
    assert [disagreements(found, output) for output in ("design_file", "bench")] == [[], []]
    return found


def asked_of(design: ExperimentDesign) -> list[str]:
    """What a design that lacks something is asked for."""
    found = make_protocol(design)
    assert isinstance(found, Refusal)
    return [question.id for question in found.questions]


def steps_of(found: Made) -> list[tuple[str, float]]:
    """Subject of every step, and what its first vial gets or is set to."""
    return [(step.subject, next(iter(step.amounts.values()))) for step in found.protocol.steps]
