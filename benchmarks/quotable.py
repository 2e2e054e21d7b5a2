"""How well `low_value` agrees with a reader: precision and recall on sentences labeled by hand, and its time.

python benchmarks/quotable.py FOLDER [--errors]

FOLDER holds corpora as `memsum corpus build` makes them, NAME.jsonl. `quotable.jsonl` beside this file names sentences
by corpus, document and index and holds no text; a digest tells when a corpus is divided into other sentences since.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from memsum.languages.low_value import low_value

LABELS = Path(__file__).with_suffix(".jsonl")
POOR = 0.5  # from here on a sentence is called poor
ROUNDS = 5


@dataclass(frozen=True)
class Judged:
    """A labeled sentence and what the rule says of it."""

    label: dict[str, object]
    sentence: str
    score: float

    @property
    def poor(self) -> bool:
        return bool(self.label["poor"])

    @property
    def called_poor(self) -> bool:
        return self.score >= POOR


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--errors", action="store_true", help="print the errors of the part that was tuned on")
    arguments = parser.parse_args()
    labels = [json.loads(line) for line in LABELS.read_text().splitlines()]
    documents = read_documents(arguments.folder, labels)
    judged = list(judge(labels, documents))
    print(f"{len(judged)} of {len(labels)} labeled sentences found in {len(documents)} documents")
    for part in ("tuning", "reported"):
        print_agreement(part, [one for one in judged if one.label["part"] == part])
    reported = [one for one in judged if one.label["part"] == "reported"]
    for field in ("sample", "corpus"):
        for value in sorted({str(one.label[field]) for one in reported}):
            print_agreement(f"  {value}", [one for one in reported if one.label[field] == value])
    print_reasons(reported)
    print_time(documents.values())
    if arguments.errors:
        for one in judged:
            if one.label["part"] == "tuning" and one.poor != one.called_poor:
                print(f"{one.score:.1f} {one.label['why'] or 'fine'} | {one.sentence[:200]}")


def read_documents(folder: Path, labels: list[dict[str, object]]) -> dict[tuple[object, object], list[str]]:
    """The sentences of all documents that the labels name; a document without an id is named by its line."""
    wanted = defaultdict(set)
    for label in labels:
        wanted[str(label["corpus"])].add(label["id"])
    documents = {}
    for corpus, ids in wanted.items():
        with (folder / f"{corpus}.jsonl").open() as lines:
            for number, line in enumerate(lines):
                record = json.loads(line)
                id_ = record.get("id", number)
                if id_ in ids:
                    documents[corpus, id_] = record["text"]
    return documents


def judge(labels: list[dict[str, object]], documents: dict[tuple[object, object], list[str]]) -> Iterator[Judged]:
    """Each labeled sentence that still exists, judged among the sentences of its document."""
    scores = {key: low_value(sentences) for key, sentences in documents.items()}
    for label in labels:
        key = label["corpus"], label["id"]
        sentences = documents.get(key, [])
        index = next(
            (i for i in (label["index"], *range(len(sentences))) if digest(sentences, i) == label["digest"]), None
        )
        if index is not None:
            yield Judged(label, sentences[index], float(scores[key][index]))


def digest(sentences: list[str], index: int) -> str:
    return hashlib.sha256(sentences[index].encode()).hexdigest()[:8] if index < len(sentences) else ""


def print_agreement(name: str, judged: list[Judged]) -> None:
    both = sum(one.poor and one.called_poor for one in judged)
    poor, called = sum(one.poor for one in judged), sum(one.called_poor for one in judged)
    print(
        f"{name:26} {len(judged):4} sentences, {poor:3} poor, {called:3} called poor; "
        f"precision {both / called if called else float('nan'):.3f}, recall {both / poor if poor else float('nan'):.3f}"
    )


def print_reasons(judged: list[Judged]) -> None:
    reasons = defaultdict(list)
    for one in judged:
        if one.poor:
            reasons[one.label["why"]].append(one.called_poor)
    print("found: " + ", ".join(f"{why} {sum(found)}/{len(found)}" for why, found in sorted(reasons.items())))


def print_time(documents: Iterable[list[str]]) -> None:
    documents = list(documents)
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        for sentences in documents:
            low_value(sentences)
        times.append(time.process_time() - start)
    sentences = sum(map(len, documents))
    print(f"{1e6 * min(times) / sentences:.1f} µs of CPU per sentence ({sentences:,} sentences, best of {ROUNDS})")


if __name__ == "__main__":
    main()
