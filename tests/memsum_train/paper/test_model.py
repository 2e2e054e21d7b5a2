"""Blocks of the network: what they are by definition, and what changes nothing.

That whole blocks compute what the paper's do is shown in `test_importer.py`, with the authors' inference.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from memsum.features.encoding import TextEncoder
from memsum_train.paper.model import BiLSTM, ExtractionHistoryEncoder, Extractor, MemSum, MultiHeadPooling, StopScores
from memsum_train.paper.variants import GRUHistory, NoHistory
from memsum_train.policy import Policy, PolicyConfig, State
from memsum_train.policy.batch import collate
from memsum_train.policy.counted import Dropout
from memsum_train.policy.folder import new_policy
from memsum_train.policy.network import log_choice


@pytest.fixture(autouse=True)
def _same_weights_every_time() -> None:
    torch.manual_seed(5)


def lively(module: nn.Module) -> nn.Module:
    """Norms that are not the identity, so that forgetting one is noticed."""
    for part in module.modules():
        if isinstance(part, nn.LayerNorm):
            nn.init.uniform_(part.weight, 0.5, 1.5)
            nn.init.normal_(part.bias)
    return module.eval()


def one_state(size: int, taken: list[int]) -> State:
    remaining = torch.ones(1, size, dtype=torch.bool)
    remaining[0, taken] = False
    return State(remaining, torch.tensor([taken]), torch.ones(1, len(taken), dtype=torch.bool))


def reference_lstm(block: BiLSTM, width_in: int, width: int) -> nn.LSTM:
    """Torch's own bidirectional LSTM with the same weights."""
    lstm = nn.LSTM(width_in, width, len(block.forwards), batch_first=True, bidirectional=True)
    weights = {}
    for layer, (ahead, back) in enumerate(zip(block.forwards, block.backwards, strict=True)):
        for name, weight in ahead.named_parameters():
            weights[name.replace("l0", f"l{layer}")] = weight
        for name, weight in back.named_parameters():
            weights[name.replace("l0", f"l{layer}_reverse")] = weight
    lstm.load_state_dict(weights)
    return lstm


def close(found: Tensor, wanted: np.ndarray | Tensor, tolerance: float = 1e-5) -> None:
    np.testing.assert_allclose(found.detach().numpy(), np.asarray(wanted), atol=tolerance, rtol=1e-4)


@pytest.mark.parametrize("layers", [1, 2])
def test_the_lstm_is_torchs_on_sequences_without_padding(layers: int):
    block = BiLSTM(6, 4, layers)
    lstm = reference_lstm(block, 6, 4)
    lengths = torch.tensor([5, 1, 3])
    x = torch.randn(3, 5, 6)
    found = block(x, lengths)
    for row, length in enumerate(lengths.tolist()):
        wanted, _ = lstm(x[row : row + 1, :length])
        close(found[row, :length], wanted[0].detach())


def test_pooling_nothing_is_finite():
    block = MultiHeadPooling(8, 8, 4)
    assert block(torch.randn(1, 3, 8), torch.zeros(1, 3, dtype=torch.bool)).isfinite().all()


def test_a_hand_computed_pooling():
    """Two heads of width one over two positions; the first head sees only the first position."""
    block = MultiHeadPooling(2, 2, 2)
    with torch.no_grad():
        block.attention.weight.copy_(torch.tensor([[50.0, 0.0], [0.0, 0.0]]))
        block.attention.bias.zero_()
        block.value.weight.copy_(torch.eye(2))
        block.value.bias.copy_(torch.tensor([10.0, 20.0]))
        block.out.weight.copy_(torch.eye(2))
        block.out.bias.zero_()
    x = torch.tensor([[[1.0, 4.0], [0.0, 2.0]]])
    close(block(x, torch.ones(1, 2, dtype=torch.bool)), np.array([[11.0, 23.0]]))


def test_the_history_knows_no_order_of_extraction(tiny: PolicyConfig):
    block = lively(ExtractionHistoryEncoder(tiny))
    local = torch.randn(1, 7, tiny.dimension)
    close(block(local, one_state(7, [5, 1, 2])), block(local, one_state(7, [1, 2, 5])).detach())


def test_the_gru_history_is_the_last_state(tiny: PolicyConfig):
    block = GRUHistory(tiny)
    local = torch.randn(1, 6, tiny.dimension)
    _, last = block.rnn(local[:, [4, 1, 3]])
    found = block(local, one_state(6, [4, 1, 3]))
    close(found, last.expand(1, 6, -1).detach())
    assert not torch.allclose(found, block(local, one_state(6, [3, 1, 4])))  # it knows the order


@pytest.mark.parametrize("block", [ExtractionHistoryEncoder, GRUHistory, NoHistory])
def test_before_the_first_extraction_the_history_is_zero(block: type[nn.Module], tiny: PolicyConfig):
    local = torch.randn(2, 4, tiny.dimension)
    mask = torch.ones(2, 4, dtype=torch.bool)
    assert not block(tiny)(local, State.start(mask)).any()
    # The second document has extracted a sentence, the first has not.
    some = State(mask, torch.tensor([[0], [2]]), torch.tensor([[False], [True]]))
    assert not block(tiny)(local, some)[0].any()


