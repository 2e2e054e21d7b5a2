"""Text as the paper's authors prepare it: split at white space, marked, cut and padded."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from memsum.errors import ModelError
from memsum.features.encoding import TextEncoder, TextSettings
from memsum.text import Vocabulary, WordVectors
from memsum_train.paper.model import extract
from memsum_train.policy import PolicyConfig
from memsum_train.policy.batch import collate
from memsum_train.policy.folder import new_policy

WORDS = ["<pad>", "the", "tide", "rose", ".", "<eos>", "<unk>", "sea-level"]
PAD, THE, TIDE, ROSE, DOT, EOS, UNK, LEVEL = range(len(WORDS))

MakeEncoder = Callable[..., TextEncoder]


@pytest.fixture(scope="module")
def make_encoder() -> MakeEncoder:
    def make(words: list[str] = WORDS, tokens: int = 5, sentences: int = 4) -> TextEncoder:
        values = np.random.default_rng(2).normal(size=(len(words), 16)).astype(np.float32)
        vectors = WordVectors.exact(Vocabulary(words, "drop"), values, np.zeros(len(words), np.float32))
        return TextEncoder(vectors, TextSettings(tokens, collapse_repeats=False, padded_to=sentences))

    return make


@pytest.mark.parametrize(
    ("sentence", "ids"),
    [
        ("The tide ROSE .", [THE, TIDE, ROSE, DOT, EOS]),
        ("Sea-level rose.", [LEVEL, EOS, PAD, PAD, PAD]),  # "rose." is no word of theirs
        ("the the the the the the", [THE, THE, THE, THE, EOS]),
        ("Überall Wasser", [EOS, PAD, PAD, PAD, PAD]),
        ("tide\u00a0\trose", [TIDE, ROSE, EOS, PAD, PAD]),
        ("the <eos> tide <pad>", [THE, EOS, TIDE, PAD, EOS]),
    ],
)
def test_words_are_what_white_space_separates(make_encoder: MakeEncoder, sentence: str, ids: list[int]):
    assert make_encoder().encode([sentence]).ids.tolist() == ids


def test_blank_sentences_keep_their_places_and_cannot_be_chosen(make_encoder: MakeEncoder):
    encoded = make_encoder().encode(["the", " ", "the", "", "the tide rose"])
    assert encoded.indices.tolist() == [0, 2]  # a repeat is kept, the fifth sentence is beyond the frame
    assert encoded.lengths.tolist() == [5, 5]


def test_the_blank_sentence_has_no_words(make_encoder: MakeEncoder):
    blank = make_encoder().blank
    assert blank is not None
    assert blank.ids.tolist() == [EOS, PAD, PAD, PAD, PAD]


def test_a_vocabulary_without_an_end_mark_does_not_fit(make_encoder: MakeEncoder):
    with pytest.raises(ModelError, match="<eos>"):
        make_encoder([word for word in WORDS if word != "<eos>"])


def test_a_padded_policy_does_not_depend_on_the_batch(make_encoder: MakeEncoder, tiny: PolicyConfig):
    encoder = make_encoder(tokens=6, sentences=9)
    torch.manual_seed(4)
    policy = new_policy(tiny, encoder).eval()
    documents = [["the tide rose .", "", "sea-level", "the sea-level rose", "tide"], ["rose"], ["", "", "the tide"]]
    texts = [encoder.encode(document) for document in documents]
    for text, together in zip(texts, extract(policy, collate(texts), 4), strict=True):
        (alone,) = extract(policy, collate([text]), 4)
        assert together.choices == alone.choices
        np.testing.assert_allclose(together.scores, alone.scores, atol=1e-5)
    moved, first = (encoder.encode(document) for document in (["", "the tide"], ["the tide", ""]))
    assert extract(policy, collate([moved]), 1)[0].scores != extract(policy, collate([first]), 1)[0].scores


def test_a_stop_sentence_has_no_place_in_padded_documents(make_encoder: MakeEncoder, tiny: PolicyConfig):
    with pytest.raises(ModelError, match="stops by a sentence"):
        new_policy(PolicyConfig(**{**tiny.to_dict(), "stopping": "stop-sentence"}), make_encoder())
