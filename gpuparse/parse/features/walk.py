"""The walk along a gold path, in compiled code: every inference that its states allow, and its rows.

A sentence is walked twice. First all inferences are listed, without their features: then it is known how many rows
there are. Then the rows are written; a segment that the sentence has written before is shared.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpuparse.dtypes import CHOICE, REAL, ROW
from gpuparse.jit import compiled, kernel
from gpuparse.options import Strategy
from gpuparse.parse.features.extraction import emit_segment
from gpuparse.parse.features.groups import Column
from gpuparse.parse.features.runs import set_cuts
from gpuparse.parse.features.segments import Keys, KeyTable, column_key, enter, find_slot, has_room, hash_ends, run_key
from gpuparse.parse.logic.items import FIRST, LAST
from gpuparse.parse.logic.state import N_FRONTIER, Run, begin_frontier, find_children, put_over, span_of
from gpuparse.parse.logic.strategy import NO_HEAD, allows_children, find_heads

NOT_ALLOWED = np.iinfo(CHOICE).max
N_COLUMNS = len(Column)
RUN = N_COLUMNS  # stands for a run of children, among the columns of the table's keys
_BU = int(Strategy.bu)

STATE = np.dtype([("sentence", ROW), ("correct", ROW), ("incorrect", ROW), ("worth", REAL)])
CANDIDATE = np.dtype(
    [(name, ROW) for name in ("state", "left", "right", "start", "end", "gold", "first_row")]
)  # its state, its children in the frontier, the words below them, the correct label or -1, its first row
FILLED = np.dtype([(name, np.int64) for name in ("states", "candidates", "rows", "segments", "features")])


class Collected(NamedTuple):
    """Candidates, rows and segments as they are collected. The arrays have more room than is filled."""

    states: np.ndarray  # STATE
    candidates: np.ndarray  # CANDIDATE
    choices: np.ndarray  # CHOICE[candidates, labels]
    heads: np.ndarray  # POSITION[rows]: the head child of each row, in the frontier
    factors: np.ndarray  # REAL[rows]: what the importance of incorrect examples is multiplied by; empty: 1
    rows: np.ndarray  # SEGMENT[rows, columns]
    starts: np.ndarray  # OFFSET[segments + 1]
    features: np.ndarray  # FEATURE
    filled: np.ndarray  # FILLED[1]: how much of each


class Workspace(NamedTuple):
    """Scratch arrays of the walk."""

    keys: Keys  # of the frontier at hand: its `items` are the frontier itself
    table: KeyTable  # of the sentence's runs of children while inferences are listed, then of its segments
    label_heads: np.ndarray  # int64[labels]: the head child that each label takes
    cuts: np.ndarray  # int64[CUTS]: the points of the inference at hand
    row_of_head: np.ndarray  # CHOICE[max_children]: which row of the candidate each head has
    buffer: np.ndarray  # FEATURE: of a segment, with repetitions
    seen: np.ndarray  # SEGMENT[features]: the segment that wrote each feature last


@kernel
def list_inferences(path, number, logic, state, collected, workspace):
    """List the states, candidates and heads of one gold path, for which there is room.

    Returns the number of gold items that can't be inferred: too many children, or a label never seen, or TOP over more
    than one item.
    """
    begin_frontier(state)
    uninferable = 0
    for gold in range(len(path.terminals), len(path.items)):
        _list_candidates(path, number, gold, logic, state, collected, workspace)
        uninferable += not go_on(path, gold, logic, state)
    return uninferable


@compiled
def go_on(path, gold, logic, state):
    """Put the next gold item in its place; returns whether it can be inferred."""
    left, right = find_children(state, gold)
    put_over(state, gold, left, right)
    children, label = right - left + 1, path.labels[gold]
    is_top = label == len(logic.label_symbols) - 1
    return label >= 0 and children <= (1 if is_top else logic.max_children)


@compiled
def _list_candidates(path, number, gold, logic, state, collected, workspace):
    """List one state, from which the gold path goes on with the item `gold`, and what it allows."""
    filled = collected.filled[0]
    at_state = filled["states"]
    filled["states"] += 1
    size = state.extent[N_FRONTIER]
    correct, incorrect = 0, 0
    for left in range(size):
        for right in range(left, min(left + logic.max_children, size)):
            if not allows_children(logic, state, left, right):
                continue
            at = filled["candidates"]
            filled["candidates"] += 1
            candidate = collected.candidates[at]
            candidate["state"] = at_state
            candidate["left"] = left
            candidate["right"] = right
            candidate["start"], candidate["end"] = span_of(state, left, right)
            candidate["gold"] = gold_label(path, gold, logic, state, left, right)
            candidate["first_row"] = filled["rows"]
            _list_rows(logic, state, collected, workspace, at)
            for label in range(len(logic.label_symbols)):
                if collected.choices[at, label] != NOT_ALLOWED:
                    if label == candidate["gold"]:
                        correct += 1
                    else:
                        incorrect += 1
    entry = collected.states[at_state]
    entry["sentence"] = number
    entry["correct"] = correct
    entry["incorrect"] = incorrect
    entry["worth"] = path.weight


@compiled
def gold_label(path, gold, logic, state, left, right):
    """The label that is correct over these frontier items at a state from which the gold path goes on to `gold`, or -1.

    Under `bu` every item of the gold tree is correct.
    """
    item = _gold_item(path, state.frontier, left, right)
    return path.labels[item] if item == gold or (item >= 0 and logic.strategy == _BU) else -1


@compiled
def _gold_item(path, frontier, left, right):
    """The gold item whose children are exactly these frontier items, or -1."""
    parent = path.parents[frontier[left]]
    if parent < 0 or path.items[parent, FIRST] != frontier[left] or path.items[parent, LAST] != frontier[right]:
        return -1
    for at in range(left, right + 1):
        if path.parents[frontier[at]] != parent:
            return -1
    return parent


@compiled
def _list_rows(logic, state, collected, workspace, at):
    """List the rows of a candidate, one for each head child in use, and which of them each label takes."""
    candidate = collected.candidates[at]
    left, right = candidate["left"], candidate["right"]
    if left == right:  # whether TOP is allowed depends on what else is in the frontier
        _choose_rows(logic, state, collected, workspace, at)
        return
    table = workspace.table
    key = run_key(RUN, workspace.keys, left, right + 1, 0)
    slot = find_slot(table, key)
    if table.values[slot] >= 0:
        _repeat_rows(collected, table.values[slot], at)
    else:
        _choose_rows(logic, state, collected, workspace, at)
        if has_room(table, 1):
            enter(table, slot, key, at)


@compiled
def _choose_rows(logic, state, collected, workspace, at):
    """The rows of a candidate, by the head rules: from the leftmost head child to the rightmost."""
    candidate, choices = collected.candidates[at], collected.choices[at]
    left, right = candidate["left"], candidate["right"]
    label_heads, row_of_head = workspace.label_heads, workspace.row_of_head
    find_heads(logic, state, left, right, label_heads)
    row_of_head[: right - left + 1] = NOT_ALLOWED
    for label in range(len(label_heads)):
        if label_heads[label] != NO_HEAD:
            row_of_head[label_heads[label]] = 0
    filled = collected.filled[0]
    for head in range(right - left + 1):
        if row_of_head[head] != NOT_ALLOWED:
            row_of_head[head] = filled["rows"] - candidate["first_row"]
            collected.heads[filled["rows"]] = left + head
            filled["rows"] += 1
    for label in range(len(label_heads)):
        choices[label] = NOT_ALLOWED if label_heads[label] == NO_HEAD else row_of_head[label_heads[label]]


@compiled
def _repeat_rows(collected, earlier, at):
    """The rows of a candidate over the same children as an earlier one."""
    before, candidate = collected.candidates[earlier], collected.candidates[at]
    for label in range(collected.choices.shape[1]):
        collected.choices[at, label] = collected.choices[earlier, label]
    filled = collected.filled[0]
    for row in range(before["first_row"], collected.candidates[earlier + 1]["first_row"]):
        collected.heads[filled["rows"]] = collected.heads[row] - before["left"] + candidate["left"]
        filled["rows"] += 1


@kernel
def write_rows(path, numbering, state, collected, workspace, before, row):
    """Write the rows of the candidates that the path has added since `before`, from a row on.

    Returns the first row that is not written: there are no more, or room for segments has run out, and the caller
    makes some and goes on from there.
    """
    begin_frontier(state)
    candidates, filled, since = collected.candidates, collected.filled[0], before[0]
    at, number = since["candidates"], since["states"]
    for gold in range(len(path.terminals), len(path.items)):
        hash_ends(workspace.keys, state.extent[N_FRONTIER])
        while at < filled["candidates"] and candidates[at]["state"] == number:
            end = candidates[at + 1]["first_row"] if at + 1 < filled["candidates"] else filled["rows"]
            while row < end:
                if not _has_room_for_row(collected, workspace):
                    return row
                run = Run(candidates[at]["left"], candidates[at]["right"], collected.heads[row])
                _write_row(numbering, state, collected, workspace, number, row, run)
                row += 1
            at += 1
        left, right = find_children(state, gold)
        put_over(state, gold, left, right)
        number += 1
    return row


@compiled
def _has_room_for_row(collected, workspace):
    """Whether there is room for all that a row can add."""
    filled = collected.filled[0]
    return (
        filled["segments"] + N_COLUMNS + 1 <= len(collected.starts)
        and filled["features"] + N_COLUMNS * len(workspace.buffer) <= len(collected.features)
        and has_room(workspace.table, N_COLUMNS)
    )


@compiled
def _write_row(numbering, state, collected, workspace, number, row, run):
    """Write one row: the segments of its columns, those that are new with their features."""
    table = workspace.table
    set_cuts(workspace.cuts, state, run)
    for column in range(N_COLUMNS):
        key = column_key(column, number, workspace.keys, state.extent[N_FRONTIER], run)
        slot = find_slot(table, key)
        if table.values[slot] < 0:
            emitted = emit_segment(column, numbering, state, workspace.cuts, workspace.buffer, 0)
            enter(table, slot, key, _write_segment(collected, workspace, emitted))
        collected.rows[row, column] = table.values[slot]


@compiled
def _write_segment(collected, workspace, emitted):
    """Append the distinct features of the buffer as a new segment; its number, or 0 if it is empty."""
    filled, buffer, seen = collected.filled[0], workspace.buffer, workspace.seen
    segment, start = filled["segments"], filled["features"]
    at = start
    for k in range(emitted):
        feature = buffer[k]
        if seen[feature] != segment:
            seen[feature] = segment
            collected.features[at] = feature
            at += 1
    if at == start:
        return 0
    filled["segments"] += 1
    filled["features"] = at
    collected.starts[segment + 1] = at
    return segment
