"""Where models are trained and summaries are made, each once: equal settings find what was made before."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from memsum._version import __version__
from memsum.corpus.records import read_sentences
from memsum.evaluation import Data, Run, System, read_predictions, run_system, write_predictions
from memsum.evaluation.measuring import measure
from memsum.experiments.config import Config
from memsum.experiments.corpora import Corpus, Library
from memsum.experiments.processes import follow_all
from memsum.experiments.recipes import Recipe, is_done
from memsum.experiments.variants import Variant
from memsum.training.config import SYSTEMS, choose_blocks

_RARE = 3  # occurrences below which a word of the training documents gets no vector of its own
_PASSES = 5


@dataclass(frozen=True)
class Workshop:
    """Makes models and predictions in a folder of the run."""

    config: Config
    folder: Path
    library: Library
    jobs: int  # trainings at a time
    say: Callable[[str], None]

    def model(self, variant: Variant, corpus: Corpus, seed: int) -> Path:
        """The folder of a trained model."""
        from memsum.training.trainer import MODEL_FOLDER

        self.train([(variant, corpus, seed)])
        return self._place(self._recipe(variant, corpus, seed)) / MODEL_FOLDER

    def train(self, wanted: Iterable[tuple[Variant, Corpus, int]]) -> None:
        """Train what was not trained before, several at a time."""
        recipes = {recipe.key: recipe for recipe in (self._recipe(*one) for one in wanted)}
        placed = [(recipe, self._place(recipe)) for recipe in recipes.values()]
        follow_all([(recipe, folder) for recipe, folder in placed if not is_done(folder)], self.jobs, self.say)

    def summarise(self, system: System, data: Data) -> Run:
        """A system's predictions for documents, and what they score."""
        key = hashlib.sha256(f"{system}|{data.sha256}|{__version__}".encode()).hexdigest()[:16]
        path = self.folder / "predictions" / f"{key}.jsonl"
        if path.exists():
            predictions = read_predictions(path, data.examples)
            return Run(system.name, str(system), predictions, measure(predictions, data.examples))
        self.say(f"summarising {data.name} with {system.name}")
        run = run_system(system, data)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_predictions(path, data.examples, run.predictions)
        return run

    @cached_property
    def _vectors(self) -> tuple[Path, str, int]:
        """Word vectors: where they are, their name, their dimension."""
        from memsum.text.vectors import fingerprint, open_vectors

        path = self.config.vectors or self._learned_vectors()
        vectors = open_vectors(path)
        return path, fingerprint(vectors), vectors.dimension

    def _learned_vectors(self) -> Path:
        from memsum.text.learn import learn_vectors
        from memsum.text.vectors import EMBEDDINGS_FILE

        files = [corpus.train for corpus in self.library.corpora]
        dimension = self.config.network.word_dimension
        key = hashlib.sha256("|".join([str(dimension), *(c.sha256 for c in self.library.corpora)]).encode())
        folder = self.folder / "vectors" / key.hexdigest()[:16]
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

    def _recipe(self, variant: Variant, corpus: Corpus, seed: int) -> Recipe:
        path, sha256, dimension = self._vectors
        own = {name: getattr(self.config.network, name) for name, value in variant.blocks.items() if value is None}
        fixed = SYSTEMS[variant.system].blocks
        chosen = choose_blocks(variant.system, {**variant.blocks, **{n: v for n, v in own.items() if n not in fixed}})
        return Recipe(
            name=f"{variant.name} on {corpus.name}, seed {seed}",
            corpus=corpus,
            vectors=path,
            vectors_sha256=sha256,
            network=replace(self.config.network, **chosen, word_dimension=dimension),  # type: ignore[arg-type]
            training=replace(
                self.config.training,
                objective=SYSTEMS[variant.system].objective,
                repeats=self.config.training.repeats if variant.repeats else 0.0,
                seed=seed,
            ),
        )

    def _place(self, recipe: Recipe) -> Path:
        return self.folder / "models" / recipe.key
