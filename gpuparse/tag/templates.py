"""Features of a word in its sentence: what each looks at, and its key.

A feature is a template and one to three values. They are packed into one number, the key; a table of the keys that have
weights gives the feature's row of them. Keys are exact: no two features share a row.

    key = template, first value, second value, third value      (9 + 18 + 18 + 18 bits)

Templates are named, and the names are stored with a tagger, so that one that was learned with others still works.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gpuparse.jit import compiled, kernel
from gpuparse.tag.lexicon import NOTHING

# What templates are made of: an attribute of the word so far away; `end`: of the sentence's last word. `predicates` is
# an attribute of a place, not of a word: whether another word can be a predicate, before it and after it. Templates of
# one word come first, then those of several, then those with the last tag.
ONE_WORD = (
    "word+0", "lower+0", "shape+0", "class+0", "kind+0", "folded+0", "forms+0",
    "prefix1+0", "prefix2+0", "prefix3+0", "prefix4+0", "suffix1+0", "suffix2+0", "suffix3+0", "suffix4+0",
    "suffix3+0 shape+0", "suffix1+0 shape+0", "prefix1+0 shape+0", "prefix2+0 suffix2+0", "suffix3+0 kind+0",
    "forms+0 kind+0", "folded+0 kind+0",
    "lower-2", "lower-1", "lower+1", "lower+2", "class-1", "class+1", "class+2", "shape-1", "shape+1", "suffix3-1",
    "suffix3+1", "forms+1",
)  # fmt: skip
SEVERAL_WORDS = (
    "lower-1 lower+0", "lower+0 lower+1", "lower+0 class+1", "lower+0 class-1", "class-1 class+0", "class+0 class+1",
    "lower-1 shape+0", "shape-1 shape+0", "shape+0 shape+1", "shape-1 shape+1", "suffix3+0 class-1",
    "suffix3+0 class+1", "class-1 class+1", "lower-1 class+1", "class-1 lower+1", "lower-2 lower-1", "lower+1 lower+2",
    "class+1 class+2", "class-1 class+0 class+1", "class+0 class+1 class+2", "class-2 class-1 class+0",
    "lower-1 folded+0 class+1", "lower-1 forms+0 class+1", "lower-1 kind+0 class+1", "lower-1 lower+0 lower+1",
    "folded+0 predicates", "forms+0 predicates", "lower+0 predicates", "class+0 predicates lower-1",
    "class+0 predicates class+1", "lower-1 folded+0 lower.end", "folded+0 predicates lower.end",
)  # fmt: skip
WITH_LAST_TAG = ("lower+0", "class+1", "lower+1", "folded+0 class+1", "folded+0 predicates", "suffix3+0")
HISTORY = ("tag-1", "tag-1 tag-2")
# For each granularity of word classes, of each kind.
CLASS_TEMPLATES = (
    ("{0}+0", "{0}-1", "{0}+1", "{0}-2", "{0}+2", "{0}+0 kind+0"),
    (
        "{0}-1 {0}+0", "{0}+0 {0}+1", "{0}-1 {0}+1", "{0}-1 {0}+0 {0}+1", "{0}+0 class+1", "class-1 {0}+0",
        "{0}+0 predicates",
    ),
    ("{0}+0",),
)  # fmt: skip

NEARBY = 2  # the greatest distance of a template
LAST_WORD = 2 * NEARBY + 1  # where a sentence's last word stands among those nearby
PLACE = LAST_WORD + 1  # and where, after the words, what is known of the place itself
PARTS = 3  # the most values of a feature
VALUE_BITS = 18
MOST_VALUES = 1 << VALUE_BITS
MOST_TEMPLATES = 1 << (63 - PARTS * VALUE_BITS)
MULTIPLIER = 0x9E3779B97F4A7C15  # spreads keys over the table: 2**64 by the golden ratio
NO_PART, LAST_TAG, TAG_BEFORE, PREDICATES = -1, -2, -3, -4  # in place of an attribute
PREDICATE_VALUES = 9  # none, perhaps or surely one before, and the same after
_PART = re.compile(r"(?P<attribute>[a-z]+\d*)(?:(?P<distance>[+-][0-9])|(?P<end>\.end))")
_SPECIAL = {"tag-1": LAST_TAG, "tag-2": TAG_BEFORE, "predicates": PREDICATES}


class Patterns(NamedTuple):
    """The templates, for compiled code."""

    parts: np.ndarray  # int32[templates, PARTS, 2]: an attribute, and where its word stands among those nearby
    one_word: int  # the templates before this number look at one word alone
    untagged: int  # those before this number look at words alone; the last two are "tag-1" and "tag-1 tag-2"


def parse_templates(names: Sequence[str], attributes: Sequence[str]) -> Patterns:
    """The templates of these names; a ValueError where one is no template, or they are out of order.

    >>> parse_templates(["word+0", "tag-1", "tag-1 tag-2"], ["word"]).untagged
    1
    """
    parts = np.full((len(names), PARTS, 2), NO_PART, np.int32)
    kinds = []
    if len(names) > MOST_TEMPLATES or tuple(names[-2:]) != HISTORY:
        raise ValueError("too many templates, or no history")
    for number, name in enumerate(names):
        pieces = name.split(" ")
        if len(pieces) > PARTS:
            raise ValueError(f"{name!r} has too many parts")
        for place, piece in enumerate(pieces):
            parts[number, place] = _parse_part(piece, attributes)
        kinds.append(_kind(parts[number]))
    if kinds[:-2] != sorted(kinds[:-2]):
        raise ValueError("templates out of order")
    return Patterns(parts, kinds.count(0), kinds.count(0) + kinds.count(1))


def _parse_part(piece: str, attributes: Sequence[str]) -> tuple[int, int]:
    if piece in _SPECIAL:
        return _SPECIAL[piece], PLACE
    match = _PART.fullmatch(piece)
    if match is None or match["attribute"] not in attributes:
        raise ValueError(f"{piece!r} is no part of a template")
    place = LAST_WORD if match["end"] else NEARBY + int(match["distance"])
    if not 0 <= place <= LAST_WORD:
        raise ValueError(f"{piece!r} is too far away")
    return attributes.index(match["attribute"]), place


def _kind(parts: np.ndarray) -> int:
    """0: of one word, 1: of several, 2: with the last tag."""
    used = parts[parts[:, 0] != NO_PART]
    if (used[:, 0] == LAST_TAG).any() or (used[:, 0] == TAG_BEFORE).any():
        return 2
    one = len(set(used[:, 1].tolist())) == 1 and used[0, 1] < LAST_WORD and (used[:, 0] >= 0).all()
    return 0 if one else 1


class Words(NamedTuple):
    """Sentences as numbers: each distinct word once, with its attributes, and the words of each sentence."""

    # int32[distinct words + 1, attributes]: the last row is the edge, before and after a sentence
    attributes: np.ndarray
    candidate_starts: np.ndarray  # int32[distinct words + 1]: where the candidate tags of each begin
    candidates: np.ndarray  # int16: tags, ascending for each word
    predicates: np.ndarray  # int8[distinct words]: none of the candidates is one of a predicate (0), some (1), all (2)
    numbers: np.ndarray  # int32[words of all sentences]: which distinct word
    starts: np.ndarray  # int64[sentences + 1]


class Table(NamedTuple):
    """The rows of weights, found by key."""

    patterns: Patterns
    keys: np.ndarray  # int64[rows], ascending
    slots: np.ndarray  # int32[a power of two]: open addressing; -1 is empty
    last_tag: np.ndarray  # int32[tags + 1]: the row of the template "tag-1", or the row of zeros
    last_two_tags: np.ndarray  # int32[tags + 1, tags + 1]: of "tag-1 tag-2"


@compiled
def pack(template, first, second, third):
    """The key of a feature; -1 where a value is missing."""
    if first < 0 or second < 0 or third < 0:
        return np.int64(NOTHING)
    upper = (np.int64(template) << VALUE_BITS) | np.int64(first)
    return (((upper << VALUE_BITS) | np.int64(second)) << VALUE_BITS) | np.int64(third)


@compiled
def look_around(words, sentence, position, near):
    """Write which distinct words stand at the distances -NEARBY .. NEARBY, and last; the edge is one beyond the last.

    What is known of the place itself is written by `look_for_predicates`.
    """
    edge = len(words.attributes) - 1
    first, end = words.starts[sentence], words.starts[sentence + 1]
    for place in range(position - NEARBY, position + NEARBY + 1):
        outside = place < first or place >= end
        near[place - position + NEARBY] = edge if outside else words.numbers[place]
    near[LAST_WORD] = words.numbers[end - 1]


@compiled
def look_for_predicates(words, sentence, around):
    """Write for each place of a sentence whether other words can be predicates: those before it, and those after it."""
    first, end = words.starts[sentence], words.starts[sentence + 1]
    seen = 0
    for position in range(first, end):
        around[position - first] = 3 * seen
        seen = max(seen, words.predicates[words.numbers[position]])
    seen = 0
    for position in range(end - 1, first - 1, -1):
        around[position - first] += seen
        seen = max(seen, words.predicates[words.numbers[position]])


@compiled
def find_key(attributes, near, parts, template, last_tag):
    """The key of a template but "tag-1 tag-2" at a place with these words nearby, after a tag."""
    values = (
        _value(attributes, near, parts[0, 0], parts[0, 1], last_tag),
        _value(attributes, near, parts[1, 0], parts[1, 1], last_tag),
        _value(attributes, near, parts[2, 0], parts[2, 1], last_tag),
    )
    return pack(template, values[0], values[1], values[2])


@compiled
def _value(attributes, near, attribute, place, last_tag):
    if attribute >= 0:
        return np.int64(attributes[near[place], attribute])
    if attribute == LAST_TAG:
        return np.int64(last_tag)
    return np.int64(near[PLACE]) if attribute == PREDICATES else np.int64(0)


@compiled
def _slot(key, slots):
    mixed = np.uint64(key) * np.uint64(MULTIPLIER)
    return np.int64((mixed ^ (mixed >> np.uint64(29))) & np.uint64(len(slots) - 1))


@compiled
def find_row(keys, slots, key):
    """The row of a key, or the row of zeros, which comes after the last."""
    if key >= 0:
        slot = _slot(key, slots)
        while slots[slot] >= 0:
            if keys[slots[slot]] == key:
                return slots[slot]
            slot = (slot + 1) & (len(slots) - 1)
    return np.int32(len(keys))


def make_table(keys: np.ndarray, patterns: Patterns, tag_count: int) -> Table:
    """The table of ascending keys.

    >>> table = make_table(np.array([7, 9]), parse_templates(["tag-1", "tag-1 tag-2"], []), tag_count=1)
    >>> with np.errstate(over="ignore"):  # a hash overflows, of which Python would warn
    ...     [int(find_row(table.keys, table.slots, key)) for key in (9, 8, -1)]
    [1, 2, 2]
    """
    tags = np.arange(tag_count + 1, dtype=np.int64)
    last = len(patterns.parts) - 1
    with np.errstate(over="ignore"):
        last_tag = ((last - 1) << (3 * VALUE_BITS)) | (tags << (2 * VALUE_BITS))
        last_two = (last << (3 * VALUE_BITS)) | (tags[:, None] << (2 * VALUE_BITS)) | (tags << VALUE_BITS)
    return Table(patterns, keys, _fill_slots(keys), _find_rows(keys, last_tag), _find_rows(keys, last_two))


def longest_probe(keys: np.ndarray) -> int:
    """The most full slots that a search passes before it finds its key, or an empty slot if there is no such key.

    >>> longest_probe(np.array([7, 9]))
    1
    """
    slots = _fill_slots(keys)
    empty = np.flatnonzero(slots < 0)
    return int(np.diff(empty, append=empty[0] + len(slots)).max()) - 1


def _fill_slots(keys: np.ndarray) -> np.ndarray:
    """Put the row of each key into the first free slot from the one that it hashes to.

    In the order of those slots, place[n] = max(home[n], place[n - 1] + 1). Places beyond the last slot wrap around to
    the first; more than half of the slots stay empty, so that wrapping once is enough.
    """
    slots = np.full(1 << int(2 * len(keys) + 1).bit_length(), -1, np.int32)
    mixed = keys.astype(np.uint64) * np.uint64(MULTIPLIER)
    home = ((mixed ^ (mixed >> np.uint64(29))) & np.uint64(len(slots) - 1)).astype(np.int64)
    rows, places = _in_a_line(home)
    beyond = rows[places >= len(slots)]
    if len(beyond) > 0:
        home[beyond] = 0
        rows, places = _in_a_line(home)
    slots[places] = rows
    return slots


def _in_a_line(home: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows in the order of their homes, and the place of each, if there were slots without end."""
    rows = np.argsort(home, kind="stable")
    before = np.arange(len(rows))
    return rows, np.maximum.accumulate(home[rows] - before) + before


