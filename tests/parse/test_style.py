"""A treebank in a style of its own, described by its language file, is learned and scored like one in Penn style."""

from __future__ import annotations

from pathlib import Path

from gpuparse.boost import Options
from gpuparse.kernels import cpu
from gpuparse.options import SearchOptions, TrainingOptions
from gpuparse.parse.model.model import Model
from gpuparse.parse.sources import WeightedTree
from gpuparse.parse.train import split_corpus, train
from gpuparse.trees import Language, Tree, load_language, parse_language, synthetic_treebank
from tests import fingerprints

OTHER = load_language().text
for penn, other in (
    ('"CC"', '"CCX"'),  # which is sorted where CC is, so that features have the same numbers
    ('traces = ["-NONE-"]', 'traces = ["*T*"]'),
    ('cut = ["-", "=", "|"]', 'cut = [":", "~~"]'),
    ('renamed = { PRT = "ADVP" }', 'renamed = { particle = "ADVP" }'),
    ('"``"', '"«"'),
    ("\"''\"", '"»"'),
):
    assert penn in OTHER
    OTHER = OTHER.replace(penn, other)

TAGS = {"CC": "CCX", "-NONE-": "*T*", "``": "«", "''": "»"}


def in_other_style(tree: Tree) -> Tree:
    """The same tree as a treebank of the other style has it."""
    return tree.relabelled(
        [
            TAGS.get(label, label)
            if word is not None
            else label.replace("PRT", "particle").replace("-", ":").replace("=", "~~")
            for label, word in zip(tree.labels, tree.words, strict=True)
        ]
    )


def learned(treebank: list[Tree], language: Language, folder: Path) -> Model:
    options = TrainingOptions(
        tune_fraction=0.2,
        tagger=False,
        learn=Options(max_trees=6, eta=0.5, min_lambda=0.2),
        search=SearchOptions(limit=500),
    )
    corpus = split_corpus([WeightedTree(tree) for tree in treebank], None, language, options)
    return train(corpus, language, options, folder, [cpu])


def test_the_style_of_a_treebank_changes_neither_what_is_learned_nor_its_scores(tmp_path: Path) -> None:
    treebank = list(synthetic_treebank(80, seed=5))
    there = {label for tree in treebank for label in tree.labels}
    assert there >= {"CC", "-NONE-", "``", "''", "PRT"}
    assert {mark for label in there for mark in "-=" if mark in label[1:-1]} == {"-"}
    penn = learned(treebank, load_language(), tmp_path / "penn")
    other = learned([in_other_style(tree) for tree in treebank], parse_language(OTHER), tmp_path / "other")
    assert "particle" not in other.vocabulary.labels
    assert "CCX" in other.vocabulary.tags
    assert other.vocabulary.labels == penn.vocabulary.labels
    assert other.curve == penn.curve
    assert max(point.f1 for point in other.curve) > 30
    assert fingerprints.of_model(other) == fingerprints.of_model(penn)
