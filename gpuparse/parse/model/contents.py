"""What a model file holds: a header of plain values and a few flat arrays, and the checks that make them safe to use.

A file may come from a stranger or from a broken disk. Whatever passes these checks can be parsed with: every index is
inside its array, every tree is a tree, and the rules that the trees compile to fit into memory and into fixed point.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec
import numpy as np

from gpuparse.boost.ensemble import Ensemble
from gpuparse.dtypes import FEATURE, REAL
from gpuparse.errors import LanguageError, ModelError
from gpuparse.options import Strategy
from gpuparse.parse.features.inventory import Inventory, inventory_of, inventory_with
from gpuparse.parse.features.space import FeatureSpace
from gpuparse.parse.logic.vocabulary import Vocabulary
from gpuparse.parse.model.model import CurvePoint, Model
from gpuparse.parse.model.preorder import children_in_preorder
from gpuparse.parse.model.rules import FIXED_POINT
from gpuparse.parse.properties import PROPERTIES
from gpuparse.printable import printable
from gpuparse.tag import Tagger
from gpuparse.tag.stored import ARRAYS as TAGGER_ARRAYS
from gpuparse.trees import TOP, parse_language
from gpuparse.words import WordClasses
from gpuparse.words.file import TYPES as CLASSES_ARRAYS
from gpuparse.words.file import ClassesHeader, from_arrays, to_arrays

MOST_SEARCHABLE_CHILDREN = 63  # the search keeps the head children of a candidate as bits of a word
MOST_FEATURES = int(np.iinfo(FEATURE).max)
MOST_HEAD_RANKS = 2**26  # entries of the table of head rules: 256 MB
MOST_LITERALS = 20_000_000  # of all rules together; laid out they take some gigabytes
MOST_LITERALS_PER_NODE = 200  # the bundled model has 0.5: a file must not take far more memory than its size promises
FEW_LITERALS = 1_000_000  # which are no trouble, however few nodes they come from
MOST_NEEDED = 64  # features that a rule must have; the rows of the search grow with the square. The bundled model has 5
MOST_TAGS = 1000  # of a tagger: its tables grow with their square, its memory for a long sentence too
MOST_TAGGER_WEIGHTS = 2**30  # features times tags of a tagger: 2 GB
MOST_SCORE = 2.0**62 / FIXED_POINT  # of one label: its sums must fit into 64 bits of fixed point


class Flaw(ValueError):
    """What is wrong with the contents of a model; whoever knows the name of its file adds that."""


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything of a model that is not an array."""

    labels: tuple[str, ...]
    inventory: Inventory
    values: dict[str, tuple[str, ...]]  # of each property
    language: str  # the TOML text
    strategy: str
    max_children: int
    lambda_: float
    curve: tuple[CurvePoint, ...]
    configuration: dict[str, Any]
    tagger: dict[str, Any] | None = None  # its settings
    classes: ClassesHeader | msgspec.UnsetType = msgspec.UNSET  # of words, where features ask for them


class Arrays(NamedTuple):
    """The ensembles of all labels one after the other, in the order of the labels, and the ranks of their features."""

    trees: np.ndarray  # int64[labels]: how many trees each label has
    lambdas: np.ndarray  # float64[trees]
    nodes: np.ndarray  # int64[trees]: how many nodes each tree has
    feature: np.ndarray  # int32[nodes] in pre-order, as in Ensemble
    valued: np.ndarray  # int32: the leaves whose value is not 0, counted over all trees, ascending
    value: np.ndarray  # float64: their values
    ranked: np.ndarray  # int32: the features whose rarity is known, ascending
    rarity: np.ndarray  # int64: their ranks
    tagger: dict[str, np.ndarray] | None = None  # the arrays of the tagger, in the order of TAGGER_ARRAYS
    classes: dict[str, np.ndarray] | None = None  # the arrays of the word classes, in the order of CLASSES_ARRAYS

    def by_name(self) -> dict[str, np.ndarray]:
        """All of them under the names that they have in a file."""
        named = {name: getattr(self, name) for name in PARSER_TYPES}
        named |= {TAGGER_PREFIX + name: array for name, array in (self.tagger or {}).items()}
        return named | {CLASSES_PREFIX + name: array for name, array in (self.classes or {}).items()}

    @classmethod
    def from_names(cls, arrays: Mapping[str, np.ndarray]) -> Arrays:
        """The inverse of by_name."""
        own = {name: arrays[name] for name in PARSER_TYPES}
        tagger = {name: arrays[TAGGER_PREFIX + name] for name in TAGGER_ARRAYS if TAGGER_PREFIX + name in arrays}
        classes = {name: arrays[CLASSES_PREFIX + name] for name in CLASSES_ARRAYS if CLASSES_PREFIX + name in arrays}
        return cls(**own, tagger=tagger or None, classes=classes or None)


