"""Lists that the limit left unproved are filled with variations of the best tree, which cost little to find.

An *alternative* is an inference that was possible on the way to the best tree, but was not made. A variation makes one,
and goes on greedily; but of what a state allows, it only looks at what holds the item inferred last, and at the next
possible step of its *guide*, another tree. For all other candidates look much as they did to the guide.

    first     the alternatives that promise most, with the best tree as the guide: what does each add to the cost?
    then      an alternative, and a guide that is itself a variation, by what both add, as long as that may be on the
              list; the alternative comes before all that the guide has of its own, so that no pair comes twice
"""

from __future__ import annotations

import numpy as np

from gpuparse.jit import compiled
from gpuparse.parse.logic.items import END, START
from gpuparse.parse.logic.state import LAST_INFERRED, N_FRONTIER
from gpuparse.parse.logic.strategy import in_unary_chain
from gpuparse.parse.search.entries import add_solution, best_inference, may_win, order_of, write_cost, write_entry
from gpuparse.parse.search.expansion import Reach, expand, expand_within
from gpuparse.parse.search.pool import STEP_END, STEP_LABEL, STEP_START, Status
from gpuparse.parse.search.state import forget_path, go_to, site_of

_VARYING, _DONE = int(Status.VARYING), int(Status.DONE)


@compiled
def begin_variation(pool, slot, plan, grammar):
    """Choose the alternatives, and take the trees that were found as guides."""
    registers = pool.registers[slot]
    registers["status"] = _VARYING
    registers["most"] += registers["scored"]
    registers["tried"] = 0
    registers["alternative"] = -1
    best = pool.solutions[slot, 0]
    _load_steps(pool, slot, best, grammar.logic)
    _choose_alternatives(pool, slot, best, plan, grammar)
    registers["guides"] = 0
    for entry in pool.solutions[slot, : registers["solutions"]]:
        _add_guide(pool, slot, entry, _common_steps(pool, slot, entry))


@compiled
def _load_steps(pool, slot, tree, logic):
    """Write the steps to a tree but for TOP, and their entries into the chain."""
    registers, steps, chain = pool.registers[slot], pool.steps[slot], pool.chain[slot]
    entry = pool.parent[slot, tree]
    number = 0
    while entry > 0:
        number += 1
        entry = pool.parent[slot, entry]
    entry = pool.parent[slot, tree]
    go_to(pool, slot, entry, logic)
    for step in range(number - 1, -1, -1):
        item = pool.items[slot, registers["words"] + step]
        steps[step, STEP_START], steps[step, STEP_END] = item[START], item[END]
        steps[step, STEP_LABEL] = pool.label[slot, entry]
        chain[step] = entry
        entry = pool.parent[slot, entry]
    registers["steps"] = number


@compiled
def _common_steps(pool, slot, tree):
    """How many steps a tree has in common with the best."""
    place, entry = pool.agenda[slot], pool.parent[slot, tree]
    while place[entry] < 0:
        entry = pool.parent[slot, entry]
    return place[entry]


@compiled
def _choose_alternatives(pool, slot, best, plan, grammar):
    """Take the alternatives after which most of the best tree can follow at the least cost, estimated by what it cost.

    The agenda is not needed any more: it notes for each entry after how many steps of the best tree it comes.
    """
    registers, steps, chain = pool.registers[slot], pool.steps[slot], pool.chain[slot]
    alternatives, turn, extra = pool.alternatives[slot], pool.turn[slot], pool.extra[slot]
    place, starts = pool.agenda[slot], pool.starts[slot]
    top = len(grammar.logic.label_symbols) - 1
    place[: registers["entries"]] = -1
    place[0] = 0
    for step in range(registers["steps"]):
        place[chain[step]] = step + 1
    size, at_hand = 0, -1
    for entry in range(1, registers["entries"]):
        at = place[pool.parent[slot, entry]]
        if at < 0 or place[entry] >= 0 or pool.label[slot, entry] == top:
            continue
        if at != at_hand:
            at_hand = at
            _write_starts(pool, slot, at)
        write_cost(pool, slot, entry, plan.max_min)
        estimate = pool.cost[slot, entry] - pool.cost[slot, best]
        if size == len(alternatives) and estimate >= extra[size - 1]:
            continue
        start, end = starts[pool.left[slot, entry]], starts[pool.right[slot, entry] + 1]
        for step in range(at, registers["steps"]):
            first, last = steps[step, STEP_START], steps[step, STEP_END]
            if last <= start or end <= first or (first <= start and end <= last and (first < start or end < last)):
                estimate += pool.step_cost[slot, chain[step]]
        if size == len(alternatives):
            if estimate >= extra[size - 1]:
                continue
            size -= 1
        to = _room_in_order(pool, slot, size, estimate)
        alternatives[to], turn[to], extra[to] = entry, at, estimate
        size += 1
    registers["alternatives"] = size


