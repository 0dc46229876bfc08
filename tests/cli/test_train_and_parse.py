"""Training and parsing as a user runs them: one small model for all, made by the real command."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from gpuparse.options import TrainingOptions
from gpuparse.parse.model.file import load_model
from gpuparse.parse.sources import WeightedTree
from gpuparse.parse.train import Corpus, GoldSentence, retag, split_corpus
from gpuparse.tag import TaggerOptions, train_tagger
from gpuparse.trees import Prepared, Span, Token, Tree, count_words, load_language, parse_trees, read_trees, strip
from tests.cli.test_command import COMMAND, run
from tests.processes import start

QUICK = ("--eta", "0.5", "--min-lambda", "0.2", "--sample", "5000", "--jobs", "2")


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("treebank") / "train.mrg"
    path.write_text(run("synth", "150").stdout)
    return path


@pytest.fixture(scope="module")
def model(treebank: Path) -> Path:
    path = treebank.with_name("small.model")
    answer = run("train", treebank, "--output", path, *QUICK)
    assert answer.returncode == 0, answer.stderr
    return path


def test_training_tells_what_it_does_and_ends_with_a_chart(treebank: Path, model: Path) -> None:
    answer = run("train", treebank, "--output", model, "--resume", *QUICK)
    assert answer.returncode == 0
    assert answer.stdout == ""
    assert "144 sentences to learn from, 6 to tune on" in answer.stderr
    assert "F1 on the tuning set by lambda" in answer.stderr
    assert "<- chosen" in answer.stderr


def test_the_report_is_one_file_that_needs_no_network(model: Path) -> None:
    report = model.with_name("small.model.training") / "report.html"
    text = report.read_text(encoding="utf-8")
    assert text.count("<svg") == 3
    assert "http" not in text
    assert "src=" not in text


def test_a_section_is_parsed_with_every_token_in_place(treebank: Path, model: Path) -> None:
    section = run("synth", "30", "--seed", "8").stdout
    answer = run("parse", model, "--input", "trees", stdin=section)
    assert answer.returncode == 0, answer.stderr
    gold = [strip(tree).tokens() for tree in parse_trees(section)]
    assert [tree.tokens() for tree in parse_trees(answer.stdout)] == gold


def test_parses_of_new_sentences_score_far_better_than_flat_trees(model: Path, tmp_path: Path) -> None:
    gold = tmp_path / "new.mrg"
    gold.write_text(run("synth", "60", "--seed", "8").stdout)
    tokens = [strip(tree).tokens() for tree in parse_trees(gold.read_text())]
    flat = "".join(f"{Tree.from_spans([Span('TOP', 0, len(t)), Span('S', 0, len(t))], t)}\n" for t in tokens)
    parsed = run("parse", model, gold, "--input", "trees").stdout
    of_flat, of_parsed = (json.loads(run("eval", gold, "-", "--json", stdin=trees).stdout) for trees in (flat, parsed))
    assert of_flat["valid"] == of_parsed["valid"] == 60
    assert of_flat["precision"] > 75  # most sentences are an S
    assert of_parsed["f1"] > 2 * of_flat["f1"]
    assert of_parsed["f1"] > 60


def test_json_lines_say_how_sure_the_parser_is(model: Path) -> None:
    answer = run("parse", model, "--format", "json", "--k", "2", stdin="The/DT dog/NN sleeps/VBZ ./.\n")
    (line,) = answer.stdout.splitlines()
    parsed = json.loads(line)
    assert parsed["tokens"] == ["The", "dog", "sleeps", "."]
    assert parsed["status"] in ("optimal", "limit")
    assert parsed["cost"] == parsed["k_best"][0]["cost"] <= parsed["k_best"][1]["cost"]


def test_a_tag_never_seen_is_told_once_and_parsed(model: Path) -> None:
    answer = run("parse", model, stdin="Foo/QQQ\nBar/QQQ\n")
    assert len(answer.stdout.splitlines()) == 2
    assert answer.stderr.count("QQQ") == 1


def words_of(trees: str) -> list[list[str]]:
    return [[token.word for token in tree.tokens()] for tree in parse_trees(trees)]


def test_a_sentence_of_text_becomes_a_tree(model: Path) -> None:
    answer = run("parse", model, stdin="The dog sleeps.\n")
    assert answer.returncode == 0, answer.stderr
    assert words_of(answer.stdout) == [["The", "dog", "sleeps", "."]]


def test_each_sentence_of_text_becomes_a_tree(model: Path, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("\ufeffThe dog sleeps. A man didn't\nsee it.\n", encoding="utf-8")
    expected = [["The", "dog", "sleeps", "."], ["A", "man", "did", "n't", "see", "it", "."]]
    assert words_of(run("parse", model, text).stdout) == expected
    assert words_of(run("parse", model, stdin=text.read_text(encoding="utf-8")).stdout) == expected


def test_tokens_are_parsed_a_sentence_a_line(model: Path) -> None:
    answer = run("parse", model, "--input", "tokens", stdin="The dog sleeps .\n\nA man. sees it\n")
    assert words_of(answer.stdout) == [["The", "dog", "sleeps", "."], ["A", "man.", "sees", "it"]]


def test_text_that_is_not_utf8_is_an_error_with_its_file(model: Path, tmp_path: Path) -> None:
    text = tmp_path / "latin"
    text.write_bytes("Der Hund schl\xe4ft.".encode("latin-1"))
    answer = run("parse", model, text)
    assert answer.returncode == 1
    assert f"{text}: this is not UTF-8" in answer.stderr


def test_no_text_gives_no_tree(model: Path) -> None:
    answer = run("parse", model, stdin="\n \n")
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("kind", "content"), [("tagged", "The/NN dog/NN ./.\n"), ("trees", "(X (NN The) (NN dog) (. .))")]
)
def test_given_tags_are_replaced_by_the_taggers_if_it_is_asked_for(model: Path, kind: str, content: str) -> None:
    tagger = load_model(model).tagger
    assert tagger is not None
    (parsed,) = parse_trees(run("parse", model, "--input", kind, "--tagger", stdin=content).stdout)
    assert parsed.tokens() == tagger.tag(["The", "dog", "."])
    assert [token.tag for token in parsed.tokens()] != ["NN", "NN", "."]


@pytest.mark.parametrize(("full_stop", "dog"), [(".", "NN"), ("SYM", ",")])
def test_the_tagger_leaves_what_is_punctuation_and_what_is_not(model: Path, full_stop: str, dog: str) -> None:
    content = f"The/XX dog/{dog} ./{full_stop}\n"
    (parsed,) = parse_trees(run("parse", model, "--input", "tagged", "--tagger", stdin=content).stdout)
    the, middle, last = (token.tag for token in parsed.tokens())
    assert the != "XX"
    assert (middle == ",") == (dog == ",")
    assert last == full_stop


@pytest.fixture(scope="module")
def untagged(treebank: Path) -> Path:
    path = treebank.with_name("untagged.model")
    answer = run("train", treebank, "--output", path, "--no-tagger", "--max-trees", "1", "--max-words", "8", *QUICK)
    assert answer.returncode == 0, answer.stderr
    return path


@pytest.mark.parametrize("kind", ["auto", "text", "tokens"])
def test_running_text_without_a_tagger_is_an_error_that_tells_the_way_out(untagged: Path, kind: str) -> None:
    answer = run("parse", untagged, "--input", kind, stdin="The dog sleeps.\n")
    assert answer.returncode == 1
    assert "word/TAG" in answer.stderr


def test_a_tagger_that_is_not_there_is_wrong_usage(untagged: Path, treebank: Path) -> None:
    assert run("parse", untagged, "--tagger", stdin="The/DT\n").returncode == 2
    answer = run("train", treebank, "--output", untagged, "--no-tagger", "--retag")
    assert answer.returncode == 2
    assert "--no-tagger" in answer.stderr


def test_the_tagger_is_shown_by_inspect(model: Path, untagged: Path) -> None:
    assert json.loads(run("inspect", model, "--json").stdout)["tagger"]["tags"] > 20
    assert json.loads(run("inspect", untagged, "--json").stdout)["tagger"] is None
    assert "words must come with their tags" in run("inspect", untagged).stdout


def test_the_parser_can_learn_on_tags_that_a_tagger_gave(treebank: Path, tmp_path: Path) -> None:
    out = tmp_path / "retagged.model"
    answer = run("train", treebank, "--output", out, "--retag", "--max-trees", "1", *QUICK)
    assert answer.returncode == 0, answer.stderr
    assert "retagging" in answer.stderr
    assert load_model(out).configuration["retag"] is True
    assert words_of(run("parse", out, stdin="The dog sleeps.\n").stdout) == [["The", "dog", "sleeps", "."]]


def test_retagging_changes_tags_of_words_and_nothing_else(treebank: Path) -> None:
    language = load_language()
    corpus = _corpus(treebank, TrainingOptions(tune_fraction=0.2))
    tagger = train_tagger(corpus.tagged(language))
    result = retag(corpus, tagger, language, TaggerOptions())
    fixed = language.raised | language.quotes
    for before, after in ((corpus.training, result.training), (corpus.tuning, result.tuning)):
        assert [sentence.tree for sentence in before] == [sentence.tree for sentence in after]
        changes = set()
        for was, now in zip(_prepared(before), _prepared(after), strict=True):
            assert was.tree is not None
            assert now.tree is not None
            assert (was.sentence.kept, was.tree.spans()) == (now.sentence.kept, now.tree.spans())
            assert was.sentence.words() == now.sentence.words()
            changes |= {*zip(was.sentence.tags(), now.sentence.tags(), strict=True)}
        wrong = {tags for tags in changes if tags[0] != tags[1]}
        assert wrong
        assert not {tag for tags in wrong for tag in tags} & fixed


def test_the_tagger_learns_from_long_sentences_too_but_not_from_those_for_tuning(treebank: Path) -> None:
    corpus = _corpus(treebank, TrainingOptions(max_words=8, tune_fraction=0.2))
    tagged = corpus.tagged(load_language())
    learned, tuning = (Counter(map(tuple, sentences)) for sentences in (tagged, _tokens(corpus.tuning)))
    assert learned + tuning == Counter(tuple(strip(tree).tokens()) for tree in read_trees(treebank))
    assert len(tagged) > len(corpus.training) > len(corpus.tuning) > 0
    assert tagged[: len(corpus.training)] == _tokens(corpus.training)


def _corpus(treebank: Path, options: TrainingOptions) -> Corpus:
    return split_corpus(list(map(WeightedTree, read_trees(treebank))), None, load_language(), options)


def _prepared(sentences: list[GoldSentence]) -> list[Prepared]:
    return [sentence.prepared for sentence in sentences]


def _tokens(sentences: list[GoldSentence]) -> list[list[Token]]:
    return [list(prepared.sentence.tokens) for prepared in _prepared(sentences)]


def test_no_model_is_no_traceback(tmp_path: Path) -> None:
    answer = run("parse", tmp_path / "none", stdin="A/DT\n")
    assert answer.returncode in (1, 2)
    assert "none" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_options_come_from_a_file_and_the_command_line_wins(treebank: Path, tmp_path: Path) -> None:
    config = tmp_path / "quick.toml"
    config.write_text('max-trees = 1\nsample = 500\nmax-words = 6\nstrategy = "l2r"\n')
    out = tmp_path / "m"
    answer = run("train", treebank, "--output", out, "--config", config, "--strategy", "bu", "--json")
    assert answer.returncode == 0, answer.stderr
    assert json.loads(answer.stdout)["model"] == str(out)
    configuration = json.loads(run("inspect", out, "--json").stdout)["configuration"]
    assert (configuration["strategy"], configuration["max_words"], configuration["learn"]["max_trees"]) == ("bu", 6, 1)


def test_an_unknown_option_in_the_file_is_wrong_usage(treebank: Path, tmp_path: Path) -> None:
    config = tmp_path / "wrong.toml"
    config.write_text("trees = 3\n")
    answer = run("train", treebank, "--output", tmp_path / "m", "--config", config)
    assert answer.returncode == 2
    assert "wrong.toml" in answer.stderr
    assert "'trees'" in answer.stderr


def test_max_words_leaves_longer_sentences_out(treebank: Path, tmp_path: Path) -> None:
    answer = run("train", treebank, "--output", tmp_path / "m", "--max-words", "5", "--max-trees", "1", "--jobs", "1")
    language = load_language()
    long = sum(count_words(tree.tokens(), language) > 5 for tree in map(strip, parse_trees(treebank.read_text())))
    assert f"{long} left out" in answer.stderr


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_training_that_was_stopped_goes_on_to_the_same_model(
    treebank: Path, model: Path, tmp_path: Path, how: signal.Signals
) -> None:
    out = tmp_path / "stopped.model"
    log = tmp_path / "stopped.model.training" / "log.jsonl"
    arguments = [*COMMAND, "train", str(treebank), "--output", str(out), *QUICK]
    process = start(arguments, stderr=subprocess.PIPE)
    while process.poll() is None and (not log.exists() or log.read_bytes().count(b"\n") < 6):
        time.sleep(0.01)
    process.send_signal(how)
    said = process.communicate()[1]
    assert process.returncode == (-9 if how == signal.SIGKILL else 130), said
    assert not out.exists()
    assert run("train", treebank, "--output", out, "--resume", *QUICK).returncode == 0
    assert out.read_bytes() == model.read_bytes()
