"""The state of a partial parse: built by replaying its inferences, with hashes of what features see of its items."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpuparse.jit import compiled, inlined, spliced
from gpuparse.parse.features.segments import mix
from gpuparse.parse.logic.items import END, FIRST, HEAD, HEAD_CHILD, LAST, START, SYMBOL, TERMINAL_COLUMNS
from gpuparse.parse.logic.state import State, begin_frontier, put_over, write_terminals
from gpuparse.parse.logic.strategy import infer


class Site(NamedTuple):
    """The state at hand of a search, and what is known of its items and words: views of the pool's memory."""

    state: State
    content: np.ndarray  # uint64[items]: a hash of what features see of an item
    inside: np.ndarray  # uint64[items]: a hash of that, and of what they see of its children
    of_word: np.ndarray  # int32[groups, words, BROUGHT]: the features that a word brings to a group
    sentence: np.uint64  # a hash of the terminals


@spliced
def state_of(pool, slot):
    """The state at hand of a search."""
    n_words = pool.registers[slot]["words"]
    return State(pool.terminals[slot, :n_words], pool.items[slot], pool.frontier[slot], pool.extent[slot])


@spliced
def site_of(pool, slot):
    """The same, with what is known of it."""
    sentence = np.uint64(pool.registers[slot]["sentence"])
    return Site(state_of(pool, slot), pool.content[slot], pool.inside[slot], pool.of_word[slot], sentence)


@inlined
def note_item(items, content, inside, item):
    """Note a hash of what features see of an item, and one of what they see of its children."""
    seen = mix(mix(np.uint64(0), items[item, SYMBOL]), items[item, FIRST] >= 0)
    seen = mix(mix(mix(seen, items[item, START]), items[item, END]), items[item, HEAD])
    content[item] = seen
    if items[item, FIRST] >= 0:
        for child in (items[item, FIRST], items[item, HEAD_CHILD], items[item, LAST]):
            seen = mix(mix(seen, items[child, SYMBOL]), items[child, HEAD])
    inside[item] = seen


@compiled
def sentence_key(terminals):
    """A hash of the terminals."""
    key = np.uint64(len(terminals))
    for word in range(len(terminals)):
        for column in range(TERMINAL_COLUMNS):
            key = mix(key, terminals[word, column] + 1)
    return key


@compiled
def begin_state(pool, slot):
    """Make the initial state: the terminals."""
    registers = pool.registers[slot]
    state = state_of(pool, slot)
    registers["sentence"] = np.int64(sentence_key(state.terminals))
    write_terminals(state)
    begin_frontier(state)
    for word in range(registers["words"]):
        note_item(state.items, pool.content[slot], pool.inside[slot], word)
    registers["current"] = 0
    forget_path(pool, slot)


@compiled
def forget_path(pool, slot):
    """Forget by which entries the items came about: the entries have changed."""
    pool.path[slot, 0] = -1


@compiled
def follow(pool, slot, entry, logic):
    """Add the inference of an entry to the state at hand, which is that of the entry's parent."""
    label, left, right = pool.label[slot, entry], pool.left[slot, entry], pool.right[slot, entry]
    state = state_of(pool, slot)
    item = infer(logic, state, label, left, right)
    note_item(state.items, pool.content[slot], pool.inside[slot], item)
    step = item - pool.registers[slot]["words"]
    pool.path[slot, step] = entry
    pool.path[slot, step + 1] = -1
    pool.registers[slot]["current"] = entry


@compiled
def go_to(pool, slot, entry, logic):
    """Make the state of an entry the one at hand. Its terminals stay, and so do the items that both have in common."""
    if entry > 0 and pool.registers[slot]["current"] == pool.parent[slot, entry]:
        follow(pool, slot, entry, logic)
        return
    length = 0
    chain = pool.chain[slot]
    at = entry
    while at > 0:
        chain[length] = at
        length += 1
        at = pool.parent[slot, at]
    state = state_of(pool, slot)
    begin_frontier(state)
    pool.registers[slot]["current"] = 0
    step = 0
    while step < length and pool.path[slot, step] == chain[length - 1 - step]:
        at = chain[length - 1 - step]
        put_over(state, len(state.terminals) + step, pool.left[slot, at], pool.right[slot, at])
        step += 1
    for k in range(length - 1 - step, -1, -1):
        follow(pool, slot, chain[k], logic)
    pool.registers[slot]["current"] = entry