@compiled
def _write_starts(pool, slot, number):
    """Write where the frontier items start after so many steps of the best tree, and where the last one ends."""
    starts, chain = pool.starts[slot], pool.chain[slot]
    size = pool.registers[slot]["words"] + 1
    for at in range(size):
        starts[at] = at
    for step in range(number):
        left, right = pool.left[slot, chain[step]], pool.right[slot, chain[step]]
        for at in range(right + 1, size):
            starts[left + at - right] = starts[at]
        size -= right - left


@compiled
def _room_in_order(pool, slot, size, value):
    """Make room among so many alternatives for one that adds so much; returns where."""
    alternatives, turn, extra = pool.alternatives[slot], pool.turn[slot], pool.extra[slot]
    at = size
    while at > 0 and extra[at - 1] > value:
        alternatives[at], turn[at], extra[at] = alternatives[at - 1], turn[at - 1], extra[at - 1]
        at -= 1
    return at


@compiled
def _add_guide(pool, slot, tree, its_turn):
    """A tree that has so many steps in common with the best is a guide from now on, if there is room."""
    registers = pool.registers[slot]
    at = registers["guides"]
    if at < pool.guides.shape[1]:
        pool.guides[slot, at], pool.guide_turn[slot, at], pool.untried[slot, at] = tree, its_turn, 0
        registers["guides"] += 1


@compiled
def _next_variation(pool, slot, order):
    """Choose an alternative and a guide; whether there is anything that may be on the list."""
    registers = pool.registers[slot]
    extra, turn = pool.extra[slot], pool.turn[slot]
    if registers["tried"] < registers["alternatives"]:
        registers["alternative"], registers["guide"] = registers["tried"], 0
        registers["tried"] += 1
        return True
    if registers["tried"] == registers["alternatives"]:  # what each adds is known: in order, without what failed
        registers["tried"] += 1
        size = 0
        for at in range(registers["alternatives"]):
            entry, its_turn, value = pool.alternatives[slot, at], turn[at], extra[at]
            if value < np.inf:
                to = _room_in_order(pool, slot, size, value)
                pool.alternatives[slot, to], turn[to], extra[to] = entry, its_turn, value
                size += 1
        registers["alternatives"] = size
        registers["tried"] = size + 1
    best, least = -1, np.inf
    for guide in range(1, registers["guides"]):
        at = pool.untried[slot, guide]
        while at < registers["alternatives"] and turn[at] >= pool.guide_turn[slot, guide]:
            at += 1
        pool.untried[slot, guide] = at
        if at < registers["alternatives"]:
            estimate = pool.cost[slot, pool.guides[slot, guide]] + extra[at]
            if estimate < least:
                best, least = guide, estimate
    solutions = pool.solutions[slot]
    if best < 0 or least > order.cost[solutions[0]] + order.gap:
        return False
    if registers["solutions"] == len(solutions) and least >= order.cost[solutions[-1]]:
        return False
    registers["guide"], registers["alternative"] = best, pool.untried[slot, best]
    pool.untried[slot, best] += 1
    return True


@compiled
def _is_first_round(registers):
    """Whether what the alternatives add is being found out."""
    return registers["tried"] <= registers["alternatives"]


@compiled
def advance_variation(pool, slot, grammar, plan, batch, memory):
    """Write the next candidate of a variation into the batch; when there is nothing left to try, the search is done."""
    registers = pool.registers[slot]
    order = order_of(pool, slot, plan)
    while True:
        if registers["alternative"] < 0:
            if not _next_variation(pool, slot, order):
                registers["status"] = _DONE
                return
            _begin_one(pool, slot, grammar.logic)
        inferences = _expand_nearby(pool, slot, grammar, batch, memory)
        if registers["scored"] + inferences > registers["most"]:
            batch.filled[0] = registers["first_candidate"]
            registers["status"] = _DONE
            return
        if inferences:
            registers["scored"] += inferences
            return
        _abandon(pool, slot)


