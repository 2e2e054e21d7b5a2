"""A recipe run in a folder, from corpora to a model: phase after phase, each once; the same call resumes it.

Each phase makes a folder of what earlier ones have made, and can be killed at any moment:

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

import json
import math
import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.torch
from numpy.typing import NDArray

from memsum._version import __version__
from memsum.batch.inputs import fingerprint
from memsum.errors import MissingExtraError, TrainingError
from memsum.features.encoding import TextEncoder, TextSettings
from memsum.files import write_atomically
from memsum.model import ModelConfig, SelectionPenalties, resolve_model
from memsum.model.runtime import Runtime
from memsum.text.vectors import EMBEDDINGS_FILE
from memsum_train.corpus.build import Conversion, find_sources
from memsum_train.corpus.keys import read_keys
from memsum_train.corpus.records import Example, by_kind, read_corpus
from memsum_train.corpus.text_vectors import open_vectors
from memsum_train.corpus.vectors import learn_vectors
from memsum_train.evaluation import tuning
from memsum_train.evaluation.data import load_data
from memsum_train.evaluation.playing import open_model
from memsum_train.learning.adapt import judge
from memsum_train.learning.config import TrainingConfig
from memsum_train.learning.data import sample_corpus
from memsum_train.learning.distributed import World, default_processes, join_world, run_distributed
from memsum_train.learning.learner import TrainingProgress
from memsum_train.learning.objectives import OBJECTIVES
from memsum_train.learning.signals import (
    LENGTH_DOCUMENTS,
    Report,
    counter,
    learn_signals,
    measure_lengths,
    open_signals,
)
from memsum_train.learning.targets import learn_targets
from memsum_train.learning.trainer import MODEL_FOLDER, Callbacks, build_trainer, plot_metrics
from memsum_train.learning.validation import Validation
from memsum_train.policy import Policy, PolicyConfig
from memsum_train.policy.export import export_model
from memsum_train.policy.folder import POLICY_FILE, load_policy, new_policy, save_policy
from memsum_train.recipe.corpora import find_files, group_files, make_corpus
from memsum_train.recipe.settings import SETTINGS_FILE, Recipe, Stage
from memsum_train.report.statistics import estimate_mean
from memsum_train.report.table import Number, Row, Table, as_markdown
from memsum_train.rouge import rouge_signature
from memsum_train.run_folder import hold_folder

PHASES_FOLDER = "phases"
_RUN_FILE = "run.json"
CARD_FILE = "README.md"
_MIXED = 0.75  # temperature that mixes kinds in samples
_MOST_PASSES = 4  # of learning vectors, times the usual ones, where there are few documents
_MOST_TIMES = 4  # that a document tells how long summaries are


def _nothing(*arguments: object) -> None:
    """Report nothing, also in other processes: a lambda cannot be given to them."""


@dataclass(frozen=True)
class Listener:
    """Functions that a run calls to report its progress."""

    phase: Callable[[int, int, str], None] = _nothing
    report: Report = _nothing
    say: Callable[[str], None] = _nothing


@dataclass(frozen=True)
class Job:
    """One run of a recipe in a folder, and whom it reports to."""

    recipe: Recipe
    folder: Path
    world: World  # the processes that torchrun has started, or this one alone
    device: str
    processes: int  # 0: one per core or GPU
    listener: Listener

    @property
    def train(self) -> Path:
        return self.folder / "corpus" / "train.jsonl.zst"

    @property
    def validation(self) -> Path:
        """Return the file of the documents that choose weights and threshold."""
        return self.folder / "corpus" / "validation.jsonl"

    @property
    def test(self) -> Path:
        """Return the file of the documents that judge the finished model."""
        return self.folder / "corpus" / "test.jsonl"

    @property
    def documents(self) -> int:
        """Return the number of documents to learn from."""
        return int((self.folder / "corpus" / "documents").read_text())

    def report(self, what: str, done: int = 0, total: int = 0) -> None:
        self.listener.report(what, done, total)


@dataclass(frozen=True)
class Phase:
    """A part of a training that writes a folder of its name."""

    name: str
    about: str
    work: Callable[[Job, Path], None]
    shared: bool = False  # all processes of torchrun take part


def run_recipe(
    recipe: Recipe,
    output: Path,
    *,
    device: str = "auto",
    processes: int = 0,
    restart: bool = False,
    listener: Listener | None = None,
) -> Path:
    """Train a model from corpora and return its folder; phases that are done are not done again."""
    _check(recipe)
    with join_world(device) as world:  # of torchrun, if it has started this process
        is_main = world.is_main
        listener = (listener if is_main else None) or Listener()
        with hold_folder(output) if is_main else nullcontext():
            if is_main:
                _claim(recipe, output, restart)
            world.barrier()
            job = Job(recipe, output / PHASES_FOLDER, world, device, processes, listener)
            phases = list_phases(recipe)
            for number, phase in enumerate(phases, start=1):
                listener.phase(number, len(phases), phase.about)
                folder, done = job.folder / phase.name, job.folder / f"{phase.name}.done.json"
                if not done.exists() and (is_main or phase.shared):  # the first process does alone what is not shared
                    began = time.monotonic()
                    folder.mkdir(parents=True, exist_ok=True)
                    phase.work(job, folder)
                    if is_main:
                        write_atomically(done, f'{{"seconds": {time.monotonic() - began:.1f}}}\n'.encode())
                world.barrier()
            if is_main:  # to where it is used from, at once
                model, fresh = output / MODEL_FOLDER, output / f".{MODEL_FOLDER}.tmp"
                shutil.rmtree(fresh, ignore_errors=True)
                shutil.copytree(job.folder / phases[-1].name, fresh)
                shutil.rmtree(model, ignore_errors=True)
                fresh.replace(model)
            world.barrier()
    return output / MODEL_FOLDER


def list_phases(recipe: Recipe) -> list[Phase]:
    """Return the phases of a recipe, in their order."""
    phases = [Phase("corpus", "reading corpora and finding episodes", make_corpus)]
    if not recipe.init:
        about = "copying" if recipe.vectors.path else "learning"
        phases.append(Phase("vectors", f"{about} word vectors", make_vectors))
        if recipe.is_counted:
            phases.append(Phase("signals", "learning which words matter and how long summaries are", make_signals))
    before = ""
    for stage in recipe.stages:
        for name, config in stage.seeds():
            work = partial(train_network, config=config, before=before)
            phases.append(Phase(name, f"training the network ({config.objective})", work, shared=True))
        if stage.runs > 1:
            phases.append(Phase(stage.name, "averaging the weights", partial(average_runs, stage=stage)))
        before = stage.name
    phases.append(Phase("tuning", "exporting and choosing the threshold", partial(tune_model, before=before)))
    if recipe.corpus.keys:
        phases.append(Phase("targets", "learning what readers must know", partial(add_targets, before="tuning")))
    phases.append(Phase("card", "judging the model", partial(judge_model, before=phases[-1].name)))
    return phases


def _check(recipe: Recipe) -> None:
    """Refuse what would fail only after hours."""
    if not recipe.corpus.train or not recipe.corpus.valid:
        raise TrainingError(
            "There is nothing to train on, or nothing to validate on.", "memsum train TRAIN VALID --output run"
        )
    network = PolicyConfig.from_dict(recipe.network)
    if recipe.init:
        if recipe.vectors.path:
            raise TrainingError("A model to start from has its own word vectors.", "Give either --init or --vectors.")
        network = PolicyConfig.from_dict(ModelConfig.load(resolve_model(recipe.init)).policy)
        for name, value in recipe.network.items():
            if getattr(network, name) != value:
                raise TrainingError(
                    f"The model to continue from has the {name} {getattr(network, name)}, not {value}.",
                    "Its network stays as it is: leave that setting out, or train from scratch with --vectors.",
                )
    for stage in recipe.stages:
        OBJECTIVES[stage.config.objective].check(stage.config, network)
    if recipe.corpus.keys and network.history != "counted":
        raise TrainingError("Keys are learned from by a model with a count-based history.", "Use the recipe default.")


def _claim(recipe: Recipe, output: Path, restart: bool) -> None:
    """Write what the run is made of; a folder of another run is refused, or emptied."""
    if restart and int(os.environ.get("TORCHELASTIC_MAX_RESTARTS", "0")):
        raise TrainingError(
            "--restart would discard the training each time torchrun restarts it.",
            "Leave out --restart or torchrun's --max-restarts.",
        )
    mine: dict[str, Any] = {"memsum": __version__}
    for name, value in recipe.to_dict().items():  # by whole names, such as ngram_gain.epochs
        mine |= {f"{name}.{key}": one for key, one in value.items()} if isinstance(value, dict) else {name: value}
    content = json.dumps({**mine, "inputs": _inputs(recipe)}, indent=2)
    path = output / _RUN_FILE
    if restart:
        path.unlink(missing_ok=True)
        for name in (PHASES_FOLDER, MODEL_FOLDER):
            if (output / name).is_symlink():
                raise TrainingError(f"{output / name} is a link; remove it by hand.")
            shutil.rmtree(output / name, ignore_errors=True)
    if path.exists():
        before, after = json.loads(path.read_text()), json.loads(content)
        differing = sorted(key for key in before.keys() | after.keys() if before.get(key) != after.get(key))
        if differing:
            raise TrainingError(
                f"{output} holds a training with other settings ({', '.join(differing)}).",
                "Resume with the same settings, choose another folder, or start again with --restart.",
            )
    elif (output / PHASES_FOLDER).exists() or (output / MODEL_FOLDER).exists():
        raise TrainingError(f"{output} holds something else.", "Choose another folder, or add --restart to replace it.")
    (output / PHASES_FOLDER).mkdir(parents=True, exist_ok=True)
    write_atomically(output / SETTINGS_FILE, recipe.to_toml().encode())
    write_atomically(path, f"{content}\n".encode())


def _inputs(recipe: Recipe) -> dict[str, Any]:
    """Return what changes when an input does."""
    corpus = recipe.corpus
    inputs: dict[str, Any] = {
        name: [one.fingerprint() for one in find_sources(find_files(sources), Conversion()).inputs]
        for name, sources in (("train", corpus.train), ("valid", corpus.valid))
    }
    if corpus.keys:
        inputs["keys"] = fingerprint(corpus.keys)
    if recipe.vectors.path:
        vectors = Path(recipe.vectors.path)
        inputs["vectors"] = fingerprint(str(vectors / EMBEDDINGS_FILE if vectors.is_dir() else vectors))
    if recipe.init:
        inputs["init"] = fingerprint(str(resolve_model(recipe.init) / POLICY_FILE)).rpartition(" ")[2]
    return inputs


# --- what the network starts from ------------------------------------------------------------------------------------


def make_vectors(job: Job, folder: Path) -> None:
    """Learn word vectors, or copy those that are given."""
    settings = job.recipe.vectors
    if settings.path:
        open_vectors(Path(settings.path), settings.unknown).save(folder)
        return
    job.report("reading the corpus")
    examples = sample_corpus(job.train, settings.documents, _MIXED, job.recipe.seed)
    epochs = settings.epochs * max(1, min(_MOST_PASSES, round(settings.documents / len(examples))))

    def sentences() -> Iterator[str]:
        advance = counter(job.report, "reading words", len(examples))
        for example in examples:
            advance(1)
            yield from example.text
            yield from example.summary

    learned = learn_vectors(
        sentences,
        dimension=settings.dimension,
        max_words=settings.max_words,
        min_count=settings.min_count,
        epochs=epochs,
        seed=job.recipe.seed,
        say=job.report,
        advance=lambda done, total: job.report(f"skip-gram, {epochs} passes", done, total),
    )
    learned.save(folder)


def make_signals(job: Job, folder: Path) -> None:
    """Learn salience and expected length."""
    learn_signals(_new_encoder(job), job.train, folder, seed=job.recipe.seed, report=job.report)


def _new_encoder(job: Job) -> TextEncoder:
    recipe = job.recipe
    settings = TextSettings(
        recipe.text.max_tokens,
        collapse_repeats=not recipe.keep_repeats,
        max_sentences=recipe.text.max_sentences or None,
        signals=True if recipe.is_counted else None,
    )
    return TextEncoder(open_vectors(job.folder / "vectors"), settings)


def _start(job: Job, before: str) -> tuple[Policy, TextEncoder]:
    """Return what a training goes on from: the model of an earlier one, one that was given, or a new network."""
    recipe = job.recipe
    if before or recipe.init:
        return load_policy(job.folder / before / MODEL_FOLDER if before else resolve_model(recipe.init))[:2]
    encoder = _new_encoder(job)
    if recipe.is_counted:
        open_signals(encoder, job.folder / "signals")
    blocks = PolicyConfig.from_dict({"word_dimension": encoder.vectors.dimension, **recipe.network})
    return new_policy(blocks, encoder, recipe.seed), encoder


# --- the network -----------------------------------------------------------------------------------------------------


def train_network(job: Job, folder: Path, *, config: TrainingConfig, before: str) -> None:
    """Train the network by one objective, in several processes, from the model of an earlier training or anew."""
    if job.world.size > 1:
        _train(job, folder, config, before, job.world)
    else:
        others = replace(job, listener=Listener())
        run_distributed(
            job.processes or default_processes(job.device),
            job.device,
            partial(_train, job, folder, config, before),
            partial(_train, others, folder, config, before),
        )
    if job.world.is_main:
        with suppress(MissingExtraError):
            plot_metrics(folder)


def _train(job: Job, folder: Path, config: TrainingConfig, before: str, world: World) -> None:
    policy, encoder = _start(job, before)
    trainer = build_trainer(
        policy,
        encoder,
        job.train,
        read_corpus(job.validation),
        config,
        folder,
        world,
        init=before or job.recipe.init or None,
        callbacks=Callbacks(reading=counter(job.report, "encoding documents", job.documents)),
        encoded=job.folder / "encoded",
    )
    smooth = math.nan

    def update(progress: TrainingProgress, loss: float) -> None:
        nonlocal smooth
        smooth = 0.98 * smooth + 0.02 * loss if math.isfinite(smooth) else loss
        job.report(f"loss {smooth:.3f}, update", progress.update, trainer.learner.updates)

    def validation(result: Validation) -> None:
        kinds = ", ".join(f"{source} {100 * point.mean:.1f}" for source, point in result.by_source.items())
        job.listener.say(f"update {trainer.learner.progress.update}: mean ROUGE {100 * result.score:.2f} ({kinds})")

    trainer.callbacks = Callbacks(update, validation)
    job.report("validating")
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


# --- the model -------------------------------------------------------------------------------------------------------


def tune_model(job: Job, folder: Path, *, before: str) -> None:
    """Export the network and choose where it stops, with the penalties of the recipe."""
    settings, trained = job.recipe.tuning, job.folder / before / MODEL_FOLDER
    shutil.rmtree(folder)  # what a killed phase left
    job.report(f"writing {settings.precision} graphs")
    export_model(trained, folder, settings.precision)
    penalties = SelectionPenalties(settings.needs_context, settings.low_value)
    replace(ModelConfig.load(folder), penalties=penalties).save(folder)
    if job.recipe.stages[-1].config.threshold:  # as in the paper: p_thres and N_max are given
        return
    model, data = open_model(folder, "cpu"), load_data(job.validation)
    advance = counter(job.report, "playing validation documents", len(data))
    found = tuning.tune(model, data, sorted(set(settings.maxima)), advance=advance)
    tuning.keep(found, model.config, folder)
    job.listener.say(tuning.verdict(found))


def add_targets(job: Job, folder: Path, *, before: str) -> None:
    """Learn what readers must know from documents with keys, beside what the network knows of the corpora."""
    corpus, settings, seed = job.recipe.corpus, job.recipe.targets, job.recipe.seed
    shutil.rmtree(folder)
    shutil.copytree(job.folder / before, folder)
    documents = Path(corpus.documents) if corpus.documents else Path(corpus.keys).parent / "documents"
    job.report("reading the corpus")
    examples = sample_corpus(job.train, settings.documents, settings.temperature, seed)
    sample = sample_corpus(job.train, *LENGTH_DOCUMENTS, seed)
    sizes = Counter(one.kind for one in sample)
    # Small kinds several times: meetings, say, are few, and like minutes with keys, whose summaries are longer.
    times = {kind: min(_MOST_TIMES, round((max(sizes.values()) / size) ** 0.6)) for kind, size in sizes.items()}
    measured = [one for one in sample for _ in range(times[one.kind])]
    encoder = Runtime.load(folder, threads=1).encoder
    lengths = measure_lengths(measured, encoder, counter(job.report, "measuring summaries", len(measured)))
    keys = list(read_keys(Path(corpus.keys)))
    learn_targets(folder, keys, documents, examples, lengths, settings, report=job.report)


def judge_model(job: Job, folder: Path, *, before: str) -> None:
    """Score the model as users run it on documents that nothing was chosen by, and write its card."""
    shutil.rmtree(folder)
    shutil.copytree(job.folder / before, folder)
    examples = load_data(job.test).examples
    advance, runtime = (
        counter(job.report, "summarizing validation documents", len(examples)),
        Runtime.load(folder, threads=1),
    )
    scores = []
    for example in examples:
        advance(1)
        scores.append(judge(runtime, example))
    seen = {example.text for example in read_corpus(job.validation)}
    chosen_by = sum(example.text in seen for example in examples)
    card = make_card(job.recipe, job.documents, examples, scores, chosen_by)
    write_atomically(folder / CARD_FILE, card.encode())


def make_card(
    recipe: Recipe,
    documents: int,
    examples: Sequence[Example],
    scores: Sequence[tuple[NDArray[np.float64], int]],
    chosen_by: int,
) -> str:
    """Write a model's card; `chosen_by` of the judged documents also chose weights and threshold."""
    files = group_files(recipe.corpus.train)
    names = ", ".join(sorted(files)) if len(files) > 1 else ", ".join(Path(file).name for file in files[""])
    start = f"It starts from the model {Path(recipe.init).name}." if recipe.init else "It was trained from scratch."
    lines = [
        "# A model trained by memsum",
        "",
        f"Trained by `memsum train` (memsum {__version__}) on {documents:,} documents: {names}. {start}",
        f"All settings are in `{SETTINGS_FILE}`, beside this folder; `memsum train --config {SETTINGS_FILE}` trains "
        "another one alike.",
        "",
        "## Scores",
        "",
        as_markdown(_scores(examples, scores)),
        f"{rouge_signature('rouge1/2/Lsum')}; 95 % bootstrap intervals over documents, which were not trained on.",
    ]
    if chosen_by:
        lines.append(f"{chosen_by} of them also chose the weights and the threshold: their scores are too high.")
    return "\n".join([*lines, ""])


def _scores(examples: Sequence[Example], scores: Sequence[tuple[NDArray[np.float64], int]]) -> Table:
    rows: list[Row] = []
    for kind, numbers in sorted(by_kind(examples).items()):
        columns = np.array([scores[number][0] for number in numbers]).T
        found = (Number.estimate(estimate_mean(column), 100) for column in columns)
        sentences = float(np.mean([scores[number][1] for number in numbers]))
        rows.append((f"{len(numbers)} {kind or 'all'}", *found, Number(sentences, digits=1)))
    return Table("scores", "", ("documents", "R-1", "R-2", "R-Lsum", "sentences"), tuple(rows))