def _find_rows(keys: np.ndarray, features: np.ndarray) -> np.ndarray:
    """The rows of the features with these keys, or the row of zeros."""
    rows = np.searchsorted(keys, features)
    there = np.append(keys, NOTHING)[rows] == features
    return np.where(there, rows, len(keys)).astype(np.int32)


@compiled(allocates=True)
def rows_of_one_word(attributes, patterns, keys, slots):
    """The rows of templates of one word, for each distinct word and the edge: looked up once, used at every place."""
    rows = np.empty((len(attributes), patterns.one_word), np.int32)
    near = np.zeros(PLACE + 1, np.int32)
    for word in range(len(rows)):
        near[:PLACE] = word
        for template in range(patterns.one_word):
            rows[word, template] = find_row(
                keys, slots, find_key(attributes, near, patterns.parts[template], template, 0)
            )
    return rows


@compiled(allocates=True)
def find_word_rows(attributes, near, one_word_rows, patterns, keys, slots, rows):
    """Write the row of each template without tags at a place."""
    for template in range(patterns.one_word):
        rows[template] = one_word_rows[near[patterns.parts[template, 0, 1]], template]
    for template in range(patterns.one_word, patterns.untagged):
        rows[template] = find_row(keys, slots, find_key(attributes, near, patterns.parts[template], template, 0))


