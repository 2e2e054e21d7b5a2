"""What in a corpus nothing can be learned from: line by line, in words, and how to leave it out."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from memsum.errors import CorpusError
from memsum.languages.detection import detect_language
from memsum_train.corpus.records import (
    ORIGIN,
    BadLine,
    Example,
    fix_command,
    read_numbered,
)
from memsum_train.corpus.sources import example_from_record
from memsum_train.corpus.stats import words_of

_SHOWN = 5  # lines of each kind of fault
_SAMPLE = 40  # sentences that tell the language
_FEWEST = 2  # sentences of a summary that a copy can be told by
_COPIED = 0.8  # share of a summary that is copied from the beginning, or of a text that its summary is as long as
_TOO_MANY = 0.5  # share of the documents

ONE_SENTENCE = "the text has only one sentence, so there is nothing to choose"
COPY = "the summary is a copy of the text's beginning, or of all of it"
REPEATED = "the text is that of an earlier document"


@dataclass
class Check:
    """The faults of a corpus that is read once: the lines of each, and how a reader is told of them."""

    path: str
    documents: int = 0
    faults: dict[str, dict[int, str]] = field(default_factory=dict)
    by_origin: bool = False  # documents are named by where they are from, not by their lines here

    @property
    def faulty(self) -> set[int]:
        """Return the lines that have a fault."""
        return {line for lines in self.faults.values() for line in lines}

    def note(self, fault: str, line: int, name: str) -> None:
        self.faults.setdefault(fault, {})[line] = name

    def sentences(self) -> Iterator[str]:
        """Yield a sentence for each kind of fault, with the documents that have it."""
        for fault, lines in self.faults.items():
            names = list(lines.values())
            more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
            where = "; ".join(names[:_SHOWN])
            if not self.by_origin:
                where = f"{self.path}, line{'s' if len(names) > 1 else ''} {', '.join(names[:_SHOWN])}"
            yield f"{where}{more}: {fault}."

    def require_usable(self) -> None:
        """Refuse a corpus of which most documents have a fault."""
        faulty = len(self.faulty)
        if self.documents and faulty > _TOO_MANY * self.documents:
            worst = max(self.faults, key=lambda fault: len(self.faults[fault]))
            first = next(iter(self.faults[worst].values()))
            raise CorpusError(
                f"{faulty:,} of the {self.documents:,} documents of {self.path} cannot be learned from; "
                f"{first if self.by_origin else f'line {first}'}: {worst}.",
                f"List all, and leave them out: {fix_command(self.path, 'check')}",
            )


def check_corpus(
    path: str | Path,
    language: str | None = None,
    *,
    by_origin: bool = False,
) -> Check:
    """Find what nothing can be learned from; `language` is what documents must be in, by default that of most.

    A line that is no record is a fault, too; one of another form of corpus is an error that names the command to build
    one. `by_origin` names examples by the records that they were made of.
    """
    check = Check(str(path), by_origin=by_origin)
    first: dict[bytes, tuple[int, str]] = {}
    languages: dict[int, tuple[str, str]] = {}
    for number, example in read_numbered(path, example_from_record):
        check.documents += 1
        if isinstance(example, BadLine):
            if example.hint:
                raise example.as_error(path)
            check.note(example.reason.rstrip("."), number, str(number))
            continue
        name = str(example.extra[ORIGIN] if by_origin else number)
        if len(example.text) < 2:
            check.note(ONE_SENTENCE, number, name)
        elif is_copy(example):
            check.note(COPY, number, name)
        digest = hashlib.sha256("\n".join(example.text).encode("utf-8", "replace")).digest()
        known, known_as = first.setdefault(digest, (number, name))
        if known != number:
            check.note(REPEATED, number, f"{name} (as {known_as})")
        found = detect_language(" ".join(example.text[:_SAMPLE]))
        if found is not None:
            languages[number] = found, name
    counted = Counter(found for found, _ in languages.values()).most_common(1)
    usual = language or (counted[0][0] if counted else None)
    for number, (found, name) in languages.items():
        if found != usual:
            check.note(f"the text is in the language '{found}', not '{usual}'", number, name)
    return check


def is_copy(example: Example) -> bool:
    """Tell if the summary stands at the beginning of the text, or is nearly as long as all of it."""
    summary, text = example.summary, example.text
    if len(words_of(summary)) >= _COPIED * len(words_of(text)):
        return True
    beginning = {tuple(words_of([sentence])) for sentence in text[: len(summary) + 1]}
    copied = sum(tuple(words_of([sentence])) in beginning for sentence in summary)
    return len(summary) >= _FEWEST and copied >= _COPIED * len(summary)


def usable_examples(path: str | Path, check: Check) -> Iterator[Example]:
    """Yield the examples of a checked corpus that have no fault."""
    faulty = check.faulty
    for number, example in read_numbered(path, example_from_record):
        if number not in faulty and isinstance(example, Example):
            yield example


def leave_out_faulty(path: str | Path, say: Callable[[str], None], *, by_origin: bool = False) -> Iterator[Example]:
    """Say what nothing can be learned from, and return all other examples; most must be usable."""
    check = check_corpus(path, by_origin=by_origin)
    check.require_usable()
    for sentence in check.sentences():
        say(f"Left out: {sentence}")
    return usable_examples(path, check)
