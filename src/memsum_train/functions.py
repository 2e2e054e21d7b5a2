"""`memsum.train` and `memsum.adapt`: what the commands of these names do, as functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memsum.errors import needs_extra
from memsum.model import resolve_model
from memsum.model.registry import DEFAULT

if TYPE_CHECKING:
    from memsum.training.corpus import Example
    from memsum.training.learning.adapt import Adaptation


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
    chapters: str | Path | None = None,
    seed: int | None = None,
    processes: int | None = None,
    device: str = "auto",
    restart: bool = False,
) -> Path:
    """Train a model from documents with summaries, and return its folder; the same call resumes it if interrupted.

    Args:
        corpus: Corpora to learn from: files, folders or patterns.
        validation: Corpora to validate on, likewise.
        output: Folder of the run; the model is in `output/model`, its card has the scores.
        recipe: Settings that come with memsum: default (the model that ships), or paper.
        config: File of settings, such as the train.toml of another run.
        settings: Settings to change, by their whole names, such as {"hits.documents": 9000}.
        vectors: Word vectors to use instead of learning them: a folder of `memsum corpus vectors`, or a text file.
        init: Model to start from.
        keys: Everyday documents with keys, to learn what readers want of them.
        documents: Folder of the files that keys name; by default `documents` beside them.
        chapters: Chapters with summaries, to learn the length of long ones.
        seed: Random seed of weights, order and samples.
        processes: Processes; by default one per core or GPU.
        device: auto, cpu, cuda or cuda:N.
        restart: Discard the training in the output folder and start again.
    """
    with needs_extra("train", "Training a model"):
        from memsum.training.recipe.run import run_recipe
        from memsum.training.recipe.settings import given_settings, read_recipe

    def text(path: str | Path | None) -> str | None:
        return None if path is None else str(path)

    given = given_settings(
        train=_paths(corpus),
        valid=_paths(validation),
        keys=text(keys),
        documents=text(documents),
        chapters=text(chapters),
        vectors=text(vectors),
        init=text(init),
        seed=seed,
    )
    chosen = read_recipe(recipe, None if config is None else Path(config), settings, given)
    return run_recipe(chosen, Path(output), device=device, processes=processes or 0, restart=restart)


def _paths(paths: str | Path | Sequence[str | Path]) -> list[str]:
    return [str(path) for path in ([paths] if isinstance(paths, (str, Path)) else paths)]


def adapt(
    data: str | Path | Iterable[Mapping[str, Any]],
    output: str | Path,
    *,
    model: str | Path = DEFAULT,
    validation: str | Path | Iterable[Mapping[str, Any]] | None = None,
    minutes: float = 2.0,
    seed: int = 0,
    processes: int | None = None,
    device: str = "auto",
    restart: bool = False,
) -> Adaptation:
    """Fine-tune a model on about a hundred documents with summaries, and compare it before and after.

    Args:
        data: Corpus file, or records such as {"text": [sentences], "summary": [sentences]}.
        output: Folder to write the adapted model to.
        model: Model to start from.
        validation: Documents to compare on; by default a fifth of the data is held out.
        minutes: Time for all of it, from reading to judging.
        seed: Random seed of the split and the training.
        processes: Processes; by default one per core or GPU.
        device: auto, cpu, cuda or cuda:N.
        restart: Discard an unfinished adaptation in the output folder.
    """
    with needs_extra("train", "Adapting a model"):
        from memsum.training.learning.adapt import adapt as adapt_model

    return adapt_model(
        _examples(data),
        resolve_model(model),
        Path(output),
        held_out=None if validation is None else _examples(validation),
        minutes=minutes,
        seed=seed,
        processes=processes or 0,
        device=device,
        restart=restart,
    )


def _examples(data: str | Path | Iterable[Mapping[str, Any]]) -> list[Example]:
    from memsum.training.corpus.records import Example, read_corpus

    if isinstance(data, (str, Path)):
        return list(read_corpus(data))
    return [Example.from_json(record) for record in data]
