"""Can the paper's history encoder learn at full width what a repeat is? Its encoders are frozen, the rest begins anew.

    python benchmarks/full_width.py MODEL TRAIN-EPISODES.jsonl TEST.jsonl [--updates 400] [--without-loss]

MODEL is a folder with an attention history (version 0.1's default model: dimension 200). Its encoders of sentences and
context stay as they are; history and extractor learn from documents with copies of their sentences (`duplicates = 1`)
by the paper's loss with the loss on repeats, or without it. Then every sentence of the test documents stands there
twice, to the letter and with one or two words left out, and the model extracts seven: the share of quotes that repeat
another, the same with an empty history at every step (the control that shows memory), with trigram blocking, and mean
ROUGE; and
mean ROUGE of the documents as they are.
"""

from __future__ import annotations

import argparse
import itertools
import time
from pathlib import Path

import numpy as np
import torch

from memsum.training.corpus.records import read_corpus
from memsum.training.corpus.variants import repeat_sentences
from memsum.training.evaluation.data import load_data
from memsum.training.evaluation.playing import Model, play_documents, with_repeats, without_memory
from memsum.training.learning.algorithm import Learner
from memsum.training.learning.augment import Duplicates
from memsum.training.learning.config import TrainingConfig
from memsum.training.learning.data import encode_corpus
from memsum.training.learning.distributed import World
from memsum.training.learning.objectives import OBJECTIVES
from memsum.training.policy import PolicyConfig
from memsum.training.policy.folder import load_policy, new_policy
from memsum.training.rouge import score_many

QUOTES = 7
FEWEST, MOST = 40, 150  # sentences of the documents: attention to all of twice as many is slow


def train(folder: Path, corpus: Path, documents: int, updates: int, *, repeats: bool) -> Model:
    known, encoder, config = load_policy(folder)
    torch.manual_seed(0)
    policy = new_policy(PolicyConfig.from_dict(config.policy), encoder)
    for name in ("local", "context"):
        block = getattr(policy, name)
        block.load_state_dict(getattr(known, name).state_dict())
        block.requires_grad_(False)
    if repeats:
        policy.add_marker()
    fitting = (example for example in read_corpus(corpus) if FEWEST <= len(example.text) <= MOST)
    encoded = encode_corpus(itertools.islice(fitting, documents), encoder)
    batch = 8
    settings = TrainingConfig(
        batch=batch, epochs=updates * batch / len(encoded), duplicates=1, repeats=float(repeats), average=0.99
    )
    duplicates = Duplicates(encoder)

    def show(document, rng):
        copied = duplicates.add(document, rng)
        return type(copied)(encoder.compose(copied.text), copied.episodes, copied.rewards, alike=copied.alike)

    world = World(0, 1, torch.device("cpu"))
    learner = Learner(policy, encoded, show, OBJECTIVES["episodes"].loss, settings, world)
    policy.train()
    began, losses = time.monotonic(), []
    while learner.progress.update < learner.updates:
        losses.append(learner.update())
        if len(losses) % 50 == 0:
            print(
                f"  update {len(losses)}, {time.monotonic() - began:.0f} s, loss {np.mean(losses[-50:]):.3f}",
                flush=True,
            )
    learner.average.swap(policy)
    return Model(policy.eval(), encoder, config, "fresh", world.device)


def share_repeated(chosen: list[list[int]]) -> float:
    """In doubled documents, sentences 2n and 2n + 1 are copies."""
    return 100 * float(np.mean([1 - len({i // 2 for i in taken}) / len(taken) for taken in chosen]))


def measure(model: Model, examples: list, *, block: bool = False) -> tuple[list[list[int]], float]:
    played = play_documents(model, examples, QUOTES, blocking=block, brevity=0)
    chosen = [sorted(extraction.choices) for extraction in played]
    said = [[example.text[i] for i in taken] for example, taken in zip(examples, chosen, strict=True)]
    scores = score_many(said, [example.summary for example in examples])
    return chosen, 100 * float(scores[:, (0, 1, 3), 2].mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("train", type=Path)
    parser.add_argument("test", type=Path)
    parser.add_argument("--documents", type=int, default=800)
    parser.add_argument("--tests", type=int, default=40)
    parser.add_argument("--updates", type=int, default=400)
    parser.add_argument("--without-loss", action="store_true", help="the paper's loss alone")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    model = train(
        arguments.model, arguments.train, arguments.documents, arguments.updates, repeats=not arguments.without_loss
    )
    tests = [e for e in load_data(str(arguments.test), None).examples if FEWEST <= len(e.text) <= MOST]
    tests = tests[: arguments.tests]
    seeing = with_repeats(model)
    print(f"{len(tests)} documents, {QUOTES} quotes each")
    for name, near in (("exact copies", False), ("near copies", True)):
        doubled = [repeat_sentences(example, near=near) for example in tests]
        full, rouge = measure(seeing, doubled)
        zeroed, _ = measure(without_memory(seeing), doubled)
        _, blocked = measure(without_memory(seeing), doubled, block=True)
        print(
            f"{name}: {share_repeated(full):.1f} % repeat another, history zeroed {share_repeated(zeroed):.1f} %; "
            f"mean ROUGE {rouge:.2f}, history zeroed with trigram blocking {blocked:.2f}"
        )
    print(f"documents as they are: mean ROUGE {measure(model, tests)[1]:.2f}")


if __name__ == "__main__":
    main()