@compiled
def _expand_nearby(pool, slot, grammar, batch, memory):
    """Write the candidates that hold the last item into the batch, and that of the guide's next step, if they hold none
    of each other; where the guide has nothing more to say, all that the state allows.
    """
    registers, site = pool.registers[slot], site_of(pool, slot)
    registers["first_candidate"] = batch.filled[0]
    last, end = site.state.extent[LAST_INFERRED], site.state.extent[N_FRONTIER] - 1
    left, right = _next_step(pool, slot, grammar.logic)
    if left < 0 and end > 0:
        inferences = expand(site, grammar, batch, memory)
    else:
        wide = grammar.logic.max_children - 1
        nearby = Reach(max(0, last - wide), last, last, min(end, last + wide))
        inferences = expand_within(nearby, site, grammar, batch, memory)
        if left >= 0 and not left <= last <= right:
            inferences += expand_within(Reach(left, left, right, right), site, grammar, batch, memory)
    registers["candidates"] = batch.filled[0] - registers["first_candidate"]
    return inferences


@compiled
def _begin_one(pool, slot, logic):
    """Load the guide's steps, and make the alternative."""
    registers = pool.registers[slot]
    _load_steps(pool, slot, pool.guides[slot, registers["guide"]], logic)
    registers["before"] = registers["entries"]
    registers["step"] = pool.turn[slot, registers["alternative"]]
    go_to(pool, slot, pool.alternatives[slot, registers["alternative"]], logic)


@compiled
def _next_step(pool, slot, logic):
    """The run of the guide's next step that is possible and was not made yet; -1 if there is none."""
    registers, frontier, items = pool.registers[slot], pool.frontier[slot], pool.items[slot]
    while registers["step"] < registers["steps"]:
        step = pool.steps[slot, registers["step"]]
        start, end, label = step[STEP_START], step[STEP_END], step[STEP_LABEL]
        left = 0
        while items[frontier[left], END] <= start:
            left += 1
        right = left
        while items[frontier[right], END] < end:
            right += 1
        aligned = items[frontier[left], START] == start and items[frontier[right], END] == end
        made = left == right and in_unary_chain(items, frontier[left], logic.label_symbols[label])
        if aligned and not made and right - left < logic.max_children:
            return left, right
        registers["step"] += 1
    return -1, -1


@compiled
def _abandon(pool, slot):
    """Nothing came of the variation at hand: forget its entries."""
    registers = pool.registers[slot]
    if _is_first_round(registers):
        pool.extra[slot, registers["alternative"]] = np.inf
    registers["entries"] = registers["before"]
    registers["current"] = -1  # the state at hand is no entry's
    forget_path(pool, slot)
    registers["alternative"] = -1


@compiled
def absorb_variation(pool, slot, grammar, plan, batch):
    """Make the best of the inferences."""
    registers = pool.registers[slot]
    order = order_of(pool, slot, plan)
    inference, score = best_inference(pool, slot, batch)
    entry = registers["entries"]
    write_entry(pool, slot, entry, inference, score, plan, grammar.logic.strategy)
    write_cost(pool, slot, entry, plan.max_min)
    if not may_win(pool, slot, order, entry):
        _abandon(pool, slot)
        return
    registers["entries"] += 1
    if inference.label < len(grammar.logic.label_symbols) - 1:
        go_to(pool, slot, entry, grammar.logic)
    else:
        _finish(pool, slot, order, entry, plan)


@compiled
def _finish(pool, slot, order, entry, plan):
    """A tree is complete: it goes on the list if it was not there, and may be a guide."""
    registers, solutions = pool.registers[slot], pool.solutions[slot]
    for at in range(registers["solutions"]):
        if order.cost[solutions[at]] == order.cost[entry] and _is_same(pool, slot, solutions[at], entry):
            _abandon(pool, slot)
            return
    alternative = registers["alternative"]
    if _is_first_round(registers):
        pool.extra[slot, alternative] = order.cost[entry] - order.cost[pool.guides[slot, 0]]
    add_solution(pool, slot, order, entry, plan.use_chart)
    _add_guide(pool, slot, entry, pool.turn[slot, alternative])
    registers["alternative"] = -1


@compiled
def _is_same(pool, slot, one, other):
    """Whether two entries came about by the same inferences."""
    parent, label, left, right = pool.parent[slot], pool.label[slot], pool.left[slot], pool.right[slot]
    while one != other:
        if one <= 0 or other <= 0:
            return False
        if label[one] != label[other] or left[one] != left[other] or right[one] != right[other]:
            return False
        one, other = parent[one], parent[other]
    return True
