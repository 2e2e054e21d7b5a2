"""Adapting a model to one's own documents: a short fine-tuning within a budget of time, judged on other documents.

Everything counts: reading, judging the model as it was, searching episodes, training, judging the model as it is. What
does not fit is left out: of long documents blocks of sentences, of many documents some, of forty epochs the last ones.
The run's folder inside the output has a plan, written once everything is prepared, and the checkpoint of the training;
the same call goes on from there.
"""

from __future__ import annotations

import hashlib
import json
import math
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from memsum._version import __version__
from memsum.errors import TrainingError
from memsum.features.expected_length import LengthModel
from memsum.files import hold_folder, write_atomically
from memsum.model import ModelConfig, StopSettings, write_manifest
from memsum.model.runtime import Runtime
from memsum.select import begin
from memsum_train.corpus.records import Example, read_corpus, write_examples
from memsum_train.evaluation.playing import open_model, play_documents
from memsum_train.evaluation.stopping import THRESHOLDS, PrefixScores, best_point
from memsum_train.learning.checkpoint import TrainingProgress
from memsum_train.learning.config import TrainingConfig
from memsum_train.learning.distributed import World, default_processes, join_world, run_distributed
from memsum_train.learning.signals import correct_length, measure_lengths
from memsum_train.learning.trainer import Callbacks, Trainer, build_trainer
from memsum_train.learning.validation import MAXIMA
from memsum_train.paper.episodes import EpisodeSearch, with_episodes
from memsum_train.policy.export import export_model, export_policy
from memsum_train.policy.folder import load_policy, save_policy
from memsum_train.report.statistics import Comparison, paired_bootstrap
from memsum_train.rouge import score_many

FEWEST = 10  # documents, below which there is nothing to learn from and nothing to judge by
MINUTES = 2.0
ROUGE = ("ROUGE-1", "ROUGE-2", "ROUGE-L")
RUN_FOLDER = "run"
_PLAN_FILE, _JUDGED_FILE = "plan.json", "judged.json"
_HELD_OUT, _FEWEST_HELD_OUT, _MOST_HELD_OUT = 0.2, 3, 60
_LONGEST_EPISODE = 25
_EPOCHS = 40.0  # at most; ten bring half to two thirds as much on documents of another kind
# Shares of the budget: of judging the model as it was, and of both this and preparing the documents.
_JUDGING, _PREPARING = 0.12, 0.35
_LONG = 0.25  # share of the budget from which on fewer documents than ten must do to judge by
_EXPORTING = 5.0  # seconds
_AFTERWARDS = 1.3  # times the seconds of judging the model as it was are kept to judge the adapted one
_LEAST = 0.1  # share of the budget for training
_CAUTION = 0.85  # share of the time for training that is planned: others may need the machine
_BLOCK, _MOST_SENTENCES = 25, 300  # of a long document, some blocks of sentences are learned from
_TUNED_ON = 30  # documents

Report = Callable[[str, float], None]  # what is done right now, and how many seconds all of it still takes


def _silent(what: str, left: float) -> None:
    """Report nothing, also in other processes: a lambda cannot be given to them."""


@dataclass(frozen=True)
class Scores:
    """Scores of a model on held-out documents."""

    values: NDArray[np.float64]  # (documents, measures), from 0 to 1
    sentences: float  # of a summary, on average

    @property
    def mean(self) -> float:
        return float(self.values.mean())


@dataclass(frozen=True)
class Adaptation:
    """Scores of the model as it was and as it is now, on documents it did not learn from."""

    measures: tuple[str, ...]
    before: Scores
    after: Scores
    trained_on: int

    @property
    def judged_on(self) -> int:
        return len(self.before.values)

    @property
    def gains(self) -> tuple[Comparison, ...]:
        """Return the difference in each measure, paired by document."""
        return tuple(
            paired_bootstrap(*columns) for columns in zip(self.after.values.T, self.before.values.T, strict=True)
        )

    @property
    def kept(self) -> bool:
        """Return whether the adapted model is better on average; if not, the output is the model as it was."""
        return self.after.mean > self.before.mean


class Clock:
    """A budget of seconds, of which earlier runs may have spent some."""

    def __init__(self, budget: float, spent: float = 0.0) -> None:
        self.budget = budget
        self._began = time.monotonic() - spent

    @property
    def spent(self) -> float:
        return time.monotonic() - self._began

    @property
    def left(self) -> float:
        return max(0.0, self.budget - self.spent)


