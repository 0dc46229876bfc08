"""What a word's other forms promise it."""

from __future__ import annotations

from gpuparse.tag.forms import FEWEST_PAIRS, Forms

STEMS = [first + vowel + last for first in "bdfgl" for vowel in "aeo" for last in ("ck", "sh", "ll")]


def tags_of_stems(stems: list[str]) -> dict[str, tuple[str, ...]]:
    tags: dict[str, tuple[str, ...]] = {}
    for stem in stems:
        tags |= {stem: ("VB",), stem + "ed": ("VBD", "VBN"), stem + "s": ("VBZ",)}
    return tags


def test_endings_that_go_together_often_are_rules_in_both_directions() -> None:
    forms = Forms.learn(tags_of_stems(STEMS))
    assert {("ed", "VBD", "", "VB"), ("", "VB", "ed", "VBD"), ("s", "VBZ", "ed", "VBN")} <= set(forms.rules)


def test_a_word_is_promised_the_tags_of_its_paradigm_by_one_form_that_occurred() -> None:
    forms = Forms.learn(tags_of_stems(STEMS))
    assert forms.promised("zumps", {"zumped": ("VBD",)}) == ("VBZ",)
    assert forms.promised("zump", {"zumped": ("VBD",)}) == ("VB",)
    assert forms.promised("zump", {"zumped": ("JJ",)}) == ()
    assert forms.promised("zump", {}) == ()


def test_endings_that_go_together_seldom_are_no_rule() -> None:
    assert Forms.learn(tags_of_stems(STEMS[: FEWEST_PAIRS - 1])).rules == ()


def test_what_most_words_with_the_other_form_lack_is_no_rule() -> None:
    tags = tags_of_stems(STEMS) | dict.fromkeys(STEMS[: len(STEMS) * 2 // 3], ("NN",))
    rules = set(Forms.learn(tags).rules)
    assert ("ed", "VBD", "", "VB") not in rules
    assert ("ed", "VBD", "", "NN") in rules


def test_a_stem_has_three_letters_at_least() -> None:
    forms = Forms((("ed", "VBD", "", "VB"),))
    assert forms.promised("be", {"beed": ("VBD",)}) == ()
    assert forms.promised("beg", {"beged": ("VBD",)}) == ("VB",)
