"""Teaching a policy whose history is counted: what it learns from, and that it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from memsum.errors import ModelError, TrainingError
from memsum.features.encoding import GROUPS, Signals, TextEncoder, TextSettings
from memsum.text.vectors import WordVectors
from memsum_train.corpus import Example, write_examples
from memsum_train.learning.augment import (
    add_layout_noise,
    drop_blocks,
    drop_features,
    join_sentences,
    without_group,
)
from memsum_train.learning.config import TrainingConfig
from memsum_train.learning.data import EncodedCorpus, EncodedDocument, encode_corpus, sample_corpus
from memsum_train.learning.learner import LossInput, epoch_batches, source_shares
from memsum_train.learning.objectives import OBJECTIVES
from memsum_train.learning.signals import fit_salience, learn_signals, open_signals, summary_targets
from memsum_train.paper.episodes import index_reference
from memsum_train.paper.model import extract
from memsum_train.policy import Policy, PolicyConfig
from memsum_train.policy.batch import collate
from memsum_train.policy.counted import CountedNetwork
from memsum_train.policy.folder import new_policy
from memsum_train.rouge.kernels import hits_along, new_hits

from ..bridge import SUMMARY
from ..bridge import TEXT as SIX

TEXT = SIX[:5]


@pytest.fixture(scope="module")
def corpus(examples: list[Example], counting_encoder: TextEncoder) -> EncodedCorpus:
    with_titles = [replace(e, extra={**e.extra, "title": "Of " + e.text[0]}) for e in examples]
    return encode_corpus(with_titles, counting_encoder, keep_raw_text=True)


@pytest.fixture
def policy(tiny: PolicyConfig, counting_encoder: TextEncoder) -> Policy:
    torch.manual_seed(3)
    return new_policy(replace(tiny, history="counted"), counting_encoder)


def documents(corpus: EncodedCorpus, encoder: TextEncoder, count: int) -> list[EncodedDocument]:
    return [replace(corpus[i], text=encoder.compose(corpus[i].text)) for i in range(count)]


def losses(policy: Policy, objective: str, shown: list[EncodedDocument], updates: int, rate: float) -> list[float]:
    config = TrainingConfig(objective=objective, samples=4, max_sentences=8)  # type: ignore[arg-type]
    optimizer = torch.optim.AdamW(policy.parameters(), lr=rate)
    found = []
    for update in range(updates):
        generators = [np.random.default_rng((update, i)) for i in range(len(shown))]
        batch = collate([document.text for document in shown])
        loss = OBJECTIVES[config.objective].loss(LossInput(policy, batch, shown, generators, config))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(float(loss.detach()) / len(shown))
    return found


def test_new_hits_are_what_the_summary_still_lacks() -> None:
    ngrams = index_reference(TEXT, SUMMARY)
    assert ngrams is not None
    before, after = new_hits(ngrams, np.array([], np.int64)), new_hits(ngrams, np.array([2]))
    assert before[2].tolist() == [6, 4]  # "cracks in the northern cable" and one more "the"; its four pairs
    assert after[0].tolist() == [2, 1]  # "bridge" and "closed", "the bridge": the cracks were said
    assert (after <= before).all()
    along = hits_along(ngrams, np.array([2, 4]))
    assert along[0, :2].tolist() == before[2].tolist()
    assert (along[1, :2] - along[0, :2]).tolist() == after[4].tolist()
    assert index_reference(["?"], SUMMARY) is None


def test_it_learns_to_quote_what_summaries_say(
    policy: Policy, corpus: EncodedCorpus, counting_encoder: TextEncoder
) -> None:
    shown = documents(corpus, counting_encoder, 6)
    found = losses(policy, "ngram_gain", shown, 50, 3e-3)
    assert np.mean(found[-5:]) < 0.8 * np.mean(found[:5])
    policy.eval()
    right = 0
    for document in shown:
        [extraction] = extract(policy, collate([document.text]), 3)
        right += len({*extraction.choices} & {int(i) for episode in document.episodes for i in episode})
    assert right > 0.7 * 3 * len(shown)


def test_votes_learn_which_words_summaries_have(
    policy: Policy, corpus: EncodedCorpus, counting_encoder: TextEncoder
) -> None:
    shown = documents(corpus, counting_encoder, 6)
    before = [document.text.signals for document in shown]
    policy.eval()
    fresh = policy.encode(collate([document.text for document in shown])).signals
    losses(policy.train(), "ngram_gain", shown, 50, 3e-3)
    policy.eval()
    after = policy.encode(collate([document.text for document in shown])).signals

    def lacks(signals: Signals | None, document: EncodedDocument) -> float:
        assert signals is not None
        said, _ = summary_targets(signals.counts, np.unique(document.text.ids), document.reference.summary_ids)
        return float(np.abs(signals.salience.words - said).mean())

    for one, same, refined, document in zip(before, fresh, after, shown, strict=True):
        assert lacks(same, document) == pytest.approx(lacks(one, document), rel=1e-4)  # it begins as no correction
        assert lacks(refined, document) < 0.7 * lacks(same, document)


@pytest.mark.slow
def test_on_policy_it_learns_when_to_stop(policy: Policy, corpus: EncodedCorpus, counting_encoder: TextEncoder) -> None:
    shown = documents(corpus, counting_encoder, 4)
    losses(policy, "ngram_gain", shown, 20, 3e-3)
    assert isinstance(policy, CountedNetwork)
    assert policy.extractor.stop is not None
    policy.extractor.stop.length.data[1] = -4.0  # it would go on for far too long

    def lengths() -> float:
        policy.eval()
        counts = [extract(policy, collate([document.text]), 10)[0].length(0.5, 10) for document in shown]
        policy.train()
        return float(np.mean(counts))

    before = lengths()
    losses(policy, "self_play", shown, 25, 1e-2)
    wanted = np.mean([len(document.best) for document in shown])
    assert abs(lengths() - wanted) < abs(before - wanted)


def test_objectives_and_histories_that_do_not_belong_together(tiny: PolicyConfig) -> None:
    counted = replace(tiny, history="counted")
    with pytest.raises(TrainingError, match="does not teach a network with the history counted"):
        OBJECTIVES["episodes"].check(TrainingConfig(), counted)
    with pytest.raises(TrainingError, match="does not teach a network with the history attention"):
        OBJECTIVES["ngram_gain"].check(TrainingConfig(objective="ngram_gain"), tiny)
    with pytest.raises(ModelError, match="stops by itself"):
        replace(counted, stopping="stop-sentence")


@pytest.mark.parametrize("seed", range(10))
def test_layout_noise_counts_for_nothing_and_moves_nothing(
    corpus: EncodedCorpus, counting_encoder: TextEncoder, seed: int
) -> None:
    document = corpus[seed]
    noisy = add_layout_noise(document, np.random.default_rng(seed), counting_encoder)
    assert noisy.raw is not None
    assert document.raw is not None
    assert [said for said in noisy.raw.text if said] == list(document.raw.text)
    assert len(noisy.text) == len(noisy.raw.text) > len(document.text)
    for before, after in zip(document.episodes, noisy.episodes, strict=True):
        for i, j in zip(before, after, strict=True):
            np.testing.assert_array_equal(noisy.text.sentence(int(j)), document.text.sentence(int(i)))
    composed = counting_encoder.compose(noisy.text)
    assert composed.signals is not None
    assert np.isfinite(composed.signals.values).all()


@pytest.mark.parametrize("change", [drop_blocks, join_sentences])
def test_changed_documents_keep_what_the_raw_text_said(
    corpus: EncodedCorpus, change: Callable[[EncodedDocument, np.random.Generator], EncodedDocument]
) -> None:
    document = corpus[0]
    changed = change(document, np.random.default_rng(1))
    assert changed.reference.summary_ids is document.reference.summary_ids
    assert changed.text.marks is not None
    assert changed.text.title is not None
    assert changed.raw is not None
    assert len(changed.text) == len(changed.text.marks) == len(changed.raw.text)
    np.testing.assert_array_equal(changed.text.title, document.text.title)


def test_dropped_features_are_not_known(corpus: EncodedCorpus, counting_encoder: TextEncoder) -> None:
    [document] = documents(corpus, counting_encoder, 1)
    hidden = drop_features(document, np.random.default_rng(0), 1.0)
    assert hidden.text.signals is not None
    assert document.text.signals is not None
    for group in GROUPS:
        assert len(np.unique(hidden.text.signals.values[:, GROUPS[group]], axis=0)) == 1
    assert len(np.unique(hidden.text.features[:, :4], axis=0)) == 1
    kept = drop_features(document, np.random.default_rng(0), 0.0)
    np.testing.assert_array_equal(kept.text.signals.values, document.text.signals.values)  # type: ignore[union-attr]


def test_small_sources_are_shown_more_often() -> None:
    sources = np.repeat([0, 1], [900, 100])
    shares = source_shares(sources, 0.5)
    assert shares is not None
    assert shares[-1] / shares[0] == pytest.approx(3)
    shown = np.concatenate(epoch_batches(np.full(1000, 9), 10, 0, 0, shares))
    assert len(shown) == 1000
    assert 200 < (shown >= 900).sum() < 300
    alike = source_shares(sources, 0.0)
    assert alike is not None
    assert alike[:900].sum() == pytest.approx(alike[900:].sum())


@pytest.mark.slow
def test_salience_finds_the_words_of_summaries(
    make_examples: Callable[..., list[Example]], vectors: WordVectors
) -> None:
    encoder = TextEncoder(vectors, TextSettings(signals=True))
    many = make_examples(24, sentences=8)
    model = fit_salience(many[:20] * 40, encoder)
    ranks = []
    for example in many[20:]:
        counts, distinct = encoder.count(encoder.encode(example.text))
        summary = np.isin(distinct, encoder.encode(example.summary).ids)
        words = model.of(counts, distinct, encoder.vectors.lookup(distinct)).salience.words
        ranks.append(np.mean(words[summary][:, None] > words[~summary][None, :]))
    assert np.mean(ranks) > 0.75
    with pytest.raises(TrainingError, match="at least 50 documents"):
        fit_salience(many[:20], encoder)


@pytest.mark.slow
def test_signals_that_are_learned_are_found_again(
    make_examples: Callable[..., list[Example]], vectors: WordVectors, tmp_path: Path
) -> None:
    train = tmp_path / "train.jsonl"
    write_examples(train, make_examples(60))
    encoders = [TextEncoder(vectors, TextSettings(signals=True)) for _ in range(2)]
    for number, encoder in enumerate(encoders):
        learn_signals(encoder, train, tmp_path / str(number))
        open_signals(encoder, tmp_path / str(number))
    first, second = (encoder.encode(["Rain fell on the pier."]).signals for encoder in encoders)
    assert first is not None
    assert second is not None
    np.testing.assert_array_equal(first.values, second.values)
    assert first.expected == second.expected


def test_a_sample_has_something_of_every_source(make_examples: Callable[..., list[Example]], tmp_path: Path) -> None:
    many = make_examples(101)
    sources = ["large"] * 100 + ["small"]
    corpus = [replace(e, extra={"source": s}) for e, s in zip(many, sources, strict=True)]
    write_examples(tmp_path / "all.jsonl", corpus)
    sample = sample_corpus(tmp_path / "all.jsonl", 22, 0.5, 0)
    assert 20 <= len(sample) <= 22
    assert "small" in [example.extra["source"] for example in sample]


def test_a_document_without_headings_is_as_one_whose_headings_are_hidden(counting_encoder: TextEncoder) -> None:
    sentences = ["Rain fell.", "It stopped.", "We conclude that it was dry."]
    with_headings = counting_encoder.encode(sentences, ["Introduction", "Results", "Conclusion"]).signals
    without = counting_encoder.encode(sentences).signals
    assert with_headings is not None
    assert without is not None
    hidden = without_group(with_headings.values, "sections")
    assert not np.array_equal(with_headings.values, without.values)
    np.testing.assert_array_equal(hidden, without.values)
    np.testing.assert_array_equal(hidden[:, GROUPS["wording"]], with_headings.values[:, GROUPS["wording"]])


def test_targets_of_salience_are_the_words_and_pairs_of_the_summary(counting_encoder: TextEncoder) -> None:
    text = counting_encoder.encode(["Oral iron improved haemoglobin.", "Iron haemoglobin improved costs."])
    counts, distinct = counting_encoder.count(text)
    summary = counting_encoder.summary_ids(["We gave oral iron.", "Haemoglobin improved."])
    words, pairs = summary_targets(counts, distinct, summary)
    names = [counting_encoder.vectors.vocabulary.words[word] for word in distinct]
    assert {name for name, said in zip(names, words, strict=True) if said} == {
        "oral",
        "iron",
        "haemoglobin",
        "improved",
        ".",
    }
    found = {
        (names[first], names[second])
        for first, second, said in zip(counts.pairs.first, counts.pairs.second, pairs, strict=True)
        if said
    }
    # "iron haemoglobin" is no pair of the summary: a sentence ends between the two.
    assert found == {("oral", "iron"), ("haemoglobin", "improved")}
