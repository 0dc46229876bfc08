"""The inventory of features: groups and properties by name, in the order that decides the numbers of features.

A model stores the inventory it was trained with. Numbers of features mean nothing under another one.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from gpuparse.parse.features.groups import GROUPS
from gpuparse.parse.features.space import LENGTHS
from gpuparse.parse.logic.vocabulary import Vocabulary
from gpuparse.parse.properties import PROPERTIES


@dataclass(frozen=True)
class Inventory:
    """What features there are, apart from the values of the properties."""

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
        differences = [
            *_unlike("group", "groups", self.groups, other.groups),
            *_unlike("length of", "lengths", self.counted, other.counted),
            *_unlike("property", "properties", self.properties, other.properties),
        ]
        if self.lengths != other.lengths:
            differences.append(f"its lengths are {other.lengths} and not {self.lengths}")
        return ", ".join(differences)


def _unlike(one: str, several: str, ours: Sequence[str], others: Sequence[str]) -> list[str]:
    differences = []
    for verb, names in (
        ("has", sorted(set(others) - set(ours))),
        ("lacks", sorted(set(ours) - set(others))),
    ):
        if names:
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            differences.append(f"it {verb} the {one} {names[0]}{more}")
    if not differences and tuple(ours) != tuple(others):
        differences.append(f"its {several} stand in another order")
    return differences


def inventory_with(options: Container[str]) -> Inventory:
    """The inventory with those of the optional properties that have these names.

    >>> inventory_with(()).properties
    ('label', 'headword', 'headtag', 'headtagclass')
    """
    return Inventory(
        groups=tuple(group.name for group in GROUPS),
        counted=tuple(group.name for group in GROUPS if group.counted),
        properties=tuple(prop.name for prop in PROPERTIES if not prop.optional or prop.name in options),
        lengths=LENGTHS,
    )


def inventory_of(vocabulary: Vocabulary) -> Inventory:
    """The inventory of a vocabulary: an optional property is in it if it has values."""
    return inventory_with([prop.name for prop, values in zip(PROPERTIES, vocabulary.values, strict=True) if values])
