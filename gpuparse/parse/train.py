"""From a treebank to a model: tagger, preparation, features, learning label by label, calibration on a tuning set."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gpuparse.boost import Session, Watcher, learn
from gpuparse.errors import TrainingError
from gpuparse.evaluate import evaluate
from gpuparse.jit import compile_meanwhile, telling, wait_until_compiled
from gpuparse.options import TrainingOptions
from gpuparse.parse.features.cache import cache_key, training_data
from gpuparse.parse.features.examples import Source
from gpuparse.parse.labels import LabelTasks, assemble
from gpuparse.parse.logic.vocabulary import build_vocabulary
from gpuparse.parse.model.contents import Flaw, check_tagger_size
from gpuparse.parse.model.model import CurvePoint, Model
from gpuparse.parse.needs import Needs, check_needs, estimate_needs, jobs_within
from gpuparse.parse.pilot import is_thinned, memory_bound, needs_when_thinned, plan_thinning
from gpuparse.parse.search.parser import Parser
from gpuparse.parse.sources import WeightedTree
from gpuparse.parse.thinning import threshold_for
from gpuparse.tag import Knowledge, TaggedSource, Tagger, TaggerOptions, jackknife, train_tagger
from gpuparse.trees import Language, Prepared, Token, Tree, count_words, prepare, rename, restore, strip
from gpuparse.words import WordClasses

FOLDS = 10  # of cross-validated tagging
FOLDS_WITH_SOURCES = 3  # the same where every fold learns from other tagged text too, which takes long


class Observer(Watcher):
    """Hears how far training has come, and learning within it; the command line shows it. A task is a label's."""

    def reading(self, share: Callable[[], float | None]) -> None:
        """The treebank is being read, each tree a step; `share` says how much has been read, if that can be known."""

    def corpus(self, corpus: Corpus, skipped: int) -> None:
        """The treebank was read; so many malformed trees were skipped."""

    def needs(self, needs: Needs, warnings: Sequence[str]) -> None:
        """About what the run takes; warnings say where that may be too much."""

    def stage(self, name: str, total: int) -> None:
        """A stage begins, which takes so many steps; 0: unknown."""

    def step(self) -> None:
        """A step of the stage is done."""

    def thinned(self, rows: int, of_rows: int, too_little_memory: bool) -> None:
        """So many rows of the feature matrix were kept, of about so many; with more memory more would have been."""

    def point(self, point: CurvePoint) -> None:
        """The tuning set was parsed at a lambda."""


class GoldSentence(NamedTuple):
    """A sentence of the treebank."""

    tree: Tree  # as it was
    prepared: Prepared
    weight: float = 1.0  # what it counts in training


@dataclass(frozen=True)
class Corpus:
    """Sentences to learn from, and sentences to choose lambda by, with the trees to score against."""

    training: list[GoldSentence]
    tuning: list[GoldSentence]
    unused: list[Tree]  # too long, or with no word in them; only a tagger learns from these
    sources: Sequence[TaggedSource] = ()  # tagged text beyond the treebank, also for the tagger alone
    classes: WordClasses | None = None  # of words, those of other texts too

    @property
    def left_out(self) -> int:
        """The number of sentences that the parser does not learn from."""
        return len(self.unused)

    def trees(self) -> list[Tree]:
        """What the parser learns from."""
        return [sentence.prepared.tree for sentence in self.training if sentence.prepared.tree is not None]

    def weights(self) -> list[float]:
        """What each of those trees counts; empty where all count the same."""
        weights = [sentence.weight for sentence in self.training if sentence.prepared.tree is not None]
        return weights if set(weights) != {1.0} else []

    def tagged(self, language: Language) -> list[list[Token]]:
        """What a tagger learns from: all but the tuning sentences, with every token; those of `training` come first."""
        trees = [*(sentence.tree for sentence in self.training), *self.unused]
        return [strip(tree, language).tokens() for tree in trees]


def split_corpus(
    treebank: Sequence[WeightedTree], tuning: Sequence[Tree] | None, language: Language, options: TrainingOptions
) -> Corpus:
    """Prepare the trees; without a tuning set a random fraction of the treebank, by the seed, is set aside for it."""
    sentences, unused = _prepared(treebank, language, options.max_words)
    if tuning is not None:
        held_out, _ = _prepared(list(map(WeightedTree, tuning)), language, options.max_words)
    else:
        size = math.ceil(options.tune_fraction * len(sentences)) if len(sentences) > 1 else 0
        chosen = set(np.random.default_rng(options.seed).permutation(len(sentences))[:size].tolist())
        held_out = [sentence for number, sentence in enumerate(sentences) if number in chosen]
        sentences = [sentence for number, sentence in enumerate(sentences) if number not in chosen]
    return Corpus(sentences, held_out, unused)


