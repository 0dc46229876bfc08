"""A treebank made up by a hand-written grammar, for machines that have no treebank.

It has what makes real ones hard: phrases that attach high or low as their words prefer and sometimes against that,
coordination, unary chains, clauses with traces, quotes, and a lexicon of a few frequent words and many rare ones.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import NamedTuple

from gpuparse.trees.brackets import parse_tree
from gpuparse.trees.synthetic_words import inflect, lexicon, plural
from gpuparse.trees.tree import Tree

AGAINST_HABIT = 0.06  # how often a prepositional phrase is one that its head does not prefer

# The phrases that verbs and nouns of a class prefer: prepositions with the class of the noun under them.
VERB_HABITS = {
    "cut": (("with", "tool"), ("with", "tool"), ("in", "place")),
    "find": (("in", "place"), ("near", "place"), ("at", "place"), ("during", "time")),
    "make": (("for", "person"), ("for", "person"), ("in", "place"), ("after", "time")),
    "take": (("from", "person"), ("from", "place"), ("during", "time")),
    "act": (("in", "place"), ("with", "person"), ("after", "time"), ("during", "time")),
}
NOUN_HABITS = {
    "person": (("with", "part"), ("from", "place"), ("in", "place"), ("of", "place")),
    "thing": (("of", "person"), ("with", "part"), ("on", "thing"), ("from", "place"), ("for", "person")),
    "tool": (("of", "person"), ("for", "thing"), ("with", "part")),
    "place": (("of", "person"), ("near", "place"), ("in", "place")),
    "topic": (("about", "person"), ("about", "thing"), ("of", "person"), ("for", "time")),
    "part": (("of", "person"),),
    "time": (("of", "topic"), ("in", "place")),
}
OBJECTS = {
    "cut": ("thing", "thing", "place"),
    "find": ("person", "thing", "tool", "place"),
    "make": ("thing", "thing", "topic"),
    "take": ("thing", "tool", "topic"),
    "put": ("thing", "tool"),
    "give": ("thing", "tool"),
    "particle": ("thing", "tool", "person"),
}
ADJUNCT_TAGS = {"place": "-LOC", "time": "-TMP", "tool": "-MNR"}


def synthetic_treebank(n: int, seed: int = 0) -> Iterator[Tree]:
    """The first n trees of the treebank with this seed; a tree does not depend on n.

    >>> first, second = synthetic_treebank(2, seed=3)
    >>> first == next(synthetic_treebank(1, seed=3))
    True
    """
    for index in range(n):
        yield parse_tree(_Writer(random.Random(f"{seed}/{index}")).sentence())


def node(label: str, *children: str) -> str:
    """A node in brackets; children that are empty are left out.

    >>> node("NP", "(DT the)", "", "(NN rain)")
    '(NP (DT the) (NN rain))'
    """
    return f"({label} {' '.join(filter(None, children))})"


class Phrase(NamedTuple):
    """A noun phrase in brackets, and what a verb needs to know of it."""

    text: str
    is_plural: bool


class Form(NamedTuple):
    """The tag of the first verb of a phrase, and the forms of `be` and `have` that have it."""

    tag: str
    be: str
    have: str


INFINITIVE = Form("VB", "be", "have")


class _Writer:
    """Writes one sentence. A method that writes a phrase takes its depth: deeper phrases are simpler."""

    def __init__(self, source: random.Random) -> None:
        self.source = source
        self.traces = 0

    def chance(self, probability: float, depth: int = 0) -> bool:
        return self.source.random() < probability * 0.6**depth

    def one_of(self, *choices: str) -> str:
        return self.source.choice(choices)

    def word(self, name: str, tag: str) -> str:
        return f"({tag} {lexicon()[name].draw(self.source)})"

    # Sentences.

    def sentence(self) -> str:
        kinds = {
            self.statement: 62,
            self.two_statements: 6,
            self.quotation: 7,
            self.inverted_quotation: 3,
            self.yes_no_question: 5,
            self.wh_question: 5,
            self.command: 5,
            self.fragment: 4,
            self.exclamation: 3,
        }
        (kind,) = self.source.choices(list(kinds), weights=list(kinds.values()))
        return node("", _spelled(kind()))

    def statement(self) -> str:
        return node("S", self.opening(), *self.clause(0), "(. .)")

    def two_statements(self) -> str:
        link = self.one_of("(, ,) (CC and)", "(, ,) (CC but)", "(CC and)", "(: ;)")
        return node("S", node("S", *self.clause(1)), link, node("S", *self.clause(1)), "(. .)")

    def quotation(self) -> str:
        trace = self.new_trace()
        speech = node(f"S-TPC-{trace}", *self.clause(1))
        said = node("VP", self.verb("say", "VBD"), node("S", f"(-NONE- *T*-{trace})"))
        return node("S", "(`` ``)", speech, "(, ,)", "('' '')", self.subject(1).text, said, "(. .)")

    def inverted_quotation(self) -> str:
        trace = self.new_trace()
        speech = node(f"S-TPC-{trace}", *self.clause(1))
        said = node("VP", self.verb("say", "VBD"), node("S", f"(-NONE- *T*-{trace})"))
        return node("SINV", "(`` ``)", speech, "(, ,)", "('' '')", said, self.subject(1).text, "(. .)")

    def yes_no_question(self) -> str:
        return node("SQ", *self.question(self.verb_phrase(INFINITIVE, 1)), "(. ?)")

    def wh_question(self) -> str:
        trace = self.new_trace()
        gap = node("NP", f"(-NONE- *T*-{trace})")
        predicate = node("VP", self.verb(self.one_of("find", "make", "take"), "VB"), gap, self.adjunct("find", 1))
        asking = node(
            f"WHNP-{trace}", self.one_of("(WP What)", "(WP Who)", "(WDT Which) " + self.word("noun.thing", "NN"))
        )
        return node("SBARQ", asking, node("SQ", *self.question(predicate)), "(. ?)")

    def question(self, verb_phrase: str) -> tuple[str, str, str]:
        subject = self.subject(1)
        do = "(VBP do)" if subject.is_plural else "(VBZ does)"
        return self.one_of(do, "(VBD did)", "(MD can)", "(MD will)"), subject.text, verb_phrase

    def command(self) -> str:
        return node("S", node("NP-SBJ", "(-NONE- *)"), self.verb_phrase(INFINITIVE, 1), self.one_of("(. .)", "(. !)"))

    def fragment(self) -> str:
        kind = self.one_of("person", "thing", "topic", "place")
        return node(
            "FRAG", self.noun_phrase(kind, "NP", 0).text, self.adverb_phrase(0.3), self.one_of("(. .)", "(. ?)")
        )

    def exclamation(self) -> str:
        interjection = node("INTJ", self.word("interjection", "UH"))
        if self.chance(0.4):
            return node("INTJ", self.word("interjection", "UH"), self.one_of("(. !)", "(. .)"))
        return node("S", interjection, "(, ,)", *self.clause(1), "(. .)")

    def opening(self) -> str:
        """What may stand before the subject of a statement, and its comma."""
        if self.chance(0.06):
            return (
                node("SBAR-ADV", self.one_of("(IN if)", "(IN because)", "(IN while)"), node("S", *self.clause(2)))
                + " (, ,)"
            )
        if self.chance(0.08):
            return node("PP-TMP", "(IN in)", node("NP", self.word("month", "NNP"))) + self.one_of("", " (, ,)")
        if self.chance(0.06):
            return self.adverb_phrase(1.0) + " (, ,)"
        return "(CC But)" if self.chance(0.04) else ""

    def clause(self, depth: int) -> tuple[str, ...]:
        """A subject and its predicate."""
        subject = self.subject(depth)
        form = self.finite_form(subject)
        if depth == 0 and self.chance(0.07):
            aside = node("PRN", "(, ,)", node("S", node("NP-SBJ", "(PRP I)"), node("VP", "(VBP think)")), "(, ,)")
            return subject.text, aside, self.verb_phrase(form, depth)
        return subject.text, self.verb_phrase(form, depth)

    # Verb phrases.

    def verb(self, name: str, tag: str) -> str:
        return f"({tag} {inflect(lexicon()[f'verb.{name}'].draw(self.source), tag)})"

    def finite_form(self, subject: Phrase) -> Form:
        if self.chance(0.67):
            return Form("VBD", "were" if subject.is_plural else "was", "had")
        return Form("VBP", "are", "have") if subject.is_plural else Form("VBZ", "is", "has")

    def verb_phrase(self, form: Form, depth: int) -> str:
        if form != INFINITIVE and self.chance(0.30):
            return self.auxiliary_phrase(form, depth)
        if self.chance(0.14):
            return self.copula_phrase(form, depth)
        if self.chance(0.07, depth):
            conjuncts = [self.plain_verb_phrase(form.tag, depth + 1) for _ in range(2)]
            return node("VP", conjuncts[0], self.one_of("(CC and)", "(CC or)", "(, ,) (CC but)"), conjuncts[1])
        return self.plain_verb_phrase(form.tag, depth)

    def auxiliary_phrase(self, form: Form, depth: int) -> str:
        adverb = self.one_of("", "", "(RB not)", self.adverb_phrase(1.0))
        if self.chance(0.5):
            modal = self.one_of("(MD will)", "(MD can)", "(MD must)")
            return node("VP", modal, adverb, self.verb_phrase(INFINITIVE, depth))
        if self.chance(0.4):
            return node("VP", f"({form.tag} {form.have})", adverb, self.plain_verb_phrase("VBN", depth))
        below = self.plain_verb_phrase("VBG", depth) if self.chance(0.5) else self.passive_phrase(depth)
        return node("VP", f"({form.tag} {form.be})", adverb, below)

    def passive_phrase(self, depth: int) -> str:
        name = self.one_of("cut", "find", "make", "take")
        agent = node("PP", "(IN by)", self.noun_phrase("person", "NP-LGS", depth + 1).text) if self.chance(0.5) else ""
        return node("VP", self.verb(name, "VBN"), node("NP", "(-NONE- *)"), agent or self.adjunct(name, depth))

    def copula_phrase(self, form: Form, depth: int) -> str:
        be = f"({form.tag} {form.be})"
        if self.chance(0.5):
            return node("VP", be, self.adjective_phrase("ADJP-PRD"))
        if self.chance(0.5):
            return node("VP", be, self.noun_phrase(self.one_of("person", "thing"), "NP-PRD", depth + 1).text)
        return node("VP", be, self.prepositional_phrase("in", "place", "PP-LOC-PRD", depth))

    def plain_verb_phrase(self, tag: str, depth: int) -> str:
        frames = {
            self.transitive: 40,
            self.intransitive: 12,
            self.going: 9,
            self.putting: 6,
            self.giving: 8,
            self.saying: 11,
            self.wanting: 8,
            self.talking: 5,
            self.picking_up: 7,
        }
        if depth > 1:
            del frames[self.saying], frames[self.wanting]
        (frame,) = self.source.choices(list(frames), weights=list(frames.values()))
        return node("VP", self.adverb_phrase(0.05), *frame(tag, depth), self.adverb_phrase(0.08))

    def transitive(self, tag: str, depth: int) -> tuple[str, ...]:
        name = self.one_of("cut", "find", "make", "take")
        kind = self.one_of(*OBJECTS[name])
        if self.chance(0.35, depth):
            low = self.noun_phrase(kind, "NP", depth, always_modified=True)
            return self.verb(name, tag), low.text
        return self.verb(name, tag), self.noun_phrase(kind, "NP", depth + 1).text, self.adjunct(name, depth)

    def intransitive(self, tag: str, depth: int) -> tuple[str, ...]:
        return self.verb("act", tag), self.adjunct("act", depth)

    def going(self, tag: str, depth: int) -> tuple[str, ...]:
        preposition = self.one_of("to", "to", "from", "into")
        goal = self.prepositional_phrase(preposition, "place", "PP-DIR", depth)
        return self.verb("go", tag), goal, self.adjunct("act", depth + 1)

    def putting(self, tag: str, depth: int) -> tuple[str, ...]:
        thing = self.noun_phrase(self.one_of(*OBJECTS["put"]), "NP", depth + 1)
        preposition, kind = self.source.choice((("on", "thing"), ("in", "thing"), ("in", "place"), ("near", "place")))
        return self.verb("put", tag), thing.text, self.prepositional_phrase(preposition, kind, "PP-PUT", depth)

    def giving(self, tag: str, depth: int) -> tuple[str, ...]:
        thing = self.noun_phrase(self.one_of(*OBJECTS["give"]), "NP", depth + 1).text
        if self.chance(0.5):
            return self.verb("give", tag), self.person(depth + 1), thing
        return self.verb("give", tag), thing, node("PP-DTV", "(TO to)", self.person(depth + 1))

    def saying(self, tag: str, depth: int) -> tuple[str, ...]:
        that = self.one_of("(IN that)", "(-NONE- 0)")
        return self.verb("say", tag), node("SBAR", that, node("S", *self.clause(depth + 1)))

    def wanting(self, tag: str, depth: int) -> tuple[str, ...]:
        to = node("VP", "(TO to)", self.verb_phrase(INFINITIVE, depth + 1))
        return self.verb("want", tag), node("S", node("NP-SBJ", "(-NONE- *)"), to)

    def talking(self, tag: str, depth: int) -> tuple[str, ...]:
        return self.verb("talk", tag), self.prepositional_phrase(
            self.one_of("about", "of", "with"), self.one_of("person", "topic"), "PP-CLR", depth
        )

    def picking_up(self, tag: str, depth: int) -> tuple[str, ...]:
        particle = node("PRT", self.word("particle", "RP"))
        thing = self.noun_phrase(self.one_of(*OBJECTS["particle"]), "NP", depth + 1).text
        parts = (particle, thing) if self.chance(0.6) else (thing, particle)
        return self.verb("particle", tag), *parts, self.adjunct("find", depth + 1)

    def adjunct(self, name: str, depth: int) -> str:
        """A prepositional phrase or a clause of time on a verb of this class; often nothing."""
        if self.chance(0.05, depth):
            return node(
                "SBAR-TMP", self.one_of("(IN before)", "(IN after)", "(IN while)"), node("S", *self.clause(depth + 1))
            )
        if not self.chance(0.5, depth):
            return ""
        habits = VERB_HABITS[name]
        if self.chance(AGAINST_HABIT):
            habits = NOUN_HABITS[self.one_of("person", "thing", "place")]
        preposition, kind = self.source.choice(habits)
        return self.prepositional_phrase(preposition, kind, "PP" + ADJUNCT_TAGS.get(kind, ""), depth)

    # Noun phrases and what modifies them.

    def subject(self, depth: int) -> Phrase:
        if self.chance(0.35):
            pronoun = self.one_of("you", "he", "he", "she", "it", "we", "they")
            return Phrase(node("NP-SBJ", f"(PRP {pronoun})"), pronoun in ("you", "we", "they"))
        return self.noun_phrase(self.one_of("person", "person", "person", "thing", "topic"), "NP-SBJ", depth)

    def person(self, depth: int) -> str:
        if self.chance(0.5):
            return node("NP", f"(PRP {self.one_of('me', 'you', 'him', 'her', 'us', 'them')})")
        return self.noun_phrase("person", "NP", depth).text

    def noun_phrase(self, kind: str, label: str, depth: int, always_modified: bool = False) -> Phrase:
        if not always_modified and self.chance(0.10, depth):
            return self.coordination(kind, label, depth)
        if always_modified or self.chance(0.22, depth):
            inner = self.simple_noun_phrase(kind, "NP")
            return Phrase(node(label, inner.text, self.modifier(kind, inner.is_plural, depth)), inner.is_plural)
        return self.simple_noun_phrase(kind, label)

    def coordination(self, kind: str, label: str, depth: int) -> Phrase:
        """Two or three coordinated phrases of one kind."""
        if self.chance(0.3):
            nouns = [self.noun(kind, "NNS") for _ in range(2)]
            return Phrase(node(label, self.adjectives(0.3), nouns[0], "(CC and)", nouns[1]), True)
        first, second = (self.noun_phrase(kind, "NP", depth + 2).text for _ in range(2))
        if self.chance(0.15):
            first += f" (, ,) {self.simple_noun_phrase(kind, 'NP').text}" + self.one_of("", " (, ,)")
        return Phrase(node(label, first, self.one_of("(CC and)", "(CC and)", "(CC or)"), second), True)

    def modifier(self, kind: str, is_plural: bool, depth: int) -> str:
        """A prepositional phrase or a relative clause on a noun of this kind."""
        if self.chance(0.2):
            return self.relative_clause(kind, is_plural, depth)
        habits = NOUN_HABITS[kind]
        if self.chance(AGAINST_HABIT):
            habits = VERB_HABITS[self.one_of("cut", "find", "make")]
        preposition, below = self.source.choice(habits)
        return self.prepositional_phrase(preposition, below, "PP" + ("-LOC" if below == "place" else ""), depth)

    def relative_clause(self, kind: str, is_plural: bool, depth: int) -> str:
        trace = self.new_trace()
        gap = f"(-NONE- *T*-{trace})"
        who = "(WP who)" if kind == "person" and self.chance(0.8) else self.one_of("(WDT that)", "(WDT which)")
        if self.chance(0.5):
            tag = self.one_of("VBD", "VBP" if is_plural else "VBZ")
            clause = node("S", node("NP-SBJ", gap), self.plain_verb_phrase(tag, depth + 2))
        else:
            said = node("VP", self.verb(self.one_of("find", "make", "take"), "VBD"), node("NP", gap))
            clause = node("S", self.subject(depth + 2).text, said)
            who = self.one_of(who, "(-NONE- 0)")
        relative = node("SBAR", node(f"WHNP-{trace}", who), clause)
        return f"(, ,) {relative} (, ,)" if self.chance(0.15) else relative

    def prepositional_phrase(self, preposition: str, kind: str, label: str, depth: int) -> str:
        tag = "TO" if preposition == "to" else "IN"
        return node(label, f"({tag} {preposition})", self.noun_phrase(kind, "NP", depth + 1).text)

    def simple_noun_phrase(self, kind: str, label: str) -> Phrase:
        if kind in ("person", "place") and self.chance(0.3):
            return Phrase(
                node(label, self.word("name", "NNP"), self.word("name", "NNP") if self.chance(0.2) else ""), False
            )
        if self.chance(0.12):
            return Phrase(node(label, self.quantity(), self.adjectives(0.2), self.noun(kind, "NNS")), True)
        if self.chance(0.25):
            determiner = self.one_of("", "", "(DT the)", "(DT these)", "(PRP$ his)", "(PRP$ our)")
            return Phrase(node(label, determiner, self.adjectives(0.3), self.noun(kind, "NNS")), True)
        if self.chance(0.08):
            return Phrase(node(label, self.owner(), self.adjectives(0.2), self.noun(kind, "NN")), False)
        determiner = self.one_of("(DT the)", "(DT the)", "(DT the)", "(DT a)", "(DT this)", "(PRP$ her)", "(PRP$ my)")
        compound = self.noun(self.one_of("thing", "place"), "NN") if self.chance(0.07) else ""
        return Phrase(node(label, determiner, self.adjectives(0.3), compound, self.noun(kind, "NN")), False)

    def owner(self) -> str:
        if self.chance(0.5):
            return node("NP", self.word("name", "NNP"), "(POS 's)")
        return node("NP", "(DT the)", self.noun("person", "NN"), "(POS 's)")

    def quantity(self) -> str:
        number = self.word("number", "CD")
        if self.chance(0.3):
            return node("QP", self.one_of("(RBR more) (IN than)", "(IN at) (JJS least)", "(RB about)"), number)
        return number

    def noun(self, kind: str, tag: str) -> str:
        noun = lexicon()[f"noun.{kind}"].draw(self.source)
        return f"({tag} {plural(noun) if tag == 'NNS' else noun.partition('/')[0]})"

    def adjectives(self, probability: float) -> str:
        if not self.chance(probability):
            return ""
        if self.chance(0.12):
            return self.adjective_phrase("ADJP", always_modified=True)
        return " ".join(self.word("adjective", "JJ") for _ in range(2 if self.chance(0.2) else 1))

    def adjective_phrase(self, label: str, always_modified: bool = False) -> str:
        degree = self.word("degree", "RB") if always_modified or self.chance(0.25) else ""
        if self.chance(0.1):
            return node(label, self.word("adjective", "JJ"), "(CC and)", self.word("adjective", "JJ"))
        return node(label, degree, self.word("adjective", "JJ"))

    def adverb_phrase(self, probability: float) -> str:
        if not self.chance(probability):
            return ""
        return node("ADVP", self.word("degree", "RB") if self.chance(0.15) else "", self.word("adverb", "RB"))

    def new_trace(self) -> int:
        self.traces += 1
        return self.traces


def _spelled(text: str) -> str:
    """The sentence with `an` where it belongs and a capital letter at its start."""
    text = re.sub(r"\(DT a\)(?=(?: \(\w+)* [aeiou])", "(DT an)", text)
    return re.sub(r"(\((?!``|-NONE-)[^ ()]+ )(\w)", lambda first: first[1] + first[2].upper(), text, count=1)
