"""The model's features by what they look at, so that only those that occur in rules are ever computed.

A model has a few thousand features out of a million, so a word or a tag has a handful in all groups together. They are
looked up once per sentence, and `of_word[group, word]` lists what the word brings to a group it is the head of.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpuparse.jit import compiled, inlined
from gpuparse.parse.features.groups import (
    COUNTED,
    DOMAIN,
    GROUP_TABLE,
    GROUPS,
    START_OFFSET,
    START_POINT,
    STOP_OFFSET,
    STOP_POINT,
    WITHOUT_HEAD,
    Domain,
    Point,
)
from gpuparse.parse.features.runs import child_of, run_of
from gpuparse.parse.features.space import LENGTH, LENGTHS, FeatureSpace
from gpuparse.parse.logic.items import END, FIRST_VALUE, HEAD, HEAD_VALUES, START, SYMBOL
from gpuparse.parse.model.rules import BITS, WORD, Marks, View, view_of
from gpuparse.parse.properties import LABEL

_ITEMS, _BELOW, _CHILD = int(Domain.ITEMS), int(Domain.BELOW), int(Domain.CHILD)
LOOKS_AT_ITEMS = COUNTED + 1  # one more column of the table of groups: whether a feature asks for its items
BROUGHT = HEAD_VALUES + 1  # a word brings a group at most one feature for each of its properties; and an end mark
REACH = 4  # the most children in a group, unless it holds all on one side: farther off, all have the same role
FROM_LEFT, FROM_RIGHT, FROM_HEAD = 0, REACH + 1, 3 * REACH + 3  # the roles at no distance
ROLES = 4 * REACH + 5  # of a child: its distance from the left end, from the right end, and from the head


class Atoms(NamedTuple):
    """The features of a model, and the groups that they look at, in the order of their views."""

    view_starts: np.ndarray  # int64[views + 1]: where the groups of each view begin
    groups: np.ndarray  # int32[groups, 10]: rows of GROUP_TABLE and LOOKS_AT_ITEMS
    of_symbol: np.ndarray  # int32[groups, symbols]: the feature "a label is this symbol", -1 for none
    value_starts: np.ndarray  # int32[HEAD_VALUES, values + 1]: for each value of a head word, where its features begin
    value_groups: np.ndarray  # int32: the group of such a feature
    value_features: np.ndarray  # int32: and the feature
    length_starts: np.ndarray  # int32[groups, LENGTHS + 2]: where the features of each length begin; the last: greater
    length_features: np.ndarray  # int32: the features that hold for a length
    role_starts: np.ndarray  # int32[ROLES + 1]: for each role of a child, where the groups that hold it begin
    role_groups: np.ndarray  # int32: the groups
    counting: np.ndarray  # int32: the groups of children whose lengths count; first those that know of no head
    headless: int  # how many of them know of no head
    marks: Marks  # what a feature sets in a row of its view


def collect_atoms(space: FeatureSpace, features: np.ndarray, marks: Marks) -> Atoms:
    """The tables for a model whose features have these numbers in the space, and set these bits."""
    group, prop, value = space.place(features)
    used = sorted(set(group.tolist()), key=lambda g: (view_of(GROUPS[g]), g))
    place = {g: at for at, g in enumerate(used)}
    at_group = np.array([place[g] for g in group.tolist()], np.int64)
    views = [int(view_of(GROUPS[g])) for g in used]
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
    children = [at for at, view in enumerate(views) if view == View.CHILDREN]
    holding = [[at for at in children if groups[at, -1] and _holds(groups[at], role)] for role in range(ROLES)]
    counting = [at for at in children if length_starts[at, 0] < length_starts[at, -1]]
    counting.sort(key=lambda at: _knows_head(groups[at]))
    return Atoms(
        view_starts=np.searchsorted(views, np.arange(len(View) + 1)),
        groups=groups,
        of_symbol=of_symbol,
        value_starts=value_starts,
        value_groups=at_group[valued].astype(np.int32),
        value_features=valued.astype(np.int32),
        length_starts=length_starts,
        length_features=length_features,
        role_starts=np.cumsum([0, *map(len, holding)]).astype(np.int32),
        role_groups=np.array([at for some in holding for at in some], np.int32),
        counting=np.array(counting, np.int32),
        headless=sum(not _knows_head(groups[at]) for at in counting),
        marks=marks,
    )


def _knows_head(group: np.ndarray) -> bool:
    """Whether it depends on the head which children a group holds."""
    return bool(group[WITHOUT_HEAD]) or not {Point.HEAD, Point.HEADEND}.isdisjoint(group[[START_POINT, STOP_POINT]])


def _holds(group: np.ndarray, role: int) -> bool:
    """Whether a group holds a child in this role: the role counts from an end or the head, as the group does."""
    far = 10 * REACH
    if _knows_head(group):
        at, points = role - FROM_HEAD, {Point.LEFT: -far, Point.HEAD: 0, Point.HEADEND: 1, Point.RIGHT: far}
        possible = role > FROM_RIGHT + REACH and not (group[WITHOUT_HEAD] and at == 0)
    elif group[START_POINT] == Point.RIGHT or group[STOP_OFFSET] < 0:
        at, points = FROM_RIGHT - 1 - role, {Point.LEFT: -far, Point.RIGHT: 0}
        possible = FROM_RIGHT <= role <= FROM_RIGHT + REACH
    else:
        at, points = role - FROM_LEFT, {Point.LEFT: 0, Point.RIGHT: far}
        possible = role < FROM_RIGHT
    start = points[Point(group[START_POINT])] + group[START_OFFSET]
    return possible and bool(start <= at < points[Point(group[STOP_POINT])] + group[STOP_OFFSET])


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
                features = of_word[atoms.value_groups[at], word]
                end = 0
                while features[end] >= 0:
                    end += 1
                features[end] = atoms.value_features[at]
                features[end + 1] = -1


@inlined
def _set(marks, row, feature):
    for at in range(marks.starts[feature], marks.starts[feature + 1]):
        row[marks.set[at, WORD]] |= marks.set[at, BITS]


@inlined
def _set_item(atoms, site, group, item, row):
    """Set what an item brings to a group: by its label, and by its head word."""
    items, of_word = site.state.items, site.of_word
    feature = atoms.of_symbol[group, items[item, SYMBOL]]
    if feature >= 0:
        _set(atoms.marks, row, feature)
    head = items[item, HEAD]
    at = 0
    while of_word[group, head, at] >= 0:
        _set(atoms.marks, row, of_word[group, head, at])
        at += 1


@compiled
def _set_lengths(atoms, group, length, row):
    """Set what the length of a group brings."""
    length = min(length, LENGTHS)
    for at in range(atoms.length_starts[group, length], atoms.length_starts[group, length + 1]):
        _set(atoms.marks, row, atoms.length_features[at])


@compiled
def set_view(view, atoms, site, cuts, row):
    """Set in a row the bits of the features of a view's groups, for the inference whose points are in `cuts`."""
    groups, state = atoms.groups, site.state
    for group in range(atoms.view_starts[view], atoms.view_starts[view + 1]):
        domain = groups[group, DOMAIN]
        if domain == _CHILD:
            child = child_of(groups[group], cuts, state)
            if child >= 0:
                _set_item(atoms, site, group, child, row)
            continue
        start, skip, resume, stop = run_of(groups[group], cuts, state)
        if groups[group, LOOKS_AT_ITEMS]:
            for part_start, part_stop in ((start, skip), (resume, stop)):
                for at in range(part_start, part_stop):
                    item = state.frontier[at] if domain == _ITEMS else at
                    _set_item(atoms, site, group, item, row)
        _set_lengths(atoms, group, stop - start - (resume - skip), row)


