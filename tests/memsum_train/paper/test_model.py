"""Each block of the network against its definition, computed a second time in numpy."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from memsum.training.policy import PolicyConfig, State, StepScores, StopScores
from memsum.training.policy.layers import BiLSTM, MultiHeadPooling
from memsum.training.policy.paper.context import LSTMContext
from memsum.training.policy.paper.extractor import Extractor
from memsum.training.policy.paper.history import AttentionHistory, GRUHistory, NoHistory
from memsum.training.policy.paper.network import PaperNetwork


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


def linear(x: np.ndarray, layer: nn.Linear) -> np.ndarray:
    return x @ layer.weight.detach().numpy().T + layer.bias.detach().numpy()


def norm(x: np.ndarray, layer: nn.LayerNorm) -> np.ndarray:
    scaled = (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)
    return scaled * layer.weight.detach().numpy() + layer.bias.detach().numpy()


def relu(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0)


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max())
    return e / e.sum()


def pool(x: np.ndarray, layer: MultiHeadPooling) -> np.ndarray:
    """By definition: 8 logits and a value of 8 parts at every position, softmax over positions, heads joined."""
    logits, values = linear(x, layer.attention), linear(x, layer.value)
    parts = np.split(values, layer.heads, axis=1)
    joined = np.concatenate([softmax(logits[:, h]) @ parts[h] for h in range(layer.heads)])
    return linear(joined, layer.out)


def attend(queries: np.ndarray, keys: np.ndarray, layer: nn.Module) -> np.ndarray:
    q, k, v = linear(queries, layer.query), linear(keys, layer.key), linear(keys, layer.value)
    width = q.shape[1] // layer.heads
    rows = []
    for i in range(len(q)):
        heads = []
        for h in range(layer.heads):
            part = slice(h * width, (h + 1) * width)
            heads.append(softmax(k[:, part] @ q[i, part] / np.sqrt(width)) @ v[:, part])
        rows.append(np.concatenate(heads))
    return linear(np.array(rows), layer.out)


def history(local: np.ndarray, taken: list[int], block: AttentionHistory) -> np.ndarray:
    """The EHE of one document: keys of (a) are the remaining sentences, of (b) the extracted ones' local embeddings."""
    remaining = [i for i in range(len(local)) if i not in taken]
    x = local
    for layer in block.layers:
        x = norm(x + attend(x, x[remaining], layer.among_remaining), layer.norm1)
        x = norm(x + attend(x, local[taken], layer.to_extracted), layer.norm2)
        first, last = layer.feed_forward[0], layer.feed_forward[2]
        x = norm(x + linear(relu(linear(x, first)), last), layer.norm3)
    return x


def extract(parts: list[np.ndarray], remaining: list[int], block: Extractor) -> tuple[np.ndarray, float]:
    x = norm(np.concatenate(parts, axis=1), block.norm_input)
    x = relu(norm(linear(x, block.hidden1), block.norm1))
    x = relu(norm(linear(x, block.hidden2), block.norm2))
    stop = block.stop
    pooled = relu(norm(pool(x[remaining], stop.pool), stop.norm))
    return linear(x, block.score)[:, 0], float(linear(pooled, stop.out)[0])


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


def test_what_lies_beyond_a_length_changes_nothing():
    block = BiLSTM(6, 4, 2)
    x = torch.randn(2, 5, 6)
    other = x.clone()
    other[1, 3:] = torch.randn(2, 6) * 100
    lengths = torch.tensor([5, 3])
    close(block(x, lengths)[1, :3], block(other, lengths)[1, :3].detach())


@pytest.mark.parametrize(("width_in", "width"), [(12, 12), (12, 8)])
def test_pooling_is_its_definition(width_in: int, width: int):
    block = MultiHeadPooling(width_in, width, 4)
    x = torch.randn(2, 6, width_in)
    mask = torch.tensor([[True] * 6, [True] * 4 + [False] * 2])
    found = block(x, mask)
    close(found[0], pool(x[0].numpy(), block))
    close(found[1], pool(x[1, :4].numpy(), block))


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


def test_the_attention_history_is_its_definition(tiny: PolicyConfig):
    block = lively(AttentionHistory(tiny))
    local = torch.randn(1, 7, tiny.dimension)
    for taken in ([3], [6, 0], [2, 4, 1]):
        close(block(local, one_state(7, taken))[0], history(local[0].numpy(), taken, block))


