"""The compiled rules score as the trees do, on random ensembles."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuparse.boost import GrownTree
from gpuparse.boost.compounds import Literals
from gpuparse.boost.ensemble import Ensemble
from gpuparse.jit import kernel
from gpuparse.kernels import BitRows, KnownRows, RuleWeights
from gpuparse.kernels.cpu.score import score, score_rows
from gpuparse.parse.features.groups import GROUPS
from gpuparse.parse.features.space import FeatureSpace
from gpuparse.parse.logic.vocabulary import build_vocabulary
from gpuparse.parse.model.file import load_model
from gpuparse.parse.model.rules import FIXED_POINT, Rules, View, view_of
from gpuparse.pretrained.bundled import find_model
from gpuparse.trees import load_language, parse_trees
from tests.boost.oracle import score_of_trees
from tests.parse.model import oracle
from tests.parse.search.generated import lay_out_all
from tests.small_model import small_model
from tests.work import calls_of

by_difference = kernel(score_rows)
TREEBANK = "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (NNS cats)))))"


@cache
def small_space() -> FeatureSpace:
    return FeatureSpace(build_vocabulary(parse_trees(TREEBANK), load_language()))


def firing(rules: Rules, present: set[int], space: FeatureSpace) -> np.ndarray:
    """The rules that fire, as bits: those that are satisfied in every view."""
    fires = np.full(rules.blocks, 2**64 - 1, np.uint64)
    views = [view_of(GROUPS[group]) for group in space.place(rules.features)[0]]
    for view in View:
        row, planes = rules.layout.blank[view].copy(), rules.layout.planes[view]
        for number, feature in enumerate(rules.features.tolist()):
            if feature in present and views[number] == view:
                for word, bits in rules.marks.set[rules.marks.starts[number] : rules.marks.starts[number + 1]]:
                    row[int(word)] |= bits
        fires &= ~row[: rules.blocks]
        for start, stop in pairwise(planes[1:].tolist()):
            fires[: stop - start] &= row[start:stop]
    return fires & np.bitwise_or.reduce(rules.layout.of_label, axis=0)


def compiled_scores(rules: Rules, present: set[int], space: FeatureSpace) -> np.ndarray:
    """The score of each label."""
    scores = rules.constant[None].copy()
    score(firing(rules, present, space)[None], rules.label, rules.weight, scores)
    return scores[0] / FIXED_POINT


FEATURES = np.linspace(0, small_space().size - 1, 90).astype(int).tolist()  # some of every group and property


@st.composite
def grown_trees(draw: st.DrawFn, fuel: int = 12) -> GrownTree:
    """Any decision tree over a few features; a feature may come twice on a path."""
    pool = draw(st.lists(st.sampled_from(FEATURES), min_size=1, max_size=8, unique=True))
    rows: list[list[float]] = []

    def grow(depth: int) -> int:
        at = len(rows)
        rows.append([-1, -1, -1, 0.0])
        if depth < 6 and len(rows) < fuel and draw(st.booleans()):
            rows[at][0] = draw(st.sampled_from(pool))
            rows[at][1] = grow(depth + 1)
            rows[at][2] = grow(depth + 1)
        else:
            rows[at][3] = draw(st.sampled_from([0.0, 0.5, -1.25]) | st.floats(-8, 8))
        return at

    grow(0)
    return GrownTree.of(*zip(*rows, strict=True))


ensembles = st.lists(grown_trees(), max_size=4).map(
    lambda trees: Ensemble.of(trees, [1.0 / (n + 1) for n in range(len(trees))])
)


def compile_at(several: Sequence[Ensemble], lambda_: float) -> Rules:
    compounds = {label: ensemble.compounds(lambda_) for label, ensemble in enumerate(several)}
    frequency = np.arange(small_space().size)[::-1]
    return lay_out_all(compounds, len(several), small_space(), frequency)


@settings(max_examples=100, deadline=None)
@given(
    several=st.lists(ensembles, min_size=1, max_size=3),
    present=st.lists(st.sets(st.sampled_from(FEATURES)), min_size=1, max_size=4),
    lambda_=st.sampled_from([0.0, 0.4, 2.0]),
)
def test_rules_score_as_the_trees_do(several: list[Ensemble], present: list[set[int]], lambda_: float) -> None:
    rules = compile_at(several, lambda_)
    for features in present:
        expected = [score_of_trees(ensemble, features, lambda_) for ensemble in several]
        assert compiled_scores(rules, features, small_space()) == pytest.approx(expected, abs=1e-9)


def chain(features: Sequence[int], value: float) -> GrownTree:
    """The tree whose only leaf of some value is reached by those that have none of the features."""
    n = len(features)
    return GrownTree.of(
        [feature for f in features for feature in (f, -1)] + [-1],
        [child for at in range(n) for child in (2 * at + 1, -1)] + [-1],
        [child for at in range(n) for child in (2 * at + 2, -1)] + [-1],
        [0.0] * (2 * n) + [value],
    )


@settings(max_examples=50, deadline=None)
@given(
    features=st.lists(st.sampled_from(FEATURES), max_size=20, unique=True),
    present=st.sets(st.sampled_from(FEATURES)),
)
def test_a_conjunction_of_nothing_but_negations_scores_as_it_is_defined(features: list[int], present: set[int]) -> None:
    rules = compile_at([Ensemble.of([chain(features, 1.5)], [1.0])], 0.0)
    expected = 0.0 if present & set(features) else 1.5
    assert compiled_scores(rules, present, small_space()) == pytest.approx([expected], abs=1e-9)


def test_every_rule_is_for_one_label_and_fires_by_its_weight_once() -> None:
    rules = small_model().rules()
    count = np.bitwise_count(rules.layout.of_label)
    assert count.sum() == len(rules.label)
    assert count.sum(axis=1).tolist() == np.bincount(rules.label, minlength=len(count)).tolist()
    scores = np.zeros((1, len(count)), np.int64)
    score(np.bitwise_or.reduce(rules.layout.of_label, axis=0)[None], rules.label, rules.weight, scores)
    assert scores[0].tolist() == [rules.weight[rules.label == label].sum() for label in range(len(count))]


rows_of_bits = st.lists(st.lists(st.integers(0, 2**64 - 1), min_size=2, max_size=2), min_size=1, max_size=12)


@settings(max_examples=60, deadline=None)
@given(rows=rows_of_bits, seed=st.integers(0, 2**16))
def test_rows_scored_by_difference_from_whatever_is_known_are_the_sums_of_what_fires(
    rows: list[list[int]], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    labels, weights = rng.integers(0, 3, 128).astype(np.int32), rng.integers(-(2**50), 2**50, 128)
    constant = rng.integers(-9, 9, 3)
    earlier = KnownRows(np.zeros((4, 2), np.uint64), np.tile(constant, (4, 1)))
    for _ in range(2):
        fires = np.array(rows, np.uint64)
        places, alike = rng.integers(0, 4, (2, len(rows)))
        expected = [
            [
                int(constant[label])
                + sum(int(weights[r]) for r in range(128) if labels[r] == label and row[r // 64] >> r % 64 & 1)
                for label in range(3)
            ]
            for row in rows
        ]
        scores = np.empty((len(rows), 3), np.int64)
        by_difference(RuleWeights(labels, weights), BitRows(fires, places, alike, scores), earlier)
        assert scores.tolist() == expected
        sums = np.tile(constant, (len(rows), 1))
        score(fires, labels, weights, sums)
        assert sums.tolist() == expected
        rows = rows[::-1]


def test_rules_that_cancel_out_are_left_out() -> None:
    opposite = [chain(FEATURES[:3], 0.5), chain(FEATURES[:3], -0.5)]
    rules = compile_at([Ensemble.of(opposite, [1.0, 0.5])], 0.0)
    assert len(rules.features) == len(rules.weight) == 0
    assert len(compile_at([Ensemble.of(opposite, [1.0, 0.5])], 0.7).weight) == 1


def assert_same(rules: Rules, expected: Rules) -> None:
    for name, array, other in zip(
        (*Rules._fields[:4], *rules.marks._fields, *rules.layout._fields),
        (*rules[:4], *rules.marks, *rules.layout),
        (*expected[:4], *expected.marks, *expected.layout),
        strict=True,
    ):
        assert (array.dtype, array.shape) == (other.dtype, other.shape), name
        assert array.tobytes() == other.tobytes(), name


@settings(max_examples=200, deadline=None)
@given(several=st.lists(ensembles, max_size=3), lambda_=st.sampled_from([0.0, 0.4, 2.0]), seed=st.integers(0, 9))
def test_compounds_and_their_layout_are_what_they_are_defined_to_be(
    several: list[Ensemble], lambda_: float, seed: int
) -> None:
    theta = {label: oracle.compounds(ensemble, lambda_) for label, ensemble in enumerate(several)}
    for label, ensemble in enumerate(several):
        assert list(ensemble.compounds(lambda_).items()) == list(theta[label].items())
    frequency = np.random.default_rng(seed).integers(-3, 3, small_space().size)
    expected = oracle.compile_rules(theta, len(several), small_space(), frequency)
    assert_same(lay_out_all(theta, len(several), small_space(), frequency), expected)


rules_of_a_label = st.dictionaries(
    st.dictionaries(st.sampled_from(FEATURES), st.booleans(), max_size=5).map(
        lambda there: tuple(sorted(there.items()))
    ),
    st.sampled_from([0.5, -2.0, 1e-15]),  # the last is no weight in fixed point
    max_size=200,
)


@settings(max_examples=40, deadline=None)
@given(theta=st.dictionaries(st.integers(0, 4), rules_of_a_label))
def test_many_rules_are_laid_out_as_they_are_defined_to_be(theta: dict[int, dict[Literals, float]]) -> None:
    frequency = np.arange(small_space().size) // 7
    expected = oracle.compile_rules(theta, 5, small_space(), frequency)
    assert_same(lay_out_all(theta, 5, small_space(), frequency), expected)


@pytest.mark.parametrize("lambda_", [0.0, 3.0])
def test_the_bundled_model_is_laid_out_as_it_is_defined_to_be(lambda_: float) -> None:
    model = load_model(find_model())
    theta = {at: oracle.compounds(model.ensembles[name], lambda_) for at, name in enumerate(model.vocabulary.labels)}
    frequency = np.zeros(model.space.size, np.int64)
    frequency[[*model.rarity]] = [-rank for rank in model.rarity.values()]
    expected = oracle.compile_rules(theta, len(theta), model.space, frequency)
    assert_same(model.rules(lambda_), expected)


def test_laying_out_a_model_takes_a_fraction_of_what_its_definition_takes() -> None:
    model = load_model(find_model())
    plain, quick = (
        sum(calls_of(partial(compute, ensemble, 0.0)) for ensemble in model.ensembles.values())
        for compute in (oracle.compounds, Ensemble.parameters)
    )
    assert quick < plain / 5
