"""The walk along a gold path: every inference that its states allow, and its rows, in compiled code."""

from __future__ import annotations

import numpy as np

from gpuparse.dtypes import CHOICE
from gpuparse.jit import compiled, kernel
from gpuparse.options import Strategy
from gpuparse.parse.features.extraction import emit_segment
from gpuparse.parse.features.groups import Column
from gpuparse.parse.features.segments import column_key, find_slot, hash_ends, run_key, write_segment
from gpuparse.parse.logic.headtable import head_index
from gpuparse.parse.logic.items import END, FIRST, LAST, START
from gpuparse.parse.logic.strategy import allows_children, allows_label

NOT_ALLOWED = np.iinfo(CHOICE).max
N_COLUMNS = len(Column)
OUT_OF_TABLE = 5  # what ran out of room: the table of segments
_BU = int(Strategy.bu)


@kernel
def walk(path, number, strategy, max_children, heads, numbering, label_symbols, workspace, growing, filled):
    """Add the states, candidates, rows and segments of one gold path to the growing arrays.

    Returns which array ran out of room (an index of `filled`, or OUT_OF_TABLE), or -1 when all is done, and the number
    of gold items that can't be inferred: too many children, or a label never seen, or TOP over more than one item.
    """
    frontier, hashes, buffer, taken, run_heads, seen, keys, values = workspace
    states, candidates, choices, rows, row_heads, starts, features = growing
    terminals, items, labels, parents = path
    n_labels = len(label_symbols)
    size = terminals.shape[0]
    last = -1
    missed = 0
    entries = 0  # in the table of segments
    for at in range(size):
        frontier[at] = at
    for gold in range(size, items.shape[0]):
        if filled[0] == states.shape[0]:
            return 0, 0
        state = filled[0]
        filled[0] += 1
        states[state, 0] = number
        correct, incorrect = 0, 0
        hash_ends(frontier, size, hashes)
        for i in range(size):
            for j in range(i, min(i + max_children, size)):
                if not allows_children(strategy, last, items, terminals, frontier, i, j):
                    continue
                if filled[1] == candidates.shape[0]:
                    return 1, 0
                candidate = filled[1]
                filled[1] += 1
                expected = _gold_item(items, parents, frontier, i, j)
                if strategy != _BU and expected != gold:
                    expected = -1
                candidates[candidate, 0] = state
                candidates[candidate, 1] = i
                candidates[candidate, 2] = j
                candidates[candidate, 3] = items[frontier[i], START]
                candidates[candidate, 4] = items[frontier[j], END]
                candidates[candidate, 5] = labels[expected] if expected >= 0 else -1
                candidates[candidate, 6] = filled[2]
                if 2 * entries >= len(keys):
                    return OUT_OF_TABLE, 0
                run_slot = find_slot(keys, values, run_key(N_COLUMNS, frontier, i, j + 1, 0))
                if i != j and values[run_slot] >= 0:
                    n_rows = _repeat_heads(candidates, choices, row_heads, values[run_slot], candidate, run_heads)
                else:
                    n_rows = _choose_heads(
                        *(heads, label_symbols, items, terminals, frontier, size, i, j),
                        *(choices[candidate], taken, run_heads),
                    )
                    if i != j:
                        entries += 1
                        keys[run_slot] = run_key(N_COLUMNS, frontier, i, j + 1, 0)
                        values[run_slot] = candidate
                for at in range(n_rows):
                    head = i + run_heads[at]
                    if filled[2] == rows.shape[0]:
                        return 2, 0
                    row = filled[2]
                    filled[2] += 1
                    row_heads[row] = head
                    for column in range(N_COLUMNS):
                        key = column_key(column, state, frontier, size, hashes, i, j, head)
                        slot = find_slot(keys, values, key)
                        if values[slot] < 0:
                            if filled[3] + 2 > len(starts):
                                return 3, 0
                            if 2 * entries >= len(keys):
                                return OUT_OF_TABLE, 0
                            emitted = emit_segment(
                                column, numbering, items, terminals, frontier, size, i, j, head, buffer, 0
                            )
                            if filled[4] + emitted > len(features):
                                return 4, 0
                            entries += 1
                            keys[slot] = key
                            values[slot] = write_segment(emitted, buffer, seen, starts, features, filled)
                        rows[row, column] = values[slot]
                for label in range(n_labels):
                    if choices[candidate, label] != NOT_ALLOWED:
                        if expected >= 0 and label == labels[expected]:
                            correct += 1
                        else:
                            incorrect += 1
        states[state, 1] = correct
        states[state, 2] = incorrect
        last, children = infer(items, frontier, size, gold)
        size -= children - 1
        is_top = labels[gold] == n_labels - 1
        missed += children > max_children or labels[gold] < 0 or (is_top and children > 1)
    return -1, missed


@compiled
def _choose_heads(heads, label_symbols, items, terminals, frontier, size, i, j, choice, taken, run_heads):
    """Find the head that each label takes of a run of children, and which of the candidate's rows that makes.

    There is a row a head, left to right; `run_heads` are the heads, counted from the first child. Returns their number.
    """
    n_labels = len(label_symbols)
    taken[: j - i + 1] = NOT_ALLOWED
    for label in range(n_labels):
        choice[label] = NOT_ALLOWED
        if allows_label(label, n_labels, label_symbols, items, frontier, size, i, j):
            choice[label] = head_index(heads, label, items, terminals, frontier, i, j) - i
            taken[choice[label]] = 0
    n_rows = 0
    for head in range(j - i + 1):
        if taken[head] != NOT_ALLOWED:
            taken[head] = n_rows
            run_heads[n_rows] = head
            n_rows += 1
    for label in range(n_labels):
        if choice[label] != NOT_ALLOWED:
            choice[label] = taken[choice[label]]
    return n_rows


@compiled
def _repeat_heads(candidates, choices, row_heads, earlier, candidate, run_heads):
    """The same as an earlier candidate over the same run. (A run of one item differs: it may or may not be all.)"""
    for label in range(choices.shape[1]):
        choices[candidate, label] = choices[earlier, label]
    first_row = candidates[earlier, 6]
    n_rows = candidates[earlier + 1, 6] - first_row
    for at in range(n_rows):
        run_heads[at] = row_heads[first_row + at] - candidates[earlier, 1]
    return n_rows


@compiled
def _gold_item(items, parents, frontier, i, j):
    """The gold item whose children are exactly `frontier[i..j]`, or -1."""
    parent = parents[frontier[i]]
    if parent < 0 or items[parent, FIRST] != frontier[i] or items[parent, LAST] != frontier[j]:
        return -1
    for at in range(i, j + 1):
        if parents[frontier[at]] != parent:
            return -1
    return parent


@compiled
def infer(items, frontier, size, gold):
    """Put a gold item in place of its children; its frontier index, and how many children it had."""
    i = 0
    while frontier[i] != items[gold, FIRST]:
        i += 1
    j = i
    while frontier[j] != items[gold, LAST]:
        j += 1
    frontier[i] = gold
    for at in range(j + 1, size):
        frontier[i + at - j] = frontier[at]
    return i, j - i + 1