@dataclass(frozen=True)
class Plan:
    """What was decided before the training began, and what it took to get there."""

    key: str  # tells an adaptation from another one
    trained_on: int
    before: list[list[float]]
    sentences: float
    epochs: float
    limit: float  # seconds of training
    seconds: float  # of preparing

    def save(self, run: Path) -> None:
        write_atomically(run / _PLAN_FILE, json.dumps(asdict(self)).encode())

    @classmethod
    def load(cls, run: Path) -> Plan | None:
        path = run / _PLAN_FILE
        return cls(**json.loads(path.read_text())) if path.exists() else None


def adapt(
    examples: Iterable[Example],
    model: Path,
    output: Path,
    *,
    held_out: Sequence[Example] | None = None,
    minutes: float = MINUTES,
    seed: int = 0,
    device: str = "auto",
    processes: int = 0,
    restart: bool = False,
    report: Report = _silent,
) -> Adaptation:
    """Fine-tune a model folder into another, ready for use; if nothing gets better, it is the model as it was.

    Without held-out examples, a fifth of the examples is kept aside to judge by. Without a number of processes, there
    is one per core or GPU.
    """
    clock = Clock(60 * minutes)
    usable = [example for example in examples if example.text and example.summary]
    if len(usable) < FEWEST:
        raise TrainingError(
            f"Adapting needs at least {FEWEST} documents with summaries; there are {len(usable)}.",
            'Each line is {"text": [sentences], "summary": [sentences]}; see memsum corpus build.',
        )
    if not minutes > 0:
        raise TrainingError("The budget of minutes must be greater than 0.")
    held_out = None if held_out is None else list(held_out)
    with (
        join_world(device) as world,  # of torchrun, if it has started this process
        hold_folder(output) if world.is_main else nullcontext(),
        _threads(1),  # each: on a machine where anything else runs, two of them wait for each other most of the time
    ):
        job = _Job(model, output, seed, _key(model, minutes, seed, usable, held_out), clock, report)
        plan = None if restart else Plan.load(job.run_folder)
        if plan is not None and plan.key != job.key:
            raise TrainingError(
                f"{output} holds an unfinished adaptation of other documents or settings.",
                "Run its own command again, choose another --output, or add --restart to discard it.",
            )
        if plan is None and world.is_main:
            job.prepare(usable, held_out)
        world.barrier()
        if world.size > 1:
            return job.learn(world)
        others = replace(job, report=_silent)
        return run_distributed(processes or default_processes(device), device, job.learn, others.learn)


def _key(model: Path, minutes: float, seed: int, usable: Sequence[Example], held_out: Sequence[Example] | None) -> str:
    """Return what tells an adaptation from another one."""
    digest = hashlib.sha256(json.dumps([__version__, str(model), minutes, seed]).encode())
    for part in (usable, held_out or ()):
        for example in part:
            digest.update(example.to_line().encode())
        digest.update(b"\0")
    return digest.hexdigest()


