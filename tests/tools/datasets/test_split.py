"""The split never parts a group, and nothing outside the training part is fitted to."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labwright.tools.datasets import SealedPart, load_dataset, prepare_split
from labwright.tools.datasets.checks import dataset_of
from labwright.tools.datasets.digits import distorted
from labwright.tools.errors import InputError


def toy(counts=(30, 20, 10), n_raw=6, groups=None, seed=0):
    random = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(counts)), counts)
    X = random.normal(size=(len(y), n_raw)) + y[:, None]
    return dataset_of("toy", X, y, groups=groups)


@pytest.fixture(scope="module")
def digits():
    return load_dataset("digits")


def test_digits_are_split_60_20_20_by_class(digits):
    split = prepare_split(digits, 20, 0)
    assert (len(split.train.y), len(split.validation.y), len(split.sealed)) == (1079, 359, 359)
    whole = np.bincount(digits.y) / len(digits.y)
    for part in (split.train, split.validation, split.sealed.open()):
        assert np.abs(np.bincount(part.y) - whole * len(part.y)).max() < 1.0


def test_the_training_part_spans_zero_to_one_and_the_others_are_not_clipped(digits):
    split = prepare_split(digits, 20, 0)
    assert split.train.X.min(axis=0) == pytest.approx(np.zeros(20), abs=1e-12)
    assert split.train.X.max(axis=0) == pytest.approx(np.ones(20), abs=1e-12)
    test = split.sealed.open().X
    assert test.min() < 0 or test.max() > 1


def test_the_same_seed_gives_the_same_bytes_and_another_seed_another_split(digits):
    first, again, other = (prepare_split(digits, 10, seed) for seed in (3, 3, 4))
    assert first.train.X.tobytes() == again.train.X.tobytes()
    assert first.facts == again.facts
    assert first.facts["train_sha256"] != other.facts["train_sha256"]


def test_validation_and_test_samples_have_no_effect_on_the_preparation():
    data = toy()
    split = prepare_split(data, 3, 0)
    # Every sample that is not in the training part becomes absurd; the training part must not change at all.
    rows = {tuple(np.round(row, 9)) for row in split.train.X}
    spoiled = data.X.copy()
    for number in range(len(data.y)):
        trial = data.X.copy()
        trial[number] += 1e6
        if prepare_split(replace(data, X=trial), 3, 0).train.X.tobytes() == split.train.X.tobytes():
            spoiled[number] += 1e6
    assert np.sum(spoiled[:, 0] > 1e5) == len(split.validation.y) + len(split.sealed)
    after = prepare_split(replace(data, X=spoiled), 3, 0)
    assert after.train.X.tobytes() == split.train.X.tobytes()
    assert rows == {tuple(np.round(row, 9)) for row in after.train.X}
    assert after.validation.X.max() > 1e3


def test_components_are_those_of_the_singular_value_decomposition():
    data = toy((40, 40))
    split = prepare_split(data, 4, 0)
    ratio = split.facts["explained_variance_ratio"]
    assert ratio == sorted(ratio, reverse=True)
    flat = split.train.X - split.train.X.mean(axis=0)
    assert np.abs(np.corrcoef(flat.T) - np.eye(4)).max() < 1e-9


@given(counts=st.lists(st.integers(8, 30), min_size=2, max_size=4), copies=st.integers(1, 4), seed=st.integers(0, 1000))
def test_no_group_is_ever_parted(counts, copies, seed):
    groups = np.repeat(np.arange(sum(counts)), copies)
    y = np.repeat(np.repeat(np.arange(len(counts)), counts), copies)
    X = np.random.default_rng(seed).normal(size=(len(y), 3))
    X[:, 0] = groups  # the first column tells the group after preparation too
    data = dataset_of("toy", X, y, groups=groups)
    split = prepare_split(data, 3, seed)
    assert split.facts["disjoint_groups"]
    assert split.groups is not None
    assert len(split.groups) == len(split.train.y)
    assert len(split.train.y) + len(split.validation.y) + len(split.sealed) == len(y)


@pytest.mark.slow  # draws 10,000 pictures
def test_augmented_digits_are_split_by_original_into_the_papers_sizes():
    data = load_dataset("digits-augmented")
    split = prepare_split(data, 5, 1)
    assert (len(split.train.y), len(split.validation.y), len(split.sealed)) == (6000, 2000, 2000)
    assert split.facts["disjoint_groups"]
    assert data.X.min() >= 0
    assert data.X.max() <= 1 + 1e-12


def test_a_distortion_depends_only_on_the_seed_the_image_and_the_copy():
    image = np.zeros((28, 28))
    image[8:20, 10:18] = 1.0
    first = distorted(image, 0, 7, 2)
    assert np.array_equal(first, distorted(image, 0, 7, 2))
    for other in (distorted(image, 1, 7, 2), distorted(image, 0, 8, 2), distorted(image, 0, 7, 3)):
        assert not np.array_equal(first, other)
    assert abs(first.sum() / image.sum() - 1) < 0.25


def test_sizes_as_numbers_and_as_shares(digits):
    counted = prepare_split(digits, 5, 0, (300, 100, 50))
    assert (len(counted.train.y), len(counted.validation.y), len(counted.sealed)) == (300, 100, 50)
    shared = prepare_split(digits, 5, 0, (0.5, 0.1, 0.1))
    assert (len(shared.train.y), len(shared.validation.y), len(shared.sealed)) == (898, 180, 180)


@pytest.mark.parametrize(
    ("sizes", "complaint"),
    [
        ((1000, 1000, 1000), "1797 samples; the parts need 3000"),
        ((0.6, 0.3, 0.3), "add up to 1.2"),
        ((0.6, 0.4), "three numbers"),
        ((0.8, 0.0, 0.2), "three numbers"),
        ((100, 100, 5), "A part of 5 samples of digits has none of class"),
    ],
)
def test_impossible_sizes_are_refused(digits, sizes, complaint):
    with pytest.raises(InputError, match=complaint):
        prepare_split(digits, 5, 0, sizes)


def test_a_class_with_too_few_samples_is_named():
    with pytest.raises(InputError, match="Class '2' of toy has only 4 samples"):
        prepare_split(toy((30, 20, 4)), 2, 0)


def test_a_class_with_too_few_groups_is_named():
    y = np.repeat([0, 1], 40)
    data = dataset_of("toy", np.random.default_rng(0).normal(size=(80, 3)), y, groups=np.arange(80) // 20)
    with pytest.raises(InputError, match="only 2 groups of samples"):
        prepare_split(data, 2, 0)


@pytest.mark.parametrize("n_features", [0, -1, 7, 1000])
def test_more_components_than_features_are_refused(n_features):
    with pytest.raises(InputError, match="Choose between 1 and 6"):
        prepare_split(toy(), n_features, 0)


def test_more_components_than_training_samples_are_refused():
    with pytest.raises(InputError, match="from 36 training samples of 50 features"):
        prepare_split(toy(n_raw=50), 40, 0)


def test_components_in_which_the_data_do_not_vary_are_zero_and_a_fact():
    wide = toy(n_raw=50)
    flat = dataset_of("flat", wide.X[:, :2] @ np.ones((2, 50)) + wide.X[:, :1] * np.arange(50), wide.y)
    split = prepare_split(flat, 5, 0)
    assert split.facts["n_empty_components"] == 3
    for part in (split.train, split.validation, split.sealed.open()):
        assert not part.X[:, 2:].any()
        assert part.X[:, :2].any()
    assert split.train.X[:, 1].max() == pytest.approx(1.0)


def test_some_constant_features_are_a_fact_and_no_error(digits):
    split = prepare_split(digits, 20, 0)
    assert split.facts["n_constant_features"] >= 3
    assert np.isfinite(split.train.X).all()


def test_facts_are_plain_json_and_say_nothing_of_the_test_labels(digits):
    import json

    facts = prepare_split(digits, 20, 0).facts
    assert json.loads(json.dumps(facts)) == facts
    assert facts["n_test"] == 359
    assert sum(facts["train_class_counts"].values()) == facts["n_train"]
    assert facts["data_set_sha256"] == digits.sha256
    assert not [key for key in facts if "test" in key and key not in ("n_test", "test_from")]


def test_an_official_test_part_leaves_all_samples_to_train_and_validate():
    data, official = toy(), toy((5, 6, 7), seed=1)
    split = prepare_split(data, 3, 0, test=official)
    assert len(split.train.y) + len(split.validation.y) == len(data.y)
    assert split.facts["n_test"] == len(split.sealed) == 18
    part = split.sealed.open()
    assert part.y.tolist() == official.y.tolist()
    assert part.raw.tobytes() == official.X.tobytes()
    assert pytest.approx(split.preparation.transform(official.X)) == part.X


def test_a_test_part_of_another_kind_or_of_the_same_samples_is_refused():
    with pytest.raises(InputError, match="has 5 features and the classes 0, 1, 2; toy has 6 and 0, 1, 2"):
        prepare_split(toy(), 3, 0, test=toy(n_raw=5))
    with pytest.raises(InputError, match="the classes 0, 1; toy has"):
        prepare_split(toy(), 3, 0, test=toy((8, 8)))
    with pytest.raises(InputError, match="is the data set that is trained on"):
        prepare_split(toy(), 3, 0, test=toy())


def test_the_test_part_opens_once():
    sealed = prepare_split(toy(), 2, 0).sealed
    assert isinstance(sealed, SealedPart)
    assert len(sealed.open().y) == len(sealed)
    with pytest.raises(InputError, match="opened before"):
        sealed.open()
