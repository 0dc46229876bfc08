"""The whole way: grown on a treebank, compiled, and scored in the rows of the search, trees keep their scores."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from gpuparse.kernels import cpu
from gpuparse.kernels.cpu.score import score

from gpuparse.features.examples import TrainingData, build_training_data
from gpuparse.features.walk import NOT_ALLOWED
from gpuparse.logic.goldpath import gold_path
from gpuparse.logic.items import FIRST, LAST
from gpuparse.logic.strategy import Strategy
from gpuparse.model.ensemble import Ensemble
from gpuparse.model.model import Model
from gpuparse.model.rules import FIXED_POINT
from gpuparse.search.expansion import expand, make_batch, most_candidates, most_rows
from gpuparse.search.parser import Parser
from gpuparse.search.pool import Register, make_pool
from gpuparse.search.state import begin_state, infer
from gpuparse.trees import Tree
from tests.small_model import small_model, synthetic_trees

Inference = tuple[int, int, int]  # i, j, label


def parser_scores(model: Model, trees: list[Tree]) -> Iterator[dict[Inference, float]]:
    """For every state along the gold paths, what the parser makes of each inference."""
    rules = model.rules()
    grammar = Parser(model.vocabulary, rules, model.strategy, model.max_children, cpu)._grammar
    labels, words = len(model.vocabulary.labels), max(len(tree.tokens()) for tree in trees)
    pool = make_pool(1, words, labels, limit=1, k=1, chart=False)
    rows, candidates = most_rows(words, model.max_children), most_candidates(words, model.max_children)
    batch = make_batch(rows, candidates, rules.words, labels, model.max_children, words)
    for number, tree in enumerate(trees):
        path = gold_path(tree, model.vocabulary, model.strategy, [0, number])
        size = pool.registers[0, Register.WORDS] = len(path.terminals)
        pool.terminals[0, :size] = path.terminals
        begin_state(pool, 0)
        for item in range(size, len(path.items)):
            batch.filled[:] = 0
            expand(pool, 0, grammar, batch)
            scores = np.zeros((int(batch.filled[0]), labels), np.int64)
            score(batch.bits[: len(scores)], batch.parts[: len(scores)], *rules[2:], scores)
            found = {}
            for candidate in range(int(batch.filled[1])):
                i, j = batch.children[candidate].tolist()
                for label in np.flatnonzero(batch.heads[candidate] >= 0).tolist():
                    own = (*batch.rows[candidate], *batch.head_rows[candidate, batch.heads[candidate, label]])
                    total = sum(int(scores[row, label]) for row in (0, *own)) + int(rules.constant[label])
                    found[i, j, label] = total / FIXED_POINT
            yield found
            frontier = pool.frontier[0].tolist()
            pool.label[0, 1] = path.labels[item]
            pool.left[0, 1] = frontier.index(path.items[item, FIRST])
            pool.right[0, 1] = frontier.index(path.items[item, LAST])
            infer(pool, 0, 1, grammar.heads, grammar.label_symbols)


def tree_scores(ensemble: Ensemble, lambda_: float, has: np.ndarray) -> np.ndarray:
    """The ensemble's score of each row of a table of features."""
    total = np.zeros(len(has))
    for tree in ensemble.trees(lambda_):
        node = np.zeros(len(has), int)
        while (tree.feature[node] >= 0).any():
            inner = tree.feature[node] >= 0
            child = np.where(has[np.arange(len(has)), tree.feature[node]], tree.yes[node], tree.no[node])
            node = np.where(inner, child, node)
        total += tree.value[node]
    return total


def table(training: TrainingData, features: int) -> np.ndarray:
    has = np.zeros((len(training.matrix.segments), features), bool)
    for row in range(len(has)):
        has[row, training.numbers[training.matrix.row(row)]] = True
    return has


@pytest.mark.parametrize("strategy", [strategy.name for strategy in Strategy])
def test_every_candidate_of_held_out_sentences_scores_as_the_trees_do(strategy: str) -> None:
    model = small_model(60, Strategy[strategy], max_trees=5)
    trees = synthetic_trees(3, seed=99)
    training = build_training_data(trees, model.vocabulary, model.strategy, model.max_children)
    has = table(training, model.space.size)
    ensembles = [model.ensembles[label] for label in model.vocabulary.labels]
    expected = np.column_stack([tree_scores(ensemble, model.lambda_, has) for ensemble in ensembles])
    assert [e.score(set(np.flatnonzero(has[0])), model.lambda_) for e in ensembles] == pytest.approx(expected[0])
    candidates = training.candidates
    compared = 0
    for state, found in enumerate(parser_scores(model, trees)):
        of_state = {}
        for candidate in np.flatnonzero(candidates.states == state).tolist():
            for label in np.flatnonzero(candidates.choices[candidate] != NOT_ALLOWED).tolist():
                row = int(candidates.first_rows[candidate]) + int(candidates.choices[candidate, label])
                of_state[(*candidates.children[candidate].tolist(), label)] = float(expected[row, label])
        assert found == pytest.approx(of_state, abs=1e-9)
        compared += len(found)
    assert state + 1 == len(candidates.sentences)
    assert compared > 1000
    assert len(np.unique(expected)) > 50
