"""Explanations: their figures are those of the search and of the definition, whatever the strategy and the sentence."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

from gpuparse.kernels import cpu
from gpuparse.options import SearchOptions, Strategy
from gpuparse.parse.explain import Amount, Constituent, Explainer, Explanation, Rival, RivalKind
from gpuparse.parse.search.parser import Parser
from gpuparse.trees import (
    Sentence,
    Token,
    head_child,
    load_language,
    prepare,
    prepare_tokens,
    synthetic_treebank,
)
from tests.boost.oracle import score_of_trees
from tests.parse.features.oracle import features
from tests.parse.search.oracle import Oracle, Partial
from tests.small_model import small_model

LANGUAGE = load_language()
EVERYTHING = Amount(rules=10**6, facts=10**6, rivals=4)
STRATEGIES = list(Strategy)


def explainer(strategy: Strategy) -> Explainer:
    return Explainer(small_model(60, strategy, max_trees=8), cpu)


def sentences(number: int, longest: int = 12) -> list[Sentence]:
    sentences = [prepare(tree, LANGUAGE).sentence for tree in synthetic_treebank(80, seed=5)]
    return [sentence for sentence in sentences if 0 < len(sentence.kept) <= longest][:number]


def tokens_of(text: str) -> Sentence:
    pairs = (piece.rsplit("/", 1) for piece in text.split())
    return prepare_tokens([Token(word, tag) for word, tag in pairs], LANGUAGE)


def kept(sentence: Sentence) -> list[Token]:
    return [sentence.tokens[index] for index in sentence.kept]


def inferred(explanation: Explanation) -> list[Constituent]:
    """The constituents in the order in which they were built."""
    constituents = [constituent for constituent in explanation.constituents if constituent.step is not None]
    return sorted(constituents, key=lambda constituent: constituent.step or 0)


def all_rivals(explanation: Explanation) -> Iterator[tuple[Constituent, Rival]]:
    return ((constituent, rival) for constituent in explanation.constituents for rival in constituent.rivals)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_weights_of_the_rules_add_up_to_the_score_and_the_differences_to_what_sets_a_rival_apart(
    strategy: Strategy,
) -> None:
    for sentence in sentences(5):
        for amount in (EVERYTHING, Amount(rules=3)):
            explanation = explainer(strategy).explain(sentence, amount=amount)
            for constituent in explanation.constituents:
                total = sum(rule.weight for rule in constituent.rules) + constituent.others.weight
                assert constituent.score == pytest.approx(total, abs=1e-9)
                assert len(constituent.rules) == amount.rules or constituent.others.number == 0
            for constituent, rival in all_rivals(explanation):
                total = sum(difference.effect for difference in rival.differences) + rival.others.weight
                apart = rival.score - (constituent.score or 0) if rival.label == constituent.label else rival.score
                assert apart == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("limit", [100_000, 40])
def test_tree_cost_and_status_are_those_of_the_search(strategy: Strategy, limit: int) -> None:
    model = small_model(60, strategy, max_trees=8)
    parser = Parser(model.vocabulary, model.rules(), model.strategy, model.max_children, cpu)
    for sentence in sentences(6):
        explanation = explainer(strategy).explain(sentence, SearchOptions(limit=limit))
        [result] = parser.parse([kept(sentence)], SearchOptions(limit=limit))
        assert math.fsum(constituent.cost for constituent in explanation.constituents) == pytest.approx(
            result.cost, abs=1e-9
        )
        assert (explanation.parsed.status, explanation.parsed.cost, explanation.parsed.scored) == (
            str(result.outcome),
            result.cost,
            result.scored,
        )
        assert [span.label for span in result.tree.spans()] == [c.label for c in explanation.constituents]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_constituents_are_the_nodes_of_the_tree_with_their_words(strategy: Strategy) -> None:
    for sentence in sentences(6):
        explanation = explainer(strategy).explain(sentence)
        tree = explanation.parsed.tree
        assert tree.tokens() == list(sentence.tokens)
        assert [(c.label, c.start, c.end) for c in explanation.constituents] == [tuple(s) for s in tree.spans()]
        for constituent in explanation.constituents:
            words = [token.word for token in sentence.tokens[constituent.start : constituent.end]]
            assert constituent.text == " ".join(words)
            assert constituent.head in words
        assert sorted(c.step or 0 for c in explanation.constituents) == list(range(1, len(tree.spans()) + 1))


class Definition:
    """The derivation of an explanation, walked over plain objects and scored by the definition of the features."""

    def __init__(self, strategy: Strategy, sentence: Sentence, explanation: Explanation) -> None:
        self.model = small_model(60, strategy, max_trees=8)
        ensembles = self.model.ensembles
        labels = self.model.vocabulary.labels
        compounds = {at: ensembles[label].compounds(self.model.lambda_) for at, label in enumerate(labels)}
        of_state = (strategy.name, self.model.max_children, kept(sentence))
        self.oracle = Oracle(self.model.vocabulary, compounds, *of_state)
        self.place = {index: at for at, index in enumerate(sentence.kept)}
        self.explanation = explanation
        self.sentence = sentence

    def walk(self) -> Iterator[tuple[Constituent, Partial, Partial, list[Partial]]]:
        """Each constituent with the partial parse before it, the one after it, and all that could have come instead."""
        at = self.oracle.start
        for constituent in inferred(self.explanation):
            ways = self.oracle.expansions(at)
            [chosen] = [way for way in ways if self.adds(way, constituent)]
            yield constituent, at, chosen, [way for way in ways if way is not chosen]
            at = chosen

    def adds(self, way: Partial, constituent: Constituent) -> bool:
        item = way.state.frontier[way.state.last]
        seen = [self.place[at] for at in range(constituent.start, constituent.end) if at in self.place]
        children = tuple(child.label for child in item.children)
        place = (constituent.label, constituent.children, seen[0], seen[-1] + 1)
        return (item.label, children, item.start, item.end) == place


@pytest.mark.parametrize("strategy", [Strategy.r2l, Strategy.l2r])
def test_costs_and_rivals_are_those_of_the_definition(strategy: Strategy) -> None:
    for sentence in sentences(4, longest=7):
        explanation = explainer(strategy).explain(sentence)
        for constituent, _, chosen, others in Definition(strategy, sentence, explanation).walk():
            assert constituent.cost == pytest.approx(chosen.steps[-1], abs=1e-9)
            assert constituent.head == kept(sentence)[chosen.state.frontier[chosen.state.last].head.start].word
            cheapest = sorted(other.steps[-1] for other in others)[:3]
            assert [rival.cost for rival in constituent.rivals] == pytest.approx(cheapest, abs=1e-9)


def test_where_any_order_will_do_what_is_built_later_is_no_rival() -> None:
    left_out = 0
    for sentence in sentences(4, longest=7):
        explanation = explainer(Strategy.bu).explain(sentence)
        in_tree = {(c.label, c.children, c.text) for c in explanation.constituents}
        for constituent, _, chosen, others in Definition(Strategy.bu, sentence, explanation).walk():
            assert constituent.cost == pytest.approx(chosen.steps[-1], abs=1e-9)
            assert all((rival.label, rival.children, rival.text) not in in_tree for rival in constituent.rivals)
            left_out += constituent.rivals[0].cost > min(other.steps[-1] for other in others) + 1e-9
    assert left_out


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_effect_of_a_fact_is_what_the_score_would_lose_without_it(strategy: Strategy) -> None:
    [sentence] = sentences(1, longest=6)
    explanation = explainer(strategy).explain(sentence, amount=EVERYTHING)
    definition = Definition(strategy, sentence, explanation)
    model = definition.model
    number = {model.space.name(feature): feature for feature in range(model.space.size)}
    for constituent, before, chosen, _ in definition.walk():
        frontier, left = before.state.frontier, chosen.state.last
        right = left + len(constituent.children) - 1
        head = left + head_child(LANGUAGE, constituent.label, list(constituent.children))
        vocabulary = definition.oracle.known
        there = {
            number[name]
            for name in features(definition.oracle.terminals, frontier, left, right, head, vocabulary, LANGUAGE)
        }
        ensemble = model.ensembles[constituent.label]
        whole = score_of_trees(ensemble, there, model.lambda_)
        assert constituent.score == pytest.approx(whole, abs=1e-9)
        effects = {number[fact.feature]: fact.effect for fact in constituent.facts}
        assert effects.keys() <= there
        for feature in there:
            lost = whole - score_of_trees(ensemble, there - {feature}, model.lambda_)
            assert effects.get(feature, 0.0) == pytest.approx(lost, abs=1e-9)


def test_rivals_are_told_apart_by_what_they_share_with_the_constituent() -> None:
    kinds = set()
    for sentence in sentences(6):
        for constituent, rival in all_rivals(explainer(Strategy.r2l).explain(sentence)):
            apart = rival.end <= constituent.start or rival.start >= constituent.end
            assert (rival.kind is RivalKind.ELSEWHERE) == apart
            if rival.kind is RivalKind.LABEL:
                assert rival.label != constituent.label
                assert rival.children == constituent.children
            kinds.add(rival.kind)
    assert kinds == set(RivalKind)


def test_what_did_a_rival_most_harm_comes_first_and_what_weighs_most_in_a_constituent() -> None:
    for sentence in sentences(3):
        explanation = explainer(Strategy.r2l).explain(sentence, amount=EVERYTHING)
        for constituent, rival in all_rivals(explanation):
            weights = [abs(rule.weight) for rule in constituent.rules]
            assert weights == sorted(weights, reverse=True)
            harm = [difference.effect for difference in rival.differences if difference.effect < 0]
            assert [difference.effect for difference in rival.differences[: len(harm)]] == sorted(harm)
            assert [fact.effect for fact in rival.facts] == sorted(fact.effect for fact in rival.facts)
            assert all(fact.effect < 0 for fact in rival.facts)


def test_tokens_that_preparation_set_aside_and_unknown_words_are_marked() -> None:
    explanation = explainer(Strategy.r2l).explain(tokens_of("``/`` the/DT zyzzyva/QQ barked/VBD ''/'' ./."))
    assert [token.seen for token in explanation.tokens] == [False, True, True, True, False, False]
    assert [token.known_word for token in explanation.tokens[1:3]] == [True, False]
    assert [token.known_tag for token in explanation.tokens[1:3]] == [True, False]
    assert explanation.constituents[0].text == "`` the zyzzyva barked '' ."


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_sentence_of_one_word_has_an_explanation(strategy: Strategy) -> None:
    explanation = explainer(strategy).explain(tokens_of("Dogs/NNS ./."))
    assert explanation.constituents[0].label == "TOP"
    assert explanation.constituents[0].rules
    assert explanation.optimal


def test_a_sentence_of_punctuation_alone_has_nothing_to_explain() -> None:
    explanation = explainer(Strategy.r2l).explain(tokens_of("?/. !/."))
    assert (explanation.parsed.status, str(explanation.parsed.tree)) == ("flat", "(TOP (. ?) (. !))")
    assert explanation.constituents == ()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_search_that_found_no_tree_is_explained_as_far_as_it_went(strategy: Strategy) -> None:
    sentence = max(sentences(20), key=lambda sentence: len(sentence.kept))
    explanation = explainer(strategy).explain(sentence, SearchOptions(limit=1))
    assert explanation.parsed.status == "fallback"
    assert not explanation.optimal
    assert explanation.parsed.cost == pytest.approx(sum(c.cost for c in explanation.constituents), abs=1e-9)


def test_a_dead_end_has_a_root_that_was_never_inferred() -> None:
    commas = " ".join(["a/NN ,/, ,/, ,/, ,/, ,/,"] * 2 + ["a/NN"])  # more children than an item may have
    explanation = explainer(Strategy.r2l).explain(tokens_of(commas))
    root = explanation.constituents[0]
    assert (explanation.parsed.status, root.label, root.step, root.score) == ("fallback", "TOP", None, None)
    assert root.children.count(",") == 10
    assert explanation.parsed.cost == pytest.approx(sum(c.cost for c in explanation.constituents), abs=1e-9)


def test_another_lambda_gives_another_explanation() -> None:
    model = small_model(60, Strategy.r2l, max_trees=8)
    [sentence] = sentences(1)
    plain, cut = (Explainer(model, cpu, at).explain(sentence) for at in (None, 5.0))
    assert (plain.lambda_, cut.lambda_) == (model.lambda_, 5.0)
    assert plain.constituents[0].score != cut.constituents[0].score


def test_the_json_form_holds_the_tree_and_all_figures() -> None:
    [sentence] = sentences(1)
    explanation = explainer(Strategy.r2l).explain(sentence)
    content = explanation.as_json()
    assert content["tree"] == str(explanation.parsed.tree)
    assert content["optimal"] is True
    assert content["constituents"][0]["score"] == explanation.constituents[0].score
    assert content["constituents"][0]["rivals"][0]["kind"] in ("label", "span", "elsewhere")
