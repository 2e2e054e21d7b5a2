"""Corpora, trained models and summaries that experiments share, each made once.

Everything lies in the folder of the run under a digest of all that matters for it: equal settings find what was made
before, and an interrupted run goes on where it stopped. An experiment is a function `run(context) -> ExperimentReport`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, get_args

from memsum._version import __version__
from memsum.errors import MemsumError, TrainingError
from memsum.features.encoding import TextEncoder, TextSettings
from memsum.files import write_atomically
from memsum.options import SummaryOptions
from memsum.parallel import CHUNK_BYTES, map_parallel
from memsum_train.corpus.records import Example, read_corpus, read_sentences, write_examples
from memsum_train.evaluation import Data, System, SystemRun, read_predictions, run_system, write_predictions
from memsum_train.experiments.config import Config, Corpus, ExperimentError, Split, Variant, digest
from memsum_train.experiments.scores import Scores
from memsum_train.learning.config import TrainingConfig
from memsum_train.paper.episodes import EpisodeSearch, with_episodes
from memsum_train.policy.config import PolicyConfig

if TYPE_CHECKING:
    from memsum_train.evaluation import ModelSystem
    from memsum_train.learning.learner import TrainingProgress

Say = Callable[[str], None]

TRAINING_FILE = "recipe.json"
DONE_FILE = "done.json"
_REPORT_SECONDS = 5.0

_RARE = 3  # occurrences below which a word of the training documents gets no vector of its own
_PASSES = 5


@dataclass(frozen=True)
class Training:
    """All that determines a model: equal trainings have equal keys, and are done once, in the same folder."""

    name: str  # for people; two names of one training share its model
    corpus: Corpus
    vectors: Path
    vectors_sha256: str
    network: PolicyConfig
    config: TrainingConfig
    models: Path  # the folder of all trainings

    def to_dict(self) -> dict[str, Any]:
        return {
            "memsum": __version__,
            "corpus": self.corpus.sha256,
            "vectors": self.vectors_sha256,
            "network": self.network.to_dict(),
            "training": self.config.to_dict(),
        }

    @property
    def folder(self) -> Path:
        return self.models / digest(json.dumps(self.to_dict(), sort_keys=True))


@dataclass
class Context:
    """The corpora, models and summaries of a run, in its folder."""

    config: Config
    folder: Path
    jobs: int = 1  # trainings at a time
    say: Say = lambda what: None  # reports progress, in a few words

    @cached_property
    def corpora(self) -> tuple[Corpus, ...]:
        """Prepare all corpora: cut them to size, and search episodes to learn from."""
        return tuple(self._prepare(files) for files in self.config.corpora)

    @property
    def main(self) -> Corpus:
        return self.corpora[0]

    def derive(self, corpus: Corpus, what: str, change: Callable[[Example], Example]) -> Corpus:
        """Derive a corpus whose documents are changed; they get episodes where the change took them away."""
        name, key = f"{corpus.name}-{what}", f"{corpus.train.parent.name}-{what}"
        return self._write(name, key, lambda split: map(change, read_corpus(getattr(corpus, split))))

    def train(self, variants: Iterable[Variant], corpus: Corpus, seeds: Sequence[int] | None = None) -> None:
        """Train variants with all seeds, several at a time, where no equal training was done before."""
        seeds = seeds or self.config.seeds
        wanted = [self._training(variant, corpus, seed) for variant in variants for seed in seeds]
        missing = {one.folder: one for one in wanted if not (one.folder / DONE_FILE).exists()}
        train_all(list(missing.values()), self.jobs, self.say)

    def model(self, variant: Variant, corpus: Corpus | None = None, seed: int | None = None) -> Path:
        """Return the model folder of a variant, by default trained on the main corpus and with the first seed."""
        from memsum_train.learning.trainer import MODEL_FOLDER

        corpus, seed = corpus or self.main, self.config.seeds[0] if seed is None else seed
        self.train([variant], corpus, [seed])
        return self._training(variant, corpus, seed).folder / MODEL_FOLDER

    def system(
        self,
        variant: Variant,
        corpus: Corpus | None = None,
        seed: int | None = None,
        *,
        name: str | None = None,
        options: SummaryOptions | None = None,
        forget: bool = False,
    ) -> ModelSystem:
        """Return a trained variant as a system; without `options`, it stops where validation found best.

        With `forget`, the history is empty at every step: the difference is what the history is worth.
        """
        from memsum_train.evaluation import ModelSystem
        from memsum_train.evaluation.playing import open_model, without_memory

        model = open_model(self.model(variant, corpus, seed), "auto")
        model = without_memory(model) if forget else model
        return ModelSystem(name or variant.name, model, options or SummaryOptions())

    def scores(self, variant: Variant, corpus: Corpus, data: Data) -> Scores:
        """Return the scores of a variant trained on a corpus, over all seeds."""
        systems = (self.system(variant, corpus, seed) for seed in self.config.seeds)
        return Scores.of(variant.name, [self.summarize(system, data) for system in systems])

    def summarize(self, system: System, data: Data) -> SystemRun:
        """Summarize documents with a system, or read its summaries if this was done before, and measure them."""
        path = self.folder / "predictions" / f"{digest(f'{system.signature}|{data.sha256}|{__version__}')}.jsonl"
        if path.exists():
            return SystemRun.measure(system, read_predictions(path, data.examples), data.examples)
        self.say(f"summarizing {data.name} with {system.name}")
        run = run_system(system, data)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_predictions(path, data.examples, run.predictions)
        return run

    def _prepare(self, given: Corpus) -> Corpus:
        limits = {split: getattr(self.config.documents, split) for split in get_args(Split)}
        identities = []  # what tells a file from others without reading it
        for split, limit in limits.items():
            path = getattr(given, split)
            identities.append(f"{path.resolve()}|{path.stat().st_size}|{path.stat().st_mtime_ns}|{limit}")
        key = "|".join(identities)
        corpus = self._write(given.name, key, lambda split: islice(read_corpus(getattr(given, split)), limits[split]))
        seen: dict[tuple[str, ...], Split] = {}
        for one in get_args(Split):
            texts = {example.text for example in read_corpus(getattr(corpus, one))}
            if both := texts & seen.keys():  # it would be learned from and tested on
                raise ExperimentError(
                    f"The corpus {corpus.name} has a document both in {seen[both.pop()]} and in {one}.",
                    "Divide the documents anew: each belongs to one of train, valid and test.",
                )
            seen |= dict.fromkeys(texts, one)
        return corpus

    def _write(self, name: str, key: str, examples: Callable[[Split], Iterable[Example]]) -> Corpus:
        """Write what is missing of a corpus; `key` identifies where the examples come from."""
        most = self.config.training.max_sentences
        folder = self.folder / "corpora" / f"{name}-{digest(f'{name}|{key}|{most}')[:8]}"
        folder.mkdir(parents=True, exist_ok=True)
        paths = {split: folder / f"{split}.jsonl" for split in get_args(Split)}
        for split, path in paths.items():
            if not path.exists():
                self.say(f"preparing {name}, {split}")
                chosen = examples(split)
                write_examples(
                    path,
                    (with_episodes(e, EpisodeSearch(maximum=most)) for e in chosen) if split == "train" else chosen,
                )
            if not path.stat().st_size:
                raise ExperimentError(f"The corpus {name} has no documents to {split} on.")
        return Corpus(name, **paths)

    @cached_property
    def _vectors(self) -> tuple[Path, str, int]:
        """Return the path of the word vectors, their fingerprint and their dimension."""
        from memsum.text.vectors import EMBEDDINGS_FILE
        from memsum_train.corpus.text_vectors import fingerprint, open_vectors
        from memsum_train.corpus.vectors import learn_vectors

        dimension, files = self.config.network.word_dimension, [corpus.train for corpus in self.corpora]
        key = digest("|".join([str(dimension), *(corpus.sha256 for corpus in self.corpora)]))
        path = self.config.vectors or self.folder / "vectors" / key
        if not (self.config.vectors or (path / EMBEDDINGS_FILE).exists()):
            learned = learn_vectors(
                lambda: read_sentences(files),
                dimension=dimension,
                min_count=_RARE,
                epochs=_PASSES,
                say=lambda what: self.say(f"word vectors: {what}"),
            )
            learned.save(path)
        vectors = open_vectors(path)
        return path, fingerprint(vectors), vectors.dimension

    def _training(self, variant: Variant, corpus: Corpus, seed: int) -> Training:
        path, sha256, dimension = self._vectors
        blocks: dict[str, Any] = {**variant.network, "word_dimension": dimension}
        return Training(
            name=f"{variant.name} on {corpus.name}, seed {seed}",
            corpus=corpus,
            vectors=path,
            vectors_sha256=sha256,
            network=replace(self.config.network, **blocks),
            config=replace(self.config.training, objective=variant.objective, seed=seed),
            models=self.folder / "models",
        )


def train_all(trainings: Sequence[Training], jobs: int, say: Say) -> None:
    """Train, `jobs` at a time; the first that fails ends the others, which can be resumed."""

    def announced() -> Iterator[Training]:
        for number, training in enumerate(trainings, start=1):
            say(f"training {training.name} ({number} of {len(trainings)})")
            yield training

    if jobs == 1 or len(trainings) == 1:
        for training in announced():
            _train(training, say)
        return
    workers = min(jobs, len(trainings))
    try:
        # Each weighs as much as a worker is given at once: none waits for another one's.
        list(map_parallel(_train, announced(), workers, lost=_died, weigh=lambda one: CHUNK_BYTES))
    except MemsumError as error:
        raise TrainingError(error.message, error.hint) from None


def _died(training: Training, status: int) -> None:
    raise TrainingError(
        f"The training of {training.name} ended with status {status}.",
        "It may have run out of memory: run the same command again with --jobs 1.",
    )


def _json(content: dict[str, Any]) -> bytes:
    return (json.dumps(content, indent=2) + "\n").encode()


def _train(training: Training, say: Say = lambda what: None) -> None:
    """Train, or resume where it stopped; at the end only the model and its metrics stay."""
    import shutil

    import torch

    from memsum_train.corpus.text_vectors import open_vectors
    from memsum_train.learning.distributed import join_world
    from memsum_train.learning.learner import CHECKPOINT_FILE
    from memsum_train.learning.trainer import Callbacks, build_trainer
    from memsum_train.policy.folder import new_policy

    folder, corpus = training.folder, training.corpus
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / TRAINING_FILE, _json({"name": training.name, **training.to_dict()}))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the same numbers, however many trainings run at a time
    try:
        with join_world("auto") as world:
            encoder = TextEncoder(open_vectors(training.vectors), TextSettings(collapse_repeats=False))
            policy = new_policy(training.network, encoder, training.config.seed)
            valid = read_corpus(corpus.valid)
            trainer = build_trainer(policy, encoder, corpus.train, valid, training.config, folder, world)
            last = monotonic()

            def report(progress: TrainingProgress, loss: float) -> None:
                nonlocal last
                if monotonic() - last > _REPORT_SECONDS:
                    last = monotonic()
                    of = f"update {progress.update} of {trainer.learner.updates}"
                    say(f"training {training.name}: {of}, loss {loss:.3f}")

            trainer.callbacks = Callbacks(update=report)
            done = trainer.run()
    finally:
        torch.set_num_threads(threads)
    write_atomically(folder / DONE_FILE, _json({"updates": done.update, "best": done.best, "seconds": done.seconds}))
    (folder / CHECKPOINT_FILE).unlink(missing_ok=True)
    (folder / "encoded.json").unlink(missing_ok=True)
    shutil.rmtree(folder / "encoded", ignore_errors=True)
