"""`memsum.train` and `memsum.adapt`: what the commands of these names do, as functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memsum.errors import needs_extra
from memsum.model import resolve_model
from memsum.model.registry import DEFAULT

if TYPE_CHECKING:
    from memsum.training.corpus import Example
    from memsum.training.learning.adapt import Adaptation
    from memsum.training.learning.config import TrainingConfig


def train(
    corpus: str | Path,
    validation: str | Path,
    output: str | Path,
    *,
    vectors: str | Path | None = None,
    init: str | None = None,
    config: TrainingConfig | None = None,
    network: Mapping[str, Any] | None = None,
    device: str = "auto",
    restart: bool = False,
) -> Path:
    """Train a model and return its folder, `output/model`; an interrupted training is resumed by the same call.

    Args:
        corpus: Corpus with episodes (`memsum corpus episodes`).
        validation: Corpus to validate on.
        output: Folder of the run.
        vectors: Word vectors to start from: a folder of `memsum corpus vectors`, or a text file.
        init: Model to continue from, instead of vectors.
        config: Settings of the training (`memsum.training.learning.config.TrainingConfig`).
        network: Settings of the network by name, such as {"history": "counted"} (its objectives are hits, rehearsal).
        device: auto, cpu, cuda or cuda:N.
        restart: Discard the training in the output folder and start again.
    """
    with needs_extra("train", "Training a model"):
        from memsum.training.learning.distributed import join_world
        from memsum.training.learning.run import run_training
        from memsum.training.learning.trainer import MODEL_FOLDER

    with join_world(device) as world:
        run_training(
            Path(corpus),
            Path(validation),
            Path(output),
            config,
            vectors=None if vectors is None else Path(vectors),
            init=init,
            network=network,
            restart=restart,
            world=world,
        )
    return Path(output) / MODEL_FOLDER


def adapt(
    data: str | Path | Iterable[Mapping[str, Any]],
    output: str | Path,
    *,
    model: str | Path = DEFAULT,
    validation: str | Path | Iterable[Mapping[str, Any]] | None = None,
    minutes: float = 2.0,
    seed: int = 0,
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
        device: auto, cpu, cuda or cuda:N.
        restart: Discard an unfinished adaptation in the output folder.
    """
    with needs_extra("train", "Adapting a model"):
        from memsum.training.learning.adapt import adapt as adapt_model
        from memsum.training.learning.distributed import join_world

    examples = _examples(data)
    held_out = None if validation is None else _examples(validation)
    with join_world(device) as world:
        return adapt_model(
            examples,
            resolve_model(model),
            Path(output),
            world,
            held_out=held_out,
            minutes=minutes,
            seed=seed,
            restart=restart,
        )


def _examples(data: str | Path | Iterable[Mapping[str, Any]]) -> list[Example]:
    from memsum.training.corpus.records import Example, read_corpus

    if isinstance(data, (str, Path)):
        return list(read_corpus(data))
    return [Example.from_json(record) for record in data]
