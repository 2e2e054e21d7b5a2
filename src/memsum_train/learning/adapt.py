"""Adapting a model to one's own documents: a short fine-tuning within a budget of time, judged on other documents.

Everything counts: reading, judging the model as it was, searching episodes, training, judging the model as it is. What
does not fit is left out: of long documents blocks of sentences, of many documents some, of forty epochs some; the rate
falls with the updates or with the time, whichever comes to its end first.
The run's folder inside the output has a plan, written once everything is prepared, and the checkpoint of the training;
the same call goes on from there.

Of documents with keys, as `memsum_train.corpus.keys` reads them, what one would quote is learned as in the phase
`targets` of a training. They judge as well: in turn, a third of them is quoted by a model that has learned from the
others. What is written has learned from all. It takes seconds, so an interrupted adaptation begins anew.
"""

from __future__ import annotations

import copy
import hashlib
import json
import math
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from memsum._version import __version__
from memsum.document import read_document
from memsum.errors import TrainingError
from memsum.features.expected_length import LengthModel
from memsum.features.source_text import SourceText
from memsum.files import write_atomically
from memsum.model import ModelConfig, write_manifest
from memsum.model.runtime import Runtime
from memsum.select import begin
from memsum_train.corpus.keys import Key
from memsum_train.corpus.records import Example, read_corpus, write_examples
from memsum_train.evaluation import tuning
from memsum_train.evaluation.data import make_data
from memsum_train.evaluation.playing import open_model
from memsum_train.learning.config import TargetSettings, TrainingConfig
from memsum_train.learning.distributed import World, default_processes, join_world, run_distributed
from memsum_train.learning.learner import TrainingProgress
from memsum_train.learning.signals import Lengths, correct_length, measure_lengths
from memsum_train.learning.targets import extractor_of, fit_policy, key_words, play, read_key, save_taught
from memsum_train.learning.trainer import Callbacks, Trainer, build_trainer
from memsum_train.learning.validation import MAXIMA
from memsum_train.paper.episodes import EpisodeSearch, with_episodes
from memsum_train.policy.counted import CountedExtractor
from memsum_train.policy.export import export_model, export_policy
from memsum_train.policy.folder import load_policy, save_policy
from memsum_train.report.statistics import Comparison, paired_bootstrap
from memsum_train.rouge import score_many
from memsum_train.run_folder import hold_folder

