"""Encoded corpora: what was put in comes out, from memory and from disk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memsum.errors import TrainingError
from memsum.features.encoding import TextEncoder, TextSettings
from memsum.text import WordVectors
from memsum_train.corpus import Example
from memsum_train.learning.data import EncodedCorpus, encode_corpus


def same(one: EncodedCorpus, other: EncodedCorpus) -> bool:
    if len(one) != len(other):
        return False
    for i in range(len(one)):
        a, b = one[i], other[i]
        arrays = [(a.text.ids, b.text.ids), (a.text.starts, b.text.starts), (a.text.features, b.text.features)]
        arrays += [(a.rewards, b.rewards), *zip(a.episodes, b.episodes, strict=True)]
        if not all(np.array_equal(x, y) for x, y in arrays):
            return False
    return True


def test_documents_come_out_as_they_were_put_in(examples: list[Example], encoder: TextEncoder):
    corpus = encode_corpus(examples, encoder)
    assert len(corpus) == len(examples)
    assert corpus.sentences.tolist() == [len(set(example.text)) for example in examples]
    for i in (0, 5, len(examples) - 1):
        wanted = encoder.encode(examples[i].text)
        document = corpus[i]
        np.testing.assert_array_equal(document.text.ids, wanted.ids)
        np.testing.assert_array_equal(document.text.starts, wanted.starts)
        np.testing.assert_allclose(document.text.features, wanted.features, atol=2e-3)
        assert document.text.features.dtype == np.float32
        assert [tuple(episode) for episode in document.episodes] == list(examples[i].indices or ())
        assert document.rewards.tolist() == pytest.approx(list(examples[i].scores or ()))


def test_saved_and_mapped_it_is_the_same(tmp_path: Path, short_corpus: EncodedCorpus):
    assert not EncodedCorpus.saved(tmp_path / "encoded")
    short_corpus.save(tmp_path / "encoded")
    assert EncodedCorpus.saved(tmp_path / "encoded")
    loaded = EncodedCorpus.load(tmp_path / "encoded")
    assert same(loaded, short_corpus)
    assert isinstance(loaded._arrays["ids"], np.memmap)


def test_episodes_of_repeated_sentences_point_to_their_first_occurrence(encoder: TextEncoder):
    text = ("Data were kept.", "Costs rose.", "Data were kept.", "Staff were trained.", "Costs rose.")
    example = Example(text, ("Costs rose.",), indices=((2, 4), (0, 2, 3), (1,)), scores=(0.5, 0.4, 0.3))
    document = encode_corpus([example], encoder)[0]
    assert len(document.text) == 3
    assert [episode.tolist() for episode in document.episodes] == [[0, 1], [0, 2], [1]]


def test_with_repeats_kept_indices_stay_as_they_are(vectors: WordVectors):
    keeping = TextEncoder(vectors, TextSettings(collapse_repeats=False))
    text = ("Data were kept.", "Costs rose.", "Data were kept.")
    document = encode_corpus([Example(text, ("x",), indices=((2, 0),), scores=(0.5,))], keeping)[0]
    assert len(document.text) == 3
    assert document.episodes[0].tolist() == [2, 0]


def test_documents_without_episodes_are_left_out(examples: list[Example], encoder: TextEncoder):
    never = Example(("Never searched.",), ("x",))
    nothing = Example(("Nothing gains.",), ("x",), indices=(), scores=())
    corpus = encode_corpus([never, examples[0], nothing, examples[1]], encoder)
    assert same(corpus, encode_corpus(examples[:2], encoder))


def test_a_corpus_without_episodes_is_refused(encoder: TextEncoder):
    never = Example(("Never searched.",), ("x",))
    with pytest.raises(TrainingError, match="None of the corpus's 2 documents has episodes") as caught:
        encode_corpus([never, never], encoder)
    assert "memsum corpus episodes" in str(caught.value.hint)
    with pytest.raises(TrainingError, match="no documents"):
        encode_corpus([], encoder)
