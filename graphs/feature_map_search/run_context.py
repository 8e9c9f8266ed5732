"""What the nodes of one search work with: data, sandboxed compiler, papers. Opened once a process, never in state."""

from __future__ import annotations

from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labwright.agents.backend_selection import make_mind
from labwright.agents.feature_map_search.ideas import Data, Task
from labwright.agents.settings import Settings
from labwright.agents.typed_call import Mind
from labwright.graphs.feature_map_search.choices import Choices
from labwright.graphs.feature_map_search.sandboxed_compiler_pool import CONFINED, Confined
from labwright.graphs.run_context import OpenRuns, Surroundings
from labwright.tools.datasets.labelled_samples import Dataset, Part, Split
from labwright.tools.errors import InputError
from labwright.tools.runs.hashed_files import read_json, sha256_of
from labwright.tools.runs.run import load_run
from labwright.tools.specifications.kinds import SPEC
from labwright.tools.specifications.search import FOLDERS, SearchSpec
from labwright.tools.specifications.yaml_files import read_document, validated

if TYPE_CHECKING:
    from labwright.graphs.feature_map_search.langchain_retrieval import Retrieved
    from labwright.tools.feature_maps.compile import CompiledMap
    from labwright.tools.knowledge.paper_store import PaperStore

SYSTEM = "feature_map_search"
CHOSEN = "data/preparation.json"  # what `preparation: auto` came to
DATA_SET = "data/dataset.json"  # which data a search began with, in its folder
FEATURES = {"digits": 40, "digits-augmented": 80}
OFFICIAL = "official"  # the test images that come with an image folder
SHOWN = 16  # components whose spectrum a prompt gets
MOST_FEATURES = 80  # where nothing else is known; the published searches used 80


NEEDS_MODEL = (
    "An idea or a wish in words needs a model: choose one with --model, such as openai:gpt-4.1-mini. Without one, write"
    " an idea as a recipe in a specification (`labwright new search > my.yaml`), and run it: `labwright run my.yaml`."
)


def plain_recipe_yaml() -> str:
    """A recipe as a person may write it, to be changed."""
    from labwright.tools.feature_maps.evolutionary_search import plain_recipe
    from labwright.tools.specifications.yaml_files import to_yaml

    return to_yaml({"persons_ideas": [plain_recipe().model_dump(mode="json")]})


