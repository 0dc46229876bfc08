"""Preparation step by step and as a whole, on trees written out by hand, and its undoing on the whole treebank."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuparse.trees import (
    UNPARSED,
    Sentence,
    Span,
    Token,
    Tree,
    count_words,
    load_language,
    parse_language,
    parse_tree,
    prepare,
    prepare_tokens,
    read_trees,
    restore,
    strip,
)
from gpuparse.trees.preparation import (
    raise_punctuation,
    remove_outer_punctuation,
    remove_quotes,
    remove_self_projections,
    rename,
    under_top,
)

ENGLISH = load_language()


@pytest.mark.parametrize(
    ("label", "plain"),
    [
        ("NP-SBJ-1", "NP"),
        ("NP=2", "NP"),
        ("NP-SBJ=2", "NP"),
        ("ADVP|PRT", "ADVP"),
        ("PRT|ADVP", "PRT"),
        ("-LRB-", "-LRB-"),
        ("-NONE-", "-NONE-"),
        ("-X-|Y", "-X-|Y"),
        ("=", "="),
        ("", ""),
        ("S", "S"),
    ],
)
def test_a_label_loses_function_tags_and_indices_but_no_leading_hyphen(label: str, plain: str) -> None:
    assert ENGLISH.plain_label(label) == plain


def stripped(text: str) -> str:
    return str(strip(parse_tree(text)))


def test_stripping_changes_labels_but_no_tags() -> None:
    text = "(ROOT (S-TPC-1 (NP-SBJ=2 (NN|JJ a-b)) (-LRB- -LRB-) (ADVP|PRT (RP-X up))))"
    assert stripped(text) == "(ROOT (S (NP (NN|JJ a-b)) (-LRB- -LRB-) (ADVP (RP-X up))))"


def test_stripping_removes_traces_and_what_held_nothing_else() -> None:
    text = "(S (NP-1 (-NONE- *)) (VP (VB Go) (SBAR (-NONE- 0) (S (NP (-NONE- *T*-1)) (VP (-NONE- *?*))))))"
    assert stripped(text) == "(S (VP (VB Go)))"


def test_stripping_leaves_the_root_of_a_tree_of_traces() -> None:
    assert strip(parse_tree("(S (NP (-NONE- *)))")) == Tree(["S"], [None], [1])


@pytest.mark.parametrize("root", ["", "ROOT", "TOP", "S1", "VROOT"])
def test_a_root_label_becomes_top(root: str) -> None:
    rooted = under_top(parse_tree(f"({root} (NP (NN rain)) (NP (NN snow)))"), load_language())
    assert str(rooted) == "(TOP (NP (NN rain)) (NP (NN snow)))"


@pytest.mark.parametrize(
    ("text", "rooted"),
    [
        ("(S (VP (VB Go)))", "(TOP (S (VP (VB Go))))"),
        ("(UH Yes)", "(TOP (UH Yes))"),
        ("( (ROOT (S (VB Go))))", "(TOP (S (VB Go)))"),
        ("(TOP (S (TOP (VB Go)) (ROOT on)))", "(TOP (S (VB Go) (ROOT on)))"),
    ],
)
def test_any_other_root_gets_top_above_and_no_second_root_label_stays(text: str, rooted: str) -> None:
    assert str(under_top(parse_tree(text), load_language())) == rooted


def test_particles_become_adverbs_only_as_phrases() -> None:
    assert str(rename(parse_tree("(VP (VB go) (PRT (PRT on)))"), ENGLISH)) == "(VP (VB go) (ADVP (PRT on)))"


OTHER = parse_language(
    """
    [punctuation]
    raised = ["PUNCT"]
    quotes = ["QUOTE"]

    [tags]
    traces = ["*T*"]

    [labels]
    cut = [":"]
    renamed = { SV = "S", "NP-x" = "NP", Satz = "TOP" }
    """
)


def test_a_tree_is_prepared_in_the_style_of_its_language() -> None:
    text = "(Satz (SV:main (NP-x (QUOTE «) (N eau) (*T* 0) (QUOTE »)) (PRT (-NONE- *)) (X:1 (*T* 0)) (PUNCT .)))"
    prepared = prepare(parse_tree(text), OTHER)
    assert str(prepared.tree) == "(TOP (S (NP (N eau)) (PRT (-NONE- *))))"
    assert [token.word for token in prepared.sentence.tokens] == ["«", "eau", "»", "*", "."]
    assert str(strip(parse_tree(text), OTHER)) == (
        "(Satz (SV (NP-x (QUOTE «) (N eau) (QUOTE »)) (PRT (-NONE- *)) (PUNCT .)))"
    )


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("(S (NP (`` ``) (NN rain)) (VP (VBZ falls) ('' '')))", "(S (NP (NN rain)) (VP (VBZ falls)))"),
        ('(S (" ") (NP (" ") (NN rain) (" ")))', "(S (NP (NN rain)))"),
        ("(S (PRN (`` ``) (X ('' ''))) (NP (NN rain)))", "(S (NP (NN rain)))"),
        ("(S (NP (NN ``)))", "(S (NP (NN ``)))"),
    ],
)
def test_quotes_go_by_their_tags(text: str, left: str) -> None:
    assert str(remove_quotes(parse_tree(text), ENGLISH)) == left


@pytest.mark.parametrize(
    ("text", "raised"),
    [
        # one level
        ("(S (NP (NN a) (, ,)) (VP (VB b)))", "(S (NP (NN a)) (, ,) (VP (VB b)))"),
        ("(S (NP (NN a)) (VP (, ,) (VB b)))", "(S (NP (NN a)) (, ,) (VP (VB b)))"),
        # several levels, from both sides, several at once
        (
            "(S (X (Y (Z (, ,) (NN a) (. .) (: :)))) (NN b))",
            "(S (, ,) (X (Y (Z (NN a)))) (. .) (: :) (NN b))",
        ),
        # up only as far as needed
        ("(S (X (Y (NN a) (, ,)) (NN b)) (NN c))", "(S (X (Y (NN a)) (, ,) (NN b)) (NN c))"),
        ("(S (NN a) (X (NN b) (Y (, ,) (NN c))))", "(S (NN a) (X (NN b) (, ,) (Y (NN c))))"),
        # neither first nor last: it stays
        ("(S (NP (NN a) (, ,) (NN b)))", "(S (NP (NN a) (, ,) (NN b)))"),
        # nothing but punctuation
        ("(S (NN a) (PRN (: -) (X (: -))) (NN b))", "(S (NN a) (: -) (: -) (NN b))"),
        ("(S (X (Y (, ,)) (NN a)))", "(S (, ,) (X (NN a)))"),
        ("(S (. !))", "(S (. !))"),
        ("(S (X (. !)))", "(S (. !))"),
        # quotes are punctuation, brackets are words
        ("(S (NN z) (NP (`` `) (NN a)) (VP (VB b)))", "(S (NN z) (`` `) (NP (NN a)) (VP (VB b)))"),
        ("(S (PRN (-LRB- -LRB-) (NN a) (-RRB- -RRB-)) (NN b))", "(S (PRN (-LRB- -LRB-) (NN a) (-RRB- -RRB-)) (NN b))"),
    ],
)
def test_punctuation_is_raised_until_it_is_neither_first_nor_last(text: str, raised: str) -> None:
    assert str(raise_punctuation(parse_tree(text), ENGLISH)) == raised


def as_nested(tree: Tree, node: int = 0) -> list[object]:
    word = tree.words[node]
    return [tree.labels[node], word if word is not None else [as_nested(tree, child) for child in tree.children(node)]]


def raised_one_by_one(tree: Tree) -> list[object]:
    """The definition, literally: move a first or last punctuation child beside its parent, while there is one."""

    def move_one(node: list) -> list | None:
        """The children of this node after one terminal moved somewhere below; None if there is none to move."""
        for index, child in enumerate(node[1]):
            if isinstance(child[1], str):
                continue
            if not child[1]:
                return [*node[1][:index], *node[1][index + 1 :]]
            for edge, before in ((0, True), (-1, False)):
                moving = child[1][edge]
                if isinstance(moving[1], str) and moving[0] in ENGLISH.raised:
                    child[1].pop(edge)
                    pair = [moving, child] if before else [child, moving]
                    return [*node[1][:index], *pair, *node[1][index + 1 :]]
            inner = move_one(child)
            if inner is not None:
                child[1] = inner
                return list(node[1])
        return None

    root = as_nested(tree)
    while (changed := move_one(root)) is not None:
        root[1] = changed
    return root


@st.composite
def small_trees(draw: st.DrawFn) -> Tree:
    tags = draw(st.lists(st.sampled_from([",", ".", "``", '"', "NN", "VB", "-NONE-", "-LRB-"]), min_size=1, max_size=7))
    tokens = [Token(f"w{index}", tag) for index, tag in enumerate(tags)]
    spans = [Span(draw(st.sampled_from(["", "TOP", "S"])), 0, len(tokens))]
    pending = [(0, len(tokens))]
    while pending and len(spans) < 12:
        start, end = pending.pop()
        cut = draw(st.integers(start, end))
        for a, b in ((start, cut), (cut, end)):
            if a < b and draw(st.booleans()):
                spans.append(Span(draw(st.sampled_from(["NP", "S-SBJ", "PRT", "VP=1"])), a, b))
                pending.append((a, b))
    order = sorted(range(len(spans)), key=lambda index: (spans[index].start, -spans[index].end, index))
    return Tree.from_spans([spans[index] for index in order], tokens)


@given(small_trees())
def test_raising_by_spans_is_raising_one_by_one(tree: Tree) -> None:
    assert as_nested(raise_punctuation(tree, ENGLISH)) == raised_one_by_one(tree)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("(TOP (: -) (S (VB Go)) (. !) (: -))", "(TOP (S (VB Go)))"),
        ("(TOP (X (: -)) (S (VB Go) (, ,) (VB go)))", "(TOP (S (VB Go) (, ,) (VB go)))"),
        ("(TOP (S (-LRB- -LRB-) (VB Go) (. .) (-RRB- -RRB-)))", "(TOP (S (-LRB- -LRB-) (VB Go) (. .) (-RRB- -RRB-)))"),
        ("(TOP (S (VB Go)))", "(TOP (S (VB Go)))"),
    ],
)
def test_outer_punctuation_goes(text: str, left: str) -> None:
    assert str(remove_outer_punctuation(parse_tree(text), ENGLISH)) == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("(TOP (S (VP (S (VB Go) (RB on)))))", "(TOP (VP (S (VB Go) (RB on))))"),
        ("(TOP (NP (NP (NP (NN rain)))))", "(TOP (NP (NN rain)))"),
        ("(TOP (NP (NP (NN rain)) (NP (NP (NN snow)))))", "(TOP (NP (NP (NN rain)) (NP (NN snow))))"),
        ("(TOP (S (VP (S (VP (S (VB Go)))))))", "(TOP (VP (S (VB Go))))"),
        ("(TOP (X (Y (X (Y (NN a))))))", "(TOP (X (Y (NN a))))"),
        ("(TOP (S (S (VB Go)) (S (VB Go))))", "(TOP (S (S (VB Go)) (S (VB Go))))"),
        ("(TOP (INTJ (INTJ oh)))", "(TOP (INTJ oh))"),
        ("(TOP (TOP oh))", "(TOP (TOP oh))"),
    ],
)
def test_of_two_equal_labels_in_a_unary_chain_the_upper_goes(text: str, left: str) -> None:
    assert str(remove_self_projections(parse_tree(text))) == left


@pytest.mark.parametrize(
    ("text", "prepared"),
    [
        # removing quotes, traces and punctuation makes unary chains, which then shrink
        ("( (S (`` ``) (S-TPC (VP (VB Go))) ('' '') (. .)))", "(TOP (S (VP (VB Go))))"),
        ("( (NP (NP (NN rain)) (SBAR (-NONE- 0)) (, ,)))", "(TOP (NP (NN rain)))"),
        # quotes at the edges of constituents no longer hold punctuation inside
        (
            "( (S (NP (`` ``) (NN a) (, ,) ('' '')) (VP (VBZ is) (PRT (RP on)) (. .) ('' ''))))",
            "(TOP (S (NP (NN a)) (, ,) (VP (VBZ is) (ADVP (RP on)))))",
        ),
        # a constituent of nothing but punctuation in the middle, at the edge, and one of punctuation and traces
        (
            "(S (NP (NN a)) (PRN (: -) (NP (-NONE- *)) (`` ``)) (VP (VB b)) (X (. .)))",
            "(TOP (S (NP (NN a)) (: -) (VP (VB b))))",
        ),
        ("(NP (NN rain))", "(TOP (NP (NN rain)))"),
        ("(UH Yes)", "(TOP (UH Yes))"),
        ("( (UH Yes) (. .))", "(TOP (UH Yes))"),
    ],
)
def test_the_whole_sequence(text: str, prepared: str) -> None:
    assert str(prepare(parse_tree(text), ENGLISH).tree) == prepared


@pytest.mark.parametrize("text", ["(TOP (FRAG (: -) (. .)))", "( (X (`` ``) (, ,) ('' '')))", "(. !)"])
def test_a_sentence_of_punctuation_has_no_tree_and_comes_back_flat(text: str) -> None:
    tree = parse_tree(text)
    prepared = prepare(tree, ENGLISH)
    assert prepared.tree is None
    assert prepared.sentence.kept == ()
    assert restore(None, prepared.sentence) == Tree.from_spans([Span("TOP", 0, len(tree.tokens()))], tree.tokens())


@pytest.mark.parametrize("tree", [UNPARSED, parse_tree("(S (NP (-NONE- *)))")])
def test_a_sentence_of_no_tokens_has_no_tree_and_comes_back_unparsed(tree: Tree) -> None:
    prepared = prepare(tree, ENGLISH)
    assert prepared.tree is None
    assert restore(None, prepared.sentence) == UNPARSED


def test_the_trees_of_known_examples_are_prepared_as_given(known_examples: Path) -> None:
    given_trees = (known_examples / "prepared").read_text(encoding="utf-8").splitlines()
    trees = read_trees(known_examples / "trees")
    assert [str(prepare(tree, ENGLISH).tree) for tree in trees] == given_trees


def test_a_sentence_gives_the_words_and_tags_that_are_kept() -> None:
    sentence = prepare_tokens(parse_tree("(S (`` ``) (NN a) (, ,) ('' '') (VB b) (. .))").tokens(), ENGLISH)
    assert sentence.kept == (1, 2, 4)
    assert sentence.words() == ["a", ",", "b"]
    assert sentence.tags() == ["NN", ",", "VB"]


def test_words_are_counted_without_punctuation_and_brackets() -> None:
    assert (
        count_words(parse_tree("(S (`` ``) (-LRB- -LRB-) (NN a) (, ,) (HYPH -) (VB b) (. .))").tokens(), ENGLISH) == 3
    )


@given(small_trees())
def test_tokens_without_a_tree_keep_what_the_tree_keeps(tree: Tree) -> None:
    prepared = prepare(tree, ENGLISH)
    assert prepare_tokens(strip(tree).tokens(), ENGLISH) == prepared.sentence
    if prepared.tree is not None:
        tokens = prepared.tree.tokens()
        assert [token.word for token in tokens] == prepared.sentence.words()
        assert [token.tag for token in tokens] == prepared.sentence.tags()


@given(small_trees())
def test_prepared_trees_have_the_form_that_the_strategies_can_infer(tree: Tree) -> None:
    prepared = prepare(tree, ENGLISH).tree
    if prepared is None:
        return
    assert prepared.labels[0] == "TOP"
    tags = [token.tag for token in prepared.tokens()]
    spans = prepared.spans()
    assert len(set(spans)) == len(spans)
    for label, start, end in spans:
        assert label in {"TOP", "S", "NP", "ADVP", "VP"}
        assert not {tags[start], tags[end - 1]} & ENGLISH.raised
    assert not set(tags) & (ENGLISH.quotes | {"-NONE-"})


@given(small_trees())
def test_undoing_puts_back_every_token(tree: Tree) -> None:
    prepared = prepare(tree, ENGLISH)
    assert restore(prepared.tree, prepared.sentence).tokens() == strip(tree).tokens()


@pytest.mark.parametrize(
    ("parse", "tags", "restored"),
    [
        # between two words: the lowest node over both
        ("(TOP (S (NP a) (VP (VB b) (NP c))))", "NP VB '' NP", "(TOP (S (NP a) (VP (VB b) ('' .) (NP c))))"),
        ("(TOP (S (NP a) (VP (VB b) (NP c))))", "NP `` '' VB NP", "(TOP (S (NP a) (`` .) ('' .) (VP (VB b) (NP c))))"),
        # at the edges: the child of the root, however many unary nodes there are below
        ("(TOP (S (VP (VB a))))", "`` VB . ''", "(TOP (S (`` .) (VP (VB a)) (. .) ('' .)))"),
        # no child of the root covers the sentence
        ("(TOP (VB a))", "`` VB .", "(TOP (`` .) (VB a) (. .))"),
        ("(TOP (X (VB a)) (Y (VB b)))", "VB '' VB .", "(TOP (X (VB a)) ('' .) (Y (VB b)) (. .))"),
        # nothing was removed
        ("(TOP (S (VB a) (, b) (VB c)))", "VB , VB", "(TOP (S (VB a) (, b) (VB c)))"),
    ],
)
def test_removed_tokens_attach_at_the_lowest_node_over_their_neighbours(parse: str, tags: str, restored: str) -> None:
    words = iter(parse_tree(parse).tokens())
    kept = tuple(i for i, tag in enumerate(tags.split()) if tag not in {"``", "''", "."})
    tokens = tuple(next(words) if i in kept else Token(".", tag) for i, tag in enumerate(tags.split()))
    assert str(restore(parse_tree(parse), Sentence(tokens, kept))) == restored


def test_undoing_takes_the_tags_of_the_parse_and_refuses_one_of_another_length() -> None:
    sentence = Sentence((Token("Go", "NN"), Token("!", ".")), kept=(0,))
    assert str(restore(parse_tree("(TOP (S (VB Go)))"), sentence)) == "(TOP (S (VB Go) (. !)))"
    with pytest.raises(ValueError, match="a parse of 2 tokens for a sentence of which 1 are kept"):
        restore(parse_tree("(TOP (VB Go) (RB on))"), sentence)


def test_a_tree_of_depth_10000_is_prepared_and_restored() -> None:
    tree = parse_tree("".join(f"(X{depth} " for depth in range(10_000)) + "(NN deep) (. .)" + ")" * 10_000)
    prepared = prepare(tree, ENGLISH)
    assert prepared.tree is not None
    assert len(prepared.tree) == 10_002
    restored = restore(prepared.tree, prepared.sentence)
    assert restored.tokens() == tree.tokens()
    assert list(restored.children(1)) == [2, 10_002]


@pytest.mark.gum
def test_undoing_gives_back_exactly_the_tokens_and_tags_of_every_tree_of_gum(gum: Path) -> None:
    for tree in read_trees(gum):
        prepared = prepare(tree, ENGLISH)
        assert prepare_tokens(tree.tokens(), ENGLISH) == prepared.sentence
        assert restore(prepared.tree, prepared.sentence).tokens() == tree.tokens()
