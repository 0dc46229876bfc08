"""What a state allows, and the rules that fire for each candidate, are what they are defined to be."""

from __future__ import annotations

import random

import numpy as np
import pytest

from gpuparse.jit import kernel
from gpuparse.kernels import cpu
from gpuparse.options import Strategy
from gpuparse.parse.features.extraction import emit_inference, segment_capacity
from gpuparse.parse.features.groups import Column
from gpuparse.parse.features.runs import CUTS
from gpuparse.parse.features.space import FeatureSpace
from gpuparse.parse.logic.state import Run
from gpuparse.parse.logic.strategy import NO_HEAD, allows_children, find_heads, make_logic
from gpuparse.parse.logic.vocabulary import Vocabulary
from gpuparse.parse.model.rules import Rules
from gpuparse.parse.search.atoms import collect_atoms, look_up_words
from gpuparse.parse.search.expansion import Grammar, expand, make_batch, most_candidates
from gpuparse.parse.search.memory import Sizes, make_memory
from gpuparse.parse.search.pool import make_pool, take_slot
from gpuparse.parse.search.scoring import HostScorer
from gpuparse.parse.search.state import begin_state, follow, site_of, state_of
from gpuparse.trees import Token
from tests.parse.search.generated import WORDS, lay_out_all, random_compounds, tiny_vocabulary

MAX_CHILDREN = 6
_look_up, _begin, _follow, _expand = kernel(look_up_words), kernel(begin_state), kernel(follow), kernel(expand)


def features_of(rules: Rules, vocabulary: Vocabulary, state, left: int, right: int, head: int) -> set[int]:  # type: ignore[no-untyped-def]  # a state's views
    numbers = np.empty(len(Column) * segment_capacity(len(state.terminals)), np.uint32)
    space = FeatureSpace(vocabulary)
    end = emit_inference(space.numbering(), state, Run(left, right, head), np.empty(CUTS, np.int64), numbers)
    return set(numbers[:end].tolist())


@pytest.mark.parametrize("strategy", [*Strategy])
def test_rules_fire_where_their_literals_hold(strategy: Strategy) -> None:
    """Along random derivations of many sentences, with memories so small that all is forgotten now and then."""
    vocabulary = tiny_vocabulary(3)
    compounds = random_compounds(vocabulary, 5, n_rules=80)
    space = FeatureSpace(vocabulary)
    rules = lay_out_all(compounds, len(vocabulary.labels), space, np.arange(space.size))
    logic = make_logic(vocabulary, strategy, MAX_CHILDREN)
    grammar = Grammar(collect_atoms(space, rules.features, rules.marks), logic, rules.layout)
    draw, n_words = random.Random(1), 12
    pool = make_pool(1, n_words, len(vocabulary.labels), len(grammar.atoms.groups), 1000, 1, False)
    memory = make_memory(rules, MAX_CHILDREN, n_words, Sizes(runs=64, patterns=32, views=16, roles=16))
    batch = make_batch(most_candidates(n_words, MAX_CHILDREN), rules.blocks, len(vocabulary.labels))
    scorer = HostScorer(cpu.score_rows, rules)
    fired = 0
    for _ in range(6):
        tokens = [
            Token(WORDS.get(tag, "oh"), tag)
            for tag in draw.choices(["NN", "VB", "DT", ",", "QQ"], k=draw.randint(1, n_words))
        ]
        take_slot(pool, 0, vocabulary.terminals(tokens))
        _look_up(grammar.atoms, pool.terminals[0], len(tokens), pool.of_word[0])
        _begin(pool, 0)
        for step in range(1, 8):
            batch.filled[0] = 0
            inferences = _expand(site_of(pool, 0), grammar, batch, memory)
            scorer(batch, memory)
            fired += check(rules, compounds, vocabulary, logic, state_of(pool, 0), batch, inferences)
            ways = np.argwhere(batch.heads[: batch.filled[0]] != NO_HEAD)
            if len(ways) == 0:
                break
            candidate, label = ways[draw.randrange(len(ways))]
            if vocabulary.labels[label] == "TOP":
                break
            pool.parent[0, step] = step - 1
            pool.label[0, step] = label
            pool.left[0, step], pool.right[0, step] = batch.left[candidate], batch.right[candidate]
            _follow(pool, 0, step, logic)
    assert fired > 1000


def check(rules, compounds, vocabulary, logic, state, batch, inferences) -> int:  # type: ignore[no-untyped-def]  # arrays of compiled code
    """Compare a state's candidates with the plain sum over rules; how many rules fired."""
    at = total = fired = 0
    heads = np.empty(len(vocabulary.labels), np.int64)
    for left in range(state.extent[1]):
        for right in range(left, min(left + logic.max_children, state.extent[1])):
            if not allows_children(logic, state, left, right) or not find_heads(logic, state, left, right, heads):
                continue
            assert (batch.left[at], batch.right[at]) == (left, right)
            assert batch.heads[at].tolist() == heads.tolist()
            for label, head in enumerate(heads.tolist()):
                if head == NO_HEAD:
                    continue
                total += 1
                present = features_of(rules, vocabulary, state, left, right, left + head)
                holding = [
                    value
                    for literals, value in compounds[label].items()
                    if all((feature in present) == there for feature, there in literals)
                ]
                assert batch.scores[at, label] == sum(round(value * 2**44) for value in holding)
                fired += len(holding)
            at += 1
    assert (at, total) == (batch.filled[0], inferences)
    return fired