@compiled
def set_beside(view, atoms, site, item, row):
    """Set what one more item brings to the groups of a view that holds all items on one side."""
    for group in range(atoms.view_starts[view], atoms.view_starts[view + 1]):
        _set_item(atoms, site, group, item, row)


@compiled
def set_length_beside(view, atoms, length, row):
    """Set what the number of items on that side brings."""
    for group in range(atoms.view_starts[view], atoms.view_starts[view + 1]):
        _set_lengths(atoms, group, length, row)


@compiled
def set_role(role, atoms, site, item, row):
    """Set what an item, and the terminals below it, bring to the groups that hold a child in this role."""
    items = site.state.items
    for at in range(atoms.role_starts[role], atoms.role_starts[role + 1]):
        group = atoms.role_groups[at]
        if atoms.groups[group, DOMAIN] == _BELOW:
            for word in range(items[item, START], items[item, END]):
                _set_item(atoms, site, group, word, row)
        else:
            _set_item(atoms, site, group, item, row)


@compiled
def set_child_lengths(first, last, atoms, site, cuts, row):
    """Set the lengths of some of the groups of children whose lengths count."""
    for at in range(first, last):
        group = atoms.counting[at]
        start, skip, resume, stop = run_of(atoms.groups[group], cuts, site.state)
        _set_lengths(atoms, group, stop - start - (resume - skip), row)
