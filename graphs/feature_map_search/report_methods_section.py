"""How a search chooses, what it spends and what it is measured against, in sentences for a person."""

from __future__ import annotations

from labwright.graphs.feature_map_search.choices import MAP_COST, Choices


def method_notes(choices: Choices) -> list[str]:
    """The rules that a search with these choices goes by, taken from the code that applies them."""
    from labwright.tools.datasets.split import SHARES

    train, validation, test = (f"{100 * share:g} %" for share in SHARES)
    rest = f"{test} for the test" if not choices.test else f"the third part to the training; tested on {choices.test}"
    return [
        f"Split with seed {choices.seed}, each class in its share: {train} of the samples for training, {validation}"
        f" for validation, {rest}; a data set with sizes of its own keeps those.",
        "Every map, constant and penalty C is chosen by one score: the accuracy on the validation part and in"
        f" {choices.folds}-fold cross-validation on the training part, weighted by their samples. The test part is"
        " opened once, at the end, for the best map and the baselines; nothing is chosen after that. Of two maps with"
        " the same score the one that was found first stays.",
        *_length(choices),
        *_baselines(choices),
    ]


def _length(choices: Choices) -> list[str]:
    """What a trial and an evaluation are, and what ends the search."""
    from labwright.tools.feature_maps.preparation_choice import COST

    maps, most = choices.trials * choices.ideas, choices.budget_of_evaluations
    own = f"{MAP_COST:g} for each map"
    auto = f" and {COST} to choose the preparation" if choices.preparation == "auto" else ""
    why = "as was asked" if choices.evaluations is not None else f"{own}{auto}"
    rules = "rules" in (choices.mind, choices.proposed_by)
    by = "the built-in rules propose" if rules else "a model proposes, in several calls for each map,"
    free = "" if rules else " `proposed_by = rules` searches without these calls."
    return [
        f"A trial is a round in which {by} {choices.ideas} maps: {choices.trials} trials are at most {maps} maps."
        + free,
        f"An evaluation is one kernel with one setting: at most {most} in all ({why}); what new maps do not need tunes"
        " the constants and C of the best map at the end." + ("" if choices.tune else " Here nothing is tuned."),
        "It ends when the trials or the evaluations are spent, or when the review of a trial sees nothing left to gain."
        " It does not count trials without improvement; a person can pause it after any trial and end it there.",
    ]


def _baselines(choices: Choices) -> list[str]:
    from labwright.tools.feature_maps.baselines import tuned_over
    from labwright.tools.feature_maps.compared_methods import ALL, TITLES

    names = ALL if choices.baselines is None else choices.baselines
    if not names:
        return ["It is compared with nothing."]
    most = choices.budget_of_evaluations
    return [
        f"Each baseline gets as much: at most {most} settings, the defaults first, then proposed by Optuna's seeded TPE"
        " (no grid), judged by the same score, never by the test part. Its best setting is tested once, on the samples"
        " of the map: McNemar's exact test, with Holm's correction over the table. gamma0 is 1 / (n_features Var(X)).",
        *(f"Baseline {TITLES[name]}: {tuned_over(name)}" for name in names),
    ]
