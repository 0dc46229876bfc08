"""A little of each kind of work, done so that everything it calls gets compiled."""

from __future__ import annotations

import tempfile
from pathlib import Path

from gpuparse.boost.options import Options

PRACTICE_SENTENCE = "She left."
PRACTICE_SENTENCES = 60  # of the synthetic treebank: enough for every kernel to be called


def practise_parsing() -> None:
    """Tag and parse a sentence."""
    from gpuparse.api import load

    parser = load()
    parser.parse(PRACTICE_SENTENCE)
    if parser.model.tagger is not None:
        parser.model.tagger.tag(PRACTICE_SENTENCE.split())  # many sentences are tagged by another function than one
        parser.model.tagger.rank(PRACTICE_SENTENCE.split(), 2)


def practise_explaining() -> None:
    """Explain a parse."""
    from gpuparse.device import find_device
    from gpuparse.parse.explain.explainer import Explainer
    from gpuparse.parse.model.file import load_model
    from gpuparse.pretrained.bundled import find_model
    from gpuparse.trees import Sentence, Token

    explainer = Explainer(load_model(find_model(None)), find_device("cpu").kernels)
    explainer.explain(Sentence((Token("She", "PRP"), Token("left", "VBD")), kept=(0, 1)))


def practise_training() -> None:
    """Train small models, with taggers."""
    practise_plain_training()
    practise_thinned_training()


def practise_plain_training() -> None:
    """Train on all rows, and grow trees on samples of their examples."""
    _train(1_000, thinned=False)


def practise_thinned_training() -> None:
    """Train on rows that a pilot has chosen, and grow trees on all of their examples."""
    _train(Options.sample, thinned=True)


def _train(sample: int, thinned: bool) -> None:
    from gpuparse.device import find_device
    from gpuparse.options import TrainingOptions
    from gpuparse.parse.sources import WeightedTree
    from gpuparse.parse.train import split_corpus, train
    from gpuparse.trees import load_language, synthetic_treebank

    language = load_language()
    learn = Options(eta=0.5, max_trees=8, sample=sample)
    options = TrainingOptions(jobs=1, learn=learn, thinned_from=0 if thinned else 10**9)
    trees = [WeightedTree(tree) for tree in synthetic_treebank(PRACTICE_SENTENCES)]
    corpus = split_corpus(trees, None, language, options)
    with tempfile.TemporaryDirectory() as folder:
        train(corpus, language, options, Path(folder, "log.jsonl"), [find_device("cpu").kernels])
