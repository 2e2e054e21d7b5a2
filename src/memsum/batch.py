"""Many documents: JSON lines in, JSON lines out; a line that cannot be summarised becomes a line that says why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from memsum.corpus.files import Line
from memsum.corpus.records import listing
from memsum.errors import DocumentError, MemsumError
from memsum.summarizer import Summarizer, SummaryOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack


def summarize_lines(
    summarizer: Summarizer, lines: Iterable[Line], **options: Unpack[SummaryOptions]
) -> Iterator[dict[str, Any]]:
    """For each line the record of its summary, or `{"id", "error"}`, in order; a line without an id has its number."""
    for line in lines:
        identity: str | int = line.number
        try:
            record = line.parse()
            identity = _identity(record, line.number)
            summary = summarizer.summarize(_text(record), id=identity, **options)
        except MemsumError as error:
            yield {"id": identity, "error": error.message}
        else:
            yield summary.to_dict()


def _identity(record: Mapping[str, object], number: int) -> str | int:
    identity = record.get("id")
    if identity is None:
        return number
    if isinstance(identity, bool) or not isinstance(identity, (str, int)):
        raise DocumentError('The "id" is neither a string nor a whole number.')
    return identity


def _text(record: Mapping[str, object]) -> str | list[str]:
    text = record.get("text")
    if isinstance(text, str) or (isinstance(text, list) and all(isinstance(part, str) for part in text)):
        return text
    if text is None:
        raise DocumentError(f'The record has no "text"; its keys are {listing(record)}.')
    raise DocumentError('The "text" is neither a string nor a list of strings.')