TAGGER_PREFIX, CLASSES_PREFIX = "tagger.", "classes."
OF_THE_MODEL = "of the model"  # in place of a tagger's word classes
_DTYPES = (np.int64, REAL, np.int64, FEATURE, np.int32, REAL, FEATURE, np.int64)
PARSER_TYPES: dict[str, np.dtype[Any]] = {
    name: np.dtype(dtype) for name, dtype in zip(Arrays._fields[: len(_DTYPES)], _DTYPES, strict=True)
}
TAGGER_TYPES: dict[str, np.dtype[Any]] = {
    TAGGER_PREFIX + name: np.dtype(dtype) for name, dtype in TAGGER_ARRAYS.items()
}
CLASSES_TYPES: dict[str, np.dtype[Any]] = {CLASSES_PREFIX + name: dtype for name, dtype in CLASSES_ARRAYS.items()}


def pack(model: Model) -> tuple[Header, Arrays]:
    """A model as header and arrays."""
    vocabulary = model.vocabulary
    if set(model.ensembles) != set(vocabulary.labels):
        raise Flaw(f"it must have one ensemble for each of its labels, and has them for {sorted(model.ensembles)}")
    inventory, classes = inventory_of(vocabulary), vocabulary.classes
    header = Header(
        labels=vocabulary.labels,
        inventory=inventory,
        values={name: vocabulary.values_of(name) for name in inventory.properties},
        language=vocabulary.language.text,
        strategy=model.strategy.name,
        max_children=model.max_children,
        lambda_=model.lambda_,
        curve=model.curve,
        configuration=model.configuration,
        tagger=_tagger_settings(model.tagger, classes),
        classes=msgspec.UNSET if classes is None else ClassesHeader(classes.granularities, classes.fold),
    )
    ensembles = [model.ensembles[label] for label in vocabulary.labels]

    def join(columns: Iterable[np.ndarray]) -> np.ndarray:
        return np.concatenate(list(columns))

    ranked = sorted(model.rarity)
    feature = join(ensemble.feature for ensemble in ensembles)
    nodes = join(np.diff(ensemble.starts) for ensemble in ensembles)
    value = join(ensemble.value for ensemble in ensembles)
    yes, no = (join(getattr(ensemble, name) for ensemble in ensembles) for name in ("yes", "no"))
    check_preorder(feature, nodes, yes, no)
    valued = np.flatnonzero((feature < 0) & (value != 0))
    arrays = Arrays(
        trees=np.array([len(ensemble.lambdas) for ensemble in ensembles]),
        lambdas=join(ensemble.lambdas for ensemble in ensembles),
        nodes=nodes,
        feature=feature,
        valued=valued,
        value=value[valued],
        ranked=np.array(ranked),
        rarity=np.array([model.rarity[feature] for feature in ranked]),
    )
    typed = {name: getattr(arrays, name).astype(dtype) for name, dtype in PARSER_TYPES.items()}
    packed = None if classes is None else to_arrays(classes)
    return header, Arrays(**typed, tagger=_pack_tagger(model.tagger), classes=packed)


