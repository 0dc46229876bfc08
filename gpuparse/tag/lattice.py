"""The candidate tags of a sentence's words, the scores of their neighbourhoods, and the best sequence (Viterbi).

Word `i` of a sentence is position `i + 2` of its lattice; before it are two edge positions, whose only candidate is
the edge tag, so that no step is special. A candidate `c` after `b` after `a` scores

    pair[position, b, c] + weights[last_two_tags[tag of b, tag of a], tag of c]
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpuparse.jit import compiled, eventual
from gpuparse.tag.templates import (
    PLACE,
    Patterns,
    find_key,
    find_row,
    find_word_rows,
    look_around,
    look_for_predicates,
    rows_of_one_word,
)

LONGEST = 500  # words; a longer sentence is tagged in pieces, so that memory stays small for any input


class Lattice(NamedTuple):
    """Room for one sentence."""

    width: np.ndarray  # int32[positions]: the number of candidates
    tags: np.ndarray  # int32[positions, candidates]
    rows: np.ndarray  # int32[positions, templates]: of weights
    tag_rows: np.ndarray  # int32[positions, candidates of the position before, templates with its tag]
    pair: np.ndarray  # [positions, candidates of the position before, candidates]: scores
    around: np.ndarray  # int8[positions]: of each word, which others can be predicates


def make_lattice(longest: int, candidates: int, patterns: Patterns, score_type: type) -> Lattice:
    """Room for sentences of at most so many words with at most so many candidates each.

    >>> from gpuparse.tag.templates import parse_templates
    >>> make_lattice(3, 2, parse_templates(["tag-1", "tag-1 tag-2"], []), np.int64).pair.shape
    (5, 2, 2)
    """
    positions = longest + 2
    return Lattice(
        np.ones(positions, np.int32),
        np.empty((positions, candidates), np.int32),
        np.empty((positions, patterns.untagged), np.int32),
        np.empty((positions, candidates, len(patterns.parts) - 2 - patterns.untagged), np.int32),
        np.zeros((positions, candidates, candidates), score_type),
        np.empty(positions, np.int8),
    )


@compiled(allocates=True)
def score(words, one_word_rows, sentence, table, weights, lattice):
    """Fill the lattice with a sentence's candidates, rows and pair scores; returns the number of positions."""
    first, last = words.starts[sentence], words.starts[sentence + 1]
    near = np.zeros(PLACE + 1, np.int32)
    lattice.tags[0, 0] = lattice.tags[1, 0] = weights.shape[1]
    look_for_predicates(words, sentence, lattice.around)
    for position in range(first, last):
        at = position - first + 2
        word = words.numbers[position]
        width = words.candidate_starts[word + 1] - words.candidate_starts[word]
        lattice.width[at] = width
        for candidate in range(width):
            lattice.tags[at, candidate] = words.candidates[words.candidate_starts[word] + candidate]
        rows = lattice.rows[at]
        rows[:] = len(table.keys)  # the row of zeros: a word with one candidate needs no features of words alone
        if width == 1 and lattice.width[at - 1] == 1:  # nor those with the last tag, if that has no rival either
            lattice.tag_rows[at, 0] = len(table.keys)
            lattice.pair[at, 0, 0] = 0
            continue
        look_around(words, sentence, position, near)
        near[PLACE] = lattice.around[position - first]
        if width > 1:
            find_word_rows(words.attributes, near, one_word_rows, table.patterns, table.keys, table.slots, rows)
        _score_word(rows, lattice.tags[at, :width], weights, lattice.pair[at, 0])
        _score_last_tags(words.attributes, near, table, weights, lattice, at)
    return last - first + 2


@compiled
def _score_word(rows, tags, weights, totals):
    """Write the scores of each candidate by features of words alone."""
    totals[: len(tags)] = 0
    for row in rows:
        _add_row(row, tags, weights, totals)


@compiled
def _score_last_tags(attributes, near, table, weights, lattice, at):
    """Add the scores by features with the last tag. The word's own scores are kept with the first: it comes last."""
    tags = lattice.tags[at, : lattice.width[at]]
    first, end = table.patterns.untagged, len(table.patterns.parts) - 2
    for before in range(lattice.width[at - 1] - 1, -1, -1):
        last_tag = lattice.tags[at - 1, before]
        totals = lattice.pair[at, before]
        for candidate in range(len(tags)):
            totals[candidate] = lattice.pair[at, 0, candidate]
        _add_row(table.last_tag[last_tag], tags, weights, totals)
        for template in range(first, end):
            key = find_key(attributes, near, table.patterns.parts[template], template, last_tag)
            row = find_row(table.keys, table.slots, key)
            lattice.tag_rows[at, before, template - first] = row
            _add_row(row, tags, weights, totals)


@compiled
def _add_row(row, tags, weights, totals):
    if row < len(weights) - 1:
        for candidate in range(len(tags)):
            totals[candidate] += weights[row, tags[candidate]]


@compiled
def viterbi(positions, table, weights, lattice, best, back, tags):
    """Write the tags of the best sequence; among equals, the one with the lowest tag numbers, compared from the end.

    best[at, b, c] = pair[at, b, c] + max over a of (best[at - 1, a, b] + the score of c after b after a)
    """
    best[1, 0, 0] = 0
    for at in range(2, positions):
        candidates = lattice.tags[at, : lattice.width[at]]
        for middle in range(lattice.width[at - 1]):
            for before in range(lattice.width[at - 2]):
                row = table.last_two_tags[lattice.tags[at - 1, middle], lattice.tags[at - 2, before]]
                so_far = best[at - 1, before, middle]
                for candidate in range(len(candidates)):
                    total = so_far + weights[row, candidates[candidate]]
                    if before == 0 or total > best[at, middle, candidate]:
                        best[at, middle, candidate] = total
                        back[at, middle, candidate] = before
            for candidate in range(len(candidates)):
                best[at, middle, candidate] += lattice.pair[at, middle, candidate]
    middle, candidate = _best_end(positions - 1, lattice, best)
    for at in range(positions - 1, 1, -1):
        tags[at - 2] = lattice.tags[at, candidate]
        middle, candidate = back[at, middle, candidate], middle


@compiled
def _best_end(at, lattice, best):
    last_two = (0, 0)  # the candidates of the last two positions
    for candidate in range(lattice.width[at]):
        for middle in range(lattice.width[at - 1]):
            if best[at, middle, candidate] > best[at, last_two[0], last_two[1]]:
                last_two = (middle, candidate)
    return last_two


@eventual
def tag_sentences(words, table, weights, lattice, tags):
    """The tags of all words of all sentences, none of which has more words than the lattice has room for."""
    best = np.empty(lattice.pair.shape, lattice.pair.dtype)
    back = np.empty(lattice.pair.shape, np.int16)
    one_word_rows = rows_of_one_word(words.attributes, table.patterns, table.keys, table.slots)
    for sentence in range(len(words.starts) - 1):
        positions = score(words, one_word_rows, sentence, table, weights, lattice)
        out = tags[words.starts[sentence] : words.starts[sentence + 1]]
        viterbi(positions, table, weights, lattice, best, back, out)
