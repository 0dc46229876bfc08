"""Strategies: one path to each state, a gold path for every tree, and heads as the head rules have them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuparse.dtypes import ITEM
from gpuparse.options import Strategy
from gpuparse.parse.features.examples import Source, build_training_data
from gpuparse.parse.logic.goldpath import GoldPath, gold_path
from gpuparse.parse.logic.headtable import compile_heads, head_index
from gpuparse.parse.logic.items import END, ITEM_COLUMNS, ONLY, START, SYMBOL
from gpuparse.parse.logic.state import State
from gpuparse.parse.logic.strategy import allows_children, allows_label, make_logic
from gpuparse.parse.logic.vocabulary import Vocabulary, build_vocabulary
from gpuparse.trees import Language, Token, Tree, head_child, load_language, parse_language, parse_tree
from tests.parse.logic.generated import LABELS, PUNCTUATION, TAGS, trees

ENGLISH = load_language()
OTHER = parse_language(ENGLISH.text.replace('conjunctions = ["CC"]', 'conjunctions = ["IN", "QP", "UNSEEN"]'))
ONE_LABEL = build_vocabulary([parse_tree("(TOP (NP (NN rain)))")], ENGLISH)
TWO_LABELS = build_vocabulary([parse_tree("(TOP (S (NP (NN rain)) (, ,) (NN falls)))")], ENGLISH)

Item = tuple[str, int, int, tuple["Item", ...]]  # an item with all that is below it: same-span items are in order


def successors(
    strategy: Strategy, vocabulary: Vocabulary, tags: list[str], frontier: tuple[Item, ...], last: int
) -> Iterator[tuple[tuple[Item, ...], int]]:
    """The frontiers that one inference leads to, asked of the compiled logic."""
    terminals = vocabulary.terminals([Token("rain", tag) for tag in tags])
    items, numbers = item_table(vocabulary, tags, frontier)
    logic = make_logic(vocabulary, strategy, max_children=len(tags))
    state = State(terminals, items, numbers, np.array([len(items), len(frontier), last]))
    for i in range(len(frontier)):
        for j in range(i, len(frontier)):
            if not allows_children(logic, state, i, j):
                continue
            for label in range(len(vocabulary.labels)):
                if allows_label(logic, state, label, i, j):
                    children = frontier[i : j + 1]
                    item = (vocabulary.labels[label], children[0][1], children[-1][2], children)
                    yield (*frontier[:i], item, *frontier[j + 1 :]), i


def item_table(vocabulary: Vocabulary, tags: list[str], frontier: tuple[Item, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The items of a state as the compiled logic wants them, as far as the strategies look at them."""
    rows: list[list[int]] = []
    number: dict[Item, int] = {}

    def add(item: Item) -> int:
        label, start, end, children = item
        row = [-1] * ITEM_COLUMNS
        row[SYMBOL], row[START], row[END] = vocabulary.symbol(label), start, end
        row[ONLY] = number[children[0]] if len(children) == 1 else -1
        rows.append(row)
        return len(rows) - 1

    def add_all(item: Item) -> None:
        for child in item[3]:
            if child not in number:
                add_all(child)
        if item not in number:
            number[item] = add(item)

    for at, tag in enumerate(tags):
        number[tag, at, at + 1, ()] = add((tag, at, at + 1, ()))
    for item in frontier:
        add_all(item)
    return np.array(rows, ITEM), np.array([number[item] for item in frontier], ITEM)


def count_paths(strategy: Strategy, tags: list[str], vocabulary: Vocabulary = TWO_LABELS) -> Counter[tuple[Item, ...]]:
    """How many paths lead from the initial state to each state; a frontier, with all below it, is a state."""
    initial = tuple((tag, at, at + 1, ()) for at, tag in enumerate(tags))
    paths: Counter[tuple[Item, ...]] = Counter({initial: 1})
    waiting = [(initial, -1)]
    while waiting:
        frontier, last = waiting.pop()
        if frontier[0][0] == "TOP":
            continue
        for after, place in successors(strategy, vocabulary, tags, frontier, last):
            paths[after] += 1
            waiting.append((after, place))
    return paths


@pytest.mark.parametrize("strategy", [Strategy.r2l, Strategy.l2r])
@pytest.mark.parametrize("tags", [["NN"], ["NN", "NN"], ["NN", "NN", "NN"], ["NN", ",", "NN"], ["NN", ",", "NN", "NN"]])
def test_each_state_has_exactly_one_path(strategy: Strategy, tags: list[str]) -> None:
    assert set(count_paths(strategy, tags).values()) == {1}