def _tagger_settings(tagger: Tagger | None, classes: WordClasses | None) -> dict[str, Any] | None:
    """The settings of a tagger, without its word classes where they are those of the model."""
    if tagger is None:
        return None
    shared = classes is not None and tagger.lexicon.classes is classes
    return tagger.settings() | ({"classes": OF_THE_MODEL} if shared else {})


def _pack_tagger(tagger: Tagger | None) -> dict[str, np.ndarray] | None:
    if tagger is None:
        return None
    arrays = tagger.arrays()
    return {name: arrays[name].astype(dtype) for name, dtype in TAGGER_ARRAYS.items()}


def unpack(header: Header, arrays: Arrays) -> Model:
    """The model of a header and arrays; a Flaw where they do not make one."""
    _check_inventory(header)
    vocabulary = _vocabulary(header, _unpack_classes(header, arrays))
    _check_settings(header)
    _check_lengths(arrays, len(vocabulary.labels))
    _check_lambdas(arrays)
    space = FeatureSpace(vocabulary)
    trees = _unpack_trees(arrays, space.size)
    _check_literals(arrays, trees)
    _check_values(arrays, trees)
    _check_rarity(arrays, space.size)
    ensembles, starts = {}, trees.starts
    last = 0
    for label, number in zip(vocabulary.labels, arrays.trees.tolist(), strict=True):
        first, last = last, last + number
        nodes = slice(int(starts[first]), int(starts[last]))
        ensembles[label] = Ensemble(
            starts[first : last + 1] - starts[first],
            trees.feature[nodes],
            trees.yes[nodes],
            trees.no[nodes],
            trees.value[nodes],
            arrays.lambdas[first:last],
        )
    rarity = dict(zip(arrays.ranked.tolist(), arrays.rarity.tolist(), strict=True))
    return Model(
        vocabulary=vocabulary,
        strategy=Strategy[header.strategy],
        max_children=header.max_children,
        ensembles=ensembles,
        rarity=rarity,
        lambda_=header.lambda_,
        curve=header.curve,
        configuration=header.configuration,
        tagger=_unpack_tagger(header, arrays, vocabulary.classes),
    )


def _require(holds: bool | np.bool_, problem: str) -> None:
    if not holds:
        raise Flaw(problem)


def _check_inventory(header: Header) -> None:
    inventory = inventory_with(header.inventory.properties)
    difference = printable(inventory.difference(header.inventory))[:200]
    _require(
        not difference,
        f"it was trained with other features than this gpuparse has: {difference}. Train it again",
    )
    stored = set(header.values) == set(inventory.properties)
    _require(stored, f"it must have the values of {', '.join(inventory.properties)}, and of nothing else")


def _unpack_classes(header: Header, arrays: Arrays) -> WordClasses | None:
    if isinstance(header.classes, msgspec.UnsetType) and arrays.classes is None:
        optional = {prop.name for prop in PROPERTIES if prop.optional}
        _require(optional.isdisjoint(header.values), "its features ask for classes of words, and it has none")
        return None
    if isinstance(header.classes, msgspec.UnsetType) or arrays.classes is None:
        raise Flaw("of its word classes there are settings without arrays, or arrays without settings")
    try:
        return from_arrays(header.classes, arrays.classes)
    except ValueError as error:
        raise Flaw(f"its word classes are damaged: {error}") from error


def _vocabulary(header: Header, classes: WordClasses | None) -> Vocabulary:
    for name, values in header.values.items():
        _require(_ascends(values), f"its values of {name} are not sorted, each once")
    _require(header.labels[-1:] == (TOP,), f"the last of its labels is not {TOP}")
    inner = header.labels[:-1]
    _require(_ascends(inner) and TOP not in inner, f"its labels before {TOP} are not sorted, each once")
    try:
        language = parse_language(header.language, "the language")
    except (LanguageError, RecursionError) as error:
        raise Flaw(f"its language can't be used: {printable(str(error))[:200]}") from error
    of_properties = tuple(header.values.get(prop.name, ()) for prop in PROPERTIES)
    vocabulary = Vocabulary(header.labels, of_properties, language, classes)
    symbols = {*inner, *vocabulary.tags}
    _require(set(vocabulary.symbols) == symbols, "the values of its property label are not its labels and tags")
    scans = max((len(rule.scans) for rule in language.rules.values()), default=0)
    head_ranks = len(header.labels) * (len(vocabulary.all_symbols) + scans)
    _require(head_ranks <= MOST_HEAD_RANKS, f"it has too many labels and head rules ({head_ranks:,} ranks)")
    size = FeatureSpace(vocabulary).size
    _require(size <= MOST_FEATURES, f"its vocabulary has too many features ({size:,})")
    return vocabulary


