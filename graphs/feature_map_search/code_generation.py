"""From an idea to checked code: the coder's node, and what the self-check knows about feature maps."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from labwright.agents.errors import AgentGaveUp
from labwright.agents.feature_map_search.ideas import CodeFinding, CodeIn, CodeOut, Idea, Wanted
from labwright.agents.feature_map_search.repair_code import MEND_CODE, MendIn
from labwright.agents.feature_map_search.write_code import WRITE_CODE
from labwright.agents.typed_call import Question, Refusal
from labwright.graphs.check_and_revise import Finding
from labwright.graphs.feature_map_search.choices import Choices
from labwright.graphs.feature_map_search.run_context import WORKBENCHES, Workbench, workbench
from labwright.graphs.feature_map_search.state import SearchState
from labwright.graphs.feature_map_search.trial_records import recorded, untried
from labwright.tools.errors import InputError, RuleError
from labwright.tools.feature_maps.pennylane_signatures import signatures
from labwright.tools.feature_maps.template import TEMPLATE
from labwright.tools.feature_maps.write_source import source_of

if TYPE_CHECKING:
    from labwright.tools.feature_maps.circuit import Circuit

Update = dict[str, Any]
RULE = "rule: "  # before the name of a broken rule in a finding's `check`
# Rules that are about code rather than about the map: what breaks them was never seen to be illegal.
CODE = frozenset(
    "syntax one_class signature unknown_operation arguments forbidden_import import_failed crashed feature_index"
    " writes_into_x too_slow too_much_memory killed not_a_circuit".split()
)
_OPERATION = re.compile(r"\b(?:qml|pennylane)\.([A-Z]\w*)")


def write_code(state: SearchState) -> Update:
    """The idea as a class; an idea that nobody can write down is on record as invalid."""
    bench, work = workbench(state), state["work"]
    assert work is not None
    answer = _coded(bench, Idea.model_validate(work["idea"]))
    if not isinstance(answer, CodeOut):
        reason = answer.text if isinstance(answer, Question) else answer.reason
        return recorded(state, untried(state, "invalid", f"No code: {reason}"), {})
    return {
        "artifact": answer.model_dump(),
        "check_context": {"run_dir": state["run_dir"], "idea": work["idea"]},
        "check_mode": state["choices"]["check_mode"],
        "check_round": 0,
        "findings": [],
        "check_log": [],
        "check_status": "open",
        "phase": "check",
    }


def _coded(bench: Workbench, idea: Idea) -> CodeOut | Question | Refusal:
    """Code from the recipe, where there is one; else a model writes it."""
    task = bench.task
    if idea.recipe is not None:
        source = source_of(idea.recipe, idea.name, task.n_qubits, task.n_features, idea.explanation)
        return CodeOut(code=source, class_name=idea.name)
    given = CodeIn(
        idea=Wanted.model_validate(idea.model_dump()),
        n_qubits=task.n_qubits,
        n_features=task.n_features,
        template=TEMPLATE,
        operations=bench.signatures,
    )
    try:
        return bench.ask(WRITE_CODE, given)
    except AgentGaveUp as gave_up:  # one idea that cannot be coded must not end a search of thirty trials
        return Refusal(reason=str(gave_up))


class FeatureMapChecker:
    """Cheap checks of the text first, then the sandbox, where the map is compiled; a reviser that may be a model."""

    names = ("text", "circuit")

    def check(self, name: str, artifact: dict[str, Any], context: dict[str, Any]) -> list[Finding]:
        """One named check."""
        bench = WORKBENCHES.get(context["run_dir"])
        return _text(artifact["code"]) if name == "text" else _circuit(bench, artifact["code"])

    def review(self, artifact: dict[str, Any], context: dict[str, Any]) -> list[Finding]:
        """All checks at once; what does not pass as text is not run."""
        return self.check("text", artifact, context) or self.check("circuit", artifact, context)

    def revise(
        self, artifact: dict[str, Any], findings: list[Finding], context: dict[str, Any]
    ) -> dict[str, Any] | None:
        """Let the reviser mend the code."""
        bench = WORKBENCHES.get(context["run_dir"])
        given = MendIn(
            idea=Wanted.model_validate(context["idea"]),
            code=artifact["code"],
            findings=[CodeFinding(rule=one["check"], message=one["message"], mend=one["mend"]) for one in findings],
            references=_references(bench, artifact["code"], findings),
        )
        try:
            answer = bench.ask(MEND_CODE, given)
        except AgentGaveUp:  # the findings stand; they go on record with the idea
            return None
        return answer.model_dump() if isinstance(answer, CodeOut) else None


def _text(code: str) -> list[Finding]:
    """Syntax, and arguments against the installed signatures."""
    from labwright.tools.feature_maps.lint import lint_source

    return [Finding(check=one["rule"], message=one["message"], mend=one["mend"]) for one in lint_source(code)]


def _circuit(bench: Workbench, code: str) -> list[Finding]:
    """Whether the code runs in the sandbox and keeps the rules."""
    try:
        circuit = bench.compiled(code).circuit
    except RuleError as illegal:
        return [
            Finding(check=f"{RULE}{one['rule']}", message=one["message"], mend=one["mend"]) for one in illegal.findings
        ]
    except InputError as wrong:  # such as a source that is far too long
        return [Finding(check="input", message=str(wrong), mend="")]
    return _beyond(circuit, bench.choices) + (_excluded(circuit) if bench.choices.allow == "noncommuting" else [])


def _beyond(circuit: Circuit, choices: Choices) -> list[Finding]:
    """What the person's limits on gates, entanglement and depth say of a circuit."""
    found, size = list[Finding](), circuit.size()
    foreign = sorted({gate.name for gate in circuit.gates} - set(choices.gates or ())) if choices.gates else []
    if foreign:
        message = f"The map uses {', '.join(foreign)}, which this search does not allow."
        found.append(Finding(check=f"{RULE}gates", message=message, mend=f"Use only {', '.join(choices.gates or ())}."))
    for name, most in (("two_qubit_gates", choices.max_two_qubit_gates), ("depth", choices.max_depth)):
        if most is not None and size[name] > most:
            message = f"The map has {name.replace('_', ' ')} {size[name]}; this search allows {most}."
            found.append(Finding(check=f"{RULE}{name}", message=message, mend="Leave gates out or use fewer layers."))
    return found