FEWEST = 10  # documents, below which there is nothing to learn from and nothing to judge by
MINUTES = 2.0
ROUGE = ("ROUGE-1", "ROUGE-2", "ROUGE-L")
RUN_FOLDER = "run"
_PLAN_FILE = "plan.json"
_HELD_OUT, _FEWEST_HELD_OUT, _MOST_HELD_OUT = 0.2, 3, 60
_LONGEST_EPISODE = 25
_EPOCHS = 40.0  # at most; ten bring half to two thirds as much on documents of another kind
# Shares of the budget: of judging the model as it was, and of both this and preparing the documents.
_JUDGING, _PREPARING = 0.12, 0.35
_LONG = 0.25  # share of the budget from which on fewer documents than ten must do to judge by
_EXPORTING = 5.0  # seconds
_AFTERWARDS = 1.3  # times the seconds of judging the model as it was are kept to judge the adapted one
_LEAST = 0.1  # share of the budget for training
_BLOCK, _MOST_SENTENCES = 25, 300  # of a long document, some blocks of sentences are learned from
_TUNED_ON = 30  # documents
# With keys.
_FOLDS = 3
_READING = 0.5  # share of the budget in which documents are read
_GENTLY = TargetSettings(passes=10, batch=4, corpora=0, rate=1e-3, network_rate=1.5e-4, decay=0.0, foreign_keys=0.0)

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
    """What is known before the training begins."""

    key: str  # tells an adaptation from another one
    trained_on: int
    before: list[list[float]]  # scores of the model as it was
    sentences: float
    seconds: float  # of preparing
    limit: float  # seconds of training

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
    digest = hashlib.sha256(json.dumps([__version__, str(model), minutes, seed]).encode())
    for part in (usable, held_out or ()):
        digest.update(b"".join(example.to_line().encode() for example in part) + b"\0")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # where anything else runs, two threads wait for each other most of the time
    try:
        with (
            join_world(device) as world,  # of torchrun, if it has started this process
            hold_folder(output) if world.is_main else nullcontext(),
        ):
            job = _Job(model, output, seed, digest.hexdigest(), clock, report)
            plan = None if restart else Plan.load(job.run_folder)
            if plan is not None and plan.key != job.key:
                raise TrainingError(
                    f"{output} holds an unfinished adaptation of other documents or settings.",
                    "Run its own command again, choose another --output, or add --restart to discard it.",
                )
            count = world.size if world.size > 1 else processes or default_processes(device)
            if plan is None and world.is_main:
                job.prepare(usable, held_out, count)
            world.barrier()
            if world.size > 1:
                return job.learn(world)
            return run_distributed(count, device, job.learn, replace(job, report=_silent).learn)
    finally:
        torch.set_num_threads(threads)


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

    def prepare(self, usable: list[Example], held_out: Sequence[Example] | None, processes: int) -> None:
        """Write what to learn from, with episodes; what to judge by, with the scores of the model; and the length."""
        run, clock, report = self.run_folder, self.clock, self.report
        shutil.rmtree(run, ignore_errors=True)
        run.mkdir(parents=True)
        order = np.random.default_rng(self.seed).permutation(len(usable))
        if held_out is None:
            aside = min(_MOST_HELD_OUT, max(_FEWEST_HELD_OUT, round(_HELD_OUT * len(usable))))
            held_out, order = [usable[i] for i in order[:aside]], order[aside:]
        start = self.model
        if not (start / "step.onnx").exists():
            start = run / "start"
            export_model(self.model, start, "int8")
        runtime = Runtime.load(start, threads=1)
        began = clock.spent
        judged: list[tuple[NDArray[np.float64], int]] = []
        for example in held_out[:_MOST_HELD_OUT]:
            report(f"judging the model as it is: document {len(judged) + 1} of {len(held_out)}", clock.left)
            judged.append(judge(runtime, example))
            took = (clock.spent - began) / clock.budget
            if (took > _JUDGING and len(judged) >= FEWEST) or (took > _LONG and len(judged) >= _FEWEST_HELD_OUT):
                break
        judging = clock.spent - began
        write_examples(run / "held-out.jsonl", held_out[: len(judged)])
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
        before, sentences = [scores.tolist() for scores, _ in judged], float(np.mean([count for _, count in judged]))
        limit = max(_LEAST * clock.budget, clock.left - _EXPORTING - _AFTERWARDS * judging / processes)
        Plan(self.key, len(learned), before, sentences, clock.spent, limit).save(run)

    def learn(self, world: World) -> Adaptation:
        """Train, judge, and write the better model, together with the other processes."""
        run, plan = self.run_folder, Plan.load(self.run_folder)
        assert plan is not None  # noqa: S101
        self.clock = Clock(self.clock.budget, plan.seconds)
        trainer = self._trainer(world)
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
        learner.average.swap(learner.policy)
        self.report("writing the adapted model", _EXPORTING + self.clock.budget * _JUDGING)
        candidate, held_out = run / "candidate", list(read_corpus(run / "held-out.jsonl"))
        if world.is_main:
            self._write_candidate(trainer, candidate, plan)
        world.barrier()
        runtime = Runtime.load(candidate, threads=1)
        began, mine = time.monotonic(), []
        for number in range(world.rank, len(held_out), world.size):
            left = (time.monotonic() - began) / max(1, number) * (len(held_out) - number)
            self.report(f"judging the adapted model: document {number + 1} of {len(held_out)}", left)
            mine.append(judge(runtime, held_out[number]))
        judged = world.gather(mine)
        after = Scores(np.array([scores for scores, _ in judged]), float(np.mean([count for _, count in judged])))
        result = Adaptation(ROUGE, Scores(np.array(plan.before), plan.sentences), after, plan.trained_on)
        if world.is_main:  # the others have judged, and no longer read the files that are moved
            if result.kept:
                for file in sorted(candidate.iterdir(), key=lambda file: file.name == "MANIFEST.json"):  # it comes last
                    file.replace(self.output / file.name)
            elif not self.output.samefile(self.model):
                export_model(self.model, self.output, "int8")
            shutil.rmtree(run)
        world.barrier()
        return result

    def _trainer(self, world: World) -> Trainer:
        policy, encoder, _ = load_policy(self.model)
        counted = policy.config.history == "counted"
        if counted and encoder.length:
            encoder.length = LengthModel.load(self.run_folder, encoder)
        config = TrainingConfig(  # fits about a hundred documents: small batches, gently, to the end
            objective="self_play" if counted else "repeats",
            epochs=_EPOCHS,
            seed=self.seed,
            batch=8,
            states=3,
            samples=4,
            learning_rate=3e-4,
            warmup=10,
            average=0.97,
            max_sentences=_LONGEST_EPISODE,
        )
        reading = Callbacks(reading=lambda count: self.report("reading documents", self.clock.left))
        corpus = self.run_folder / "train.jsonl"
        return build_trainer(
            policy, encoder, corpus, None, config, self.run_folder, world, init=self.model.name, callbacks=reading
        )

    def _write_candidate(self, trainer: Trainer, candidate: Path, plan: Plan) -> None:
        policy, encoder, own = trainer.learner.policy.cpu().eval(), trainer.encoder, ModelConfig.load(self.model)
        adapted = {"from": self.model.name, "documents": plan.trained_on}
        config = replace(own, training={**trainer.provenance, "adapted": adapted})
        shutil.rmtree(candidate, ignore_errors=True)
        save_policy(candidate, policy, config, encoder)
        if own.stop.by == "length":
            LengthModel.load(self.run_folder, encoder).save(candidate)
        export_policy(policy, candidate, "int8")
        write_manifest(candidate)
        if own.stop.by == "policy" and not encoder.length:  # by documents learned from: the others are there to judge
            data = make_data("adapted", list(islice(read_corpus(self.run_folder / "train.jsonl"), _TUNED_ON)))
            found = tuning.tune(open_model(candidate, "cpu"), data, MAXIMA)
            tuning.keep(found, config, candidate)


