"""What is kept of what a tagger learned."""

from __future__ import annotations

import numpy as np

from gpuparse.tag.lexicon import Lexicon
from gpuparse.tag.pruning import SCALE, forget_words, prune
from gpuparse.tag.templates import parse_templates
from gpuparse.trees import Token


def test_small_weights_are_dropped_and_with_the_last_one_its_feature() -> None:
    weights = np.array([[0.5, -0.04], [0.04, 0.0], [-0.06, 100.0]], np.float32)
    rows = prune(np.array([2, 5, 9]), weights, np.ones((3, 2)), 0.05)
    assert rows.keys.tolist() == [2, 9]
    assert rows.starts.tolist() == [0, 1, 3]
    assert rows.tags.tolist() == [0, 0, 1]
    assert rows.weights.tolist() == [SCALE // 2, round(-0.06 * SCALE), 32767]


def test_a_weight_that_rounds_to_nothing_is_dropped() -> None:
    assert len(prune(np.array([1]), np.full((1, 1), 1e-5, np.float32), np.ones((1, 1)), 0.0).keys) == 0


def test_the_more_evidence_there_is_the_smaller_a_weight_may_be() -> None:
    weights, evidence = np.full((2, 1), 0.03, np.float32), np.array([[1.0], [4.0]])
    assert prune(np.array([2, 5]), weights, evidence, 0.05).keys.tolist() == [5]


def test_rare_words_that_no_feature_asks_for_are_forgotten_and_the_others_renumbered() -> None:
    sentences = [[Token(word, "N") for word in ("a", "a", "a", "b", "c", "d")]]
    lexicon = Lexicon.learn(sentences, known=1, frequent=3)
    assert lexicon.words == ("a", "b", "c", "d")
    patterns = parse_templates(["suffix1+0", "lower-1 word+0", "tag-1", "tag-1 tag-2"], lexicon.attribute_names)
    keys = np.array([4 << 36, 1 << 54 | 1 << 36 | 3 << 18, 1 << 54 | 4 << 36, 2 << 54 | 2 << 36])
    kept, changed = forget_words(lexicon, patterns, keys)
    assert kept.words == ("a", "c", "d")
    assert changed.tolist() == [4 << 36, 1 << 54 | 1 << 36 | 2 << 18, 1 << 54 | 3 << 36, 2 << 54 | 2 << 36]
    assert kept.candidates("b") == lexicon.candidates("b")
