"""Brackets in and out: what is written reads back the same, and what can't be read says where and why."""

from __future__ import annotations

import io
import re
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuparse.errors import TreebankError, UsageError
from gpuparse.trees import UNPARSED, Span, Token, Tree, parse_tree, parse_trees, read_trees, treebank_files
from tests.work import calls_of

GO = "(S (VP (VB Go)))"

any_text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
atoms = any_text.map(lambda text: re.sub(r"[\s()]", "_", text))


def trees_of(strings: st.SearchStrategy[str], root_labels: st.SearchStrategy[str]) -> st.SearchStrategy[Tree]:
    """Random trees, made of random nested spans over random tokens."""

    @st.composite
    def build(draw: st.DrawFn) -> Tree:
        tokens = [Token(*pair) for pair in draw(st.lists(st.tuples(strings, strings), min_size=1, max_size=8))]
        spans = [Span(draw(root_labels), 0, len(tokens))]
        pending = [(0, len(tokens))]
        while pending and len(spans) < 25:
            start, end = pending.pop()
            cuts = sorted(draw(st.sets(st.integers(start, end), max_size=3)) | {start, end})
            inside = [Span(draw(strings), a, b) for a, b in pairwise(cuts) if draw(st.booleans())]
            spans += inside
            pending += [(span.start, span.end) for span in inside]
        depth_first = sorted(range(len(spans)), key=lambda index: (spans[index].start, -spans[index].end, index))
        return Tree.from_spans([spans[index] for index in depth_first], tokens)

    return build()


@given(trees_of(atoms, st.one_of(st.just(""), atoms)))
@settings(max_examples=150)
def test_what_is_written_reads_back_the_same(tree: Tree) -> None:
    assert parse_tree(str(tree)) == tree


@given(trees_of(any_text, any_text))
@settings(max_examples=150)
def test_brackets_and_separators_inside_words_and_labels_are_escaped(tree: Tree) -> None:
    def escaped(text: str) -> str:
        text = text.replace("(", "-LRB-").replace(")", "-RRB-")
        return re.sub(r"\s", "_", text)

    read = parse_tree(str(tree))
    assert read.ends == tree.ends
    assert read.labels == tuple(map(escaped, tree.labels))
    assert read.words == tuple(None if word is None else escaped(word) for word in tree.words)
    assert parse_tree(str(read)) == read


@given(
    st.lists(trees_of(atoms, st.one_of(st.just(""), atoms)), max_size=4),
    st.sampled_from(["\n", "\r\n", "\n\n", " ", ""]),
)
@settings(max_examples=50)
def test_trees_are_told_apart_whatever_stands_between_them(trees: list[Tree], between: str) -> None:
    assert list(parse_trees(between.join(map(str, trees)))) == trees


@pytest.mark.gum
def test_all_of_gum_reads_and_is_the_same_after_writing_and_reading(gum: Path) -> None:
    trees = list(read_trees(gum))
    assert len(trees) > 10_000
    assert list(parse_trees("\n".join(map(str, trees)))) == trees


@pytest.mark.gum
def test_no_token_of_gum_is_lost_in_reading(gum: Path) -> None:
    for path in treebank_files(gum / "dev"):
        terminals = re.findall(r"\(([^\s()]+)\s+([^\s()]+)\)", path.read_text(encoding="utf-8"))
        assert [(token.tag, token.word) for tree in read_trees(path) for token in tree.tokens()] == terminals


def test_a_tree_of_depth_10000_reads_and_writes() -> None:
    text = "(X " * 10_000 + "(NN deep)" + ")" * 10_000
    tree = parse_tree(text)
    assert len(tree) == 10_001
    assert str(tree) == text
    assert parse_tree(str(tree)) == tree


def test_a_pretty_printed_tree_is_the_tree_on_one_line() -> None:
    assert parse_tree("( (S\n    (NP-SBJ (NNP Ann) )\n\t(VP\r\n (VBZ\n  sings)) ))\n") == parse_tree(
        "((S(NP-SBJ(NNP Ann))(VP(VBZ sings))))"
    )


