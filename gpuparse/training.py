"""From a treebank to a model: preparation, features, learning label by label, and calibration on a tuning set."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from gpuparse.errors import TrainingError
from gpuparse.evaluate import evaluate
from gpuparse.features.cache import cache_key, training_data
from gpuparse.features.examples import TrainingData
from gpuparse.learn import Attempt, Options, train_labels
from gpuparse.learn.path import Ensemble as Learned
from gpuparse.logic.strategy import Strategy
from gpuparse.logic.vocabulary import Vocabulary, build_vocabulary
from gpuparse.model.ensemble import Ensemble
from gpuparse.model.model import CurvePoint, Model
from gpuparse.search.parser import Parser, SearchOptions
from gpuparse.trees import Language, Prepared, Tree, count_words, prepare, restore


@dataclass(frozen=True)
class TrainingOptions:
    """What training is told, besides the treebank."""

    strategy: Strategy = Strategy.r2l
    max_words: int | None = None  # longer sentences are left out, of training and of tuning
    max_children: int = 5  # an item with more children can't be inferred; more of them cost time
    tune_fraction: float = 0.04  # of the treebank, kept from training to choose lambda, when no tuning set is given
    seed: int = 0
    jobs: int = 1  # labels learned side by side
    learn: Options = field(default_factory=Options)
    search: SearchOptions = field(default_factory=SearchOptions)  # for calibration

    def as_json(self) -> dict[str, Any]:
        """By names, for the model's file."""
        return {**asdict(self), "strategy": self.strategy.name}


class Observer:
    """Is told how far training has come; the command line shows it."""

    def corpus(self, corpus: Corpus, skipped: int) -> None:
        """The treebank was read; so many malformed trees were skipped."""

    def stage(self, name: str, total: int) -> None:
        """A stage begins, which takes so many steps; 0: nobody knows."""

    def step(self) -> None:
        """A step of the stage is done."""

    def tree(self, label: str, attempt: Attempt) -> None:
        """A tree was tried."""

    def label(self, label: str, end: str) -> None:
        """A label has come to its end, and why."""

    def point(self, point: CurvePoint) -> None:
        """The tuning set was parsed at a lambda."""


@dataclass(frozen=True)
class Corpus:
    """Sentences to learn from, and sentences to choose lambda by, with the trees to score against."""

    training: list[Tree]  # prepared
    tuning: list[tuple[Tree, Prepared]]  # as they were, and prepared
    left_out: int  # sentences too long, or with no word in them


def split_corpus(
    treebank: Sequence[Tree], tuning: Sequence[Tree] | None, language: Language, options: TrainingOptions
) -> Corpus:
    """Prepare the trees; without a tuning set a random fraction of the treebank, by the seed, is set aside for it."""
    sentences = _prepared(treebank, language, options.max_words)
    if tuning is not None:
        held_out = _prepared(tuning, language, options.max_words)
    else:
        size = math.ceil(options.tune_fraction * len(sentences)) if len(sentences) > 1 else 0
        chosen = set(np.random.default_rng(options.seed).permutation(len(sentences))[:size].tolist())
        held_out = [sentence for number, sentence in enumerate(sentences) if number in chosen]
        sentences = [sentence for number, sentence in enumerate(sentences) if number not in chosen]
    trees = [prepared.tree for _, prepared in sentences if prepared.tree is not None]
    left_out = len(treebank) - len(trees) - (len(held_out) if tuning is None else 0)
    return Corpus(trees, held_out, left_out)


def _prepared(trees: Sequence[Tree], language: Language, max_words: int | None) -> list[tuple[Tree, Prepared]]:
    both = ((tree, prepare(tree, language)) for tree in trees)
    return [
        (tree, prepared)
        for tree, prepared in both
        if prepared.tree is not None
        and (max_words is None or count_words(prepared.sentence.tokens, language) <= max_words)
    ]


def train(
    corpus: Corpus,
    language: Language,
    options: TrainingOptions,
    folder: Path,
    kernels: Any,
    cache: Path | None = None,
    observer: Observer | None = None,
    stop: threading.Event | None = None,
) -> Model:
    """Learn a model.

    The folder keeps a log a label, from which a run that was stopped goes on where it was; the cache folder, if any,
    the feature matrix.
    """
    observer = observer or Observer()
    vocabulary = build_vocabulary(corpus.training, language)
    observer.stage("features", len(corpus.training))
    source = (corpus.training, vocabulary, options.strategy, options.max_children, options.seed)
    data = training_data(*source, cache, lambda _: observer.step())
    learned = _learn(data, vocabulary, options, folder, kernels, cache_key(*source), observer, stop)
    if stop is not None and stop.is_set():
        raise KeyboardInterrupt
    model = _assemble(data, vocabulary, learned, options)
    if not corpus.tuning:
        return model
    curve = calibrate(model, corpus.tuning, lambda_grid(model), options, kernels, observer)
    best = max(curve, key=lambda point: (point.f1, point.lambda_))
    return replace(model, lambda_=best.lambda_, curve=tuple(curve))


