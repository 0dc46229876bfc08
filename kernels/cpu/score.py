"""Scores by rules: each row has a bit for each rule of its part that a feature rules out, and each that one calls for.

The rules of a part come in blocks of sixty-four, which are words of a row: one AND finds those that fire. Their weights
are added four at a time, from a table that has the sum for each of the 16 ways in which four rules can fire: one for
eight would add twice as many at once, but no near cache would hold it.
"""

import numpy as np
from numba import njit

NOT_WANTED = np.iinfo(np.int64).min  # a score that is not to be computed
FOUR = np.uint8(15)


@njit(cache=True, nogil=True)
def score(bits, parts, part_blocks, block_words, part_runs, run_eights, run_label, sums, scores):
    """Add to `scores[row, label]` the weights of the part's rules that fire on each row.

    bits: uint64[rows, words]; parts: uint8[rows]; scores: int64[rows, labels], fixed point. A score that is NOT_WANTED,
    the least integer, is not computed. The words of a block are `block_words[block]`, with the rules that are ruled
    out, and those behind it, up to the next block's, in each of which a rule that fires has its bit. A run of eights of
    rules is for one label, and `sums[four, firing]` is what those that fire weigh; an eight is two fours.
    """
    fires = np.empty(len(block_words), np.uint64)
    eights = fires.view(np.uint8)
    for row in range(len(parts)):
        part = parts[row]
        for block in range(part_blocks[part], part_blocks[part + 1]):
            firing = ~bits[row, block_words[block]]
            for word in range(block_words[block] + 1, block_words[block + 1]):
                firing &= bits[row, word]
            fires[block] = firing
        for run in range(part_runs[part], part_runs[part + 1]):
            if scores[row, run_label[run]] != NOT_WANTED:
                total = 0
                for eight in range(run_eights[run], run_eights[run + 1]):
                    which = eights[eight]
                    total += sums[2 * eight, which & FOUR] + sums[2 * eight + 1, which >> np.uint8(4)]
                scores[row, run_label[run]] += total
