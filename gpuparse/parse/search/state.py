"""The state of a partial parse: its items and frontier, built by replaying its inferences."""

from __future__ import annotations

import numpy as np

from gpuparse.jit import compiled, inlined
from gpuparse.parse.features.segments import mix
from gpuparse.parse.logic.headtable import head_index
from gpuparse.parse.logic.items import (
    END,
    FIRST,
    HEAD,
    HEAD_CHILD,
    LAST,
    ONLY,
    START,
    SYMBOL,
    TAG_SYMBOL,
    TERMINAL_COLUMNS,
)
from gpuparse.parse.search.pool import Register

_WORDS, _CURRENT, _ITEMS = int(Register.WORDS), int(Register.CURRENT), int(Register.ITEMS)
_FRONTIER, _LAST, _CONTENT = int(Register.FRONTIER), int(Register.LAST), int(Register.CONTENT)


@inlined
def _note(pool, slot, item):
    """Note a hash of what features see of an item, and one of what they see of its children."""
    items = pool.items[slot]
    content = mix(mix(np.uint64(0), items[item, SYMBOL]), items[item, FIRST] >= 0)
    content = mix(mix(mix(content, items[item, START]), items[item, END]), items[item, HEAD])
    inside = content
    if items[item, FIRST] >= 0:
        for child in (items[item, FIRST], items[item, HEAD_CHILD], items[item, LAST]):
            inside = mix(mix(inside, items[child, SYMBOL]), items[child, HEAD])
    pool.content[slot, item] = content
    pool.inside[slot, item] = inside


@compiled
def begin_state(pool, slot):
    """Make the initial state: the terminals."""
    items, frontier, registers = pool.items[slot], pool.frontier[slot], pool.registers[slot]
    n_words = registers[_WORDS]
    sentence = np.uint64(n_words)
    for word in range(n_words):
        for column in range(TERMINAL_COLUMNS):
            sentence = mix(sentence, pool.terminals[slot, word, column] + 1)
    registers[_CONTENT] = np.int64(sentence)
    for word in range(n_words):
        items[word] = -1
        items[word, SYMBOL] = pool.terminals[slot, word, TAG_SYMBOL]
        items[word, START] = word
        items[word, END] = word + 1
        items[word, HEAD] = word
        _note(pool, slot, word)
        frontier[word] = word
    registers[_ITEMS] = n_words
    registers[_FRONTIER] = n_words
    registers[_LAST] = -1
    registers[_CURRENT] = 0


@compiled
def infer(pool, slot, entry, heads, label_symbols):
    """Add the inference of an entry to the state at hand, which is that of the entry's parent."""
    items, frontier, registers = pool.items[slot], pool.frontier[slot], pool.registers[slot]
    terminals = pool.terminals[slot, : registers[_WORDS]]
    label, i, j = pool.label[slot, entry], pool.left[slot, entry], pool.right[slot, entry]
    head = frontier[head_index(heads, label, items, terminals, frontier, i, j)]
    item = registers[_ITEMS]
    items[item, SYMBOL] = label_symbols[label]
    items[item, START] = items[frontier[i], START]
    items[item, END] = items[frontier[j], END]
    items[item, HEAD] = items[head, HEAD]
    items[item, FIRST] = frontier[i]
    items[item, HEAD_CHILD] = head
    items[item, LAST] = frontier[j]
    items[item, ONLY] = frontier[i] if i == j else -1
    _note(pool, slot, item)
    frontier[i] = item
    for at in range(j + 1, registers[_FRONTIER]):
        frontier[i + at - j] = frontier[at]
    registers[_ITEMS] += 1
    registers[_FRONTIER] -= j - i
    registers[_LAST] = i
    registers[_CURRENT] = entry


@compiled
def go_to(pool, slot, entry, heads, label_symbols):
    """Make the state of an entry the one at hand."""
    if entry > 0 and pool.registers[slot, _CURRENT] == pool.parent[slot, entry]:
        infer(pool, slot, entry, heads, label_symbols)
        return
    length = 0
    chain = pool.chain[slot]
    at = entry
    while at > 0:
        chain[length] = at
        length += 1
        at = pool.parent[slot, at]
    begin_state(pool, slot)
    for k in range(length - 1, -1, -1):
        infer(pool, slot, chain[k], heads, label_symbols)
