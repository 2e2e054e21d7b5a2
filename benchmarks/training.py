"""Training speed: documents and tokens a second, where the time goes, and a loop padded as in the paper beside it.

    python benchmarks/training.py [--local pooled mean lstm] [--seconds 20]

The documents are made up, of the size of PubMed's: 90 sentences, 3,200 tokens, episodes of 7.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
import torch.multiprocessing as mp
from torch import Tensor

from memsum.features.encoding import FEATURES, EncodedText
from memsum_train.learning.config import TrainingConfig
from memsum_train.learning.data import EncodedDocument
from memsum_train.learning.distributed import join_world
from memsum_train.learning.learner import Average, LossInput
from memsum_train.learning.objectives.imitation import draw_states, repeats_loss
from memsum_train.paper.model import MemSum
from memsum_train.policy import Batch, PolicyConfig, State
from memsum_train.policy.batch import SentenceBucket, collate

WORDS = 60_000
SENTENCES, TOKENS, EPISODE = 90, 36, 7
PADDED_SENTENCES, PADDED_TOKENS = 500, 100


def make_document(rng: np.random.Generator) -> EncodedDocument:
    lengths = np.clip(rng.gamma(4, TOKENS / 4, SENTENCES).astype(int), 3, 99)
    words = np.minimum(rng.zipf(1.3, lengths.sum()) + 1, WORDS - 1).astype(np.int32)  # as frequent as in real text
    features = rng.normal(size=(SENTENCES, len(FEATURES))).astype(np.float32)
    text = EncodedText(words, np.cumsum(lengths) - lengths, features, np.arange(SENTENCES))
    return EncodedDocument(text, [rng.choice(SENTENCES, EPISODE, replace=False)], np.array([0.4], np.float32))


def make_policy(local: str) -> MemSum:
    torch.manual_seed(0)
    words = torch.randn(WORDS, 200)
    words[0] = 0
    return MemSum(PolicyConfig(local=local), words, torch.ones(WORDS))  # type: ignore[arg-type]


@contextmanager
def timed_blocks(policy: MemSum, spent: dict[str, float]) -> Iterator[None]:
    """Measure the forward time of the blocks."""
    blocks = {
        "LSE": policy.local,
        "GCE": policy.context,
        "EHE + extractor": policy.history,
        "extractor": policy.extractor,
    }
    handles = []
    for name, block in blocks.items():
        began = [0.0]

        def before(*_: object, began: list[float] = began) -> None:
            began[0] = time.perf_counter()

        def after(*_: object, name: str = name, began: list[float] = began) -> None:
            spent["EHE + extractor" if name == "extractor" else name] += time.perf_counter() - began[0]

        handles += [block.register_forward_pre_hook(before), block.register_forward_hook(after)]
    yield
    for handle in handles:
        handle.remove()


def train_for(seconds: float, local: str, batch: int, states: int, out: dict[str, float]) -> None:
    """Whole updates, with gradients shared and the optimizer's step, for some seconds."""
    with join_world("cpu") as world:
        rng = np.random.default_rng(world.rank)
        policy = make_policy(local)
        average = Average(policy, 0.999)
        optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-4, fused=True)
        documents = [make_document(rng) for _ in range(4 * batch)]
        config = TrainingConfig(states=states, repeats=0)
        spent: dict[str, float] = defaultdict(float)
        done = tokens = 0
        began = 0.0
        with timed_blocks(policy, spent):
            for update in range(10_000):
                if update == 1:  # the first is a warm-up
                    spent.clear()
                    done = tokens = 0
                    began = time.perf_counter()
                elif update > 1 and world.sum(float(time.perf_counter() - began > seconds)):
                    break
                chosen = [documents[i] for i in rng.choice(len(documents), batch, replace=False)]
                documents_batch = collate([d.text for d in chosen])
                loss = repeats_loss(LossInput(policy, documents_batch, chosen, [rng] * batch, config)) / batch
                backward = time.perf_counter()
                optimizer.zero_grad(set_to_none=True)
                loss.backward()  # type: ignore[no-untyped-call]
                spent["backward"] += time.perf_counter() - backward
                world.sum_gradients(policy)
                optimizer.step()
                average.update(policy, update)
                done += batch
                tokens += sum(len(d.text.ids) for d in chosen)
        elapsed = time.perf_counter() - began
        if world.is_main:
            out["documents per second"] = done * world.size / elapsed
            out["tokens a second"] = tokens * world.size / elapsed
            for name, value in spent.items():
                out[name] = value / elapsed


