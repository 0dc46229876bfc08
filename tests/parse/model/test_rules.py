"""The compiled rules score as the trees do, on random ensembles."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuparse.boost import GrownTree
from gpuparse.boost.compounds import Literals
from gpuparse.boost.ensemble import Ensemble
from gpuparse.kernels.cpu.score import score
from gpuparse.parse.features.space import FeatureSpace
from gpuparse.parse.logic.vocabulary import build_vocabulary
from gpuparse.parse.model.file import load_model
from gpuparse.parse.model.rules import FIXED_POINT, PART_COLUMNS, Part, Rules, compile_rules
from gpuparse.pretrained.bundled import find_model
from gpuparse.trees import load_language, parse_trees
from tests.parse.model import oracle
from tests.small_model import small_model

TREEBANK = "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (NNS cats)))))"


@cache
def small_space() -> FeatureSpace:
    return FeatureSpace(build_vocabulary(parse_trees(TREEBANK), load_language()))


def parts_of(present: set[int], space: FeatureSpace) -> list[set[int]]:
    """For each part of an inference, those of its features that the part holds."""
    column = dict(zip(present, space.columns[space.place(np.array([*present], int))[0]], strict=True))
    return [{feature for feature in present if column[feature] in PART_COLUMNS[part]} for part in Part]


def compiled_scores(rules: Rules, present: set[int], space: FeatureSpace) -> np.ndarray:
    """The score of each label: the six parts of an inference, and the constant."""
    bits = np.zeros((len(Part), rules.words), np.uint64)
    for part, held in enumerate(parts_of(present, space)):
        for number in np.flatnonzero(np.isin(rules.features, [*held])).tolist():
            for at in range(rules.marks.starts[number], rules.marks.starts[number + 1]):
                word, some = rules.marks.set[at]
                bits[part, word] |= some
    scores = np.zeros((len(Part), len(rules.constant)), np.int64)
    score(bits, np.arange(len(Part), dtype=np.uint8), *rules.layout, scores)
    return (scores.sum(axis=0) + rules.constant) / FIXED_POINT


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
    return compile_rules(compounds, len(several), small_space(), frequency)


@settings(max_examples=100, deadline=None)
@given(
    several=st.lists(ensembles, min_size=1, max_size=3),
    present=st.lists(st.sets(st.sampled_from(FEATURES)), min_size=1, max_size=4),
    lambda_=st.sampled_from([0.0, 0.4, 2.0]),
)
def test_rules_score_as_the_trees_do(several: list[Ensemble], present: list[set[int]], lambda_: float) -> None:
    rules = compile_at(several, lambda_)
    for features in present:
        expected = [ensemble.score(features, lambda_) for ensemble in several]
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


def test_a_rule_is_tried_in_exactly_one_part() -> None:
    rules = small_model().rules()
    layout = rules.layout
    assert layout.run_eights[-1] == len(layout.eights) == len(set(layout.eights.tolist()))
    assert (np.diff(layout.run_eights) > 0).all()
    for part in Part:
        eights = layout.eights[
            layout.run_eights[layout.part_runs[part]] : layout.run_eights[layout.part_runs[part + 1]]
        ]
        first, last = layout.group_blocks[layout.part_groups[part : part + 2]]
        assert ((eights >= 8 * first) & (eights < 8 * last)).all()
    weights = layout.sums[:, 2 ** np.arange(4)]
    assert sorted(weights[weights != 0].tolist()) == sorted(rules.weight.tolist())


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
    assert_same(compile_rules(theta, len(several), small_space(), frequency), expected)


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
    assert_same(compile_rules(theta, 5, small_space(), frequency), expected)


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
    seconds = []
    for compute in (oracle.compounds, Ensemble.parameters):
        start = time.process_time()
        for ensemble in model.ensembles.values():
            compute(ensemble, 0.0)
        seconds.append(time.process_time() - start)
    assert seconds[1] < seconds[0] / 5
