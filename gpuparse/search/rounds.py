"""A round of the searches: each live one goes to its next state and expands it; then it takes the scores back."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numba import njit

from gpuparse.features.segments import mix
from gpuparse.logic.items import END, START, SYMBOL
from gpuparse.search.agenda import charted, insert, pop, precedes, push
from gpuparse.search.expansion import expand
from gpuparse.search.pool import Register, Status
from gpuparse.search.state import begin_state, go_to

_STATUS, _WORDS, _ENTRIES, _AGENDA = (
    int(r) for r in (Register.STATUS, Register.WORDS, Register.ENTRIES, Register.AGENDA)
)
_SCORED, _POPPED, _CURRENT, _NEXT = (
    int(r) for r in (Register.SCORED, Register.POPPED, Register.CURRENT, Register.NEXT)
)
_SOLUTIONS, _COMPLETE, _GREEDY = int(Register.SOLUTIONS), int(Register.COMPLETE), int(Register.GREEDY)
_FIRST_ROW, _FIRST_CANDIDATE, _CANDIDATES = (
    int(r) for r in (Register.FIRST_ROW, Register.FIRST_CANDIDATE, Register.CANDIDATES)
)
_LIVE, _FALLBACK, _DONE = int(Status.LIVE), int(Status.FALLBACK), int(Status.DONE)


class Method(IntEnum):
    """The order in which partial parses are looked at."""

    greedy = 0  # follow the cheapest expansion to the end, then the agenda
    best_first = 1  # always the cheapest on the agenda
    beam = 2  # the same, with at most `width` on the agenda and `max_popped` taken off it


class Plan(NamedTuple):
    """How to search, for compiled code."""

    method: int
    max_min: bool
    limit: int  # partial parses scored, at most
    width: int  # of the beam
    max_popped: int  # under beam search
    use_chart: bool


_GREEDY_METHOD, _BEAM_METHOD = int(Method.greedy), int(Method.beam)


@njit(cache=True, nogil=True)
def begin(pool, slot, plan):
    """Start a search whose words and terminals are in place."""
    registers = pool.registers[slot]
    words = registers[_WORDS]
    registers[:] = 0
    registers[_WORDS] = words
    registers[_STATUS] = _LIVE
    registers[_ENTRIES] = 1
    registers[_COMPLETE] = 1
    registers[_GREEDY] = -1
    registers[_NEXT] = 0
    pool.parent[slot, 0] = -1
    pool.step[slot, 0] = 0.0
    pool.cost[slot, 0] = 0.0
    pool.signature[slot, 0] = 0
    pool.dropped[slot] = np.inf
    if plan.use_chart:
        pool.chart[slot] = -1
    begin_state(pool, slot)


@njit(cache=True, nogil=True)
def advance(pool, grammar, plan, batch):
    """Bring every search to its next state and write what it allows into the batch; returns how many are not done."""
    batch.filled[:] = 0
    live = 0
    for slot in range(pool.registers.shape[0]):
        status = pool.registers[slot, _STATUS]
        if status == _LIVE:
            _advance_search(pool, slot, grammar, plan, batch)
        elif status == _FALLBACK:
            _advance_fallback(pool, slot, grammar, batch)
        if pool.registers[slot, _STATUS] in (_LIVE, _FALLBACK):
            live += 1
    return live


@njit(cache=True, nogil=True)
def _advance_search(pool, slot, grammar, plan, batch):
    registers = pool.registers[slot]
    while True:
        entry = _next_entry(pool, slot, plan)
        if entry < 0:
            registers[_STATUS] = _DONE
            return
        go_to(pool, slot, entry, grammar.heads, grammar.label_symbols)
        if plan.use_chart and charted(pool, slot, entry, plan.max_min):
            continue
        rows, candidates = batch.filled[0], batch.filled[1]
        inferences = expand(pool, slot, grammar, batch)
        if registers[_SCORED] + inferences > plan.limit:
            _give_up(pool, slot, plan)
            pool.dropped[slot] = min(pool.dropped[slot], pool.cost[slot, entry])
            if registers[_SOLUTIONS]:
                registers[_STATUS] = _DONE
                batch.filled[0], batch.filled[1] = rows, candidates
            else:
                registers[_STATUS] = _FALLBACK
            return
        if inferences:
            registers[_SCORED] += inferences
            return
        batch.filled[0], batch.filled[1] = rows, candidates


@njit(cache=True, nogil=True)
def _next_entry(pool, slot, plan):
    """The entry to expand next, or -1 when nothing is left that could be better than what was found."""
    registers = pool.registers[slot]
    entry = registers[_NEXT]
    registers[_NEXT] = -1
    if entry >= 0:
        return entry
    if registers[_AGENDA] == 0:
        return -1
    if plan.method == _BEAM_METHOD:
        if registers[_POPPED] == plan.max_popped:
            _give_up(pool, slot, plan)
            return -1
        registers[_AGENDA] -= 1
        entry = pool.agenda[slot, registers[_AGENDA]]
    else:
        entry = pop(pool, slot, plan.max_min)
    registers[_POPPED] += 1
    if not _may_win(pool, slot, entry, plan.max_min):
        return -1
    return entry


@njit(cache=True, nogil=True)
def _give_up(pool, slot, plan):
    """Drop all that is on the agenda."""
    registers = pool.registers[slot]
    registers[_COMPLETE] = 0
    if registers[_AGENDA]:
        best = pool.agenda[slot, registers[_AGENDA] - 1 if plan.method == _BEAM_METHOD else 0]
        pool.dropped[slot] = min(pool.dropped[slot], pool.cost[slot, best])


@njit(cache=True, nogil=True)
def _advance_fallback(pool, slot, grammar, batch):
    registers = pool.registers[slot]
    go_to(pool, slot, registers[_NEXT], grammar.heads, grammar.label_symbols)
    if expand(pool, slot, grammar, batch) == 0:
        registers[_STATUS] = _DONE


@njit(cache=True, nogil=True)
def _may_win(pool, slot, entry, max_min):
    """Whether an entry is strictly better than the worst of the solutions that are wanted."""
    k = pool.solutions.shape[1]
    return pool.registers[slot, _SOLUTIONS] < k or precedes(pool, slot, entry, pool.solutions[slot, k - 1], max_min)


@njit(cache=True, nogil=True)
def _add_solution(pool, slot, entry, max_min):
    """Put a final state among the solutions, the best first; among equals the older one stays before."""
    k = pool.solutions.shape[1]
    found = pool.solutions[slot]
    size = pool.registers[slot, _SOLUTIONS]
    if size < k:
        pool.registers[slot, _SOLUTIONS] += 1
    else:
        size -= 1
    at = size
    while at > 0 and precedes(pool, slot, entry, found[at - 1], max_min):
        found[at] = found[at - 1]
        at -= 1
    found[at] = entry


@njit(cache=True, nogil=True)
def _cost_of(score):
    """ln(1 + exp(-h)) of a fixed-point score."""
    h = score / 2.0**44
    return np.log1p(np.exp(-h)) if h > 0 else np.log1p(np.exp(h)) - h


@njit(cache=True, nogil=True)
def _write_entry(pool, slot, entry, label, i, j, step, plan):
    registers = pool.registers[slot]
    parent = registers[_CURRENT]
    pool.parent[slot, entry] = parent
    pool.label[slot, entry] = label
    pool.left[slot, entry] = i
    pool.right[slot, entry] = j
    pool.step[slot, entry] = step
    if plan.max_min:
        pool.cost[slot, entry] = max(pool.cost[slot, parent], step)
    else:
        pool.cost[slot, entry] = pool.cost[slot, parent] + step
    if plan.use_chart:
        items, frontier = pool.items[slot], pool.frontier[slot]
        below = items[frontier[i], SYMBOL] + 1 if i == j else 0  # of equal spans, which is over which
        key = mix(mix(mix(mix(np.uint64(0), items[frontier[i], START]), items[frontier[j], END]), label), below)
        pool.signature[slot, entry] = pool.signature[slot, parent] + key


@njit(cache=True, nogil=True)
def absorb(pool, grammar, plan, batch, scores, constant):
    """Give every search the scores of its rows: `scores[row, label]`, and a constant for each label."""
    for slot in range(pool.registers.shape[0]):
        status = pool.registers[slot, _STATUS]
        if status in (_LIVE, _FALLBACK):
            _absorb_search(pool, slot, grammar, plan, batch, scores, constant)


@njit(cache=True, nogil=True)
def _absorb_search(pool, slot, grammar, plan, batch, scores, constant):
    """Make an entry of every inference; follow the best, keep what may win, drop the rest."""
    registers = pool.registers[slot]
    fallback = registers[_STATUS] == _FALLBACK
    top = len(grammar.label_symbols) - 1
    state_row = registers[_FIRST_ROW]
    best = -1  # the best expansion, if it is to be followed
    best_is_final = False
    first = registers[_FIRST_CANDIDATE]
    for candidate in range(first, first + registers[_CANDIDATES]):
        i, j = batch.children[candidate]
        left, right, both = batch.rows[candidate]
        for label in range(top + 1):
            head = batch.heads[candidate, label]
            if head < 0:
                continue
            near, whole = batch.head_rows[candidate, head]
            score = constant[label] + scores[state_row, label] + scores[left, label] + scores[right, label]
            score += scores[both, label] + scores[near, label] + scores[whole, label]
            entry = registers[_ENTRIES]
            _write_entry(pool, slot, entry, label, i, j, _cost_of(score), plan)
            if fallback:
                if best < 0 or precedes(pool, slot, entry, best, plan.max_min):
                    best = _keep(pool, slot, entry, best)
                continue
            if not _may_win(pool, slot, entry, plan.max_min):
                continue
            registers[_ENTRIES] += 1
            is_final = label == top
            if is_final:
                _add_solution(pool, slot, entry, plan.max_min)
            if plan.method == _GREEDY_METHOD and (best < 0 or precedes(pool, slot, entry, best, plan.max_min)):
                if best >= 0 and not best_is_final:
                    push(pool, slot, best, plan.max_min)
                best, best_is_final = entry, is_final
            elif not is_final:
                _set_aside(pool, slot, entry, plan)
    if fallback:
        registers[_NEXT] = best
        if pool.label[slot, best] == top:
            registers[_STATUS] = _DONE
            registers[_CURRENT] = best
    elif best >= 0 and not best_is_final and _may_win(pool, slot, best, plan.max_min):
        registers[_NEXT] = best
    elif registers[_GREEDY] < 0 and registers[_SOLUTIONS] and plan.method == _GREEDY_METHOD:
        registers[_GREEDY] = pool.solutions[slot, 0]


@njit(cache=True, nogil=True)
def _set_aside(pool, slot, entry, plan):
    """Put an entry on the agenda."""
    if plan.method != _BEAM_METHOD:
        push(pool, slot, entry, plan.max_min)
        return
    dropped = insert(pool, slot, entry, plan.width, plan.max_min)
    if dropped >= 0:
        pool.registers[slot, _COMPLETE] = 0
        pool.dropped[slot] = min(pool.dropped[slot], pool.cost[slot, dropped])


@njit(cache=True, nogil=True)
def _keep(pool, slot, entry, best):
    """Under fallback only the best expansion is kept: it takes the place of the one before."""
    if best < 0:
        pool.registers[slot, _ENTRIES] += 1
        return entry
    pool.parent[slot, best] = pool.parent[slot, entry]
    pool.label[slot, best] = pool.label[slot, entry]
    pool.left[slot, best] = pool.left[slot, entry]
    pool.right[slot, best] = pool.right[slot, entry]
    pool.step[slot, best] = pool.step[slot, entry]
    pool.cost[slot, best] = pool.cost[slot, entry]
    return best
