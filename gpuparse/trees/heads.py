"""Which child of a constituent is its head, and so which word speaks for it (after Collins 1999)."""

from __future__ import annotations

from collections.abc import Sequence

from gpuparse.trees.language import HeadRule, Language


def head_child(language: Language, label: str, child_labels: Sequence[str]) -> int:
    """The index of the head among the children of a constituent with this label.

    >>> from gpuparse.trees import load_language
    >>> head_child(load_language(), "NP", ["DT", "JJ", "NN"])
    2
    """
    rule = language.rule(label)
    return _before_conjunction(language, child_labels, _by_rule(language, rule, child_labels))


def _by_rule(language: Language, rule: HeadRule, child_labels: Sequence[str]) -> int:
    if rule.last is not None and child_labels[-1] == rule.last:
        return len(child_labels) - 1
    candidates = [index for index, label in enumerate(child_labels) if label not in language.raised]
    if not candidates:  # nothing but punctuation: something has to be the head
        candidates = list(range(len(child_labels)))
    for scan in rule.scans:
        for index in candidates if scan.from_left else reversed(candidates):
            if child_labels[index] in scan.labels:
                return index
    return candidates[0 if rule.fallback_from_left else -1]


def _before_conjunction(language: Language, child_labels: Sequence[str], head: int) -> int:
    """Of `A CC head` the first conjunct: the nearest non-punctuation child before the conjunction, if there is one."""
    if head < 2 or child_labels[head - 1] not in language.conjunctions:
        return head
    for index in range(head - 2, -1, -1):
        if child_labels[index] not in language.raised:
            return index
    return head
