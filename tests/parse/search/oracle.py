"""The search the plain way: every state there is, scored by the definition; and the two searches over objects."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from gpuparse.boost.ensemble import Literals
from gpuparse.options import Method
from gpuparse.parse.features.space import FeatureSpace
from gpuparse.parse.logic.vocabulary import Vocabulary
from gpuparse.trees import Token, Tree, head_child, parse_tree
from tests.parse.features.oracle import Item, Known, State, allowed, features, new_item, terminal_items

FIXED_POINT = 2**44

Compounds = Mapping[int, Mapping[Literals, float]]
Cost = Callable[[Sequence[float]], Any]  # of the steps of a derivation; less is better


def total(steps: Sequence[float]) -> float:
    """The sum of the costs, in the order of the inferences."""
    cost = 0.0
    for step in steps:
        cost += step
    return cost


def max_min(steps: Sequence[float]) -> tuple[float, ...]:
    """The greatest cost, then the second greatest, and so on."""
    return tuple(sorted(steps, reverse=True))


class Partial(NamedTuple):
    """A partial parse: a state, the costs of the inferences that led to it, and what was ahead after each."""

    state: State
    steps: tuple[float, ...]
    ahead: tuple[int, ...]

    @property
    def is_final(self) -> bool:
        return self.state.frontier[0].label == "TOP"


def bracketed(item: Item, tokens: Sequence[Token]) -> str:
    if item.word is not None:
        return f"({item.label} {tokens[item.start].word})"
    return f"({item.label} {' '.join(bracketed(child, tokens) for child in item.children)})"


@dataclass
class Oracle:
    """All that can be known of the parses of a sentence."""

    vocabulary: Vocabulary
    compounds: Compounds
    strategy: str
    max_children: int
    tokens: Sequence[Token]

    def __post_init__(self) -> None:
        words = self.vocabulary
        space = FeatureSpace(words)
        self.known = Known(*(set(words.values_of(name)) for name in Known._fields))
        self.rules = [
            [
                ([(space.name(feature), there) for feature, there in literals], round(value * FIXED_POINT))
                for literals, value in self.compounds.get(label, {}).items()
            ]
            for label in range(len(words.labels))
        ]
        self.terminals = terminal_items(self.tokens)
        self.start = Partial(State(self.terminals, -1), (), ())
        self._features: dict[tuple[object, int, int, int], set[str]] = {}

    def key(self, state: State) -> tuple[str, int]:
        """Equal keys, equal futures."""
        frontier = " ".join(bracketed(item, self.tokens) for item in state.frontier)
        return frontier, -1 if self.strategy == "bu" else state.last

    def cost(self, state: State, i: int, j: int, label: int) -> float:
        """ln(1 + exp(-h)) of an inference, h the sum of the compound features that hold."""
        frontier, language = state.frontier, self.vocabulary.language
        head = i + head_child(language, self.vocabulary.labels[label], [item.label for item in frontier[i : j + 1]])
        key = self.key(state)[0], i, j, head
        if key not in self._features:
            self._features[key] = features(self.terminals, frontier, i, j, head, self.known, language)
        names = self._features[key]
        fired = (value for literals, value in self.rules[label] if all((n in names) == there for n, there in literals))
        h = sum(fired) / FIXED_POINT
        return math.log1p(math.exp(-h)) if h > 0 else math.log1p(math.exp(h)) - h

    def expansions(self, partial: Partial) -> list[Partial]:
        """Every partial parse that is one inference further, in the order of children and labels."""
        state, language, labels = partial.state, self.vocabulary.language, self.vocabulary.labels
        frontier = state.frontier
        ways = []
        for i in range(len(frontier)):
            for j in range(i, len(frontier)):
                for number, label in enumerate(labels):
                    if allowed(self.strategy, state.last, frontier, i, j, label, self.max_children, language):
                        item = new_item(language, label, frontier[i : j + 1])
                        after = State([*frontier[:i], item, *frontier[j + 1 :]], i)
                        steps = (*partial.steps, self.cost(state, i, j, number))
                        ways.append(Partial(after, steps, (*partial.ahead, self.ahead(len(frontier), i, j))))
        return ways

    def ahead(self, size: int, i: int, j: int) -> int:
        """How many items the strategy has yet to come to after an inference over i..j of a frontier of this size."""
        return {"r2l": i, "l2r": size - 1 - j, "bu": size - 1 - (j - i)}[self.strategy]

    def tree(self, partial: Partial) -> Tree:
        return parse_tree(bracketed(partial.state.frontier[0], self.tokens))

    def best_trees(self, cost: Cost = total) -> list[tuple[Any, Tree]]:
        """Every tree with the cost of its best derivation, the best first. Every item more is one layer further."""
        layer = {self.key(self.start.state): self.start}
        trees = []
        while layer:
            following: dict[tuple[str, int], Partial] = {}
            for partial in layer.values():
                for after in self.expansions(partial):
                    key = self.key(after.state)
                    if key not in following or cost(after.steps) < cost(following[key].steps):
                        following[key] = after
            trees += [(cost(p.steps), self.tree(p)) for p in following.values() if p.is_final]
            layer = {key: p for key, p in following.items() if not p.is_final}
        return sorted(trees, key=lambda pair: pair[0])

    def search(self, method: Method, k: int = 1, cost: Cost = total) -> tuple[list[Any], int]:
        """A search over objects: the costs of the k best, and the inferences scored."""
        agenda: list[tuple[int, Partial]] = []
        solutions: dict[str, Partial] = {}
        popped: dict[tuple[str, int], Any] = {}
        born = scored = 0
        following: Partial | None = self.start

        def ranking() -> list[Partial]:
            return sorted(solutions.values(), key=lambda partial: cost(partial.steps))

        def may_win(partial: Partial) -> bool:
            return len(solutions) < k or cost(partial.steps) < cost(ranking()[k - 1].steps)

        def turn(waiting: tuple[int, Partial]) -> Any:
            number, partial = waiting
            least = cost(partial.steps)
            if method is Method.promising and cost is total and solutions:
                return least - profile(ranking()[0], partial.ahead[-1]), least, number
            return least, number

        while following or agenda:
            if following is None:
                agenda.sort(key=turn)
            at = following or agenda.pop(0)[1]
            following = None
            if not may_win(at):
                continue
            key = self.key(at.state)
            if key in popped and popped[key] <= cost(at.steps):
                continue
            popped[key] = cost(at.steps)
            ways = self.expansions(at)
            scored += len(ways)
            for way in ways:
                if way.is_final and may_win(way):
                    name = str(self.tree(way))
                    if name not in solutions or cost(way.steps) < cost(solutions[name].steps):
                        solutions[name] = way
            if method is not Method.best_first and ways:
                best = min(ways, key=lambda way: cost(way.steps))  # of equals the first
                ways.remove(best)
                following = best if not best.is_final and may_win(best) else None
            for way in ways:
                born += 1
                if not way.is_final and may_win(way):
                    agenda.append((born, way))
        return [cost(partial.steps) for partial in ranking()[:k]], scored


def profile(tree: Partial, ahead: int) -> float:
    """What a derivation had cost at the last step that left so many items ahead, or more."""
    reached = [step for step, left in enumerate(tree.ahead) if left >= ahead]
    return total(tree.steps[: reached[-1] + 1]) if reached else 0.0
