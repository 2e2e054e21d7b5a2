"""The phases of a training: each makes a folder of what earlier ones have made, and can be killed at any moment.

| phase | makes |
|---|---|
| corpus | raw corpora as sentences, with high-ROUGE episodes; documents to choose by, documents to judge by |
| vectors | word vectors |
| signals | salience and expected length |
| training, ngram_gain, self_play | the network |
| tuning | int8 graphs, threshold, penalties |
| targets | what readers must know of documents with keys, beside what the network has learned |
| card | scores on documents that nothing was chosen by, and the card |
"""

from __future__ import annotations

import math
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path

import numpy as np
import safetensors.torch
from numpy.typing import NDArray

from memsum.batch.run import LocalEngine, Run
from memsum.errors import CorpusError, MissingExtraError, TrainingError
from memsum.features.encoding import TextEncoder, TextSettings
from memsum.files import write_atomically
from memsum.isolation import cores
from memsum.model import ModelConfig, SelectionPenalties, resolve_model
from memsum.model.runtime import Runtime
from memsum_train.corpus.build import Conversion, build_corpus, find_sources
from memsum_train.corpus.check import check_corpus, usable_examples
from memsum_train.corpus.convert import first_rejection
from memsum_train.corpus.keys import read_keys
from memsum_train.corpus.records import Example, read_corpus, write_examples
from memsum_train.corpus.text_vectors import open_vectors
from memsum_train.corpus.vectors import learn_vectors
from memsum_train.evaluation import tuning
from memsum_train.evaluation.data import load_data
from memsum_train.evaluation.playing import open_model
from memsum_train.learning.adapt import judge
from memsum_train.learning.checkpoint import TrainingProgress
from memsum_train.learning.config import TrainingConfig, require_blocks
from memsum_train.learning.data import sample_corpus
from memsum_train.learning.distributed import World, default_processes, run_distributed
from memsum_train.learning.metrics import plot_metrics
from memsum_train.learning.signals import LENGTH_DOCUMENTS, Report, learn_signals, measure_lengths, open_signals
from memsum_train.learning.targets import learn_targets
from memsum_train.learning.trainer import MODEL_FOLDER, Callbacks, build_trainer
from memsum_train.learning.validation import Validation
from memsum_train.policy import Policy, PolicyConfig
from memsum_train.policy.export import export_model
from memsum_train.policy.folder import POLICY_FILE, load_policy, new_policy, save_policy, with_counted_history
from memsum_train.recipe.card import CARD_FILE, make_card
from memsum_train.recipe.corpora import group_files
from memsum_train.recipe.settings import Recipe, Stage

Say = Callable[[str], None]

_COUNT_FILE = "documents"
_MIXED = 0.75  # temperature that mixes kinds in samples
_MOST_PASSES = 4  # of learning vectors, times the usual ones, where there are few documents
_MOST_TIMES = 4  # that a document tells how long summaries are
_TOO_MANY = 0.5  # share of records that cannot be used


@dataclass(frozen=True)
class Job:
    """One run of a recipe in a folder, and whom it reports to."""

    recipe: Recipe
    folder: Path
    world: World  # the processes that torchrun has started, or this one alone
    device: str = "auto"
    processes: int = 0  # 0: one per core or GPU
    report: Report = lambda what, done, total: None
    say: Say = lambda what: None

    @property
    def train(self) -> Path:
        return self.folder / "corpus" / "train.jsonl.zst"

    @property
    def documents(self) -> int:
        """Return the number of documents to learn from."""
        return int((self.folder / "corpus" / _COUNT_FILE).read_text())

    @property
    def validation(self) -> Path:
        """Return the file of the documents that choose weights and threshold."""
        return self.folder / "corpus" / "validation.jsonl"

    @property
    def test(self) -> Path:
        """Return the file of the documents that judge the finished model."""
        return self.folder / "corpus" / "test.jsonl"


@dataclass(frozen=True)
class Phase:
    """A part of a training that writes a folder of its name."""

    name: str
    about: str
    work: Callable[[Job, Path], None]
    shared: bool = False  # all processes of torchrun take part