def _excluded(circuit: Circuit) -> list[Finding]:
    """What a search that allows only maps that do not commute says of one whose kernel is classical."""
    from labwright.tools.feature_maps.classicality_check import depends_on_differences

    if not depends_on_differences(circuit):
        return []
    message = "The kernel depends on differences of the features only, and this search allows no such map."
    mend = "Let rotations about two axes follow one another, or entangle with a gate that does not commute with them."
    return [Finding(check=f"{RULE}shift_invariant", message=message, mend=mend)]


def _references(bench: Workbench, code: str, findings: list[Finding]) -> list[str]:
    """How the operations concerned are called: those that the findings speak of, else all that the code uses."""
    used = list(dict.fromkeys(_OPERATION.findall(code)))
    words = " ".join(f"{one['message']} {one['mend']}" for one in findings)
    spoken = [name for name in used if re.search(rf"\b{name}\b", words)]
    known = [name for name in (spoken or used) if name in bench.task.gates]
    called = signatures()
    return [f"qml.{name}({called[name].shown()}), on {called[name].wires or 'any'} wires" for name in known]


def verdict(findings: list[Finding]) -> tuple[str, str]:
    """What code that was not mended is, ``illegal`` or ``invalid``, and why in sentences."""
    broken = any(one["check"].startswith(RULE) and one["check"].removeprefix(RULE) not in CODE for one in findings)
    reason = " ".join(f"{one['message'].splitlines()[0]} {one['mend']}".strip() for one in findings if one["message"])
    return ("illegal" if broken else "invalid"), reason
