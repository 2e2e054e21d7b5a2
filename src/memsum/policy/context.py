"""Global context encoders: what a sentence is within its document."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional as F

from memsum.policy.config import PolicyConfig
from memsum.policy.lstm import BiLSTM


class LSTMContext(nn.Module):
    """The paper's GCE: a bi-LSTM over the local embeddings."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        self.rnn = BiLSTM(config.dimension, config.dimension, config.context_layers)
        self.norm = nn.LayerNorm(2 * config.dimension)
        self.out = nn.Linear(2 * config.dimension, config.dimension)

    def forward(self, local: Tensor, lengths: Tensor) -> Tensor:
        """local (B, N, d), lengths (B,) → (B, N, d)."""
        context: Tensor = self.out(F.relu(self.norm(self.rnn(local, lengths))))
        return context


class NoContext(nn.Module):
    """The ablation "w/o GCE": nothing is known of the document."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()

    def forward(self, local: Tensor, lengths: Tensor) -> Tensor:
        """Zeros of the local embeddings' shape."""
        return local.new_zeros(local.shape)


CONTEXT = {"lstm": LSTMContext, "none": NoContext}
