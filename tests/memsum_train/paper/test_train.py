"""The loss is the paper's, and its gradient is finite in every state an episode can be in."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import cast

import numpy as np
import pytest
import torch
from torch import Tensor

from memsum.features.encoding import TextEncoder
from memsum_train.learning.config import TrainingConfig
from memsum_train.learning.data import EncodedCorpus, EncodedDocument
from memsum_train.learning.distributed import World
from memsum_train.learning.learner import Part
from memsum_train.paper.train import AlgorithmOne
from memsum_train.policy import Policy, PolicyConfig, State
from memsum_train.policy.batch import collate
from memsum_train.policy.folder import new_policy

ALONE = World(0, 1, torch.device("cpu"))
STOPPING = ["policy", "fixed", "stop-sentence"]


def make(tiny: PolicyConfig, encoder: TextEncoder, **variant: str) -> Policy:
    torch.manual_seed(2)
    return new_policy(replace(tiny, **variant), encoder).eval()


NO_DOCUMENTS = EncodedCorpus({"starts_bounds": np.array([0, 0]), "sources": np.zeros(1, np.int64)})


def loss_of(policy: Policy, documents: list[EncodedDocument], seeds: list[int], chunk: int = 3_000) -> float:
    """The loss of documents, the gradients of which are then those of the weights."""
    config = TrainingConfig(part_sentences=chunk)
    learner = AlgorithmOne(policy, NO_DOCUMENTS, lambda document, rng: document, config, ALONE)
    return learner.differentiate([Part(documents, [np.random.default_rng(seed) for seed in seeds], 1)])


def step_by_step(policy: Policy, document: EncodedDocument, seed: int) -> Tensor:
    """−r / (T + 1) · Σ log π(A_t) of one document, one step after the other, as the paper writes it."""
    random = np.random.default_rng(seed)
    which = int(random.integers(len(document.episodes)))
    episode, reward = random.permutation(document.episodes[which]).tolist(), float(document.rewards[which])
    encoded = policy.encode(collate([document.text]))
    size = len(document.text)
    total = torch.zeros(())
    for time in range(len(episode) + 1):
        left = [i for i in range(size) if i not in episode[:time]]
        remaining = torch.zeros(encoded.mask.shape, dtype=torch.bool)
        remaining[0, left] = True
        taken = torch.ones(1, time, dtype=torch.bool)
        result = policy.step(encoded, State(remaining, torch.tensor([episode[:time]], dtype=torch.long), taken))
        u = (result.candidates if policy.config.stopping == "stop-sentence" else result.logits)[0].sigmoid()
        stopping = time == len(episode)
        if policy.config.stopping == "policy":
            if not left:
                continue  # nothing else can be done: log 1
            stop = result.stop[0].sigmoid()
            total = total + (stop.log() if stopping else ((1 - stop) * u[episode[time]] / u[left].sum()).log())
        elif policy.config.stopping == "stop-sentence":
            chosen = size if stopping else episode[time]
            total = total + (u[chosen] / u[[*left, size]].sum()).log()
        elif not stopping:
            total = total + (u[episode[time]] / u[left].sum()).log()
    return -reward / (len(episode) + 1) * total


@pytest.mark.parametrize(("stopping", "history"), list(product(STOPPING, ["attention", "gru", "none"])))
def test_the_loss_is_the_papers(
    stopping: str, history: str, tiny: PolicyConfig, encoder: TextEncoder, short_corpus: EncodedCorpus
):
    policy = make(tiny, encoder, stopping=stopping, history=history)
    documents = [short_corpus[i] for i in (0, 3, 5)]
    found = loss_of(policy, documents, [7, 8, 9])
    wanted = sum(step_by_step(policy, document, seed) for document, seed in zip(documents, (7, 8, 9), strict=True))
    assert found == pytest.approx(wanted.item(), rel=1e-5)
    assert found > 0


@pytest.mark.parametrize("chunk", [1, 20, 3_000])
@pytest.mark.parametrize(
    "variant", [{}, {"history": "gru"}, {"context": "none"}, {"local": "mean"}, {"stopping": "stop-sentence"}]
)
def test_its_gradient_is_the_papers_in_chunks_of_any_size(
    variant: dict[str, str], chunk: int, tiny: PolicyConfig, encoder: TextEncoder, short_corpus: EncodedCorpus
):
    policy = make(tiny, encoder, **{"local": "lstm", **variant})
    documents, seeds = [short_corpus[4], short_corpus[1]], [1, 2]
    weights = list(policy.parameters())
    loss_of(policy, documents, seeds, chunk)
    found = [weight.grad for weight in weights]
    whole = sum(step_by_step(policy, document, seed) for document, seed in zip(documents, seeds, strict=True))
    wanted = torch.autograd.grad(cast(Tensor, whole), weights, allow_unused=True)
    assert any(gradient is not None for gradient in wanted)
    for a, b in zip(found, wanted, strict=True):
        assert (a is None) == (b is None)
        if a is not None and b is not None:
            torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-3)


def everything_is_extracted(corpus: EncodedCorpus, encoder: TextEncoder) -> list[EncodedDocument]:
    """A document that its episode takes whole, one of a single sentence, one with an empty episode, an ordinary one."""
    whole = encoder.encode(["Oral iron improved sleep quality.", "Data were checked."])
    single = encoder.encode(["Only one."])
    reward = np.array([0.5], np.float32)
    return [
        EncodedDocument(whole, [np.array([1, 0])], reward),
        EncodedDocument(single, [np.array([0])], reward),
        EncodedDocument(whole, [np.array([], np.int64)], reward),
        corpus[0],
    ]


@pytest.mark.parametrize("chunk", [1, 3_000])
@pytest.mark.parametrize(("stopping", "history"), list(product(STOPPING, ["attention", "gru", "none"])))
def test_gradients_are_finite_where_everything_is_extracted(
    stopping: str, history: str, chunk: int, tiny: PolicyConfig, encoder: TextEncoder, short_corpus: EncodedCorpus
):
    policy = make(tiny, encoder, stopping=stopping, history=history)
    documents = everything_is_extracted(short_corpus, encoder)
    for chosen in (documents, documents[:1], documents[1:2], documents[2:3]):
        policy.zero_grad()
        assert np.isfinite(loss_of(policy, chosen, [0] * len(chosen), chunk))
        assert all(weight.grad.isfinite().all() for weight in policy.parameters() if weight.grad is not None)


@pytest.mark.parametrize("stopping", STOPPING)
def test_the_loss_of_a_document_does_not_depend_on_its_neighbors(
    stopping: str, tiny: PolicyConfig, encoder: TextEncoder, short_corpus: EncodedCorpus
):
    policy = make(tiny, encoder, stopping=stopping)
    documents = everything_is_extracted(short_corpus, encoder)
    together = loss_of(policy, documents, [1, 2, 3, 4])
    alone = [loss_of(policy, [document], [seed]) for document, seed in zip(documents, (1, 2, 3, 4), strict=True)]
    assert together == pytest.approx(sum(alone), rel=1e-5)


@pytest.mark.parametrize("stopping", STOPPING)
def test_very_sure_policies_have_a_finite_loss(
    stopping: str, tiny: PolicyConfig, encoder: TextEncoder, short_corpus: EncodedCorpus
):
    policy = make(tiny, encoder, stopping=stopping)
    with torch.no_grad():
        policy.extractor.score.weight.mul_(1e4)
        policy.extractor.score.bias.fill_(-500)
        if policy.extractor.stop is not None:
            policy.extractor.stop.out.bias.fill_(900)
    assert np.isfinite(loss_of(policy, [short_corpus[1]], [1]))
    assert all(weight.grad.isfinite().all() for weight in policy.parameters() if weight.grad is not None)
