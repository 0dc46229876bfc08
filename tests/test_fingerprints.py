"""Training learns, and parsing finds, what it did when the fingerprints were recorded."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from gpuparse.options import Method, SearchOptions
from gpuparse.parse.model.file import load_model
from gpuparse.pretrained.bundled import find_model
from gpuparse.trees import read_trees, strip, synthetic_treebank
from tests import fingerprints
from tests.small_model import small_model

SENTENCES = 200


@pytest.mark.parametrize("penalty", ["l1", "l2"])
@pytest.mark.parametrize("strategy", ["r2l", "l2r", "bu"])
def test_a_small_training_grows_the_trees_that_were_recorded(strategy: str, penalty: str) -> None:
    model = fingerprints.trained(synthetic_treebank(60), strategy, penalty, "cpu", max_trees=10)
    fingerprints.check(f"training {strategy} {penalty}", fingerprints.of_model(model))


@pytest.mark.parametrize("method", Method)
def test_synthetic_sentences_are_parsed_as_was_recorded(method: Method) -> None:
    sentences = (strip(tree).tokens() for tree in synthetic_treebank(SENTENCES, seed=7))
    options = SearchOptions(method, limit=3_000, k=3)
    fingerprints.check(f"parses {method.name}", fingerprints.of_parses(small_model(), sentences, options))


@pytest.mark.gum
def test_real_sentences_are_parsed_by_the_bundled_model_as_was_recorded(gum: Path) -> None:
    trees = islice(read_trees(gum / "dev"), 0, None, 7)
    sentences = (strip(tree).tokens() for tree in islice(trees, SENTENCES))
    model = load_model(find_model("english"))
    fingerprints.check("parses of gum", fingerprints.of_parses(model, sentences, SearchOptions(limit=20_000)))