def test_an_empty_outer_label_stays_empty_with_one_child_or_several() -> None:
    for text in ("( (S (VP (VB Go))))", "( (NP (NN rain)) (NP (NN snow)))"):
        tree = parse_tree(text)
        assert tree.labels[0] == ""
        assert str(tree) == text


@pytest.mark.parametrize("text", ["()", "(())", "( ( ) )"])
def test_a_sentence_without_a_parse_keeps_its_place(text: str) -> None:
    assert list(parse_trees(f"{GO}\n{text}\n{GO}")) == [parse_tree(GO), UNPARSED, parse_tree(GO)]
    assert str(UNPARSED) == "(())"


@pytest.mark.parametrize("text", ["", "\n \r\n\t\n", "\ufeff", "\ufeff\r\n"])
def test_a_text_without_trees_has_no_trees(text: str) -> None:
    assert list(parse_trees(text)) == []


def test_a_byte_order_mark_is_passed_over_at_the_start_and_where_files_were_joined() -> None:
    assert list(parse_trees(f"\ufeff{GO}\r\n\ufeff{GO}")) == [parse_tree(GO)] * 2


def test_unusual_spaces_and_control_characters_belong_to_words() -> None:
    odd = "a\u00a0b\u2003c\u2028d\u0085e\x0bf\x0cg\x00h\x1ci"
    assert parse_tree(f"(NN {odd})").words == (odd,)


def test_unusual_spaces_between_brackets_separate() -> None:
    text = "\u2028\u0085\u00a0(S\n\u00a0\u00a0(VP (VB Go))\u00a0)\u3000"
    assert list(parse_trees(text)) == [parse_tree(GO)]


def test_lines_between_trees_that_begin_as_comments_are_passed_over() -> None:
    text = f"# a (note\n{GO}\r\n; and )\n#(NP\n{GO}\n#"
    assert list(parse_trees(text)) == [parse_tree(GO)] * 2
    hash_inside = parse_tree("(NP\n(# #)\n(CD 5))")
    assert hash_inside.tokens() == [Token("#", "#"), Token("5", "CD")]


def test_a_comment_hides_no_line_from_the_count() -> None:
    with pytest.raises(TreebankError, match="line 3"):
        list(parse_trees("# one\n# two\n(S (VP"))


def test_a_terminal_alone_is_a_tree() -> None:
    assert parse_tree("(UH Yes)").tokens() == [Token("Yes", "UH")]


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        (f"{GO}\n\n(S (VP (VB Go))", 3, "the tree that starts here never ends: expected 1 more ')'"),
        (f"{GO})", 1, "found ')' where '(' was expected"),
        (f"{GO}\r\n{GO}\r\nGo", 3, "found 'Go' where '(' was expected"),
        ("(S\n(NP\n(NN a b)))", 3, "found 'a' where '(' or ')' was expected"),
        ("(S (NP (NN a) b))", 1, "found 'b' where '(' or ')' was expected"),
        ("(S\n (NP)\n (VP (VB Go)))", 2, "found ')' after '(NP', expected a word or '('"),
        ("(S () (VP (VB Go)))", 1, "found ')' after '(', expected a word or '('"),
        ("(() (VP (VB Go)))", 1, "found ')' after '(', expected a word or '('"),
    ],
)
def test_a_malformed_tree_is_an_error_with_its_line_and_what_was_expected(text: str, line: int, problem: str) -> None:
    with pytest.raises(TreebankError) as caught:
        list(parse_trees(text, "some.mrg"))
    assert (caught.value.source, caught.value.line) == ("some.mrg", line)
    assert caught.value.problem.startswith(problem)


def test_the_trees_before_an_error_are_there_already() -> None:
    trees = parse_trees(f"{GO}\n(S")
    assert next(trees) == parse_tree(GO)
    with pytest.raises(TreebankError):
        next(trees)


