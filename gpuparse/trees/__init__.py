"""Trees as text and as arrays: brackets in and out, preparation and its undoing, head rules, a synthetic treebank."""

from gpuparse.trees.brackets import parse_tree, parse_trees, read_trees, treebank_files
from gpuparse.trees.heads import head_child
from gpuparse.trees.language import HeadRule, Language, Scan, Scoring, load_language, parse_language
from gpuparse.trees.meter import Meter
from gpuparse.trees.preparation import (
    Prepared,
    Sentence,
    count_words,
    prepare,
    prepare_tokens,
    rename,
    restore,
    strip,
)
from gpuparse.trees.synthetic import synthetic_treebank
from gpuparse.trees.tag_rules import TagRules
from gpuparse.trees.tree import TOP, UNPARSED, Original, Span, TagOdds, Token, Tree

__all__ = [
    "TOP",
    "UNPARSED",
    "HeadRule",
    "Language",
    "Meter",
    "Original",
    "Prepared",
    "Scan",
    "Scoring",
    "Sentence",
    "Span",
    "TagOdds",
    "TagRules",
    "Token",
    "Tree",
    "count_words",
    "head_child",
    "load_language",
    "parse_language",
    "parse_tree",
    "parse_trees",
    "prepare",
    "prepare_tokens",
    "read_trees",
    "rename",
    "restore",
    "strip",
    "synthetic_treebank",
    "treebank_files",
]
