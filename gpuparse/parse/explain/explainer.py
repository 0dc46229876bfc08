"""How an explanation is made: search, replay the best tree's derivation, compare each inference with its rivals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from gpuparse.boost.ensemble import Literals
from gpuparse.jit import telling
from gpuparse.options import Amount, SearchOptions, Strategy
from gpuparse.parse.explain.english import in_english
from gpuparse.parse.explain.explanation import (
    Constituent,
    ExplainedToken,
    Explanation,
    Fact,
    FiredRule,
    Others,
    Rival,
    RivalKind,
    RuleDifference,
)
from gpuparse.parse.explain.replay import Replay, ReplayedState, ScoredInference
from gpuparse.parse.logic.derivation import frontiers, places_in_tree
from gpuparse.parse.logic.strategy import Inference
from gpuparse.parse.model.model import Model
from gpuparse.parse.model.rules import FIXED_POINT
from gpuparse.parse.model.words import in_words
from gpuparse.parse.overruling import Overruler, Searches
from gpuparse.parse.parsed_tree import ParsedTree
from gpuparse.parse.search.parser import Parser
from gpuparse.printable import printable
from gpuparse.trees import Sentence, Span, Tree

USUAL_AMOUNT = Amount()


class _Setting(NamedTuple):
    """What all constituents of a sentence have in common."""

    sentence: Sentence
    tree: Tree  # over all tokens
    made: frozenset[tuple[Span, ...]]  # every item of the derivation with its children
    amount: Amount


class Explainer:
    """Explains parses by one model.

    >>> from gpuparse.kernels import cpu
    >>> from gpuparse.boost import GrownTree
    >>> from gpuparse.parse.logic.vocabulary import build_vocabulary
    >>> from gpuparse.boost.ensemble import Ensemble
    >>> from gpuparse.trees import Token, load_language, parse_tree
    >>> vocabulary = build_vocabulary([parse_tree("(TOP (NP (NNP Ann)))")], load_language())
    >>> stump = GrownTree.of([0, -1, -1], [1, -1, -1], [2, -1, -1], [0, 2.5, -1.0])  # the first feature: a proper noun
    >>> ensembles = {"NP": Ensemble.of([stump], [1.0]), "TOP": Ensemble.of([stump], [1.0])}
    >>> model = Model(vocabulary, Strategy.r2l, 5, ensembles, {0: 0}, 1.0)
    >>> explanation = Explainer(model, cpu).explain(Sentence((Token("Ann", "NNP"),), kept=(0,)))
    >>> [(c.label, c.score, c.rules[0].conditions) for c in explanation.constituents]
    [('TOP', 2.5, ('the first child is NNP',))]
    """

    def __init__(self, model: Model, kernels: Any, lambda_: float | None = None) -> None:
        telling.expect("explain")
        self.model = model
        self.lambda_ = model.lambda_ if lambda_ is None else lambda_
        rules = model.rules(self.lambda_)
        self._parser = Parser(model.vocabulary, rules, model.strategy, model.max_children, kernels)
        self._replay = Replay(model, self.lambda_, self._parser)

    def explain(
        self,
        sentence: Sentence,
        options: SearchOptions | None = None,
        amount: Amount = USUAL_AMOUNT,
        overruler: Overruler | None = None,
    ) -> Explanation:
        """Parse a sentence, and give the reasons for each constituent of its best tree."""
        tokens = [sentence.tokens[index] for index in sentence.kept]
        options = options or SearchOptions(batch=1)
        [result] = self._parser.parse([tokens], options)
        if overruler is not None:
            sentence, result = overruler.settle(Searches(self._parser, options), sentence, result)
        parsed = ParsedTree.of(sentence, result)
        derivation = () if parsed.cost is None else result.parses[0].derivation
        return Explanation(
            tokens=self._tokens(sentence),
            parsed=parsed,
            greedy_is_optimal=result.greedy_is_optimal,
            strategy=self.model.strategy.name,
            lambda_=self.lambda_,
            constituents=() if parsed.cost is None else self._constituents(sentence, parsed.tree, derivation, amount),
        )

    def _tokens(self, sentence: Sentence) -> tuple[ExplainedToken, ...]:
        vocabulary, kept = self.model.vocabulary, set(sentence.kept)
        words = set(vocabulary.words)
        odds = sentence.odds or [(None, None, None)] * len(sentence.tokens)
        return tuple(
            ExplainedToken(word, tag, index in kept, word.lower() in words, tag in vocabulary.tags, *odds[index])
            for index, (word, tag) in enumerate(sentence.tokens)
        )

    def _constituents(
        self, sentence: Sentence, tree: Tree, derivation: Sequence[Inference], amount: Amount
    ) -> tuple[Constituent, ...]:
        """The constituents in the order of the tree; its non-terminals are those of the parse, in the same order."""
        labels = self.model.vocabulary.labels
        tokens = [sentence.tokens[index] for index in sentence.kept]
        reached = list(frontiers(tokens, derivation, labels))
        nodes = [node for node, word in enumerate(tree.words) if word is None]
        places = places_in_tree(derivation, reached)
        made = frozenset(_over(*pair, labels) for pair in zip(reached, derivation, strict=False))
        setting = _Setting(sentence, tree, made, amount)
        states = self._replay.states(tokens, derivation)
        constituents = {}
        for step, (inference, state) in enumerate(zip(derivation, states, strict=True)):
            node = nodes[places[step]]
            constituents[node] = self._constituent(setting, node, step + 1, inference, state)
        if nodes[0] not in constituents:
            constituents[nodes[0]] = _unfinished(tree, [item.label for item in reached[-1]])
        return tuple(constituents[node] for node in nodes)

    def _constituent(
        self, setting: _Setting, node: int, step: int, inference: Inference, state: ReplayedState
    ) -> Constituent:
        sentence, tree, _, amount = setting
        built = next(scored for scored in state.inferences if scored.inference == inference)
        fired, effects = state.judge(built)
        heaviest = sorted(fired.items(), key=lambda rule: (-abs(rule[1]), rule[0]))
        rules, others = heaviest[: amount.rules], heaviest[amount.rules :]
        start, end, text = _covered(tree, node)
        return Constituent(
            node=node,
            label=tree.labels[node],
            start=start,
            end=end,
            text=text,
            children=_labels(state, built),
            head=sentence.tokens[sentence.kept[built.head_word]].word,
            step=step,
            score=built.score / FIXED_POINT,
            cost=cost_of(built.score / FIXED_POINT),
            facts=self._facts(sorted(effects.items(), key=lambda fact: (-abs(fact[1]), fact[0]))[: amount.facts]),
            rules=tuple(FiredRule(weight / FIXED_POINT, *self._words(literals)) for literals, weight in rules),
            others=_together(others),
            rivals=tuple(
                self._rival(setting, state, built, fired, rival)
                for rival in self._rivals(setting, state, built)[: amount.rivals]
            ),
        )

    def _rivals(self, setting: _Setting, state: ReplayedState, built: ScoredInference) -> list[ScoredInference]:
        """What else the state allowed, the best first. Under bu, what is made in a later step is not a rival."""
        others = [scored for scored in state.inferences if scored is not built]
        if self.model.strategy is not Strategy.bu:
            return others
        labels = self.model.vocabulary.labels
        return [other for other in others if _over(state.frontier, other.inference, labels) not in setting.made]

    def _rival(
        self,
        setting: _Setting,
        state: ReplayedState,
        built: ScoredInference,
        fired: Mapping[Literals, int],
        rival: ScoredInference,
    ) -> Rival:
        sentence, _, _, amount = setting
        start, end = sentence.kept[rival.start], sentence.kept[rival.end - 1] + 1
        of_rival = state.judge(rival)
        same_label = rival.inference.label == built.inference.label
        compared = _compare(fired if same_label else {}, of_rival.fired)
        harmful = sorted(
            (fact for fact in of_rival.effects.items() if fact[1] < 0), key=lambda fact: (fact[1], fact[0])
        )
        return Rival(
            kind=_kind(built, rival),
            label=self.model.vocabulary.labels[rival.inference.label],
            start=start,
            end=end,
            text=" ".join(token.word for token in sentence.tokens[start:end]),
            children=_labels(state, rival),
            score=rival.score / FIXED_POINT,
            cost=cost_of(rival.score / FIXED_POINT),
            facts=self._facts(harmful[: amount.facts]),
            differences=tuple(
                RuleDifference(effect / FIXED_POINT, *self._words(literals), literals not in of_rival.fired)
                for literals, effect in compared[: amount.rules]
            ),
            others=_together(compared[amount.rules :]),
        )

    def _facts(self, effects: Sequence[tuple[int, int]]) -> tuple[Fact, ...]:
        space = self.model.space
        return tuple(
            Fact(effect / FIXED_POINT, printable(space.name(feature)), *in_english(((feature, True),), space, {}))
            for feature, effect in effects
        )

    def _words(self, literals: Literals) -> tuple[str, tuple[str, ...]]:
        space = self.model.space
        return in_words(literals, space), in_english(literals, space, self.model.rarity)


def _compare(fired: Mapping[Literals, int], of_rival: Mapping[Literals, int]) -> list[tuple[Literals, int]]:
    """What rules that fire for only one of the two do to the rival's score: losses first, the heaviest first."""
    gained = [(literals, weight) for literals, weight in of_rival.items() if literals not in fired]
    lost = [(literals, -weight) for literals, weight in fired.items() if literals not in of_rival]
    return sorted(gained + lost, key=lambda rule: (rule[1] > 0, -abs(rule[1]), rule[0]))


