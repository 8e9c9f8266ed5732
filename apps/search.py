"""``labwright search``: a feature map for a data set, beside the kernels it has to beat."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from labwright.apps.calibrate import Answers, Approve, Budget, Json, Model, Quiet, asker, check_budget
from labwright.apps.command_outcome import COPIED, carry_out, finishing, leave
from labwright.apps.exits import Watch, endings
from labwright.apps.output_writing import copy_results, write_document
from labwright.apps.request_text import request_text
from labwright.apps.search_progress import SearchProgress
from labwright.apps.search_summary import accuracy_table, over_seeds, print_search
from labwright.apps.terminal_output import err, out
from labwright.tools.errors import InputError

if TYPE_CHECKING:
    from labwright.graphs.feature_map_search.choices import Choices
    from labwright.graphs.feature_map_search.running import SearchRequest
    from labwright.graphs.running import Outcome

MADE, FOLDERS = ("feature_map.py", "circuit.json", "circuit.qasm"), ("figures", "pipeline")
SUFFIXES = (".txt", ".md", ".yaml", ".yml")
DATASETS = (
    "digits, digits-augmented, digits-quantum, digits-observable, iris, wine, breast-cancer, moons, circles,"
    " mnist:FOLDER, fashion-mnist:FOLDER, cifar-10:FOLDER, a .npz or .csv."
)


def search(
    request: Annotated[
        str,
        typer.Argument(
            metavar="TEXT|FILE", help="What is wanted, in words for a model; or a specification.", show_default=False
        ),
    ] = "",
    dataset: Annotated[str, typer.Option(help=DATASETS)] = "digits",
    test: Annotated[str, typer.Option(help="Test samples of their own: a file, a folder, or official.")] = "",
    preparation: Annotated[
        str, typer.Option(help="auto, min-max, standardise, whiten or none; auto: chosen by validation.")
    ] = "auto",
    trials: Annotated[int, typer.Option(help="Rounds of ideas, each followed by a review.")] = 20,
    ideas: Annotated[int, typer.Option(help="Feature maps tried in one trial.")] = 2,
    qubits: Annotated[int, typer.Option(help="Qubits of a feature map, 2 to 20.")] = 10,
    features: Annotated[
        float | None, typer.Option(help="Principal components, or below 1 the share of the variance.")
    ] = None,
    evaluations: Annotated[
        int | None, typer.Option(help="Kernels evaluated in all; each baseline gets as many.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the split, the rules' draws and every tuning.")] = 0,
    seeds: Annotated[int, typer.Option(min=1, max=100, help="Repeat on so many splits, from --seed on.")] = 1,
    idea: Annotated[list[str] | None, typer.Option(help="An idea of yours to start from; may be repeated.")] = None,
    papers: Annotated[str, typer.Option(help="Folder of papers (PDF or text) to look things up in.")] = "",
    papers_from: Annotated[
        str, typer.Option(help="LangChain loader or retriever in place of papers: package.module:factory.")
    ] = "",
    strategy: Annotated[str, typer.Option(help="How rules search: graded, ungraded or random.")] = "graded",
    baseline: Annotated[
        str, typer.Option(help="Kernels to compare with, such as rbf_default,zz; all if left out.")
    ] = "",
    precision: Annotated[str, typer.Option(help="complex64 or complex128.")] = "complex64",
    memory_mb: Annotated[float, typer.Option(help="Most memory for a data set or a kernel.")] = 4096.0,
    allow_weak_sandbox: Annotated[
        bool, typer.Option("--allow-weak-sandbox", help="Run candidate code with resource limits only.")
    ] = False,
    model: Model = None,
    approve: Approve = "risky",
    answers: Answers = "ask",
    budget: Budget = "",
    out_dir: Annotated[Path | None, typer.Option("--out", help="Copy class, circuit, report and figures here.")] = None,
    json_file: Json = None,
    quiet: Quiet = False,
) -> None:
    """Search a quantum feature map for a data set and compare it with classical and quantum kernels."""
    with endings() as watch:
        check_budget(budget)
        from labwright.agents.settings import Settings
        from labwright.graphs.feature_map_search.running import SEARCH, SearchRequest
        from labwright.graphs.specification_runs import Job

        settings = Settings()
        watch.root = settings.runs
        mind = model or settings.model
        words = words_of(request, idea or [], mind)
        chosen = {
            "words": words,
            "dataset": dataset,
            "test": test,
            "preparation": preparation,
            "trials": trials,
            "ideas": ideas,
            "qubits": qubits,
            "features": features,
            "evaluations": evaluations,
            "persons_ideas": () if words else tuple(idea or ()),
            "papers": papers,
            "strategy": strategy,
            "baselines": tuple(name.strip() for name in baseline.split(",") if name.strip()) or None,
            "precision": precision,
            "memory_mb": memory_mb,
        }
        granted = {
            "papers_from": papers_from,
            "sandbox": "rlimits" if allow_weak_sandbox else "landlock",
            "approval": approve,
            "answers": answers,
            "budget": budget,
            "mind": mind,
        }
        wanted = [SearchRequest(choices=each) for each in searches({**chosen, **granted}, seed, seeds)]
        jobs = [Job(SEARCH.name, each.words, each.choices) for each in wanted]
        if seeds == 1:
            carry_out(jobs[0], watch, out_dir, json_file, quiet=quiet)
        elif not watch.only_read(*jobs):
            finish_seeds(run_seeds(wanted, settings.runs, watch, quiet), seeds, out_dir, json_file)


def words_of(request: str, ideas: list[str], mind: str) -> str:
    """What a model reads: the request, and ideas in words behind it. Without one ideas are refused as they stand."""
    said = [request_text(request, SUFFIXES, "Say what is wanted.")] if request else []
    said += [f"A map to begin with: {one}" for one in ideas if said or mind != "rules"]
    return "\n\n".join(said)


def searches(chosen: dict[str, Any], seed: int, seeds: int) -> list[Choices]:
    """The choices of each search, one a split.

    Raises:
        InputError: words are to be read for several splits, each of which would read them anew.
    """
    from labwright.graphs.feature_map_search.choices import Choices

    if chosen["words"] and seeds > 1:
        raise InputError("Words make one search. Run them once, then its spec.yaml with other seeds: labwright run")
    return [Choices.model_validate({**chosen, "seed": seed + k}) for k in range(seeds)]


def run_seeds(wanted: list[SearchRequest], root: Path, watch: Watch, quiet: bool) -> list[Outcome]:
    """One search after another, each a run of its own; the first that does not end well is the last."""
    from labwright.graphs.feature_map_search.running import start

    outcomes: list[Outcome] = []
    for request in wanted:
        if not quiet:
            err().print(f"[bold]seed {request.choices.seed}[/] ({len(outcomes) + 1} of {len(wanted)})")
        with SearchProgress(err(), watch, quiet=quiet) as progress:
            outcomes.append(start(request, root, on_event=progress.hear, on_question=asker(progress)))
        if outcomes[-1].status != "complete":
            break
    return outcomes


finish_search = finishing(print_search, *MADE, folders=FOLDERS)


def finish_seeds(outcomes: list[Outcome], seeds: int, out_dir: Path | None, json_file: Path | None) -> None:
    """Print mean and spread over the seeds; if one search did not end well, say which."""
    last = outcomes[-1]
    done = [outcome for outcome in outcomes if outcome.status == "complete"]
    if out_dir is not None:
        for outcome in done:
            target = out_dir.expanduser() / f"seed-{outcome.document['seed']}"
            copy_results(outcome.run_dir, target, (*COPIED, *MADE), *FOLDERS)
    found = over_seeds([outcome.result for outcome in done]) if done else {}
    result: dict[str, Any] = {**found, "wanted_seeds": seeds, "runs": [outcome.run_id for outcome in outcomes]}
    document = {"run_id": "", "system": "feature_map_search", "status": last.status, "reason": last.reason}
    spent = sum(outcome.document["seconds"] for outcome in outcomes)
    write_document(json_file, {**document, "result": result, "seconds": spent, "mind": last.document["mind"]})
    if found:
        out().print(accuracy_table(found))
    for outcome in outcomes:
        out().print(f"seed {outcome.document['seed']}: labwright runs show {outcome.run_id}", soft_wrap=True)
    if last.status != "complete":
        print_search(out(), last)
    leave(last)