@pytest.mark.parametrize(("stopping", "has_stop"), [("policy", True), ("fixed", False), ("stop-sentence", False)])
def test_only_a_policy_that_stops_by_probability_has_one(stopping: str, has_stop: bool, tiny: PolicyConfig):
    block = Extractor(PolicyConfig(**{**tiny.to_dict(), "stopping": stopping}))
    parts = [torch.randn(1, 5, tiny.dimension) for _ in range(3)]
    assert isinstance(block(*parts, torch.ones(1, 5, dtype=torch.bool)), StopScores) == has_stop


def test_a_choice_is_the_share_of_a_score():
    logits = torch.tensor([[2.0, -1.0, 0.5, 30.0]])
    remaining = torch.tensor([[True, True, True, False]])
    shares = log_choice(logits, remaining).exp()
    u = 1 / (1 + np.exp(-np.array([2.0, -1.0, 0.5])))
    close(shares, np.array([[*(u / u.sum()), 0]]))


def test_choices_of_very_sure_scores_are_finite():
    logits = torch.tensor([[-900.0, -1000.0, 800.0]])
    some = log_choice(logits, torch.tensor([[True, True, False]]))
    close(some[0, :2], np.array([0.0, -100.0]))


def test_the_network_has_the_papers_size():
    policy = MemSum(PolicyConfig(local="lstm"), torch.zeros(3, 200), torch.zeros(3))
    weights = sum(weight.numel() for weight in policy.parameters())
    assert 6_300_000 < weights < 6_400_000
    # The release also carries a baseline head that its loss does not use.
    baseline = MultiHeadPooling(200, 200, 8), nn.LayerNorm(200), nn.Linear(200, 1)
    assert weights + sum(p.numel() for part in baseline for p in part.parameters()) == pytest.approx(6.4e6, rel=0.005)


# --- dropout ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_the_share_is_dropped_and_the_mean_stays(share: float):
    torch.manual_seed(0)
    x = torch.ones(1000, 333)
    out = Dropout(share)(x)
    assert (out == 0).float().mean().item() == pytest.approx(round(256 * share) / 256, abs=0.003)
    assert out.mean().item() == pytest.approx(1, abs=0.01)
    assert len(out.unique()) == 2


def test_every_byte_of_a_draw_is_random():
    torch.manual_seed(0)
    dropped = (Dropout(0.25)(torch.ones(8 * 20_000)) == 0).view(-1, 8).float().mean(dim=0)
    torch.testing.assert_close(dropped, torch.full((8,), 0.25), atol=0.015, rtol=0)


def test_gradients_pass_where_values_do():
    x = torch.ones(50, 7, requires_grad=True)
    out = Dropout(0.5)(x)
    out.sum().backward()
    assert x.grad is not None
    torch.testing.assert_close(x.grad, out.detach())


def test_the_seed_decides_and_nothing_happens_outside_training_or_without_a_share():
    x, drawn = torch.ones(100), []
    for _ in range(2):
        torch.manual_seed(3)
        drawn.append(Dropout(0.5)(x))
    torch.testing.assert_close(*drawn)
    assert Dropout(0.5).eval()(x) is x
    assert Dropout(0.0)(x) is x


# --- local encoders: what a sentence's embedding is made of ----------------------------------------------------------


SENTENCES = ["Oral iron improved hemoglobin.", "Yes.", "The committee met 12 times this year.", "Data were kept."]


def embed(policy: Policy, encoder: TextEncoder, sentences: list[str]) -> np.ndarray:
    with torch.no_grad():
        return policy.encode(collate([encoder.encode(sentences)])).local[0].numpy()


def make_policy(tiny: PolicyConfig, encoder: TextEncoder, **variant: object) -> Policy:
    torch.manual_seed(3)
    policy = new_policy(replace(tiny, **variant), encoder).eval()
    for part in policy.modules():
        if isinstance(part, nn.LayerNorm):
            nn.init.normal_(part.bias)
    return policy


@pytest.mark.parametrize("dimension", [16, 8])
def test_mean_is_the_mean_of_the_word_vectors(dimension: int, tiny: PolicyConfig, encoder: TextEncoder):
    """One of another width is projected."""
    policy = make_policy(tiny, encoder, local="mean", dimension=dimension)
    text = encoder.encode(SENTENCES)
    wanted = np.stack([encoder.vectors.lookup(text.sentence(i)).mean(axis=0) for i in range(len(text))])
    out = policy.local.out
    if isinstance(out, nn.Linear):
        wanted = wanted @ out.weight.detach().numpy().T + out.bias.detach().numpy()
    assert isinstance(out, nn.Linear) == (dimension != encoder.vectors.dimension)
    np.testing.assert_allclose(embed(policy, encoder, SENTENCES), wanted, atol=1e-5)


def test_pooled_is_weighted_mean_plus_pooled_words_plus_features(tiny: PolicyConfig, encoder: TextEncoder):
    policy = make_policy(tiny, encoder, local="pooled")
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
    policy = make_policy(tiny, encoder, local=local)
    forth, back = embed(policy, encoder, SENTENCES), embed(policy, encoder, SENTENCES[::-1])
    np.testing.assert_allclose(forth, back[::-1], atol=1e-5)
    ours = make_policy(tiny, encoder, local="pooled")
    assert not np.allclose(embed(ours, encoder, SENTENCES), embed(ours, encoder, SENTENCES[::-1])[::-1], atol=1e-3)
