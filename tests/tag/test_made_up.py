"""Short sentences that are made out of long ones."""

from __future__ import annotations

from gpuparse.tag.made_up import LONGEST_COMMAND, make_up
from gpuparse.trees import TagRules, Token

RULES = TagRules(commands={"VB": ("TO", "MD")}, statements={"VBZ": ("NN",)})


def tokens(text: str) -> list[Token]:
    return [Token(*piece.split("/")) for piece in text.split()]


def test_a_command_is_the_end_of_a_sentence_from_its_verb_on() -> None:
    made = make_up([tokens("He/PRP can/MD not/RB stay/VB to/TO read/VB it/PRP ./.")], RULES, 1, seed=0)
    words = {" ".join(token.word for token in sentence).lower().removesuffix(" .") for sentence in made}
    assert words == {"read it"}
    assert made[0][0].tag == "VB"


def test_a_statement_is_the_beginning_of_a_sentence_up_to_its_verb_and_the_commonest_mark() -> None:
    sentences = [tokens("The/DT dog/NN barks/VBZ at/IN her/PRP !/."), tokens("Go/VB ./."), tokens("Go/VB ./.")]
    assert make_up(sentences, RULES, 1, seed=0) == [tokens("The/DT dog/NN barks/VBZ ./.")]


def test_only_so_many_are_made_for_a_verb() -> None:
    sentences = [tokens("I/PRP will/MD go/VB home/NN ./.")] * 9 + [tokens("I/PRP will/MD read/VB it/PRP ./.")]
    verbs = sorted(sentence[0].word.lower() for sentence in make_up(sentences, RULES, 3, seed=0))
    assert verbs == ["go", "go", "go", "read"]


def test_long_commands_are_left_alone_and_so_is_a_language_without_rules() -> None:
    long = tokens("I/PRP will/MD go/VB" + " x/NN" * LONGEST_COMMAND)
    assert make_up([long], RULES, 5, seed=0) == []
    assert make_up([tokens("I/PRP will/MD go/VB home/NN")], TagRules(), 5, seed=0) == []


def test_the_same_seed_makes_the_same() -> None:
    sentences = [tokens(f"I/PRP will/MD go{number}/VB home/NN ./.") for number in range(20)]
    assert make_up(sentences, RULES, 1, seed=1) == make_up(sentences, RULES, 1, seed=1)
    assert make_up(sentences, RULES, 1, seed=1) != make_up(sentences, RULES, 1, seed=2)
