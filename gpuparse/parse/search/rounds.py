"""A round of the searches: each live one goes to its next state and expands it; then it takes the scores back."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from gpuparse.jit import Kernel, compiled, eventual
from gpuparse.kernels import RowScorer
from gpuparse.options import Method
from gpuparse.parse.features.segments import mix
from gpuparse.parse.logic.items import END, START, SYMBOL
from gpuparse.parse.logic.strategy import items_ahead
from gpuparse.parse.model.rules import FIXED_POINT
from gpuparse.parse.search.agenda import Order, charted, insert, precedes, sift_up, take_best
from gpuparse.parse.search.atoms import look_up_words
from gpuparse.parse.search.expansion import expand
from gpuparse.parse.search.pool import Register, Status
from gpuparse.parse.search.state import begin_state, go_to

_STATUS, _WORDS, _ENTRIES, _AGENDA, _LOOSE = (
    int(r) for r in (Register.STATUS, Register.WORDS, Register.ENTRIES, Register.AGENDA, Register.LOOSE)
)
_SCORED, _POPPED, _CURRENT, _NEXT = (
    int(r) for r in (Register.SCORED, Register.POPPED, Register.CURRENT, Register.NEXT)
)
_SOLUTIONS, _COMPLETE, _GREEDY, _DEAD_END, _COMPARED = (
    int(r) for r in (Register.SOLUTIONS, Register.COMPLETE, Register.GREEDY, Register.DEAD_END, Register.COMPARED)
)
_FIRST_ROW, _FIRST_CANDIDATE, _CANDIDATES, _FRONTIER = (
    int(r) for r in (Register.FIRST_ROW, Register.FIRST_CANDIDATE, Register.CANDIDATES, Register.FRONTIER)
)
_LIVE, _FALLBACK, _DONE = int(Status.LIVE), int(Status.FALLBACK), int(Status.DONE)


class Plan(NamedTuple):
    """How to search, for compiled code."""

    method: int
    max_min: bool
    limit: int  # partial parses scored, at most
    width: int  # of the beam
    max_popped: int  # under beam search
    use_chart: bool


_PROMISING, _GREEDY_METHOD, _BEAM = int(Method.promising), int(Method.greedy), int(Method.beam)
_NOT_ALLOWED = np.iinfo(np.int64).min  # the score of what the state does not allow
_HUGE = 2.0**62  # no fixed-point score is beyond


@compiled
def begin(pool, grammar, plan, slot):
    """Start a search whose words and terminals are in place."""
    registers = pool.registers[slot]
    words = registers[_WORDS]
    registers[:] = 0
    registers[_WORDS] = words
    registers[_STATUS] = _LIVE
    registers[_ENTRIES] = 1
    registers[_COMPLETE] = 1
    registers[_GREEDY] = -1
    registers[_DEAD_END] = -1
    registers[_NEXT] = 0
    registers[_POPPED] = 1
    pool.parent[slot, 0] = -1
    pool.step[slot, 0] = 0.0
    pool.cost[slot, 0] = 0.0
    pool.signature[slot, 0] = 0
    pool.dropped[slot] = np.inf
    pool.profile[slot] = 0.0
    if plan.use_chart:
        pool.chart[slot] = -1
    look_up_words(grammar.atoms, pool.terminals[slot], words, pool.of_word[slot])
    begin_state(pool, slot)


@compiled
def advance(pool, grammar, plan, batch):
    """Bring every search to its next state and write what it allows into the batch; returns how many are not done."""
    batch.filled[:] = 0
    live = 0
    for slot in range(pool.registers.shape[0]):
        if pool.registers[slot, _STATUS] == _LIVE:
            _advance_search(pool, slot, grammar, plan, batch)
        elif pool.registers[slot, _STATUS] == _FALLBACK:
            _advance_fallback(pool, slot, grammar, batch)
        live += pool.registers[slot, _STATUS] in (_LIVE, _FALLBACK)
    return live


@compiled
def _order(pool, slot, plan):
    return Order(
        pool.cost[slot], pool.step[slot], pool.parent[slot], pool.ahead[slot], pool.profile[slot],
        pool.sorted_steps[slot], plan.max_min,
    )  # fmt: skip


@compiled
def _advance_search(pool, slot, grammar, plan, batch):
    registers = pool.registers[slot]
    order = _order(pool, slot, plan)
    while True:
        entry = _next_entry(pool, slot, order, plan)
        if entry < 0:
            _end(pool, slot, grammar, batch)
            return
        go_to(pool, slot, entry, grammar.heads, grammar.label_symbols)
        if plan.use_chart and charted(pool.chart[slot], pool.signature[slot], entry, order):
            continue
        rows, candidates = batch.filled[0], batch.filled[1]
        inferences = expand(pool, slot, grammar, batch)
        if registers[_SCORED] + inferences > plan.limit:
            batch.filled[0], batch.filled[1] = rows, candidates
            _give_up(pool, slot, order, plan)
            pool.dropped[slot] = min(pool.dropped[slot], order.cost[entry])
            registers[_NEXT] = entry
            _end(pool, slot, grammar, batch)
            return
        if inferences:
            registers[_SCORED] += inferences
            return
        batch.filled[0], batch.filled[1] = rows, candidates
        if registers[_DEAD_END] < 0 or precedes(order, entry, registers[_DEAD_END]):
            registers[_DEAD_END] = entry


@compiled
def _next_entry(pool, slot, order, plan):
    """The entry to expand next, or -1 when nothing is left, or allowed, that could be better than what was found."""
    registers, waiting = pool.registers[slot], pool.agenda[slot]
    entry = registers[_NEXT]
    registers[_NEXT] = -1
    if entry >= 0:
        return entry
    _settle(pool, slot, order, plan)
    while registers[_AGENDA]:
        if plan.method == _BEAM and registers[_POPPED] == plan.max_popped:
            _give_up(pool, slot, order, plan)
            registers[_NEXT] = waiting[registers[_AGENDA] - 1]
            return -1
        registers[_AGENDA] -= 1
        size = registers[_AGENDA]
        entry = waiting[size] if plan.method == _BEAM else take_best(waiting, size + 1, order)
        if _may_win(pool, slot, order, entry):
            registers[_POPPED] += 1
            return entry
        if plan.method != _PROMISING:  # then the others, which cost more, can't win either
            break
    return -1


@compiled
def _settle(pool, slot, order, plan):
    """Put what was pushed since the last pop in its place on the agenda, unless it can't win any more.

    When there is a better tree to compare with, all of the agenda finds its place anew.
    """
    registers, waiting = pool.registers[slot], pool.agenda[slot]
    size = registers[_AGENDA]
    end = size + registers[_LOOSE]
    if plan.method == _PROMISING and not plan.max_min and registers[_SOLUTIONS]:
        best = pool.solutions[slot, 0]
        if registers[_COMPARED] != best:
            registers[_COMPARED] = best
            _take_profile(pool, slot, best)
            size = 0
    for at in range(size, end):
        entry = waiting[at]
        if _may_win(pool, slot, order, entry):
            sift_up(waiting, size, entry, order)
            size += 1
    registers[_AGENDA] = size
    registers[_LOOSE] = 0


@compiled
def _take_profile(pool, slot, entry):
    """Note what a tree cost by the time so many items were ahead: at its last step that left as many or more."""
    profile, ahead = pool.profile[slot], pool.ahead[slot]
    reached = 0
    while entry > 0:
        while reached <= ahead[entry]:
            profile[reached] = pool.cost[slot, entry]
            reached += 1
        entry = pool.parent[slot, entry]
    profile[reached:] = 0.0


@compiled
def _give_up(pool, slot, order, plan):
    """Drop all that is on the agenda."""
    registers = pool.registers[slot]
    registers[_COMPLETE] = 0
    _settle(pool, slot, order, plan)
    for entry in pool.agenda[slot, : registers[_AGENDA]]:
        pool.dropped[slot] = min(pool.dropped[slot], order.cost[entry])


@compiled
def _end(pool, slot, grammar, batch):
    """The search is over. Without a solution the best partial parse is finished, or the cheapest dead end stands."""
    registers = pool.registers[slot]
    registers[_STATUS] = _DONE
    if registers[_SOLUTIONS]:
        return
    if registers[_NEXT] < 0:
        registers[_CURRENT] = registers[_DEAD_END]
    else:
        registers[_STATUS] = _FALLBACK
        _advance_fallback(pool, slot, grammar, batch)


@compiled
def _advance_fallback(pool, slot, grammar, batch):
    registers = pool.registers[slot]
    if registers[_NEXT] != registers[_CURRENT]:
        go_to(pool, slot, registers[_NEXT], grammar.heads, grammar.label_symbols)
    if expand(pool, slot, grammar, batch) == 0:
        registers[_STATUS] = _DONE


@compiled
def _may_win(pool, slot, order, entry):
    """Whether an entry is strictly better than the worst of the solutions that are wanted."""
    k = pool.solutions.shape[1]
    return pool.registers[slot, _SOLUTIONS] < k or precedes(order, entry, pool.solutions[slot, k - 1])


@compiled
def _add_solution(pool, slot, order, entry, use_chart):
    """Put a final state among the solutions, the best first; among equals the older one stays before.

    Where several paths lead to a tree it is there once, by the best of them.
    """
    found, signature = pool.solutions[slot], pool.signature[slot]
    size = pool.registers[slot, _SOLUTIONS]
    end = min(size, len(found) - 1)  # where the new one goes, before it moves up: in place of the last if all is full
    if use_chart:
        for at in range(size):
            if signature[found[at]] == signature[entry]:
                if not precedes(order, entry, found[at]):
                    return
                end = at
                break
    if end == size:
        pool.registers[slot, _SOLUTIONS] += 1
    while end > 0 and precedes(order, entry, found[end - 1]):
        found[end] = found[end - 1]
        end -= 1
    found[end] = entry


@compiled
def _cost_of(score):
    """ln(1 + exp(-h)) of a fixed-point score."""
    h = score / FIXED_POINT
    return math.log1p(math.exp(-h)) if h > 0 else math.log1p(math.exp(h)) - h


@compiled
def _least_score(pool, slot, max_min):
    """A score that what may win has at least; it spares most inferences the computation of their costs.

    A step costs less than `room` if `h > -ln(exp(room) - 1)`; a little is taken off, since rounding may hide a winner.
    """
    k = pool.solutions.shape[1]
    if pool.registers[slot, _SOLUTIONS] < k:
        return _NOT_ALLOWED + 1
    bound = pool.cost[slot, pool.solutions[slot, k - 1]]
    room = bound if max_min else bound - pool.cost[slot, pool.registers[slot, _CURRENT]]
    room += 1e-9 + 1e-9 * bound
    h = -(room + math.log(-math.expm1(-room)))
    return np.int64(min(max((h - 1e-6) * FIXED_POINT, -_HUGE), _HUGE))


@compiled
def absorb(pool, grammar, plan, batch, scores, constant):
    """Give every search the scores of its rows: `scores[row, label]`, and a constant for each label."""
    totals = batch.totals
    for slot in range(pool.registers.shape[0]):
        if pool.registers[slot, _STATUS] == _LIVE:
            _absorb_search(pool, slot, grammar, plan, batch, scores, constant, totals)
        elif pool.registers[slot, _STATUS] == _FALLBACK:
            _absorb_fallback(pool, slot, grammar, plan, batch, scores, constant, totals)


@compiled
def _add_up(batch, candidate, state_row, scores, constant, totals):
    """The score of every label over the children of a candidate."""
    left, right, both = batch.rows[candidate, 0], batch.rows[candidate, 1], batch.rows[candidate, 2]
    for label in range(len(totals)):
        totals[label] = (
            constant[label]
            + scores[state_row, label]
            + scores[left, label]
            + scores[right, label]
            + scores[both, label]
        )
    for label in range(len(totals)):
        head = batch.heads[candidate, label]
        if head < 0:
            totals[label] = _NOT_ALLOWED
        else:
            near, whole = batch.head_rows[candidate, head, 0], batch.head_rows[candidate, head, 1]
            totals[label] += scores[near, label] + scores[whole, label]


@compiled
def _write_entry(pool, slot, entry, label, i, j, score, plan, strategy):
    parent = pool.registers[slot, _CURRENT]
    step = _cost_of(score)
    pool.parent[slot, entry] = parent
    pool.label[slot, entry] = label
    pool.left[slot, entry] = i
    pool.right[slot, entry] = j
    pool.step[slot, entry] = step
    pool.ahead[slot, entry] = items_ahead(strategy, pool.registers[slot, _FRONTIER], i, j)
    pool.cost[slot, entry] = max(pool.cost[slot, parent], step) if plan.max_min else pool.cost[slot, parent] + step
    if plan.use_chart:
        items, frontier = pool.items[slot], pool.frontier[slot]
        below = items[frontier[i], SYMBOL] + 1 if i == j else 0  # of equal spans, which is over which
        key = mix(mix(mix(mix(np.uint64(0), items[frontier[i], START]), items[frontier[j], END]), label), below)
        pool.signature[slot, entry] = pool.signature[slot, parent] + key


@compiled
def _absorb_search(pool, slot, grammar, plan, batch, scores, constant, totals):
    """Make an entry of every inference that may win; follow the best, set the rest aside."""
    registers = pool.registers[slot]
    order = _order(pool, slot, plan)
    top = len(totals) - 1
    descends = plan.method == _PROMISING or plan.method == _GREEDY_METHOD
    least = _least_score(pool, slot, plan.max_min)
    best = -1  # the best expansion, if it is to be followed
    first = registers[_FIRST_CANDIDATE]
    for candidate in range(first, first + registers[_CANDIDATES]):
        _add_up(batch, candidate, registers[_FIRST_ROW], scores, constant, totals)
        for label in range(top + 1):
            if totals[label] < least:
                continue
            entry = registers[_ENTRIES]
            i, j = batch.children[candidate, 0], batch.children[candidate, 1]
            _write_entry(pool, slot, entry, label, i, j, totals[label], plan, grammar.strategy)
            if not _may_win(pool, slot, order, entry):
                continue
            registers[_ENTRIES] += 1
            if label == top:
                _add_solution(pool, slot, order, entry, plan.use_chart)
            if descends and (best < 0 or precedes(order, entry, best)):
                best, entry = entry, best
            if entry >= 0 and pool.label[slot, entry] != top:
                _set_aside(pool, slot, order, entry, plan)
    if not descends:
        return
    if best >= 0 and pool.label[slot, best] != top and _may_win(pool, slot, order, best):
        registers[_NEXT] = best
    elif registers[_POPPED] == 1 and registers[_SOLUTIONS]:  # the end of the first descent
        registers[_GREEDY] = pool.solutions[slot, 0]


@compiled
def _absorb_fallback(pool, slot, grammar, plan, batch, scores, constant, totals):
    """Follow the best inference, and forget the others."""
    registers = pool.registers[slot]
    best_score, best_label, best_candidate = _NOT_ALLOWED, -1, -1
    first = registers[_FIRST_CANDIDATE]
    for candidate in range(first, first + registers[_CANDIDATES]):
        _add_up(batch, candidate, registers[_FIRST_ROW], scores, constant, totals)
        for label in range(len(totals)):
            if totals[label] > best_score:
                best_score, best_label, best_candidate = totals[label], label, candidate
    entry = registers[_ENTRIES]
    registers[_ENTRIES] += 1
    i, j = batch.children[best_candidate, 0], batch.children[best_candidate, 1]
    _write_entry(pool, slot, entry, best_label, i, j, best_score, plan, grammar.strategy)
    registers[_NEXT] = entry
    if best_label == len(totals) - 1:
        registers[_STATUS] = _DONE
        registers[_CURRENT] = entry


@compiled
def _set_aside(pool, slot, order, entry, plan):
    """Put an entry on the agenda."""
    registers, waiting = pool.registers[slot], pool.agenda[slot]
    if plan.method != _BEAM:
        waiting[registers[_AGENDA] + registers[_LOOSE]] = entry
        registers[_LOOSE] += 1
        return
    dropped = insert(waiting, registers[_AGENDA], entry, plan.width, order)
    if dropped < 0:
        registers[_AGENDA] += 1
    else:
        registers[_COMPLETE] = 0
        pool.dropped[slot] = min(pool.dropped[slot], order.cost[dropped])


@cache
def make_search(score_rows: RowScorer) -> Kernel[..., None]:
    """The search with this row scorer, a backend's own: `search(pool, grammar, plan, batch, layout, constant, rounds)`.

    It goes on by so many rounds, or until a search is done. All of it is compiled together, since coming back to Python
    between the steps of a round takes longer than the steps.
    """

    def search(pool, grammar, plan, batch, layout, constant, rounds):
        for _ in range(rounds):
            if advance(pool, grammar, plan, batch) == 0:
                return
            rows = batch.filled[0]
            scores = batch.scores[:rows]
            score_rows(
                batch.bits[:rows], batch.parts[:rows], layout.part_groups, layout.group_blocks, layout.group_words,
                layout.part_runs, layout.run_eights, layout.run_label, layout.eights, layout.sums, batch.fires, scores,
            )  # fmt: skip
            absorb(pool, grammar, plan, batch, scores, constant)
            for slot in range(pool.registers.shape[0]):
                if pool.registers[slot, _STATUS] == _DONE:
                    return

    return eventual(search)
