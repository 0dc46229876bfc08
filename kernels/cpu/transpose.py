"""The segments that hold each feature: S', so that a split visits the few segments with its feature, not all."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def transpose(starts, features, n_features):
    """(begins, holders): holders[begins[f]:begins[f + 1]] are the segments that hold feature f, ascending."""
    begins = np.zeros(n_features + 1, np.int64)
    for f in features:
        begins[f + 1] += 1
    for f in range(n_features):
        begins[f + 1] += begins[f]
    place = begins[:-1].copy()
    holders = np.empty(features.size, np.int32)
    for s in range(starts.size - 1):
        for j in range(starts[s], starts[s + 1]):
            f = features[j]
            holders[place[f]] = s
            place[f] += 1
    return begins, holders
