"""The 91 groups of items that a feature can look at, in one table that drives all the code that computes features.

A group is a run of frontier items or of terminals between two points of an inference, clipped to two others. The
points are the same five cuts of the frontier and of the sentence:

      begin         left        head headend      right        finish
        |  left ctx   |  children  |XX|  children   |  right ctx  |

so `left2` is the run from `left-2` to `left`, clipped to begin at `begin`. Every group belongs to one segment column:
the part of an inference that determines it, so that inferences that share the part share its features.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import IntEnum

import numpy as np


class Point(IntEnum):
    """A cut between frontier items, or between terminals."""

    BEGIN = 0
    LEFT = 1  # before the first child
    HEAD = 2  # before the head child; among terminals, before the head word
    HEADEND = 3  # after it
    RIGHT = 4  # after the last child
    FINISH = 5


class Domain(IntEnum):
    """What the points of a group cut."""

    ITEMS = 0  # frontier items
    BELOW = 1  # the terminals below a run of frontier items
    TERMINALS = 2  # terminals, counted from the leftmost, head and rightmost terminal below the new item
    CHILD = 3  # a child of a child


class Column(IntEnum):
    """The part of an inference that decides a segment: what its features may look at, and so who shares it."""

    SENTENCE = 0  # the terminals
    STATE = 1  # the frontier
    LEFT = 2  # the frontier before the children
    RIGHT = 3  # the frontier after the children
    LEFT_CHILD = 4  # the first child and the three items after it
    RIGHT_CHILD = 5  # the last child and the three items before it
    CHILDREN = 6  # the children
    HEAD = 7  # the head child and the three items either side
    TO_HEAD = 8  # the children up to the head
    FROM_HEAD = 9  # the children from the head on
    NON_HEAD = 10  # the children and which of them is the head


@dataclass(frozen=True)
class Group:
    """A run of items `[start + start_offset, stop + stop_offset)`, clipped to `[clip_start, clip_stop)`."""

    name: str
    column: Column
    domain: Domain
    start: Point
    start_offset: int
    stop: Point
    stop_offset: int
    clip_start: Point
    clip_stop: Point
    without_head: bool = False  # leave the head child out
    counted: bool = False  # has length features

    def row(self) -> list[int]:
        """The group as a row of `GROUP_TABLE`."""
        return [getattr(self, column) for column in GROUP_COLUMNS]


def _run(
    name: str, column: Column, start: tuple[Point, int], stop: tuple[Point, int], clip: tuple[Point, Point]
) -> Group:
    return Group(name, column, Domain.ITEMS, *start, *stop, *clip)


def _near_groups() -> list[Group]:
    """`first1 .. last4`, `left1 .. right4`, `headleft1 .. headright4`."""
    begin, left, head, headend, right, finish = Point
    families = [
        ("first", Column.CHILDREN, left, +1, (left, right)),
        ("last", Column.CHILDREN, right, -1, (left, right)),
        ("left", Column.LEFT, left, -1, (begin, left)),
        ("right", Column.RIGHT, right, +1, (right, finish)),
        ("headleft", Column.TO_HEAD, head, -1, (left, head)),
        ("headright", Column.FROM_HEAD, headend, +1, (headend, right)),
    ]
    return [
        _run(f"{name}{n}", column, (point, min(0, n * way)), (point, max(0, n * way)), clip)
        for name, column, point, way, clip in families
        for n in range(1, 5)
    ]


def _nth_groups() -> list[Group]:
    """`item.l-1 .. item.r+3` and `word.l-1 .. word.r+3`: the n-th to the left or right of a single item."""
    anchors = [("l", Point.LEFT, 0), ("h", Point.HEAD, 0), ("r", Point.RIGHT, -1)]
    item_columns = {
        "l-": Column.LEFT,
        "l+": Column.LEFT_CHILD,
        "h-": Column.HEAD,
        "h+": Column.HEAD,
        "r-": Column.RIGHT_CHILD,
        "r+": Column.RIGHT,
    }
    word_columns = {"l": Column.LEFT, "h": Column.HEAD, "r": Column.RIGHT}
    groups = []
    for kind, domain in (("item", Domain.ITEMS), ("word", Domain.TERMINALS)):
        for anchor, point, shift in anchors:
            for sign, way in (("-", -1), ("+", +1)):
                column = item_columns[anchor + sign] if kind == "item" else word_columns[anchor]
                for n in range(1, 4):
                    at = shift + way * n
                    name = f"{kind}.{anchor}{sign}{n}"
                    groups.append(Group(name, column, domain, point, at, point, at + 1, Point.BEGIN, Point.FINISH))
    return groups


def _child_groups() -> list[Group]:
    """`child.l.l .. child.r.r`: the first, head and last child of the first, head and last child.

    The run gives the frontier item; `clip_start` (LEFT, HEAD or RIGHT) says which of its children is meant.
    """
    parents = [
        ("l", Column.LEFT_CHILD, Point.LEFT, 0),
        ("h", Column.HEAD, Point.HEAD, 0),
        ("r", Column.RIGHT_CHILD, Point.RIGHT, -1),
    ]
    which = [("l", Point.LEFT), ("h", Point.HEAD), ("r", Point.RIGHT)]
    return [
        Group(f"child.{a}.{b}", column, Domain.CHILD, point, at, point, at + 1, child, child)
        for a, column, point, at in parents
        for b, child in which
    ]


def _long_groups() -> list[Group]:
    """`all .. afterhead`, whose lengths count, and the terminals below each."""
    begin, left, head, headend, right, finish = Point
    families = [
        ("all", Column.STATE, (begin, 0), (finish, 0), False),
        ("children", Column.CHILDREN, (left, 0), (right, 0), False),
        ("left", Column.LEFT, (begin, 0), (left, 0), False),
        ("right", Column.RIGHT, (right, 0), (finish, 0), False),
        ("nonfirst", Column.CHILDREN, (left, 1), (right, 0), False),
        ("nonhead", Column.NON_HEAD, (left, 0), (right, 0), True),
        ("nonlast", Column.CHILDREN, (left, 0), (right, -1), False),
        ("tohead", Column.TO_HEAD, (left, 0), (headend, 0), False),
        ("beforehead", Column.TO_HEAD, (left, 0), (head, 0), False),
        ("fromhead", Column.FROM_HEAD, (head, 0), (right, 0), False),
        ("afterhead", Column.FROM_HEAD, (headend, 0), (right, 0), False),
    ]
    items = [
        Group(name, column, Domain.ITEMS, *start, *stop, begin, finish, without_head, counted=True)
        for name, column, start, stop, without_head in families
    ]
    words = [
        Group(
            f"words({name})",
            Column.SENTENCE if name == "all" else column,
            Domain.BELOW,
            *start,
            *stop,
            begin,
            finish,
            without_head,
            counted=True,
        )
        for name, column, start, stop, without_head in families
    ]
    return items + words


GROUP_COLUMNS = tuple(field.name for field in fields(Group))[2:]  # all but the name, and the segment column

GROUPS: tuple[Group, ...] = (*_near_groups(), *_nth_groups(), *_child_groups(), *_long_groups())

# Places in a row of GROUP_TABLE, which compiled code reads, in the order of GROUP_COLUMNS.
DOMAIN, START_POINT, START_OFFSET, STOP_POINT, STOP_OFFSET, CLIP_START, CLIP_STOP, WITHOUT_HEAD, COUNTED = range(9)

GROUP_TABLE = np.array([group.row() for group in GROUPS], np.int32)

# The groups of column c are GROUPS_BY_COLUMN[COLUMN_STARTS[c]:COLUMN_STARTS[c + 1]].
GROUPS_BY_COLUMN = np.argsort([group.column for group in GROUPS], kind="stable").astype(np.int32)
COLUMN_STARTS = np.searchsorted(
    [GROUPS[g].column for g in GROUPS_BY_COLUMN], np.arange(len(Column) + 1), side="left"
).astype(np.int32)