def list_phases(recipe: Recipe) -> list[Phase]:
    """Return the phases of a recipe, in their order."""
    phases = [Phase("corpus", "reading corpora and finding episodes", make_corpus)]
    if not recipe.init:
        about = "copying" if recipe.vectors.path else "learning"
        phases.append(Phase("vectors", f"{about} word vectors", make_vectors))
    reads_signals = bool(recipe.init) and ModelConfig.load(resolve_model(recipe.init)).text.signals is True
    if recipe.is_counted and not reads_signals:
        phases.append(Phase("signals", "learning which words matter and how long summaries are", make_signals))
    before: str | None = None
    for stage in recipe.stages:
        for name, config in stage.seeds():
            work = partial(train_network, config=config, before=before)
            phases.append(Phase(name, f"training the network ({config.objective})", work, shared=True))
        if stage.runs > 1:
            phases.append(Phase(stage.name, "averaging the weights", partial(average_runs, stage=stage)))
        before = stage.name
    phases.append(Phase("tuning", "exporting and choosing the threshold", partial(tune_model, before=before or "")))
    if recipe.corpus.keys:
        phases.append(Phase("targets", "learning what readers must know", partial(add_targets, before="tuning")))
    phases.append(Phase("card", "judging the model", partial(judge_model, before=phases[-1].name)))
    return phases


# --- corpora ---------------------------------------------------------------------------------------------------------


def make_corpus(job: Job, folder: Path) -> None:
    """Write the corpora as sentences, with episodes where the network learns from them."""
    settings = job.recipe.corpus
    if not (folder / _COUNT_FILE).exists():
        documents = _convert(job, settings.train, job.train, search=True)
        write_atomically(folder / _COUNT_FILE, f"{documents}\n".encode())
    if not (job.validation.exists() and job.test.exists()):
        valid = folder / "valid.jsonl"
        _convert(job, settings.valid, valid, search=False)
        validation, test = _divide(list(read_corpus(valid)), settings.validation, settings.test, job.recipe.seed)
        write_examples(job.test, test)
        write_examples(job.validation, validation)
        valid.unlink()


def _convert(job: Job, sources: Sequence[str], output: Path, *, search: bool) -> int:
    """Convert the files of all kinds into one, without what nothing can be learned from; return how many there are."""
    recipe, kinds = job.recipe, group_files(sources)
    files = [file for some in kinds.values() for file in some]
    conversion = Conversion(
        reject_copies=recipe.corpus.reject_copies,
        min_sentences=recipe.corpus.min_sentences,
        keep_origins=True,
        sources={file: kind for kind, some in kinds.items() for file in some if kind},
        search=recipe.episodes if search else None,
    )
    what = "reading documents and finding episodes:" if search else "reading documents:"
    job.report(what, 0, 0)
    total, done = find_sources(files, conversion).count() or 0, 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        job.report(what, done, total)

    part = output.with_name(f"{output.name.partition('.')[0]}.part.jsonl")
    if not part.exists():
        counts = build_corpus(files, str(part), conversion, Run(LocalEngine(job.processes or cores()), advance=advance))
        if counts.errors:
            share = f"{counts.failed:,} of {counts.failed + counts.kept:,} records"
            reason = first_rejection(counts.errors)
            if counts.failed > _TOO_MANY * (counts.failed + counts.kept):
                raise CorpusError(f"{share} cannot be used; {reason}", f"{counts.errors} lists all of them.")
            job.say(f"{share} are left out and listed in {counts.errors}; {reason}")
    job.report("checking documents", 0, 0)
    kept: Iterable[Example] = read_corpus(part)
    if not recipe.corpus.keep_all:
        check = check_corpus(part, by_origin=True)
        check.require_usable()
        for sentence in check.sentences():
            job.say(f"Left out: {sentence}")
        kept = usable_examples(part, check)
    silent = 0  # nothing is learned from what has no episode

    def watched() -> Iterator[Example]:
        nonlocal silent
        for example in kept:
            silent += search and not example.indices
            yield example

    documents = write_examples(output, watched())
    if silent:
        job.say(f"{silent:,} of {documents:,} documents teach nothing: no sentence of theirs is like their summary.")
    part.unlink()
    return documents


