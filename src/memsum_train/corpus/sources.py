"""Sources of a corpus: document files, papers and pairs as JSON objects, datasets of the Hugging Face Hub.

Each converts one document into an `Example`, or raises why it cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memsum.batch.inputs import Content, Input, Row
from memsum.document import read_document
from memsum.document.sentences import split_sentences
from memsum.errors import CorpusError, needs_extra, reason_of
from memsum.files import is_list_of
from memsum_train.corpus.records import Example

DOCUMENT_SUFFIXES = frozenset({".xml", ".nxml", ".txt", ".md"})


def tidy(text: str) -> str:
    """Put a sentence on one line: ROUGE-Lsum takes a line end for the end of a sentence."""
    return " ".join(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").split())


def sentences_of(paragraphs: Iterable[str]) -> list[str]:
    """Split paragraphs into sentences; none goes on past the end of its paragraph."""
    return [
        sentence
        for paragraph in paragraphs
        for start, end in split_sentences(paragraph)
        if (sentence := tidy(paragraph[start:end]))
    ]


def example_from_document(path: Path) -> Example:
    """Make an example of a document's running text and its abstract."""
    document = read_document(path)
    if not document.abstract:
        raise CorpusError("The document has no abstract, so there is no summary to learn from.")
    sentences = [
        (text, tidy(title or ""))
        for title, members in document.top_sections()
        for sentence in members
        if (text := tidy(sentence.text))
    ]
    record: dict[str, object] = {
        "id": path.stem,
        "text": [text for text, _ in sentences],
        "summary": [text for sentence in document.abstract if (text := tidy(sentence.text))],
        "sections": [section for _, section in sentences],
    }
    if document.title:
        record["title"] = document.title
    return Example.from_json(record)


def example_from_pair(
    record: Mapping[str, object],
    text_column: str,
    summary_column: str,
    paragraphs: Callable[[str], list[str]] = lambda text: [text],
) -> Example:
    """Make an example of two columns; the others are kept. `paragraphs` cuts a string where sentences must end."""
    text, summary = record[text_column], record[summary_column]
    rest = {key: value for key, value in record.items() if key not in (text_column, summary_column)}
    if isinstance(text, str):
        # Whatever pointed to sentences pointed to those of somebody else's splitting.
        rest = {key: value for key, value in rest.items() if key not in ("indices", "score")}
        text = sentences_of(paragraphs(text))
        if not text:
            raise CorpusError(f'"{text_column}" holds no sentence.')
    if isinstance(summary, str):
        summary = sentences_of(paragraphs(summary))
        if not summary:
            raise CorpusError(f'"{summary_column}" holds no sentence.')
    return Example.from_json({**rest, "text": text, "summary": summary})


def example_from_record(record: Mapping[str, object]) -> Example:
    """Make an example of a record of a corpus, whose text and summary may be one string each."""
    if {"text", "summary"} <= record.keys():
        return example_from_pair(record, "text", "summary")
    return Example.from_json(record)


def example_from_paper(record: Mapping[str, object]) -> Example:
    """Split a paper into sentences that know their sections and paragraphs; its other keys are kept."""
    raw_sections = record["sections"]
    if not isinstance(raw_sections, list):
        raise CorpusError('"sections" must be a list of objects with a title and paragraphs.')
    text: list[str] = []
    titles: list[str] = []
    headings: list[str] = []
    paragraphs: list[int] = []  # the number of each sentence's
    for section in raw_sections:
        if not isinstance(section, Mapping):
            raise CorpusError('"sections" must hold objects with a title and paragraphs.')
        title, heading = (tidy(str(section.get(key) or "")) for key in ("title", "heading"))
        for paragraph in _paragraphs(section, "paragraphs"):
            sentences = sentences_of([paragraph])
            text += sentences
            titles += [title or heading] * len(sentences)
            headings += [heading or title] * len(sentences)
            paragraphs += [paragraphs[-1] + 1 if paragraphs else 0] * len(sentences)
    rest = {key: value for key, value in record.items() if key not in ("abstract", "sections")}
    summary = sentences_of(_paragraphs(record, "abstract"))
    outline = {"sections": titles, "headings": headings, "paragraphs": paragraphs}
    return Example.from_json({**rest, "text": text, "summary": summary, **outline})


def _paragraphs(record: Mapping[str, object], key: str) -> list[str]:
    value = record.get(key)
    paragraphs = [value] if isinstance(value, str) else value
    if not is_list_of(paragraphs, str):
        raise CorpusError(f'"{key}" must be a list of paragraphs.')
    return paragraphs


@dataclass(frozen=True)
class HubDataset:
    """A part of a dataset, and its two columns to read."""

    name: str
    config: str | None = None
    split: str = "train"
    text_column: str = "text"
    summary_column: str = "summary"


# The paper's corpora as they are published there; "document" is the whole text in one string.
HUB_DATASETS = {
    name: HubDataset(name, "document", "train", *columns)
    for name, columns in {
        "ccdv/pubmed-summarization": ("article", "abstract"),
        "ccdv/arxiv-summarization": ("article", "abstract"),
        "ccdv/govreport-summarization": ("report", "summary"),
    }.items()
}


def is_dataset(folder: Path) -> bool:
    """Tell if a folder is a dataset as the Hub has them: files of rows, and no documents but what is said of it."""
    suffixes = {file.suffix for file in folder.rglob("*") if file.name != "README.md"} if folder.is_dir() else set()
    return bool(suffixes & {".parquet", ".jsonl"}) and not suffixes & DOCUMENT_SUFFIXES


@dataclass(frozen=True)
class HubRow(Row):
    """A row of a dataset, which names its columns."""

    dataset: HubDataset


@dataclass(frozen=True)
class HubInput(Input):
    """A dataset of the Hub."""

    dataset: HubDataset

    def contents(self) -> Iterator[Content]:
        return (HubRow(number, record, self.dataset) for number, record in enumerate(hub_rows(self.dataset), start=1))

    def fingerprint(self) -> str:
        return repr(self.dataset)

    def count(self) -> int | None:
        return None


def hub_rows(dataset: HubDataset) -> Iterator[dict[str, object]]:
    """Stream the rows of a dataset; nothing is kept on disk."""
    with needs_extra("hub", f"Reading {dataset.name} from the Hugging Face Hub"):
        from datasets import load_dataset
    with _explained(dataset):
        rows = load_dataset(dataset.name, dataset.config, split=dataset.split, streaming=True)
        columns = list(rows.features or {})
    for column in (dataset.text_column, dataset.summary_column):
        if columns and column not in columns:
            raise CorpusError(
                f"The dataset {dataset.name} has no column {column!r}; it has {', '.join(columns)}.",
                "Name them with --text-column and --summary-column.",
            )
    stream = iter(rows)
    while True:
        with _explained(dataset):
            row = next(stream, None)
        if row is None:
            return
        yield dict(row)


@contextmanager
def _explained(dataset: HubDataset) -> Iterator[None]:
    """Raise one error for the dozen unrelated ones of the library: no such dataset, split, config, network."""
    try:
        yield
    except Exception as error:
        raise CorpusError(
            f"The dataset {dataset.name} cannot be read: {reason_of(error)}.",
            "Check its name, --split, and the network.",
        ) from None
