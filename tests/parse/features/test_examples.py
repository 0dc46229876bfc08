"""Training examples: as the plain way gives them, as recorded, and at every size."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuparse.options import Strategy
from gpuparse.parse.features import examples as examples_file
from gpuparse.parse.features.examples import Source, TrainingData, build_training_data
from gpuparse.parse.features.space import FeatureSpace
from gpuparse.parse.features.walk import NOT_ALLOWED
from gpuparse.parse.logic.goldpath import gold_path
from gpuparse.parse.logic.items import END, START
from gpuparse.parse.logic.vocabulary import Vocabulary, build_vocabulary
from gpuparse.trees import Tree, load_language, parse_tree, prepare, read_trees, synthetic_treebank
from tests.parse.features.oracle import Example, Walk, features, gold_items, known_values
from tests.parse.logic.generated import trees

ENGLISH = load_language()
STRATEGIES = [strategy.name for strategy in Strategy]


def examples_of(training: TrainingData, vocabulary: Vocabulary) -> dict[int, list[tuple[Example, int]]]:
    """The examples of each sentence, each with its row."""
    examples: dict[int, list[tuple[Example, int]]] = {}
    candidates = training.candidates
    first_state = np.searchsorted(candidates.sentences, np.arange(candidates.sentences.max() + 1))
    for number, label in enumerate(vocabulary.labels):
        allowed = np.flatnonzero(candidates.choices[:, number] != NOT_ALLOWED)
        for candidate, row, y, bias in zip(allowed, *candidates.of_label(number), strict=True):
            state = int(candidates.states[candidate])
            sentence = int(candidates.sentences[state])
            start, end = candidates.spans[candidate].tolist()
            i, j = candidates.children[candidate].tolist()
            head = int(candidates.heads[row])
            place = state - int(first_state[sentence])
            example = Example(place, label, start, end, (i, j), head, bool(y > 0), float(bias))
            examples.setdefault(sentence, []).append((example, int(row)))
    return examples


def order_of_path(tree: Tree, vocabulary: Vocabulary, strategy: str, seed: object) -> list[tuple[str, int, int]] | None:
    """The path that the seed gives; None where the strategy leaves no choice."""
    if strategy != "bu":
        return None
    path = gold_path(tree, vocabulary, Strategy.bu, seed)
    inferred = zip(path.labels, path.items, strict=True)
    return [(vocabulary.labels[label], int(row[START]), int(row[END])) for label, row in inferred if label >= 0]


class Names:
    """The features of rows in words, sorted."""

    def __init__(self, training: TrainingData, vocabulary: Vocabulary) -> None:
        space = FeatureSpace(vocabulary)
        self._matrix = training.matrix
        self._names = [space.name(int(number)) for number in training.matrix.numbers]
        self._rows: dict[int, list[str]] = {}

    def of(self, row: int) -> list[str]:
        if row not in self._rows:
            self._rows[row] = sorted(self._names[feature] for feature in self._matrix.row(row))
        return self._rows[row]


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=40, deadline=None)
@given(treebank=st.lists(trees(), min_size=1, max_size=3), max_children=st.integers(1, 6), seed=st.integers(0, 99))
def test_examples_are_those_of_the_definitions(
    strategy: str, treebank: list[Tree], max_children: int, seed: int
) -> None:
    vocabulary = build_vocabulary(treebank, ENGLISH)
    training = build_training_data(Source(treebank, vocabulary, Strategy[strategy], max_children, seed))
    examples = examples_of(training, vocabulary)
    uninferable = 0
    for number, tree in enumerate(treebank):
        walk = Walk(tree, ENGLISH, strategy, order_of_path(tree, vocabulary, strategy, [seed, number]))
        expected = walk.examples(vocabulary.labels, max_children)
        assert sorted(example for example, _ in examples.get(number, [])) == sorted(expected)
        for item in walk.gold:
            uninferable += len(item.children) > (1 if item.label == "TOP" else max_children)
    assert training.uninferable == uninferable


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=30, deadline=None)
@given(treebank=st.lists(trees(), min_size=2, max_size=2))
def test_features_are_those_of_the_definitions(strategy: str, treebank: list[Tree]) -> None:
    vocabulary = build_vocabulary(treebank, ENGLISH)
    training = build_training_data(Source(treebank, vocabulary, Strategy[strategy]))
    names = Names(training, vocabulary)
    values = known_values(treebank, ENGLISH)
    for number, examples in examples_of(training, vocabulary).items():
        order = order_of_path(treebank[number], vocabulary, strategy, [0, number])
        walk = Walk(treebank[number], ENGLISH, strategy, order)
        by_row = {row: example for example, row in examples}
        for row, example in by_row.items():
            inference = (walk.states[example.state].frontier, *example.children, example.head)
            expected = features(walk.terminals, *inference, values, ENGLISH)
            assert names.of(row) == sorted(expected)


@settings(max_examples=25, deadline=None)
@given(treebank=st.lists(trees(), min_size=1, max_size=2), strategy=st.sampled_from(list(Strategy)))
def test_a_row_stands_for_one_state_run_and_head(treebank: list[Tree], strategy: Strategy) -> None:
    training = build_training_data(Source(treebank, build_vocabulary(treebank, ENGLISH), strategy))
    candidates = training.candidates
    owner = np.searchsorted(candidates.first_rows, np.arange(len(training.matrix.segments)), side="right") - 1
    keys = np.column_stack([candidates.states[owner], candidates.children[owner], candidates.heads])
    assert len(np.unique(keys, axis=0)) == len(keys)


@settings(max_examples=40, deadline=None)
@given(treebank=st.lists(trees(), min_size=1, max_size=3), strategy=st.sampled_from(list(Strategy)))
def test_a_state_is_worth_a_half_for_its_correct_and_a_half_for_its_incorrect_inferences(
    treebank: list[Tree], strategy: Strategy
) -> None:
    vocabulary = build_vocabulary(treebank, ENGLISH)
    worth: dict[tuple[int, int, bool], float] = {}
    for sentence, examples in examples_of(
        build_training_data(Source(treebank, vocabulary, strategy)), vocabulary
    ).items():
        for example, _ in examples:
            key = (sentence, example.state, example.correct)
            worth[key] = worth.get(key, 0.0) + example.bias
    assert list(worth.values()) == pytest.approx([0.5] * len(worth))


def test_the_only_inference_of_a_state_is_worth_a_half() -> None:
    tree = parse_tree("(TOP (NN rain))")  # TOP is the only label
    training = build_training_data(Source([tree], build_vocabulary([tree], ENGLISH)))
    (label,) = (training.candidates.of_label(0),)
    assert (label.signs.tolist(), label.importance.tolist()) == ([1], [0.5])


def recorded_examples(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("strategy", ["r2l", "l2r"])
def test_known_examples_come_out_exactly(known_examples: Path, strategy: str) -> None:
    treebank = [prepare(tree, ENGLISH).tree for tree in read_trees([str(known_examples / "trees")])]
    assert [str(tree) for tree in treebank] == (known_examples / "prepared").read_text().splitlines()
    prepared: Sequence[Tree] = [tree for tree in treebank if tree is not None]
    vocabulary = build_vocabulary(prepared, ENGLISH)
    training = build_training_data(Source(prepared, vocabulary, Strategy[strategy]))
    names = Names(training, vocabulary)
    rows = {
        (sentence, example): row
        for sentence, examples in examples_of(training, vocabulary).items()
        for example, row in examples
    }
    expected = recorded_examples(known_examples / f"{strategy}.jsonl")
    assert len(rows) == len(expected)
    for case in expected:
        children = tuple(case["children"])
        place = (case["state"], case["label"], case["start"], case["end"], children, case["head"])
        row = rows[case["sentence"], Example(*place, case["correct"], case["bias"])]
        assert len(names.of(row)) == case["n_features"]
        assert names.of(row) == case.get("features", names.of(row))
    assert training.uninferable == 1


def test_arrays_that_run_out_of_room_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = "(NP (DT the) (NN dog)) (VP (VBZ sees) (NP (CD 3) (NNS cats)))"
    treebank = [parse_tree(f"(TOP (S (S {wide}) (, ,) (S {wide})))"), parse_tree(f"(TOP (S {wide}))")]
    vocabulary = build_vocabulary(treebank, ENGLISH)
    plenty = build_training_data(Source(treebank, vocabulary))

    class Cramped(examples_file._Growing):
        def __init__(self, n_labels: int, thinned: bool) -> None:
            super().__init__(n_labels, thinned)
            for name in self._names:
                array = getattr(self.collected, name)
                array.resize((2, *array.shape[1:]), refcheck=False)

    monkeypatch.setattr(examples_file, "_Growing", Cramped)
    monkeypatch.setattr(examples_file, "SLOTS_PER_WORD", 1)
    assert_same(build_training_data(Source(treebank, vocabulary)), plenty)


def assert_same(one: TrainingData, other: TrainingData) -> None:
    """The same arrays to the bit."""
    pairs = zip([*one.matrix, *one.candidates], [*other.matrix, *other.candidates], strict=True)
    for mine, yours in pairs:
        assert mine.dtype == yours.dtype
        np.testing.assert_array_equal(mine, yours)
    assert one.uninferable == other.uninferable


def long_tree(n_words: int) -> Tree:
    """A sentence of this many words: pairs under NP, a flat top that can't be inferred, commas here and there."""
    words = ["(NN a)" if at % 7 != 3 else "(, ,)" for at in range(n_words - 1)] + ["(NN z)"]
    pairs = [f"(NP {word})" if word[1] == "N" else word for word in words]
    return parse_tree(f"(TOP (S {' '.join(pairs)}))")


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_build_what_one_builds(threads: int) -> None:
    treebank = [prepare(tree, ENGLISH).tree or tree for tree in synthetic_treebank(40, seed=5)]
    vocabulary = build_vocabulary(treebank, ENGLISH)
    numbers: list[int] = []
    together = build_training_data(Source(treebank, vocabulary), on_sentence=numbers.append, threads=threads)
    assert_same(together, build_training_data(Source(treebank, vocabulary)))
    assert sorted(numbers) == list(range(40))


