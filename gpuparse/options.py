"""The options of training and parsing, with their defaults: the command line, Python and stored models take them here.

Free of NumPy and Numba, so that `gpuparse --help` is quick. The learner's own are in gpuparse/boost/options.py and the
tagger's in gpuparse/tag/options.py.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from gpuparse.boost.options import Options
from gpuparse.errors import UsageError


class Choice(StrEnum):
    """Names that a user can give. Compiled code knows each by its number, in their order.

    >>> int(Strategy.l2r), Strategy("l2r") is Strategy.l2r
    (1, True)
    """

    def __int__(self) -> int:
        return [*type(self)].index(self)


class Strategy(Choice):
    """The order in which the items of a tree may be inferred."""

    r2l = "r2l"  # never wholly to the right of the last item
    l2r = "l2r"  # never wholly to the left of it
    bu = "bu"  # any order


class Method(Choice):
    """The order in which partial parses are looked at."""

    promising = "promising"  # as greedy, but then what on the agenda costs least beyond the best tree at that place
    greedy = "greedy"  # follow the cheapest expansion to the end, then the cheapest on the agenda in the same way
    best_first = "best-first"  # always the cheapest on the agenda
    beam = "beam"  # the same, with at most `width` on the agenda and `max_popped` taken off it


class Effort(Choice):
    """How long to look for a better tree."""

    fast = "fast"
    normal = "normal"
    thorough = "thorough"


TAG_SEQUENCES = 5  # of a sentence that are parsed by default, where the tagger is not sure
LIMITS = {  # of partial parses: for any sentence, and per squared token of a long one
    Effort.fast: (30_000, 100),
    Effort.normal: (100_000, 200),
    Effort.thorough: (1_000_000, 1_000),
}


class InputKind(StrEnum):
    """What the input is."""

    AUTO = "auto"  # trees if it begins as one does, tagged if every word of its first line has a tag, else text
    TEXT = "text"  # running text
    LINES = "lines"  # running text, one sentence per line
    TOKENS = "tokens"  # one sentence per line, tokens between blanks
    TAGGED = "tagged"  # one sentence per line, word/TAG or word_TAG between blanks
    TREES = "trees"  # a treebank, of which only the words and tags are taken


MOST_CHILDREN = 60  # of an item that can be inferred, as far as a user can ask


@dataclass(frozen=True)
class SearchOptions:
    """How to search."""

    method: Method = Method.promising  # finds a good tree at once, and with it a bound; then better ones soon
    max_min: bool = False  # maximise the least confidence instead of minimising the sum of costs
    limit: int | None = None  # partial parses scored per sentence; None: as the effort has it
    k: int = 1  # how many trees
    width: int = 100  # of the agenda, under beam search
    max_popped: int = 1_000  # states taken off the agenda, under beam search
    batch: int | None = None  # sentences in parallel; None: as many as the device likes, a CPU few, a GPU many
    max_words: int | None = 150  # a longer sentence is parsed in pieces; punctuation is no word; None: no bound
    timeout: float | None = None  # seconds per sentence: the one option that lets the machine's speed decide a result
    gap: float | None = None  # of several trees, none costs so much more than the best; None: no bound
    effort: Effort = Effort.normal  # decides the limit, by the length of the sentence

    def __post_init__(self) -> None:
        """Refuse what can't be meant."""
        if self.timeout is not None and not self.timeout > 0:
            raise UsageError(f"search options: timeout is more than 0 seconds, not {self.timeout}")
        if self.max_words is not None and self.max_words < 0:
            raise UsageError(f"search options: max_words is at least 0, not {self.max_words}")
        if self.gap is not None and not self.gap >= 0:
            raise UsageError(f"search options: gap is at least 0, not {self.gap}")
        for name in ("limit", "k", "width", "max_popped", "batch"):
            if getattr(self, name) is not None and getattr(self, name) < 1:
                raise UsageError(f"search options: {name} is at least 1, not {getattr(self, name)}")

    def limit_for(self, n_tokens: int) -> int:
        """The most partial parses that are scored for a sentence of so many tokens.

        A first tree takes some 70 per squared token, so a limit that grows like that is one of descents.

        >>> SearchOptions().limit_for(10), SearchOptions().limit_for(100), SearchOptions(limit=7).limit_for(100)
        (100000, 2000000, 7)
        """
        if self.limit is not None:
            return self.limit
        least, per_square = LIMITS[self.effort]
        return max(least, per_square * n_tokens**2)

    @property
    def cost_gap(self) -> float:
        """The gap, where there is one: for the best tree alone, and under max-min, whose costs don't add up, none."""
        return math.inf if self.gap is None or self.k == 1 or self.max_min else self.gap


CALIBRATION_SEARCH = SearchOptions(limit=20_000)  # it compares lambdas, and proves nothing


@dataclass(frozen=True)
class Amount:
    """How much an explanation says about each constituent."""

    rules: int = 10  # the heaviest are listed, the others are added up
    facts: int = 8
    rivals: int = 3


SHORT_AMOUNT = Amount(rules=3, facts=5)  # for the terminal


@dataclass(frozen=True)
class TrainingOptions:
    """How to train."""

    strategy: Strategy = Strategy.r2l
    max_words: int | None = None  # longer sentences are left out, of training and of tuning
    max_children: int = 5  # an item with more children can't be inferred; more of them cost time
    tune_fraction: float = 0.04  # of the treebank, kept from training to choose lambda, when no tuning set is given
    seed: int = 0
    jobs: int = 1  # labels learned in parallel
    memory: int | None = None  # bytes that training may take; None: most of what is free
    keep_all: bool = False  # learn from every incorrect inference, however large the treebank
    thinned_from: int = 1_000_000  # rows of the feature matrix; fewer are all kept in any case
    tagger: bool = True  # learn a POS tagger too, so that the model can parse text
    retag: bool = False  # learn to parse on tags as the tagger gives them, with its errors; needs the tagger
    learn: Options = field(default_factory=Options)
    search: SearchOptions = CALIBRATION_SEARCH

    def as_json(self) -> dict[str, Any]:
        """By names, for the model's file; but for the jobs, which change nothing."""
        return {name: value for name, value in asdict(self).items() if name != "jobs"}
