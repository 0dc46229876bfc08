"""The tagger: words in, words with their POS tags out; how it is learned, stored and loaded.

Weights are whole numbers (1/1024ths), so that a sentence's tags are the same on every machine and in every batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from gpuparse.errors import ModelError, TrainingError
from gpuparse.tag.forms import Forms
from gpuparse.tag.lattice import LONGEST, make_lattice, tag_sentences
from gpuparse.tag.lexicon import CLUSTER, EDGE, MOST_WORDS, Classes, Lexicon, StoredClasses
from gpuparse.tag.made_up import make_up
from gpuparse.tag.n_best import rank_tags
from gpuparse.tag.options import TaggerOptions
from gpuparse.tag.pruning import MOST, SCALE, forget_words, prune
from gpuparse.tag.retyped import retype
from gpuparse.tag.sums import ScaledModel, Verdicts, first_pair_row, judge_sentences
from gpuparse.tag.templates import (
    CLASS_TEMPLATES,
    HISTORY,
    MOST_TEMPLATES,
    MOST_VALUES,
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
    widened,
)
from gpuparse.text.tokens import TokenStyle
from gpuparse.trees import TagOdds, TagRules, Token

TAGGER_VERSION = 2  # of the settings; the first had none
MOST_RULES = 100_000  # for the forms of words; English has some hundreds
MOST_PROBES = 256  # to find a key; among a million random keys the most is about 70
ARRAYS = {
    "keys": np.int64,
    "row_starts": np.int32,
    "row_tags": np.int16,
    "row_weights": np.int16,
    "dictionary_starts": np.int32,
    "dictionary_tags": np.int16,
}
STRINGS = ("tags", "words", "prefixes", "suffixes", "shapes")


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
            "rules": _plain_rules(self.lexicon.rules),
            "classes": None if classes is None else _plain_classes(classes),
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
        style, strings = _checked_style(settings.get("style")), _checked_strings(settings)
        checked = {name: _checked_array(arrays, name) for name in ARRAYS}
        starts, tags = checked.pop("dictionary_starts"), checked.pop("dictionary_tags")
        _check_starts(starts, len(tags), "tag dictionary")
        _check(2 <= len(starts) <= len(strings["words"]) + 2, "its tag dictionary does not fit its words")
        _check(bool((starts[1:] > starts[:-1]).all()), "a word in its tag dictionary has no tag")
        _check_tags(tags, starts, len(strings["tags"]))
        newer: dict[str, Any] = _checked_newer(settings, strings["tags"], classes) if "version" in settings else {}
        if "version" not in settings:
            checked["keys"] = _checked_widened(checked["keys"])
        fields: dict[str, Any] = {**strings, **newer}
        lexicon = Lexicon(**fields, dictionary_starts=starts, dictionary_tags=tags)
        tagger = cls(lexicon, style, _checked_templates(settings.get("templates"), lexicon), **checked)
        tagger._check_rows()
        return tagger

    def _check_rows(self) -> None:
        _check_starts(self.row_starts, len(self.row_tags), "weights")
        _check(len(self.row_starts) == len(self.keys) + 1, "its features and weights do not fit")
        _check(len(self.row_weights) == len(self.row_tags), "its weights and their tags do not fit")
        _check_tags(self.row_tags, self.row_starts, len(self.lexicon.tags))
        _check(bool((self.keys[1:] > self.keys[:-1]).all()), "its features are not in order")
        limits = key_limits(self._patterns, self.lexicon.sizes(), len(self.lexicon.tags))
        template, mask = self.keys >> (PARTS * VALUE_BITS), (1 << VALUE_BITS) - 1
        _check(bool(((template >= 0) & (template < len(limits))).all()), "a feature has no template")
        for part in range(PARTS):
            value = (self.keys >> ((PARTS - 1 - part) * VALUE_BITS)) & mask
            _check(bool((value < limits[template, part]).all()), "a feature has a value that is not there")
        _check(longest_probe(self.keys) <= MOST_PROBES, "its features collide in the table that finds them")


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


def _check(holds: bool, problem: str) -> None:
    if not holds:
        raise ModelError(f"The model's tagger is damaged: {problem}. Train or fetch the model again.")


def _checked_style(style: Any) -> TokenStyle:
    choices = asdict(TokenStyle())
    _check(isinstance(style, dict) and style.keys() == choices.keys(), "its token style is not complete")
    _check(all(isinstance(value, bool) for value in style.values()), "its token style is not a choice of yes and no")
    return TokenStyle(**style)


def _checked_strings(settings: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    lists: dict[str, Any] = {name: settings.get(name) for name in STRINGS}
    for name, strings in lists.items():
        whole = isinstance(strings, list) and all(isinstance(string, str) for string in strings)
        _check(whole and len(set(strings)) == len(strings) <= MOST_WORDS, f"its {name} are no list of names")
    _check(0 < len(lists["tags"]) <= MOST, "it has no tags, or too many")
    return {name: tuple(strings) for name, strings in lists.items()}


def _checked_newer(settings: Mapping[str, Any], tags: Sequence[str], classes: Classes | None) -> dict[str, Any]:
    """What a tagger of the first version had not."""
    _check(settings.get("version") == TAGGER_VERSION, "it is of another version")
    forms, promises, sure = (settings.get(name) for name in ("forms", "promises", "sure"))
    if forms is None and "forms" in settings:  # one of the first version that was stored again
        return {}
    _check(
        isinstance(forms, list)
        and len(forms) <= MOST_RULES
        and all(isinstance(rule, list) and len(rule) == 4 and _are_strings(rule) for rule in forms),
        "its rules for the forms of words are no such rules",
    )
    tag_set = {*tags}
    whole = isinstance(promises, list) and _are_strings(promises) and len({*promises}) == len(promises) <= MOST_WORDS
    _check(whole, "its promises are no list of names")
    assert isinstance(forms, list)
    assert isinstance(promises, list)
    _check(all(rule[3] in tag_set for rule in forms), "a form has a tag that is not there")
    _check(isinstance(sure, int) and not isinstance(sure, bool) and sure >= 0, "its number of sure words is none")
    return {
        "forms": Forms(tuple(tuple(rule) for rule in forms)),
        "promises": tuple(promises),
        "sure": sure,
        "rules": _checked_rules(settings.get("rules"), tag_set),
        "classes": classes or _checked_classes(settings.get("classes")),
    }


def _plain_rules(rules: TagRules) -> dict[str, Any]:
    """The rules as JSON has them."""
    tables = {
        name: {tag: list(strings) for tag, strings in getattr(rules, name).items()}
        for name in ("tokens", "commands", "statements")
    }
    return {"runs": dict(rules.runs), "predicates": list(rules.predicates), **tables}


def _plain_classes(classes: Classes) -> dict[str, Any]:
    words = sorted(classes.words)
    return {
        "granularities": list(classes.granularities),
        "words": words,
        "numbers": [list(numbers) for numbers in zip(*map(classes.of, words), strict=True)],  # per granularity
    }


def _checked_classes(classes: Any) -> StoredClasses | None:
    if classes is None:
        return None
    problem = "its word classes are not complete"
    _check(isinstance(classes, dict) and classes.keys() == {"granularities", "words", "numbers"}, problem)
    granularities, words, numbers = (classes[name] for name in ("granularities", "words", "numbers"))
    _check(all(isinstance(part, list) for part in (granularities, words, numbers)), problem)
    _check(_are_whole(granularities, MOST_VALUES - 1) and len({*granularities}) == len(granularities) <= 8, problem)
    _check(_are_strings(words) and len({*words}) == len(words), problem)
    _check(len(numbers) == len(granularities) and all(isinstance(column, list) for column in numbers), problem)
    for column, most in zip(numbers, granularities, strict=True):
        _check(len(column) == len(words) and _are_whole(column, most), problem)
    return StoredClasses(tuple(granularities), dict(zip(words, zip(*numbers, strict=True), strict=True)))


def _are_whole(numbers: Iterable[Any], most: int) -> bool:
    return all(type(number) is int and 0 <= number <= most for number in numbers)


def _are_strings(strings: Iterable[Any]) -> bool:
    return all(isinstance(string, str) for string in strings)


def _checked_rules(rules: Any, tags: set[str]) -> TagRules:
    names = {"runs", "tokens", "predicates", "commands", "statements"}
    problem = "its rules for tags are not complete"
    _check(isinstance(rules, dict) and rules.keys() == names, problem)
    runs, predicates = rules["runs"], rules["predicates"]
    tables = [rules[name] for name in ("tokens", "commands", "statements")]
    _check(all(isinstance(table, dict) for table in (runs, *tables)), problem)
    _check(_are_strings(runs.values()) and isinstance(predicates, list | tuple) and _are_strings(predicates), problem)
    lists = [strings for table in tables for strings in table.values()]
    _check(all(isinstance(each, list | tuple) and _are_strings(each) for each in lists), problem)
    _check({*runs, *tables[0], *predicates} <= tags, "a rule has a tag that is not there")
    tokens, commands, statements = ({tag: tuple(strings) for tag, strings in table.items()} for table in tables)
    return TagRules(dict(runs), tokens, tuple(predicates), commands, statements)


def _checked_widened(keys: np.ndarray) -> np.ndarray:
    """Keys of the first version, which had wider values, as they are packed now."""
    first, second, template = (keys >> 24) & 0xFFFFFF, keys & 0xFFFFFF, keys >> 48
    fits = (keys >= 0) & (template < MOST_TEMPLATES) & (first < MOST_VALUES) & (second < MOST_VALUES)
    _check(bool(fits.all()), "a feature has a value that is not there")
    return widened(keys)


def _checked_templates(templates: Any, lexicon: Lexicon) -> tuple[str, ...]:
    are_names = isinstance(templates, list) and _are_strings(templates) and len(templates) <= MOST_TEMPLATES
    _check(are_names, "its features are not named")
    try:
        parse_templates(templates, lexicon.attribute_names)
    except ValueError as error:
        raise ModelError(
            f"The model's tagger is damaged: its features are those of another version ({error}). Train or fetch the "
            "model again."
        ) from error
    return tuple(templates)


def _checked_array(arrays: Mapping[str, np.ndarray], name: str) -> np.ndarray:
    array = arrays.get(name)
    _check(
        array is not None and array.dtype == ARRAYS[name] and array.ndim == 1, f"{name} is missing or of a wrong type"
    )
    return np.array(array)  # a copy: others may change or unmap theirs


def _check_starts(starts: np.ndarray, end: int, what: str) -> None:
    rising = len(starts) > 0 and starts[0] == 0 and starts[-1] == end and bool((starts[1:] >= starts[:-1]).all())
    _check(rising, f"the list of its {what} is not in order")


def _check_tags(tags: np.ndarray, starts: np.ndarray, tag_count: int) -> None:
    """Check that the tags exist, and that each list of them is ascending."""
    _check(bool(((tags >= 0) & (tags < tag_count)).all()), "it names a tag that is not there")
    rises = tags[1:] > tags[:-1]
    inner = starts[(starts > 0) & (starts < len(tags))]
    rises[inner - 1] = True
    _check(bool(rises.all()), "its tags are not in order")