@contextmanager
def _threads(count: int) -> Iterator[None]:
    """Let PyTorch use so many threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@dataclass
class _Job:
    """One adaptation in one folder."""

    model: Path
    output: Path
    seed: int
    key: str
    clock: Clock
    report: Report

    @property
    def run_folder(self) -> Path:
        return self.output / RUN_FOLDER

    def prepare(self, usable: list[Example], held_out: list[Example] | None) -> None:
        """Write what to learn from, with episodes; what to judge by, with the scores of the model; and the length."""
        run, clock, report = self.run_folder, self.clock, self.report
        shutil.rmtree(run, ignore_errors=True)
        run.mkdir(parents=True)
        order = np.random.default_rng(self.seed).permutation(len(usable))
        if held_out is None:
            aside = min(_MOST_HELD_OUT, max(_FEWEST_HELD_OUT, round(_HELD_OUT * len(usable))))
            held_out, order = [usable[i] for i in order[:aside]], order[aside:]
        if not (self.model / "step.onnx").exists():
            export_model(self.model, run / "start", "int8")
        judged: list[tuple[NDArray[np.float64], int]] = []
        began = clock.spent
        runtime = Runtime.load(self._start, threads=1)
        for example in held_out[:_MOST_HELD_OUT]:
            report(f"judging the model as it is: document {len(judged) + 1} of {len(held_out)}", clock.left)
            judged.append(judge(runtime, example))
            took = (clock.spent - began) / clock.budget
            if (took > _JUDGING and len(judged) >= FEWEST) or (took > _LONG and len(judged) >= _FEWEST_HELD_OUT):
                break
        write_examples(run / "held-out.jsonl", held_out[: len(judged)])
        before = {"before": [scores.tolist() for scores, _ in judged], "sentences": np.mean([n for _, n in judged])}
        (run / _JUDGED_FILE).write_text(json.dumps({**before, "seconds": clock.spent - began}))
        learned: list[Example] = []
        until = max(_PREPARING * clock.budget, clock.spent + _JUDGING * clock.budget)
        for index in order.tolist():
            report(f"finding what to quote: document {len(learned) + 1} of {len(order)}", clock.left)
            maximum = min(_LONGEST_EPISODE, max(7, len(usable[index].summary)))  # as long as its summary is
            learned.append(with_episodes(shorten(usable[index]), EpisodeSearch(maximum=maximum)))
            if clock.spent > until and len(learned) >= FEWEST - _FEWEST_HELD_OUT:
                break
        write_examples(run / "train.jsonl", learned)
        _, encoder, own = load_policy(self.model)
        expected = own.open_length(self.model, encoder) or encoder.length
        if expected:
            report("learning how long summaries are", clock.left)
            whole = [usable[i] for i in order[: len(learned)].tolist()]
            correct_length(expected, measure_lengths(whole, encoder)).save(run)

    def learn(self, world: World) -> Adaptation:
        """Train, judge, and write the better model, together with the other processes."""
        plan = Plan.load(self.run_folder)
        if plan is None:
            plan = self._plan(self._trainer(_EPOCHS, world))
        else:
            self.clock = Clock(self.clock.budget, plan.seconds + self.clock.spent)
        trainer = self._trainer(plan.epochs, world)
        trainer.limit = plan.limit
        learner, smooth, untrained = trainer.learner, math.nan, self.clock.budget - plan.seconds - plan.limit

        def update(progress: TrainingProgress, loss: float) -> None:
            nonlocal smooth
            smooth = 0.9 * smooth + 0.1 * loss if math.isfinite(smooth) else loss
            each = progress.seconds / progress.update
            left = max(0.0, min((learner.updates - progress.update) * each, plan.limit - progress.seconds))
            self.report(f"training: update {progress.update} of {learner.updates}, loss {smooth:.3f}", left + untrained)

        trainer.callbacks = Callbacks(update)
        trainer.run()
        result = self._judge_and_publish(trainer, plan)
        world.barrier()
        return result

    @property
    def _start(self) -> Path:
        """Return the folder of the model as it was, with graphs."""
        own = self.run_folder / "start"
        return own if own.exists() else self.model

    def _trainer(self, epochs: float, world: World) -> Trainer:
        policy, encoder, _ = load_policy(self.model)
        counted = policy.config.history == "counted"
        if counted and encoder.length:
            encoder.length = LengthModel.load(self.run_folder, encoder)
        config = TrainingConfig(  # fits about a hundred documents: small batches, gently, to the end
            objective="self_play" if counted else "repeats",
            epochs=epochs,
            seed=self.seed,
            batch=8,
            states=3,
            samples=4,
            learning_rate=3e-4,
            warmup=10,
            average=0.97,
            max_sentences=_LONGEST_EPISODE,
        )
        callbacks = Callbacks(reading=lambda what: self.report(what, self.clock.left))
        corpus, init = self.run_folder / "train.jsonl", self.model.name
        return build_trainer(
            policy, encoder, corpus, None, config, self.run_folder, world, init=init, callbacks=callbacks
        )

    def _plan(self, trainer: Trainer) -> Plan:
        """Decide how many epochs fit into what is left of the budget."""
        run, clock, world = self.run_folder, self.clock, trainer.world
        self.report("measuring the speed of training", clock.left)
        trainer.learner.policy.train()
        took = trainer.learner.estimate_epoch()
        if world.is_main:
            judged = json.loads((run / _JUDGED_FILE).read_text())
            limit = max(_LEAST * clock.budget, clock.left - _EXPORTING - _AFTERWARDS * judged["seconds"] / world.size)
            least = 1 / trainer.learner.updates_per_epoch
            epochs = min(_EPOCHS, max(least, _CAUTION * limit / took))
            learned = sum(1 for _ in read_corpus(run / "train.jsonl"))
            Plan(self.key, learned, judged["before"], judged["sentences"], epochs, limit, clock.spent).save(run)
        world.barrier()
        plan = Plan.load(run)
        assert plan is not None  # noqa: S101
        return plan

    def _judge_and_publish(self, trainer: Trainer, plan: Plan) -> Adaptation:
        """Export the averaged weights, judge them, and write the better model."""
        run, candidate = self.run_folder, self.run_folder / "candidate"
        learner, world = trainer.learner, trainer.world
        learner.average.swap(learner.policy)
        held_out = list(read_corpus(run / "held-out.jsonl"))
        left = _EXPORTING + self.clock.budget * _JUDGING
        self.report("writing the adapted model", left)
        if world.is_main:
            self._write_candidate(trainer, candidate, plan)
        world.barrier()
        runtime = Runtime.load(candidate, threads=1)
        began = time.monotonic()
        mine: list[tuple[NDArray[np.float64], int]] = []
        for number in range(world.rank, len(held_out), world.size):
            left = (time.monotonic() - began) / max(1, number) * (len(held_out) - number)
            self.report(f"judging the adapted model: document {number + 1} of {len(held_out)}", left)
            mine.append(judge(runtime, held_out[number]))
        judged = world.gather(mine)
        after = Scores(np.array([scores for scores, _ in judged]), float(np.mean([count for _, count in judged])))
        result = Adaptation(ROUGE, Scores(np.array(plan.before), plan.sentences), after, plan.trained_on)
        if world.is_main:  # the others have judged, and no longer read the files that are moved
            if result.kept:
                publish(candidate, self.output)
            elif not self.output.samefile(self.model):
                export_model(self.model, self.output, "int8")
            shutil.rmtree(run)
        return result

    def _write_candidate(self, trainer: Trainer, candidate: Path, plan: Plan) -> None:
        policy, encoder, own = trainer.learner.policy.cpu().eval(), trainer.encoder, ModelConfig.load(self.model)
        updates = trainer.learner.progress.update
        training = {
            **trainer.settings,
            "updates": updates,
            "adapted": {"from": self.model.name, "documents": plan.trained_on},
        }
        config = replace(own, training=training)
        shutil.rmtree(candidate, ignore_errors=True)
        save_policy(candidate, policy, config, encoder)
        if own.stop.by == "length":
            LengthModel.load(self.run_folder, encoder).save(candidate)
        export_policy(policy, candidate, "int8")
        write_manifest(candidate)
        if own.stop.by == "policy" and not encoder.length:
            self._tune(candidate, config)

    def _tune(self, candidate: Path, config: ModelConfig) -> None:
        """Choose where to stop by documents that were learned from: those held out are there to judge."""
        examples = list(islice(read_corpus(self.run_folder / "train.jsonl"), _TUNED_ON))
        played = list(play_documents(open_model(candidate, "cpu"), examples, max(MAXIMA)))
        has_stop = config.policy["stopping"] == "policy"
        thresholds = THRESHOLDS if has_stop else (config.stop.threshold,)
        best = best_point(PrefixScores(played, examples).grid(thresholds, MAXIMA))
        replace(config, stop=StopSettings(best.threshold, best.maximum)).save(candidate)


def judge(runtime: Runtime, example: Example) -> tuple[NDArray[np.float64], int]:
    """Return ROUGE-1, 2 and Lsum of a summary as users get it, and its number of sentences."""
    stop = runtime.config.stop
    episode = begin(runtime, example.text, headings=example.sections, title=example.title)
    count = episode.length(stop.threshold, stop.max_sentences, max(1, episode.minimum))
    summary = [example.text[index] for index in sorted(episode.choices[:count])]
    scores: NDArray[np.float64] = score_many([summary], [example.summary])[0, (0, 1, 3), 2]
    return scores, count


def publish(candidate: Path, output: Path) -> None:
    """Move a model's files to the output, the manifest last."""
    for file in sorted(candidate.iterdir(), key=lambda file: file.name == "MANIFEST.json"):
        file.replace(output / file.name)


def shorten(example: Example, most: int = _MOST_SENTENCES) -> Example:
    """Keep of a long document blocks of sentences that are evenly spread, the first and the last one among them."""
    count = len(example.text)
    if count <= most:
        return example
    blocks = math.ceil(count / _BLOCK)
    kept = np.unique(np.linspace(0, blocks - 1, max(2, most // _BLOCK)).round().astype(int))
    rows = [row for block in kept.tolist() for row in range(block * _BLOCK, min(count, (block + 1) * _BLOCK))]
    sections = tuple(example.sections[row] for row in rows) if example.sections else None
    text = tuple(example.text[row] for row in rows)
    return replace(example, text=text, sections=sections, indices=None, scores=None)
