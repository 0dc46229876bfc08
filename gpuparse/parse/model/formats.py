"""Every format of a model that ever was, and how an older one becomes today's.

A format stays here as it was written: what a file did not say then is said here for it.

    1    has no inventory: its features are those of INVENTORY_1; the values of the four properties are fields
    2    has no classes of words; for each node of a tree there are its children and its value
    3    Header and Arrays, in contents.py
"""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from gpuparse.dtypes import FEATURE, REAL
from gpuparse.parse.features.inventory import Inventory
from gpuparse.parse.model.contents import PARSER_TYPES, Flaw, Header, check_preorder
from gpuparse.parse.model.model import CurvePoint

MODEL_VERSION = 3  # the newest format


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_UNCOUNTED = _names("""
    first1 first2 first3 first4 last1 last2 last3 last4 left1 left2 left3 left4 right1 right2 right3 right4
    headleft1 headleft2 headleft3 headleft4 headright1 headright2 headright3 headright4
    item.l-1 item.l-2 item.l-3 item.l+1 item.l+2 item.l+3 item.h-1 item.h-2 item.h-3 item.h+1 item.h+2 item.h+3
    item.r-1 item.r-2 item.r-3 item.r+1 item.r+2 item.r+3
    word.l-1 word.l-2 word.l-3 word.l+1 word.l+2 word.l+3 word.h-1 word.h-2 word.h-3 word.h+1 word.h+2 word.h+3
    word.r-1 word.r-2 word.r-3 word.r+1 word.r+2 word.r+3
    child.l.l child.l.h child.l.r child.h.l child.h.h child.h.r child.r.l child.r.h child.r.r
""")
_COUNTED = _names("""
    all children left right nonfirst nonhead nonlast tohead beforehead fromhead afterhead
    words(all) words(children) words(left) words(right) words(nonfirst) words(nonhead) words(nonlast) words(tohead)
    words(beforehead) words(fromhead) words(afterhead)
""")
INVENTORY_1 = Inventory(
    groups=_UNCOUNTED + _COUNTED,
    counted=_COUNTED,
    properties=("label", "headword", "headtag", "headtagclass"),
    lengths=16,
)


class Header1(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The header of format 1."""

    labels: tuple[str, ...]
    symbols: tuple[str, ...]
    words: tuple[str, ...]
    tags: tuple[str, ...]
    classes: tuple[str, ...]
    language: str
    strategy: str
    max_children: int
    lambda_: float
    curve: tuple[CurvePoint, ...]
    configuration: dict[str, Any]
    tagger: dict[str, Any] | None = None

    def today(self) -> Header:
        """The same in today's format."""
        values = (self.symbols, self.words, self.tags, self.classes)
        return Header(
            labels=self.labels,
            inventory=INVENTORY_1,
            values=dict(zip(INVENTORY_1.properties, values, strict=True)),
            language=self.language,
            strategy=self.strategy,
            max_children=self.max_children,
            lambda_=self.lambda_,
            curve=self.curve,
            configuration=self.configuration,
            tagger=self.tagger,
        )


_HEADER, _HEADER_1 = msgspec.json.Decoder(Header), msgspec.json.Decoder(Header1)


def read_header(text: bytes, version: int) -> Header:
    """The header from its JSON in a format from 1 to MODEL_VERSION; an error of msgspec's where it is none.

    >>> read_header(b"{}", 1)
    Traceback (most recent call last):
        ...
    msgspec.ValidationError: Object missing required field `labels`
    """
    return _HEADER_1.decode(text).today() if version == 1 else _HEADER.decode(text)


PARSER_TYPES_2: dict[str, np.dtype[Any]] = {
    name: np.dtype(dtype)
    for name, dtype in [
        ("trees", np.int64),
        ("lambdas", REAL),
        ("nodes", np.int64),
        ("feature", FEATURE),
        ("yes", np.int32),
        ("no", np.int32),
        ("value", REAL),
        ("ranked", FEATURE),
        ("rarity", np.int64),
    ]
}


def parser_types(version: int) -> dict[str, np.dtype[Any]]:
    """The arrays of a model but for its tagger and its word classes, in the order of its checksum."""
    return PARSER_TYPES if version == MODEL_VERSION else PARSER_TYPES_2


def arrays_today(arrays: dict[str, np.ndarray], version: int) -> dict[str, np.ndarray]:
    """The arrays of a file in today's format."""
    if version == MODEL_VERSION:
        return arrays
    today = dict(arrays)
    feature, yes, no, value = (today.pop(name) for name in ("feature", "yes", "no", "value"))
    if not len(feature) == len(yes) == len(no) == len(value):
        raise Flaw("feature, yes, no and value do not have as many entries")
    check_preorder(feature, arrays["nodes"], yes, no)
    valued = np.flatnonzero((feature < 0) & (value != 0)).astype(np.int32)
    return {**today, "feature": feature, "valued": valued, "value": value[valued]}
