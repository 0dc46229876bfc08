"""gpuparse from Python: sentences of any kind in, trees out that know how they were found."""

from __future__ import annotations

import subprocess
import sys
import types
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import gpuparse
from gpuparse.api import LoadedParser, ParsedTree
from gpuparse.errors import GpuparseError, InputError, MissingPackageError, UsageError
from gpuparse.kernels import cpu
from gpuparse.options import SearchOptions
from gpuparse.parse.model.file import save_model
from gpuparse.parse.search.parser import Parser
from gpuparse.pretrained.bundled import FOLDER, bundled_models
from gpuparse.trees import Span, Token, Tree, parse_tree, strip, synthetic_treebank
from tests.small_model import small_model, small_tagger

TAGGED = [("The", "DT"), ("dog", "NN"), ("sleeps", "VBZ"), (".", ".")]


@cache
def parser(tags: int | None = None, **options: Any) -> LoadedParser:
    tagged = replace(small_model(), tagger=small_tagger())
    return LoadedParser(tagged, SearchOptions(limit=3000, **options), tags=tags)


def test_importing_gpuparse_imports_nothing_heavy_and_using_a_name_numpy_alone() -> None:
    program = (
        "import sys, gpuparse; heavy = ('numpy', 'numba', 'scipy', 'nltk', 'rich'); "
        "print([m for m in heavy if m in sys.modules], callable(gpuparse.load), [m for m in heavy if m in sys.modules])"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[] True ['numpy']"


def test_parsing_imports_nothing_that_learns_or_draws() -> None:
    program = (
        "import sys, gpuparse; gpuparse.load().parse('She left.'); "
        "unused = ('gpuparse.boost.path', 'gpuparse.tag.learning', 'gpuparse.trees.svg', 'gpuparse.parse.train'); "
        "print([m for m in unused if m in sys.modules])"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'lode'"):
        gpuparse.lode  # noqa: B018  # the access is what is tested
    assert {"load", "ParsedTree", "LoadedParser"} <= set(dir(gpuparse))


def test_text_words_and_pairs_give_the_same_tree() -> None:
    words = [word for word, _ in TAGGED]
    pairs = [tuple(token) for token in small_tagger().tag(words)]
    alone = parser(tags=1)
    trees = [alone.parse(sentence) for sentence in ("The dog sleeps.", words, pairs)]
    assert trees[0] == trees[1] == trees[2]
    assert trees[0].words == words


def test_the_tree_knows_its_words_tags_spans_and_how_it_was_found() -> None:
    tree = parser().parse(TAGGED)
    assert list(zip(tree.words, tree.tags, strict=True)) == TAGGED
    assert tree.spans[0] == ("TOP", 0, 4)
    assert (tree.status, tree.optimal) == ("optimal", True)
    assert tree.cost is not None
    assert tree.cost > 0
    assert tree.score == -tree.cost
    assert tree.scored > 0


def test_a_tree_prints_as_brackets_which_read_back() -> None:
    tree = parser().parse(TAGGED)
    assert parse_tree(str(tree)) == tree.tree == parse_tree(tree.pretty(20))
    assert len(tree.pretty(20).splitlines()) > 1 == len(str(tree).splitlines())
    assert "─" in tree.drawn()
    assert "optimal" in repr(tree)


def test_a_notebook_draws_the_tree() -> None:
    image = ElementTree.fromstring(parser().parse(TAGGED)._repr_svg_())
    shown = [text.text for text in image.iter("{http://www.w3.org/2000/svg}text")]
    assert {"The", "dog", "sleeps", "TOP"} <= set(shown)


def test_without_nltk_the_error_tells_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk", None)
    monkeypatch.setitem(sys.modules, "nltk.tree", None)
    with pytest.raises(MissingPackageError, match="pip install nltk"):
        parser().parse(TAGGED).to_nltk()


def test_nltk_is_given_labels_and_children_however_deep(monkeypatch: pytest.MonkeyPatch) -> None:
    package = types.ModuleType("nltk.tree")
    package.Tree = lambda label, children: (label, list(children))  # type: ignore[attr-defined]  # a stand-in
    monkeypatch.setitem(sys.modules, "nltk", types.ModuleType("nltk"))
    monkeypatch.setitem(sys.modules, "nltk.tree", package)
    tree = ParsedTree(parse_tree("(S (NP (NNP Ann)) (VP (VBZ sings)))"), None, "flat", 0, ())
    assert tree.to_nltk() == ("S", [("NP", [("NNP", ["Ann"])]), ("VP", [("VBZ", ["sings"])])])
    depth = 5000
    deep = ParsedTree(parse_tree("(X " * depth + "(N n)" + ")" * depth), None, "flat", 0, ()).to_nltk()
    for _ in range(depth):
        deep = deep[1][0]
    assert deep == ("N", ["n"])


def test_nltk_itself_makes_the_same_tree_of_our_brackets() -> None:
    nltk = pytest.importorskip("nltk", reason="NLTK is not installed here")
    tree = parser().parse(TAGGED)
    assert tree.to_nltk() == nltk.Tree.fromstring(str(tree))


def test_many_sentences_come_back_in_order_with_their_words() -> None:
    sentences = [[tuple(token) for token in strip(tree).tokens()] for tree in synthetic_treebank(12, seed=4)]
    sentences.insert(3, [])
    sentences.insert(6, [(".", "."), ("''", "''")])
    parsed = list(parser().parse_many(sentences))
    assert [list(zip(tree.words, tree.tags, strict=True)) for tree in parsed] == sentences
    assert [place for place, tree in enumerate(parsed) if tree.status == "flat"] == [3, 6]
    assert [str(tree) for tree in parsed] == [str(parser().parse(sentence)) for sentence in sentences]


@pytest.mark.parametrize("sentence", [TAGGED, [(".", ".")]])
def test_sentences_are_asked_for_as_they_are_needed(sentence: list[tuple[str, str]]) -> None:
    count = 0

    def endless() -> Iterator[list[tuple[str, str]]]:
        nonlocal count
        while True:
            count += 1
            yield sentence

    trees = parser().parse_many(endless())
    assert count == 0
    for number in range(1, 40):
        next(trees)
        assert count <= number + cpu.BATCH


def test_running_text_is_cut_into_sentences_and_a_single_sentence_is_not() -> None:
    text = "The dog sleeps. A man sees it."
    assert [len(tree.words) for tree in parser().parse_text(text)] == [4, 5]
    assert [len(tree.words) for tree in parser().parse_text(["The dog", "sleeps."])] == [4]
    assert len(parser().parse(text).words) > 5


def test_nothing_is_a_flat_tree_and_no_failure() -> None:
    for nothing in ("", [], "   "):
        tree = parser().parse(nothing)
        assert (str(tree), tree.status, tree.cost, tree.score, tree.optimal) == ("(())", "flat", None, None, True)


@pytest.mark.parametrize(
    "sentence",
    [None, 3, [3], ["a", 3], ["a", ("b", "NN")], [("a", "NN"), "b"], [("a", "NN", "x")], [("a",)], [""], [("a", "")]],
)
def test_what_is_no_sentence_is_an_error_that_says_what_is(sentence: Any) -> None:
    with pytest.raises(InputError, match="a sentence is a text, a list of words, or a list of"):
        parser().parse(sentence)


def test_a_model_without_a_tagger_asks_for_tags() -> None:
    untagged = LoadedParser(small_model())
    for sentence in ("A dog.", ["A", "dog"]):
        with pytest.raises(InputError, match="no tagger"):
            untagged.parse(sentence)
    assert untagged.parse(TAGGED).words == [word for word, _ in TAGGED]


def test_the_k_best_come_with_their_costs_the_best_first() -> None:
    tree = parser(k=3).parse(TAGGED)
    costs = [parse.cost for parse in tree.k_best]
    assert len(costs) == 3
    assert costs == sorted(costs)
    assert len({str(parse.tree) for parse in tree.k_best}) == 3
    assert (tree.tree, tree.cost) == (tree.k_best[0].tree, costs[0])
    assert [best["score"] for best in tree.to_dict()["k_best"]] == [-cost for cost in costs]


def test_a_sentence_longer_than_wanted_is_parsed_in_pieces_and_says_so() -> None:
    (short, long) = parser(max_words=3).parse_many([TAGGED, [("old", "JJ"), *TAGGED]])
    assert short.status == "optimal"
    assert (long.status, long.cost, long.optimal) == ("long", None, False)
    assert all(span.end - span.start <= 3 for span in long.spans if span.label != "TOP")
    assert long.words == ["old", "The", "dog", "sleeps", "."]


def test_a_search_whose_time_is_over_ends_with_a_whole_tree_and_says_so() -> None:
    (tree,) = synthetic_treebank(1, seed=3)
    sentence = [tuple(token) for token in strip(tree).tokens()] * 4
    hurried = LoadedParser(small_model(), SearchOptions(timeout=1e-9)).parse(sentence)
    assert (hurried.status, hurried.optimal) == ("timeout", False)
    assert hurried.cost is None  # it was not finished
    assert list(zip(hurried.words, hurried.tags, strict=True)) == sentence
    calm = LoadedParser(small_model(), SearchOptions(timeout=1e9)).parse(TAGGED)
    assert calm == LoadedParser(small_model()).parse(TAGGED)


def test_a_time_that_is_over_during_the_search_gives_the_best_until_then(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(10**9))
    monkeypatch.setattr("gpuparse.parse.search.parser.time.monotonic", lambda: float(next(clock)))  # a second a look
    (tree,) = synthetic_treebank(1, seed=3)
    sentence = [tuple(token) for token in strip(tree).tokens()] * 4
    patient, hurried = (
        LoadedParser(small_model(), SearchOptions(limit=10**6, timeout=timeout)).parse(sentence)
        for timeout in (None, 2.5)
    )
    assert (patient.status, hurried.status) == ("limit", "timeout")
    assert 0 < hurried.scored < patient.scored
    assert hurried.words == patient.words


@pytest.mark.parametrize(
    "options", [{"timeout": 0}, {"timeout": -1}, {"max_words": -1}, {"k": 0}, {"search": "dowsing"}]
)
def test_options_that_can_not_be_meant_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        gpuparse.load(**options)


def test_jobs_change_nothing_and_there_is_at_least_one() -> None:
    together = LoadedParser(small_model(), jobs=3)
    assert list(together.parse_many([TAGGED] * 5)) == [together.parse(TAGGED)] * 5
    with pytest.raises(UsageError, match="jobs is at least 1, not 0"):
        LoadedParser(small_model(), jobs=0)


def test_a_model_is_loaded_by_its_path(tmp_path: Path) -> None:
    save_model(replace(small_model(), tagger=small_tagger()), tmp_path / "mine")
    loaded = gpuparse.load(tmp_path / "mine", limit=3000)
    assert str(loaded.parse("The dog sleeps.")) == str(parser().parse("The dog sleeps."))


def test_a_model_that_is_not_there_is_told_by_its_name() -> None:
    with pytest.raises(GpuparseError, match="klingon: there is no such file, and no bundled model"):
        gpuparse.load("klingon")


def test_the_bundled_model_is_loaded_without_a_name_and_by_its_name() -> None:
    assert (FOLDER / "english.model").exists()
    assert [model.name for model in bundled_models()] == ["english"]
    tree = gpuparse.load().parse("She saw the man.")
    assert tree == gpuparse.load("english").parse("She saw the man.")
    assert str(tree) == "(TOP (S (NP (PRP She)) (VP (VBD saw) (NP (DT the) (NN man))) (. .)))"


def test_a_token_with_a_space_in_it_is_read_back_as_one_token_by_nltk_and_by_us() -> None:
    nltk_tree = pytest.importorskip("nltk.tree").Tree
    written = str(Tree.from_spans([Span("NP", 0, 1)], [Token("New York\t(NY)", "NNP")]))
    assert nltk_tree.fromstring(written).leaves() == ["New_York_-LRB-NY-RRB-"]
    assert [token.word for token in parse_tree(written).tokens()] == ["New_York_-LRB-NY-RRB-"]


def test_ten_thousand_tokens_cost_no_more_than_a_sentence_and_come_back_as_more_than_a_flat_tree() -> None:
    one = [("The", "DT"), ("dog", "NN"), ("sleeps", "VBZ"), (",", ","), ("and", "CC")]
    tree = parser().parse(one * 2000)
    assert tree.scored <= parser().options.limit
    assert tree.words == [word for word, _ in one * 2000]
    assert (tree.status, tree.cost) == ("long", None)
    assert len(tree.spans) > 2000
    assert str(tree) == str(parser().parse(one * 2000))


def test_a_sentence_too_long_for_memory_is_parsed_in_pieces_and_the_rest_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make_memory = Parser._make_memory

    def cramped(self: Parser, options: SearchOptions, words: int) -> Any:
        if words > 60:
            raise MemoryError
        return make_memory(self, options, words)

    monkeypatch.setattr(Parser, "_make_memory", cramped)
    long = [("dog", "NN")] * 70
    first, second, third = parser(max_words=None).parse_many([TAGGED, long, TAGGED])
    assert (second.status, second.words) == ("memory", ["dog"] * 70)
    assert str(first) == str(third)
    assert first.status == third.status != "memory"
