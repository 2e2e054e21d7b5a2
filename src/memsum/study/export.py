"""What a study has found, in other formats: records (JSONL), a flat table (CSV), and tasks of Label Studio (JSON)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Literal

from memsum.files import json_line
from memsum.study.plan import Choice
from memsum.study.records import CRITERIA, LOSS, TIE, WIN, Extract, Record
from memsum.study.store import Study

Format = Literal["jsonl", "csv", "label-studio"]

_RANKS = {"left": WIN, "right": LOSS, "tie": TIE}
_LETTERS: dict[tuple[int, int], str] = {WIN: "A", LOSS: "B", TIE: "tie"}
_QUERY = """
SELECT a.id, a.annotator, p.name, a.place, a.document, a.left_system, a.right_system, l.positions, r.positions,
       a.number, v.overall, v.coverage, v.non_redundancy, v.seconds, v.comment, v.assignment IS NOT NULL
FROM assignments a JOIN annotators p ON p.id = a.annotator LEFT JOIN votes v ON v.assignment = a.id
JOIN extracts l ON l.document = a.document AND l.system = a.left_system
JOIN extracts r ON r.document = a.document AND r.system = a.right_system
ORDER BY a.annotator, a.place
"""


def study_records(study: Study) -> list[Record]:
    """Every judgement, and the ties of identical summaries.

    Such a tie counts for an annotator who has come past its place: in an unfinished study there are then as many of
    them for each judged pair as in a finished one.
    """
    rows = study.rows(_QUERY)
    names = study.systems()
    open_, reached = set[int](), dict[int, int]()
    for row in rows:
        annotator, place, number, done = row[1], row[3], row[9], row[15]
        if number is not None and not done:
            open_.add(annotator)
        if done:
            reached[annotator] = place
    records = []
    for key, annotator, name, place, document, left, right, *positions, number, o, c, n, seconds, comment, _ in rows:
        automatic = number is None
        passed = annotator not in open_ or place < reached.get(annotator, 0)
        if (automatic and not passed) or (not automatic and o is None):
            continue
        found = study.document(document)
        first, second = (_extract(found.text, json.loads(one)) for one in positions)
        choices: Sequence[Choice] = ("tie", "tie", "tie") if automatic else (o, c, n)
        records.append(
            Record(
                id=str(key),
                index=document,
                text=found.text,
                summary=found.reference,
                systems=(names[left], names[right]),
                extracts=(first, second),
                ranks={criterion: _RANKS[choice] for criterion, choice in zip(CRITERIA, choices, strict=True)},
                annotator=name,
                automatic=automatic,
                seconds=seconds,
                comment=comment or "",
            )
        )
    return records


def render_records(records: Sequence[Record], form: Format) -> str:
    """All records as one text."""
    if form == "jsonl":
        return "".join(f"{json_line(record.to_json())}\n" for record in records)
    return _csv(records) if form == "csv" else _label_studio(records)


def _csv(records: Sequence[Record]) -> str:
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    measures = [f"{name}_{side}" for name in ("system", "sentences", "words") for side in ("a", "b")]
    table.writerow(["id", "document", "annotator", *measures, *CRITERIA, "automatic", "seconds", "comment"])
    for record in records:
        table.writerow(
            [
                record.id,
                record.index,
                record.annotator,
                *record.systems,
                *(len(extract.sentences) for extract in record.extracts),
                *(extract.words for extract in record.extracts),
                *(_LETTERS[record.ranks[criterion]] for criterion in CRITERIA),
                int(record.automatic),
                "" if record.seconds is None else f"{record.seconds:.1f}",
                _plain(record.comment),
            ]
        )
    return out.getvalue()


def _plain(cell: str) -> str:
    """Keep a spreadsheet from taking a comment for a formula."""
    return f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell


def _label_studio(records: Sequence[Record]) -> str:
    tasks = [
        {
            "data": {
                "document": record.index,
                "source": "\n".join(record.text),
                "reference": "\n".join(record.summary),
                "summary_a": "\n".join(record.extracts[0].sentences),
                "summary_b": "\n".join(record.extracts[1].sentences),
            },
            "meta": {
                "system_a": record.systems[0],
                "system_b": record.systems[1],
                "annotator": record.annotator,
                "automatic": record.automatic,
            },
            "annotations": [{"result": _results(record), "lead_time": record.seconds}],
        }
        for record in records
    ]
    return json.dumps(tasks, indent=1) + "\n"


def _results(record: Record) -> list[dict[str, object]]:
    results: list[dict[str, object]] = [
        {
            "from_name": criterion,
            "to_name": "reference",
            "type": "choices",
            "value": {"choices": [_LETTERS[record.ranks[criterion]]]},
        }
        for criterion in CRITERIA
    ]
    if record.comment:
        comment = {"text": [record.comment]}
        results.append({"from_name": "comment", "to_name": "reference", "type": "textarea", "value": comment})
    return results


def _extract(text: Sequence[str], positions: Sequence[int]) -> Extract:
    return Extract(tuple(text[position] for position in positions), tuple(positions))
