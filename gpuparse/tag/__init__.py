"""Text in: sentences and tokens of raw text, and a POS tagger that learns from the treebank."""

from gpuparse.tag.learning import TaggerOptions
from gpuparse.tag.sentences import Stretch, split_sentences, stream_sentences
from gpuparse.tag.tagger import Tagger, jackknife, train_tagger
from gpuparse.tag.tokens import TextToken, TokenStyle, tokenise, tokenise_text

__all__ = [
    "Stretch",
    "Tagger",
    "TaggerOptions",
    "TextToken",
    "TokenStyle",
    "jackknife",
    "split_sentences",
    "stream_sentences",
    "tokenise",
    "tokenise_text",
    "train_tagger",
]