@pytest.mark.parametrize("strategy", [Strategy.r2l, Strategy.l2r])
def test_each_state_of_four_words_has_exactly_one_path(strategy: Strategy) -> None:
    assert set(count_paths(strategy, ["NN"] * 4, ONE_LABEL).values()) == {1}


def test_bottom_up_reaches_the_final_states_of_the_others_by_many_paths() -> None:
    tags = ["NN", "NN"]
    paths = {strategy: count_paths(strategy, tags) for strategy in Strategy}
    final = {
        strategy: {frontier for frontier in frontiers if frontier[0][0] == "TOP"}
        for strategy, frontiers in paths.items()
    }
    assert final[Strategy.r2l] == final[Strategy.l2r] == final[Strategy.bu]
    assert max(paths[Strategy.bu].values()) > 1


def test_the_final_states_of_one_word_are_the_unary_chains() -> None:
    final = [frontier[0] for frontier in count_paths(Strategy.r2l, ["NN"]) if frontier[0][0] == "TOP"]
    assert len(final) == 5  # nothing, NP, S, NP over S, S over NP


@pytest.mark.parametrize("strategy", list(Strategy))
@settings(max_examples=50, deadline=None)
@given(tree=trees(max_width=5))
def test_the_gold_path_exists_for_every_tree_whose_nodes_are_not_too_wide(strategy: Strategy, tree: Tree) -> None:
    width = max(sum(1 for _ in tree.children(node)) for node in range(len(tree)))
    root_is_unary = tree.ends[1] == len(tree)
    training = build_training_data(
        Source([tree], build_vocabulary([tree], ENGLISH), strategy, max_children=max(width, 1))
    )
    states = training.candidates.correct
    assert len(states) == sum(word is None for word in tree.words)
    assert (states[:-1] >= 1).all()
    assert states[-1] == root_is_unary  # TOP stands over one item, or can't be inferred
    if strategy is not Strategy.bu:
        assert (states <= 1).all()


def same_path(one: GoldPath, other: GoldPath) -> bool:
    return all(np.array_equal(mine, yours) for mine, yours in zip(one, other, strict=True))


def test_the_path_of_bottom_up_is_the_seeds_alone() -> None:
    tree = parse_tree(f"(TOP (S {' '.join('(NP (NP (NN rain)))' for _ in range(8))}))")
    vocabulary = build_vocabulary([tree], ENGLISH)
    paths = [gold_path(tree, vocabulary, Strategy.bu, [seed, 0]) for seed in (0, 0, 1)]
    assert same_path(paths[0], paths[1])
    assert not same_path(paths[0], paths[2])
    for strategy in (Strategy.r2l, Strategy.l2r):
        assert same_path(gold_path(tree, vocabulary, strategy, 0), gold_path(tree, vocabulary, strategy, 1))


@settings(max_examples=50, deadline=None)
@given(tree=trees(), seed=st.integers(0, 9))
def test_items_come_after_their_children_and_top_is_the_last(tree: Tree, seed: int) -> None:
    vocabulary = build_vocabulary([tree], ENGLISH)
    for strategy in Strategy:
        path = gold_path(tree, vocabulary, strategy, seed)
        assert (path.parents[:-1] > np.arange(len(path.parents) - 1)).all()
        assert path.parents[-1] == -1
        assert vocabulary.labels[path.labels[-1]] == "TOP"


@settings(max_examples=300, deadline=None)
@given(
    children=st.lists(st.sampled_from([*TAGS, *PUNCTUATION, *LABELS, "UNSEEN"]), min_size=1, max_size=7),
    language=st.sampled_from([ENGLISH, OTHER]),
)
def test_the_head_of_a_candidate_is_that_of_the_head_rules(children: list[str], language: Language) -> None:
    labels = sorted({*language.rules, "NORULE"} - {"TOP"})
    inside = " ".join(f"({label} (NN rain))" for label in labels)
    vocabulary = build_vocabulary([parse_tree(f"(TOP (S {inside}))")], language)
    if children[0] in PUNCTUATION:  # no item starts with punctuation
        children = ["NN", *children]
    heads = compile_heads(vocabulary)
    terminals = vocabulary.terminals([Token("rain", tag) for tag in children])
    is_tag = np.array([name not in LABELS for name in children])
    items = np.full((2 * len(children), ITEM_COLUMNS), -1, ITEM)
    items[:, SYMBOL] = [vocabulary.symbol(name) for name in children] * 2
    frontier = np.where(is_tag, np.arange(len(children)), np.arange(len(children)) + len(children)).astype(ITEM)
    state = State(terminals, items, frontier, np.array([len(items), len(frontier), -1]))
    for number, label in enumerate(vocabulary.labels):
        head = head_index(heads, number, state, 0, len(children) - 1)
        assert head == head_child(language, label, children)