def _process(rank: int, size: int, seconds: float, local: str, batch: int, states: int, out: dict[str, float]) -> None:
    os.environ |= {"RANK": str(rank), "WORLD_SIZE": str(size), "LOCAL_WORLD_SIZE": str(size)}
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29517"}
    torch.set_num_threads(1)
    train_for(seconds, local, batch, states, out)


def measure(processes: int, seconds: float, local: str, batch: int, states: int) -> dict[str, float]:
    with mp.Manager() as manager:
        out = manager.dict()
        mp.spawn(_process, (processes, seconds, local, batch, states, out), nprocs=processes)  # type: ignore[no-untyped-call]
        return dict(out)


def padded_batch(document: EncodedDocument) -> Batch:
    """The paper's padding: 500 sentences of 100 tokens, the LSTMs running over all of it."""
    ids = np.zeros((PADDED_SENTENCES, PADDED_TOKENS), np.int64)
    for i in range(len(document.text)):
        words = document.text.sentence(i)[:PADDED_TOKENS]
        ids[i, : len(words)] = words
    distinct, rows = np.unique(ids, return_inverse=True)
    full = torch.full((PADDED_SENTENCES,), PADDED_TOKENS)
    features = torch.zeros(PADDED_SENTENCES, len(FEATURES))
    mask: Tensor = torch.from_numpy(ids > 0)
    bucket = SentenceBucket(torch.from_numpy(rows.reshape(ids.shape)), mask, full, features)
    everything = torch.ones(1, PADDED_SENTENCES, dtype=torch.bool)
    places = torch.arange(PADDED_SENTENCES)
    return Batch(torch.from_numpy(distinct), [bucket], places, everything, places[None])


def padded_loop(documents: int) -> float:
    """Documents a second of a loop over all states of the episode, padded as in the paper, on all threads."""
    torch.set_num_threads(os.cpu_count() or 1)
    rng = np.random.default_rng(0)
    policy = make_policy("lstm")
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-4)
    began = time.perf_counter()
    for _ in range(documents):
        document = make_document(rng)
        targets = draw_states([document], [rng], 0)
        state = targets.state
        wide = torch.zeros(len(state.remaining), PADDED_SENTENCES, dtype=torch.bool)
        wide[:, : state.remaining.shape[1]] = state.remaining
        encoded = policy.encode(padded_batch(document)).repeat(targets.per_document)
        scores = policy.step(encoded, State(wide, state.extracted, state.taken))
        optimizer.zero_grad()
        loss = -(targets.weight * scores.log_action(wide, targets.action, targets.stops)).sum()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    return documents / (time.perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--local", nargs="+", default=["pooled", "mean", "lstm"])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--padded", type=int, default=2, help="documents of the padded loop; 0: leave it out")
    arguments = parser.parse_args()
    padded = padded_loop(arguments.padded) if arguments.padded else 0.0
    if padded:
        print(f"padded to {PADDED_SENTENCES} × {PADDED_TOKENS}, lstm, all states: {padded:.3f} documents per second")
    for local in arguments.local:
        for processes in (1, 2):
            states, batch = 2, 4 if local == "lstm" else 16
            result = measure(processes, arguments.seconds, local, batch, states)
            speed = result.pop("documents per second")
            tokens = result.pop("tokens a second")
            shares = ", ".join(f"{name} {100 * share:.0f} %" for name, share in sorted(result.items()))
            ratio = f", {speed / padded:.0f}× the padded loop" if padded else ""
            print(
                f"{local}, {processes} process(es): {speed:.1f} documents/s, {tokens:,.0f} tokens/s{ratio} ({shares})"
            )


if __name__ == "__main__":
    main()
