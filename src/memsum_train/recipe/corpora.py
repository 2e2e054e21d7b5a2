"""The corpora of a run: files of several kinds, made into sentences with episodes, and what is left out of them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from memsum.batch.run import LocalEngine, Run
from memsum.errors import CorpusError
from memsum.files import write_atomically
from memsum.isolation import cores
from memsum_train.corpus.build import Conversion, build_corpus, find_sources
from memsum_train.corpus.check import leave_out_faulty
from memsum_train.corpus.convert import first_rejection
from memsum_train.corpus.records import Example, by_kind, read_corpus, write_examples
from memsum_train.learning.signals import counter

if TYPE_CHECKING:
    from memsum_train.recipe.run import Job

_KIND = re.compile(r"[-_.]?(?:train|training|valid|validation|val|dev|test)?(?:[-_.]\d+)?$")
_ENDINGS = re.compile(r"(\.jsonl|\.json)?(\.zst|\.gz|\.parquet)?$")
_TOO_MANY = 0.5  # share of records that cannot be used


def make_corpus(job: Job, folder: Path) -> None:
    """Write the corpora as sentences, with episodes where the network learns from them."""
    settings = job.recipe.corpus
    if not (folder / "documents").exists():
        documents = _convert(job, settings.train, job.train, search=True)
        write_atomically(folder / "documents", f"{documents}\n".encode())
    if not (job.validation.exists() and job.test.exists()):
        valid = folder / "valid.jsonl"
        _convert(job, settings.valid, valid, search=False)
        validation, test = _divide(list(read_corpus(valid)), settings.validation, settings.test, job.recipe.seed)
        write_examples(job.test, test)
        write_examples(job.validation, validation)
        valid.unlink()


def find_files(sources: Sequence[str]) -> list[str]:
    """Return the files of a corpus that is given by files, folders of JSONL files, and patterns."""
    found: list[str] = []
    for source in sources:
        path = Path(source)
        if path.is_dir():
            inside = sorted(str(file) for file in path.iterdir() if ".jsonl" in file.name and file.is_file())
            found += inside or [source]
        elif path.exists() or not any(mark in source for mark in "*?["):
            found.append(source)
        else:
            root = Path(path.anchor or ".")
            matches = sorted(map(str, root.glob(str(path.relative_to(path.anchor) if path.anchor else path))))
            if not matches:
                raise CorpusError(f"No file matches {source}.")
            found += matches
    return found


def group_files(sources: Sequence[str]) -> dict[str, list[str]]:
    """Return the files of each kind, which their names tell: papers-train-0.jsonl.zst has papers.

    Those of a single kind keep the sources of their records, and have no name.
    """
    kinds: dict[str, list[str]] = {}
    for file in find_files(sources):
        kinds.setdefault(_KIND.sub("", _ENDINGS.sub("", Path(file).name)), []).append(file)
    return kinds if len(kinds) > 1 else {"": [file for files in kinds.values() for file in files]}


def _convert(job: Job, sources: Sequence[str], output: Path, *, search: bool) -> int:
    """Convert the files of all kinds into one, without what nothing can be learned from; return how many there are."""
    recipe, say = job.recipe, job.listener.say
    kinds = group_files(sources)
    files = [file for some in kinds.values() for file in some]
    conversion = Conversion(
        reject_copies=recipe.corpus.reject_copies,
        min_sentences=recipe.corpus.min_sentences,
        keep_origins=True,
        sources={file: kind for kind, some in kinds.items() for file in some if kind},
        search=recipe.episodes if search else None,
    )
    what = "reading documents and finding episodes:" if search else "reading documents:"
    job.report(what)
    advance = counter(job.report, what, find_sources(files, conversion).count() or 0)
    part = output.with_name(f"{output.name.partition('.')[0]}.part.jsonl")
    if not part.exists():
        counts = build_corpus(files, str(part), conversion, Run(LocalEngine(job.processes or cores()), advance=advance))
        if counts.errors:
            share = f"{counts.failed:,} of {counts.failed + counts.kept:,} records"
            reason = first_rejection(counts.errors)
            if counts.failed > _TOO_MANY * (counts.failed + counts.kept):
                raise CorpusError(f"{share} cannot be used; {reason}", f"{counts.errors} lists all of them.")
            say(f"{share} are left out and listed in {counts.errors}; {reason}")
    job.report("checking documents")
    kept = read_corpus(part) if recipe.corpus.keep_all else leave_out_faulty(part, say, by_origin=True)
    silent = 0  # nothing is learned from what has no episode

    def watched() -> Iterator[Example]:
        nonlocal silent
        for example in kept:
            silent += search and not example.indices
            yield example

    documents = write_examples(output, watched())
    if silent:
        say(f"{silent:,} of {documents:,} documents teach nothing: no sentence of theirs is like their summary.")
    part.unlink()
    return documents


def _divide(examples: Sequence[Example], validation: int, test: int, seed: int) -> tuple[list[Example], list[Example]]:
    """Divide the documents of every kind between those to choose by and those to judge by.

    Where there are few, or none are asked for, all of them do both.
    """
    if not validation:
        return list(examples), list(examples)
    rng = np.random.default_rng(seed)
    kinds = by_kind(examples)
    ours, others = math.ceil(validation / len(kinds)), math.ceil(test / len(kinds))
    chosen: tuple[set[int], set[int]] = (set(), set())
    for numbers in kinds.values():
        order = rng.permutation(numbers).tolist()
        half = min(ours, len(order) // 2)
        chosen[0].update(order[:half] if half > 1 else order)
        chosen[1].update(order[half : half + others] if half > 1 else order)
    first, second = ([example for number, example in enumerate(examples) if number in part] for part in chosen)
    return first, second
