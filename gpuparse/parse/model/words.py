"""Rules in words: what a person reads, `first1.headtag=DT and not len(children)>3`, and how much it weighs."""

from __future__ import annotations

from dataclasses import dataclass

from gpuparse.boost.ensemble import Ensemble, Literals
from gpuparse.parse.features.space import FeatureSpace
from gpuparse.printable import printable

ALWAYS = "always"  # the compound feature with no literals: the root of every tree


@dataclass(frozen=True)
class WordedRule:
    """A compound feature of one label, in words, and its parameter."""

    weight: float
    words: str


def in_words(literals: Literals, space: FeatureSpace) -> str:
    """A conjunction in words, what must be there before what must not.

    >>> from gpuparse.parse.logic.vocabulary import build_vocabulary
    >>> from gpuparse.trees import load_language, parse_trees
    >>> space = FeatureSpace(build_vocabulary(parse_trees("(TOP (NP (NNP Ann)))"), load_language()))
    >>> in_words(((0, False), (1, True)), space), in_words((), space)
    ('first1.label=NP and not first1.label=NNP', 'always')
    """
    ordered = sorted(literals, key=lambda literal: not literal[1])
    named = ((printable(space.name(feature)), there) for feature, there in ordered)
    return " and ".join(name if there else f"not {name}" for name, there in named) or ALWAYS


def heaviest_rules(ensemble: Ensemble, space: FeatureSpace, most: int, lambda_: float = 0.0) -> list[WordedRule]:
    """At most so many rules of the model at a lambda, those of the greatest absolute weight first.

    >>> from gpuparse.boost import GrownTree
    >>> from gpuparse.parse.logic.vocabulary import build_vocabulary
    >>> from gpuparse.trees import load_language, parse_trees
    >>> space = FeatureSpace(build_vocabulary(parse_trees("(TOP (NP (NNP Ann)))"), load_language()))
    >>> stump = GrownTree.of([0, -1, -1], [1, -1, -1], [2, -1, -1], [0.0, 0.5, -2.0])
    >>> heaviest_rules(Ensemble.of([stump], [0.1]), space, 1)
    [WordedRule(weight=-2.0, words='not first1.label=NNP')]
    """
    ordered = sorted(ensemble.compounds(lambda_).items(), key=lambda rule: (-abs(rule[1]), rule[0]))
    return [WordedRule(weight, in_words(literals, space)) for literals, weight in ordered[:most]]