def _together(rules: Sequence[tuple[Literals, int]]) -> Others:
    return Others(len(rules), sum(weight for _, weight in rules) / FIXED_POINT)


def cost_of(score: float) -> float:
    """What an inference with this score costs: `ln(1 + exp(-h))`.

    >>> round(cost_of(0.0), 4), cost_of(-800.0)
    (0.6931, 800.0)
    """
    return math.log1p(math.exp(-abs(score))) + max(-score, 0.0)


def _over(frontier: Sequence[Span], inference: Inference, labels: Sequence[str]) -> tuple[Span, ...]:
    """The item that an inference adds, and its children: the same for equal inferences in different states."""
    children = frontier[inference.left : inference.right + 1]
    return Span(labels[inference.label], children[0].start, children[-1].end), *children


def _labels(state: ReplayedState, scored: ScoredInference) -> tuple[str, ...]:
    """The labels of the children of an inference."""
    return tuple(item.label for item in state.frontier[scored.inference.left : scored.inference.right + 1])


def _kind(built: ScoredInference, rival: ScoredInference) -> RivalKind:
    ours, other = built.inference, rival.inference
    if (other.left, other.right) == (ours.left, ours.right):
        return RivalKind.LABEL
    apart = other.right < ours.left or other.left > ours.right
    return RivalKind.ELSEWHERE if apart else RivalKind.SPAN


def _covered(tree: Tree, node: int) -> tuple[int, int, str]:
    """The tokens under a node: where they start and end, and their text."""
    before = tree.tokens_before()
    words = [word for word in tree.words[node : tree.ends[node]] if word is not None]
    return before[node], before[tree.ends[node]], " ".join(words)


def _unfinished(tree: Tree, pieces: Sequence[str]) -> Constituent:
    """The root over the pieces of a parse that went no further."""
    start, end, text = _covered(tree, 0)
    return Constituent(
        node=0,
        label=tree.labels[0],
        start=start,
        end=end,
        text=text,
        children=tuple(pieces),
        head="",
        step=None,
        score=None,
        cost=0.0,
        facts=(),
        rules=(),
        others=Others(0, 0.0),
        rivals=(),
    )
