"""The whole way: grown on a treebank, compiled, and scored by the parser, the trees keep their scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gpuparse.dtypes import FEATURE
from gpuparse.kernels import cpu
from gpuparse.options import SearchOptions, Strategy
from gpuparse.parse.features.extraction import emit_inference, segment_capacity
from gpuparse.parse.features.groups import Column
from gpuparse.parse.features.runs import CUTS
from gpuparse.parse.logic.state import Run
from gpuparse.parse.model.model import Model
from gpuparse.parse.model.rules import FIXED_POINT
from gpuparse.parse.search import parser as parser_file
from gpuparse.parse.search.parser import Parser
from gpuparse.parse.search.state import state_of
from tests.boost.oracle import score_of_trees
from tests.small_model import small_model, synthetic_trees


class Witness:
    """Stands between the parser and its scores, and notes the score and the features of every inference."""

    def __init__(self, model: Model) -> None:
        self._numbering = model.space.numbering()
        self._labels = len(model.vocabulary.labels)
        self.features: list[set[int]] = []  # of each inference
        self.labels: list[int] = []
        self.scores: list[float] = []

    def note(self, pool: Any, batch: Any) -> None:
        """Note the inferences of the only search there is."""
        registers = pool.registers[0]
        first = registers["first_candidate"]
        for candidate in range(first, first + registers["candidates"]):
            i, j = int(batch.left[candidate]), int(batch.right[candidate])
            emitted = {h: self._emit(pool, i, j, i + h) for h in set(batch.heads[candidate].tolist()) if h >= 0}
            for label, head in enumerate(batch.heads[candidate].tolist()):
                if head >= 0:
                    self.scores.append(int(batch.scores[candidate, label]) / FIXED_POINT)
                    self.labels.append(label)
                    self.features.append(emitted[head])

    def _emit(self, pool: Any, i: int, j: int, head: int) -> set[int]:
        """The features of an inference as training computes them."""
        state = state_of(pool, 0)
        out = np.empty(len(Column) * segment_capacity(len(state.terminals)), FEATURE)
        end = emit_inference(self._numbering, state, Run(i, j, head), np.empty(CUTS, np.int64), out)
        return set(out[:end].tolist())


def tree_scores(model: Model, label: int, inferences: list[set[int]]) -> np.ndarray:
    """The scores of inferences by the trees of a label, all inferences at once."""
    ensemble = model.ensembles[model.vocabulary.labels[label]]
    tested = np.unique(ensemble.feature)[1:]
    has = np.array([[feature in features for feature in tested.tolist()] for features in inferences])
    total = np.zeros(len(inferences))
    for tree in ensemble.trees(model.lambda_):
        node = np.zeros(len(inferences), int)
        while (inner := tree.feature[node] >= 0).any():
            column = np.searchsorted(tested, tree.feature[node[inner]])
            answer = has[np.flatnonzero(inner), column]
            node[inner] = np.where(answer, tree.yes[node[inner]], tree.no[node[inner]])
        total += tree.value[node]
    return total


@pytest.mark.parametrize("strategy", [strategy.name for strategy in Strategy])
def test_every_candidate_of_held_out_sentences_scores_as_the_trees_do(
    strategy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = small_model(60, Strategy[strategy], max_trees=5)
    witness = Witness(model)
    absorb = parser_file._absorb

    def watched(pool: Any, grammar: Any, plan: Any, batch: Any) -> None:
        witness.note(pool, batch)
        absorb(pool, grammar, plan, batch)

    monkeypatch.setattr(parser_file, "_absorb", watched)
    parser = Parser(model.vocabulary, model.rules(), model.strategy, model.max_children, cpu)
    parser.seconds = {"features": 0.0, "scoring": 0.0, "agenda": 0.0}  # asked for times, it stops after every step
    sentences = [tree.tokens() for tree in synthetic_trees(3, seed=99)]
    scored = sum(result.scored for result in parser.parse(sentences, SearchOptions(limit=1500, batch=1)))
    assert len(witness.scores) >= scored > 1000
    for label in range(len(model.vocabulary.labels)):
        chosen = [at for at, of in enumerate(witness.labels) if of == label]
        inferences = [witness.features[at] for at in chosen]
        expected = tree_scores(model, label, inferences)
        assert [witness.scores[at] for at in chosen] == pytest.approx(expected, abs=1e-9)
        ensemble = model.ensembles[model.vocabulary.labels[label]]
        assert score_of_trees(ensemble, inferences[0], model.lambda_) == pytest.approx(expected[0], abs=1e-9)
