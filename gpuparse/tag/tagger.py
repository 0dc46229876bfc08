"""The tagger: words in, words with their POS tags out; how it is learned.

Weights are whole numbers (1/1024ths), so that a sentence's tags are the same on every machine and in every batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from gpuparse.errors import TrainingError
from gpuparse.tag.lattice import LONGEST, make_lattice, tag_sentences
from gpuparse.tag.lexicon import CLUSTER, EDGE, Classes, Lexicon
from gpuparse.tag.made_up import make_up
from gpuparse.tag.n_best import rank_tags
from gpuparse.tag.options import TaggerOptions
from gpuparse.tag.pruning import MOST, SCALE, forget_words, prune
from gpuparse.tag.retyped import retype
from gpuparse.tag.stored import (
    ARRAYS,
    STRINGS,
    TAGGER_VERSION,
    check,
    check_starts,
    check_tags,
    checked_array,
    checked_newer,
    checked_strings,
    checked_style,
    checked_templates,
    checked_widened,
    plain_classes,
    plain_rules,
)
from gpuparse.tag.sums import ScaledModel, Verdicts, first_pair_row, judge_sentences
from gpuparse.tag.templates import (
    CLASS_TEMPLATES,
    HISTORY,
    ONE_WORD,
    PARTS,
    SEVERAL_WORDS,
    VALUE_BITS,
    WITH_LAST_TAG,
    Patterns,
    Table,
    Words,
    collect_keys,
    key_limits,
    longest_probe,
    make_table,
    parse_templates,
)
from gpuparse.text.tokens import TokenStyle
from gpuparse.trees import TagOdds, TagRules, Token

MOST_PROBES = 256  # to find a key; among a million random keys the most is about 70


class Judged(NamedTuple):
    """A tagged sentence: its tokens, and how sure each tag is."""

    tokens: list[Token]
    odds: tuple[TagOdds, ...]


class TagSequence(NamedTuple):
    """Tags that a sentence may have."""

    tags: tuple[str, ...]
    cost: float  # the logarithm of how many times as probable the best sequence is


@dataclass(frozen=True)
class Tagger:
    """A POS tagger.

    >>> tagger = train_tagger([[Token("Dogs", "NNS"), Token("bark", "VBP")], [Token("Ann", "NNP")]] * 9)
    >>> tagger.tag(["Dogs", "bark"])
    [Token(word='Dogs', tag='NNS'), Token(word='bark', tag='VBP')]
    """

    lexicon: Lexicon
    style: TokenStyle  # how the treebank cuts text into tokens
    templates: tuple[str, ...]  # the names of its features
    keys: np.ndarray  # int64[rows], ascending: the features that have weights
    row_starts: np.ndarray  # int32[rows + 1]: where the weights of each begin
    row_tags: np.ndarray  # int16[weights]
    row_weights: np.ndarray  # int16[weights], in 1/SCALE

    def tag(self, words: Sequence[str]) -> list[Token]:
        """The words of one sentence with their tags."""
        return next(self.tag_many([words]))

    def tag_many(self, sentences: Iterable[Sequence[str]], batch: int = 1000) -> Iterator[list[Token]]:
        """The sentences with their tags, in order. Sentences do not influence each other.

        >>> tagger = train_tagger([[Token("Dogs", "NNS"), Token("bark", "VBP")]] * 9)
        >>> [[token.tag for token in tokens] for tokens in tagger.tag_many([["Dogs"], [], ["Dogs", "bark"]])]
        [['NNS'], [], ['NNS', 'VBP']]
        """
        pending: list[Sequence[str]] = []
        for sentence in sentences:
            pending.append(sentence)
            if len(pending) == batch:
                yield from self._tag_batch(pending)
                pending = []
        yield from self._tag_batch(pending)

    def _tag_batch(self, sentences: Sequence[Sequence[str]]) -> Iterator[list[Token]]:
        words = number_words(self.lexicon, sentences)
        widest = int(np.diff(words.candidate_starts).max(initial=0))
        lattice = make_lattice(int(np.diff(words.starts).max(initial=0)), widest, self._patterns, np.int64)
        tags = np.empty(len(words.numbers), np.int16)
        tag_sentences(words, self._table, self._weights, lattice, tags)
        names = map(self.lexicon.tags.__getitem__, tags.tolist())
        for sentence in sentences:  # zip takes the word first, so that no tag is lost at the end of a sentence
            yield [Token(word, name) for word, name in zip(sentence, names, strict=False)]

    def rank(self, words: Sequence[str], most: int) -> list[TagSequence]:
        """The most probable sequences of tags of one sentence of at most LONGEST words, the best first.

        >>> tagger = train_tagger([[Token("Dogs", "NNS"), Token("bark", "VBP")], [Token("bark", "NN")]] * 9)
        >>> [sequence.tags for sequence in tagger.rank(["Dogs", "bark"], 5)]
        [('NNS', 'VBP'), ('NNS', 'NN')]
        """
        if len(words) > LONGEST:
            raise ValueError(f"a sentence of {len(words)} words has too many sequences of tags")
        numbered = number_words(self.lexicon, [words])
        widest = int(np.diff(numbered.candidate_starts).max(initial=1))
        lattice = make_lattice(len(words), widest, self._patterns, np.int64)
        tags, scores = np.empty((most, len(words)), np.int16), np.empty(most, np.int64)
        count = rank_tags(numbered, self._table, self._weights, lattice, tags, scores) if len(words) else 0
        costs = ((scores[0] - scores[:count]) / SCALE).tolist()
        return [
            TagSequence(tuple(map(self.lexicon.tags.__getitem__, row)), cost)
            for row, cost in zip(tags[:count].tolist(), costs, strict=True)
        ]

    def judge(self, words: Sequence[str], given: Sequence[str] | None = None) -> Judged:
        """The words of one sentence with their tags, by default the best, how sure each is, and its rival.

        >>> tagger = train_tagger([[Token("Dogs", "NNS"), Token("bark", "VBP")], [Token("bark", "NN")]] * 9)
        >>> judged = tagger.judge(["Dogs", "bark"])
        >>> [token.tag for token in judged.tokens], [odds.runner_up for odds in judged.odds]
        (['NNS', 'VBP'], [None, 'NN'])
        """
        numbered = number_words(self.lexicon, [words])
        widest = int(np.diff(numbered.candidate_starts).max(initial=0))
        lattice = make_lattice(int(np.diff(numbered.starts).max(initial=0)), widest, self._patterns, np.float64)
        tags, rivals = np.empty(len(words), np.int16), np.empty(len(words), np.int16)
        odds, rival_odds = np.empty(len(words)), np.empty(len(words))
        if given is not None:
            tags[:] = list(map(self.lexicon.tags.index, given))
        model = ScaledModel(self._table, self._weights, self._factors, 1.0 / SCALE)
        judge_sentences(numbered, model, lattice, Verdicts(tags, odds, rivals, rival_odds), given is not None)
        names = (*self.lexicon.tags, None)  # -1: no rival
        return Judged(
            [Token(word, self.lexicon.tags[tag]) for word, tag in zip(words, tags.tolist(), strict=True)],
            tuple(
                TagOdds(_rounded(share), names[rival], _rounded(rival_share))
                for share, rival, rival_share in zip(odds, rivals.tolist(), rival_odds, strict=True)
            ),
        )

    @cached_property
    def _patterns(self) -> Patterns:
        return parse_templates(self.templates, self.lexicon.attribute_names)

    @cached_property
    def _table(self) -> Table:
        return make_table(self.keys, self._patterns, len(self.lexicon.tags))

    @cached_property
    def _factors(self) -> np.ndarray:
        """exp(weight) of the features of the last two tags, which come last: float64[rows, tags]."""
        return np.asarray(np.exp(self._weights[first_pair_row(self._table) :] / SCALE))

    @cached_property
    def _weights(self) -> np.ndarray:
        """The weights as a full matrix: int16[rows + 1, tags]."""
        weights = np.zeros((len(self.keys) + 1, len(self.lexicon.tags)), np.int16)
        weights[np.repeat(np.arange(len(self.keys)), np.diff(self.row_starts)), self.row_tags] = self.row_weights
        return weights

    def arrays(self) -> dict[str, np.ndarray]:
        """What is stored as arrays."""
        held = {"dictionary_starts": self.lexicon.dictionary_starts, "dictionary_tags": self.lexicon.dictionary_tags}
        return held | {name: getattr(self, name) for name in ARRAYS if name not in held}

    def settings(self) -> dict[str, Any]:
        """What is stored as JSON."""
        strings = {name: list(getattr(self.lexicon, name)) for name in STRINGS}
        forms, classes = self.lexicon.forms, self.lexicon.classes
        return {
            "version": TAGGER_VERSION,
            "templates": list(self.templates),
            "style": asdict(self.style),
            **strings,
            "forms": None if forms is None else [list(rule) for rule in forms.rules],
            "promises": list(self.lexicon.promises),
            "sure": self.lexicon.sure,
            "rules": plain_rules(self.lexicon.rules),
            "classes": None if classes is None else plain_classes(classes),
        }

    @classmethod
    def from_parts(
        cls, arrays: Mapping[str, np.ndarray], settings: Mapping[str, Any], classes: Classes | None = None
    ) -> Tagger:
        """The tagger that was stored, with every index checked; `classes`: where they were not stored with it.

        >>> tagger = train_tagger([[Token("Dogs", "NNS"), Token("bark", "VBP")]] * 9)
        >>> Tagger.from_parts(tagger.arrays(), tagger.settings()).tag(["bark"])
        [Token(word='bark', tag='VBP')]
        """
        style, strings = checked_style(settings.get("style")), checked_strings(settings)
        checked = {name: checked_array(arrays, name) for name in ARRAYS}
        starts, tags = checked.pop("dictionary_starts"), checked.pop("dictionary_tags")
        check_starts(starts, len(tags), "tag dictionary")
        check(2 <= len(starts) <= len(strings["words"]) + 2, "its tag dictionary does not fit its words")
        check(bool((starts[1:] > starts[:-1]).all()), "a word in its tag dictionary has no tag")
        check_tags(tags, starts, len(strings["tags"]))
        newer: dict[str, Any] = checked_newer(settings, strings["tags"], classes) if "version" in settings else {}
        if "version" not in settings:
            checked["keys"] = checked_widened(checked["keys"])
        fields: dict[str, Any] = {**strings, **newer}
        lexicon = Lexicon(**fields, dictionary_starts=starts, dictionary_tags=tags)
        tagger = cls(lexicon, style, checked_templates(settings.get("templates"), lexicon), **checked)
        tagger._check_rows()
        return tagger

    def _check_rows(self) -> None:
        check_starts(self.row_starts, len(self.row_tags), "weights")
        check(len(self.row_starts) == len(self.keys) + 1, "its features and weights do not fit")
        check(len(self.row_weights) == len(self.row_tags), "its weights and their tags do not fit")
        check_tags(self.row_tags, self.row_starts, len(self.lexicon.tags))
        check(bool((self.keys[1:] > self.keys[:-1]).all()), "its features are not in order")
        limits = key_limits(self._patterns, self.lexicon.sizes(), len(self.lexicon.tags))
        template, mask = self.keys >> (PARTS * VALUE_BITS), (1 << VALUE_BITS) - 1
        check(bool(((template >= 0) & (template < len(limits))).all()), "a feature has no template")
        for part in range(PARTS):
            value = (self.keys >> ((PARTS - 1 - part) * VALUE_BITS)) & mask
            check(bool((value < limits[template, part]).all()), "a feature has a value that is not there")
        check(longest_probe(self.keys) <= MOST_PROBES, "its features collide in the table that finds them")


class TaggedSource(NamedTuple):
    """Tagged sentences beyond the treebank, and what each counts, where one of the treebank counts 1."""

    sentences: Sequence[Sequence[Token]]
    weight: float = 1.0


class Knowledge(NamedTuple):
    """What a tagger learns from besides the treebank."""

    sources: Sequence[TaggedSource] = ()
    rules: TagRules = TagRules()
    classes: Classes | None = None


def train_tagger(
    sentences: Iterable[Sequence[Token]], options: TaggerOptions | None = None, knowledge: Knowledge | None = None
) -> Tagger:
    """Learn a tagger from tagged sentences.

    >>> train_tagger([[Token("Dogs", "NNS")]] * 9).lexicon.tags
    ('NNS',)
    """
    from gpuparse.tag.learning import Lessons, learn_weights  # which parsing does not need

    options, knowledge = options or TaggerOptions(), knowledge or Knowledge()
    examples = [list(sentence) for sentence in sentences if sentence]
    if not examples:
        raise TrainingError("There is no tagged word to learn tagging from.")
    style = TokenStyle.learned_from(examples)
    importance = [1.0] * len(examples)
    for source in knowledge.sources:
        examples += [list(sentence) for sentence in source.sentences if sentence]
        importance += [source.weight] * (len(examples) - len(importance))
    retyped = list(retype(examples, options.retyped, options.seed))
    made_up = make_up(examples, knowledge.rules, options.made_up, options.seed)
    examples += [*(made.tokens for made in retyped), *made_up]
    importance += [*(importance[made.origin] for made in retyped), *(1.0 for _ in made_up)]
    lexicon = Lexicon.learn(examples, options.known, options.frequent, knowledge.rules, knowledge.classes)
    if len(lexicon.tags) > MOST:
        raise TrainingError(f"The treebank has {len(lexicon.tags)} POS tags; the tagger can tell {MOST} apart.")
    templates = template_names(lexicon)
    patterns = parse_templates(templates, lexicon.attribute_names)
    words = number_words(lexicon, [[token.word for token in sentence] for sentence in examples], strangers=True)
    gold = _allowed_tags(words, lexicon, examples)
    table = make_table(
        collect_keys(words, gold, len(lexicon.tags), patterns, options.least_for(len(gold))),
        patterns,
        len(lexicon.tags),
    )
    pieces = np.repeat(np.array(importance, np.float32), [len(sentence) for sentence in examples])[words.starts[:-1]]
    learned = learn_weights(Lessons(words, gold, pieces), len(lexicon.tags), table, options)
    rows = prune(table.keys, learned.weights[:-1], learned.evidence[:-1], options.smallest_for(len(gold)))
    lexicon, keys = forget_words(lexicon, patterns, rows.keys)
    return Tagger(lexicon, style, templates, keys, *rows[1:])


def template_names(lexicon: Lexicon) -> tuple[str, ...]:
    """The names of all features that a tagger with this lexicon learns."""
    granularities = () if lexicon.classes is None else lexicon.classes.granularities
    one, several, tagged = (
        [name.format(f"{CLUSTER}{number}") for number in granularities for name in names] for names in CLASS_TEMPLATES
    )
    with_tag = [f"{name} tag-1" for name in (*WITH_LAST_TAG, *tagged)]
    return (*ONE_WORD, *one, *SEVERAL_WORDS, *several, *with_tag, *HISTORY)


def _allowed_tags(words: Words, lexicon: Lexicon, examples: Sequence[Sequence[Token]]) -> np.ndarray:
    """The tags of all words; where a word can't have its tag, which is a slip, the most frequent of those it can."""
    number = {tag: index for index, tag in enumerate(lexicon.tags)}
    gold = np.array([number[token.tag] for sentence in examples for token in sentence], np.int16)
    widths = np.diff(words.candidate_starts)
    counts = np.zeros((len(widths), len(lexicon.tags)), np.int32)
    np.add.at(counts, (words.numbers, gold), 1)
    allowed = np.zeros(counts.shape, bool)
    allowed[np.repeat(np.arange(len(widths)), widths), words.candidates] = True
    likely = np.where(allowed, counts, -1).argmax(axis=1)
    return np.where(allowed[words.numbers, gold], gold, likely[words.numbers]).astype(np.int16)