def _ascends(values: Sequence[str]) -> bool:
    return all(value < following for value, following in pairwise(values))


def _check_settings(header: Header) -> None:
    _require(header.strategy in Strategy.__members__, f"its strategy is {header.strategy!r}, which is none")
    _require(
        1 <= header.max_children <= MOST_SEARCHABLE_CHILDREN,
        f"items of {header.max_children} children can't be searched",
    )
    _require(math.isfinite(header.lambda_) and header.lambda_ >= 0, "its lambda is no number from 0 on")
    for point in header.curve:
        figures = (point.lambda_, point.precision, point.recall, point.f1)
        sound = all(map(math.isfinite, figures)) and min(point.trees, point.compounds) >= 0
        _require(sound, "its curve has a point with impossible figures")
    falls = all(point.lambda_ > following.lambda_ for point, following in pairwise(header.curve))
    _require(falls, "the lambdas of its curve do not fall")


def _check_lengths(arrays: Arrays, labels: int) -> None:
    for names, of_what, lengths in (
        (("trees",), "labels", labels),
        (("lambdas", "nodes"), "trees", _total(arrays.trees, 0, len(arrays.lambdas), "label", "trees")),
        (("feature",), "nodes", _total(arrays.nodes, 1, len(arrays.feature), "tree", "nodes")),
        (("value",), "leaves", len(arrays.valued)),
        (("rarity",), "ranked features", len(arrays.ranked)),
    ):
        for name in names:
            size = len(getattr(arrays, name))
            _require(size == lengths, f"{name} has {size:,} entries for {lengths:,} {of_what}")


def _total(counts: np.ndarray, least: int, most: int, owner: str, what: str) -> int:
    """The sum of counts; each is checked first, so that the sum can't overflow."""
    sound = ((counts >= least) & (counts <= most)).all()
    _require(sound, f"a {owner} has an impossible number of {what}")
    return int(counts.sum())


def _check_lambdas(arrays: Arrays) -> None:
    lambdas = arrays.lambdas
    _require(np.isfinite(lambdas).all() and (lambdas >= 0).all(), "the lambda of a tree is no number from 0 on")
    label = np.repeat(np.arange(len(arrays.trees)), arrays.trees)
    rises = (np.diff(lambdas) > 0) & (np.diff(label) == 0)
    _require(not rises.any(), "the lambdas of a label's trees rise")


class _Trees(NamedTuple):
    """All trees with an entry per node, as Ensemble has them."""

    starts: np.ndarray  # int64[trees + 1]
    feature: np.ndarray
    yes: np.ndarray
    no: np.ndarray
    value: np.ndarray


def _unpack_trees(arrays: Arrays, features: int) -> _Trees:
    feature, valued = arrays.feature, arrays.valued
    _require(((feature >= -1) & (feature < features)).all(), "a tree tests a feature that is not in its vocabulary")
    try:
        yes, no = children_in_preorder(feature >= 0, arrays.nodes)
    except ValueError as error:
        raise Flaw(str(error)) from error
    inside = ((valued >= 0) & (valued < len(feature))).all() and (np.diff(valued) > 0).all()
    _require(inside and (feature[valued] < 0).all(), "what has a value are not leaves of its trees, ascending")
    value = np.zeros(len(feature), REAL)
    value[valued] = arrays.value
    return _Trees(np.concatenate([[0], np.cumsum(arrays.nodes)]), feature, yes, no, value)


