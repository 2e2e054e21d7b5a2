"""Adapting a model to one's own documents: a short fine-tuning on a hundred of them, judged on others."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memsum.errors import TrainingError
from memsum.model import SelectionPenalties, write_manifest
from memsum.training.corpus.oracle import Search, with_episodes
from memsum.training.corpus.records import Example, write_examples
from memsum.training.evaluation.stopping import PrefixScores, StopPoint
from memsum.training.learning.config import TrainingConfig
from memsum.training.learning.distributed import World
from memsum.training.learning.length import correct_length, measure_lengths
from memsum.training.learning.run import prepare
from memsum.training.learning.trainer import MODEL_FOLDER, Callbacks
from memsum.training.learning.validation import ValidationSet
from memsum.training.policy.export import export_model, export_policy
from memsum.training.policy.folder import load_policy
from memsum.training.report.statistics import Comparison, paired_bootstrap

FEWEST = 10  # documents, below which there is nothing to learn from and nothing to judge by
_HELD_OUT = 0.2
_LONGEST_EPISODE = 25


@dataclass(frozen=True)
class Adaptation:
    """Scores of the model as it was and as it is now, on documents it did not learn from."""

    before: StopPoint
    after: StopPoint
    gains: tuple[Comparison, ...]  # of ROUGE-1, ROUGE-2 and ROUGE-Lsum, paired by document
    trained_on: int
    judged_on: int

    @property
    def kept(self) -> bool:
        """Return whether the adapted model is better on average; if not, the output is the model as it was."""
        return self.after.mean > self.before.mean


def adapt(
    examples: Iterable[Example],
    model: Path,
    output: Path,
    world: World,
    *,
    held_out: Sequence[Example] | None = None,
    config: TrainingConfig | None = None,
    seed: int = 0,
    callbacks: Callbacks | None = None,
) -> Adaptation:
    """Fine-tune a model folder into another, ready for use; if nothing gets better, it is the model as it was.

    Without held-out examples, a fifth of the examples is kept aside to judge by.
    """
    usable = [example for example in examples if example.text and example.summary]
    if len(usable) < FEWEST:
        raise TrainingError(
            f"Adapting needs at least {FEWEST} documents with summaries; there are {len(usable)}.",
            'Each line is {"text": [sentences], "summary": [sentences]}; see memsum corpus build.',
        )
    policy, encoder, own = load_policy(model)
    length = own.open_length(model, encoder)
    counted = policy.config.history == "counted"
    config = config or replace(adaptation_config(len(usable)), seed=seed)
    if counted:
        config = replace(config, objective="rehearsal", samples=4)
    if held_out is None:
        order = np.random.default_rng(config.seed).permutation(len(usable))
        kept = max(3, round(_HELD_OUT * len(usable)))
        held_out = [usable[i] for i in sorted(order[:kept])]
        usable = [usable[i] for i in sorted(order[kept:])]
    before = _judge(model, held_out, world)
    run = output / "run"
    corpus = run / "train.jsonl"
    if world.is_main:
        shutil.rmtree(run, ignore_errors=True)
        run.mkdir(parents=True)
        write_examples(corpus, (_teachable(example) for example in usable))
    world.barrier()
    if expected := length or encoder.length:
        expected = correct_length(expected, measure_lengths(usable, encoder))
        length, encoder.length = (expected if length else None), (expected if counted else None)
    trainer = prepare(
        policy,
        encoder,
        corpus,
        held_out,
        config,
        run,
        world,
        init=model.name,
        length=length,
        # What a length's threshold means stays the same, and a few held-out documents could not tell a better one.
        stop=own.stop if expected else None,
        penalties=own.penalties if expected else SelectionPenalties(brevity=own.penalties.brevity),
        callbacks=callbacks,
    )
    trainer.run()
    after = _judge(run / MODEL_FOLDER, held_out, world)
    gains = tuple(paired_bootstrap(*columns) for columns in zip(after.scores.T, before.scores.T, strict=True))
    result = Adaptation(before.point, after.point, gains, len(usable), len(held_out))
    if world.is_main:
        if result.kept:
            for file in (run / MODEL_FOLDER).iterdir():
                file.replace(output / file.name)
            export_policy(load_policy(output)[0], output, "int8")
            write_manifest(output)
        elif not output.samefile(model):
            export_model(model, output, "int8")
        shutil.rmtree(run)
    world.barrier()
    return result


@dataclass(frozen=True)
class _Judged:
    point: StopPoint
    scores: NDArray[np.float64]  # (documents, 3)


def _judge(model: Path, held_out: Sequence[Example], world: World) -> _Judged:
    """Score a model on held-out documents, with its own stop."""
    policy, encoder, config = load_policy(model)
    stop, length = config.stop, config.open_length(model, encoder)
    validation = ValidationSet(held_out, encoder, length, stop, config.penalties)
    extractions = validation.play(policy.to(world.device).eval(), stop.max_sentences, world)
    scores = PrefixScores(extractions, validation.examples)
    return _Judged(scores.point(stop.threshold, stop.max_sentences), scores.at(stop.threshold, stop.max_sentences)[0])


def adaptation_config(documents: int) -> TrainingConfig:
    """Return settings that fit about a hundred documents: small batches, gently, to the end.

    A few held-out documents cannot tell one epoch from the next, so they are asked twice, not after every epoch.
    """
    batch = 8
    per_epoch = max(1, documents // batch)
    return TrainingConfig(
        epochs=10,
        batch=batch,
        states=3,
        learning_rate=3e-4,
        warmup=10,
        average=0.97,
        max_sentences=_LONGEST_EPISODE,
        validate_every=5 * per_epoch,
    )


def _teachable(example: Example) -> Example:
    """Search episodes where the example has none; they may be as long as its summary is."""
    return with_episodes(example, Search(maximum=min(_LONGEST_EPISODE, max(7, len(example.summary)))))
