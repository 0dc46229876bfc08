"""The n best sequences of a sentence's tags: Viterbi that keeps not one way to each two last tags, but up to n.

best[at, b, c, 0] >= best[at, b, c, 1] >= ...    the scores of the sequences that end in b, c, `known` of them
before, rank                                     the way back: sequence `rank` of those that end in before, b
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpuparse.jit import compiled, eventual
from gpuparse.tag.lattice import score
from gpuparse.tag.templates import rows_of_one_word


class Ranking(NamedTuple):
    """The best sequences that end somewhere."""

    best: np.ndarray  # int64[..., n], descending
    before: np.ndarray  # int16[..., n]
    rank: np.ndarray  # int16[..., n]
    known: np.ndarray  # int16[...]: how many there are


@compiled(allocates=True)
def make_ranking(positions, candidates, most):
    """Room for the sequences that end in any two candidates of any two neighbours."""
    shape = (positions, candidates, candidates, most)
    return Ranking(
        np.empty(shape, np.int64), np.empty(shape, np.int16), np.empty(shape, np.int16), np.zeros(shape[:3], np.int16)
    )


@compiled(allocates=True)
def rank_sequences(positions, table, weights, lattice, ranking):
    """Fill the ranking; of equals those with lower tag numbers come first, compared from the end."""
    ranking.best[1, 0, 0, 0], ranking.known[1, 0, 0] = 0, 1
    for at in range(2, positions):
        for middle in range(lattice.width[at - 1]):
            for candidate in range(lattice.width[at]):
                for before in range(lattice.width[at - 2]):
                    row = table.last_two_tags[lattice.tags[at - 1, middle], lattice.tags[at - 2, before]]
                    step = weights[row, lattice.tags[at, candidate]] + lattice.pair[at, middle, candidate]
                    for rank in range(ranking.known[at - 1, before, middle]):
                        total = ranking.best[at - 1, before, middle, rank] + step
                        if not _enter(ranking, at, middle, candidate, total, before, rank):
                            break


@compiled
def _enter(ranking, at, middle, candidate, total, before, rank):
    """Put a sequence in its place, after its equals; returns whether it is among the best."""
    best, known = ranking.best[at, middle, candidate], ranking.known[at, middle, candidate]
    if known == len(best):
        if total <= best[known - 1]:
            return False
        known -= 1
    place = known
    while place > 0 and best[place - 1] < total:
        best[place] = best[place - 1]
        ranking.before[at, middle, candidate, place] = ranking.before[at, middle, candidate, place - 1]
        ranking.rank[at, middle, candidate, place] = ranking.rank[at, middle, candidate, place - 1]
        place -= 1
    best[place] = total
    ranking.before[at, middle, candidate, place] = before
    ranking.rank[at, middle, candidate, place] = rank
    ranking.known[at, middle, candidate] = known + 1
    return True


@compiled(allocates=True)
def _next_end(at, lattice, ranking, taken):
    """Where the best sequence ends of those not taken yet; `taken` counts them by the last two candidates."""
    end = (-1, -1)
    for candidate in range(lattice.width[at]):
        for middle in range(lattice.width[at - 1]):
            rank = taken[middle, candidate]
            if rank < ranking.known[at, middle, candidate] and (
                end[0] < 0 or ranking.best[at, middle, candidate, rank] > ranking.best[at, end[0], end[1], taken[end]]
            ):
                end = (middle, candidate)
    return end


@eventual
def rank_tags(words, table, weights, lattice, tags, scores):
    """Write the best sequences of tags of one sentence with their scores, as many as there is room for; returns how
    many there are.
    """
    one_word_rows = rows_of_one_word(words.attributes, table.patterns, table.keys, table.slots)
    positions = score(words, one_word_rows, 0, table, weights, lattice)
    ranking = make_ranking(positions, lattice.pair.shape[1], len(tags))
    rank_sequences(positions, table, weights, lattice, ranking)
    last = positions - 1
    taken = np.zeros(lattice.pair.shape[1:], np.int64)
    for number in range(len(tags)):
        middle, candidate = _next_end(last, lattice, ranking, taken)
        if middle < 0:
            return number
        rank = taken[middle, candidate]
        taken[middle, candidate] += 1
        scores[number] = ranking.best[last, middle, candidate, rank]
        for at in range(last, 1, -1):
            tags[number, at - 2] = lattice.tags[at, candidate]
            before, rank_before = ranking.before[at, middle, candidate, rank], ranking.rank[at, middle, candidate, rank]
            middle, candidate, rank = before, middle, rank_before
    return len(tags)