def check_preorder(feature: np.ndarray, nodes: np.ndarray, yes: np.ndarray, no: np.ndarray) -> None:
    """Raise a Flaw where the children of nodes are others than those that follow from pre-order."""
    try:
        expected = children_in_preorder(feature >= 0, nodes)
    except ValueError as error:
        raise Flaw(str(error)) from error
    same = np.array_equal(yes, expected[0]) and np.array_equal(no, expected[1])
    _require(same, "the nodes of a tree are not in pre-order")


def _check_literals(arrays: Arrays, trees: _Trees) -> None:
    """Count the literals of the rules, level by level: d at a leaf of depth d; one whose value is 0 makes no rule."""
    root = np.repeat(trees.starts[:-1], arrays.nodes)
    yes, no = root + trees.yes, root + trees.no
    level, needed = trees.starts[:-1], np.zeros(len(arrays.nodes), np.int64)
    literals, depth = 0, 0
    most = min(MOST_LITERALS, FEW_LITERALS + MOST_LITERALS_PER_NODE * len(trees.feature))
    while len(level):
        leaf = trees.feature[level] < 0
        rule = leaf & (trees.value[level] != 0.0)
        literals += int(rule.sum()) * depth
        _require(literals <= most, f"its trees are too deep: their rules have over {most:,} literals")
        most_needed = needed[rule].max(initial=0)
        _require(most_needed <= MOST_NEEDED, f"its trees are too deep: a rule needs over {MOST_NEEDED} features")
        inner, needed = level[~leaf], needed[~leaf]
        level = np.concatenate([yes[inner], no[inner]])
        needed = np.concatenate([needed + 1, needed])
        depth += 1


def _check_values(arrays: Arrays, trees: _Trees) -> None:
    """No parameter and no score of a label is greater than the sum of the greatest values of its trees."""
    _require(np.isfinite(arrays.value).all(), "the value of a leaf is no finite number")
    if len(trees.value) == 0:
        return
    greatest = np.maximum.reduceat(np.abs(trees.value), trees.starts[:-1])
    label = np.repeat(np.arange(len(arrays.trees)), arrays.trees)
    with np.errstate(over="ignore"):
        scores = np.bincount(label, weights=greatest)
    _require((scores < MOST_SCORE).all(), f"the values of its leaves are too great: scores can pass {MOST_SCORE:,.0f}")


def _unpack_tagger(header: Header, arrays: Arrays, classes: WordClasses | None) -> Tagger | None:
    if header.tagger is None and arrays.tagger is None:
        return None
    if header.tagger is None or arrays.tagger is None:
        raise Flaw("of its tagger there are settings without arrays, or arrays without settings")
    shared = classes if header.tagger.get("classes") == OF_THE_MODEL else None
    try:
        tagger = Tagger.from_parts(arrays.tagger, header.tagger, shared)
    except ModelError as error:
        problem = str(error).removesuffix(".")
        raise Flaw(problem[:1].lower() + problem[1:]) from error
    check_tagger_size(tagger)
    return tagger


def check_tagger_size(tagger: Tagger) -> None:
    """Raise a Flaw for a tagger that would not fit into memory."""
    tags, features = len(tagger.lexicon.tags), len(tagger.keys)
    _require(tags <= MOST_TAGS, f"its tagger has too many tags ({tags:,}; at most {MOST_TAGS:,} can be used)")
    weights = features * tags
    _require(weights <= MOST_TAGGER_WEIGHTS, f"its tagger is too large ({features:,} features of {tags:,} tags)")


def _check_rarity(arrays: Arrays, features: int) -> None:
    ranked = arrays.ranked
    inside = ((ranked >= 0) & (ranked < features)).all()
    _require(inside and (np.diff(ranked) > 0).all(), "its ranked features are not in its vocabulary, ascending")
    _require((arrays.rarity >= 0).all(), "a rank is negative")
