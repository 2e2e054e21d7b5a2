"""The paper's network (section 3.3, Figure 2), its policy (equation 4), and deterministic extraction (section 4).

B documents of N sentences; d = 200, the width of all embeddings; E sentences extracted so far. A state of an episode is
`State`: `remaining` (B, N), true for the sentences that can be extracted; `extracted` (B, E), their positions in order,
and `taken` (B, E), true where that is filled.

Attributes are called `local`, `context`, `history` (LSE, GCE, EHE) and `extractor`. The release pads every sentence and
document to one length and reads the padding; here nothing of it is seen. Pre-trained files of the authors keep it
(`memsum_train.policy.authors_padding`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from memsum_train.policy.batch import Batch, SentenceBucket, State
from memsum_train.policy.config import PolicyConfig
from memsum_train.policy.network import Network, Policy, StepScores, log_choice

_KEPT_WORDS = 25_000

# --- layers ----------------------------------------------------------------------------------------------------------


class BiLSTM(nn.Module):
    """Layers of a bidirectional LSTM.

    The backward LSTM reads each sequence reversed within its own length, so that padding comes last for both directions
    and never enters a state that is used; packed sequences would do the same, slowly on a CPU.
    """

    def __init__(self, width_in: int, width: int, layers: int) -> None:
        super().__init__()
        widths = [width_in] + [2 * width] * (layers - 1)
        self.forwards = nn.ModuleList([nn.LSTM(w, width, batch_first=True) for w in widths])
        self.backwards = nn.ModuleList([nn.LSTM(w, width, batch_first=True) for w in widths])

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        """x (B, L, width_in), lengths (B,) → states (B, L, 2 · width); beyond a length they mean nothing."""
        columns, ends = torch.arange(x.shape[1], device=x.device).expand(x.shape[:2]), lengths[:, None]
        reverse = torch.where(columns < ends, ends - 1 - columns, columns)
        for ahead, back in zip(self.forwards, self.backwards, strict=True):
            right, _ = ahead(x)
            left, _ = back(gather_sentences(x, reverse))
            x = torch.cat([right, gather_sentences(left, reverse)], dim=-1)
        return x


def gather_sentences(x: Tensor, positions: Tensor) -> Tensor:
    """Take rows of x (B, N, d) at positions (B, E) → (B, E, d); index_select has a fast gradient on a CPU."""
    batch, length, width = x.shape
    flat = (positions + torch.arange(batch, device=x.device)[:, None] * length).flatten()
    return x.reshape(batch * length, width).index_select(0, flat).view(batch, -1, width)


class MultiHeadPooling(nn.Module):
    """MHP: many states to one vector; each head weights the positions by its own softmax, padding has no weight."""

    def __init__(self, width_in: int, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.attention = nn.Linear(width_in, heads)
        self.value = nn.Linear(width_in, width)
        self.out = nn.Linear(width, width)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x (B, L, width_in), mask (B, L) true where there is something → (B, width)."""
        # A row with nothing at all pools its padding evenly instead of dividing by zero.
        weights = self.attention(x).float().masked_fill(~mask[..., None], -1e9).softmax(dim=1).to(x.dtype)
        # Weights that sum to one commute with the linear values: pool first, and project once instead of L times.
        pooled = weights.transpose(1, 2) @ x  # (B, heads, width_in)
        by_head = self.value.weight.view(self.heads, -1, x.shape[-1])  # (heads, width / heads, width_in)
        values = torch.einsum("bhi,hwi->bhw", pooled, by_head).flatten(1) + self.value.bias
        out: Tensor = self.out(values)
        return out


class Attention(nn.Module):
    """Multi-head attention; a query with no key to look at gives nothing."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def forward(self, x: Tensor, keys: Tensor, mask: Tensor) -> Tensor:
        """Attend with x (B, N, d) to keys (B, K, d) where mask (B, K) → (B, N, d)."""
        q, k, v = (
            projected.view(*projected.shape[:2], self.heads, -1).transpose(1, 2)  # (B, heads, N or K, d / heads)
            for projected in (self.query(x), self.key(keys), self.value(keys))
        )
        anything = mask.any(dim=1)
        visible = (mask | ~anything[:, None])[:, None, None, :]
        seen = F.scaled_dot_product_attention(q, k, v, attn_mask=visible)
        out: Tensor = self.out(seen.transpose(1, 2).flatten(2))
        return out * anything[:, None, None]


# --- section 3.3: the policy network ---------------------------------------------------------------------------------


class LocalSentenceEncoder(nn.Module):
    """LSE: a bi-LSTM over the words of a sentence, pooled to the sentence embedding l."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        width = 2 * config.dimension
        self.rnn = BiLSTM(config.word_dimension, config.dimension, config.local_layers)
        self.pool = MultiHeadPooling(width, width, config.heads)
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, config.dimension)

    def forward(self, words: Tensor, weights: Tensor, buckets: Sequence[SentenceBucket]) -> Tensor:
        """Vectors (U, D) of the batch's distinct words, and sentences that point to them → l (S, d)."""

        def pool(bucket: SentenceBucket) -> Tensor:
            pooled: Tensor = self.pool(self.rnn(F.embedding(bucket.words, words), bucket.lengths), bucket.mask)
            return pooled

        # Of very many words the states are not kept for the gradient, but computed again: 25,000 take half a gigabyte.
        long = torch.is_grad_enabled() and sum(bucket.words.numel() for bucket in buckets) > _KEPT_WORDS
        again = partial(checkpoint, pool, use_reentrant=False, preserve_rng_state=False)
        pooled = [again(bucket) if long else pool(bucket) for bucket in buckets]
        local: Tensor = self.out(F.relu(self.norm(torch.cat(pooled))))
        return local


