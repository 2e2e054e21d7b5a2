"""Several trainings at a time, each in a process of its own; whoever waits for them can be interrupted."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from memsum.errors import MemsumError, TrainingError
from memsum.experiments.recipes import Recipe, follow


@dataclass(frozen=True)
class _Training:
    recipe: Recipe
    process: BaseProcess
    answer: Connection


def follow_all(recipes: Sequence[tuple[Recipe, Path]], jobs: int, say: Callable[[str], None]) -> None:
    """Follow recipes in their folders, so many at a time; the first that fails ends the others, to go on later."""
    if jobs == 1 or len(recipes) == 1:
        for number, (recipe, folder) in enumerate(recipes, start=1):
            say(f"training {recipe.name} ({number} of {len(recipes)})")
            follow(recipe, folder, say)
        return
    waiting, running = list(recipes), list[_Training]()
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                recipe, folder = waiting.pop(0)
                say(f"training {recipe.name} ({len(recipes) - len(waiting)} of {len(recipes)})")
                running.append(_start(recipe, folder))
            ready = wait([training.answer for training in running])
            for training in [training for training in running if training.answer in ready]:
                _finish(training)
                running.remove(training)
    finally:
        for training in running:
            training.process.terminate()  # it writes a checkpoint first
        for training in running:
            training.process.join()


def _start(recipe: Recipe, folder: Path) -> _Training:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_follow, args=(recipe, folder, theirs), daemon=True)
    process.start()
    theirs.close()
    return _Training(recipe, process, ours)


def _follow(recipe: Recipe, folder: Path, answer: Connection) -> None:
    try:
        follow(recipe, folder)
    except MemsumError as error:
        answer.send((error.message, error.hint))
    else:
        answer.send(None)


def _finish(training: _Training) -> None:
    try:
        problem = training.answer.recv()
    except EOFError:
        training.process.join()
        raise TrainingError(
            f"The training of {training.recipe.name} ended with status {training.process.exitcode}.",
            "It may have run out of memory: run the same command again with --jobs 1.",
        ) from None
    training.process.join()
    if problem is not None:
        raise TrainingError(*problem)
