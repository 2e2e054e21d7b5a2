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
from memsum.text.vocabulary import PAD, UNK, Vocabulary

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
    known = model.wv.key_to_index
    vectors = np.zeros((len(vocabulary), dimension), np.float32)
    frequencies = np.zeros(len(vocabulary), np.float32)
    total = sum(model.wv.get_vecattr(word, "count") for word in known)
    for i, word in enumerate(vocabulary.words):
        if word in known and word != PAD:
            vectors[i] = model.wv[word]
            frequencies[i] = model.wv.get_vecattr(word, "count") / total
    if UNK not in known:
        vectors[vocabulary[UNK]] = vectors[2:].mean(axis=0)
        frequencies[vocabulary[UNK]] = 1 / total
    return WordVectors.quantise(vocabulary, unit_rms(vectors), frequencies)


def _segmented(sentences: Iterable[str], vocabulary: Vocabulary) -> Iterator[list[str]]:
    """Token lines in which every word that is not in the vocabulary is replaced by its pieces."""
    for sentence in sentences:
        words = ([token] if token in vocabulary else vocabulary.segment(token) for token in tokenize(sentence))
        line = list(itertools.chain.from_iterable(words))
        for start in range(0, len(line), _LINE):
            yield line[start : start + _LINE]
