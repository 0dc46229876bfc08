"""The words of the synthetic treebank: a few frequent ones and many made up, and their forms."""

from __future__ import annotations

import random
import tomllib
from functools import cache
from importlib import resources
from itertools import accumulate

RARE_WORDS = 150  # made-up words that each class of nouns, verbs, adjectives and names has besides its frequent ones
ONSETS = (
    "b",
    "br",
    "c",
    "cl",
    "d",
    "dr",
    "f",
    "fl",
    "g",
    "gr",
    "h",
    "l",
    "m",
    "n",
    "p",
    "pl",
    "r",
    "s",
    "st",
    "t",
    "tr",
    "w",
)
CODAS = ("b", "ck", "ll", "m", "n", "nd", "nt", "p", "r", "rk", "rn", "sk", "st", "t", "mp")


class WeightedWords:
    """The words of a class, drawn by the law of Zipf and Mandelbrot: the r-th with weight (r + 1)^-1.5."""

    def __init__(self, words: list[str]) -> None:
        self.words = words
        self.cumulative = list(accumulate((rank + 1) ** -1.5 for rank in range(1, len(words) + 1)))

    def draw(self, source: random.Random) -> str:
        return source.choices(self.words, cum_weights=self.cumulative)[0]


@cache
def lexicon() -> dict[str, WeightedWords]:
    """The words by class: `noun.person`, `verb.give`, `adjective` and so on.

    >>> lexicon()["noun.tool"].words[:2]
    ['knife/knives', 'key']
    """
    text = resources.files("gpuparse.trees.data").joinpath("synthetic.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    classes = {f"noun.{name}": words.split() for name, words in tables["nouns"].items()}
    classes |= {f"verb.{name}": words.split() for name, words in tables["verbs"].items()}
    classes |= {name: words.split() for name, words in tables["others"].items()}
    for name, words in classes.items():
        if name.startswith(("noun.", "verb.")) or name in ("adjective", "name"):
            rare = _made_up_words(name, RARE_WORDS)
            words += [word.capitalize() for word in rare] if name == "name" else rare
    return {name: WeightedWords(words) for name, words in classes.items()}


def _made_up_words(name: str, number: int) -> list[str]:
    """Words of two syllables that could be English, the same in every run."""
    source = random.Random(name)
    words: dict[str, None] = {}  # a dict keeps their order
    while len(words) < number:
        words["".join(source.choice(sounds) for sounds in (ONSETS, "aeiou", "bdglmnprstv", "aeiou", CODAS))] = None
    return list(words)


def _ends_in_consonant_and_y(word: str) -> bool:
    return word.endswith("y") and word[-2] not in "aeiou"


def _with_s(word: str) -> str:
    if _ends_in_consonant_and_y(word):
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")


def plural(noun: str) -> str:
    """The plural of a noun of the lexicon.

    >>> plural("man/men"), plural("city"), plural("church")
    ('men', 'cities', 'churches')
    """
    _, _, irregular = noun.partition("/")
    return irregular or _with_s(noun)


def inflect(verb: str, tag: str) -> str:
    """The form of a verb of the lexicon that has this tag.

    >>> [inflect("give/gave/given", tag) for tag in ("VB", "VBZ", "VBD", "VBN", "VBG")]
    ['give', 'gives', 'gave', 'given', 'giving']
    """
    plain, *irregular = verb.split("/")
    if tag in ("VB", "VBP"):
        return plain
    if tag == "VBZ":
        return _with_s(plain)
    if tag == "VBG":
        return irregular[2] if len(irregular) > 2 else (plain[:-1] if plain.endswith("e") else plain) + "ing"
    if irregular:
        return irregular[0 if tag == "VBD" else 1]
    return plain[:-1] + "ied" if _ends_in_consonant_and_y(plain) else plain + ("d" if plain.endswith("e") else "ed")
