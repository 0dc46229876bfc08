"""From a treebank's tree to the tree that the parser learns from, and back from a parse to all the input's tokens.

Each step is a function from tree to tree. The words stay in order throughout, so that a step is either a choice of the
nodes that stay or a change of the spans that the non-terminals cover.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from gpuparse.trees.language import Language, load_language
from gpuparse.trees.tree import TOP, UNPARSED, Original, Span, TagOdds, Token, Tree


@dataclass(frozen=True)
class Sentence:
    """The tokens of an input, and which of them the parser sees.

    >>> sentence = Sentence((Token("Go", "VB"), Token("!", ".")), kept=(0,))
    >>> sentence.words(), sentence.tags()
    (['Go'], ['VB'])
    """

    tokens: tuple[Token, ...]  # without traces
    kept: tuple[int, ...]  # indices into tokens, rising
    originals: tuple[Original, ...] = field(default=(), compare=False)  # one per token, if the input is no tree
    odds: tuple[TagOdds, ...] = field(default=(), compare=False)  # one per token, if a tagger gave the tags

    def words(self) -> list[str]:
        """The words that the parser sees."""
        return [self.tokens[index].word for index in self.kept]

    def tags(self) -> list[str]:
        """Their POS tags."""
        return [self.tokens[index].tag for index in self.kept]


@dataclass(frozen=True)
class Prepared:
    """A sentence and its tree over the tokens kept, rooted TOP; no tree where no token is kept."""

    tree: Tree | None
    sentence: Sentence


def prepare(tree: Tree, language: Language) -> Prepared:
    """A treebank's tree as the parser learns it.

    >>> from gpuparse.trees import load_language, parse_tree
    >>> prepared = prepare(parse_tree("( (S (NP-SBJ (PRP He)) (VP (VBD woke) (PRT (RP up))) (. .)))"), load_language())
    >>> str(prepared.tree), prepared.sentence.kept
    ('(TOP (S (NP (PRP He)) (VP (VBD woke) (ADVP (RP up)))))', (0, 1, 2))
    """
    stripped = strip(tree, language)
    sentence = prepare_tokens(stripped.tokens(), language)
    if not sentence.kept:
        return Prepared(None, sentence)
    rooted = under_top(rename(stripped, language), language)
    raised = raise_punctuation(remove_quotes(rooted, language), language)
    return Prepared(remove_self_projections(remove_outer_punctuation(raised, language)), sentence)


def prepare_tokens(
    tokens: Iterable[Token],
    language: Language,
    originals: tuple[Original, ...] = (),
    odds: tuple[TagOdds, ...] = (),
) -> Sentence:
    """The sentence of tokens that have no tree: the same tokens are kept as in `prepare`.

    >>> from gpuparse.trees import load_language
    >>> tokens = [Token("``", "``"), Token("Go", "VB"), Token("''", "''"), Token(".", ".")]
    >>> prepare_tokens(tokens, load_language()).kept
    (1,)
    """
    all_tokens = tuple(tokens)
    unquoted = [index for index, token in enumerate(all_tokens) if token.tag not in language.quotes]
    inside = _inside_punctuation([all_tokens[index].tag for index in unquoted], language)
    return Sentence(all_tokens, tuple(unquoted[position] for position in inside), originals, odds)


def count_words(tokens: Iterable[Token], language: Language) -> int:
    """The length of a sentence: punctuation and brackets are not words.

    >>> from gpuparse.trees import load_language
    >>> count_words([Token("Go", "VB"), Token("!", ".")], load_language())
    1
    """
    return sum(token.tag not in language.notwords for token in tokens)


# The steps.


def strip(tree: Tree, language: Language | None = None) -> Tree:
    """Plain labels, no traces, and no non-terminal without words (but the root). Tags stay as they are.

    The language is by default the packaged English.

    >>> from gpuparse.trees import parse_tree
    >>> tree = parse_tree("(S (NP-SBJ-1 (NNP Ann)) (VP (VBZ sings) (NP (-NONE- *)) (NP=2 (NNS hymns))))")
    >>> str(strip(tree))
    '(S (NP (NNP Ann)) (VP (VBZ sings) (NP (NNS hymns))))'
    """
    language = language or load_language()
    nodes = zip(tree.labels, tree.words, strict=True)
    labels = [language.plain_label(label) if word is None else label for label, word in nodes]
    return _without_tags(tree.relabelled(labels), language.traces)


def rename(tree: Tree, language: Language) -> Tree:
    """The tree with the labels that the language has for those of its treebanks.

    >>> from gpuparse.trees import load_language, parse_tree
    >>> str(rename(parse_tree("(VP (VB go) (PRT (RP on)))"), load_language()))
    '(VP (VB go) (ADVP (RP on)))'
    """
    names = language.renamed
    nodes = zip(tree.labels, tree.words, strict=True)
    return tree.relabelled([names.get(label, label) if word is None else label for label, word in nodes])


def under_top(tree: Tree, language: Language) -> Tree:
    """The tree under TOP: a root with a root label is renamed, above any other TOP is added; inner root labels go.

    >>> from gpuparse.trees import load_language, parse_trees
    >>> tuple(str(under_top(tree, load_language())) for tree in parse_trees("( (NP (NN rain))) (NP (NN rain))"))
    ('(TOP (NP (NN rain)))', '(TOP (NP (NN rain)))')
    """
    rooted = Tree((TOP, *tree.labels), (None, *tree.words), (len(tree) + 1, *(end + 1 for end in tree.ends)))
    inner = zip(tree.labels, tree.words, strict=True)
    return rooted.only([True, *(word is not None or label not in language.roots for label, word in inner)])


def remove_quotes(tree: Tree, language: Language) -> Tree:
    """The tree without quotation marks, and without the non-terminals that held nothing else.

    >>> from gpuparse.trees import load_language, parse_tree
    >>> str(remove_quotes(parse_tree("(S (`` ``) (VP (VB Go)) ('' ''))"), load_language()))
    '(S (VP (VB Go)))'
    """
    return _without_tags(tree, language.quotes)


def raise_punctuation(tree: Tree, language: Language) -> Tree:
    """Punctuation at the edge of a non-terminal moves up beside it, again and again; only the root keeps it there.

    In spans: each non-terminal but the root shrinks to start and end with a token that is not punctuation.

    >>> from gpuparse.trees import load_language, parse_tree
    >>> str(raise_punctuation(parse_tree("(S (NP (NP (NNP Ann)) (, ,)) (VP (VBZ sings)))"), load_language()))
    '(S (NP (NP (NNP Ann))) (, ,) (VP (VBZ sings)))'
    """
    tokens = tree.tokens()
    first, last = _nearest_others(tokens, language.raised)
    root, *inner = tree.spans()
    shrunk = [Span(label, first[start], last[end]) for label, start, end in inner]
    return Tree.from_spans([root, *(span for span in shrunk if span.start < span.end)], tokens)


def _nearest_others(tokens: Sequence[Token], tags: frozenset[str]) -> tuple[list[int], list[int]]:
    """For each position between tokens: where the next token with none of these tags starts and the last one ended."""
    starts = list(range(len(tokens) + 1))
    ends = list(range(len(tokens) + 1))
    for position in range(len(tokens) - 1, -1, -1):
        if tokens[position].tag in tags:
            starts[position] = starts[position + 1]
    for position, token in enumerate(tokens):
        if token.tag in tags:
            ends[position + 1] = ends[position]
    return starts, ends


def remove_outer_punctuation(tree: Tree, language: Language) -> Tree:
    """The tree without the punctuation that its sentence starts and ends with.

    >>> from gpuparse.trees import load_language, parse_tree
    >>> str(remove_outer_punctuation(parse_tree("(TOP (S (VP (VB Go))) (. !))"), load_language()))
    '(TOP (S (VP (VB Go))))'
    """
    inside = _inside_punctuation([token.tag for token in tree.tokens()], language)
    positions = zip(tree.tokens_before(), tree.words, strict=False)
    return _with_terminals(tree, [word is not None and position in inside for position, word in positions])


def _inside_punctuation(tags: Sequence[str], language: Language) -> range:
    """The positions from the first tag that is not punctuation to the last."""
    words = [position for position, tag in enumerate(tags) if tag not in language.raised]
    return range(words[0], words[-1] + 1) if words else range(0)


def remove_self_projections(tree: Tree) -> Tree:
    """Of two nodes with the same label in a unary chain the upper goes; the root stays.

    >>> from gpuparse.trees import parse_tree
    >>> str(remove_self_projections(parse_tree("(TOP (S (VP (S (VB Go)))))")))
    '(TOP (VP (S (VB Go))))'
    """
    keep = [True] * len(tree)
    below: set[str] = set()  # the labels of the unary chain under the node
    for node in range(len(tree) - 1, -1, -1):
        if tree.words[node] is None and node + 1 < len(tree) and tree.ends[node + 1] == tree.ends[node]:
            keep[node] = tree.labels[node] not in below or node == 0
        else:
            below = set()
        below.add(tree.labels[node])
    return tree.only(keep)


def _without_tags(tree: Tree, tags: frozenset[str]) -> Tree:
    if tags.isdisjoint(tree.labels):
        return tree
    nodes = zip(tree.labels, tree.words, strict=True)
    return _with_terminals(tree, [word is not None and label not in tags for label, word in nodes])


def _with_terminals(tree: Tree, stays: Sequence[bool]) -> Tree:
    """The tree of the terminals marked True, one mark a node, and of the non-terminals above them; the root stays."""
    before = list(accumulate(stays, initial=0))
    return tree.only([node == 0 or before[node] < before[end] for node, end in enumerate(tree.ends)])


# The way back.


def restore(parse: Tree | None, sentence: Sentence) -> Tree:
    """A parse of the tokens kept, with the removed ones back in their places; no parse gives a flat tree.

    A removed token goes into the lowest node that spans both its neighbours; at the edge of the sentence into the
    child of the root that covers the sentence, or the root itself where no child does.

    >>> from gpuparse.trees import load_language, parse_tree
    >>> prepared = prepare(parse_tree("(TOP (S (`` ``) (VP (VB Go) ('' '') (ADVP (RB on))) (. .)))"), load_language())
    >>> str(restore(prepared.tree, prepared.sentence))
    "(TOP (S (`` ``) (VP (VB Go) ('' '') (ADVP (RB on))) (. .)))"
    """
    if parse is None:
        return _flat(sentence.tokens)
    parsed = parse.tokens()
    if len(parsed) != len(sentence.kept):
        raise ValueError(f"a parse of {len(parsed)} tokens for a sentence of which {len(sentence.kept)} are kept")
    tokens = list(sentence.tokens)
    for index, token in zip(sentence.kept, parsed, strict=True):
        tokens[index] = token
    covering = 2 if len(parse) > 1 and parse.words[1] is None and parse.ends[1] == len(parse) else 1
    spans = [Span(label, sentence.kept[start], sentence.kept[end - 1] + 1) for label, start, end in parse.spans()]
    spans[:covering] = [Span(label, 0, len(tokens)) for label, _, _ in spans[:covering]]
    return Tree.from_spans(spans, tokens)


def _flat(tokens: Sequence[Token]) -> Tree:
    if not tokens:
        return UNPARSED
    return Tree.from_spans([Span(TOP, 0, len(tokens))], tokens)
