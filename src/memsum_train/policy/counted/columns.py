"""The part of the columns in the states of sentences: where they stand, how they are written, what kind of text it is.

The network's states are made of words and their context. The columns (`memsum.features.columns`) are added to them by
one hidden layer, and to the score by a linear one; the means over the document scale both, so that what kind of text it
is decides how much words and columns count. Before training nothing is added.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from memsum.features.columns import BUCKETS, COLUMNS, INPUTS

FARTHEST = 4.0  # standard deviations from the mean
WIDTH = 64
_KIND = 24  # numbers that describe what kind of text a document is
_INPUT_DROPOUT, _DROPOUT = 0.5, 0.3


class ColumnLayers(nn.Module):
    """Adds the columns to the network's states (…, H), and a score to them: (…, H + 1)."""

    center: Tensor
    scale: Tensor

    def __init__(self, states: int) -> None:
        super().__init__()
        self.register_buffer("center", torch.zeros(INPUTS))
        self.register_buffer("scale", torch.ones(INPUTS))
        self.hidden = nn.Linear(INPUTS, WIDTH)
        self.out = nn.Linear(WIDTH, states)
        self.direct = nn.Linear(INPUTS, 1, bias=False)
        self.ngrams = nn.Parameter(torch.zeros(BUCKETS))
        self.norm = nn.LayerNorm(states)
        self.document = nn.Linear(len(COLUMNS) + states, _KIND)
        self.scales = nn.Linear(_KIND, 2 * states + 1)  # of the network's states, of the columns' part, of the score
        for weight in (self.direct.weight, *self.out.parameters(), *self.scales.parameters()):
            nn.init.zeros_(weight)

    def forward(
        self, states: Tensor, columns: Tensor, known: Tensor, document: Tensor, ngrams: tuple[Tensor, ...]
    ) -> Tensor:
        """Return the states of sentences (S, H + 1); sentence i is of document `document[i]`.

        `known` (S, INPUTS) is 1 or 0.
        `ngrams` are their buckets, sentences and shares. Where words mean nothing to the network, its states are zero,
        and there are no n-grams.
        """
        x = ((columns - self.center) / self.scale).clamp(-FARTHEST, FARTHEST) * known
        number = int(document[-1]) + 1
        sizes = torch.bincount(document, minlength=number)[:, None]
        seen = torch.cat([x[:, : len(COLUMNS)], self.norm(states.detach())], dim=-1)
        means = torch.zeros(number, seen.shape[1], device=x.device).index_add(0, document, seen) / sizes
        scales = self.scales(torch.tanh(self.document(means)))[document]
        of_states, of_columns, of_score = scales.split([states.shape[1], states.shape[1], 1], dim=-1)
        x = F.dropout(x, _INPUT_DROPOUT, self.training)
        added = self.out(F.dropout(F.relu(self.hidden(x)), _DROPOUT, self.training))
        full = states * (1 + of_states) + added * (1 + of_columns)
        buckets, rows, shares = ngrams
        added = F.embedding(buckets, self.ngrams[:, None])[:, 0] * shares
        score = (self.direct(x) * (1 + of_score)).index_add(0, rows, added[:, None])
        return torch.cat([full, score], dim=-1)
