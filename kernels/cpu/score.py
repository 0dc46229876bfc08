"""Scores by rules: each row has a bit for each rule of its part that a feature rules out, and each that one calls for.

The rules of a part come in blocks of sixty-four, which are words of a row: one AND finds those that fire. Their weights
are added four at a time, from a table that has the sum for each of the 16 ways in which four rules can fire: one for
eight would add twice as many at once, but no near cache would hold it.
"""

import numpy as np

from gpuparse.jit import compiled, kernel

from .index import index

NOT_WANTED = np.iinfo(np.int64).min  # a score that is not to be computed
FOUR = np.uint8(15)


@compiled
def score_rows(
    bits, parts, part_groups, group_blocks, group_words, part_runs, run_eights, run_label, eights, sums, fires, scores
):
    """What `score` does, with room for the rules that fire: uint64[blocks]."""
    in_eights = fires.view(np.uint8)
    for row in range(len(parts)):
        part = index(parts[row])
        for group in range(part_groups[part], part_groups[part + 1]):
            first, word = group_blocks[group], group_words[group]
            blocks = group_blocks[group + 1] - first
            for block in range(blocks):
                fires[index(first + block)] = ~bits[row, index(word + block)]
            for met in range(word + blocks, group_words[group + 1], blocks):
                for block in range(blocks):
                    fires[index(first + block)] &= bits[row, index(met + block)]
        for run in range(part_runs[part], part_runs[part + 1]):
            label = index(run_label[run])
            if scores[row, label] != NOT_WANTED:
                total = 0
                for at in range(run_eights[run], run_eights[run + 1]):
                    which = in_eights[index(eights[index(at)])]
                    total += sums[index(2 * at), index(which & FOUR)]
                    total += sums[index(2 * at + 1), index(which >> np.uint8(4))]
                scores[row, label] += total


@kernel
def score(bits, parts, part_groups, group_blocks, group_words, part_runs, run_eights, run_label, eights, sums, scores):
    """Add to `scores[row, label]` the weights of the part's rules that fire on each row.

    bits: uint64[rows, words]; parts: uint8[rows]; scores: int64[rows, labels], fixed point. A score that is NOT_WANTED,
    the least integer, is not computed. A group of n blocks has n words where rules are ruled out, from
    `group_words[group]` on, and behind them, n at a time, those in each of which a rule that fires has its bit. A run
    of eights of rules is for one label, and `sums[four, firing]` is what those that fire weigh; an eight is two fours.
    """
    fires = np.empty(group_blocks[-1], np.uint64)
    score_rows(
        bits,
        parts,
        part_groups,
        group_blocks,
        group_words,
        part_runs,
        run_eights,
        run_label,
        eights,
        sums,
        fires,
        scores,
    )
