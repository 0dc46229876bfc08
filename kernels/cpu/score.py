"""Scores by rules: each row is a bit set over the model's features and a part of an inference.

Sixty-four rows of a part are scored at once. Their bits are transposed, so that a feature is a word with one bit for
each row that has it; a rule is then a few ANDs of such words, and what is left are the rows on which it fires.
"""

import numpy as np
from numba import njit

NOT_WANTED = np.iinfo(np.int64).min  # a score that is not to be computed
BLOCK = 64

_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
_BIT = np.zeros(64, np.int64)
for _k in range(64):
    _BIT[int((int(_DE_BRUIJN) << _k) & 0xFFFFFFFFFFFFFFFF) >> 58] = _k


@njit(cache=True, nogil=True)
def _transpose(square):
    """Transpose a square of 64 x 64 bits in place, by swapping ever smaller quarters."""
    half, low = 32, np.uint64(0xFFFFFFFF)
    while half:
        shift = np.uint64(half)
        for top in range(0, BLOCK, 2 * half):
            for at in range(top, top + half):
                swap = ((square[at] >> shift) ^ square[at + half]) & low
                square[at + half] ^= swap
                square[at] ^= swap << shift
        half >>= 1
        low ^= low << np.uint64(half)


@njit(cache=True, nogil=True)
def _load(bits, rows, scores, having, wanted):
    """For a block of rows: which have each feature (`having`), and for which each label is wanted."""
    for word in range(bits.shape[1]):
        square = having[word * BLOCK : (word + 1) * BLOCK]
        for at in range(len(rows)):
            square[at] = bits[rows[at], word]
        square[len(rows) :] = 0
        _transpose(square)
    wanted[:] = 0
    for at in range(len(rows)):
        for label in range(len(wanted)):
            wanted[label] |= np.uint64(scores[rows[at], label] != NOT_WANTED) << np.uint64(at)


@njit(cache=True, nogil=True)
def score(bits, parts, triggers, label, weight, literals, literal, scores):
    """Add to `scores[row, label]` the weights of the part's rules that fire on each row.

    bits: uint64[rows, words]; parts: uint8[rows]; scores: int64[rows, labels], fixed point. A score that is NOT_WANTED,
    the least integer, is not computed. A rule fires when its trigger is in the row and its other literals hold; the
    rules behind the last feature have no trigger.
    """
    always = triggers.shape[1] - 2
    having = np.empty(bits.shape[1] * BLOCK + 1, np.uint64)
    wanted = np.empty(scores.shape[1], np.uint64)
    for part in range(triggers.shape[0]):
        of_part = np.flatnonzero(parts == part)
        for start in range(0, len(of_part), BLOCK):
            rows = of_part[start : start + BLOCK]
            _load(bits, rows, scores, having, wanted)
            having[always] = ~np.uint64(0)
            for trigger in range(always + 1):
                if having[trigger] == 0:
                    continue
                for rule in range(triggers[part, trigger], triggers[part, trigger + 1]):
                    fires = having[trigger] & wanted[label[rule]]
                    for at in range(literals[rule], literals[rule + 1]):
                        other = having[literal[at] >> 1]
                        fires &= other if literal[at] & 1 else ~other
                        if fires == 0:
                            break
                    while fires:
                        lowest = fires & (~fires + np.uint64(1))
                        fires ^= lowest
                        scores[rows[_BIT[(lowest * _DE_BRUIJN) >> np.uint64(58)]], label[rule]] += weight[rule]
