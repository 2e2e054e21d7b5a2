"""Both halves give the same numbers: PyTorch and ONNX Runtime, for every variant of the policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from memsum.features.encoding import TextEncoder, TextSettings
from memsum.features.source_text import SourceText
from memsum.model import ModelConfig
from memsum.model.runtime import Runtime
from memsum.select import Selection, begin
from memsum.text import Vocabulary, WordVectors
from memsum.text.vocabulary import EOS, PAD, UNK
from memsum_train.corpus import Example
from memsum_train.paper.model import Extraction, extract
from memsum_train.policy import Policy, PolicyConfig, State
from memsum_train.policy.batch import collate
from memsum_train.policy.export import export_policy
from memsum_train.policy.folder import new_policy, save_policy

if TYPE_CHECKING:
    from conftest import MakePair

VARIANTS = [
    {},
    {"local": "lstm"},
    {"local": "mean"},
    {"local": "mean", "dimension": 8},
    {"context": "none"},
    {"history": "gru"},
    {"history": "none"},
    {"history": "counted"},
    {"history": "counted", "local": "lstm"},
    {"history": "counted", "local": "mean", "context": "none"},
    {"stopping": "fixed"},
    {"stopping": "stop-sentence"},
    {"local": "lstm", "context": "none", "history": "gru", "stopping": "stop-sentence"},
    {"local": "mean", "context": "none", "history": "none", "stopping": "fixed"},
    {"local": "lstm", "local_layers": 1, "context_layers": 3, "history_layers": 1, "heads": 2},
]


def played(policy: Policy, encoder: TextEncoder, sentences: Sequence[str], count: int) -> tuple[list[int], Extraction]:
    """What PyTorch extracts: indices in the document, and the rest."""
    text = encoder.encode(sentences)
    extraction = extract(policy, collate([text]), count)[0]
    return [int(text.indices[row]) for row in extraction.choices], extraction


def name(variant: dict[str, object]) -> str:
    return " ".join(f"{key}={value}" for key, value in variant.items()) or "default"


@pytest.mark.parametrize("variant", VARIANTS, ids=name)
def test_same_choices_scores_and_stops(
    variant: dict[str, object], make_pair: MakePair, notes: list[str], examples: list[Example]
):
    pair = make_pair(**variant)
    for sentences in (notes, examples[0].text, examples[1].text, notes[:1]):
        choices, wanted = played(pair.policy, pair.encoder, sentences, 9)
        episode = begin(pair.runtime, sentences)
        episode.extend(9)
        assert episode.choices == choices
        np.testing.assert_allclose(episode.scores, wanted.scores, atol=1e-4)
        remaining = len(episode.stops) - (len(choices) < 9)  # where nothing remains there is nothing to compare
        np.testing.assert_allclose(episode.stops[:remaining], wanted.stops[:remaining], atol=1e-4)


def test_pairs_of_long_documents_are_refined_in_parts(
    make_pair: MakePair, examples: list[Example], monkeypatch: pytest.MonkeyPatch
):
    runtime, text = make_pair(history="counted").runtime, examples[0].text
    whole = Selection(runtime, SourceText.of_sentences(text)).prepared.text.signals
    monkeypatch.setattr("memsum.model.runtime._PAIRS", 7)
    parts = Selection(runtime, SourceText.of_sentences(text)).prepared.text.signals
    assert whole is not None
    assert parts is not None
    assert len(whole.salience.pairs) > 30
    np.testing.assert_allclose(parts.salience.pairs, whole.salience.pairs, rtol=1e-5)
    np.testing.assert_allclose(parts.salience.words, whole.salience.words, rtol=1e-5)


@pytest.mark.parametrize("variant", [{}, {"local": "lstm"}, {"history": "gru"}], ids=name)
def test_same_scores_of_all_sentences_at_every_step(variant: dict[str, object], make_pair: MakePair, notes: list[str]):
    pair = make_pair(**variant)
    episode = begin(pair.runtime, notes)
    episode.extend(5)
    text = pair.encoder.encode(notes)
    with torch.inference_mode():
        encoded = pair.policy.encode(collate([text]))
        state = State.start(encoded.mask)
        for choice, scores in zip(episode.choices, episode.step_scores(), strict=True):
            wanted = np.full(len(notes), np.nan, np.float32)
            there = state.remaining[0].numpy()
            wanted[text.indices[there]] = pair.policy.step(encoded, state).logits[0].sigmoid().numpy()[there]
            np.testing.assert_allclose(scores, wanted, atol=1e-4)
            row = torch.tensor([list(text.indices).index(choice)])
            state = state.extract(row, torch.tensor([True]))


@pytest.mark.parametrize("local", ["pooled", "lstm", "mean"])
def test_int8_is_close(local: str, make_pair: MakePair, examples: list[Example]):
    sizes = {"local": local, "dimension": 64, "feed_forward": 128}
    exact, rounded = (make_pair(precision, **sizes).runtime for precision in ("fp32", "int8"))
    for example in examples[:5]:
        first, second = begin(exact, example.text), begin(rounded, example.text)
        first.extend(1)
        second.extend(1)
        differences = np.abs(first.step_scores()[0] - second.step_scores()[0])
        assert 0 < differences.max() < 0.03
        assert abs(first.stops[0] - second.stops[0]) < 0.03


def test_words_far_apart_in_attention_are_pooled_as_in_torch(make_pair: MakePair, notes: list[str]):
    pair = make_pair(heads=8)
    with torch.no_grad():
        pair.policy.local.pool.attention.weight.mul_(40)
    export_policy(pair.policy, pair.folder)
    episode = begin(Runtime.load(pair.folder, threads=1), notes)
    episode.extend(6)
    choices, wanted = played(pair.policy, pair.encoder, notes, 6)
    assert episode.choices == choices
    np.testing.assert_allclose(episode.scores, wanted.scores, atol=1e-4)


def test_a_framed_document_is_read_with_its_padding(tiny: PolicyConfig, tmp_path: Path, notes: list[str]):
    words = sorted({word for sentence in notes for word in sentence.lower().split()} - {"rain."})
    vocabulary = Vocabulary([PAD, UNK, EOS, *words], unknown="drop")
    random = np.random.default_rng(3)
    numbers = random.normal(size=(len(vocabulary), tiny.word_dimension)).astype(np.float32)
    vectors = WordVectors.quantize(vocabulary, numbers, random.dirichlet(np.ones(len(vocabulary))))
    settings = TextSettings(max_tokens=9, collapse_repeats=False, padded_to=20)
    for local in ("lstm", "pooled", "mean"):
        config = replace(tiny, local=local)
        torch.manual_seed(1)
        policy = new_policy(config, TextEncoder(vectors, settings)).eval()
        save_policy(tmp_path, policy, ModelConfig(config.to_dict(), settings), TextEncoder(vectors))
        export_policy(policy, tmp_path)
        runtime = Runtime.load(tmp_path, threads=1)
        for sentences in (notes, [*notes, " ", *notes], notes[:1]):
            choices, wanted = played(policy, runtime.encoder, sentences, 6)
            episode = begin(runtime, sentences)
            episode.extend(6)
            assert episode.choices == choices
            np.testing.assert_allclose(episode.scores, wanted.scores, atol=1e-4)
            np.testing.assert_allclose(episode.stops[:6], wanted.stops[:6], atol=1e-4)
