"""`memsum.train` and `memsum.adapt`: what the commands of these names do, as functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memsum.errors import MemsumError, needs_extra
from memsum.model import ModelConfig, resolve_model
from memsum.model.registry import DEFAULT

if TYPE_CHECKING:
    from memsum_train.corpus import Example
    from memsum_train.learning.adapt import Adaptation
    from memsum_train.recipe.run import Listener


def train(
    corpus: str | Path | Sequence[str | Path],
    validation: str | Path | Sequence[str | Path],
    output: str | Path,
    *,
    recipe: str | None = None,
    config: str | Path | None = None,
    settings: Mapping[str, Any] | None = None,
    vectors: str | Path | None = None,
    init: str | Path | None = None,
    keys: str | Path | None = None,
    documents: str | Path | None = None,
    seed: int | None = None,
    processes: int | None = None,
    device: str = "auto",
    restart: bool = False,
    listener: Listener | None = None,
) -> Path:
    """Train a model from documents with summaries, and return its folder; the same call resumes it if interrupted.

    Args:
        corpus: Corpora to learn from: files, folders or patterns.
        validation: Corpora to validate on, likewise.
        output: Folder of the run; the model is in `output/model`, its card has the scores.
        recipe: Settings that come with memsum: default, paper-small, paper:pubmed and the paper's other data sets.
        config: File of settings, such as the train.toml of another run.
        settings: Settings to change, by their whole names, such as {"ngram_gain.documents": 9000}.
        vectors: Word vectors to use instead of learning them: a text file, or the phases/vectors of another run.
        init: Model to start from.
        keys: Documents with keys, to learn what readers must know of them.
        documents: Folder of the files that keys name; by default `documents` beside them.
        seed: Random seed of weights, order and samples.
        processes: Processes; by default one per core or GPU.
        device: auto, cpu, cuda or cuda:N.
        restart: Discard the training in the output folder and start again.
        listener: Functions to call about the progress.
    """
    with needs_extra("train", "Training a model"):
        from memsum_train.recipe.run import run_recipe
        from memsum_train.recipe.settings import read_recipe

    def texts(paths: str | Path | Sequence[str | Path]) -> list[str] | None:
        return [str(path) for path in ([paths] if isinstance(paths, (str, Path)) else paths)] or None

    paths = {
        "corpus.keys": keys,
        "corpus.documents": documents,
        "vectors.path": vectors,
        "init": init,
    }
    given = {
        **(settings or {}),
        "corpus.train": texts(corpus),
        "corpus.valid": texts(validation),
        **{name: str(path) for name, path in paths.items() if path is not None},
        "seed": seed,
    }
    chosen = read_recipe(recipe, None if config is None else Path(config), given)
    return run_recipe(chosen, Path(output), device=device, processes=processes or 0, restart=restart, listener=listener)


def adapt(
    data: str | Path | Iterable[Mapping[str, Any]] | None,
    output: str | Path,
    *,
    model: str | Path = DEFAULT,
    votes: str | Path | None = None,
    documents: str | Path | None = None,
    validation: str | Path | Iterable[Mapping[str, Any]] | None = None,
    minutes: float = 2.0,
    seed: int = 0,
    processes: int | None = None,
    device: str = "auto",
    restart: bool = False,
    report: Callable[[str, float], None] = lambda what, left: None,
    say: Callable[[str], None] = lambda what: None,
) -> Adaptation:
    """Fine-tune a model on about a hundred documents with summaries, and compare it before and after.

    Args:
        data: Corpus file, file of keys, or records such as {"text": [sentences], "summary": [sentences]};
            a string is split into sentences.
        output: Folder to write the adapted model to.
        model: Model to start from.
        votes: Blind study, or its records, whose preferred summaries are learned from too.
        documents: Folder of the files that keys name; by default `documents` beside them.
        validation: Documents to compare on; by default a fifth of the data is held out.
        minutes: Time for all of it, from reading to judging.
        seed: Random seed of the split and the training.
        processes: Processes; by default one per core or GPU.
        device: auto, cpu, cuda or cuda:N.
        restart: Discard an unfinished adaptation in the output folder.
        report: Called with what is being done, and the seconds that all of it still takes.
        say: Called with sentences on what is left out and what is begun.
    """
    with needs_extra("train", "Adapting a model"):
        from memsum_train.corpus.keys import holds_keys, read_keys
        from memsum_train.learning.adapt import adapt as adapt_model
        from memsum_train.learning.adapt import adapt_to_keys, key_examples, read_sources

    if data is None and votes is None:
        raise MemsumError("There is nothing to learn from.", "Give a corpus, keys, or --votes of a study.")

    def announce(count: int, judges: str) -> None:
        say(
            f"Adapting {model} to {count} documents, in at most about {minutes:g} min: {judges}. "
            "Ctrl-C stops it, and the same command goes on."
        )

    folder, examples = resolve_model(model), []
    if isinstance(data, (str, Path)) and holds_keys(Path(data)):
        sources = read_sources(list(read_keys(Path(data))), Path(documents or Path(data).parent / "documents"))
        if votes is None and validation is None and ModelConfig.load(folder).policy.get("columns"):
            announce(len(sources), "in turn, each third is judged by what the others teach")
            return adapt_to_keys(sources, folder, Path(output), minutes=minutes, seed=seed, report=report)
        examples = key_examples(sources)
    elif data is not None:
        examples = _examples(data, say)
    if votes is not None:
        from memsum_study.preferences import read_votes

        examples += read_votes(Path(votes))
    held_out = None if validation is None else _examples(validation, say)
    judges = "a fifth of them is held out to judge by" if held_out is None else f"{len(held_out)} others judge it"
    announce(len(examples), judges)
    return adapt_model(
        examples,
        folder,
        Path(output),
        held_out=held_out,
        minutes=minutes,
        seed=seed,
        processes=processes or 0,
        device=device,
        restart=restart,
        report=report,
    )


def _examples(data: str | Path | Iterable[Mapping[str, Any]], say: Callable[[str], None]) -> list[Example]:
    """Take records as they are; read a corpus without the documents that nothing can be learned from."""
    from memsum_train.corpus.check import leave_out_faulty
    from memsum_train.corpus.sources import example_from_record

    if not isinstance(data, (str, Path)):
        return [example_from_record(record) for record in data]
    return list(leave_out_faulty(data, say))
