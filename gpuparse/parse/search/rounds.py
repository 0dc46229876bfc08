"""A round of the searches: each live one goes to its next state and expands it; then it takes the scores back."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from gpuparse.jit import Kernel, compiled, eventual
from gpuparse.kernels import RowScorer
from gpuparse.options import Method
from gpuparse.parse.logic.strategy import NO_HEAD, Inference
from gpuparse.parse.search.agenda import charted, insert, precedes, sift_up, take_best
from gpuparse.parse.search.atoms import look_up_words
from gpuparse.parse.search.entries import (
    LEAST_SCORE,
    add_solution,
    best_inference,
    cost_of,
    may_win,
    order_of,
    score_of,
    write_cost,
    write_entry,
)
from gpuparse.parse.search.expansion import expand, rows_of
from gpuparse.parse.search.memory import known_rows
from gpuparse.parse.search.pool import Status
from gpuparse.parse.search.state import begin_state, go_to, site_of
from gpuparse.parse.search.variation import absorb_variation, advance_variation, begin_variation

_LIVE, _FALLBACK = int(Status.LIVE), int(Status.FALLBACK)
_VARYING, _DONE = int(Status.VARYING), int(Status.DONE)


class Plan(NamedTuple):
    """How to search, for compiled code."""

    method: int
    max_min: bool
    width: int  # of the beam
    max_popped: int  # under beam search
    use_chart: bool
    gap: float  # what costs more than the best tree and this is dropped; infinite under max-min


_PROMISING, _GREEDY_METHOD, _BEAM = int(Method.promising), int(Method.greedy), int(Method.beam)
_MOST = np.iinfo(np.int64).max  # no score is beyond


@compiled
def begin(pool, grammar, plan, slot):
    """Start a search whose slot was taken."""
    registers = pool.registers[slot]
    registers["status"] = _LIVE
    registers["entries"] = 1
    registers["complete"] = 1
    registers["greedy"] = -1
    registers["dead_end"] = -1
    registers["popped"] = 1
    pool.parent[slot, 0] = -1
    pool.step_cost[slot, 0] = 0.0
    pool.cost[slot, 0] = 0.0
    pool.signature[slot, 0] = 0
    pool.dropped[slot] = np.inf
    pool.profile[slot] = 0.0
    if plan.use_chart:
        pool.chart[slot] = -1
    look_up_words(grammar.atoms, pool.terminals[slot], registers["words"], pool.of_word[slot])
    begin_state(pool, slot)


@compiled
def advance(pool, grammar, plan, batch, memory):
    """Bring every search to its next state and write what it allows into the batch; returns how many are not done."""
    batch.filled[:] = 0
    live = 0
    for slot in range(pool.registers.shape[0]):
        if pool.registers[slot]["status"] == _LIVE:
            _advance_search(pool, slot, grammar, plan, batch, memory)
        elif pool.registers[slot]["status"] == _FALLBACK:
            _advance_fallback(pool, slot, grammar, batch, memory)
        elif pool.registers[slot]["status"] == _VARYING:
            advance_variation(pool, slot, grammar, plan, batch, memory)
        live += pool.registers[slot]["status"] in (_LIVE, _FALLBACK, _VARYING)
    return live


@compiled
def _advance_search(pool, slot, grammar, plan, batch, memory):
    registers = pool.registers[slot]
    order = order_of(pool, slot, plan)
    while True:
        entry = _next_entry(pool, slot, order, plan)
        if entry < 0:
            _end(pool, slot, grammar, plan, batch, memory)
            return
        go_to(pool, slot, entry, grammar.logic)
        if plan.use_chart and charted(pool.chart[slot], pool.signature[slot], entry, order):
            continue
        candidates = batch.filled[0]
        inferences = _expand(pool, slot, grammar, batch, memory)
        if registers["scored"] + inferences > registers["limit"]:
            batch.filled[0] = candidates
            _give_up(pool, slot, order, plan)
            pool.dropped[slot] = min(pool.dropped[slot], order.cost[entry])
            registers["next"] = entry
            _end(pool, slot, grammar, plan, batch, memory)
            return
        if inferences:
            registers["scored"] += inferences
            return
        batch.filled[0] = candidates
        if registers["dead_end"] < 0 or precedes(order, entry, registers["dead_end"]):
            registers["dead_end"] = entry


@compiled
def _expand(pool, slot, grammar, batch, memory):
    """Write what the state at hand allows into the batch, and note where; returns how many inferences that is."""
    registers = pool.registers[slot]
    registers["first_candidate"] = batch.filled[0]
    inferences = expand(site_of(pool, slot), grammar, batch, memory)
    registers["candidates"] = batch.filled[0] - registers["first_candidate"]
    return inferences


@compiled
def _next_entry(pool, slot, order, plan):
    """The entry to expand next, or -1 when nothing is left, or allowed, that could be better than what was found."""
    registers, waiting = pool.registers[slot], pool.agenda[slot]
    entry = registers["next"]
    registers["next"] = -1
    if entry >= 0:
        return entry
    _settle(pool, slot, order, plan)
    while registers["agenda"]:
        if plan.method == _BEAM and registers["popped"] == plan.max_popped:
            _give_up(pool, slot, order, plan)
            registers["next"] = waiting[registers["agenda"] - 1]
            return -1
        registers["agenda"] -= 1
        size = registers["agenda"]
        entry = waiting[size] if plan.method == _BEAM else take_best(waiting, size + 1, order)
        if may_win(pool, slot, order, entry):
            registers["popped"] += 1
            return entry
        if plan.method != _PROMISING:  # then the others, which cost more, can't win either
            break
    return -1


@compiled
def _settle(pool, slot, order, plan):
    """Put what was pushed since the last pop in its place on the agenda, unless it can't win any more.

    When there is a better tree to compare with, the whole agenda is put in order again.
    """
    registers, waiting = pool.registers[slot], pool.agenda[slot]
    settled = registers["agenda"]
    size, end = settled, settled + registers["loose"]
    if plan.method == _PROMISING and not plan.max_min and registers["solutions"]:
        best = pool.solutions[slot, 0]
        if registers["compared"] != best:
            registers["compared"] = best
            _take_profile(pool, slot, best)
            size = 0
    parent, least = -1, LEAST_SCORE
    for at in range(size, end):
        entry = waiting[at]
        if at >= settled:
            if pool.parent[slot, entry] != parent:
                parent = pool.parent[slot, entry]
                least = _least_score(pool, slot, parent, plan)
            if pool.score[slot, entry] < least:
                continue
            write_cost(pool, slot, entry, plan.max_min)
        if may_win(pool, slot, order, entry):
            sift_up(waiting, size, entry, order)
            size += 1
    registers["agenda"] = size
    registers["loose"] = 0


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
    registers["complete"] = 0
    _settle(pool, slot, order, plan)
    for entry in pool.agenda[slot, : registers["agenda"]]:
        pool.dropped[slot] = min(pool.dropped[slot], order.cost[entry])


@compiled
def _end(pool, slot, grammar, plan, batch, memory):
    """The search is over. The list that it found is filled; without a solution the best partial parse is finished, or
    the cheapest dead end stands.
    """
    registers = pool.registers[slot]
    registers["status"] = _DONE
    if registers["solutions"]:
        if not registers["complete"] and registers["most"] and not plan.max_min:
            begin_variation(pool, slot, plan, grammar)
            advance_variation(pool, slot, grammar, plan, batch, memory)
        return
    if registers["next"] < 0:
        registers["current"] = registers["dead_end"]
    else:
        registers["status"] = _FALLBACK
        _advance_fallback(pool, slot, grammar, batch, memory)


@compiled
def _advance_fallback(pool, slot, grammar, batch, memory):
    registers = pool.registers[slot]
    if registers["next"] != registers["current"]:
        go_to(pool, slot, registers["next"], grammar.logic)
    if _expand(pool, slot, grammar, batch, memory) == 0:
        registers["status"] = _DONE


@compiled
def _least_score(pool, slot, parent, plan):
    """The least score with which an inference at the entry `parent` may win: for those below it no cost is computed.

    The bound is a little generous, so that rounding hides no winner.
    """
    solutions, n_solutions = pool.solutions[slot], pool.registers[slot]["solutions"]
    bound = np.inf
    if n_solutions:
        bound = pool.cost[slot, solutions[0]] + plan.gap
    if n_solutions == len(solutions):
        bound = min(bound, pool.cost[slot, solutions[-1]])
    if bound == np.inf:
        return LEAST_SCORE
    room = bound if plan.max_min else bound - pool.cost[slot, parent]
    return score_of(max(room, 0.0) + 1e-9 + 1e-9 * bound)


@compiled
def _followed_score(pool, slot, batch, plan):
    """The least score that the cheapest expansion of the state at hand may have; rounding may let others pass, too."""
    registers = pool.registers[slot]
    first, highest = registers["first_candidate"], LEAST_SCORE
    for candidate in range(first, first + registers["candidates"]):
        heads, scores = batch.heads[candidate], batch.scores[candidate]
        for label in range(len(scores)):
            if heads[label] != NO_HEAD:
                highest = max(highest, scores[label])
    if highest == LEAST_SCORE:
        return highest
    step = cost_of(highest)
    return min(highest, score_of(step + 1e-9 + 1e-9 * (step + pool.cost[slot, registers["current"]])))


@compiled
def absorb(pool, grammar, plan, batch):
    """Give every search the scores of its candidates."""
    for slot in range(pool.registers.shape[0]):
        if pool.registers[slot]["status"] == _LIVE:
            _absorb_search(pool, slot, grammar, plan, batch)
        elif pool.registers[slot]["status"] == _FALLBACK:
            _absorb_fallback(pool, slot, grammar, plan, batch)
        elif pool.registers[slot]["status"] == _VARYING:
            absorb_variation(pool, slot, grammar, plan, batch)


@compiled
def _absorb_search(pool, slot, grammar, plan, batch):
    """Make an entry of every inference that may win; follow the best, set the rest aside."""
    registers = pool.registers[slot]
    order = order_of(pool, slot, plan)
    top = batch.heads.shape[1] - 1
    descends = plan.method == _PROMISING or plan.method == _GREEDY_METHOD
    least = _least_score(pool, slot, registers["current"], plan)
    follow_from = _followed_score(pool, slot, batch, plan) if descends else _MOST
    best = -1  # the best expansion, if it is to be followed
    first = registers["first_candidate"]
    for candidate in range(first, first + registers["candidates"]):
        heads, scores = batch.heads[candidate], batch.scores[candidate]
        for label in range(top + 1):
            if scores[label] < least or heads[label] == NO_HEAD:
                continue
            entry = registers["entries"]
            inference = Inference(label, batch.left[candidate], batch.right[candidate])
            write_entry(pool, slot, entry, inference, scores[label], plan, grammar.logic.strategy)
            if label == top or scores[label] >= follow_from or plan.method == _BEAM:
                write_cost(pool, slot, entry, plan.max_min)
                if not may_win(pool, slot, order, entry):
                    continue
            registers["entries"] += 1
            if label == top:
                add_solution(pool, slot, order, entry, plan.use_chart)
            if scores[label] >= follow_from and (best < 0 or precedes(order, entry, best)):
                best, entry = entry, best
            if entry >= 0 and pool.label[slot, entry] != top:
                _set_aside(pool, slot, order, entry, plan)
    if not descends:
        return
    if best >= 0 and pool.label[slot, best] != top and may_win(pool, slot, order, best):
        registers["next"] = best
    elif registers["popped"] == 1 and registers["solutions"]:  # the end of the first descent
        registers["greedy"] = pool.solutions[slot, 0]


@compiled
def _absorb_fallback(pool, slot, grammar, plan, batch):
    """Follow the best inference, and forget the others."""
    registers = pool.registers[slot]
    inference, score = best_inference(pool, slot, batch)
    entry = registers["entries"]
    registers["entries"] += 1
    write_entry(pool, slot, entry, inference, score, plan, grammar.logic.strategy)
    write_cost(pool, slot, entry, plan.max_min)
    registers["next"] = entry
    if inference.label == batch.heads.shape[1] - 1:
        registers["status"] = _DONE
        registers["current"] = entry


@compiled
def _set_aside(pool, slot, order, entry, plan):
    """Put an entry on the agenda."""
    registers, waiting = pool.registers[slot], pool.agenda[slot]
    if plan.method != _BEAM:
        waiting[registers["agenda"] + registers["loose"]] = entry
        registers["loose"] += 1
        return
    dropped = insert(waiting, registers["agenda"], entry, plan.width, order)
    if dropped < 0:
        registers["agenda"] += 1
    else:
        registers["complete"] = 0
        pool.dropped[slot] = min(pool.dropped[slot], order.cost[dropped])


@cache
def make_search(score_rows: RowScorer) -> Kernel[..., None]:
    """The search with this row scorer, a backend's own: `search(pool, grammar, plan, batch, memory, weights, rounds)`.

    It goes on by so many rounds, or until a search is done. All of it is compiled together, since coming back to Python
    between the steps of a round takes longer than the steps.
    """

    def search(pool, grammar, plan, batch, memory, weights, rounds):
        for _ in range(rounds):
            if advance(pool, grammar, plan, batch, memory) == 0:
                return
            score_rows(weights, rows_of(batch), known_rows(memory))
            absorb(pool, grammar, plan, batch)
            for slot in range(pool.registers.shape[0]):
                if pool.registers[slot]["status"] == _DONE:
                    return

    return eventual(search)
