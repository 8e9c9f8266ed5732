"""What feature-map search brings to the shared reading: its specification, its agent, facts about data and maps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from labwright.agents.errors import AgentGaveUp
from labwright.agents.feature_map_search.read_request import READ, ReadIn, ReadOut, data_of, page
from labwright.agents.typed_call import AgentCall, Question, Refusal
from labwright.graphs.feature_map_search.choices import Choices
from labwright.graphs.feature_map_search.preparing import open_data
from labwright.graphs.feature_map_search.report_methods_section import method_notes
from labwright.graphs.feature_map_search.run_context import SYSTEM, Workbench, check_data, chosen_by, workbench
from labwright.graphs.feature_map_search.state import SearchState
from labwright.graphs.understand.state import Checked, Drafted, Origin
from labwright.tools.errors import InputError
from labwright.tools.feature_maps.compared_methods import ALL, TITLES
from labwright.tools.feature_maps.describe import describe
from labwright.tools.feature_maps.gates import GATES
from labwright.tools.feature_maps.recipe import Recipe
from labwright.tools.specifications.base import VERSION, Problem, SpecificationError
from labwright.tools.specifications.examples import example
from labwright.tools.specifications.kinds import SPEC, from_choices
from labwright.tools.specifications.nearest_runnable_lines import Nearest
from labwright.tools.specifications.search import SearchSpec, data_in
from labwright.tools.specifications.yaml_files import is_document, read_document, to_yaml, validated


class SearchReader:
    """The reader of searches."""

    def bound(self, state: Mapping[str, Any]) -> SearchReading:
        """The reading of one run."""
        return SearchReading(workbench(state))


class SearchReading:
    """Reads a search for one run."""

    system = SYSTEM
    elsewhere = ""
    grows = True
    corrects = True
    filler = None

    def __init__(self, bench: Workbench) -> None:
        self.bench = bench

    @property
    def reads_words(self) -> bool:
        """Whether there is a model."""
        return self.bench.mind.reads_words

    @property
    def defaults(self) -> bool:
        """Whether open questions take their default."""
        return self.bench.choices.answers == "defaults"

    def parse(self, words: str) -> tuple[Drafted, Origin] | None:
        """A specification; None for words."""
        return (Drafted(read_document(words).data), "written") if is_document(words) else None

    def draft(self, words: str) -> Drafted | Question | Refusal:
        """The agent's specification."""
        answer = self.ask(READ, ReadIn(words=words, settled=to_yaml(self._settled()), page=page()))
        if not isinstance(answer, ReadOut):
            return answer  # type: ignore[no-any-return]
        sources = {each.path: each.quote for each in answer.sources}
        return Drafted(data_of(answer.search), sources, tuple(answer.left_out), tuple(answer.assumed))

    def check(self, data: dict[str, Any], *, read: bool) -> Checked:
        """With what was chosen besides the words; names that exist, choices that fit together, data that are there."""
        whole = {"spec": VERSION, "system": SYSTEM, **data, **self._settled()}
        whole.pop("words", None)
        spec, place = validated(SearchSpec, whole), Path(self.bench.choices.folder)
        whole |= {name: data_in(place, whole[name]) for name in ("dataset", "test") if whole.get(name)}
        whole |= {"papers": str((place / Path(spec.papers).expanduser()).absolute())} if spec.papers else {}
        try:
            choices = chosen_by(whole, self.bench.choices)
        except ValidationError as wrong:
            return Checked(whole, [_problem(one) for one in wrong.errors()])
        unknown = [_unknown("gates", name, GATES) for name in spec.gates or [] if name not in GATES]
        unknown += [_unknown("baselines", name, ALL) for name in spec.baselines or [] if name not in ALL]
        return Checked(whole, [*unknown, *_outside(spec)], [] if unknown else _missing_data(choices))

    def nearest(self, words: str) -> Nearest:
        """Nothing: an example with a recipe shows how it is written."""
        return Nearest(words, example=example("search"))

    def read_back(self, data: dict[str, Any], *, sampling: bool = False) -> str:
        """What is searched and built, in plain sentences."""
        try:
            return sentences(validated(SearchSpec, data), chosen_by(data, self.bench.choices))
        except (SpecificationError, ValidationError):
            return "No search can be made of it yet."

    def how(self, data: dict[str, Any]) -> list[str]:
        """How it chooses, what it may spend, and how each baseline is tuned."""
        try:
            return method_notes(chosen_by(data, self.bench.choices))
        except (SpecificationError, ValidationError):
            return []

    def example(self) -> str:
        """One search, for the repairing agent."""
        return example("search")

    def besides(self, state: Mapping[str, Any]) -> str:
        """The fields that were chosen besides the words, as YAML."""
        return to_yaml(self._settled())

    def _settled(self) -> dict[str, Any]:
        plain = from_choices(SearchSpec, self.bench.choices)
        return {name: value for name, value in plain.items() if name not in ("spec", "system", "words")}

    def asks(self, state: Mapping[str, Any]) -> bool:
        """Shown if the person wants it first; what a model read, where it leaves out or assumes something."""
        policy = self.bench.choices.approval
        if self.bench.choices.plan_first or state.get("origin") != "model":
            return self.bench.choices.plan_first
        return policy == "always" or bool(state.get("left_out")) or (policy != "auto" and bool(state.get("reading")))

    def words_start(self) -> bool:
        """Unless every plan is approved: what a search may spend stands in it."""
        return self.bench.choices.approval != "always"

    def needs_leave(self, before: dict[str, Any], after: dict[str, Any]) -> bool:
        """Where it would ask a model for more maps than was shown, or every plan is asked about."""
        if self.bench.choices.approval == "always":
            return True
        return self._asked_of_a_model(after) > self._asked_of_a_model(before)

    def _asked_of_a_model(self, data: dict[str, Any]) -> int:
        """Maps that a model is asked for, which is what a search spends."""
        choices = chosen_by(data, self.bench.choices)
        return 0 if choices.by_rules else choices.trials * choices.ideas

    def save(self, data: dict[str, Any]) -> None:
        """`spec.yaml`, which the search goes by from now on."""
        self.bench.run.save_text(SPEC, to_yaml(data), kind="specification")

    def ask(self, call: AgentCall[Any, Any], given: Any) -> Any:
        """One typed call; one that failed is a refusal, and what was read before it stays."""
        try:
            return self.bench.ask(call, given)
        except AgentGaveUp as failed:
            return Refusal(reason=str(failed))

    def emit(self, event: dict[str, Any], once: str) -> None:
        """Log an event."""
        self.bench.emit(event, once=once)