def _prepared(
    trees: Sequence[WeightedTree], language: Language, max_words: int | None
) -> tuple[list[GoldSentence], list[Tree]]:
    """The trees that can be used, with their preparation, and those that can't."""
    usable, unused = [], []
    for tree, weight in trees:
        prepared = prepare(tree, language)
        long = max_words is not None and count_words(prepared.sentence.tokens, language) > max_words
        if prepared.tree is None or long:
            unused.append(tree)
        else:
            usable.append(GoldSentence(tree, prepared, weight))
    return usable, unused


def retag(
    corpus: Corpus, tagger: Tagger, language: Language, options: TaggerOptions, knowledge: Knowledge | None = None
) -> Corpus:
    """The corpus prepared again, each sentence with tags given by a tagger that did not learn from it.

    Those of training are tagged by cross-validation; those of tuning, which the tagger never saw, by the tagger itself.
    """
    words = ([token.word for token in strip(sentence.tree, language).tokens()] for sentence in corpus.tuning)

    def prepared(sentences: Sequence[GoldSentence], tags: Iterable[Sequence[Token]]) -> list[GoldSentence]:
        pairs = zip(sentences, tags, strict=False)  # cross-validation also gives the tags of the sentences left out
        return [
            sentence._replace(prepared=prepare(with_tags(sentence.tree, tokens, language), language))
            for sentence, tokens in pairs
        ]

    folds = FOLDS_WITH_SOURCES if corpus.sources else FOLDS
    retagged = jackknife(corpus.tagged(language), folds, options, knowledge)
    return replace(
        corpus,
        training=prepared(corpus.training, retagged),
        tuning=prepared(corpus.tuning, tagger.tag_many(words)),
    )


def with_tags(tree: Tree, tokens: Sequence[Token], language: Language) -> Tree:
    """A tree, stripped, with the tags of the tokens.

    Punctuation and quotes keep their tags, and no other word gets one of those: preparation keeps the same tokens.

    >>> from gpuparse.trees import load_language, parse_tree
    >>> tokens = [Token("Go", "NN"), Token("on", ","), Token("!", "NN")]
    >>> str(with_tags(parse_tree("(VP (VB Go) (RP on) (. !))"), tokens, load_language()))
    '(VP (NN Go) (RP on) (. !))'
    """
    stripped = strip(tree, language)
    fixed = language.raised | language.quotes
    tags = iter(tokens)
    labels = []
    for label, word in zip(stripped.labels, stripped.words, strict=True):
        tag = label if word is None else next(tags).tag
        labels.append(label if label in fixed or tag in fixed else tag)
    return stripped.relabelled(labels)


def train(
    corpus: Corpus,
    language: Language,
    options: TrainingOptions,
    log: Path,
    devices: Sequence[Any],
    cache: Path | None = None,
    observer: Observer | None = None,
) -> Model:
    """Learn a model; the devices share the labels, and the first parses the tuning set.

    A run that was stopped goes on from its log; the cache folder, if any, keeps the feature matrix.
    """
    observer = observer or Observer()
    telling.expect("training")
    _check_needs(corpus, language, options, log.parent, cache, observer)
    compile_meanwhile()  # what calibration parses with
    tagger, corpus = _learn_tags(corpus, language, options, observer)
    trees = corpus.trees()
    vocabulary = build_vocabulary(trees, language, corpus.classes)
    source = Source(trees, vocabulary, options.strategy, options.max_children, options.seed, corpus.weights())
    thinning = plan_thinning(source, options, log.parent, observer)
    observer.stage("features", len(trees))
    data = training_data(source, cache, lambda _: observer.step(), options.jobs, thinning)
    if thinning is not None:
        least = threshold_for(options.learn.min_lambda)
        observer.thinned(len(data.matrix.segments), thinning.rows, thinning.threshold > least)
    tasks = LabelTasks(data, vocabulary)
    observer.stage("labels", len(tasks))
    key = cache_key(source, thinning)
    jobs = jobs_within(memory_bound(options), data, options.jobs)
    if jobs < options.jobs:
        observer.plan(f"memory for {jobs} of {options.jobs} labels in parallel")
    histories = learn(data.matrix, tasks, options.learn, devices, jobs, Session(log, key, observer))
    model = replace(assemble(data, vocabulary, histories, options, thinning), tagger=tagger)
    if not corpus.tuning:
        return model
    wait_until_compiled()
    curve = calibrate(model, corpus.tuning, lambda_grid(model), options, devices[0], observer)
    return replace(model, lambda_=chosen_point(curve).lambda_, curve=tuple(curve))