@pytest.mark.parametrize(
    "bad", ["(S (VP (VB Go))", "(S (VP (VB Go))))", "(S (VP (VB Go on)))", "Go", "(S)", "(((", ")"]
)
def test_a_bad_tree_between_good_ones_is_skipped_alone(tmp_path: Path, bad: str) -> None:
    path = tmp_path / "some.mrg"
    path.write_text(f"{GO}\n{bad}\n(NP\n  (NN rain))\n{bad}\n{GO}\n")
    skipped: list[TreebankError] = []
    trees = list(read_trees(path, skip_bad=True, skipped=skipped))
    good = parse_tree(GO)
    after_an_extra_bracket = [good] if bad == "(S (VP (VB Go))))" else []  # the tree before it is whole
    rain = parse_tree("(NP (NN rain))")
    assert trees == [good, *after_an_extra_bracket, rain, *after_an_extra_bracket, good]
    assert [(error.source, error.line) for error in skipped] == [(str(path), 2), (str(path), 5)]


def test_twice_as_many_unclosed_trees_take_twice_as_much_to_skip(tmp_path: Path) -> None:
    def skip(number: int) -> None:
        path = tmp_path / "some.mrg"
        path.write_text("(S (NP (NN rain))\n" * number)
        skipped: list[TreebankError] = []
        assert list(read_trees(path, skip_bad=True, skipped=skipped)) == []
        assert len(skipped) == number

    few, many = (calls_of(partial(skip, number)) for number in (500, 1000))
    assert many < 2.1 * few


def test_inner_brackets_at_the_start_of_a_line_do_no_harm_in_a_sound_file(tmp_path: Path) -> None:
    path = tmp_path / "some.mrg"
    path.write_text("(S\n(VP\n(VB Go)))\n")
    assert list(read_trees(path, skip_bad=True)) == list(read_trees(path)) == [parse_tree(GO)]


def test_bytes_that_are_not_utf8_are_an_error_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "some.mrg"
    path.write_bytes(b"(NN a)\r\n(NN \xc3\xa9)\n(NN \xff)\n(NN b)")
    with pytest.raises(TreebankError, match=r"some\.mrg, line 3: found bytes that are not UTF-8"):
        list(read_trees(path))
    skipped: list[TreebankError] = []
    assert [tree.words for tree in read_trees(path, skip_bad=True, skipped=skipped)] == [("a",), ("é",), ("b",)]
    assert [error.line for error in skipped] == [3]


def test_a_folder_is_read_in_sorted_order_and_only_its_treebank_files(tmp_path: Path) -> None:
    for name in ("02/b.MRG", "02/a.ptb", "00/c.parse", "01/d.tree", "00/README.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"(NN {name})")
    assert [tree.words[0] for tree in read_trees(tmp_path)] == ["00/c.parse", "01/d.tree", "02/a.ptb", "02/b.MRG"]
    assert [tree.words[0] for tree in read_trees([tmp_path / "02", str(tmp_path / "00/README.txt")])] == [
        "02/a.ptb",
        "02/b.MRG",
        "00/README.txt",
    ]


def test_a_minus_is_the_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BytesIO("\ufeff(NN é)\r\n(NN".encode()), encoding="ascii")
    monkeypatch.setattr("sys.stdin", stdin)
    trees = read_trees("-")
    assert next(trees).words == ("é",)
    with pytest.raises(TreebankError, match="<stdin>, line 2"):
        next(trees)


def test_a_path_that_is_not_there_and_a_folder_without_trees_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file or folder"):
        list(read_trees(tmp_path / "absent.mrg"))
    with pytest.raises(UsageError, match="no treebank in this folder"):
        list(read_trees(tmp_path))


def test_parse_tree_wants_exactly_one() -> None:
    for text in ("", GO + GO):
        with pytest.raises(TreebankError, match="trees where one was expected"):
            parse_tree(text)
