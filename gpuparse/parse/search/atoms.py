"""The model's features by what they look at, so that only those that occur in rules are ever computed.

A model has a few thousand features out of a million, so a word or a tag has a handful in all groups together. They are
looked up once a sentence, and `of_word[group, word]` lists what the word brings to a group it is the head of.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpuparse.jit import compiled, inlined
from gpuparse.parse.features.groups import COUNTED, DOMAIN, GROUP_TABLE, GROUPS, Column, Domain
from gpuparse.parse.features.runs import child_of, run_of
from gpuparse.parse.features.space import LENGTH, LENGTHS, FeatureSpace
from gpuparse.parse.logic.items import FIRST_VALUE, HEAD, HEAD_VALUES, SYMBOL
from gpuparse.parse.model.rules import Marks
from gpuparse.parse.properties import LABEL

_ITEMS, _CHILD = int(Domain.ITEMS), int(Domain.CHILD)
LOOKS_AT_ITEMS = COUNTED + 1  # one more column of the table of groups: whether a feature asks for its items
BROUGHT = HEAD_VALUES + 1  # a word brings a group at most one feature for each of its properties; and an end mark


class Atoms(NamedTuple):
    """The features of a model. Groups are those that it asks for, those of a column side by side."""

    column_starts: np.ndarray  # int64[columns + 1]: where the groups of each column begin
    groups: np.ndarray  # int32[groups, 10]: rows of GROUP_TABLE and LOOKS_AT_ITEMS
    of_symbol: np.ndarray  # int32[groups, symbols]: the feature "a label is this symbol", -1 for none
    value_starts: np.ndarray  # int32[HEAD_VALUES, values + 1]: for each value of a head word, where its features begin
    value_groups: np.ndarray  # int32: the group of such a feature
    value_features: np.ndarray  # int32: and the feature
    length_starts: (
        np.ndarray
    )  # int32[groups, LENGTHS + 2]: for each length, the last "greater", where its features begin
    length_features: np.ndarray  # int32: the features that hold for a length
    marks: Marks  # what a feature sets in a row


def collect_atoms(space: FeatureSpace, features: np.ndarray, marks: Marks) -> Atoms:
    """The tables for a model whose features have these numbers in the space, and set these bits."""
    group, prop, value = space.place(features)
    used = sorted(set(group.tolist()), key=lambda g: (GROUPS[g].column, g))
    place = {g: at for at, g in enumerate(used)}
    at_group = np.array([place[g] for g in group.tolist()], np.int64)
    columns = [int(GROUPS[g].column) for g in used]
    groups = np.zeros((len(used), LOOKS_AT_ITEMS + 1), np.int32)
    groups[:, :LOOKS_AT_ITEMS] = GROUP_TABLE[used]
    groups[at_group[prop != LENGTH], LOOKS_AT_ITEMS] = 1
    of_symbol = np.full((len(used), space.vocabulary.other_symbol + 1), -1, np.int32)
    labels = np.flatnonzero(prop == LABEL)
    of_symbol[at_group[labels], value[labels]] = labels
    most_values = max(len(values) for values in space.vocabulary.values)
    value_starts = np.zeros((HEAD_VALUES, most_values + 1), np.int32)
    valued = np.flatnonzero((prop != LABEL) & (prop != LENGTH))
    valued = valued[np.lexsort((at_group[valued], value[valued], prop[valued]))]
    keys = prop[valued] * value_starts.shape[1] + value[valued]
    for number in range(HEAD_VALUES):
        first = (LABEL + 1 + number) * value_starts.shape[1]
        value_starts[number] = np.searchsorted(keys, first + np.arange(value_starts.shape[1]))
    length_starts, length_features = _lengths(len(used), at_group, prop, value)
    return Atoms(
        np.searchsorted(columns, np.arange(len(Column) + 1)),
        groups,
        of_symbol,
        value_starts,
        at_group[valued].astype(np.int32),
        valued.astype(np.int32),
        length_starts,
        length_features,
        marks,
    )


def _lengths(n_groups: int, group: np.ndarray, prop: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each group and length the features `len(J)=n` and `len(J)>n` that hold."""
    holding: list[list[int]] = [[] for _ in range(n_groups * (LENGTHS + 1))]
    for feature in np.flatnonzero(prop == LENGTH).tolist():
        n = int(value[feature])
        lengths = [n] if n < LENGTHS else range(n - LENGTHS + 1, LENGTHS + 1)
        for length in lengths:
            holding[int(group[feature]) * (LENGTHS + 1) + length].append(feature)
    ends = np.cumsum([0, *map(len, holding)])
    starts = np.empty((n_groups, LENGTHS + 2), np.int32)
    for g in range(n_groups):
        starts[g] = ends[g * (LENGTHS + 1) : (g + 1) * (LENGTHS + 1) + 1]
    return starts, np.array([feature for some in holding for feature in some], np.int32)


@compiled
def look_up_words(atoms, terminals, n_words, of_word):
    """Fill `of_word[group, word]` with the features that each word of a sentence brings, ended by -1."""
    of_word[:, :n_words, 0] = -1
    for word in range(n_words):
        for number in range(HEAD_VALUES):
            value = terminals[word, FIRST_VALUE + number]
            if value < 0:
                continue
            for at in range(atoms.value_starts[number, value], atoms.value_starts[number, value + 1]):
                brought = of_word[atoms.value_groups[at], word]
                end = 0
                while brought[end] >= 0:
                    end += 1
                brought[end] = atoms.value_features[at]
                brought[end + 1] = -1


@inlined
def _set(marks, row, feature):
    for at in range(marks.starts[feature], marks.starts[feature + 1]):
        row[marks.set[at, 0]] |= marks.set[at, 1]


@inlined
def _set_item(of_symbol, of_word, marks, group, item, items, row):
    """Set what an item brings to a group: by its label, and by its head word."""
    feature = of_symbol[group, items[item, SYMBOL]]
    if feature >= 0:
        _set(marks, row, feature)
    head = items[item, HEAD]
    at = 0
    while of_word[group, head, at] >= 0:
        _set(marks, row, of_word[group, head, at])
        at += 1


@compiled
def set_column(column, atoms, of_word, items, frontier, cuts, row):
    """Set in a row the bits of the features of a column's groups, for the inference whose points are in `cuts`."""
    groups, of_symbol, marks = atoms.groups, atoms.of_symbol, atoms.marks
    for group in range(atoms.column_starts[column], atoms.column_starts[column + 1]):
        domain = groups[group, DOMAIN]
        if domain == _CHILD:
            child = child_of(groups[group], cuts, items, frontier)
            if child >= 0:
                _set_item(of_symbol, of_word, marks, group, child, items, row)
            continue
        start, skip, resume, stop = run_of(groups[group], cuts, items, frontier)
        if groups[group, LOOKS_AT_ITEMS]:
            for part_start, part_stop in ((start, skip), (resume, stop)):
                for at in range(part_start, part_stop):
                    item = frontier[at] if domain == _ITEMS else at
                    _set_item(of_symbol, of_word, marks, group, item, items, row)
        length = min(stop - start - (resume - skip), LENGTHS)
        for at in range(atoms.length_starts[group, length], atoms.length_starts[group, length + 1]):
            _set(marks, row, atoms.length_features[at])
