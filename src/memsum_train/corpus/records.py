"""Examples of a corpus and their files: a document, its summary, and its high-ROUGE episodes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from memsum.errors import CorpusError
from memsum.features.source_text import Outline, SourceText
from memsum.files import corpus_hint, is_list_of, json_line, listing, name_kind
from memsum.jsonl import open_output, read_lines

ORIGIN = "origin"  # the key of the record that an example was made of, where corpora are built with it
_KNOWN = ("id", "text", "summary", "indices", "score", "sections")


@dataclass(frozen=True)
class Example:
    """A document with its human summary, in the field's format; keys it does not know are kept in `extra`."""

    text: tuple[str, ...]
    summary: tuple[str, ...]
    id: str | int | None = None
    # None: episodes were never searched for; (): they were, and no sentence of the text gains anything.
    indices: tuple[tuple[int, ...], ...] | None = None
    scores: tuple[float, ...] | None = None
    # The title of the section of each sentence, where the source has sections.
    sections: tuple[str, ...] | None = None
    extra: Mapping[str, object] = field(default_factory=dict)

    @property
    def title(self) -> str | None:
        title = self.extra.get("title")
        return title if isinstance(title, str) else None

    @property
    def kind(self) -> str:
        return str(self.extra.get("source", ""))

    @property
    def source(self) -> SourceText:
        """The document as a model reads it; a corpus may name the heading and the paragraph of each sentence."""
        count, parts = len(self.text), {}
        for name, kind in (("headings", str), ("paragraphs", int)):
            value = self.extra.get(name)
            parts[name] = value if is_list_of(value, kind) and len(value) == count else None
        outline = Outline.of_headings(self.sections or [None] * count, **parts)
        return SourceText.of_sentences(self.text, self.sections, self.title, outline)

    @classmethod
    def from_json(cls, record: Mapping[str, object]) -> Example:
        """Read an object of the corpus format, or raise what is wrong with it."""
        text = _sentences(record, "text")
        summary = _sentences(record, "summary")
        indices, scores = _episodes(record, len(text))
        identity = record.get("id")
        if isinstance(identity, bool) or not isinstance(identity, str | int | None):
            raise CorpusError(f'"id" must be a string or a number, not {name_kind(identity)}.')
        sections = record.get("sections")
        extra = {key: value for key, value in record.items() if key not in _KNOWN}
        if not (is_list_of(sections, str) and len(sections) == len(text)):
            if "sections" in record:  # another corpus' idea of sections
                extra["sections"] = sections
            sections = None
        return cls(
            text=text,
            summary=summary,
            id=identity,
            indices=indices,
            scores=scores,
            sections=tuple(sections) if sections is not None else None,
            extra=extra,
        )

    def to_json(self) -> dict[str, object]:
        """Return the object of the corpus format: what is absent has no key."""
        record: dict[str, object] = {} if self.id is None else {"id": self.id}
        record |= {"text": list(self.text), "summary": list(self.summary)}
        if self.indices is not None and self.scores is not None:
            record |= {"indices": [list(episode) for episode in self.indices], "score": list(self.scores)}
        if self.sections is not None:
            record["sections"] = list(self.sections)
        return record | dict(self.extra)

    def to_line(self) -> str:
        return json_line(self.to_json())


@dataclass(frozen=True)
class BadLine:
    """A line that is no record, and why."""

    number: int
    reason: str
    raw: bytes
    hint: str | None = None  # where another form of corpus can be made into one

    def as_error(self, path: str | Path) -> CorpusError:
        """Return the error that names the line, and the command that fixes it."""
        hint = f"Fix the line, or leave out what cannot be used: {fix_command(path, 'check')}"
        if self.hint:
            hint = f"Make a corpus of it: {fix_command(path, 'build')}"
        return CorpusError(f"{path}, line {self.number}: {self.reason}", hint)


MakeExample = Callable[[Mapping[str, object]], Example]