def begin(state: SearchState) -> dict[str, Any]:
    """After the reading: the choices that the specification makes, or the end."""
    if state["standing"] != "done":
        status = "stopped" if state["standing"] == "stopped" else "refused"
        return {"phase": "report", "status": status, "cause": state["why"]}
    bench = workbench(state)
    bench.choices = chosen_by(state["draft"], bench.choices)
    plain = bench.choices.model_dump(mode="json")
    return {"choices": plain, "assumptions": state["reading"], **open_data(bench)}


def _problem(error: Any) -> Problem:
    return Problem(tuple(error["loc"]), f"{error['msg']}.")


def _unknown(field: str, name: str, known: Iterable[str]) -> Problem:
    return Problem((field,), f"There is no {name!r}.", f"There are: {', '.join(known)}.")


def _outside(spec: SearchSpec) -> list[Problem]:
    """Recipes whose gates the same specification forbids."""
    allowed = {*(spec.gates or GATES), "none"}
    return [
        Problem(("persons_ideas", place), f"It uses {gate}, which `gates` leaves out.", "Allow it, or change the map.")
        for place, idea in enumerate(spec.persons_ideas)
        if isinstance(idea, Recipe)
        for gate in sorted(idea.gates() - allowed)
    ]


def _missing_data(choices: Choices) -> list[str]:
    """What cannot be read yet, for the person to see: it is looked at again when the search begins."""
    try:
        check_data(choices)
    except InputError as wrong:
        return [f"The data cannot be read as yet: {wrong}"]
    return []


def sentences(spec: SearchSpec, choices: Choices) -> str:
    """A specification in plain sentences: data, how long, limits, maps to begin with, what it is compared with."""
    test = f"tested on {spec.test}" if spec.test else "a fifth of it is the test part"
    kept = "the data set's own number of components" if spec.features is None else f"{spec.features:g} components"
    kept = f"components for {spec.features:g} of the variance" if spec.features and spec.features < 1 else kept
    tuned = "their constants are tuned" if spec.tune else "nothing about them is tuned"
    found = [
        f"Data: {spec.dataset}, {test}; {kept}, scaling {spec.preparation}; seed {spec.seed}.",
        f"{spec.trials} trials of {spec.ideas} maps on {spec.qubits} qubits, at most"
        f" {choices.budget_of_evaluations} evaluations; {tuned}.",
    ]
    limits = [f"gates {', '.join(spec.gates)}"] if spec.gates else []
    limits += [f"at most {spec.max_two_qubit_gates} two-qubit gates"] if spec.max_two_qubit_gates is not None else []
    limits += [f"depth at most {spec.max_depth}"] if spec.max_depth is not None else []
    limits += ["no map that depends on differences only"] if spec.allow == "noncommuting" else []
    limits += [f'"{wish}" (the model heeds it, nothing checks it)' for wish in spec.for_every_map]
    found += [f"Every map: {'; '.join(limits)}."] if limits else []
    n_features = int(spec.features) if spec.features and spec.features >= 1 else spec.qubits
    for idea in spec.persons_ideas:
        said = describe(idea, spec.qubits, n_features).circuit if isinstance(idea, Recipe) else f'"{idea}"'
        found.append(f"A map to begin with: {said}")
    named = "nothing" if not spec.baselines else ", ".join(TITLES[name] for name in spec.baselines)
    against = "all methods" if spec.baselines is None else named
    return "\n".join([*found, f"Compared with {against}."])