def judge(runtime: Runtime, example: Example) -> tuple[NDArray[np.float64], int]:
    """Return ROUGE-1, 2 and Lsum of a summary as users get it, and its number of sentences."""
    stop = runtime.config.stop
    episode = begin(runtime, example.text, headings=example.sections, title=example.title)
    count = episode.length(stop.threshold, stop.max_sentences, max(1, episode.minimum))
    summary = [example.text[index] for index in sorted(episode.choices[:count])]
    scores: NDArray[np.float64] = score_many([summary], [example.summary])[0, (0, 1, 3), 2]
    return scores, count


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


# --- documents with keys ---------------------------------------------------------------------------------------------


def read_sources(keys: Sequence[Key], folder: Path) -> list[tuple[Key, SourceText]]:
    """Read the documents of keys; one that cannot be found or has none of its key's sentences is an error."""
    sources = []
    for key in keys:
        source = SourceText.of_documents([read_document(folder / key.file)])
        if not key.conveyed(source.sentences).any():
            raise TrainingError(
                f"{folder / key.file} has none of the sentences of its key {key.name}.",
                "A point lists sentences of its document under any_of, word by word.",
            )
        sources.append((key, source))
    return sources


def key_examples(sources: Sequence[tuple[Key, SourceText]]) -> list[Example]:
    """Return documents with the sentences of their keys as summaries, one for each point."""
    examples = []
    for key, source in sources:
        conveyed = key.conveyed(source.sentences)
        rows = sorted({int(column.argmax()) for column in conveyed.T if column.any()})
        summary = tuple(source.sentences[row] for row in rows)
        examples.append(Example(tuple(source.sentences), summary, id=key.name, extra={"source": key.kind}))
    return examples


def adapt_to_keys(
    sources: Sequence[tuple[Key, SourceText]],
    model: Path,
    output: Path,
    *,
    minutes: float = MINUTES,
    seed: int = 0,
    report: Report = _silent,
) -> Adaptation:
    """Adapt what a reader must know; if held-out documents get no better quotes, the model stays as it was."""
    if len(sources) < FEWEST:
        raise TrainingError(f"Adapting needs at least {FEWEST} documents with keys; there are {len(sources)}.")
    clock = Clock(60 * minutes)
    with hold_folder(output):
        runtime, lessons, points = Runtime.load(model, threads=1), [], []
        for number, (key, source) in enumerate(sources, start=1):
            report(f"reading document {number} of {len(sources)}", clock.left)
            lesson = read_key(runtime, key, source)
            assert lesson.points is not None  # noqa: S101
            lessons.append(lesson)
            points.append(lesson.points)
            if clock.spent > _READING * clock.budget and len(lessons) >= FEWEST:
                break

        def score(extractor: CountedExtractor, row: int) -> float:
            """Return the share of a key's points that as many quotes convey."""
            quotes = play(extractor, lessons[row].view, points[row].shape[1])
            return float(points[row][quotes].any(axis=0).mean())

        policy, encoder, config = load_policy(model)
        own, settings = extractor_of(policy), replace(_GENTLY, seed=seed)
        before = np.array([[score(own, row)] for row in range(len(lessons))])
        after = np.zeros_like(before)
        fold = np.random.default_rng(seed).permutation(len(lessons)) % _FOLDS
        for number in range(_FOLDS):
            report(f"learning from two thirds, judging the others: part {number + 1} of {_FOLDS}", clock.left)
            extractor = copy.deepcopy(own)
            fit_policy(extractor, [lessons[row] for row in np.flatnonzero(fold != number)], [], settings)
            for row in np.flatnonzero(fold == number).tolist():
                after[row] = score(extractor, row)
        count = float(np.mean([one.shape[1] for one in points]))
        result = Adaptation(("points",), Scores(before, count), Scores(after, count), len(lessons))
        if not output.samefile(model):
            export_model(model, output, "int8")
        if result.kept:
            report("learning from all documents", clock.left)
            fit_policy(own, lessons, [], settings)
            if encoder.length:
                words = np.log([key_words(lesson) for lesson in lessons], dtype=np.float32)
                described = np.array([lesson.view.description for lesson in lessons])
                encoder.length = correct_length(encoder.length, Lengths(described, words))
            training = {**config.training, "adapted": {"from": model.name, "keys": len(lessons)}}
            save_taught(output, policy, replace(config, training=training), encoder)
        return result
