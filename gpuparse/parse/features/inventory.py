"""The inventory of features: groups and properties by name, in the order that decides the numbers of features.

A model stores the inventory it was trained with. Numbers of features mean nothing under another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpuparse.parse.features.groups import GROUPS
from gpuparse.parse.features.space import LENGTHS
from gpuparse.parse.properties import PROPERTIES


@dataclass(frozen=True)
class Inventory:
    """What features there are, but for the values of the properties."""

    groups: tuple[str, ...]
    counted: tuple[str, ...]  # the groups that have length features
    properties: tuple[str, ...]
    lengths: int  # 0 .. lengths - 1 are told apart

    def difference(self, other: Inventory) -> str:
        """What another inventory has that this one has not, and the reverse; empty where they are equal.

        >>> one = Inventory(("left1", "right1"), (), ("label",), 16)
        >>> one.difference(Inventory(("right1", "left1"), (), ("label", "shape"), 12))
        'its groups stand in another order, it has the property shape, its lengths are 12 and not 16'
        """
        told = [
            *_unlike("group", "groups", self.groups, other.groups),
            *_unlike("length of", "lengths", self.counted, other.counted),
            *_unlike("property", "properties", self.properties, other.properties),
        ]
        if self.lengths != other.lengths:
            told.append(f"its lengths are {other.lengths} and not {self.lengths}")
        return ", ".join(told)


def _unlike(one: str, several: str, ours: Sequence[str], others: Sequence[str]) -> list[str]:
    told = []
    for verb, names in (
        ("has", sorted(set(others) - set(ours))),
        ("lacks", sorted(set(ours) - set(others))),
    ):
        if names:
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            told.append(f"it {verb} the {one} {names[0]}{more}")
    if not told and tuple(ours) != tuple(others):
        told.append(f"its {several} stand in another order")
    return told


INVENTORY = Inventory(
    groups=tuple(group.name for group in GROUPS),
    counted=tuple(group.name for group in GROUPS if group.counted),
    properties=tuple(prop.name for prop in PROPERTIES),
    lengths=LENGTHS,
)
