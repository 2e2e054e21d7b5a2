"""Corpora, trained models and summaries that experiments share, each made once.

Everything lies in the folder of the run under a digest of all that matters for it: equal settings find what was made
before, and an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from memsum._version import __version__
from memsum.errors import MemsumError
from memsum.features.encoding import TextEncoder, TextSettings
from memsum.files import write_atomically
from memsum.options import SummaryOptions
from memsum.parallel import CHUNK_BYTES, map_parallel
from memsum_train.corpus.records import Example, read_corpus, read_sentences, write_examples
from memsum_train.evaluation.data import Data, read_predictions, write_predictions
from memsum_train.evaluation.measuring import Scores, evaluate
from memsum_train.evaluation.systems import System, model_system
from memsum_train.experiments.config import Config, Corpus, Split, Variant, digest
from memsum_train.learning.config import TrainingConfig
from memsum_train.paper.episodes import EpisodeSearch, with_episodes
from memsum_train.policy.config import PolicyConfig

if TYPE_CHECKING:
    from memsum_train.evaluation.playing import Model

DONE_FILE = "done.json"
_RARE = 3  # occurrences below which a word of the training documents gets no vector of its own
_PASSES = 5


@dataclass(frozen=True)
class Training:
    """What determines a model, and its folder: equal trainings are done once, in the same one."""

    name: str  # for people; two names of one training share its model
    corpus: Corpus
    vectors: Path
    network: PolicyConfig
    config: TrainingConfig
    folder: Path


@dataclass
class Context:
    """The corpora, models and summaries of a run, in its folder."""

    config: Config
    folder: Path
    jobs: int = 1  # trainings at a time
    say: Callable[[str], None] = lambda what: None  # reports progress, in a few words

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

    def train(self, variants: Iterable[Variant], corpus: Corpus) -> None:
        """Train variants with all seeds, several at a time, where no equal training was done before."""
        missing: dict[Path, Training] = {}
        for training in (self.training(variant, corpus, seed) for variant in variants for seed in self.config.seeds):
            if not (training.folder / DONE_FILE).exists():
                missing.setdefault(training.folder, training)
        if missing:
            self.say(f"training {', '.join(one.name for one in missing.values())}")
        # Each weighs as much as a worker is given at once: none waits for another one's.
        workers = max(1, min(self.jobs, len(missing)))
        lost = _died if workers > 1 else None  # alone, it is done right here
        done = map_parallel(train, missing.values(), workers, lost=lost, weigh=lambda one: CHUNK_BYTES)
        for number, (training, _) in enumerate(done, start=1):
            self.say(f"trained {training.name} ({number} of {len(missing)})")

    def model(self, variant: Variant, corpus: Corpus, seed: int | None = None, device: str = "auto") -> Model:
        """Open a variant that was trained, by default with the first seed."""
        from memsum_train.evaluation.playing import open_model, without_memory
        from memsum_train.learning.trainer import MODEL_FOLDER

        training = self.training(variant, corpus, self.config.seeds[0] if seed is None else seed)
        model = open_model(training.folder / MODEL_FOLDER, device)
        return without_memory(model) if variant.forget else model

    def system(self, variant: Variant, corpus: Corpus, seed: int | None = None) -> System:
        """Return a variant that was trained as a system, by default with the first seed."""
        options = SummaryOptions(block_trigrams=variant.block, stop_threshold=variant.threshold)
        return model_system(variant.name, self.model(variant, corpus, seed), options)

    def scores(self, variants: Sequence[Variant], corpus: Corpus, data: Data) -> list[Scores]:
        """Train variants on a corpus, and return their scores on documents, over all seeds."""
        self.train(variants, corpus)
        each = ([self.system(variant, corpus, seed) for seed in self.config.seeds] for variant in variants)
        return [Scores.join([self.summarize(system, data) for system in systems]) for systems in each]

    def summarize(self, system: System, data: Data) -> Scores:
        """Summarize documents with a system, or read its summaries if this was done before, and measure them."""
        path = self.folder / "predictions" / f"{digest(f'{system.signature}|{data.sha256}|{__version__}')}.jsonl"
        if path.exists():
            return Scores.measure(system, read_predictions(path, data.examples), data.examples)
        self.say(f"summarizing {data.name} with {system.name}")
        [scores] = evaluate([system], data)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_predictions(path, data.examples, scores.predictions)
        return scores

    def training(self, variant: Variant, corpus: Corpus, seed: int) -> Training:
        vectors, fingerprint, dimension = self._vectors
        blocks: dict[str, Any] = {**variant.network, "word_dimension": dimension}
        network = replace(self.config.network, **blocks)
        config = replace(self.config.training, objective=variant.objective, seed=seed)
        key = [__version__, corpus.sha256, fingerprint, asdict(network), asdict(config)]
        folder = self.folder / "models" / digest(json.dumps(key, sort_keys=True))
        return Training(f"{variant.name} on {corpus.name}, seed {seed}", corpus, vectors, network, config, folder)

    def _prepare(self, given: Corpus) -> Corpus:
        limits = {split: getattr(self.config.documents, split) for split in get_args(Split)}
        files = [(getattr(given, split), limit) for split, limit in limits.items()]
        # What tells files from others without reading them.
        key = "|".join(f"{p.resolve()}|{p.stat().st_size}|{p.stat().st_mtime_ns}|{limit}" for p, limit in files)
        corpus = self._write(given.name, key, lambda split: islice(read_corpus(getattr(given, split)), limits[split]))
        seen: dict[tuple[str, ...], Split] = {}
        for one in get_args(Split):
            texts = {example.text for example in read_corpus(getattr(corpus, one))}
            if both := texts & seen.keys():  # it would be learned from and tested on
                raise MemsumError(
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
                if split == "train":
                    chosen = (with_episodes(example, EpisodeSearch(maximum=most)) for example in chosen)
                write_examples(path, chosen)
            if not path.stat().st_size:
                raise MemsumError(f"The corpus {name} has no documents to {split} on.")
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


def train(training: Training) -> None:
    """Train, or resume where it stopped; at the end only the model and its metrics stay."""
    import torch

    from memsum_train.corpus.text_vectors import open_vectors
    from memsum_train.learning.distributed import join_world
    from memsum_train.learning.learner import CHECKPOINT_FILE
    from memsum_train.learning.trainer import build_trainer
    from memsum_train.policy.folder import new_policy

    folder, corpus = training.folder, training.corpus
    folder.mkdir(parents=True, exist_ok=True)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the same numbers, however many trainings run at a time
    try:
        with join_world("auto") as world:
            encoder = TextEncoder(open_vectors(training.vectors), TextSettings(collapse_repeats=False))
            policy = new_policy(training.network, encoder, training.config.seed)
            valid = read_corpus(corpus.valid)
            done = build_trainer(policy, encoder, corpus.train, valid, training.config, folder, world).run()
    finally:
        torch.set_num_threads(threads)
    finished = {"name": training.name, "updates": done.update, "best": done.best, "seconds": done.seconds}
    write_atomically(folder / DONE_FILE, f"{json.dumps(finished)}\n".encode())
    (folder / CHECKPOINT_FILE).unlink(missing_ok=True)
    shutil.rmtree(folder / "encoded", ignore_errors=True)


def _died(training: Training, status: int) -> None:
    hint = "It may have run out of memory: run the same command again with --jobs 1."
    raise MemsumError(f"The training of {training.name} ended with status {status}.", hint)
