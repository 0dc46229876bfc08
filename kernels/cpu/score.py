"""Scores by rules: the weights of the rules that fire are added, or of those that fire now and did not before.

A row has a bit for each rule, 64 in a block, which is a machine word; those of the rules that fire are set. Rows are
much alike, so they are scored by difference: from a row like it whose scores are known, only the rules that flipped are
looked at. As weights are integers, the sum is the same to the bit, whatever that row was.
"""

import numpy as np

from gpuparse.jit import compiled, inlined, kernel

from .boost.lowest_bit import lowest_bit
from .index import index

LOWEST = np.uint64(1)


@inlined
def _add(block, flipped, fires, labels, weights, sums):
    """Add the weights of the rules of a block that flipped and fire; subtract those that no longer do."""
    while flipped:
        bit = lowest_bit(flipped)
        rule = index(np.uint64(block) * np.uint64(64) + bit)
        weight = weights[rule]
        sums[index(labels[rule])] += weight if fires >> bit & LOWEST else -weight
        flipped &= flipped - LOWEST


@compiled
def score_rows(rules, rows, earlier):
    """What `score` does, by difference from a row that is known: its rules that fire, and its scores. All scores of the
    rows are written, and the rows are known from then on.
    """
    for row in range(len(rows.fires)):
        place, like = rows.places[row], rows.alike[row]
        now, before, sums = rows.fires[row], earlier.fires[place], earlier.scores[place]
        if like != place:
            for block in range(len(now)):
                before[block] = earlier.fires[like, block]
            for label in range(len(sums)):
                sums[label] = earlier.scores[like, label]
        for block in range(len(now)):
            changed = now[block] ^ before[block]
            if changed:
                before[block] = now[block]
                _add(block, changed, now[block], rules.labels, rules.weights, sums)
        for label in range(len(sums)):
            rows.scores[row, label] = sums[label]


@kernel
def score(fires, labels, weights, scores):
    """Add to `scores[row, label]` the weights of the rules that fire on each row.

    fires: uint64[rows, blocks]; labels: int32[rules]; weights: int64[rules]; scores: int64[rows, labels].
    """
    for row in range(len(fires)):
        for block in range(fires.shape[1]):
            _add(block, fires[row, block], fires[row, block], labels, weights, scores[row])
