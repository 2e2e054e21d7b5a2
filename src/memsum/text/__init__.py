"""Words: one tokenizer for raw and pre-tokenized text, the vocabulary, word vectors, and features of sentences.

Sentence boundaries are not here but in `memsum.document`; ROUGE has its own tokens, fixed by its definition.
"""

from memsum.text.tokens import SIGNS, UNSPACED, UNSPACED_RANGES, tokenize
from memsum.text.vectors import WordVectors
from memsum.text.vocabulary import Vocabulary

__all__ = ["SIGNS", "UNSPACED", "UNSPACED_RANGES", "Vocabulary", "WordVectors", "tokenize"]