class Workbench(Surroundings[Choices]):
    """One search's surroundings."""

    @property
    def mind(self) -> Mind:
        """Who answers the typed calls: the rules where they propose, once a model has read what is wanted."""
        return self._rules if self.choices.by_rules else super().mind

    @cached_property
    def _rules(self) -> Mind:
        return make_mind("rules", Settings(), self.meter)

    @cached_property
    def split(self) -> Split:
        """The data, prepared; the test part is sealed.

        Raises:
            InputError: they are not those that the search began with.
        """
        found = split_of(self.choices, self._scaling())
        begun_with = self.run.folder / DATA_SET
        if begun_with.exists() and read_json(begun_with, "Start a new search.") != identity(found):
            raise InputError(
                f"The data set {found.name} is not the one that this search began with; its results would be mixed."
                " Put the old file back, or start a new search."
            )
        return found

    def _scaling(self) -> str:
        """The person's preparation, or the one that was chosen when the search began."""
        if self.choices.preparation != "auto":
            return self.choices.preparation
        from labwright.tools.feature_maps.preparation_choice import choose_preparation

        place = self.run.folder / CHOSEN
        if not place.exists():
            chosen = choose_preparation(
                lambda scaling: split_of(self.choices, scaling),
                self.choices.qubits,
                folds=self.choices.folds,
                memory_mb=self.choices.memory_mb,
                seed=self.choices.seed,
            )
            self.run.save_json(CHOSEN, {"scaling": chosen.scaling, "scores": chosen.scores})
        return str(read_json(place, "Start a new search.")["scaling"])

    @cached_property
    def split_digest(self) -> str:
        """64 hex digits that name the prepared training and validation parts."""
        parts = (self.split.train, self.split.validation)
        return sha256_of(b"".join(array.tobytes() for part in parts for array in (part.X, part.y)))

    @cached_property
    def task(self) -> Task:
        """What is searched for."""
        from labwright.tools.feature_maps.gates import GATES

        chosen = self.choices
        return Task(
            dataset=self.split.name,
            n_classes=len(self.split.classes),
            n_train=len(self.split.train.y),
            n_features=self.split.n_features,
            scaling=self.split.preparation.scaling,
            n_qubits=chosen.qubits,
            gates=list(chosen.gates or GATES),
            max_two_qubit_gates=chosen.max_two_qubit_gates,
            max_depth=chosen.max_depth,
            wishes=list(chosen.for_every_map),
            max_trials=chosen.trials,
            ideas_per_trial=chosen.ideas,
            seed=chosen.seed,
            strategy=chosen.strategy,
            max_evaluations=chosen.budget_of_evaluations,
        )

    @cached_property
    def facts(self) -> Data:
        """What the training data are like, and what simple methods reach on them."""
        from labwright.tools.feature_maps.baselines import default_levels

        facts = self.split.facts
        return Data(
            preparation=facts["preprocessing"],
            spectrum=[round(one, 3) for one in facts["explained_variance_ratio"][:SHOWN]],
            feature_std=[round(one, 3) for one in facts["feature_std"][:SHOWN]],
            classes=facts["train_class_counts"],
            levels={name: round(one, 4) for name, one in default_levels(self.split, self.choices.seed).items()},
        )

    @cached_property
    def confined(self) -> Confined:
        """Compiles candidate code in the sandbox."""
        found = CONFINED.open(self.choices.sandbox)
        for line in found.warnings:
            self._warn(line)
        self.emit({"kind": "sandbox", "level": found.level}, once=f"sandbox {found.level}")
        return found

    def _warn(self, line: str) -> None:
        self.emit({"kind": "warning", "text": line}, once=f"warning {line}")

    def compiled(self, code: str) -> CompiledMap:
        """The circuit of candidate `code`; compiled once a process.

        Raises:
            RuleError: it does not run, or breaks a rule.
            SandboxedFailure: the sandbox itself failed.
        """
        known = self.__dict__.setdefault("_compiled", {})
        if code not in known:
            task = self.task
            known[code] = self.confined.compile(code, task.n_qubits, task.n_features, seed=task.seed)
        found: CompiledMap = known[code]
        return found

    @cached_property
    def papers(self) -> PaperStore | Retrieved | None:
        """The person's papers; None if there are none."""
        if not self.choices.papers and not self.choices.papers_from:
            return None
        from langchain_core.retrievers import BaseRetriever

        from labwright.graphs.feature_map_search.langchain_retrieval import (
            Retrieved,
            add_loaded,
            open_embedder,
            open_source,
        )
        from labwright.tools.knowledge.paper_store import PaperStore

        source = open_source(self.choices.papers_from) if self.choices.papers_from else None
        if isinstance(source, BaseRetriever):
            return Retrieved(source)
        settings, named = Settings(), self.choices.papers_from or self.choices.papers
        place = settings.state / "papers" / sha256_of(named.encode())[:16]
        store = PaperStore(place, open_embedder(settings.embedding), server=settings.chroma_url)
        if source is not None:
            add_loaded(store, source)
        for name, why in store.add(Path(named)) if source is None else ():
            self._warn(f"Paper {name} was left out: {why}")
        if not store.count():
            self._warn("The store of papers is empty: ideas are not looked up.")
            return None
        return store

    @property
    def reads_papers(self) -> bool:
        """Whether ideas are looked up: there are papers, and a model that reads them."""
        return self.mind.reads_words and self.papers is not None

    @cached_property
    def signatures(self) -> dict[str, str]:
        """The allowed gates by the way in which they are called."""
        from labwright.tools.feature_maps.pennylane_signatures import signatures

        called, found = signatures(), dict[str, list[str]]()
        for name in self.task.gates:
            found.setdefault(f"({called[name].shown()})", []).append(f"qml.{name}")
        return {arguments: " ".join(names) for arguments, names in found.items()}

    @cached_property
    def test_part(self) -> Part:
        """The sealed part, opened. Only the journaled reveal, and what follows it, may ask for it."""
        return self.split.sealed.open()


def split_of(choices: Choices, scaling: str) -> Split:
    """The data that `choices` name, prepared.

    Args:
        choices: of the search.
        scaling: of the principal components.

    Raises:
        InputError: they cannot be read, or make no classification task.
    """
    from labwright.tools.datasets import prepare_split

    dataset = _loaded(choices.dataset, choices.seed, choices.memory_mb, _stamp(choices.dataset))
    return prepare_split(dataset, features_of(choices, dataset), choices.seed, test=_test_set(choices), scaling=scaling)


