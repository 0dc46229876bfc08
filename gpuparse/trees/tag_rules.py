"""What a language says of its tags: how some tokens are written always decides, and which tags predicates have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class TagRules:
    """Part of a language, and stored with a tagger.

    >>> rules = TagRules(runs={".": "?!"}, tokens={":": ("...",)})
    >>> [rules.tag_of(word) for word in ("!!!", "?!", "!", "...", "so")]
    ['.', '.', None, ':', None]
    """

    runs: Mapping[str, str] = field(default_factory=dict)  # from a tag to characters: a token of two or more of them
    tokens: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # from a tag to the tokens that always have it
    predicates: tuple[str, ...] = ()  # the tags of words that can be a sentence's predicate
    # From the tag of a verb to tags: what begins with the one after the other could be said as a command,
    commands: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # and what ends with the one after the other as a statement.
    statements: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def tag_of(self, word: str) -> str | None:
        """The tag that a token has because of how it is written, if any."""
        for tag, tokens in self.tokens.items():
            if word in tokens:
                return tag
        if len(word) > 1 and not word[0].isalnum():
            for tag, characters in self.runs.items():
                if all(character in characters for character in word):
                    return tag
        return None

    def with_tags(self, tags: Iterable[str]) -> TagRules:
        """The rules that concern these tags: a treebank that has no such tag does not follow the rule."""
        tag_set = set(tags)
        return replace(
            self,
            runs={tag: run for tag, run in self.runs.items() if tag in tag_set},
            tokens={tag: tokens for tag, tokens in self.tokens.items() if tag in tag_set},
            predicates=tuple(tag for tag in self.predicates if tag in tag_set),
            commands={tag: before for tag, before in self.commands.items() if tag in tag_set},
            statements={tag: before for tag, before in self.statements.items() if tag in tag_set},
        )
