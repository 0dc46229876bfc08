"""The tagger: against an oracle that tries every sequence, what it learns, and how it is stored."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuparse.errors import ModelError, TrainingError
from gpuparse.tag import Knowledge, TaggedSource, Tagger, TaggerOptions, jackknife, train_tagger
from gpuparse.tag.lattice import LONGEST, make_lattice, score
from gpuparse.tag.sums import first_pair_row, sum_backward, sum_forward, to_probabilities
from gpuparse.tag.tagger import number_words
from gpuparse.tag.templates import rows_of_one_word
from gpuparse.trees import TagRules, Token, read_trees, strip, synthetic_treebank
from tests.tag import oracle

SMALL = [
    [Token("The", "D"), Token("old", "J"), Token("man", "N"), Token("boats", "V"), Token(".", ".")],
    [Token("The", "D"), Token("man", "N"), Token("saw", "V"), Token("old", "J"), Token("boats", "N"), Token(".", ".")],
    [Token("Man", "V"), Token("the", "D"), Token("boats", "N"), Token("!", ".")],
    [Token("I", "P"), Token("saw", "V"), Token("the", "D"), Token("saw", "N"), Token("F-16", "N")],
]
RULES = TagRules(runs={".": "?!"}, predicates=("V",))
WORDS = ["The", "the", "man", "saw", "boats", "old", "I", ".", "Unknown", "1,5", "ß", "?!", "Saw", "boat"]


@pytest.fixture(scope="module")
def small() -> Tagger:
    return train_tagger(SMALL, TaggerOptions(known=1, frequent=2, least=1, smallest=0.0), Knowledge(rules=RULES))


@pytest.fixture(scope="module")
def synthetic() -> list[list[Token]]:
    return [strip(tree).tokens() for tree in synthetic_treebank(500, seed=3)]


@pytest.fixture(scope="module")
def tagger(synthetic: list[list[Token]]) -> Tagger:
    return train_tagger(synthetic[:400])


def words_of(sentences: list[list[Token]]) -> list[list[str]]:
    return [[token.word for token in sentence] for sentence in sentences]


def accuracy(gold: list[list[Token]], tagged: list[list[Token]]) -> float:
    pairs = [pair for sentences in zip(gold, tagged, strict=True) for pair in zip(*sentences, strict=True)]
    return sum(guess == right for right, guess in pairs) / len(pairs)


@settings(max_examples=40, deadline=None)
@given(words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4), seed=st.integers(0, 1000))
def test_the_best_tags_are_those_found_by_trying_all(small: Tagger, words: list[str], seed: int) -> None:
    random = np.random.default_rng(seed)
    weights = random.integers(-2, 3, len(small.row_weights)).astype(np.int16)  # small numbers: many ties
    tagger = replace(small, row_weights=weights)
    assert [token.tag for token in tagger.tag(words)] == oracle.best_tags(tagger, words)


@settings(max_examples=40, deadline=None)
@given(
    words=st.lists(st.sampled_from(WORDS), max_size=4),
    most=st.sampled_from([1, 2, 3, 10, 300]),
    seed=st.integers(0, 1000),
)
def test_the_best_sequences_are_those_found_by_trying_all(
    small: Tagger, words: list[str], most: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    tagger = replace(small, row_weights=random.integers(-2, 3, len(small.row_weights)).astype(np.int16))
    assert tagger.rank(words, most) == oracle.best_sequences(tagger, words)[:most]


def test_the_first_sequence_has_the_tags_of_tagging(synthetic: list[list[Token]], tagger: Tagger) -> None:
    for words in words_of(synthetic[400:430]):
        ranked = tagger.rank(words, 5)
        assert list(ranked[0].tags) == [token.tag for token in tagger.tag(words)]
        assert ranked[0].cost == 0.0
        assert len({sequence.tags for sequence in ranked}) == len(ranked)


@settings(max_examples=20, deadline=None)
@given(words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4), seed=st.integers(0, 1000))
def test_probabilities_of_neighbours_are_sums_over_all_sequences(small: Tagger, words: list[str], seed: int) -> None:
    matrix = np.random.default_rng(seed).normal(size=(len(small.keys) + 1, len(small.lexicon.tags))).astype(np.float32)
    matrix[-1] = 0.0
    table, first = small._table, first_pair_row(small._table)
    factors = np.exp(matrix[first:].astype(np.float64))
    numbered = number_words(small.lexicon, [words])
    lattice = make_lattice(len(words), len(small.lexicon.tags), table.patterns, np.float64)
    with np.errstate(over="ignore"):  # of hashes
        one_word_rows = rows_of_one_word(numbered.attributes, table.patterns, table.keys, table.slots)
        positions = score(numbered, one_word_rows, 0, table, matrix, lattice)
    forward, backward = np.zeros_like(lattice.pair), np.zeros_like(lattice.pair)
    sum_forward(positions, table, factors, lattice, forward, 1.0)
    sum_backward(positions, table, factors, lattice, backward)
    probability = to_probabilities(positions, lattice, forward, backward)

    weights = {key: dict(enumerate(matrix[row].tolist())) for row, key in enumerate(small.keys.tolist())}
    expected = oracle.probabilities(small, weights, words)
    edge = len(small.lexicon.tags)
    for position in range(len(words)):
        at = position + 2
        for middle, last in enumerate(lattice.tags[at - 1, : lattice.width[at - 1]]):
            for candidate, tag in enumerate(lattice.tags[at, : lattice.width[at]]):
                share = sum(
                    value
                    for tags, value in expected.items()
                    if tags[position] == tag and (tags[position - 1] if position else edge) == last
                )
                assert probability[at, middle, candidate] == pytest.approx(share, abs=1e-6)


def test_the_synthetic_treebank_is_learned(synthetic: list[list[Token]], tagger: Tagger) -> None:
    tagged = list(tagger.tag_many(words_of(synthetic[400:])))
    assert accuracy(synthetic[400:], tagged) > 0.95


def test_another_script_is_learned_as_well() -> None:
    sentences = [
        [Token("собака", "N"), Token("лает", "V"), Token("。", "Z")],
        [Token("犬", "N"), Token("的", "P")],
    ] * 10
    tagger = train_tagger(sentences)
    assert list(tagger.tag_many(words_of(sentences[:2]))) == sentences[:2]


def test_frequent_words_only_have_tags_that_were_seen_or_are_promised(
    synthetic: list[list[Token]], tagger: Tagger
) -> None:
    assert tagger.lexicon.frequent
    frequent = set(tagger.lexicon.words[: tagger.lexicon.frequent])
    allowed = {
        word: {tagger.lexicon.tags[tag] for tag in oracle.candidates(tagger, word)}
        for word in {token.word for sentence in synthetic for token in sentence} & frequent
    }
    shuffled = [sentence[::-1] for sentence in words_of(synthetic)]
    for sentence in tagger.tag_many(shuffled):
        assert all(token.tag in allowed[token.word] for token in sentence if token.word in frequent)


def test_the_same_seed_gives_the_same_tagger_and_another_seed_another(synthetic: list[list[Token]]) -> None:
    first, second = (train_tagger(synthetic[:100]) for _ in range(2))
    other = train_tagger(synthetic[:100], TaggerOptions(seed=1))
    assert all(np.array_equal(first.arrays()[name], second.arrays()[name]) for name in first.arrays())
    assert not np.array_equal(first.row_weights, other.row_weights)


def test_tags_do_not_depend_on_the_batch(synthetic: list[list[Token]], tagger: Tagger) -> None:
    words = words_of(synthetic[400:440])
    alone = [tagger.tag(sentence) for sentence in words]
    assert list(tagger.tag_many(words)) == list(tagger.tag_many(words, batch=7)) == alone


def test_no_words_get_no_tags(tagger: Tagger) -> None:
    assert tagger.tag([]) == []
    assert list(tagger.tag_many([])) == []


def test_a_very_long_sentence_is_tagged_whole(tagger: Tagger, synthetic: list[list[Token]]) -> None:
    words = [word for sentence in words_of(synthetic) for word in sentence][: 2 * LONGEST + 7]
    assert [token.word for token in tagger.tag(words)] == words


def test_a_stored_tagger_is_the_same(synthetic: list[list[Token]], tagger: Tagger) -> None:
    arrays = {name: np.frombuffer(array.tobytes(), array.dtype) for name, array in tagger.arrays().items()}
    loaded = Tagger.from_parts(arrays, json.loads(json.dumps(tagger.settings())))
    words = words_of(synthetic[400:])
    assert list(loaded.tag_many(words)) == list(tagger.tag_many(words))
    assert loaded.style == tagger.style


def test_retagging_uses_taggers_that_have_not_seen_the_sentence() -> None:
    sentences = [[Token("a", "X"), Token("b", "Y")]] * 12 + [[Token("a", "WRONG"), Token("b", "WRONG")]] * 2
    retagged = jackknife(sentences, folds=7)
    assert [[token.tag for token in sentence] for sentence in retagged] == [["X", "Y"]] * 14


@pytest.mark.parametrize("folds", [1, 3])
def test_more_parts_than_sentences_are_refused(folds: int) -> None:
    with pytest.raises(TrainingError, match="cross-validation"):
        jackknife([[Token("a", "X")]] * 2, folds=folds)


@pytest.mark.parametrize("sentences", [[], [[]]])
def test_nothing_to_learn_from_is_an_error(sentences: list[list[Token]]) -> None:
    with pytest.raises(TrainingError, match="no tagged word"):
        train_tagger(sentences)


def changed(name: str, change: Callable[[Any], Any]) -> Callable[[dict, dict], None]:
    def damage(arrays: dict[str, Any], strings: dict[str, Any]) -> None:
        place = arrays if name in arrays else strings
        place[name] = change(place[name])

    return damage


def with_value(index: int, value: int) -> Callable[[np.ndarray], np.ndarray]:
    def change(array: np.ndarray) -> np.ndarray:
        array = array.copy()
        array[index] = value
        return array

    return change


DAMAGE = {
    "a key with no template": changed("keys", with_value(-1, 2**62)),
    "a negative key": changed("keys", with_value(0, -5)),
    "a key with a value too great": changed("keys", with_value(0, 2**23 << 24)),
    "a key with a second value": changed("keys", lambda keys: keys + 1),
    "keys out of order": changed("keys", lambda keys: keys[::-1]),
    "rows that end too early": changed("row_starts", with_value(-1, 3)),
    "rows that go back": changed("row_starts", with_value(1, 2**30)),
    "a row too many": changed("row_starts", lambda starts: np.append(starts, starts[-1])),
    "a tag that is not there": changed("row_tags", with_value(0, 999)),
    "a negative tag": changed("row_tags", with_value(0, -1)),
    "a weight too few": changed("row_weights", lambda weights: weights[:-1]),
    "weights of another type": changed("row_weights", lambda weights: weights.astype(np.float32)),
    "weights in two dimensions": changed("row_weights", lambda weights: weights[None]),
    "a dictionary with an unknown tag": changed("dictionary_tags", with_value(-1, 999)),
    "an empty dictionary": changed("dictionary_starts", lambda starts: starts[:1] * 0),
    "a word without tags": changed("dictionary_starts", with_value(1, 0)),
    "words lost": changed("words", lambda words: words[:1]),
    "a word twice": changed("words", lambda words: [*words[:-1], words[0]]),
    "a word that is a number": changed("words", lambda words: [*words[:-1], 5]),
    "no tags": changed("tags", lambda tags: []),
    "fewer tags": changed("tags", lambda tags: tags[:2]),
    "no shapes": changed("shapes", lambda shapes: []),
    "suffixes that are text": changed("suffixes", lambda suffixes: "abc"),
    "other features": changed("templates", lambda templates: templates[::-1]),
    "no style": changed("style", lambda style: None),
    "another version": changed("version", lambda version: 3),
    "forms that are text": changed("forms", lambda forms: "abc"),
    "a form of three parts": changed("forms", lambda forms: [["", "N", "s"]]),
    "a form with a tag that is not there": changed("forms", lambda forms: [["", "N", "s", "no tag"]]),
    "promises that are numbers": changed("promises", lambda promises: [1]),
    "sure words that are less than none": changed("sure", lambda sure: -1),
    "rules that are a list": changed("rules", lambda rules: []),
    "a rule with a tag that is not there": changed("rules", lambda rules: rules | {"runs": {"no tag": "?!"}}),
    "a rule without characters": changed("rules", lambda rules: rules | {"runs": {"N": 5}}),
    "a predicate that is a number": changed("rules", lambda rules: rules | {"predicates": [1]}),
    "classes that are a list": changed("classes", lambda classes: [1]),
    "a class too great": changed("classes", lambda classes: {"granularities": [2], "words": ["a"], "numbers": [[3]]}),
    "a word without a class": changed(
        "classes", lambda classes: {"granularities": [2], "words": ["a"], "numbers": [[]]}
    ),
    "a style in words": changed("style", lambda style: dict.fromkeys(style, "yes")),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_parts_are_refused(tagger: Tagger, name: str) -> None:
    arrays, strings = tagger.arrays(), tagger.settings()
    DAMAGE[name](arrays, strings)
    with pytest.raises(ModelError, match="tagger"):
        Tagger.from_parts(arrays, strings)


@pytest.mark.parametrize("name", ["keys", "row_starts", "dictionary_tags", "words", "tags", "style", "templates"])
def test_missing_parts_are_refused(tagger: Tagger, name: str) -> None:
    arrays, strings = tagger.arrays(), tagger.settings()
    (arrays if name in arrays else strings).pop(name)
    with pytest.raises(ModelError, match="tagger"):
        Tagger.from_parts(arrays, strings)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_changed_number_is_refused_or_does_no_harm(small: Tagger, data: st.DataObject) -> None:
    arrays = small.arrays()
    name = data.draw(st.sampled_from(sorted(arrays)))
    index = data.draw(st.integers(0, len(arrays[name]) - 1))
    limits = np.iinfo(arrays[name].dtype)
    arrays[name] = with_value(index, data.draw(st.integers(int(limits.min), int(limits.max))))(arrays[name])
    try:
        tagger = Tagger.from_parts(arrays, small.settings())
    except ModelError:
        return
    assert [token.word for token in tagger.tag(WORDS)] == WORDS


@pytest.mark.gum
def test_gum_is_tagged_at_95_per_cent_after_one_round(gum: Path) -> None:
    train, dev = ([strip(tree).tokens() for tree in read_trees(gum / part)] for part in ("train", "dev"))
    tagger = train_tagger(train, TaggerOptions(epochs=1))  # bench tag measures the whole training
    assert accuracy(dev, list(tagger.tag_many(words_of(dev)))) > 0.95
    assert sum(array.nbytes for array in tagger.arrays().values()) < 5_000_000


def test_odds_are_sums_over_all_sequences_and_tags_those_of_tagging(small: Tagger) -> None:
    weights = {
        key: {tag: weight / 1024 for tag, weight in row.items()} for key, row in oracle.stored_weights(small).items()
    }
    for words in (["The", "old", "man"], ["Saw", "the", "boat", "?!"], ["Unknown"]):
        tokens, odds = small.judge(words)
        assert tokens == small.tag(words)
        expected = oracle.probabilities(small, weights, words)
        for place, (token, judged) in enumerate(zip(tokens, odds, strict=True)):
            shares = dict.fromkeys(oracle.candidates(small, words[place]), 0.0)
            for tags, share in expected.items():
                shares[tags[place]] += share
            own = small.lexicon.tags.index(token.tag)
            assert judged.odds == pytest.approx(shares.pop(own), abs=1e-4)
            assert judged.runner_up_odds == pytest.approx(max(shares.values(), default=0.0), abs=1e-4)
            assert (judged.runner_up is None) == (not shares)


def test_a_word_in_capitals_may_have_the_tags_of_the_word_in_small_letters() -> None:
    sentences = [[Token("We", "PRP"), Token("book", "VB"), Token("Book", "NNP")]] * 9
    lexicon = train_tagger(sentences).lexicon
    assert [lexicon.tags[tag] for tag in lexicon.candidates("Book")] == ["NNP", "VB"]
    assert [lexicon.tags[tag] for tag in lexicon.candidates("book")] == ["VB"]


def test_a_rule_gives_a_run_of_marks_its_tag_and_holds_only_where_the_treebank_has_the_tag() -> None:
    sentences = [[Token("Go", "VB"), Token("!", "."), Token("**", "NN")]] * 9
    rules = TagRules(runs={".": "?!", "SYM": "*"}, tokens={"VB": ("?!?",)})
    tagger = train_tagger(sentences, knowledge=Knowledge(rules=rules))
    assert [token.tag for token in tagger.tag(["Go", "!?!", "?!?", "**"])] == ["VB", ".", "VB", "NN"]


def test_a_slip_is_not_learned() -> None:
    sentences = [[Token("the", "DT"), Token("man", "NN")]] * 2000 + [[Token("the", "VB"), Token("man", "NN")]]
    lexicon = train_tagger(sentences).lexicon
    assert [lexicon.tags[tag] for tag in lexicon.candidates("the")] == ["DT"]


def test_other_tagged_text_is_learned_from_as_its_weight_says() -> None:
    own = [[Token("It", "PRP"), Token("saws", "VBZ")]] * 20
    other = [[Token("It", "PRP"), Token("saws", "NNS")], [Token("So", "RB"), Token("what", "WP")]] * 20

    def tags(weight: float) -> list[str]:
        tagger = train_tagger(own, knowledge=Knowledge([TaggedSource(other, weight)]))
        return [token.tag for words in (["It", "saws"], ["So", "what"]) for token in tagger.tag(words)]

    assert tags(0.1) == ["PRP", "VBZ", "RB", "WP"]
    assert tags(10.0) == ["PRP", "NNS", "RB", "WP"]


class TwoClasses:
    """Words with a digit are in class 1, others in class 2."""

    granularities = (2,)
    words = ("a1b", "qz", "qzz")

    def of(self, word: str) -> tuple[int, ...]:
        return (1 if any(character.isdigit() for character in word) else 2,)


def test_word_classes_are_features() -> None:
    sentences = [[Token(f"a{number}b", "X"), Token(f"q{'z' * number}", "Y")] for number in range(1, 9)]
    tagger = train_tagger(sentences, TaggerOptions(least=1), Knowledge(classes=TwoClasses()))
    assert "cluster2-1 cluster2+0" in tagger.templates
    assert tagger.lexicon.attributes("a1b")[-1] == 1
    stored = Tagger.from_parts(tagger.arrays(), json.loads(json.dumps(tagger.settings())))
    assert [stored.lexicon.attributes(word)[-1] for word in ("a1b", "qz", "other")] == [1, 2, -1]


def test_an_older_tagger_has_the_features_and_candidates_that_it_had(tagger: Tagger) -> None:
    arrays, strings = tagger.arrays(), tagger.settings()
    for name in ("version", "forms", "promises", "sure", "rules", "classes"):
        strings.pop(name)
    strings["templates"] = ["word+0", "lower-1 lower+0", "lower+0 tag-1", "tag-1", "tag-1 tag-2"]
    arrays |= {
        "keys": np.array([1, (1 << 48) | (2 << 24) | 3], np.int64) + (1 << 24),
        "row_starts": np.array([0, 1, 2], np.int32),
        "row_tags": np.zeros(2, np.int16),
        "row_weights": np.full(2, 1024, np.int16),
    }
    arrays["keys"][0] = 1 << 24
    older = Tagger.from_parts(arrays, strings)
    assert older.keys.tolist() == [1 << 36, (1 << 54) | (3 << 36) | (3 << 18)]
    unknown = older.lexicon.dictionary_tags[older.lexicon.dictionary_starts[-2] :].tolist()
    assert list(older.lexicon.candidates("Unknown")) == unknown
    again = Tagger.from_parts(older.arrays(), json.loads(json.dumps(older.settings())))
    assert again.keys.tolist() == older.keys.tolist()
    assert again.lexicon.candidates("Unknown") == older.lexicon.candidates("Unknown")


def test_a_template_that_nobody_knows_is_refused(tagger: Tagger) -> None:
    settings = tagger.settings()
    for bad in ("colour+0", "word+3", "word", "word+0 word-1 word+1 word+2"):
        with pytest.raises(ModelError, match="features"):
            Tagger.from_parts(tagger.arrays(), settings | {"templates": [bad, *settings["templates"]]})


def test_words_of_any_length_are_looked_at_in_linear_time() -> None:
    tagger = train_tagger([[Token("Dogs", "NNS"), Token("bark", "VBP")]] * 9)
    n = 400_000  # its square would meet the time limit of all tests
    words = ["1" * n + "x", "a.com" * (n // 5), "-" * n, "a" * n, "", "1.,:" * (n // 4) + "!"]
    assert [token.word for token in tagger.judge(words).tokens] == words
    assert tagger.judge([]) == ([], ())


def test_a_stranger_is_what_a_word_that_was_never_seen_would_be(small: Tagger) -> None:
    lexicon = small.lexicon
    asked, strange = number_words(lexicon, [["boats", "the"]]), number_words(lexicon, [["boats", "the"]], True)
    assert len(strange.attributes) == 2 * len(asked.attributes) - 1
    assert strange.attributes[:2].tolist() == asked.attributes[:2].tolist()
    never_seen = lexicon.attributes("qoats")  # the same letters at its end, the same shape
    alike = {"word", "lower", "suffix1", "suffix2", "suffix3", "suffix4", "shape", "class", "kind"}
    for name, known, stranger, other in zip(
        lexicon.attribute_names, asked.attributes[0], strange.attributes[2], never_seen, strict=False
    ):
        assert stranger == (other if name in alike else known) or name in {"forms", "folded"}
    assert set(lexicon.candidates("qoats")) <= set(lexicon.candidates_of_stranger("boats"))
    assert lexicon.candidates_of_stranger(".") == lexicon.candidates(".")


def test_learning_with_strangers_tells_a_word_by_its_neighbours() -> None:
    sentences = [[Token("the", "D"), Token(f"x{word}", "N")] for word in "abcdef"] * 20
    sentences += [[Token("they", "P"), Token(f"x{word}", "V")] for word in "abcdef"] * 20
    sentences += [[Token("y", "N")], [Token("z", "V")]]  # a word that was never seen can be either
    options = TaggerOptions(made_up=0, retyped=0.0)
    taggers = [train_tagger(sentences, replace(options, strange=share)) for share in (0.0, 0.5)]
    odds = [tagger.judge(["they", "qq"]).odds[1] for tagger in taggers]
    assert [tagger.tag(["they", "qq"])[1].tag for tagger in taggers] == ["V", "V"]
    assert odds[1].odds > odds[0].odds


def test_small_letters_and_capitals_are_learned_with_every_sentence() -> None:
    sentences = [[Token("Ann", "NNP"), Token("saw", "VBD"), Token("Rome", "NNP"), Token(".", ".")]] * 200
    tagger = train_tagger(sentences)
    for typed in ("ann saw rome", "ANN SAW ROME ."):
        assert [token.tag for token in tagger.tag(typed.split())][:3] == ["NNP", "VBD", "NNP"]
