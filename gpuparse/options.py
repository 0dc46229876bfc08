"""The options of training and parsing, with their defaults: the command line, Python and stored models take them here.

Free of NumPy and Numba, so that `gpuparse --help` is quick. The learner's own are in gpuparse/boost/options.py and the
tagger's in gpuparse/tag/options.py.
"""

from __future__ import annotations

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


class InputKind(StrEnum):
    """What the input is."""

    AUTO = "auto"  # trees if it begins as one does, tagged if every word of its first line has a tag, else text
    TEXT = "text"  # running text
    LINES = "lines"  # running text, one sentence per line
    TOKENS = "tokens"  # one sentence per line, tokens between blanks
    TAGGED = "tagged"  # one sentence per line, word/TAG or word_TAG between blanks
    TREES = "trees"  # a treebank, of which only the words and tags are taken


@dataclass(frozen=True)
class SearchOptions:
    """How to search."""

    method: Method = Method.promising  # finds a good tree at once, and with it a bound; then better ones soon
    max_min: bool = False  # maximise the least confidence instead of minimising the sum of costs
    limit: int = 100_000  # partial parses scored per sentence
    k: int = 1  # how many trees
    width: int = 100  # of the agenda, under beam search
    max_popped: int = 1_000  # states taken off the agenda, under beam search
    batch: int | None = None  # sentences in parallel; None: as many as the device likes, a CPU few, a GPU many
    max_words: int | None = 150  # a longer sentence is parsed in pieces; punctuation is no word; None: no bound
    timeout: float | None = None  # seconds per sentence: the one option that lets the machine's speed decide a result

    def __post_init__(self) -> None:
        """Refuse what can't be meant."""
        if self.timeout is not None and not self.timeout > 0:
            raise UsageError(f"search options: timeout is more than 0 seconds, not {self.timeout}")
        if self.max_words is not None and self.max_words < 0:
            raise UsageError(f"search options: max_words is at least 0, not {self.max_words}")
        for name in ("limit", "k", "width", "max_popped", "batch"):
            if getattr(self, name) is not None and getattr(self, name) < 1:
                raise UsageError(f"search options: {name} is at least 1, not {getattr(self, name)}")


CALIBRATION_SEARCH = SearchOptions(limit=20_000)  # it compares lambdas, and proves nothing


@dataclass(frozen=True)
class TrainingOptions:
    """What training is told, besides the treebank."""

    strategy: Strategy = Strategy.r2l
    max_words: int | None = None  # longer sentences are left out, of training and of tuning
    max_children: int = 5  # an item with more children can't be inferred; more of them cost time
    tune_fraction: float = 0.04  # of the treebank, kept from training to choose lambda, when no tuning set is given
    seed: int = 0
    jobs: int = 1  # labels learned in parallel
    tagger: bool = True  # learn a POS tagger too, so that the model can parse text
    retag: bool = False  # learn to parse on tags as the tagger gives them, with its errors; needs the tagger
    learn: Options = field(default_factory=Options)
    search: SearchOptions = CALIBRATION_SEARCH

    def as_json(self) -> dict[str, Any]:
        """By names, for the model's file."""
        return asdict(self)
