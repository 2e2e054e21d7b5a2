"""Algorithm 1 of the paper (section 3.4): θ ← θ + α · r / (T + 1) · ∇ log π(A_t | S_t).

| line | | here |
|---|---|---|
| 1 | for each document and its summary | `AlgorithmOne.differentiate`, which has the line numbers; a batch at a time |
| 2, 3 | LSE and GCE embed the sentences | `MemSum.encode` |
| 4 | sample an episode of the high-ROUGE episodes | `sample_states`; its order is shuffled (appendix E) |
| 5 | for each time step t = 0 … T | all T + 1 states, as many at once as memory is given |
| 6 – 9 | EHE: h, and 0 at t = 0 | `MemSum.remember` |
| 10 | the extractor: u and p_stop | `MemSum.score` |
| 11 | π(A_t given S_t), equation 4 | `StopScores.log_action` |
| 12 | θ | the gradient here; the step in `Learner.update`, with Adam |

The settings of section 4 are in `pubmed.toml` and its siblings. What every training does stands outside: batches and
the step of θ (`learning.learner`), the moving average of θ (`learning.learner.Average`), validation
(`learning.validation`), resuming, several processes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from memsum_train.learning.data import EncodedDocument
from memsum_train.learning.learner import Learner, Part
from memsum_train.paper.model import Encoded, MemSum
from memsum_train.policy.batch import State, move

# --- the loop --------------------------------------------------------------------------------------------------------


class AlgorithmOne(Learner):
    """The paper's training of the paper's network.

    The embeddings l and g are the same at all steps. So they are computed once, the steps are differentiated into
    copies of them, a few at a time, and what all steps add up to there goes once through LSE and GCE: the same
    gradient, in memory that does not grow with T.
    """

    def differentiate(self, parts: Sequence[Part]) -> float:
        network, total = cast(MemSum, self.policy), 0.0
        for part in parts:  # 1: for each document and its summary, some at once
            batch = self.collate(part)
            with self.autocast():
                encoded = network.encode(batch)  # 2, 3: l and g
            copies = Encoded(encoded.local.detach(), encoded.context.detach(), encoded.mask)
            pairs = [(encoded.local, copies.local), (encoded.context, copies.context)]
            pairs = [(own, copy.requires_grad_()) for own, copy in pairs if own.requires_grad]
            episodes = sample_states(part.documents, part.generators)  # 4
            for states in episodes.chunks(self.config.part_sentences):  # 5: for each time step, some at once
                states = states.to(self.world.device)
                with self.autocast():
                    repeated = copies.repeat(states.per_document)
                    history = network.remember(repeated, states.state)  # 6 – 9: h
                    scores = network.score(repeated, history, states.state)  # 10: u and p_stop
                    log_pi = scores.log_action(states.state.remaining, states.action, states.stops)  # 11: equation 4
                    loss = -(states.weight * log_pi).sum() / part.size
                total += self.backward(loss)  # 12: r / (T + 1) · ∇ log π
            if pairs:
                own, gradients = zip(*((one, copy.grad) for one, copy in pairs if copy.grad is not None), strict=True)
                torch.autograd.backward(own, gradients)  # 12, through GCE and LSE
        return total


# --- the states of an episode ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class States:
    """States of the documents' episodes and the right action in each: K states per document, one after the other."""

    state: State  # of B · K episodes
    action: Tensor  # (B · K,) the sentence to extract; meaningless where the episode ends
    stops: Tensor  # (B · K,) true where the episode ends
    weight: Tensor  # (B · K,) r / (T + 1), by how many of the T + 1 states there are; 0 for rows that only pad
    per_document: int

    @classmethod
    def of(
        cls,
        documents: Sequence[EncodedDocument],
        episodes: Sequence[NDArray[np.int64]],
        times: Sequence[Sequence[int]],
        weights: Sequence[float],
    ) -> States:
        """Fill in the states of one episode per document at some times, each with the document's weight."""
        each, most = max(map(len, times)), max(map(max, times))
        shape = (len(documents) * each, max(len(document.text) for document in documents))
        remaining, taken = np.zeros(shape, bool), np.zeros((shape[0], most), bool)
        extracted, action = np.zeros((shape[0], most), np.int64), np.zeros(shape[0], np.int64)
        stops, weight = np.ones(shape[0], bool), np.zeros(shape[0], np.float32)
        for number, (document, episode) in enumerate(zip(documents, episodes, strict=True)):
            for row, time in enumerate(times[number], start=number * each):
                remaining[row, : len(document.text)] = True
                remaining[row, episode[:time]] = False
                extracted[row, :time] = episode[:time]
                taken[row, :time] = True
                stops[row] = time == len(episode)
                action[row] = 0 if stops[row] else episode[time]
                weight[row] = weights[number]
        state = State(*map(torch.from_numpy, (remaining, extracted, taken)))
        return cls(state, torch.from_numpy(action), torch.from_numpy(stops), torch.from_numpy(weight), each)

    def chunks(self, most: int) -> Iterator[States]:
        """Yield a few states of every document at a time, so that no chunk has more than `most` sentences (B · K · N).

        One state of each document is always there.
        """
        documents = len(self.weight) // self.per_document
        size = max(1, most // (documents * self.state.remaining.shape[1]))
        for low in range(0, self.per_document, size):
            rows = torch.arange(len(self.weight)).view(documents, -1)[:, low : low + size].flatten()
            state = State(*(x[rows] for x in (self.state.remaining, self.state.extracted, self.state.taken)))
            yield States(state, self.action[rows], self.stops[rows], self.weight[rows], len(rows) // documents)

    def to(self, device: torch.device) -> States:
        return replace(move(self, device), state=self.state.to(device))


def sample_states(documents: Sequence[EncodedDocument], generators: Sequence[np.random.Generator]) -> States:
    """Draw an episode per document, shuffle it, and return all of its T + 1 states, each weighted by r / (T + 1)."""
    episodes, times, weights = [], [], []
    for document, rng in zip(documents, generators, strict=True):
        which = int(rng.integers(len(document.episodes)))
        episodes.append(rng.permutation(document.episodes[which]))
        times.append(range(len(episodes[-1]) + 1))
        weights.append(float(document.rewards[which]) / len(times[-1]))
    return States.of(documents, episodes, times, weights)
