"""A little of each kind of work, done so that everything it calls gets compiled."""

from __future__ import annotations

import tempfile
from pathlib import Path

from gpuparse.boost.options import Options

PRACTICE_SENTENCE = "She left."
PRACTICE_SENTENCES = 60  # of the synthetic treebank: enough for every kernel to be called
SAMPLES = (1_000, Options.sample)  # examples to grow a tree on: fewer than there are, and all of them


def practise_parsing() -> None:
    """Tag and parse a sentence."""
    from gpuparse.api import load

    parser = load()
    parser.parse(PRACTICE_SENTENCE)
    if parser.model.tagger is not None:
        parser.model.tagger.tag(PRACTICE_SENTENCE.split())  # many sentences are tagged by another function than one


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
    """Train a small model, with a tagger, on samples and on all examples, and on rows that a pilot has chosen."""
    from gpuparse.device import find_device
    from gpuparse.options import TrainingOptions
    from gpuparse.parse.sources import WeightedTree
    from gpuparse.parse.train import split_corpus, train
    from gpuparse.trees import load_language, synthetic_treebank

    language = load_language()
    for sample in SAMPLES:
        learn = Options(eta=0.5, max_trees=8, sample=sample)
        options = TrainingOptions(jobs=1, learn=learn, thinned_from=0 if sample < max(SAMPLES) else 10**9)
        corpus = split_corpus(list(map(WeightedTree, synthetic_treebank(PRACTICE_SENTENCES))), None, language, options)
        with tempfile.TemporaryDirectory() as folder:
            train(corpus, language, options, Path(folder, "log.jsonl"), [find_device("cpu").kernels])
