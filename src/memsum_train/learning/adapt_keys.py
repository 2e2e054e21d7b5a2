"""Adapting a model to what its user would quote: from documents with keys, as `memsum_train.corpus.keys` reads them.

The documents judge as well: in turn, a third of them is summarized by a model that has learned from the others. What is
written has learned from all. It takes seconds, so an interrupted adaptation begins anew.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from memsum.document import read_document
from memsum.errors import TrainingError
from memsum.features.source_text import SourceText
from memsum.files import hold_folder
from memsum.model import ModelConfig, write_manifest
from memsum.model.runtime import Runtime
from memsum_train.corpus.keys import Key
from memsum_train.corpus.records import Example
from memsum_train.learning.adapt import FEWEST, MINUTES, Adaptation, Clock, Report, Scores
from memsum_train.learning.config import TargetSettings
from memsum_train.learning.signals import Lengths, correct_length
from memsum_train.learning.targets import Lesson, extractor_of, fit_policy, key_words, play, read_key
from memsum_train.policy.counted.extractor import CountedExtractor
from memsum_train.policy.export import export_model, export_policy
from memsum_train.policy.folder import load_policy, save_policy, save_weights

MEASURES = ("points",)
_FOLDS = 3
_READING = 0.5  # share of the budget in which documents are read
_GENTLY = TargetSettings(passes=10, batch=4, corpora=0, rate=1e-3, network_rate=1.5e-4, decay=0.0, foreign_keys=0.0)


def read_sources(keys: Sequence[Key], folder: Path) -> list[tuple[Key, SourceText]]:
    """Read the documents of keys; one that cannot be found or has none of its key's sentences is an error."""
    sources = []
    for key in keys:
        source = SourceText.of_documents([read_document(folder / key.file)])
        if not key.conveyed(source.sentences).any():
            raise TrainingError(
                f"{folder / key.file} has none of the sentences of its key {key.name}.",
                "A point lists sentences of its document under any_of, word by word.",
            )
        sources.append((key, source))
    return sources


def key_examples(sources: Sequence[tuple[Key, SourceText]]) -> list[Example]:
    """Return documents with the sentences of their keys as summaries, one for each point."""
    examples = []
    for key, source in sources:
        conveyed = key.conveyed(source.sentences)
        rows = sorted({int(column.argmax()) for column in conveyed.T if column.any()})
        summary = tuple(source.sentences[row] for row in rows)
        examples.append(Example(tuple(source.sentences), summary, id=key.name, extra={"source": key.kind}))
    return examples


def reads_columns(model: Path) -> bool:
    """Return whether a model has learned what readers must know of documents with keys, and can learn more of it."""
    return ModelConfig.load(model).policy.get("columns") is True


def adapt_to_keys(
    sources: Sequence[tuple[Key, SourceText]],
    model: Path,
    output: Path,
    *,
    minutes: float = MINUTES,
    seed: int = 0,
    report: Report = lambda what, left: None,
) -> Adaptation:
    """Adapt what a reader must know; if held-out documents get no better quotes, the model stays as it was."""
    if len(sources) < FEWEST:
        raise TrainingError(f"Adapting needs at least {FEWEST} documents with keys; there are {len(sources)}.")
    clock = Clock(60 * minutes)
    with hold_folder(output):
        runtime = Runtime.load(model, threads=1)
        lessons: list[Lesson] = []
        for number, (key, source) in enumerate(sources, start=1):
            report(f"reading document {number} of {len(sources)}", clock.left)
            lessons.append(read_key(runtime, key, source))
            if clock.spent > _READING * clock.budget and len(lessons) >= FEWEST:
                break
        policy, encoder, config = load_policy(model)
        own = extractor_of(policy)
        settings = replace(_GENTLY, seed=seed)
        before = np.array([[_points(own, lesson)] for lesson in lessons])
        after = np.zeros((len(lessons), 1))
        fold = np.random.default_rng(seed).permutation(len(lessons)) % _FOLDS
        for number in range(_FOLDS):
            report(f"learning from two thirds, judging the others: part {number + 1} of {_FOLDS}", clock.left)
            learned = [lesson for lesson, own_fold in zip(lessons, fold, strict=True) if own_fold != number]
            extractor = copy.deepcopy(own)
            fit_policy(extractor, learned, [], settings)
            for row in np.flatnonzero(fold == number).tolist():
                after[row] = _points(extractor, lessons[row])
        quotes = float(np.mean([_size(lesson) for lesson in lessons]))
        result = Adaptation(MEASURES, Scores(before, quotes), Scores(after, quotes), len(lessons))
        if not output.samefile(model):
            export_model(model, output, "int8")
        if result.kept:
            report("learning from all documents", clock.left)
            fit_policy(own, lessons, [], settings)
            if encoder.length:
                words = np.log([key_words(lesson) for lesson in lessons], dtype=np.float32)
                described = np.array([lesson.view.description for lesson in lessons])
                encoder.length = correct_length(encoder.length, Lengths(described, words))
            training = {**config.training, "adapted": {"from": model.name, "keys": len(lessons)}}
            save_policy(output, policy, replace(config, training=training), encoder)
            save_weights(output, policy, torch.float16)
            export_policy(policy, output, "int8")
            write_manifest(output)
        return result


def _size(lesson: Lesson) -> int:
    assert lesson.points is not None  # noqa: S101
    return int(lesson.points.shape[1])


def _points(extractor: CountedExtractor, lesson: Lesson) -> float:
    """Return the share of a key's points that as many quotes convey."""
    assert lesson.points is not None  # noqa: S101
    return float(lesson.points[play(extractor, lesson.view, _size(lesson))].any(axis=0).mean())
