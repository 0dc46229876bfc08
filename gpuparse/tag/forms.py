"""Which tags a word's other forms promise it: *booked* shows that *book* can be a verb, and *steals* that *steal* can.

Nothing is known of any language. In tagged text, pairs of words that differ in their endings alone are counted by their
endings and tags ("" as VB beside "ed" as VBD); endings that a word with the other ending mostly has the form for are a
rule. A rule promises a word a tag where the other form occurred with its tag.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

LONGEST_ENDING = 4
SHORTEST_STEM = 3
FEWEST_PAIRS = 15  # of words, behind a rule
LEAST_SHARE = 0.5  # of the pairs with these endings and the one tag, how many have the other tag

Rule = tuple[str, str, str, str]  # ending and tag of the form that occurred, ending and tag that it promises


@dataclass(frozen=True)
class Forms:
    """Rules, and how to apply them.

    >>> forms = Forms((("ed", "VBD", "", "VB"),))
    >>> forms.promised("book", {"booked": ("VBD", "VBN")}), forms.promised("booked", {"book": ("VB",)})
    (('VB',), ())
    """

    rules: tuple[Rule, ...]

    @classmethod
    def learn(cls, tags: Mapping[str, Iterable[str]]) -> Forms:
        """From the tags that words occurred with."""
        tags_of = {word: frozenset(held) for word, held in tags.items()}
        pairs: Counter[tuple[str, str]] = Counter()  # endings of two words that both occurred
        promises: Counter[Rule] = Counter()
        givers: Counter[tuple[str, str, str]] = Counter()  # of pairs of endings, by the tag of the first
        for first, first_tags, second, second_tags in _neighbours(tags_of):
            pairs[first, second] += 1
            for tag in first_tags:
                givers[first, tag, second] += 1
                for other in second_tags:
                    promises[first, tag, second, other] += 1
        rules = [
            rule
            for rule, count in promises.items()
            if count >= FEWEST_PAIRS and count >= LEAST_SHARE * givers[rule[:3]]
        ]
        return cls(tuple(sorted(rules)))

    def promised(self, word: str, tags: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
        """The tags that the other forms of a word promise it, in order; `tags`: those that words occurred with."""
        promised: set[str] = set()
        for length in range(min(LONGEST_ENDING, len(word) - SHORTEST_STEM) + 1):
            cut = len(word) - length
            for other, rules in self._by_ending.get(word[cut:], ()):
                held = tags.get(word[:cut] + other)
                if held:
                    promised.update(tag for needed, tag in rules if needed in held)
        return tuple(sorted(promised))

    @cached_property
    def _by_ending(self) -> dict[str, tuple[tuple[str, tuple[tuple[str, str], ...]], ...]]:
        """For each ending of a word the other endings, with the tag that one must have and the tag that it promises."""
        table: dict[str, dict[str, list[tuple[str, str]]]] = defaultdict(lambda: defaultdict(list))
        for other, needed, ending, tag in self.rules:
            table[ending][other].append((needed, tag))
        return {
            ending: tuple((other, tuple(rules)) for other, rules in others.items()) for ending, others in table.items()
        }


def _neighbours(
    tags_of: Mapping[str, frozenset[str]],
) -> Iterable[tuple[str, frozenset[str], str, frozenset[str]]]:
    """All pairs of words that part after a common stem: endings with their tags, in both orders."""
    stems: dict[str, list[tuple[str, frozenset[str]]]] = defaultdict(list)
    for word, held in tags_of.items():
        if word.isalpha() and word.islower():
            for length in range(min(LONGEST_ENDING, len(word) - SHORTEST_STEM) + 1):
                cut = len(word) - length
                stems[word[:cut]].append((word[cut:], held))
    for forms in stems.values():
        for first, first_tags in forms:
            for second, second_tags in forms:
                if first[:1] != second[:1]:
                    yield first, first_tags, second, second_tags
