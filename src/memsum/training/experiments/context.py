"""What experiments share, each made once: corpora, trained models, summaries.

Everything lies in the folder of the run under a key of all that matters for it: equal settings find what was made
before, and an interrupted run goes on where it stopped. An experiment is a function `run(context) -> ExperimentReport`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from memsum._version import __version__
from memsum.training.corpus.oracle import Search, with_episodes
from memsum.training.corpus.records import Example, read_corpus, read_sentences, write_examples
from memsum.training.evaluation import (
    Data,
    System,
    SystemRun,
    load_data,
    read_predictions,
    run_system,
    write_predictions,
)
from memsum.training.evaluation.measuring import measure
from memsum.training.experiments.config import Config, ExperimentError, Files, Split, Variant
from memsum.training.experiments.scores import Scores
from memsum.training.experiments.trainings import Say, Training, is_done, train_all
from memsum.training.learning.config import SYSTEMS, choose_blocks

if TYPE_CHECKING:
    from memsum.training.evaluation import ModelSystem, StopOptions

Transform = Callable[[Example], Example | None]

_RARE = 3  # occurrences below which a word of the training documents gets no vector of its own
_PASSES = 5


@dataclass(frozen=True)
class Corpus:
    """Documents to learn from (with episodes), to validate on and to test on."""

    name: str
    train: Path
    valid: Path
    test: Path
    sha256: str  # of what models are made from: train and valid

    def data(self, split: Split) -> Data:
        """The documents of a split, to measure systems on."""
        return replace(load_data(getattr(self, split)), name=f"{self.name}-{split}")


@dataclass
class Context:
    """The corpora, models and summaries of a run, in its folder."""

    config: Config
    folder: Path
    jobs: int = 1  # trainings at a time
    say: Say = lambda what: None  # tells the user what is going on, in a few words

    @cached_property
    def corpora(self) -> tuple[Corpus, ...]:
        """All corpora, prepared: cut to the budget, with episodes."""
        return tuple(self._prepare(files) for files in self.config.corpora)

    @property
    def main(self) -> Corpus:
        """The corpus of experiments that need only one."""
        return self.corpora[0]

    @property
    def seeds(self) -> tuple[int, ...]:
        """What each variant is trained with, once each."""
        return self.config.seeds

    def derive(self, corpus: Corpus, what: str, transform: Transform) -> Corpus:
        """A corpus whose documents are changed; those for which `transform` gives None are left out.

        To learn from, they get episodes where the change took them away.
        """

        def changed(split: Split) -> Iterator[Example]:
            for example in read_corpus(getattr(corpus, split)):
                if (new := transform(example)) is not None:
                    yield new

        return self._write(f"{corpus.name}-{what}", f"{corpus.train.parent.name}-{what}", changed)

    def train(self, variants: Iterable[Variant], corpus: Corpus, seeds: Sequence[int] | None = None) -> None:
        """Train variants with all seeds, several at a time, where no equal training was done before."""
        wanted = [self._training(variant, corpus, seed) for variant in variants for seed in seeds or self.seeds]
        folders = {self._place(training): training for training in wanted}
        missing = [(training, folder) for folder, training in folders.items() if not is_done(folder)]
        train_all(missing, self.jobs, self.say)

    def model(self, variant: Variant, corpus: Corpus | None = None, seed: int | None = None) -> Path:
        """The model folder of a variant, trained on the main corpus and with the first seed unless others are given."""
        from memsum.training.learning.trainer import MODEL_FOLDER

        corpus, seed = corpus or self.main, self.seeds[0] if seed is None else seed
        self.train([variant], corpus, [seed])
        return self._place(self._training(variant, corpus, seed)) / MODEL_FOLDER

    def system(
        self,
        variant: Variant,
        corpus: Corpus | None = None,
        seed: int | None = None,
        *,
        name: str | None = None,
        stop: StopOptions | None = None,
        block_trigrams: bool = False,
        see_repeats: bool = False,
        forget: bool = False,
    ) -> ModelSystem:
        """A trained variant as a system; it stops where validation found best, unless it is told otherwise.

        One that is to see repeats is shown sentences that are repeated to the letter as often as they are there. One
        that is to forget sees an empty history at every step: what it does otherwise, it owes to its memory.
        """
        from memsum.training.evaluation import ModelSystem
        from memsum.training.evaluation.playing import open_model, with_repeats, without_memory

        model = open_model(self.model(variant, corpus, seed), "auto")
        model = with_repeats(model) if see_repeats else model
        model = without_memory(model) if forget else model
        return ModelSystem(name or variant.name, model, stop, block_trigrams=block_trigrams)

    def scores(self, variant: Variant, corpus: Corpus, data: Data) -> Scores:
        """What a variant trained on a corpus scores on documents, over all seeds."""
        systems = (self.system(variant, corpus, seed) for seed in self.seeds)
        return Scores.of(variant.name, [self.summarise(system, data) for system in systems])

    def summarise(self, system: System, data: Data) -> SystemRun:
        """A system's predictions for documents and what they score, from an earlier time if there was one."""
        path = self.folder / "predictions" / f"{_key(f'{system}|{data.sha256}|{__version__}')}.jsonl"
        if path.exists():
            predictions = read_predictions(path, data.examples)
            return SystemRun(system.name, str(system), predictions, measure(predictions, data.examples))
        self.say(f"summarising {data.name} with {system.name}")
        run = run_system(system, data)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_predictions(path, data.examples, run.predictions)
        return run

    def _prepare(self, files: Files) -> Corpus:
        limits = {split: getattr(self.config.documents, split) for split in get_args(Split)}
        key = _digest(_identity(getattr(files, split), limit) for split, limit in limits.items())
        corpus = self._write(files.name, key, lambda split: islice(read_corpus(getattr(files, split)), limits[split]))
        _refuse_overlap(corpus)
        return corpus

    def _write(self, name: str, key: str, examples: Callable[[Split], Iterable[Example]]) -> Corpus:
        """Write what is missing of a corpus. The key stands for where the examples come from."""
        most = self.config.training.max_sentences
        folder = self.folder / "corpora" / f"{name}-{_digest([name.encode(), key.encode(), str(most).encode()])[:8]}"
        folder.mkdir(parents=True, exist_ok=True)
        paths = {split: folder / f"{split}.jsonl" for split in get_args(Split)}
        for split, path in paths.items():
            if not path.exists():
                self.say(f"preparing {name}, {split}")
                chosen = examples(split)
                write_examples(
                    path, (with_episodes(e, Search(maximum=most)) for e in chosen) if split == "train" else chosen
                )
            if not path.stat().st_size:
                raise ExperimentError(f"The corpus {name} has no documents to {split} on.")
        train, valid, test = paths.values()
        return Corpus(name, train, valid, test, _digest(path.read_bytes() for path in (train, valid)))

    @cached_property
    def _vectors(self) -> tuple[Path, str, int]:
        """Word vectors: where they are, their name, their dimension."""
        from memsum.text.vectors import fingerprint, open_vectors

        path = self.config.vectors or self._learned_vectors()
        vectors = open_vectors(path)
        return path, fingerprint(vectors), vectors.dimension

    def _learned_vectors(self) -> Path:
        from memsum.text.vectors import EMBEDDINGS_FILE
        from memsum.training.corpus.vectors import learn_vectors

        files = [corpus.train for corpus in self.corpora]
        dimension = self.config.network.word_dimension
        folder = self.folder / "vectors" / _key("|".join([str(dimension), *(c.sha256 for c in self.corpora)]))
        if not (folder / EMBEDDINGS_FILE).exists():
            learned = learn_vectors(
                lambda: read_sentences(files, lambda done: None),
                dimension=dimension,
                min_count=_RARE,
                epochs=_PASSES,
                workers=1,  # with more, no two runs give the same vectors
                say=lambda what: self.say(f"word vectors: {what}"),
            )
            learned.save(folder)
        return folder

    def _training(self, variant: Variant, corpus: Corpus, seed: int) -> Training:
        path, sha256, dimension = self._vectors
        preset, network, config = SYSTEMS[variant.system], self.config.network, self.config.training
        own = {name: getattr(network, name) for name, value in variant.blocks.items() if value is None}
        chosen = choose_blocks(
            variant.system, {**variant.blocks, **{n: v for n, v in own.items() if n not in preset.blocks}}
        )
        return Training(
            name=f"{variant.name} on {corpus.name}, seed {seed}",
            train=corpus.train,
            valid=corpus.valid,
            corpus_sha256=corpus.sha256,
            vectors=path,
            vectors_sha256=sha256,
            network=replace(network, **chosen, word_dimension=dimension),  # type: ignore[arg-type]
            config=replace(
                config, objective=preset.objective, repeats=config.repeats if variant.repeats else 0.0, seed=seed
            ),
        )

    def _place(self, training: Training) -> Path:
        return self.folder / "models" / training.key


def _refuse_overlap(corpus: Corpus) -> None:
    """A document to test on that was learned from would be no test."""
    seen: dict[tuple[str, ...], Split] = {}
    for split in get_args(Split):
        texts = {example.text for example in read_corpus(getattr(corpus, split))}
        both = texts & seen.keys()
        if both:
            other = seen[both.pop()]
            raise ExperimentError(
                f"The corpus {corpus.name} has a document both in {other} and in {split}.",
                "Divide the documents anew: each belongs to one of train, valid and test.",
            )
        seen |= dict.fromkeys(texts, split)


def _identity(path: Path, limit: int | None) -> bytes:
    """What tells a file from others without reading it."""
    status = path.stat()
    return f"{path.resolve()}|{status.st_size}|{status.st_mtime_ns}|{limit}".encode()


def _digest(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()[:16]


def _key(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()[:16]
