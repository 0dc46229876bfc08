"""What an entry is and what it costs, which entries may win, and the solutions among them."""

from __future__ import annotations

import math

import numpy as np

from gpuparse.jit import compiled, spliced
from gpuparse.parse.features.segments import mix
from gpuparse.parse.logic.items import END, START, SYMBOL
from gpuparse.parse.logic.state import N_FRONTIER
from gpuparse.parse.logic.strategy import NO_HEAD, Inference, items_ahead
from gpuparse.parse.model.rules import FIXED_POINT
from gpuparse.parse.search.agenda import Order, precedes

LEAST_SCORE = np.iinfo(np.int64).min  # no score is below
_HUGE = 2.0**62  # no fixed-point score is beyond


@spliced
def order_of(pool, slot, plan):
    return Order(
        pool.cost[slot], pool.step_cost[slot], pool.parent[slot], pool.ahead[slot], pool.profile[slot],
        pool.sorted_costs[slot], plan.max_min, plan.gap,
    )  # fmt: skip


@compiled
def write_entry(pool, slot, entry, inference, score, plan, strategy):
    """Write an entry, but for what it costs."""
    label, i, j = inference
    parent = pool.registers[slot]["current"]
    pool.parent[slot, entry] = parent
    pool.label[slot, entry] = label
    pool.left[slot, entry] = i
    pool.right[slot, entry] = j
    pool.score[slot, entry] = score
    pool.ahead[slot, entry] = items_ahead(strategy, pool.extent[slot, N_FRONTIER], i, j)
    if plan.use_chart:
        items, frontier = pool.items[slot], pool.frontier[slot]
        below = items[frontier[i], SYMBOL] + 1 if i == j else 0  # of equal spans, which is over which
        key = mix(mix(mix(mix(np.uint64(0), items[frontier[i], START]), items[frontier[j], END]), label), below)
        pool.signature[slot, entry] = pool.signature[slot, parent] + key


@compiled
def cost_of(score):
    """ln(1 + exp(-h)) of a fixed-point score."""
    h = score / FIXED_POINT
    return math.log1p(math.exp(-h)) if h > 0 else math.log1p(math.exp(h)) - h


@compiled
def score_of(room):
    """A score that every step which costs at most `room` has at least: `h >= -ln(exp(room) - 1)`, and a little less."""
    h = -(room + math.log(-math.expm1(-room)))
    return np.int64(min(max((h - 1e-6) * FIXED_POINT, -_HUGE), _HUGE))


@compiled
def write_cost(pool, slot, entry, max_min):
    """Write what an entry costs. Most entries are never asked: after the first descent they can't win."""
    step = cost_of(pool.score[slot, entry])
    before = pool.cost[slot, pool.parent[slot, entry]]
    pool.step_cost[slot, entry] = step
    pool.cost[slot, entry] = max(before, step) if max_min else before + step


@compiled
def may_win(pool, slot, order, entry):
    """Whether an entry is strictly better than the worst of the solutions that are wanted, and within the gap."""
    solutions, n_solutions = pool.solutions[slot], pool.registers[slot]["solutions"]
    if n_solutions and not order.cost[entry] <= order.cost[solutions[0]] + order.gap:
        return False
    return n_solutions < len(solutions) or precedes(order, entry, solutions[-1])


@compiled
def add_solution(pool, slot, order, entry, use_chart):
    """Put a final state among the solutions, the best first; among equals the older one stays before.

    Where several paths lead to a tree it is there once, by the best of them.
    """
    solutions, signature = pool.solutions[slot], pool.signature[slot]
    size = pool.registers[slot]["solutions"]
    end = min(size, len(solutions) - 1)  # where it goes before it moves up: in place of the last if all is full
    if use_chart:
        for at in range(size):
            if signature[solutions[at]] == signature[entry]:
                if not precedes(order, entry, solutions[at]):
                    return
                end = at
                break
    if end == size:
        pool.registers[slot]["solutions"] += 1
    while end > 0 and precedes(order, entry, solutions[end - 1]):
        solutions[end] = solutions[end - 1]
        end -= 1
    solutions[end] = entry


@compiled
def best_inference(pool, slot, batch):
    """The best inference of the state at hand, and its score; among equals the first."""
    best_score, best_label, best_candidate = LEAST_SCORE, -1, -1
    first = pool.registers[slot]["first_candidate"]
    for candidate in range(first, first + pool.registers[slot]["candidates"]):
        heads, scores = batch.heads[candidate], batch.scores[candidate]
        for label in range(len(scores)):
            if scores[label] > best_score and heads[label] != NO_HEAD:
                best_score, best_label, best_candidate = scores[label], label, candidate
    return Inference(best_label, batch.left[best_candidate], batch.right[best_candidate]), best_score
