"""Scores by rules: which rules fire on a row of bits is found for 64 of them at once, then their weights are added.

A row has a bit for each rule of its part that is set if a feature rules the rule out, and further bits that are set if
the row has the first feature that the rule needs, the second, and so on. The rules of a part come in groups by how many
features they need, and a group in blocks of 64, one rule per bit of a word:

               group 0: blocks 0 and 1, 1 feature needed     group 1: block 2, 2 features needed
    bits[row]  | out 0 | out 1 | 1st 0 | 1st 1 |             | out 2 | 1st 2 | 2nd 2 |             ...
               ^ group_words[0]                              ^ group_words[1]                      ^ group_words[2]

    fires[0] = ~out 0 & 1st 0        fires[1] = ~out 1 & 1st 1        fires[2] = ~out 2 & 1st 2 & 2nd 2

Eight rules that stand in one byte of `fires`, an eight, are for one label. The eights of a part are sorted by label;
those of one label are a run:

    part           0                                 1
                   ^ part_runs[0]                    ^ part_runs[1]
    run_label      NP              VP                NP              ...
                   ^ run_eights[0] ^ run_eights[1]   ^ run_eights[2]
    eights         0   1   6       2   5             24  25          ...    each a byte of `fires`
    sums           two rows of 16 sums for each eight, for its lower and for its upper four rules:
                   sums[2 * at + upper, which] = the weights of those of the four rules whose bits are set in `which`

A table for eight rules at once would halve the additions, but no near cache would hold its 256 sums.
"""

import numpy as np

from gpuparse.jit import compiled, kernel

from ..contract import NO_SCORE
from .index import index

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
            if scores[row, label] != NO_SCORE:
                total = 0
                for at in range(run_eights[run], run_eights[run + 1]):
                    which = in_eights[index(eights[index(at)])]
                    total += sums[index(2 * at), index(which & FOUR)]
                    total += sums[index(2 * at + 1), index(which >> np.uint8(4))]
                scores[row, label] += total


@kernel
def score(bits, parts, part_groups, group_blocks, group_words, part_runs, run_eights, run_label, eights, sums, scores):
    """Add to `scores[row, label]` the weights of the part's rules that fire on each row.

    bits: uint64[rows, words]; parts: uint8[rows]; scores: int64[rows, labels], fixed point. A score that is NO_SCORE,
    the least integer, is not computed.
    """
    fires = np.empty(group_blocks[-1], np.uint64)
    score_rows(
        bits, parts, part_groups, group_blocks, group_words, part_runs, run_eights, run_label, eights, sums, fires,
        scores,
    )  # fmt: skip
