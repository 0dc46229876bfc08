"""What a search remembers of what it has looked at, since states of a sentence have most of their items in common.

Everything is remembered under a 64-bit hash of what decides it, in a place that a part of the hash chooses; what was
there before is forgotten. Each kind of thing has a table of its own, so that no two kinds are ever mixed up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpuparse.jit import inlined, spliced
from gpuparse.kernels import KnownRows
from gpuparse.parse.features.runs import CUTS
from gpuparse.parse.model.rules import Rules, View

AT_LEFT, AT_RIGHT, AT_HEAD = range(3)  # kinds of places: those at which a run begins, ends, or has its head


class Sizes(NamedTuple):
    """How much is remembered of each kind; powers of two."""

    runs: int = 1 << 13  # of children
    patterns: int = 1 << 11
    views: int = 1 << 9  # of each view, and of each kind of place
    roles: int = 1 << 10


USUAL_SIZES = Sizes()


class Memory(NamedTuple):
    """What is remembered, and room to work in. A bit set has a bit for each rule."""

    run_keys: np.ndarray  # uint64[sizes.runs]: a hash of the children
    run_satisfied: np.ndarray  # uint64[sizes.runs, blocks]: the rules that are satisfied in them
    run_fires: np.ndarray  # uint64[sizes.runs, blocks]: those that fired when a candidate with them was last scored
    run_scores: np.ndarray  # int64[sizes.runs, labels]: its scores
    run_before: np.ndarray  # int64[words]: the run that was last met with its end at this place of a frontier
    pattern_keys: np.ndarray  # uint64[sizes.patterns]: a hash of the symbols of the children
    pattern_heads: np.ndarray  # int64[sizes.patterns, labels]: the head child for each label, or NO_HEAD
    pattern_about: np.ndarray  # int64[sizes.patterns, 2]: the heads in use, as bits; how many labels are allowed
    pattern_rules: np.ndarray  # uint64[sizes.patterns, max_children, blocks]: the rules of each head's labels
    view_keys: np.ndarray  # uint64[views, sizes.views]: a hash of what a view shows
    view_satisfied: np.ndarray  # uint64[views, sizes.views, blocks]: the rules that are satisfied there
    place_keys: np.ndarray  # uint64[3, sizes.views]: a hash of what the views around a place show
    place_satisfied: np.ndarray  # uint64[3, sizes.views, blocks]: the rules that are satisfied in all of them
    role_keys: np.ndarray  # uint64[sizes.roles]: a hash of a child and its role
    role_rows: np.ndarray  # uint64[sizes.roles, row]: what it sets
    content: np.ndarray  # uint64[words]: of the frontier items of the state at hand
    inside: np.ndarray  # uint64[words]: of the same
    before: np.ndarray  # uint64[words + 1]: a hash of the items before each
    after: np.ndarray  # uint64[words + 1]: and of those from each on
    around: np.ndarray  # uint64[3, words, blocks]: for each place of the state, what is satisfied if a run begins there
    shared: np.ndarray  # uint64[2, blocks]: what is satisfied wherever a run is; and room for a bit set
    rows: np.ndarray  # uint64[3, longest row]: room for rows of views
    cuts: np.ndarray  # int64[CUTS]: the points of the inference at hand


def make_memory(rules: Rules, max_children: int, n_words: int, sizes: Sizes = USUAL_SIZES) -> Memory:
    """An empty memory; `n_words` is the length of the longest sentence."""
    blocks, labels, row = rules.blocks, len(rules.constant), rules.layout.blank.shape[1]
    bits, number = np.uint64, np.int64
    children_row = int(rules.layout.planes[View.CHILDREN, -1])
    return Memory(
        run_keys=np.zeros(sizes.runs, bits),
        run_satisfied=np.empty((sizes.runs, blocks), bits),
        run_fires=np.zeros((sizes.runs, blocks), bits),
        run_scores=np.tile(rules.constant, (sizes.runs, 1)),
        run_before=np.zeros(n_words, number),
        pattern_keys=np.zeros(sizes.patterns, bits),
        pattern_heads=np.empty((sizes.patterns, labels), number),
        pattern_about=np.zeros((sizes.patterns, 2), number),
        pattern_rules=np.empty((sizes.patterns, max_children, blocks), bits),
        view_keys=np.zeros((len(View), sizes.views), bits),
        view_satisfied=np.empty((len(View), sizes.views, blocks), bits),
        place_keys=np.zeros((3, sizes.views), bits),
        place_satisfied=np.empty((3, sizes.views, blocks), bits),
        role_keys=np.zeros(sizes.roles, bits),
        role_rows=np.empty((sizes.roles, children_row), bits),
        content=np.empty(n_words, bits),
        inside=np.empty(n_words, bits),
        before=np.empty(n_words + 1, bits),
        after=np.empty(n_words + 1, bits),
        around=np.empty((3, n_words, blocks), bits),
        shared=np.empty((2, blocks), bits),
        rows=np.empty((3, row), bits),
        cuts=np.empty(CUTS, number),
    )


@spliced
def known_rows(memory):
    """The rows that were scored before."""
    return KnownRows(memory.run_fires, memory.run_scores)


@inlined
def place_of(key, size):
    """Where what has this key is remembered, if it is; `size` is a power of two."""
    return np.int64(key >> np.uint64(40)) & (size - 1)