def test_a_failure_in_one_thread_ends_the_others() -> None:
    treebank = [prepare(tree, ENGLISH).tree or tree for tree in synthetic_treebank(40, seed=5)]

    def fail(number: int) -> None:
        if number == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_training_data(Source(treebank, build_vocabulary(treebank, ENGLISH)), on_sentence=fail, threads=2)


@pytest.mark.parametrize("n_words", [1, 2, 200])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_sentences_of_any_length(n_words: int, strategy: str) -> None:
    tree = long_tree(n_words)
    vocabulary = build_vocabulary([tree], ENGLISH)
    training = build_training_data(Source([tree], vocabulary, Strategy[strategy]))
    terminals, gold = gold_items(tree, ENGLISH)
    assert len(training.candidates.sentences) == len(gold)
    assert training.uninferable == (n_words > 5)
    first = 0  # the first row is the leftmost word alone, at the initial state
    expected = features(terminals, terminals, 0, 0, 0, known_values([tree], ENGLISH), ENGLISH)
    assert Names(training, vocabulary).of(first) == sorted(expected)


def test_a_tree_without_words_has_no_examples_and_keeps_its_number() -> None:
    tree = parse_tree("(TOP (NP (NN rain)))")
    empty = Tree([""], [None], [1])
    vocabulary = build_vocabulary([empty, tree], ENGLISH)
    assert build_training_data(Source([empty, tree], vocabulary)).candidates.sentences.tolist() == [1, 1]