def _check_needs(
    corpus: Corpus, language: Language, options: TrainingOptions, folder: Path, cache: Path | None, observer: Observer
) -> None:
    """Compare what the run takes with what is there, before the work starts."""
    trees = corpus.trees()
    vocabulary = build_vocabulary(trees, language, corpus.classes)
    source = Source(trees, vocabulary, options.strategy, options.max_children)
    needs = estimate_needs(source, options.jobs)
    if is_thinned(needs, options):
        needs = needs_when_thinned(needs, options)
    observer.needs(needs, check_needs(needs, folder, cache))


def _learn_tags(
    corpus: Corpus, language: Language, options: TrainingOptions, observer: Observer
) -> tuple[Tagger | None, Corpus]:
    """The tagger, if one is wanted, and the corpus with the tags that the parser is to learn on."""
    if not options.tagger:
        return None, corpus
    observer.stage("tagger", 0)
    tagger_options = TaggerOptions(seed=options.seed)
    knowledge = Knowledge(corpus.sources, language.tag_rules, corpus.classes)
    tagger = train_tagger(corpus.tagged(language), tagger_options, knowledge)
    try:
        check_tagger_size(tagger)
    except Flaw as flaw:
        raise TrainingError(f"the model can't be stored: {flaw}. Train it with --no-tagger.") from flaw
    if not options.retag:
        return tagger, corpus
    observer.stage("retagging", 0)
    wait_until_compiled()
    return tagger, retag(corpus, tagger, language, tagger_options, knowledge)


def chosen_point(curve: Sequence[CurvePoint]) -> CurvePoint:
    """The point with the best F1; of several the last, at the smallest lambda: a tie means little to tune on.

    >>> points = [CurvePoint(lambda_, 1, 1, f1, f1, f1) for lambda_, f1 in ((0.4, 90.0), (0.2, 95.0), (0.1, 95.0))]
    >>> chosen_point(points).lambda_
    0.1
    """
    return max(curve, key=lambda point: (point.f1, -point.lambda_))


def lambda_grid(model: Model, ratio: float = math.sqrt(2.0), points: int = 9) -> list[float]:
    """The lambdas to try: from where training ended up, each a ratio greater; the greatest first."""
    return [model.lambda_ * ratio**step for step in reversed(range(points))]


def calibrate(
    model: Model,
    tuning: Sequence[GoldSentence],
    lambdas: Sequence[float],
    options: TrainingOptions,
    kernels: Any,
    observer: Observer | None = None,
) -> list[CurvePoint]:
    """Parse the tuning set with the model at each lambda."""
    observer = observer or Observer()
    observer.stage("calibration", len(lambdas))
    language = model.vocabulary.language
    trees = [sentence.tree for sentence in tuning]
    gold = trees if language.scored_as_penn else [rename(strip(tree, language), language) for tree in trees]
    sentences = [sentence.prepared.tree.tokens() for sentence in tuning if sentence.prepared.tree is not None]

    def measure(lambda_: float) -> CurvePoint:
        parser = Parser(model.vocabulary, model.rules(lambda_), model.strategy, model.max_children, kernels)
        results = parser.parse(sentences, options.search)
        parsed = [
            restore(result.tree, sentence.prepared.sentence) for result, sentence in zip(results, tuning, strict=True)
        ]
        score = evaluate(gold, parsed).overall
        ensembles = model.ensembles.values()
        n_trees = sum(ensemble.trees_at(lambda_) for ensemble in ensembles)
        compounds = sum(len(ensemble.compounds(lambda_)) for ensemble in ensembles)
        return CurvePoint(lambda_, n_trees, compounds, score.precision, score.recall, score.f1)

    curve = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for point in pool.map(measure, lambdas):
            observer.step()
            observer.point(point)
            curve.append(point)
    return curve