def _learn(
    data: TrainingData,
    vocabulary: Vocabulary,
    options: TrainingOptions,
    folder: Path,
    kernels: Any,
    fingerprint: str,
    observer: Observer,
    stop: threading.Event | None,
) -> dict[str, Learned]:
    number = {label: at for at, label in enumerate(vocabulary.labels)}
    positive = positive_examples(data, vocabulary)
    observer.stage("labels", len(positive))
    return train_labels(
        positive,  # all labels have about as many examples; those with more to tell apart grow more trees
        lambda label: data.candidates.of_label(number[label]),
        data.matrix,
        options.learn,
        kernels,
        folder,
        fingerprint,
        options.jobs,
        observer.tree,
        observer.label,
        stop,
    )


def positive_examples(data: TrainingData, vocabulary: Vocabulary) -> dict[str, int]:
    """How many correct examples each label has."""
    counts = np.bincount(data.candidates.gold[data.candidates.gold >= 0], minlength=len(vocabulary.labels))
    return dict(zip(vocabulary.labels, counts.tolist(), strict=True))


def _assemble(
    data: TrainingData, vocabulary: Vocabulary, learned: dict[str, Learned], options: TrainingOptions
) -> Model:
    ensembles = {}
    rarity: dict[int, int] = {}
    for label, path in learned.items():
        trees = [attempt.tree for attempt in path.kept if attempt.tree is not None]
        ensembles[label] = Ensemble.of(trees, [attempt.lambda_ for attempt in path.kept], data.numbers)
        for tree in trees:
            rarity |= {int(data.numbers[column]): int(column) for column in tree.feature if column >= 0}
    ends = [float(ensemble.lambdas[-1]) for ensemble in ensembles.values() if len(ensemble.lambdas)]
    if not ends:
        raise TrainingError("nothing could be learned: no tree lowers the risk of any label")
    configuration = {
        **options.as_json(),
        "positive_examples": positive_examples(data, vocabulary),
        "uninferable": data.uninferable,
        "rows": len(data.matrix.segments),
        "features": len(data.matrix.column),
    }
    lowest = max(options.learn.min_lambda, min(ends))
    return Model(
        vocabulary, options.strategy, options.max_children, ensembles, rarity, lowest, configuration=configuration
    )


def lambda_grid(model: Model, ratio: float = math.sqrt(2.0), points: int = 9) -> list[float]:
    """The lambdas to try: from where training ended up, each a ratio greater; the greatest first."""
    return [model.lambda_ * ratio**step for step in reversed(range(points))]


def calibrate(
    model: Model,
    tuning: Sequence[tuple[Tree, Prepared]],
    lambdas: Sequence[float],
    options: TrainingOptions,
    kernels: Any,
    observer: Observer | None = None,
) -> list[CurvePoint]:
    """Parse the tuning set with the model at each lambda."""
    observer = observer or Observer()
    observer.stage("calibration", len(lambdas))
    gold = [tree for tree, _ in tuning]
    sentences = [prepared.tree.tokens() for _, prepared in tuning if prepared.tree is not None]

    def measure(lambda_: float) -> CurvePoint:
        parser = Parser(model.vocabulary, model.rules(lambda_), model.strategy, model.max_children, kernels)
        results = parser.parse(sentences, options.search)
        parsed = [
            restore(result.tree, prepared.sentence) for result, (_, prepared) in zip(results, tuning, strict=True)
        ]
        score = evaluate(gold, parsed).overall
        ensembles = model.ensembles.values()
        trees = sum(ensemble.trees_at(lambda_) for ensemble in ensembles)
        compounds = sum(len(ensemble.compounds(lambda_)) for ensemble in ensembles)
        return CurvePoint(lambda_, trees, compounds, score.precision, score.recall, score.f1)

    curve = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for point in pool.map(measure, lambdas):
            observer.step()
            observer.point(point)
            curve.append(point)
    return curve
