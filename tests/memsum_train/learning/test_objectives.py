"""Objectives: each is its definition, and descending on it makes the policy better at what it is for."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from memsum.errors import TrainingError
from memsum.features.encoding import TextEncoder
from memsum_train.corpus import Example
from memsum_train.learning.augment import drop_blocks
from memsum_train.learning.config import TrainingConfig
from memsum_train.learning.data import EncodedCorpus, EncodedDocument, encode_corpus
from memsum_train.learning.learner import LossInput
from memsum_train.learning.objectives import OBJECTIVES
from memsum_train.learning.objectives.imitation import SHARPNESS, preferences
from memsum_train.paper.episodes import search_episodes, sentence_gains
from memsum_train.policy import Policy, PolicyConfig, State
from memsum_train.policy.batch import collate
from memsum_train.policy.folder import new_policy

from ...helpers import rngs
from ..bridge import SUMMARY, TEXT
from .conftest import MakeTrainer

NEUSUM = {"history": "gru", "stopping": "fixed"}


@pytest.fixture(scope="module")
def corpus(short_examples: list[Example], encoder: TextEncoder) -> EncodedCorpus:
    return encode_corpus(short_examples, encoder, keep_raw_text=True)


@pytest.fixture(scope="module")
def bridge(encoder: TextEncoder) -> EncodedDocument:
    episodes = search_episodes(TEXT, SUMMARY, maximum=3)
    indices, scores = tuple(e.indices for e in episodes), tuple(e.score for e in episodes)
    return encode_corpus([Example(TEXT, SUMMARY, indices=indices, scores=scores)], encoder, keep_raw_text=True)[0]


def make(tiny: PolicyConfig, encoder: TextEncoder, **variant: str) -> Policy:
    torch.manual_seed(3)
    return new_policy(replace(tiny, **variant), encoder)


def loss_of(policy: Policy, documents: list[EncodedDocument], seeds: list[int], **settings: object) -> Tensor:
    config = TrainingConfig(**settings)
    batch = collate([document.text for document in documents])
    return OBJECTIVES[config.objective].loss(LossInput(policy, batch, documents, rngs(*seeds), config))


def descend(
    policy: Policy, documents: list[EncodedDocument], updates: int, rate: float = 1e-2, **settings: object
) -> list[float]:
    optimizer = torch.optim.Adam(policy.parameters(), lr=rate)
    losses = []
    for update in range(updates):
        optimizer.zero_grad()
        loss = loss_of(policy, documents, [update * len(documents) + i for i in range(len(documents))], **settings)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


# --- the wording of documents -----------------------------------------------------------------------------------------


def test_the_wording_is_kept_where_it_is_needed(tmp_path: Path, encoder: TextEncoder):
    text = ("Data were kept.", "Costs \ud800 rose\nby 3 %.", "Data were kept.", "Größe zählt.")
    example = Example(text, ("Costs rose.", "Yes."), indices=((3,),), scores=(0.5,))
    encode_corpus([example, example], encoder, keep_raw_text=True).save(tmp_path)
    wording = EncodedCorpus.load(tmp_path)[1].raw
    assert wording is not None
    assert wording.text == (text[0], text[1], text[3])  # as encoded: repeats once
    assert wording.summary == ("Costs rose.", "Yes.")
    assert encode_corpus([example], encoder)[0].raw is None


def test_a_corpus_without_wording_is_no_use_to_some(
    tiny: PolicyConfig, encoder: TextEncoder, short_corpus: EncodedCorpus
):
    with pytest.raises(ValueError, match="without its raw text"):
        loss_of(make(tiny, encoder, stopping="fixed"), [short_corpus[0]], [0], objective="gains")


def test_thinned_documents_say_what_is_left_of_them(examples: list[Example], encoder: TextEncoder):
    long = max(examples, key=lambda example: len(example.text))
    document = encode_corpus([long], encoder, keep_raw_text=True)[0]
    short = min((drop_blocks(document, rng) for rng in rngs(*range(9))), key=lambda d: len(d.text))
    assert short.raw is not None
    assert len(short.raw.text) == len(short.text) < len(document.text)
    np.testing.assert_array_equal(encoder.encode(short.raw.text).ids, short.text.ids)
    said = {short.raw.text[i] for i in short.best}
    assert said in [{long.text[i] for i in episode} for episode in long.indices or ()]


# --- gains ------------------------------------------------------------------------------------------------------------


def test_preferences_are_the_papers():
    gains = torch.tensor([[0.1, 0.3, -0.1, 0.9], [0.2, 0.2, 0.2, 0.0]])
    remaining = torch.tensor([[True, True, True, False], [True, True, True, False]])
    found = preferences(gains, remaining)
    scaled = [math.exp(SHARPNESS * g) for g in (0.5, 1.0, 0.0)]
    assert found[0].tolist() == pytest.approx([*(x / sum(scaled) for x in scaled), 0], rel=1e-4)
    assert found[1].tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])


def slow_gains_loss(policy: Policy, document: EncodedDocument) -> float:
    encoded = policy.encode(collate([document.text]))
    episode = document.best.tolist()
    gains = sentence_gains(document.raw.text, document.raw.summary, episode)
    total = 0.0
    for time in range(len(episode)):
        left = [i for i in range(len(document.text)) if i not in episode[:time]]
        remaining = torch.zeros(encoded.mask.shape, dtype=torch.bool)
        remaining[0, left] = True
        state = State(remaining, torch.tensor([episode[:time]], dtype=torch.long), torch.ones(1, time).bool())
        scores = policy.step(encoded, state).logits[0, left].softmax(dim=0).tolist()
        low, high = gains[time, left].min(), gains[time, left].max()
        sharp = np.exp(SHARPNESS * (gains[time, left] - low) / (high - low))
        total += sum(q * math.log(q / p) for q, p in zip(sharp / sharp.sum(), scores, strict=True))
    return total / len(episode)


@pytest.mark.parametrize("history", ["gru", "attention", "none"])
def test_the_loss_of_gains_is_its_definition(
    history: str, tiny: PolicyConfig, encoder: TextEncoder, bridge: EncodedDocument, corpus: EncodedCorpus
):
    policy = make(tiny, encoder, history=history, stopping="fixed")
    documents = [bridge, corpus[0], corpus[1]]  # their episodes differ in length
    with torch.no_grad():
        found = loss_of(policy, documents, [1, 2, 3], objective="gains", states=0).item()
        assert found == pytest.approx(sum(slow_gains_loss(policy, document) for document in documents), rel=1e-4)


def test_gains_are_learned(tiny: PolicyConfig, encoder: TextEncoder, bridge: EncodedDocument):
    policy = make(tiny, encoder, **NEUSUM)
    losses = descend(policy, [bridge], 30, objective="gains", states=2)
    assert 0 <= losses[-1] < 0.1 * losses[0]
    assert all(weight.grad is None or weight.grad.isfinite().all() for weight in policy.parameters())


# --- in the loop ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("objective", "network"), [("repeats", {}), ("gains", NEUSUM)])
def test_documents_teach_the_same_in_any_company(
    objective: str, network: dict[str, str], tiny: PolicyConfig, encoder: TextEncoder, corpus: EncodedCorpus
):
    """So does a batch in parts, or on several processes."""
    policy = make(tiny, encoder, **network)
    documents, seeds = [corpus[i] for i in range(4)], [1, 2, 3, 4]
    loss_of(policy, documents, seeds, objective=objective).backward()
    together = [weight.grad.clone() for weight in policy.parameters()]
    policy.zero_grad()
    for document, seed in zip(documents, seeds, strict=True):
        loss_of(policy, [document], [seed], objective=objective).backward()
    for weight, wanted in zip(policy.parameters(), together, strict=True):
        torch.testing.assert_close(weight.grad, wanted, atol=1e-5, rtol=1e-3)


@pytest.mark.parametrize(
    ("objective", "network", "hint"),
    [
        ("gains", {}, "the stopping fixed"),
        ("gains", {"stopping": "stop-sentence"}, "the stopping fixed"),
    ],
)
def test_objectives_that_would_leave_a_part_untrained_are_refused(
    objective: str, network: dict[str, str], hint: str, tmp_path: Path, make_trainer: MakeTrainer
):
    with pytest.raises(TrainingError, match=f"objective {objective}") as caught:
        make_trainer(tmp_path, objective=objective, network=network)
    assert hint in str(caught.value.hint)


def test_gains_are_those_of_joined_sentences(tmp_path: Path, make_trainer: MakeTrainer):
    trainer = make_trainer(tmp_path, objective="gains", network={"stopping": "fixed"}, split_noise=1.0)
    [part] = trainer.learner._parts(0)
    assert all(len(document.reference.text) == len(document.text) for document in part.documents)
    assert math.isfinite(trainer.learner.update())
