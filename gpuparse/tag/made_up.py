"""Short sentences out of long ones: *You can book a flight.* holds *Book a flight.*

Written text has few commands and few statements of two or three words, and a tagger that has seen none takes their
verbs for nouns and names. Where a language says so, pieces of sentences are taught as sentences of their own, so many
for every verb:

    commands      what begins with a verb ("VB") after certain tags ("TO", "MD"), up to the sentence's end
    statements    what ends with a verb ("VBZ") after certain tags ("NN", "NNP"), from the sentence's beginning
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from gpuparse.trees import TagRules, Token

LONGEST_COMMAND = 15  # words
LONGEST_STATEMENT = 5  # without the mark at its end
CAPITALS = 0.75  # of the commands begin with a capital
NO_MARK = 0.3  # of them have no mark at their end

TaggedSentence = Sequence[Token]


def make_up(sentences: Sequence[TaggedSentence], rules: TagRules, per_verb: int, seed: int) -> list[list[Token]]:
    """At most so many commands, and so many statements, per verb, from sentences in random order.

    >>> rules = TagRules(commands={"VB": ("MD",)})
    >>> sentence = [Token("You", "PRP"), Token("can", "MD"), Token("book", "VB"), Token("it", "PRP"), Token("!", ".")]
    >>> [[token.word for token in made] for made in make_up([sentence], rules, per_verb=1, seed=0)]
    [['Book', 'it']]
    """
    random = np.random.default_rng(seed)
    ends = Counter(sentence[-1] for sentence in sentences)
    mark = max(ends, key=lambda token: (ends[token], token))
    made: Counter[tuple[str, str]] = Counter()  # by what is made, and the verb
    short = []
    for number in random.permutation(len(sentences)).tolist():
        sentence = sentences[number]
        for start in _starts_of_commands(sentence, rules):
            verb = sentence[start].word.lower()
            made["command", verb] += 1
            if made["command", verb] <= per_verb:
                capital, bare = random.random(2) < (CAPITALS, NO_MARK)
                command = list(sentence[start:-1] if bare and sentence[-1].tag == mark.tag else sentence[start:])
                if capital:
                    command[0] = Token(verb.capitalize(), command[0].tag)
                short.append(command)
        for end in _ends_of_statements(sentence, rules):
            verb = sentence[end - 1].word.lower()
            made["statement", verb] += 1
            if made["statement", verb] <= per_verb:
                short.append([*sentence[:end], mark])
    return short


def _starts_of_commands(sentence: TaggedSentence, rules: TagRules) -> Iterator[int]:
    for start in range(max(1, len(sentence) - LONGEST_COMMAND), len(sentence) - 1):
        if sentence[start - 1].tag in rules.commands.get(sentence[start].tag, ()):
            yield start


def _ends_of_statements(sentence: TaggedSentence, rules: TagRules) -> Iterator[int]:
    """After the first verb that follows one of its tags; before it no word has a verb's tag."""
    for end in range(2, min(LONGEST_STATEMENT, len(sentence) - 1) + 1):
        if sentence[end - 1].tag in rules.statements:
            if sentence[end - 2].tag in rules.statements[sentence[end - 1].tag]:
                yield end
            return