def _test_set(choices: Choices) -> Dataset | None:
    """Test samples of their own, if the person named some."""
    from labwright.tools.datasets import load_dataset

    if not choices.test:
        return None
    name, official = (choices.dataset, "test") if choices.test == OFFICIAL else (choices.test, "train")
    if choices.test == OFFICIAL and choices.dataset.partition(":")[0] not in FOLDERS:
        raise InputError(
            f"{choices.dataset} has no official test samples. Name a file of your own, or leave `test` out."
        )
    return load_dataset(name, seed=choices.seed, memory_mb=choices.memory_mb, part=official)  # type: ignore[arg-type]


def identity(split: Split) -> dict[str, Any]:
    """What tells whether a resumed search still has its data."""
    return {name: split.facts[name] for name in ("data_set_sha256", "scaling")}


def features_of(choices: Choices, dataset: Dataset) -> float:
    """Number of principal components: the person's, else the data set's own, else as many as there are up to 80."""
    if choices.features is not None:
        return choices.features
    return FEATURES.get(choices.dataset) or min(MOST_FEATURES, dataset.X.shape[1])


@lru_cache(maxsize=1)  # a search that is checked before its run begins does not read the file twice
def _loaded(name: str, seed: int, memory_mb: float, stamp: tuple[int, ...]) -> Dataset:
    from labwright.tools.datasets import load_dataset

    return load_dataset(name, seed=seed, memory_mb=memory_mb)


def _stamp(name: str) -> tuple[int, ...]:
    """When a named file was written last, so that a changed one is read again."""
    path = Path(name)
    if not path.is_file():
        return ()
    found = path.stat()
    return found.st_mtime_ns, found.st_size


def _open(run_dir: str, choices: dict[str, Any] | None) -> Workbench:
    run = load_run(Path(run_dir))
    chosen = Choices.model_validate(choices or run.record.choices)
    if chosen.words and (run.folder / SPEC).exists():
        data = read_document((run.folder / SPEC).read_text(encoding="utf-8")).data
        chosen = chosen if "words" in data else chosen_by(data, chosen)  # the words were read before
    return Workbench(run, chosen)


def chosen_by(data: dict[str, Any], choices: Choices) -> Choices:
    """What a specification chooses, under what the person granted.

    Raises:
        SpecificationError: it is none.
        ValidationError: its choices do not fit together.
    """
    plain = validated(SearchSpec, data).model_dump(mode="json")
    own = {name: value for name, value in plain.items() if name in Choices.model_fields}
    return Choices.model_validate({**choices.model_dump(mode="json"), **own, "words": ""})


WORKBENCHES = OpenRuns(_open)


def workbench(state: Any) -> Workbench:
    """The open workbench of the state's run; opened now if this process has not yet."""
    return WORKBENCHES.get(state["run_dir"], state["choices"])


def check_choices(choices: Choices) -> None:
    """Notice what cannot work before a run is made.

    Raises:
        InputError: the data set or the papers cannot be used, or a baseline is unknown.
    """
    from labwright.tools.feature_maps.compared_methods import ALL

    if unknown := [name for name in choices.baselines or () if name not in ALL]:
        raise InputError(f"There is no baseline {unknown[0]!r}. There are: {', '.join(ALL)}.")
    words = choices.for_every_map or any(isinstance(idea, str) for idea in choices.persons_ideas)
    if choices.by_rules and words:
        raise InputError(f"{NEEDS_MODEL}\n\n{plain_recipe_yaml()}")
    if not choices.words:  # they may say which data
        check_data(choices)


def check_data(choices: Choices) -> None:
    """Notice data or papers that cannot be used.

    Raises:
        InputError: they cannot.
    """
    from labwright.tools.feature_maps.svm_assessment import check_kernel_memory

    scaling = "min-max" if choices.preparation == "auto" else choices.preparation
    check_kernel_memory(split_of(choices, scaling), 0, choices.memory_mb)
    if choices.papers and not Path(choices.papers).is_dir():
        raise InputError(f"Papers folder {choices.papers!r} is no folder. Give one with PDF or text files.")