def key_limits(patterns: Patterns, sizes: np.ndarray, tag_count: int) -> np.ndarray:
    """int64[templates, PARTS]: one more than the greatest value of each part of a key; `sizes`: those of attributes."""
    special = {NO_PART: 1, LAST_TAG: tag_count + 1, TAG_BEFORE: tag_count + 1, PREDICATES: PREDICATE_VALUES}
    attributes = patterns.parts[:, :, 0]
    limits = np.append(sizes, 0)[np.maximum(attributes, 0)]
    for number, limit in special.items():
        limits = np.where(attributes == number, limit, limits)
    return np.asarray(limits, np.int64)


def widened(keys: np.ndarray) -> np.ndarray:
    """Keys as they were packed before there were three values, 24 bits each for two, as they are packed now.

    >>> widened(np.array([(1 << 48) | (2 << 24) | 3])).tolist() == [pack(1, 2, 3, 0)]
    True
    """
    template, first, second = keys >> 48, (keys >> 24) & 0xFFFFFF, keys & 0xFFFFFF
    return (template << (3 * VALUE_BITS)) | (first << (2 * VALUE_BITS)) | (second << VALUE_BITS)


@kernel
def _column(words, tags, edge, patterns, template, keys):
    """Write the key of one template at every place of tagged sentences."""
    near = np.zeros(PLACE + 1, np.int32)
    around = np.zeros(len(words.numbers) + 1, np.int8)
    for sentence in range(len(words.starts) - 1):
        last = before = np.int64(edge)
        look_for_predicates(words, sentence, around)
        for position in range(words.starts[sentence], words.starts[sentence + 1]):
            look_around(words, sentence, position, near)
            near[PLACE] = around[position - words.starts[sentence]]
            if template == len(patterns.parts) - 1:
                keys[position] = pack(template, last, before, 0)
            else:
                keys[position] = find_key(words.attributes, near, patterns.parts[template], template, last)
            before, last = last, np.int64(tags[position])


def collect_keys(words: Words, tags: np.ndarray, edge: int, patterns: Patterns, least: int) -> np.ndarray:
    """The keys of the features that occur so often in tagged sentences, ascending; `edge` is the tag before one."""
    column = np.empty(len(words.numbers), np.int64)
    kept = []
    for template in range(len(patterns.parts)):
        _column(words, tags, edge, patterns, template, column)
        keys, counts = np.unique(column, return_counts=True)
        kept.append(keys[(counts >= least) & (keys >= 0)])
    return np.concatenate(kept)