def jackknife(
    sentences: Sequence[Sequence[Token]],
    folds: int = 10,
    options: TaggerOptions | None = None,
    knowledge: Knowledge | None = None,
) -> list[list[Token]]:
    """The sentences with the tags of taggers that were not trained on them, by cross-validation in `folds` parts.

    >>> [tokens[0].tag for tokens in jackknife([[Token("Dogs", "NNS")]] * 18, folds=2)][:2]
    ['NNS', 'NNS']
    """
    if not 2 <= folds <= len(sentences):
        raise TrainingError(f"{len(sentences)} sentences can't be retagged by cross-validation in {folds} parts.")
    bounds = [len(sentences) * fold // folds for fold in range(folds + 1)]
    retagged: list[list[Token]] = []
    for start, end in pairwise(bounds):
        tagger = train_tagger([*sentences[:start], *sentences[end:]], options, knowledge)
        retagged += tagger.tag_many([token.word for token in sentence] for sentence in sentences[start:end])
    return retagged


def number_words(lexicon: Lexicon, sentences: Sequence[Sequence[str]], strangers: bool = False) -> Words:
    """Sentences as numbers; a sentence of more than LONGEST words comes in pieces.

    With `strangers` the distinct words come twice: after all of them, in the same order, as if they were unknown.

    >>> lexicon = Lexicon.learn([[Token("Dogs", "NNS"), Token("bark", "VBP")]], 1, 1)
    >>> number_words(lexicon, [["Dogs", "Dogs"], ["bark"]]).numbers.tolist()
    [0, 0, 1]
    """
    distinct: dict[str, int] = {}
    numbers = [distinct.setdefault(word, len(distinct)) for sentence in sentences for word in sentence]
    lengths = [
        min(LONGEST, len(sentence) - done) for sentence in sentences for done in range(0, len(sentence), LONGEST)
    ]
    attributes = [lexicon.attributes(word) for word in distinct]
    candidates = [lexicon.candidates(word) for word in distinct]
    if strangers:
        attributes += [lexicon.attributes_of_stranger(word) for word in distinct]
        candidates += [lexicon.candidates_of_stranger(word) for word in distinct]
    predicates = [lexicon.predicates(tags) for tags in candidates]
    edge = [EDGE] * len(lexicon.attribute_names)
    return Words(
        np.array([*attributes, edge], np.int32),
        np.cumsum([0, *map(len, candidates)]).astype(np.int32),
        np.array([tag for tags in candidates for tag in tags], np.int16),
        np.array(predicates, np.int8),
        np.array(numbers, np.int32),
        np.cumsum([0, *lengths]).astype(np.int64),
    )


def _rounded(odds: float) -> float:
    """A probability as it is reported: equal on every machine, and no NaN where weights are out of all proportion."""
    return round(float(odds), 4) if np.isfinite(odds) else 0.0
