"""SummaRuNNer: the score of its definition, the same at every step and in every batch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from memsum.errors import ModelError
from memsum.features.encoding import EncodedText, TextEncoder
from memsum_train.corpus import Example
from memsum_train.paper.model import StopScores
from memsum_train.policy import Policy, PolicyConfig, State
from memsum_train.policy.batch import collate
from memsum_train.policy.folder import new_policy
from memsum_train.policy.greedy import play
from memsum_train.policy.summarunner import SummaRuNNerExtractor

BLOCKS = {"history": "none", "stopping": "fixed", "extractor": "summarunner"}


@pytest.fixture
def policy(tiny: PolicyConfig, encoder: TextEncoder) -> Policy:
    torch.manual_seed(5)
    return new_policy(replace(tiny, **BLOCKS), encoder).eval()


@pytest.fixture(scope="module")
def texts(examples: list[Example], encoder: TextEncoder) -> list[EncodedText]:
    return [encoder.encode(text) for text in (examples[0].text[:15], ("Only one.",), examples[1].text[:6])]


def lively(block: SummaRuNNerExtractor) -> SummaRuNNerExtractor:
    with torch.no_grad():
        for weight in block.parameters():
            weight.normal_(0, 0.7)
    return block.eval()


def by_hand(block: SummaRuNNerExtractor, local: NDArray[np.float32], context: NDArray[np.float32]) -> list[float]:
    """One sentence after the other: content + salience − novelty."""
    weights = {name: weight.detach().numpy() for name, weight in block.named_parameters()}
    hidden = [
        np.tanh(weights["hidden.weight"] @ np.concatenate(pair) + weights["hidden.bias"])
        for pair in zip(local, context, strict=True)
    ]
    document = np.tanh(weights["document.weight"] @ np.mean(hidden, axis=0) + weights["document.bias"])
    summary = np.zeros_like(document)
    logits = []
    for h in hidden:
        content = float((weights["content.weight"] @ h + weights["content.bias"])[0])
        salience = float((weights["salience.weight"] @ h) @ document) / np.sqrt(len(h))
        known = float((weights["novelty.weight"] @ h) @ np.tanh(summary)) / np.sqrt(len(h))
        logits.append(content + salience - known)
        summary = summary + h / (1 + np.exp(-logits[-1]))
    return logits


def test_the_score_is_its_definition(tiny: PolicyConfig):
    torch.manual_seed(1)
    block = lively(SummaRuNNerExtractor(replace(tiny, **BLOCKS)))
    local, context = torch.randn(2, 1, 7, tiny.dimension)
    found = block(local, context, torch.ones(1, 7, dtype=torch.bool))[0]
    np.testing.assert_allclose(found.detach().numpy(), by_hand(block, local[0].numpy(), context[0].numpy()), rtol=1e-4)


def test_what_was_said_before_is_worth_less(tiny: PolicyConfig):
    block = lively(SummaRuNNerExtractor(replace(tiny, **BLOCKS)))
    with torch.no_grad():
        block.novelty.weight.copy_(torch.eye(tiny.dimension))
    first, second, other = torch.randn(3, 1, 1, tiny.dimension)
    document = torch.cat([first, second, first, other], dim=1)
    scores = block(document, torch.zeros_like(document), torch.ones(1, 4, dtype=torch.bool))[0]
    assert scores[2] < scores[0]  # the same sentence, the same document


def test_padding_changes_nothing_whatever_it_holds(tiny: PolicyConfig):
    block = lively(SummaRuNNerExtractor(replace(tiny, **BLOCKS)))
    local, context = torch.randn(2, 3, 9, tiny.dimension)
    lengths = torch.tensor([9, 1, 4])
    mask = torch.arange(9) < lengths[:, None]
    together = block(local, context, mask)
    for row, length in enumerate(lengths.tolist()):
        alone = block(local[row : row + 1, :length], context[row : row + 1, :length], mask[row : row + 1, :length])
        torch.testing.assert_close(together[row, :length], alone[0], atol=1e-5, rtol=1e-4)


def test_extractions_change_no_score(policy: Policy, texts: list[EncodedText]):
    """One pass: sentences are extracted in the order of their first scores."""
    batch = collate(texts[:1])
    encoded = policy.encode(batch)
    start = State.start(encoded.mask)
    scores = policy.step(encoded, start)
    later = policy.step(encoded, start.extract(torch.tensor([3]), torch.tensor([True])))
    assert not isinstance(scores, StopScores)
    torch.testing.assert_close(scores.logits, later.logits)
    [episode] = play(policy, batch, 15)
    assert list(episode.choices) == scores.logits[0].argsort(descending=True, stable=True).tolist()


@pytest.mark.parametrize("wrong", [{"history": "gru"}, {"stopping": "policy"}, {"stopping": "stop-sentence"}])
def test_it_has_neither_history_nor_stop(wrong: dict[str, str]):
    with pytest.raises(ModelError, match="summarunner"):
        PolicyConfig(**{**BLOCKS, **wrong})