class GlobalContextEncoder(nn.Module):
    """GCE: a bi-LSTM over the sentences of a document, for the context embeddings g."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        self.rnn = BiLSTM(config.dimension, config.dimension, config.context_layers)
        self.norm = nn.LayerNorm(2 * config.dimension)
        self.out = nn.Linear(2 * config.dimension, config.dimension)

    def forward(self, local: Tensor, lengths: Tensor) -> Tensor:
        """l (B, N, d), sentences of each document (B,) → g (B, N, d)."""
        context: Tensor = self.out(F.relu(self.norm(self.rnn(local, lengths))))
        return context


class AttentionLayer(nn.Module):
    """A layer of the EHE: remaining sentences look at each other, then at the extracted ones; residuals, post-norm."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        d = config.dimension
        self.among_remaining = Attention(d, config.heads)
        self.norm1 = nn.LayerNorm(d)
        self.to_extracted = Attention(d, config.heads)
        self.norm2 = nn.LayerNorm(d)
        self.feed_forward = nn.Sequential(
            nn.Linear(d, config.feed_forward), nn.ReLU(), nn.Linear(config.feed_forward, d)
        )
        self.norm3 = nn.LayerNorm(d)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x: Tensor, remaining: Tensor, extracted: Tensor, taken: Tensor) -> Tensor:
        """x (B, N, d), remaining (B, N), extracted (B, E, d), taken (B, E) → (B, N, d)."""
        x = self.norm1(x + self.dropout(self.among_remaining(x, x, remaining)))
        x = self.norm2(x + self.dropout(self.to_extracted(x, extracted, taken)))
        out: Tensor = self.norm3(x + self.dropout(self.feed_forward(x)))
        return out


class ExtractionHistoryEncoder(nn.Module):
    """EHE: the history embeddings h of what remains. It knows no order, neither of sentences nor of extractions."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        self.layers = nn.ModuleList([AttentionLayer(config) for _ in range(config.history_layers)])

    def forward(self, local: Tensor, state: State) -> Tensor:
        """l (B, N, d) → h (B, N, d); h = 0 for a document with nothing extracted."""
        history = torch.zeros_like(local)
        begun = state.taken.any(dim=1).nonzero()[:, 0]
        if not len(begun):
            return history
        x, remaining = local[begun], state.remaining[begun]
        extracted, taken = gather_sentences(x, state.extracted[begun]), state.taken[begun]
        for layer in self.layers:
            x = layer(x, remaining, extracted, taken)
        return history.to(x.dtype).index_copy(0, begun, x)


class Extractor(nn.Module):
    """Two hidden layers shared by all sentences; a linear score, and a stop from the remaining ones together."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        d = config.dimension
        self.norm_input = nn.LayerNorm(3 * d)
        self.hidden1 = nn.Linear(3 * d, 2 * d)
        self.norm1 = nn.LayerNorm(2 * d)
        self.hidden2 = nn.Linear(2 * d, d)
        self.norm2 = nn.LayerNorm(d)
        self.score = nn.Linear(d, 1)
        self.stop = Stop(config) if config.stopping == "policy" else None  # without one: variants
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, local: Tensor, context: Tensor, history: Tensor, remaining: Tensor) -> StepScores:
        """l, g, h (B, N, d) → scores u of all sentences, and p_stop from those that remain (B, N)."""
        x = self.norm_input(self.dropout(torch.cat([local, context, history], dim=-1)))
        x = F.relu(self.norm1(self.dropout(self.hidden1(x))))
        x = F.relu(self.norm2(self.dropout(self.hidden2(x))))
        if self.stop is None:
            return StepScores(self.score(x).squeeze(-1))
        stop = self.stop(x, remaining)
        return StopScores(self.score(x).squeeze(-1), stop)


