"""What every experiment gets, and what it gives back. This interface is frozen: experiments depend on nothing else.

An experiment is a module `memsum.experiments.NAME` with `run(context: Context) -> Report`:

- `context.corpora` are the prepared corpora, and `context.main` the first of them: a `Corpus` has a `name`, the files
  `train` (with episodes), `valid` and `test`, and `data("test")` gives the documents as `evaluation.Data`.
- `context.derive(corpus, "redundant", repeat_sentences)` is the corpus with every document changed.
- `context.model(FULL)` is the folder of a trained model; it is trained only if no equal training was done before, and
  an interrupted training goes on. Variants are in `variants`; `context.seeds` are those to train with.
- `context.system(FULL)` is that model as a system to evaluate, and `context.summarise(system, data)` its predictions
  and scores, played only if it was never played on these documents before. `context.scores(FULL, corpus, data)` are
  the scores over all seeds, to compare with others (see `scores` and `claims`).
- `context.say("…")` tells the user what is going on, in a few words.

`Report` has tables, figures, pages and conclusions; whoever called the experiment writes them into files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memsum.experiments.config import Config
from memsum.experiments.corpora import Corpus, Library, Transform
from memsum.experiments.scores import Scores
from memsum.experiments.variants import Variant
from memsum.experiments.workshop import Workshop
from memsum.report.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from memsum.evaluation import Data, ModelSystem, Run, StopOptions, System
    from memsum.evaluation.playing import Model


@dataclass(frozen=True)
class Picture:
    """A figure of matplotlib (as `figures.drawing` gives it), written as PNG and SVG under its name."""

    name: str
    caption: str
    figure: Figure


@dataclass(frozen=True)
class Page:
    """A whole file, such as an HTML page, written as it is under its name."""

    name: str
    caption: str
    content: str


@dataclass(frozen=True)
class Report:
    """What an experiment found: numbers, pictures, and sentences that follow from intervals."""

    title: str
    question: str  # what it is to show, in one or two sentences
    tables: tuple[Table, ...] = ()
    figures: tuple[Picture, ...] = ()
    pages: tuple[Page, ...] = ()
    conclusions: tuple[str, ...] = ()
    signatures: tuple[str, ...] = ()  # of data, models, metric: all it takes to compute the numbers again


def without_memory(model: Model) -> Model:
    """The same weights with an empty history at every step."""
    from memsum.policy.counted import CountedExtractor
    from memsum.policy.history import NoHistory

    policy = deepcopy(model.policy)
    policy.history = NoHistory(policy.config)
    if isinstance(policy.extractor, CountedExtractor):
        policy.extractor.remembers = False
    return replace(model, policy=policy, runtime=None, sha256=f"{model.sha256}|history:zeroed")


def with_repeats(model: Model) -> Model:
    """The same model, shown every sentence even if it is repeated to the letter, which models else see once."""
    from memsum.text.encoding import TextEncoder

    settings = replace(model.encoder.settings, collapse_repeats=False)
    encoder = TextEncoder(model.encoder.vectors, settings, model.encoder.salience, model.encoder.length)
    return replace(model, encoder=encoder, runtime=None, sha256=f"{model.sha256}|repeats:seen")


@dataclass(frozen=True)
class Context:
    """The corpora, the trainings and the predictions that experiments share."""

    config: Config
    folder: Path  # of this experiment's report, for files it needs besides
    library: Library
    workshop: Workshop
    say: Callable[[str], None]

    @property
    def corpora(self) -> tuple[Corpus, ...]:
        """All corpora, prepared: cut to the budget, with episodes."""
        return self.library.corpora

    @property
    def main(self) -> Corpus:
        """The corpus of experiments that need only one."""
        return self.corpora[0]

    @property
    def seeds(self) -> tuple[int, ...]:
        """What each variant is trained with, once each."""
        return self.config.seeds

    def derive(self, corpus: Corpus, what: str, transform: Transform) -> Corpus:
        """A corpus whose documents are changed; those for which `transform` gives None are left out."""
        return self.library.derive(corpus, what, transform)

    def model(self, variant: Variant, corpus: Corpus | None = None, seed: int | None = None) -> Path:
        """The model folder of a variant, trained on the main corpus and with the first seed unless others are given."""
        return self.workshop.model(variant, corpus or self.main, self.seeds[0] if seed is None else seed)

    def system(
        self,
        variant: Variant,
        corpus: Corpus | None = None,
        seed: int | None = None,
        *,
        name: str | None = None,
        length: StopOptions | None = None,
        block_trigrams: bool = False,
        see_repeats: bool = False,
        forget: bool = False,
    ) -> ModelSystem:
        """A trained variant as a system; it stops where validation found best, unless a length is given.

        One that is to see repeats is shown sentences that are repeated to the letter as often as they are there. One
        that is to forget sees an empty history at every step: what it does otherwise, it owes to its memory.
        """
        from memsum.evaluation import ModelSystem
        from memsum.evaluation.playing import open_model

        model = open_model(self.model(variant, corpus, seed), "auto")
        model = with_repeats(model) if see_repeats else model
        model = without_memory(model) if forget else model
        return ModelSystem(name or variant.name, model, length, block_trigrams=block_trigrams)

    def train(self, variants: Iterable[Variant], corpus: Corpus) -> None:
        """Train variants with all seeds, several at a time, before `model` asks for them one by one."""
        self.workshop.train((variant, corpus, seed) for variant in variants for seed in self.seeds)

    def scores(self, variant: Variant, corpus: Corpus, data: Data) -> Scores:
        """What a variant trained on a corpus scores on documents, over all seeds."""
        systems = (self.system(variant, corpus, seed) for seed in self.seeds)
        return Scores.of(variant.name, [self.summarise(system, data) for system in systems])

    def summarise(self, system: System, data: Data) -> Run:
        """A system's predictions and scores, from an earlier time if there was one."""
        return self.workshop.summarise(system, data)
