"""An explanation made up for the tests of what is said: one constituent, and one rival that lost to it."""

from __future__ import annotations

from gpuparse.parse.explain import Constituent, Explanation, Others, Rival, RivalKind
from gpuparse.parse.parsed_tree import ParsedTree
from gpuparse.trees import parse_tree

NOTHING = Others(0, 0.0)
RIVAL = Rival(RivalKind.SPAN, "NP", 1, 3, "the dog", ("DT", "NN"), 0.0, 0.5, (), (), NOTHING)
BUILT = Constituent(0, "VP", 0, 3, "see the dog", ("VB", "NP"), "see", 1, 1.0, 0.25, (), (), NOTHING, ())
PARSED = ParsedTree(parse_tree("(TOP (VB go))"), 0.25, "optimal", 1200, ())
EXPLANATION = Explanation((), PARSED, True, "r2l", 0.1, ())
