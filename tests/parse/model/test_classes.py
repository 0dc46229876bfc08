"""Models whose features ask for classes of words: what is learned, stored, parsed with and told."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import msgspec
import numpy as np
import pytest

from gpuparse.boost import Options, fit
from gpuparse.errors import ModelError
from gpuparse.kernels import cpu
from gpuparse.options import Strategy
from gpuparse.parse.explain.english import in_english
from gpuparse.parse.features.cache import cache_key
from gpuparse.parse.features.examples import Source, build_training_data
from gpuparse.parse.features.groups import GROUPS
from gpuparse.parse.features.inventory import inventory_of, inventory_with
from gpuparse.parse.features.space import LENGTHS, FeatureSpace
from gpuparse.parse.logic.vocabulary import Vocabulary, build_vocabulary
from gpuparse.parse.model.contents import Arrays, Header, pack
from gpuparse.parse.model.file import MODEL_FILE, load_model, save_model, to_bytes
from gpuparse.parse.model.model import Model
from gpuparse.parse.properties import CLASS_PLACES, PROPERTIES
from gpuparse.parse.search.parser import Parser
from gpuparse.tag import Knowledge, train_tagger
from gpuparse.trees import Token, load_language, parse_tree
from gpuparse.words import ClassOptions, WordClasses
from gpuparse.words.induction import induce_classes

PLAIN = inventory_with(())  # without the optional properties

ENGLISH = load_language()
# All words have one tag, and those to be parsed were never seen: only their classes tell an A from a B.
TREES = [
    parse_tree(f"(TOP (S ({a} (X {a.lower()}{n})) ({b} (X {b.lower()}{n + 1}))))")
    for n in range(0, 12, 2)
    for a, b in ("AB", "BA", "AA", "BB")
]
TEXT = [["the", f"a{n}", "of", f"b{m}"] for n in (*range(12), 99) for m in (*range(12), 99)]


@cache
def some_classes() -> WordClasses:
    return induce_classes(TEXT, ClassOptions(granularities=(4, 2))).classes


@cache
def small() -> Model:
    vocabulary = build_vocabulary(TREES, ENGLISH, some_classes())
    data = build_training_data(Source(TREES, vocabulary))
    tasks = {label: data.candidates.of_label(at) for at, label in enumerate(vocabulary.labels)}
    ensembles = fit(data.matrix, tasks, Options(max_trees=4, eta=0.5, min_lambda=0.1))
    tested = {int(feature) for ensemble in ensembles.values() for feature in ensemble.feature if feature >= 0}
    rank = {int(feature): column for column, feature in enumerate(data.matrix.numbers)}
    return Model(vocabulary, Strategy.r2l, 5, ensembles, {feature: rank[feature] for feature in tested}, lambda_=0.1)


def without(vocabulary: Vocabulary) -> Vocabulary:
    return build_vocabulary(TREES, vocabulary.language)


def parse(model: Model, *words: str) -> str:
    parser = Parser(model.vocabulary, model.rules(), model.strategy, model.max_children, cpu)
    (result,) = parser.parse([[Token(word, "X") for word in words]])
    return str(result.tree)


def test_a_word_that_was_never_seen_is_parsed_by_its_class_from_a_file_too(tmp_path: Path) -> None:
    save_model(small(), tmp_path / "a.model")
    for model in (small(), load_model(tmp_path / "a.model")):
        assert parse(model, "a99", "b99") == "(TOP (S (A (X a99)) (B (X b99))))"
        assert parse(model, "B99", "b99") == "(TOP (S (B (X B99)) (B (X b99))))"


def test_a_tagger_with_the_classes_of_the_model_shares_them_in_the_file(tmp_path: Path) -> None:
    sentences = [[Token(f"a{n}", "A"), Token(f"b{n}", "B")] for n in range(12)] * 2
    own = replace(some_classes())  # equal, but another
    taggers = [train_tagger(sentences, knowledge=Knowledge(classes=classes)) for classes in (some_classes(), own)]
    for name, tagger in zip(("shared", "own"), taggers, strict=True):
        save_model(replace(small(), tagger=tagger), tmp_path / name)
    assert (tmp_path / "shared").stat().st_size < (tmp_path / "own").stat().st_size
    for name, is_shared in (("shared", True), ("own", False)):
        model = load_model(tmp_path / name)
        assert model.tagger is not None
        assert (model.tagger.lexicon.classes is model.vocabulary.classes) == is_shared
        assert model.tagger.tag(["a99", "b99"]) == taggers[0].tag(["a99", "b99"])


def test_rules_and_explanations_tell_a_class_by_its_words() -> None:
    space = small().space
    numbers = {int(f) for ensemble in small().ensembles.values() for f in ensemble.feature if f >= 0}
    names = {space.name(feature): feature for feature in numbers}
    likely = [name for name in names if "headlike" in name]
    examples = {some_classes().examples(0, of) for of in range(1, 5)} | {
        some_classes().examples(1, of) for of in range(1, 3)
    }
    assert {name.partition("=")[2] for name in likely} <= examples
    (said,) = in_english(((names[likely[0]], True),), space, {})
    assert f"like “{likely[0].partition('=')[2]}”" in said


def test_a_word_has_the_values_of_its_classes_and_one_without_a_class_has_none() -> None:
    vocabulary = small().vocabulary
    names = [prop.name for prop in PROPERTIES[1:]]
    columns = slice(2 + names.index("headlike1"), None)
    table = vocabulary.terminals([Token("a99", "X"), Token("a3", "X"), Token("zebra", "X")])[:, columns]
    assert table[0].tolist() == table[1].tolist()
    assert (table[0, :2] >= 0).all()
    assert table[0, 2] == -1  # there are but two granularities
    assert (table[2] == -1).all()
    fine, coarse = (vocabulary.values_of(name) for name in ("headlike1", "headlike2"))
    assert fine[table[0, 0]] == some_classes().examples(0, some_classes().of("a99")[0])
    assert coarse[table[0, 1]] == some_classes().examples(1, some_classes().of("a99")[1])
    assert vocabulary.values_of("headlike3") == ()


def test_without_classes_all_numbers_are_as_if_there_were_no_such_properties() -> None:
    plain = without(small().vocabulary)
    assert inventory_of(plain) == PLAIN
    assert inventory_of(small().vocabulary).properties == (*PLAIN.properties, "headlike1", "headlike2")
    space, numbers = FeatureSpace(plain), 0
    for group, base in zip(GROUPS, space.base.tolist(), strict=True):
        sizes = [len(plain.values_of(name)) for name in PLAIN.properties]
        assert base[: len(sizes)] == [numbers + sum(sizes[:at]) for at in range(len(sizes))]
        numbers += sum(sizes) + 2 * LENGTHS * group.counted
    assert space.size == numbers
    groups, props, values = space.place(np.arange(space.size))
    assert (space.base[groups, props] + values == np.arange(space.size)).all()
    optional = [at for at, one in enumerate(PROPERTIES) if one.optional]
    assert len(optional) == CLASS_PLACES
    assert not np.isin(props, optional).any()


def test_the_header_of_a_model_without_classes_says_nothing_of_them() -> None:
    plain = replace(small(), vocabulary=without(small().vocabulary), ensembles=dict(small().ensembles))
    assert "classes" in envelope_of(to_bytes(*pack(small())))["header"]
    assert "classes" not in envelope_of(to_bytes(*pack(plain)))["header"]


def envelope_of(content: bytes) -> dict[str, object]:
    length = int.from_bytes(content[:8], "little")
    envelope = json.loads(json.loads(content[8 : 8 + length])["__metadata__"][MODEL_FILE.name])
    assert isinstance(envelope, dict)
    return envelope


def test_the_matrix_is_another_where_classes_are_others() -> None:
    vocabulary = small().vocabulary
    other = induce_classes(TEXT[1:], ClassOptions(granularities=(4, 2))).classes
    assert other.digest != some_classes().digest
    keys = {
        cache_key(Source(TREES, one)) for one in (vocabulary, without(vocabulary), replace(vocabulary, classes=other))
    }
    assert len(keys) == 3


Edit = Callable[[Header, Arrays], tuple[Header, Arrays]]


def edited(**changes: object) -> Edit:
    return lambda header, arrays: (msgspec.structs.replace(header, **changes), arrays)


def put(name: str, place: int, value: int) -> Edit:
    def edit(header: Header, arrays: Arrays) -> tuple[Header, Arrays]:
        assert arrays.classes is not None
        changed = {key: array.copy() for key, array in arrays.classes.items()}
        changed[name][place] = value
        return header, arrays._replace(classes=changed)

    return edit


@pytest.mark.parametrize(
    ("edit", "flaw"),
    [
        (put("classes", 0, 5), "its word classes are damaged: a class has a number that is too great"),
        (put("parents", 0, 0), "its word classes are damaged: the parent of a class"),
        (put("words", 0, 0xFF), "its word classes are damaged: its words are not UTF-8"),
        (edited(classes=msgspec.UNSET), "arrays without settings"),
        (lambda h, a: (h, a._replace(classes=None)), "settings without arrays"),
        (lambda h, a: (msgspec.structs.replace(h, classes=msgspec.UNSET), a._replace(classes=None)), "it has none"),
        (lambda h, a: (msgspec.structs.replace(h, inventory=PLAIN), a), "and of nothing else"),
        (
            lambda h, a: (
                msgspec.structs.replace(h, values={k: v for k, v in h.values.items() if k != "headlike2"}),
                a,
            ),
            "and of nothing else",
        ),
    ],
)
def test_damaged_classes_are_refused_although_the_checksum_is_right(edit: Edit, flaw: str, tmp_path: Path) -> None:
    (tmp_path / "bad").write_bytes(to_bytes(*edit(*pack(small()))))
    with pytest.raises(ModelError, match=flaw):
        load_model(tmp_path / "bad")