def _divide(examples: Sequence[Example], validation: int, test: int, seed: int) -> tuple[list[Example], list[Example]]:
    """Divide the documents of every source between those to choose by and those to judge by.

    Where there are few, or none are asked for, all of them do both.
    """
    if not validation:
        return list(examples), list(examples)
    rng = np.random.default_rng(seed)
    by_source: dict[str, list[int]] = {}
    for number, example in enumerate(examples):
        by_source.setdefault(str(example.extra.get("source", "")), []).append(number)
    ours, others = math.ceil(validation / len(by_source)), math.ceil(test / len(by_source))
    chosen: tuple[set[int], set[int]] = (set(), set())
    for numbers in by_source.values():
        order = rng.permutation(numbers).tolist()
        half = min(ours, len(order) // 2)
        if half < 2:
            chosen[0].update(order)
            chosen[1].update(order)
        else:
            chosen[0].update(order[:half])
            chosen[1].update(order[half : half + others])
    first, second = ([example for number, example in enumerate(examples) if number in part] for part in chosen)
    return first, second


# --- what the network starts from ------------------------------------------------------------------------------------


def make_vectors(job: Job, folder: Path) -> None:
    """Learn word vectors, or copy those that are given."""
    settings = job.recipe.vectors
    if settings.path:
        open_vectors(Path(settings.path), settings.unknown).save(folder)
        return
    job.report("reading the corpus", 0, 0)
    examples = sample_corpus(job.train, settings.documents, _MIXED, job.recipe.seed)
    epochs = settings.epochs * max(1, min(_MOST_PASSES, round(settings.documents / len(examples))))
    what = "counting words"

    def sentences() -> Iterator[str]:
        for done, example in enumerate(examples):
            job.report(what, done, len(examples))
            yield from example.text
            yield from example.summary

    def say(now: str) -> None:
        nonlocal what
        what = now
        job.report(now, 0, 0)

    learned = learn_vectors(
        sentences,
        dimension=settings.dimension,
        max_words=settings.max_words,
        min_count=settings.min_count,
        epochs=epochs,
        workers=1,  # several write over each other, and would not give the same vectors again
        seed=job.recipe.seed,
        say=say,
        advance=lambda done, total: job.report(f"skip-gram, {epochs} passes", done, total),
    )
    learned.save(folder)


def _start(job: Job) -> tuple[Policy, TextEncoder, ModelConfig | None]:
    """Return the network and the encoder of the first training, and the config of the model that it goes on from."""
    recipe, seed = job.recipe, job.recipe.seed
    if recipe.init:
        policy, encoder, config = load_policy(resolve_model(recipe.init))
        if recipe.is_counted and policy.config.history != "counted":
            policy, encoder = with_counted_history(policy, encoder, seed)
        require_blocks(policy.config, recipe.network)
        return policy, encoder, config
    words = open_vectors(job.folder / "vectors")
    if (width := recipe.network.get("word_dimension", words.dimension)) != words.dimension:
        raise TrainingError(
            f"The word vectors have {words.dimension} dimensions, and network.word_dimension is {width}.",
            "Give vectors of that width, or change the setting.",
        )
    blocks = PolicyConfig.from_dict({**recipe.network, "word_dimension": words.dimension})
    text = TextSettings(
        recipe.text.max_tokens,
        collapse_repeats=not recipe.keep_repeats,
        max_sentences=recipe.text.max_sentences or None,
        signals=True if recipe.is_counted else None,
    )
    encoder = TextEncoder(words, text)
    return new_policy(blocks, encoder, seed), encoder, None


def make_signals(job: Job, folder: Path) -> None:
    """Learn salience and expected length."""
    learn_signals(_start(job)[1], job.train, folder, seed=job.recipe.seed, report=job.report)


# --- the network -----------------------------------------------------------------------------------------------------


def train_network(job: Job, folder: Path, *, config: TrainingConfig, before: str | None) -> None:
    """Train the network by one objective, in several processes, from the model of an earlier training or anew."""
    if job.world.size > 1:
        _train(job, folder, config, before, job.world)
    else:
        others = replace(job, report=_nothing, say=_nothing)
        run_distributed(
            job.processes or default_processes(job.device),
            job.device,
            partial(_train, job, folder, config, before),
            partial(_train, others, folder, config, before),
        )
    if job.world.is_main:
        with suppress(MissingExtraError):
            plot_metrics(folder)


def _nothing(*arguments: object) -> None:
    """Report nothing."""


def _train(job: Job, folder: Path, config: TrainingConfig, before: str | None, world: World) -> None:
    if before is None:
        policy, encoder, start = _start(job)
        init = job.recipe.init or None
        length = start.open_length(resolve_model(job.recipe.init), encoder) if start else None
        penalties = SelectionPenalties(brevity=start.penalties.brevity) if start else SelectionPenalties()
    else:
        model = job.folder / before / MODEL_FOLDER
        policy, encoder, start = load_policy(model)
        init, length, penalties = before, start.open_length(model, encoder), start.penalties
    if policy.config.history == "counted":
        if encoder.salience is None:
            open_signals(encoder, job.folder / "signals")
        # Its own stop is learned by self_play; before that, it stops by length.
        length, penalties = None if config.objective == "self_play" else encoder.length, SelectionPenalties()
    read, documents = count(1), job.documents
    trainer = build_trainer(
        policy,
        encoder,
        job.train,
        read_corpus(job.validation),
        config,
        folder,
        world,
        init=init,
        length=length,
        penalties=penalties,
        callbacks=Callbacks(reading=lambda what: job.report("encoding documents", next(read), documents)),
        encoded=job.folder / "encoded",
    )
    smooth = math.nan

    def update(progress: TrainingProgress, loss: float) -> None:
        nonlocal smooth
        smooth = 0.98 * smooth + 0.02 * loss if math.isfinite(smooth) else loss
        job.report(f"loss {smooth:.3f}, update", progress.update, trainer.learner.updates)

    def validation(result: Validation) -> None:
        kinds = ", ".join(f"{source} {100 * point.mean:.1f}" for source, point in result.by_source.items())
        job.say(f"update {trainer.learner.progress.update}: mean ROUGE {100 * result.score:.2f} ({kinds})")

    trainer.callbacks = Callbacks(update, validation)
    job.report("validating", 0, 0)
    trainer.run()


def average_runs(job: Job, folder: Path, *, stage: Stage) -> None:
    """Write the average of the weights of a training's runs: better than each of them."""
    models = [job.folder / name / MODEL_FOLDER for name, _ in stage.seeds()]
    policy, encoder, config = load_policy(models[0])
    weights = [safetensors.torch.load((model / POLICY_FILE).read_bytes()) for model in models]
    averaged = {name: sum(one[name] for one in weights) / len(weights) for name in weights[0]}
    policy.load_state_dict(averaged)
    seeds = [config.seed for _, config in stage.seeds()]
    save_policy(folder / MODEL_FOLDER, policy, replace(config, training={**config.training, "seed": seeds}), encoder)
    if length := config.open_length(models[0], encoder):
        length.save(folder / MODEL_FOLDER)


# --- the model -------------------------------------------------------------------------------------------------------


def tune_model(job: Job, folder: Path, *, before: str) -> None:
    """Export the network and choose where it stops, with the penalties of the recipe."""
    settings, trained = job.recipe.tuning, job.folder / before / MODEL_FOLDER
    _clear(folder)
    job.report(f"writing {settings.precision} graphs", 0, 0)
    export_model(trained, folder, settings.precision)
    replace(ModelConfig.load(folder), penalties=settings.penalties).save(folder)
    if job.recipe.stages[-1].config.threshold:  # as in the paper: p_thres and N_max are given
        return
    model, data, done = open_model(folder, "cpu"), load_data(job.validation), 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        job.report("playing validation documents", done, len(data) * len(set(settings.brevity)))

    found = tuning.tune(model, data, sorted(set(settings.maxima)), brevities=settings.brevity, advance=advance)
    tuning.keep(found, model.config, folder)
    job.say(tuning.verdict(found))


def add_targets(job: Job, folder: Path, *, before: str) -> None:
    """Learn what readers must know from documents with keys, beside what the network knows of the corpora."""
    corpus, settings = job.recipe.corpus, job.recipe.targets
    _copy(job.folder / before, folder)
    documents = Path(corpus.documents) if corpus.documents else Path(corpus.keys).parent / "documents"
    job.report("reading the corpus", 0, 0)
    examples = sample_corpus(job.train, settings.documents, settings.temperature, job.recipe.seed)
    read, encoder = count(1), Runtime.load(folder, threads=1).encoder
    sample = sample_corpus(job.train, *LENGTH_DOCUMENTS, job.recipe.seed)
    sizes = Counter(str(example.extra.get("source", "")) for example in sample)
    # Small kinds several times: meetings, say, are few, and like minutes with keys, whose summaries are longer.
    times = {kind: min(_MOST_TIMES, round((max(sizes.values()) / size) ** 0.6)) for kind, size in sizes.items()}
    measured = [one for one in sample for _ in range(times[str(one.extra.get("source", ""))])]
    lengths = measure_lengths(
        measured, encoder, lambda done: job.report("measuring summaries", next(read), len(measured))
    )
    keys = list(read_keys(Path(corpus.keys)))
    learn_targets(folder, keys, documents, examples, lengths, settings, report=job.report)


def judge_model(job: Job, folder: Path, *, before: str) -> None:
    """Score the model as users run it on documents that nothing was chosen by, and write its card."""
    _copy(job.folder / before, folder)
    examples = load_data(job.test).examples
    scores: list[tuple[NDArray[np.float64], int]] = []
    runtime = Runtime.load(folder, threads=1)
    for done, example in enumerate(examples):
        job.report("summarizing validation documents", done, len(examples))
        scores.append(judge(runtime, example))
    seen = {example.text for example in read_corpus(job.validation)}
    chosen_by = sum(example.text in seen for example in examples)
    card = make_card(job.recipe, ModelConfig.load(folder), job.documents, examples, scores, chosen_by)
    write_atomically(folder / CARD_FILE, card.encode())


def _clear(folder: Path) -> None:
    for file in folder.iterdir():
        if file.is_file():
            file.unlink()


def _copy(source: Path, folder: Path) -> None:
    """Copy the files of a model folder, in place of what a killed phase left."""
    _clear(folder)
    for file in source.iterdir():
        shutil.copyfile(file, folder / file.name)
