"""Local encoders: what a sentence's embedding is made of."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from memsum.features.encoding import TextEncoder
from memsum.training.policy import Policy, PolicyConfig
from memsum.training.policy.batch import collate
from memsum.training.policy.folder import new_policy

SENTENCES = [
    "Oral iron improved haemoglobin.",
    "Yes.",
    "The committee met 12 times during the year.",
    "Data were kept.",
]


def embed(policy: Policy, encoder: TextEncoder, sentences: list[str]) -> np.ndarray:
    with torch.no_grad():
        return policy.encode(collate([encoder.encode(sentences)])).local[0].numpy()


def make(tiny: PolicyConfig, encoder: TextEncoder, **variant: object) -> Policy:
    torch.manual_seed(3)
    policy = new_policy(replace(tiny, **variant), encoder).eval()
    for part in policy.modules():
        if isinstance(part, nn.LayerNorm):
            nn.init.normal_(part.bias)
    return policy


def test_mean_is_the_mean_of_the_word_vectors(tiny: PolicyConfig, encoder: TextEncoder):
    policy = make(tiny, encoder, local="mean")
    text = encoder.encode(SENTENCES)
    wanted = [encoder.vectors.lookup(text.sentence(i)).mean(axis=0) for i in range(len(text))]
    np.testing.assert_allclose(embed(policy, encoder, SENTENCES), wanted, atol=1e-5)


def test_a_mean_of_another_width_is_projected(tiny: PolicyConfig, encoder: TextEncoder):
    policy = make(tiny, encoder, local="mean", dimension=8)
    text = encoder.encode(SENTENCES)
    means = np.stack([encoder.vectors.lookup(text.sentence(i)).mean(axis=0) for i in range(len(text))])
    out = policy.local.out
    wanted = means @ out.weight.detach().numpy().T + out.bias.detach().numpy()
    np.testing.assert_allclose(embed(policy, encoder, SENTENCES), wanted, atol=1e-5)


def test_lstm_reads_each_sentence_alone_then_pools(tiny: PolicyConfig, encoder: TextEncoder):
    policy = make(tiny, encoder, local="lstm")
    text = encoder.encode(SENTENCES)
    local = policy.local
    wanted = []
    with torch.no_grad():
        for i in range(len(text)):
            words = torch.from_numpy(encoder.vectors.lookup(text.sentence(i)))[None]
            length = torch.tensor([words.shape[1]])
            states = local.rnn(words, length)
            mask = torch.ones(states.shape[:2], dtype=torch.bool)
            wanted.append(local.out(torch.relu(local.norm(local.pool(states, mask))))[0].numpy())
    np.testing.assert_allclose(embed(policy, encoder, SENTENCES), wanted, atol=1e-5)


def test_pooled_is_weighted_mean_plus_pooled_words_plus_features(tiny: PolicyConfig, encoder: TextEncoder):
    policy = make(tiny, encoder, local="pooled")
    text = encoder.encode(SENTENCES)
    local = policy.local
    wanted = []
    with torch.no_grad():
        for i in range(len(text)):
            ids = text.sentence(i)
            words, weights = encoder.vectors.lookup(ids), encoder.weights[ids]
            mean = torch.from_numpy(weights @ words / weights.sum())
            hidden = torch.relu(local.hidden(torch.from_numpy(words)))[None]
            pooled = local.pool(hidden, torch.ones(1, len(ids), dtype=torch.bool))[0]
            features = local.features(torch.from_numpy(text.features[i]))
            wanted.append(local.norm(local.mean(mean) + pooled + features).numpy())
    np.testing.assert_allclose(embed(policy, encoder, SENTENCES), wanted, atol=1e-5)


@pytest.mark.parametrize("local", ["lstm", "mean"])
def test_only_ours_knows_the_place_of_a_sentence(local: str, tiny: PolicyConfig, encoder: TextEncoder):
    policy = make(tiny, encoder, local=local)
    forth, back = embed(policy, encoder, SENTENCES), embed(policy, encoder, SENTENCES[::-1])
    np.testing.assert_allclose(forth, back[::-1], atol=1e-5)
    ours = make(tiny, encoder, local="pooled")
    assert not np.allclose(embed(ours, encoder, SENTENCES), embed(ours, encoder, SENTENCES[::-1])[::-1], atol=1e-3)
