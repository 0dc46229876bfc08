"""States, inferences and features the plain way: objects, lists and names, from sections 6 and 7 of the design."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from gpuparse.trees import Language, Tree, head_child

PROPERTIES = ("label", "headword", "headtag", "headtagclass")


@dataclass(eq=False)
class Item:
    """A labelled span; a terminal has a word and no children, and is its own head."""

    label: str
    start: int
    end: int
    word: str | None = None
    children: list[Item] = field(default_factory=list)
    head_child: Item | None = None

    @property
    def head(self) -> Item:
        return self if self.head_child is None else self.head_child.head

    def chain(self) -> list[str]:
        """The labels of the unary chain that ends in this item."""
        return [self.label, *(self.children[0].chain() if len(self.children) == 1 else [])]


def terminal_items(tokens: Sequence[tuple[str, str]]) -> list[Item]:
    return [Item(tag, at, at + 1, word) for at, (word, tag) in enumerate(tokens)]


def new_item(language: Language, label: str, children: Sequence[Item]) -> Item:
    head = children[head_child(language, label, [child.label for child in children])]
    return Item(label, children[0].start, children[-1].end, None, list(children), head)


def gold_items(tree: Tree, language: Language) -> tuple[list[Item], list[Item]]:
    """The terminals and the non-terminals of a tree, the latter in pre-order."""
    terminals = terminal_items(tree.tokens())
    waiting = list(terminals)
    others: list[Item] = []

    def build(node: int) -> Item:
        if tree.words[node] is not None:
            return waiting.pop(0)
        place = len(others)
        item = new_item(language, tree.labels[node], [build(child) for child in tree.children(node)])
        others.insert(place, item)
        return item

    build(0)
    return terminals, others


# Features.


class Known(NamedTuple):
    """The values of each property seen in training."""

    label: set[str]
    headword: set[str]
    headtag: set[str]
    headtagclass: set[str]


def known_values(trees: Sequence[Tree], language: Language) -> Known:
    tokens = [token for tree in trees for token in tree.tokens()]
    return Known(
        label={label for tree in trees for label in tree.labels[1:]},
        headword={token.word.lower() for token in tokens},
        headtag={token.tag for token in tokens},
        headtagclass={language.tag_class(token.tag) for token in tokens},
    )


def counted_groups(frontier: list[Item], i: int, j: int, h: int) -> dict[str, list[Item]]:
    """The eleven groups whose length counts."""
    children = frontier[i : j + 1]
    before_head, after_head = frontier[i:h], frontier[h + 1 : j + 1]
    return {
        "all": frontier,
        "children": children,
        "left": frontier[:i],
        "right": frontier[j + 1 :],
        "nonfirst": children[1:],
        "nonhead": before_head + after_head,
        "nonlast": children[:-1],
        "tohead": [*before_head, frontier[h]],
        "beforehead": before_head,
        "fromhead": [frontier[h], *after_head],
        "afterhead": after_head,
    }


def other_groups(terminals: list[Item], frontier: list[Item], i: int, j: int, h: int) -> dict[str, list[Item]]:
    """The sixty-nine groups that are short."""
    groups: dict[str, list[Item]] = {}
    children, left, right = frontier[i : j + 1], frontier[:i], frontier[j + 1 :]
    before_head, after_head = frontier[i:h], frontier[h + 1 : j + 1]
    for n in (1, 2, 3, 4):
        groups[f"first{n}"] = children[:n]
        groups[f"last{n}"] = children[-n:]
        groups[f"left{n}"] = left[-n:]
        groups[f"right{n}"] = right[:n]
        groups[f"headleft{n}"] = before_head[-n:]
        groups[f"headright{n}"] = after_head[:n]
    of_item = {"l": i, "h": h, "r": j}
    of_word = {"l": frontier[i].start, "h": frontier[h].head.start, "r": frontier[j].end - 1}
    for kind, row, anchors in (("item", frontier, of_item), ("word", terminals, of_word)):
        for anchor, place in anchors.items():
            for n in (1, 2, 3):
                groups[f"{kind}.{anchor}-{n}"] = [row[place - n]] if place - n >= 0 else []
                groups[f"{kind}.{anchor}+{n}"] = [row[place + n]] if place + n < len(row) else []
    for a, parent in (("l", frontier[i]), ("h", frontier[h]), ("r", frontier[j])):
        groups[f"child.{a}.l"] = parent.children[:1]
        groups[f"child.{a}.h"] = [parent.head_child] if parent.head_child else []
        groups[f"child.{a}.r"] = parent.children[-1:]
    return groups


def features(
    terminals: list[Item], frontier: list[Item], i: int, j: int, h: int, known: Known, language: Language
) -> set[str]:
    """The names of the features of an inference."""
    counted = counted_groups(frontier, i, j, h)
    for name, group in list(counted.items()):
        counted[f"words({name})"] = [word for item in group for word in terminals[item.start : item.end]]
    names = set()
    for name, group in (counted | other_groups(terminals, frontier, i, j, h)).items():
        for item in group:
            head = item.head
            assert head.word is not None
            values = (item.label, head.word.lower(), head.label, language.tag_class(head.label))
            for prop, value, seen in zip(PROPERTIES, values, known, strict=True):
                if value in seen:
                    names.add(f"{name}.{prop}={value}")
    for name, group in counted.items():
        names |= {f"len({name})={n}" for n in range(16) if len(group) == n}
        names |= {f"len({name})>{n}" for n in range(16) if len(group) > n}
    return names


# States and inferences.


def allowed(
    strategy: str, last: int, frontier: list[Item], i: int, j: int, label: str, max_children: int, language: Language
) -> bool:
    """Whether the state allows an item with this label over `frontier[i..j]`; `last` is -1 at the initial state."""
    if j - i + 1 > max_children:
        return False
    if frontier[i].label in language.raised or frontier[j].label in language.raised:
        return False
    if last >= 0 and strategy == "r2l" and i > last:
        return False
    if last >= 0 and strategy == "l2r" and j < last:
        return False
    if label == "TOP":
        return len(frontier) == 1
    return i != j or label not in frontier[i].chain()


class Example(NamedTuple):
    state: int
    label: str
    start: int
    end: int
    children: tuple[int, int]
    head: int
    correct: bool
    bias: float


class State(NamedTuple):
    frontier: list[Item]
    last: int


class Walk:
    """The gold path of a tree, and the examples of its states. `order` is the path to take where there is a choice."""

    def __init__(
        self, tree: Tree, language: Language, strategy: str, order: Sequence[tuple[str, int, int]] | None = None
    ) -> None:
        self.language = language
        self.strategy = strategy
        self.terminals, self.gold = gold_items(tree, language)
        self._reachable: dict[tuple[tuple[int, ...], int], bool] = {}
        self.states: list[State] = []
        state = State(self.terminals, -1)
        while state.frontier[0] is not self.gold[0]:
            self.states.append(state)
            ways = self.correct_items(state)
            if order is None:
                assert len(ways) == 1, "a strategy with one path has one way on"
                item = ways[0]
            else:
                place = order[len(self.states) - 1]
                (item,) = (item for item in ways if (item.label, item.start, item.end) == place)
            state = self.after(state, item)

    def place(self, state: State, item: Item) -> int | None:
        """Where the children of a gold item stand in the frontier, if all are there."""
        if item.children[0] not in state.frontier:
            return None
        i = state.frontier.index(item.children[0])
        return i if state.frontier[i : i + len(item.children)] == item.children else None

    def after(self, state: State, item: Item) -> State:
        i = self.place(state, item)
        assert i is not None
        return State([*state.frontier[:i], item, *state.frontier[i + len(item.children) :]], i)

    def next_items(self, state: State) -> list[Item]:
        """The gold items that could come next in the strategy's order, however many children they have."""
        items = []
        for item in self.gold:
            i = self.place(state, item)
            if i is None:
                continue
            j = i + len(item.children) - 1
            in_order = {"r2l": i <= state.last, "l2r": j >= state.last, "bu": True}[self.strategy]
            if state.last < 0 or in_order:
                items.append(item)
        return items

    def reaches_gold(self, state: State) -> bool:
        """Whether the gold tree can still be completed."""
        key = tuple(id(item) for item in state.frontier), state.last
        if key not in self._reachable:
            self._reachable[key] = state.frontier[0] is self.gold[0] or any(
                self.reaches_gold(self.after(state, item)) for item in self.next_items(state)
            )
        return self._reachable[key]

    def correct_items(self, state: State) -> list[Item]:
        return [item for item in self.next_items(state) if self.reaches_gold(self.after(state, item))]

    def examples(self, labels: Sequence[str], max_children: int) -> list[Example]:
        return [
            example
            for number, state in enumerate(self.states)
            for example in self._state_examples(number, state, labels, max_children)
        ]

    def _state_examples(self, number: int, state: State, labels: Sequence[str], max_children: int) -> list[Example]:
        frontier, last = state
        examples = []
        correct_items = self.correct_items(state)
        for i in range(len(frontier)):
            for j in range(i, len(frontier)):
                for label in labels:
                    if not allowed(self.strategy, last, frontier, i, j, label, max_children, self.language):
                        continue
                    children = frontier[i : j + 1]
                    head = i + head_child(self.language, label, [child.label for child in children])
                    correct = any(item.label == label and item.children == children for item in correct_items)
                    span = frontier[i].start, frontier[j].end
                    examples.append(Example(number, label, *span, (i, j), head, correct, 0.0))
        right = sum(example.correct for example in examples)
        return [e._replace(bias=0.5 / (right if e.correct else len(examples) - right)) for e in examples]
