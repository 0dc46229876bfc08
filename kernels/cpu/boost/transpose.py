"""The segments that hold each feature: S', so that a split visits the few segments with its feature, not all.

Each thread takes a stretch of the segments and counts its features. When all have counted, each knows where its holders
of every feature go: behind those of the stretches before.
"""

from itertools import pairwise

import numpy as np

from gpuparse.jit import kernel

from ..index import index, offset


@kernel
def _count(features, counts):
    """Add to counts[f] how often feature f comes."""
    for f in features:
        counts[index(f)] += 1


@kernel
def _place(first, last, starts, features, place, holders):
    """Put the segments first <= s < last where their features' next holders go, from place[f] on."""
    for s in range(first, last):
        for j in range(offset(starts[s]), offset(starts[s + 1])):
            f = index(features[j])
            holders[offset(place[f])] = s
            place[f] += 1


def transpose(starts, features, n_features, team):
    """(begins, holders): holders[begins[f]:begins[f + 1]] are the segments that hold feature f, ascending."""
    parts = team.threads
    cuts = np.searchsorted(starts, [len(features) * part // parts for part in range(1, parts)])
    stretches = list(pairwise([0, *cuts.tolist(), len(starts) - 1]))
    counts = np.zeros((parts, n_features), np.int64)
    team.each(_count, [(features[starts[a] : starts[b]], counts[p]) for p, (a, b) in enumerate(stretches)])
    begins = np.concatenate([[0], np.cumsum(counts.sum(axis=0))])
    place = begins[:-1] + np.cumsum(counts, axis=0) - counts
    holders = np.empty(len(features), np.int32)
    team.each(_place, [(a, b, starts, features, place[p], holders) for p, (a, b) in enumerate(stretches)])
    return begins, holders