class Stop(nn.Module):
    """p_stop, from the pooled last hidden states of what remains."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        self.pool = MultiHeadPooling(config.dimension, config.dimension, config.heads)
        self.norm = nn.LayerNorm(config.dimension)
        self.out = nn.Linear(config.dimension, 1)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, hidden: Tensor, remaining: Tensor) -> Tensor:
        """Hidden states (B, N, d) of what remains (B, N) → logits (B,) of p_stop."""
        pooled = self.dropout(self.pool(hidden, remaining))
        logits: Tensor = self.out(F.relu(self.norm(pooled))).squeeze(-1)
        return logits


@dataclass(frozen=True)
class Encoded:
    """Local and context embeddings (B, N, d), and where there are sentences (B, N)."""

    local: Tensor
    context: Tensor
    mask: Tensor

    def repeat(self, times: int) -> Encoded:
        return Encoded(*(x.repeat_interleave(times, dim=0) for x in (self.local, self.context, self.mask)))


class MemSum(Network[Encoded]):
    """Figure 2: encode the document once; at each step remember what was extracted, and score what remains."""

    def __init__(
        self,
        config: PolicyConfig,
        words: Tensor,
        weights: Tensor,
        local: Callable[[PolicyConfig], nn.Module] = LocalSentenceEncoder,
        context: Callable[[PolicyConfig], nn.Module] = GlobalContextEncoder,
        history: Callable[[PolicyConfig], nn.Module] = ExtractionHistoryEncoder,
    ) -> None:
        super().__init__(config, words, weights, local(config), context(config))
        self.history = history(config)
        self.extractor = Extractor(config)
        self._remembers = True

    def encode(self, batch: Batch) -> Encoded:
        """Return l and g: LSE and GCE, lines 2 and 3 of Algorithm 1."""
        return Encoded(*self.read(batch), batch.mask)

    def remember(self, encoded: Encoded, state: State) -> Tensor:
        """Return h (B, N, d): EHE, lines 6 to 9."""
        history: Tensor = self.history(encoded.local, state) if self._remembers else torch.zeros_like(encoded.local)
        return history

    def score(self, encoded: Encoded, history: Tensor, state: State) -> StepScores:
        """Return u and p_stop: the extractor, line 10."""
        scores: StepScores = self.extractor(encoded.local, encoded.context, history, state.remaining)
        return scores

    def step(self, encoded: Encoded, state: State) -> StepScores:
        return self.score(encoded, self.remember(encoded, state), state)

    def disable_history(self) -> None:
        self._remembers = False


# --- section 3.2: the policy -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StopScores(StepScores):
    """Logits of the scores u (B, N) and of p_stop (B,), and the policy that they make: equation 4.

    π(A_t | S_t) = p_stop if it stops, else (1 − p_stop) · u_a / Σ u_j over what remains. The factor 1 / |I_t| of the
    stop is left out: it does not depend on the parameters.
    """

    stop: Tensor  # (B,) logits of stopping

    def log_action(self, remaining: Tensor, action: Tensor, stops: Tensor) -> Tensor:
        """Return log π (B,) of extracting the sentences `action` (B,), or of stopping where `stops` (B,).

        Where nothing remains, stopping is certain: its log is 0.
        """
        over, stop = ~remaining.any(dim=1), self.stop.float()
        chosen = log_choice(self.logits, remaining | over[:, None]).gather(1, action[:, None])[:, 0]
        return torch.where(stops, F.logsigmoid(stop), F.logsigmoid(-stop) + chosen.masked_fill(stops, 0)).masked_fill(
            over, 0
        )

    def p_stop(self, best: Tensor) -> Tensor:
        return self.stop.float().sigmoid()


# --- section 4: deterministic extraction -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Extraction:
    """One document's episode, played beyond its stop: the order of extraction does not depend on where one stops."""

    choices: tuple[int, ...]  # positions, in order of extraction
    scores: tuple[float, ...]  # u of each choice when it was made
    stops: tuple[float, ...]  # p_stop before each choice, and after the last

    def length(self, p_thres: float, n_max: int, minimum: int = 1) -> int:
        """Return the number of sentences that are extracted if the episode stops at p_stop ≥ p_thres or N_max."""
        for time in range(minimum, min(len(self.choices), n_max)):
            if self.stops[time] >= p_thres:
                return time
        return min(len(self.choices), n_max)


@torch.inference_mode()
def extract(network: Policy, batch: Batch, n_max: int) -> list[Extraction]:
    """Extract up to N_max sentences of each document, the highest score first; ties go to the earlier sentence.

    One pass serves every p_thres.
    """
    encoded, state = network.encode(batch), State.start(batch.mask)
    steps: list[tuple[Tensor, Tensor, Tensor, Tensor]] = []
    for time in range(min(n_max, int(batch.lengths.max())) + 1):
        scores = network.step(encoded, state)
        best, choice = scores.logits.float().masked_fill(~state.remaining, -torch.inf).max(dim=1)
        stop = scores.p_stop(best).masked_fill(~state.remaining.any(dim=1), 1)  # with nothing left, one has stopped
        active = time < batch.lengths
        steps.append((choice, best.sigmoid(), stop, active))
        state = state.extract(choice, active)
    extractions = []
    for choices, u, stops, active in zip(
        *(torch.stack(column, dim=1).tolist() for column in zip(*steps, strict=True)), strict=True
    ):
        count = min(sum(active), n_max)
        extractions.append(Extraction(tuple(choices[:count]), tuple(u[:count]), tuple(stops[: count + 1])))
    return extractions
