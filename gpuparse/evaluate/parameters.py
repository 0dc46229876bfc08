"""The rules of scoring, as a language or one of EVALB's parameter files (.prm) gives them.

English's are what COLLINS.prm says, with no limit on errors: labelled brackets; TOP, traces and punctuation deleted;
ADVP and PRT equal.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from gpuparse.errors import ParametersError
from gpuparse.trees.language import Language, load_language

Pair = tuple[str, str]


@dataclass(frozen=True)
class ScoringRules:
    """What counts when two trees are compared."""

    name: str  # printed with the figures, which mean nothing without their rules
    deleted: frozenset[str] = frozenset()  # tags whose words are deleted, and labels whose brackets are
    deleted_for_length: frozenset[str] = frozenset()  # tags not counted in a sentence's length
    equal_labels: tuple[Pair, ...] = ()  # labels or tags that count as the same, in either direction
    equal_words: tuple[Pair, ...] = ()  # words that count as the same, in either direction
    by_tokens: bool = False  # True: gold tags decide which tokens are deleted, in the test tree, too; not in EVALB
    labeled: bool = True  # False: only the spans of brackets are compared
    cutoff: int = 40  # the second set of totals is over sentences of at most this length
    max_errors: int | None = None  # with more error sentences than this there are no figures; None: no limit
    cut: tuple[str, ...] = field(default_factory=lambda: load_language().scoring.cut)  # a label ends before the first
    roots: frozenset[str] = field(default_factory=lambda: load_language().roots)  # what counts as TOP
    traces: frozenset[str] = field(default_factory=lambda: load_language().traces)  # tags of what is no word

    def __str__(self) -> str:
        """The rules in one line.

        >>> print(COLLINS)
        COLLINS.prm's rules: labelled brackets; deleted: '' , -NONE- . : TOP ``; equal: ADVP PRT
        """
        parts = ["labelled brackets" if self.labeled else "unlabelled brackets"]
        if self.deleted:
            parts.append("deleted: " + " ".join(sorted(self.deleted)))
        parts += [f"equal: {first} {second}" for first, second in (*self.equal_labels, *self.equal_words)]
        if self.by_tokens:
            parts.append("scored by tokens, of which gold's tags decide what is deleted (EVALB does not)")
        return f"{self.name}: " + "; ".join(parts)


def rules_of(language: Language) -> ScoringRules:
    """The rules of a language's file.

    >>> rules_of(load_language()).deleted_for_length
    frozenset({'-NONE-'})
    """
    scoring = language.scoring
    return ScoringRules(
        name=scoring.name,
        deleted=scoring.deleted,
        deleted_for_length=scoring.deleted_for_length,
        equal_labels=scoring.equal_labels,
        cut=scoring.cut,
        roots=language.roots,
        traces=language.traces,
    )


COLLINS = rules_of(load_language())

# Keys of real parameter files that change nothing here: DEBUG is about EVALB's printing, and QUOTE_LABEL (of its later
# versions) repairs sentences that we, like the version of 2006, call errors.
IGNORED = ("DEBUG", "QUOTE_LABEL")
KEYS = (
    "DELETE_LABEL",
    "DELETE_LABEL_FOR_LENGTH",
    "EQ_LABEL",
    "EQ_WORD",
    "LABELED",
    "CUTOFF_LEN",
    "MAX_ERROR",
    *IGNORED,
)


def read_rules(path: str | Path, language: Language | None = None) -> ScoringRules:
    """The rules of a parameter file. How a language writes labels and traces, such a file can't say.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".prm") as file:
    ...     _ = file.write("# my rules\\nLABELED 0\\nDELETE_LABEL TOP\\n")
    ...     file.flush()
    ...     rules = read_rules(file.name)
    >>> rules.labeled, rules.deleted
    (False, frozenset({'TOP'}))
    """
    language = language or load_language()
    rules = ScoringRules(str(path), cut=language.scoring.cut, roots=language.roots, traces=language.traces)
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ParametersError(str(path), 1, "the file is not UTF-8 text") from error
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or line.startswith("#"):
            continue
        try:
            rules = _with_parameter(rules, words[0], words[1:])
        except ValueError as error:
            raise ParametersError(str(path), number, str(error)) from error
    return rules


def _with_parameter(rules: ScoringRules, key: str, values: list[str]) -> ScoringRules:
    """The rules after one more line, or a ValueError that says what is wrong with it."""
    match key:
        case "DELETE_LABEL":
            return replace(rules, deleted=rules.deleted | {_one(key, values)})
        case "DELETE_LABEL_FOR_LENGTH":
            return replace(rules, deleted_for_length=rules.deleted_for_length | {_one(key, values)})
        case "EQ_LABEL":
            return replace(rules, equal_labels=(*rules.equal_labels, _two(key, values)))
        case "EQ_WORD":
            return replace(rules, equal_words=(*rules.equal_words, _two(key, values)))
        case "LABELED":
            return replace(rules, labeled=_number(key, values) != 0)
        case "CUTOFF_LEN":
            return replace(rules, cutoff=_number(key, values))
        case "MAX_ERROR":
            return replace(rules, max_errors=_number(key, values))
        case _ if key in IGNORED:
            return rules
    raise ValueError(f"unknown key {key!r}; the known ones are {', '.join(KEYS)}")


def _one(key: str, values: list[str]) -> str:
    if len(values) != 1:
        raise ValueError(f"{key} takes one value, found {len(values)}")
    return values[0]


def _two(key: str, values: list[str]) -> Pair:
    if len(values) != 2:
        raise ValueError(f"{key} takes two values, found {len(values)}")
    return values[0], values[1]


def _number(key: str, values: list[str]) -> int:
    value = _one(key, values)
    if not value.isdecimal():
        raise ValueError(f"{key} takes a whole number, found {value!r}")
    return int(value)
