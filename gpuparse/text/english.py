"""The word lists of english.toml."""

from __future__ import annotations

import tomllib
from importlib import resources

_LISTS = tomllib.loads(resources.files("gpuparse.text").joinpath("english.toml").read_text(encoding="utf-8"))

WITHIN = frozenset(_LISTS["abbreviations"]["inner"])
ENDING = frozenset(_LISTS["abbreviations"]["ending"])
NUMBERED = frozenset(_LISTS["abbreviations"]["numbered"])
STARTERS = frozenset(_LISTS["sentences"]["starters"])
PREFIXES = frozenset(_LISTS["hyphens"]["prefixes"])
SUFFIXES = frozenset(_LISTS["hyphens"]["suffixes"])
TENS = frozenset(_LISTS["hyphens"]["tens"])
CONTRACTIONS: dict[str, int] = _LISTS["contractions"]
