"""Records: one judgment of one pair of summaries, in the JSONL format that the paper's authors published.

A line has `unique_id`, `indice`, `text`, `summary`, `random_orders` (the two systems in shown order),
`random_extracted_results` (for each: sentences and positions) and `ranking_results` (for each criterion the ranks of
the first and of the second). Ours may add `annotator`, `seconds`, `comment` and `automatic`. Also written as
a flat table (CSV) and as tasks of Label Studio (JSON).
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from memsum.errors import CorpusError, MemsumError
from memsum.files import is_list_of, json_line, listing
from memsum.jsonl import located, read_lines

CRITERIA = ("overall", "coverage", "non-redundancy")
UNNAMED = "unnamed"
WIN, LOSS, TIE = (1, 2), (2, 1), (1, 1)

_WORD = re.compile(r"\w+")  # what the authors count as a word
_REQUIRED = ("text", "summary", "random_orders", "random_extracted_results", "ranking_results")

Ranks = tuple[int, int]
Format = Literal["jsonl", "csv", "label-studio"]
_LETTERS: dict[Ranks, str] = {WIN: "A", LOSS: "B", TIE: "tie"}


class StudyError(MemsumError):
    """A study that cannot be made, opened or written."""


@dataclass(frozen=True)
class Extract:
    """The sentences that one system took from a document."""

    sentences: tuple[str, ...]
    positions: tuple[int, ...]

    @property
    def words(self) -> int:
        return sum(len(_WORD.findall(sentence)) for sentence in self.sentences)

    def is_quoted(self, text: Sequence[str]) -> bool:
        """Tell whether every sentence is in the document at its position."""
        return len(self.sentences) == len(self.positions) and all(
            0 <= position < len(text) and text[position] == sentence
            for position, sentence in zip(self.positions, self.sentences, strict=True)
        )


@dataclass(frozen=True)
class Record:
    """One judgment: systems, extracts and ranks are in the order in which they were shown."""

    id: str
    index: int
    text: tuple[str, ...]
    summary: tuple[str, ...]
    systems: tuple[str, str]
    extracts: tuple[Extract, Extract]
    ranks: Mapping[str, Ranks]
    annotator: str = UNNAMED
    automatic: bool = False
    seconds: float | None = None
    comment: str = ""

    def to_json(self) -> dict[str, object]:
        """Return the object of the format; what we add has keys of its own."""
        record: dict[str, object] = {
            "unique_id": self.id,
            "indice": self.index,
            "text": list(self.text),
            "summary": list(self.summary),
            "random_orders": list(self.systems),
            "random_extracted_results": [[list(one.sentences), list(one.positions)] for one in self.extracts],
            "ranking_results": {criterion: list(self.ranks[criterion]) for criterion in CRITERIA},
            "annotator": self.annotator,
            "automatic": self.automatic,
        }
        if self.seconds is not None:
            record["seconds"] = self.seconds
        return record | ({"comment": self.comment} if self.comment else {})


def read_records(path: str | Path) -> list[Record]:
    """Read a file of records; the first that is none is an error that names its line."""
    records = []
    for line in read_lines(path):
        with located(path, line.number):
            records.append(parse_record(line.parse(), line.number))
    if not records:
        raise CorpusError(f"There is no record in {path}.")
    return records


def parse_record(record: Mapping[str, object], number: int) -> Record:
    """Read one object, or raise what it lacks; `number` stands in for an absent id."""
    missing = [key for key in _REQUIRED if key not in record]
    if missing:
        names = ", ".join(f'"{key}"' for key in missing)
        raise CorpusError(f"The record lacks {names}; its keys are {listing(record)}.")
    systems = _strings(record["random_orders"], "random_orders")
    if len(systems) != 2 or systems[0] == systems[1]:
        raise CorpusError('"random_orders" must name two different systems.')
    results, ranking = record["random_extracted_results"], record["ranking_results"]
    if (
        not is_list_of(results, list)
        or [len(one) for one in results] != [2, 2]
        or not all(is_list_of(one, str) and is_list_of(at, int) and len(one) == len(at) for one, at in results)
    ):
        raise CorpusError('"random_extracted_results" must hold [sentences, positions] for each of the two systems.')
    first, second = (Extract(tuple(sentences), tuple(positions)) for sentences, positions in results)
    if not isinstance(ranking, dict):
        raise CorpusError('"ranking_results" must be an object with a pair of ranks for each criterion.')
    ranks: dict[str, Ranks] = {}
    for criterion in CRITERIA:
        if criterion not in ranking:
            raise CorpusError(f'"ranking_results" lacks "{criterion}"; its keys are {listing(ranking)}.')
        pair = ranking[criterion]
        if not isinstance(pair, list) or tuple(pair) not in (WIN, LOSS, TIE):
            raise CorpusError(f'The ranks for "{criterion}" must be [1, 2], [2, 1] or [1, 1].')
        ranks[criterion] = cast(Ranks, tuple(pair))
    is_tie = set(first.positions) == set(second.positions) and set(ranks.values()) == {TIE}
    index, seconds = record.get("indice", number), record.get("seconds")
    return Record(
        id=str(record.get("unique_id", number)),
        index=index if isinstance(index, int) else number,
        text=_strings(record["text"], "text"),
        summary=_strings(record["summary"], "summary"),
        systems=(systems[0], systems[1]),
        extracts=(first, second),
        ranks=ranks,
        annotator=str(record.get("annotator", UNNAMED)),
        automatic=bool(record.get("automatic", is_tie)),
        seconds=float(seconds) if isinstance(seconds, (int, float)) else None,
        comment=str(record.get("comment", "")),
    )


def _strings(value: object, key: str) -> tuple[str, ...]:
    if not value or not is_list_of(value, str):
        raise CorpusError(f'"{key}" must be a list of strings, and not empty.')
    return tuple(value)


def render_records(records: Sequence[Record], form: Format) -> str:
    """Return all records as one text."""
    if form == "jsonl":
        return "".join(f"{json_line(record.to_json())}\n" for record in records)
    return _csv(records) if form == "csv" else json.dumps(list(map(_label_studio, records)), indent=1) + "\n"


def _csv(records: Sequence[Record]) -> str:
    def plain(cell: str) -> str:
        """Keep a spreadsheet from taking a cell for a formula."""
        return f"'{cell}" if cell.lstrip()[:1] in ("=", "+", "-", "@") or cell[:1] in ("\t", "\r") else cell

    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    measures = [f"{name}_{side}" for name in ("system", "sentences", "words") for side in ("a", "b")]
    table.writerow(["id", "document", "annotator", *measures, *CRITERIA, "automatic", "seconds", "comment"])
    for record in records:
        lengths = [len(extract.sentences) for extract in record.extracts]
        lengths += [extract.words for extract in record.extracts]
        letters = [_LETTERS[record.ranks[criterion]] for criterion in CRITERIA]
        seconds = "" if record.seconds is None else f"{record.seconds:.1f}"
        who = (plain(record.id), record.index, plain(record.annotator), *map(plain, record.systems))
        table.writerow([*who, *lengths, *letters, int(record.automatic), seconds, plain(record.comment)])
    return out.getvalue()


def _label_studio(record: Record) -> dict[str, object]:
    """Return a record as an annotated task."""
    results: list[dict[str, object]] = []
    for criterion in CRITERIA:
        value: object = {"choices": [_LETTERS[record.ranks[criterion]]]}
        results.append({"from_name": criterion, "to_name": "reference", "type": "choices", "value": value})
    if record.comment:
        value = {"text": [record.comment]}
        results.append({"from_name": "comment", "to_name": "reference", "type": "textarea", "value": value})
    (system_a, system_b), (a, b) = record.systems, record.extracts
    return {
        "data": {
            "document": record.index,
            "source": "\n".join(record.text),
            "reference": "\n".join(record.summary),
            "summary_a": "\n".join(a.sentences),
            "summary_b": "\n".join(b.sentences),
        },
        "meta": {
            "system_a": system_a,
            "system_b": system_b,
            "annotator": record.annotator,
            "automatic": record.automatic,
        },
        "annotations": [{"result": results, "lead_time": record.seconds}],
    }