def test_a_label_never_seen_in_training_makes_a_state_without_correct_inferences() -> None:
    seen = parse_tree("(TOP (S (NP (NN rain)) (VP (VB fall))))")
    unseen = parse_tree("(TOP (S (NP (NN rain)) (FRAG (VB fall))))")
    training = build_training_data(Source([unseen], build_vocabulary([seen], ENGLISH)))
    assert training.candidates.correct.tolist() == [0, 1, 1, 1]
    assert training.uninferable == 1


def test_the_examples_of_a_sentence_count_as_much_as_its_weight() -> None:
    trees = [parse_tree("(TOP (NP (NN rain)))"), parse_tree("(TOP (NP (NN snow)))")]
    vocabulary = build_vocabulary(trees, ENGLISH)
    plain = build_training_data(Source(trees, vocabulary)).candidates
    weighted = build_training_data(Source(trees, vocabulary, weights=[1.0, 2.5])).candidates
    for label in range(len(vocabulary.labels)):
        rows, signs, importance = plain.of_label(label)
        again = weighted.of_label(label)
        assert (rows.tolist(), signs.tolist()) == (again.rows.tolist(), again.signs.tolist())
        of_second = np.isin(rows, plain.first_rows[plain.sentences[plain.states] == 1])
        assert again.importance.tolist() == (importance * np.where(of_second, 2.5, 1.0)).tolist()


def test_an_excerpt_of_a_source_keeps_the_weights_of_its_trees() -> None:
    trees = [parse_tree(f"(TOP (NP (NN {word})))") for word in ("rain", "snow", "hail")]
    source = Source(trees, build_vocabulary(trees, ENGLISH), weights=[1.0, 2.0, 3.0]).excerpt([2, 0])
    assert (source.trees, source.weights) == ([trees[2], trees[0]], [3.0, 1.0])
