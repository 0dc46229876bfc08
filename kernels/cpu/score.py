"""Scores by rules: each row is a bit set over the model's features and a part of an inference."""

import numpy as np
from numba import njit

_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
_BIT = np.zeros(64, np.int64)
for _k in range(64):
    _BIT[int((int(_DE_BRUIJN) << _k) & 0xFFFFFFFFFFFFFFFF) >> 58] = _k


@njit(cache=True, nogil=True)
def _mark_triggers(triggers, words):
    """For each part a bit set of the features that are the trigger of a rule: uint64[parts, words]."""
    marks = np.zeros((triggers.shape[0], words), np.uint64)
    for part in range(triggers.shape[0]):
        for feature in range(triggers.shape[1] - 1):
            if triggers[part, feature] < triggers[part, feature + 1]:
                marks[part, feature >> 6] |= np.uint64(1) << np.uint64(feature & 63)
    return marks


@njit(cache=True, nogil=True)
def _holds(bits, row, literals, literal, rule):
    """Whether each of a rule's literals but its trigger holds."""
    for k in range(literals[rule], literals[rule + 1]):
        other = literal[k] >> 1
        there = (bits[row, other >> 6] >> np.uint64(other & 63)) & np.uint64(1)
        if there != np.uint64(literal[k] & 1):
            return False
    return True


@njit(cache=True, nogil=True)
def score(bits, parts, triggers, label, weight, literals, literal, scores):
    """Add to `scores[row, label]` the weights of the part's rules that fire on each row.

    bits: uint64[rows, words]; parts: uint8[rows]; scores: int64[rows, labels], fixed point.
    A rule fires when its trigger is in the row and each of its other literals holds.
    """
    marks = _mark_triggers(triggers, bits.shape[1])
    for row in range(bits.shape[0]):
        part = parts[row]
        for word in range(bits.shape[1]):
            rest = bits[row, word] & marks[part, word]
            while rest:
                lowest = rest & (~rest + np.uint64(1))
                rest ^= lowest
                feature = word * 64 + _BIT[(lowest * _DE_BRUIJN) >> np.uint64(58)]
                for rule in range(triggers[part, feature], triggers[part, feature + 1]):
                    if _holds(bits, row, literals, literal, rule):
                        scores[row, label[rule]] += weight[rule]
