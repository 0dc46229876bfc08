"""Generated grammars: random rules over a tiny vocabulary, so that inferences cost all sorts of things."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from gpuparse.boost.compounds import Compounds, Literals
from gpuparse.kernels import cpu
from gpuparse.options import Strategy
from gpuparse.parse.features.space import FeatureSpace
from gpuparse.parse.logic.vocabulary import Vocabulary, build_vocabulary
from gpuparse.parse.model.rules import Rules, lay_out
from gpuparse.parse.search.parser import Parser
from gpuparse.trees import Token, load_language, parse_tree
from tests.parse.search.oracle import Oracle

LANGUAGE = load_language()
LABELS = ("NP", "VP", "S")
WORDS = {"NN": "dog", "VB": "bark", "DT": "the", ",": ","}


class Problem(NamedTuple):
    """A grammar and a sentence."""

    parser: Parser
    oracle: Oracle
    tokens: list[Token]


def tiny_vocabulary(n_labels: int) -> Vocabulary:
    labels = LABELS[:n_labels]
    inside = "(DT the) (, ,) (NN dog) (VB bark)"
    for label in labels:
        inside = f"({label} {inside})"
    return build_vocabulary([parse_tree(f"(TOP {inside})")], LANGUAGE)


def random_compounds(vocabulary: Vocabulary, seed: int, n_rules: int = 60) -> dict[int, dict[Literals, float]]:
    """For each label compound features of one to three literals, and a constant."""
    draw = random.Random(seed)
    size = FeatureSpace(vocabulary).size
    compounds: dict[int, dict[Literals, float]] = {}
    for label in range(len(vocabulary.labels)):
        theta: dict[Literals, float] = {(): draw.gauss(0, 1)}
        for _ in range(n_rules):
            chosen = sorted(draw.sample(range(size), draw.randint(1, 3)))
            theta[tuple((feature, draw.random() < 0.6) for feature in chosen)] = draw.gauss(0, 0.5)
        compounds[label] = theta
    return compounds


def lay_out_all(
    theta: Mapping[int, Mapping[Literals, float]], n_labels: int, space: FeatureSpace, frequency: np.ndarray
) -> Rules:
    """The rules of labels whose parameters are known by compound feature."""
    return lay_out({label: Compounds.of(parameters) for label, parameters in theta.items()}, n_labels, space, frequency)


def make_parser(
    vocabulary: Vocabulary, compounds: dict[int, dict[Literals, float]], strategy: Strategy, max_children: int,
    kernels: Any = cpu,
) -> Parser:  # fmt: skip
    space = FeatureSpace(vocabulary)
    frequency = np.random.default_rng(0).permutation(space.size)
    rules = lay_out_all(compounds, len(vocabulary.labels), space, frequency)
    return Parser(vocabulary, rules, strategy, max_children, kernels)


def make_problem(tags: str, n_labels: int, strategy: Strategy, max_children: int, seed: int) -> Problem:
    """A sentence with these tags, and random rules for NP, VP, S (as many as asked for) and TOP."""
    vocabulary = tiny_vocabulary(n_labels)
    compounds = random_compounds(vocabulary, seed)
    tokens = [Token(WORDS.get(tag, "new"), tag) for tag in tags.split()]
    parser = make_parser(vocabulary, compounds, strategy, max_children)
    return Problem(parser, Oracle(vocabulary, compounds, strategy.name, max_children, tokens), tokens)
