"""Learning word vectors from a corpus: count, choose the vocabulary, then skip-gram (gensim)."""

from __future__ import annotations

import itertools
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np

from memsum.errors import CorpusError, MissingExtraError
from memsum.text.tokens import tokenize
from memsum.text.vectors import WordVectors, unit_rms
from memsum.text.vocabulary import PAD, Vocabulary

_LINE = 5_000  # gensim reads lines of at most 10,000 words


def learn_vectors(
    sentences: Callable[[], Iterable[str]],
    *,
    dimension: int = 200,
    max_words: int = 60_000,
    min_count: int = 8,
    max_pieces: int = 6_000,
    epochs: int = 2,
    workers: int = 2,
    seed: int = 0,
    say: Callable[[str], None] = lambda what: None,
) -> WordVectors:
    """Train skip-gram vectors on sentences, which are read twice: to count words, then to write their tokens."""
    try:
        from gensim.models import Word2Vec
        from gensim.models.callbacks import CallbackAny2Vec
    except ImportError:
        raise MissingExtraError("Training word vectors", "train") from None

    class Epochs(CallbackAny2Vec):  # type: ignore[misc]
        """Says when a pass over the tokens begins."""

        def __init__(self) -> None:
            self.number = 0

        def on_epoch_begin(self, model: object) -> None:
            self.number += 1
            say(f"skip-gram, pass {self.number} of {epochs}")

    say("counting words")
    counts: Counter[str] = Counter()
    for sentence in sentences():
        counts.update(tokenize(sentence))
    vocabulary = Vocabulary.build(counts, max_words=max_words, min_count=min_count, max_pieces=max_pieces)
    say(f"cutting rare words into pieces: {len(vocabulary):,} words and pieces")
    with tempfile.TemporaryDirectory(prefix="memsum-vectors-") as scratch:
        tokens = Path(scratch) / "tokens.txt"
        with tokens.open("w", encoding="utf-8") as file:
            file.writelines(" ".join(line) + "\n" for line in _segmented(sentences(), vocabulary))
        if not tokens.stat().st_size:
            raise CorpusError("The corpus has no words to learn vectors from.")
        model = Word2Vec(
            corpus_file=str(tokens),
            vector_size=dimension,
            sg=1,
            window=6,
            negative=5,
            sample=1e-4,
            min_count=1,
            epochs=epochs,
            workers=workers,
            seed=seed,
            callbacks=[Epochs()],
        )
    total = sum(model.wv.get_vecattr(word, "count") for word in model.wv.key_to_index)
    # What the corpus never shows (the unknown word, pieces that longer ones always beat) is the mean of all.
    vectors = np.tile(model.wv.vectors.mean(axis=0), (len(vocabulary), 1))
    frequencies = np.full(len(vocabulary), 1 / total, np.float32)
    vectors[vocabulary[PAD]] = frequencies[vocabulary[PAD]] = 0
    for word in model.wv.key_to_index:
        vectors[vocabulary[word]] = model.wv[word]
        frequencies[vocabulary[word]] = model.wv.get_vecattr(word, "count") / total
    return WordVectors.quantise(vocabulary, unit_rms(vectors), frequencies)


def _segmented(sentences: Iterable[str], vocabulary: Vocabulary) -> Iterator[list[str]]:
    """Token lines in which every word that is not in the vocabulary is replaced by its pieces."""
    for sentence in sentences:
        words = ([token] if token in vocabulary else vocabulary.segment(token) for token in tokenize(sentence))
        line = list(itertools.chain.from_iterable(words))
        for start in range(0, len(line), _LINE):
            yield line[start : start + _LINE]
