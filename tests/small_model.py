"""A small model and a small tagger for tests, learned from synthetic sentences in a few seconds."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from gpuparse.boost import Ensemble, Options, fit
from gpuparse.options import Strategy
from gpuparse.parse.features.examples import Source, TrainingData, build_training_data
from gpuparse.parse.logic.vocabulary import Vocabulary, build_vocabulary
from gpuparse.parse.model.contents import pack
from gpuparse.parse.model.file import to_bytes
from gpuparse.parse.model.model import CurvePoint, Model
from gpuparse.tag import Tagger, train_tagger
from gpuparse.trees import Tree, load_language, prepare, strip, synthetic_treebank

MAX_CHILDREN = 5


def synthetic_trees(number: int, seed: int = 0) -> list[Tree]:
    """Prepared synthetic trees."""
    prepared = (prepare(tree, load_language()).tree for tree in synthetic_treebank(number, seed))
    return [tree for tree in prepared if tree is not None]


@cache
def small_model(sentences: int = 120, strategy: Strategy = Strategy.r2l, max_trees: int | None = None) -> Model:
    """A model of some 165 trees that parses synthetic sentences with an F1 in the eighties; made once a test run."""
    trees = synthetic_trees(sentences)
    vocabulary = build_vocabulary(trees, load_language())
    data = build_training_data(Source(trees, vocabulary, strategy, MAX_CHILDREN))
    ensembles = _ensembles(data, vocabulary, Options(max_trees=max_trees, eta=0.5, min_lambda=0.1))
    tested = {int(feature) for ensemble in ensembles.values() for feature in ensemble.feature if feature >= 0}
    rank = {int(feature): column for column, feature in enumerate(data.matrix.numbers)}
    gold = data.candidates.gold
    return Model(
        vocabulary,
        strategy,
        MAX_CHILDREN,
        ensembles,
        rarity={feature: rank[feature] for feature in tested},
        lambda_=0.1,
        curve=(CurvePoint(0.4, 110, 140, 75.0, 73.0, 73.99), CurvePoint(0.1, 165, 228, 88.0, 87.0, 87.5)),
        configuration={
            "strategy": strategy.name,
            "max_children": MAX_CHILDREN,
            "positive_examples": {n: int(np.sum(gold == at)) for at, n in enumerate(vocabulary.labels)},
        },
    )


@cache
def small_tagger(sentences: int = 120) -> Tagger:
    """A tagger of synthetic sentences."""
    return train_tagger([strip(tree).tokens() for tree in synthetic_treebank(sentences)])


def _ensembles(data: TrainingData, vocabulary: Vocabulary, options: Options) -> dict[str, Ensemble]:
    tasks = {label: data.candidates.of_label(at) for at, label in enumerate(vocabulary.labels)}
    return fit(data.matrix, tasks, options)


def tiny_model() -> Model:
    """A model of a few trees with a tagger."""
    return replace(small_model(60, Strategy.r2l, max_trees=5), tagger=small_tagger(60))


@cache
def tiny_bytes() -> bytes:
    """Its file."""
    return to_bytes(*pack(tiny_model()))
