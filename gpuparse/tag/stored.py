"""What of a tagger is stored: the names and types of its parts, and the checks of those that are read.

A file may come from a stranger or from a broken disk. What passes the checks can be tagged with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from gpuparse.errors import ModelError
from gpuparse.tag.forms import Forms
from gpuparse.tag.lexicon import MOST_WORDS, Classes, Lexicon, StoredClasses
from gpuparse.tag.pruning import MOST
from gpuparse.tag.templates import MOST_TEMPLATES, MOST_VALUES, parse_templates, widened
from gpuparse.text.tokens import TokenStyle
from gpuparse.trees import TagRules

TAGGER_VERSION = 2  # of the settings; the first had none
MOST_RULES = 100_000  # for the forms of words; English has some hundreds
ARRAYS = {
    "keys": np.int64,
    "row_starts": np.int32,
    "row_tags": np.int16,
    "row_weights": np.int16,
    "dictionary_starts": np.int32,
    "dictionary_tags": np.int16,
}
STRINGS = ("tags", "words", "prefixes", "suffixes", "shapes")


def check(holds: bool, problem: str) -> None:
    if not holds:
        raise ModelError(f"The model's tagger is damaged: {problem}. Train or fetch the model again.")


def checked_style(style: Any) -> TokenStyle:
    choices = asdict(TokenStyle())
    check(isinstance(style, dict) and style.keys() == choices.keys(), "its token style is not complete")
    check(all(isinstance(value, bool) for value in style.values()), "its token style is not a choice of yes and no")
    return TokenStyle(**style)


def checked_strings(settings: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    lists: dict[str, Any] = {name: settings.get(name) for name in STRINGS}
    for name, strings in lists.items():
        whole = isinstance(strings, list) and all(isinstance(string, str) for string in strings)
        check(whole and len(set(strings)) == len(strings) <= MOST_WORDS, f"its {name} are no list of names")
    check(0 < len(lists["tags"]) <= MOST, "it has no tags, or too many")
    return {name: tuple(strings) for name, strings in lists.items()}


def checked_newer(settings: Mapping[str, Any], tags: Sequence[str], classes: Classes | None) -> dict[str, Any]:
    """What a tagger of the first version had not."""
    check(settings.get("version") == TAGGER_VERSION, "it is of another version")
    forms, promises, sure = (settings.get(name) for name in ("forms", "promises", "sure"))
    if forms is None and "forms" in settings:  # one of the first version that was stored again
        return {}
    check(
        isinstance(forms, list)
        and len(forms) <= MOST_RULES
        and all(isinstance(rule, list) and len(rule) == 4 and _are_strings(rule) for rule in forms),
        "its rules for the forms of words are no such rules",
    )
    tag_set = {*tags}
    whole = isinstance(promises, list) and _are_strings(promises) and len({*promises}) == len(promises) <= MOST_WORDS
    check(whole, "its promises are no list of names")
    assert isinstance(forms, list)
    assert isinstance(promises, list)
    check(all(rule[3] in tag_set for rule in forms), "a form has a tag that is not there")
    check(isinstance(sure, int) and not isinstance(sure, bool) and sure >= 0, "its number of sure words is none")
    return {
        "forms": Forms(tuple(tuple(rule) for rule in forms)),
        "promises": tuple(promises),
        "sure": sure,
        "rules": _checked_rules(settings.get("rules"), tag_set),
        "classes": classes or _checked_classes(settings.get("classes")),
    }


def plain_rules(rules: TagRules) -> dict[str, Any]:
    """The rules as JSON has them."""
    tables = {
        name: {tag: list(strings) for tag, strings in getattr(rules, name).items()}
        for name in ("tokens", "commands", "statements")
    }
    return {"runs": dict(rules.runs), "predicates": list(rules.predicates), **tables}


def plain_classes(classes: Classes) -> dict[str, Any]:
    words = sorted(classes.words)
    return {
        "granularities": list(classes.granularities),
        "words": words,
        "numbers": [list(numbers) for numbers in zip(*map(classes.of, words), strict=True)],  # per granularity
    }


def _checked_classes(classes: Any) -> StoredClasses | None:
    if classes is None:
        return None
    problem = "its word classes are not complete"
    check(isinstance(classes, dict) and classes.keys() == {"granularities", "words", "numbers"}, problem)
    granularities, words, numbers = (classes[name] for name in ("granularities", "words", "numbers"))
    check(all(isinstance(part, list) for part in (granularities, words, numbers)), problem)
    check(_are_whole(granularities, MOST_VALUES - 1) and len({*granularities}) == len(granularities) <= 8, problem)
    check(_are_strings(words) and len({*words}) == len(words), problem)
    check(len(numbers) == len(granularities) and all(isinstance(column, list) for column in numbers), problem)
    for column, most in zip(numbers, granularities, strict=True):
        check(len(column) == len(words) and _are_whole(column, most), problem)
    return StoredClasses(tuple(granularities), dict(zip(words, zip(*numbers, strict=True), strict=True)))


def _are_whole(numbers: Iterable[Any], most: int) -> bool:
    return all(type(number) is int and 0 <= number <= most for number in numbers)


def _are_strings(strings: Iterable[Any]) -> bool:
    return all(isinstance(string, str) for string in strings)


def _checked_rules(rules: Any, tags: set[str]) -> TagRules:
    names = {"runs", "tokens", "predicates", "commands", "statements"}
    problem = "its rules for tags are not complete"
    check(isinstance(rules, dict) and rules.keys() == names, problem)
    runs, predicates = rules["runs"], rules["predicates"]
    tables = [rules[name] for name in ("tokens", "commands", "statements")]
    check(all(isinstance(table, dict) for table in (runs, *tables)), problem)
    check(_are_strings(runs.values()) and isinstance(predicates, list | tuple) and _are_strings(predicates), problem)
    lists = [strings for table in tables for strings in table.values()]
    check(all(isinstance(each, list | tuple) and _are_strings(each) for each in lists), problem)
    check({*runs, *tables[0], *predicates} <= tags, "a rule has a tag that is not there")
    tokens, commands, statements = ({tag: tuple(strings) for tag, strings in table.items()} for table in tables)
    return TagRules(dict(runs), tokens, tuple(predicates), commands, statements)


def checked_widened(keys: np.ndarray) -> np.ndarray:
    """Keys of the first version, which had wider values, as they are packed now."""
    first, second, template = (keys >> 24) & 0xFFFFFF, keys & 0xFFFFFF, keys >> 48
    fits = (keys >= 0) & (template < MOST_TEMPLATES) & (first < MOST_VALUES) & (second < MOST_VALUES)
    check(bool(fits.all()), "a feature has a value that is not there")
    return widened(keys)


def checked_templates(templates: Any, lexicon: Lexicon) -> tuple[str, ...]:
    are_names = isinstance(templates, list) and _are_strings(templates) and len(templates) <= MOST_TEMPLATES
    check(are_names, "its features are not named")
    try:
        parse_templates(templates, lexicon.attribute_names)
    except ValueError as error:
        raise ModelError(
            f"The model's tagger is damaged: its features are those of another version ({error}). Train or fetch the "
            "model again."
        ) from error
    return tuple(templates)


def checked_array(arrays: Mapping[str, np.ndarray], name: str) -> np.ndarray:
    array = arrays.get(name)
    check(
        array is not None and array.dtype == ARRAYS[name] and array.ndim == 1, f"{name} is missing or of a wrong type"
    )
    return np.array(array)  # a copy: others may change or unmap theirs


def check_starts(starts: np.ndarray, end: int, what: str) -> None:
    rising = len(starts) > 0 and starts[0] == 0 and starts[-1] == end and bool((starts[1:] >= starts[:-1]).all())
    check(rising, f"the list of its {what} is not in order")


def check_tags(tags: np.ndarray, starts: np.ndarray, tag_count: int) -> None:
    """Check that the tags exist, and that each list of them is ascending."""
    check(bool(((tags >= 0) & (tags < tag_count)).all()), "it names a tag that is not there")
    rises = tags[1:] > tags[:-1]
    inner = starts[(starts > 0) & (starts < len(tags))]
    rises[inner - 1] = True
    check(bool(rises.all()), "its tags are not in order")
