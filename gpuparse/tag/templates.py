"""Features of a word in its sentence: what each looks at, and its key.

A feature is a template and one or two values. They are packed into one number, the key; a table of the keys that
occurred in training gives the feature's row of weights. Keys are exact: no two features share a row.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from gpuparse.jit import compiled, kernel
from gpuparse.tag.lexicon import ATTRIBUTES, EDGE, NOTHING, Lexicon

# Attributes of words, with the distance from the word to be tagged. Those that look at one word come first.
OF_ONE_WORD = (
    "word+0", "lower+0", "shape+0", "class+0",
    "prefix1+0", "prefix2+0", "prefix3+0", "prefix4+0", "suffix1+0", "suffix2+0", "suffix3+0", "suffix4+0",
    "suffix3+0 shape+0", "suffix1+0 shape+0", "prefix1+0 shape+0", "prefix2+0 suffix2+0",
    "lower-2", "lower-1", "lower+1", "lower+2", "class-1", "class+1", "class+2", "shape-1", "shape+1", "suffix3+1",
)  # fmt: skip
OF_TWO_WORDS = (
    "lower-1 lower+0", "lower+0 lower+1", "lower+0 class+1", "class-1 class+0", "class+0 class+1",
    "lower-1 shape+0", "shape-1 shape+0", "shape+0 shape+1", "shape-1 shape+1",
    "suffix3+0 class-1", "suffix3+0 class+1",
)  # fmt: skip
TEMPLATES = (*OF_ONE_WORD, *OF_TWO_WORDS)
ONE_WORD = len(OF_ONE_WORD)
# With the tags before: an attribute and the last tag, the last tag, the last two.
WITH_TAG = ("lower+0",)
LAST_TAG = len(TEMPLATES) + len(WITH_TAG)
LAST_TWO_TAGS = LAST_TAG + 1
HISTORY = (*(f"{attribute} tag-1" for attribute in WITH_TAG), "tag-1", "tag-1 tag-2")

REACH = 2  # the greatest distance of a template
VALUE_BITS = 24  # values are numbers, at most that of a word
MULTIPLIER = 0x9E3779B97F4A7C15  # spreads keys over the table: 2**64 by the golden ratio


def _parsed(templates: tuple[str, ...]) -> np.ndarray:
    """For each template attribute, offset, second attribute (or -1), second offset."""
    rows = []
    for template in templates:
        parts = re.findall(r"(\w+?)([+-]\d)", template)
        numbers = [number for name, offset in parts for number in (ATTRIBUTES.index(name), int(offset))]
        rows.append([*numbers, -1, 0][:4])
    return np.array(rows, np.int32)


PARSED = _parsed(TEMPLATES)
PARSED_WITH_TAG = _parsed(WITH_TAG)


class Words(NamedTuple):
    """Sentences as numbers: each distinct word once, with its attributes, and the words of each sentence."""

    attributes: (
        np.ndarray
    )  # int32[distinct words + 1, attributes]: the last row is the edge, before and after a sentence
    entries: np.ndarray  # int32[distinct words]: in the tag dictionary
    numbers: np.ndarray  # int32[words of all sentences]: which distinct word
    starts: np.ndarray  # int64[sentences + 1]


class Table(NamedTuple):
    """The rows of weights, found by key."""

    keys: np.ndarray  # int64[rows], ascending
    slots: np.ndarray  # int32[a power of two]: open addressing; -1 is empty
    last_tag: np.ndarray  # int32[tags + 1]: the row of the template "tag-1", or the row of zeros
    last_two_tags: np.ndarray  # int32[tags + 1, tags + 1]: of "tag-1 tag-2"


@compiled
def pack(template, first, second):
    """The key of a feature; -1 where a value is missing."""
    if first < 0 or second < 0:
        return np.int64(NOTHING)
    return (np.int64(template) << (2 * VALUE_BITS)) | (np.int64(first) << VALUE_BITS) | np.int64(second)


@compiled
def look_around(words, sentence, position, near):
    """Write which distinct words stand at the distances -REACH .. REACH; the edge is one more than the last."""
    for place in range(position - REACH, position + REACH + 1):
        outside = place < words.starts[sentence] or place >= words.starts[sentence + 1]
        near[place - position + REACH] = len(words.entries) if outside else words.numbers[place]


@compiled
def word_key(attributes, near, template):
    """The key of one of TEMPLATES at a place with these words nearby."""
    first = attributes[near[REACH + PARSED[template, 1]], PARSED[template, 0]]
    second = np.int32(EDGE)
    if PARSED[template, 2] >= 0:
        second = attributes[near[REACH + PARSED[template, 3]], PARSED[template, 2]]
    return pack(template, first, second)


@compiled
def tag_key(attributes, near, template, last_tag):
    """The key of one of WITH_TAG, after a tag."""
    value = attributes[near[REACH + PARSED_WITH_TAG[template, 1]], PARSED_WITH_TAG[template, 0]]
    return pack(len(PARSED) + template, value, last_tag)


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


def make_table(keys: np.ndarray, tag_count: int) -> Table:
    """The table of ascending keys.

    >>> table = make_table(np.array([7, 9]), tag_count=1)
    >>> with np.errstate(over="ignore"):  # a hash overflows, of which Python would warn
    ...     [int(find_row(table.keys, table.slots, key)) for key in (9, 8, -1)]
    [1, 2, 2]
    """
    tags = np.arange(tag_count + 1, dtype=np.int64)
    last_tag = (LAST_TAG << (2 * VALUE_BITS)) | (tags << VALUE_BITS)
    last_two_tags = (LAST_TWO_TAGS << (2 * VALUE_BITS)) | (tags[:, None] << VALUE_BITS) | tags
    return Table(keys, _fill_slots(keys), _find_rows(keys, last_tag), _find_rows(keys, last_two_tags))


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
def rows_of_one_word(attributes, keys, slots):
    """The rows of OF_ONE_WORD for each distinct word and the edge: looked up once, used at every place."""
    rows = np.empty((len(attributes), ONE_WORD), np.int32)
    near = np.empty(2 * REACH + 1, np.int32)
    for word in range(len(rows)):
        near[:] = word
        for template in range(ONE_WORD):
            rows[word, template] = find_row(keys, slots, word_key(attributes, near, template))
    return rows


@compiled
def find_word_rows(attributes, near, one_word_rows, keys, slots, rows):
    """Write the row of each of TEMPLATES at a place."""
    for template in range(ONE_WORD):
        rows[template] = one_word_rows[near[REACH + PARSED[template, 1]], template]
    for template in range(ONE_WORD, len(PARSED)):
        rows[template] = find_row(keys, slots, word_key(attributes, near, template))


def key_limits(lexicon: Lexicon) -> tuple[np.ndarray, np.ndarray]:
    """For each template one more than the greatest first and second value that a key of it can have."""
    sizes = lexicon.sizes()
    tags = len(lexicon.tags) + 1
    first = [*sizes[PARSED[:, 0]], *sizes[PARSED_WITH_TAG[:, 0]], tags, tags]
    second = [*np.where(PARSED[:, 2] < 0, 1, sizes[PARSED[:, 2]]), *[tags] * len(WITH_TAG), 1, tags]
    return np.array(first, np.int64), np.array(second, np.int64)


@kernel
def _column(words, tags, edge, template, keys):
    """Write the key of one template at every place of tagged sentences."""
    near = np.empty(2 * REACH + 1, np.int32)
    for sentence in range(len(words.starts) - 1):
        last = before = edge
        for position in range(words.starts[sentence], words.starts[sentence + 1]):
            look_around(words, sentence, position, near)
            if template < len(PARSED):
                keys[position] = word_key(words.attributes, near, template)
            elif template < LAST_TAG:
                keys[position] = tag_key(words.attributes, near, template - len(PARSED), last)
            elif template == LAST_TAG:
                keys[position] = pack(LAST_TAG, last, 0)
            else:
                keys[position] = pack(LAST_TWO_TAGS, last, before)
            before, last = last, np.int64(tags[position])


def collect_keys(words: Words, tags: np.ndarray, edge: int, least: int) -> np.ndarray:
    """The keys of the features that occur so often in tagged sentences, ascending; `edge` is the tag before one."""
    column = np.empty(len(words.numbers), np.int64)
    kept = []
    for template in range(LAST_TWO_TAGS + 1):
        _column(words, tags, edge, template, column)
        keys, counts = np.unique(column, return_counts=True)
        kept.append(keys[(counts >= least) & (keys >= 0)])
    return np.concatenate(kept)