def fix_command(path: str | Path, command: Literal["build", "check"]) -> str:
    """Return the command that makes a corpus of other records, or leaves out what cannot be used."""
    return f"memsum corpus {command} {path} --output {'corpus' if command == 'build' else 'clean'}.jsonl"


def read_numbered(path: str | Path, make: MakeExample = Example.from_json) -> Iterator[tuple[int, Example | BadLine]]:
    """Yield the records of a corpus with their lines; a line that is none comes as a `BadLine`."""
    for line in read_lines(path):
        try:
            yield line.number, make(line.parse())
        except CorpusError as error:
            yield line.number, BadLine(line.number, error.message, line.raw, error.hint)


def read_examples(path: str | Path) -> Iterator[Example | BadLine]:
    """Yield the records of a corpus; a line that is none comes as a `BadLine`."""
    return (example for _, example in read_numbered(path))


def read_corpus(path: str | Path) -> Iterator[Example]:
    """Yield the records of a corpus; the first bad line is an error, because nothing should be missing silently."""
    for example in read_examples(path):
        if isinstance(example, BadLine):
            raise example.as_error(path)
        yield example


def read_sentences(paths: Iterable[str | Path]) -> Iterator[str]:
    """Yield the sentences of texts and summaries of all good records."""
    for path in paths:
        for example in read_examples(path):
            if isinstance(example, Example):
                yield from example.text
                yield from example.summary


def by_kind(examples: Iterable[Example]) -> dict[str, list[int]]:
    """Return the numbers of the examples of each kind."""
    kinds: dict[str, list[int]] = {}
    for number, example in enumerate(examples):
        kinds.setdefault(example.kind, []).append(number)
    return kinds


def write_examples(path: str | Path, examples: Iterable[Example]) -> int:
    """Write a corpus file as a whole, or not at all; return the number of records."""
    count = 0
    with open_output(path) as stream:
        for example in examples:
            stream.write(example.to_line().encode() + b"\n")
            count += 1
    return count


def _sentences(record: Mapping[str, object], key: str) -> tuple[str, ...]:
    if key not in record:
        raise CorpusError(f'The record has no "{key}"; its keys are {listing(record)}.', corpus_hint(record))
    value = record[key]
    if isinstance(value, str):
        raise CorpusError(f'"{key}" is one string, not a list of sentences.', "`memsum corpus build` splits it.")
    if not isinstance(value, (list, tuple)):
        raise CorpusError(f'"{key}" must be a list of sentences, not {name_kind(value)}.')
    if wrong := [item for item in value if not isinstance(item, str)]:
        raise CorpusError(f'"{key}" must hold strings only, and has {name_kind(wrong[0])}.')
    if not any(sentence.strip() for sentence in value):
        raise CorpusError(f'"{key}" holds no sentence.')
    return tuple(value)


def _episodes(
    record: Mapping[str, object], count: int
) -> tuple[tuple[tuple[int, ...], ...] | None, tuple[float, ...] | None]:
    indices, scores = record.get("indices"), record.get("score")
    if indices is None and scores is None:
        return None, None
    if not isinstance(indices, list) or not isinstance(scores, list):
        raise CorpusError('Episodes need both "indices" and "score", each a list.')
    if len(indices) != len(scores):
        raise CorpusError(f'"indices" has {len(indices)} episodes and "score" has {len(scores)}.')
    for episode in indices:
        if not is_list_of(episode, int):
            raise CorpusError('"indices" must hold lists of integers.')
        for index in episode:
            if not 0 <= index < count:
                raise CorpusError(f'"indices" points to sentence {index} of a text of {count}.')
    if not is_list_of(scores, (int, float)) or not all(math.isfinite(score) for score in scores):
        raise CorpusError('"score" must hold finite numbers.')
    return tuple(tuple(episode) for episode in indices), tuple(float(score) for score in scores)