def test_the_history_knows_no_order_of_extraction(tiny: PolicyConfig):
    block = lively(AttentionHistory(tiny))
    local = torch.randn(1, 7, tiny.dimension)
    close(block(local, one_state(7, [5, 1, 2])), block(local, one_state(7, [1, 2, 5])).detach())


def test_the_gru_history_is_the_last_state(tiny: PolicyConfig):
    block = GRUHistory(tiny)
    local = torch.randn(1, 6, tiny.dimension)
    _, last = block.rnn(local[:, [4, 1, 3]])
    found = block(local, one_state(6, [4, 1, 3]))
    close(found, last.expand(1, 6, -1).detach())
    assert not torch.allclose(found, block(local, one_state(6, [3, 1, 4])))  # it knows the order


@pytest.mark.parametrize("block", [AttentionHistory, GRUHistory, NoHistory])
def test_before_the_first_extraction_the_history_is_zero(block: type[nn.Module], tiny: PolicyConfig):
    local = torch.randn(2, 4, tiny.dimension)
    mask = torch.ones(2, 4, dtype=torch.bool)
    assert not block(tiny)(local, State.start(mask)).any()
    # The second document has extracted a sentence, the first has not.
    some = State(mask, torch.tensor([[0], [2]]), torch.tensor([[False], [True]]))
    assert not block(tiny)(local, some)[0].any()


def test_the_context_is_its_definition(tiny: PolicyConfig):
    block = lively(LSTMContext(tiny))
    local = torch.randn(1, 5, tiny.dimension)
    states, _ = reference_lstm(block.rnn, tiny.dimension, tiny.dimension)(local)
    wanted = linear(relu(norm(states[0].detach().numpy(), block.norm)), block.out)
    close(block(local, torch.tensor([5]))[0], wanted)


def test_the_extractor_is_its_definition(tiny: PolicyConfig):
    block = lively(Extractor(tiny))
    parts = [torch.randn(1, 5, tiny.dimension) for _ in range(3)]
    state = one_state(5, [1, 4])
    found = block(*parts, state.remaining)
    scores, wanted = extract([part[0].numpy() for part in parts], [0, 2, 3], block)
    close(found.logits[0], scores)
    close(found.stop, np.array([wanted]))


@pytest.mark.parametrize(("stopping", "has_stop"), [("policy", True), ("fixed", False), ("stop-sentence", False)])
def test_only_a_policy_that_stops_by_probability_has_one(stopping: str, has_stop: bool, tiny: PolicyConfig):
    block = Extractor(PolicyConfig(**{**tiny.to_dict(), "stopping": stopping}))
    parts = [torch.randn(1, 5, tiny.dimension) for _ in range(3)]
    assert isinstance(block(*parts, torch.ones(1, 5, dtype=torch.bool)), StopScores) == has_stop


def test_a_choice_is_the_share_of_a_score():
    logits = torch.tensor([[2.0, -1.0, 0.5, 30.0]])
    remaining = torch.tensor([[True, True, True, False]])
    shares = StepScores(logits).log_choice(remaining).exp()
    u = 1 / (1 + np.exp(-np.array([2.0, -1.0, 0.5])))
    close(shares, np.array([[*(u / u.sum()), 0]]))


def test_choices_of_very_sure_scores_are_finite():
    logits = torch.tensor([[-900.0, -1000.0, 800.0]])
    some = StepScores(logits).log_choice(torch.tensor([[True, True, False]]))
    close(some[0, :2], np.array([0.0, -100.0]))


def test_the_network_has_the_papers_size():
    policy = PaperNetwork(PolicyConfig(local="lstm"), torch.zeros(3, 200), torch.zeros(3))
    weights = sum(weight.numel() for weight in policy.parameters())
    assert 6_300_000 < weights < 6_400_000
    # The release also carries a baseline head that its loss does not use.
    baseline = MultiHeadPooling(200, 200, 8), nn.LayerNorm(200), nn.Linear(200, 1)
    assert weights + sum(p.numel() for part in baseline for p in part.parameters()) == pytest.approx(6.4e6, rel=0.005)
