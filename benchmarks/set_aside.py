"""What reading sets aside, and whether what readers must know can be quoted at all.

    python benchmarks/set_aside.py FOLDER [--keys KEYS.jsonl ...] [--share 0.25] [--missing]

Lists the documents in FOLDER of which more than a share of the words (without references and code) is set aside: how
many words, as what, and whether a warning says so; then what was refused. With --keys (see `memsum_train.corpus.keys`;
those whose files are in FOLDER), prints the share of the points of which a sentence can be quoted, and of the questions
of which an answer can be quoted, rows of tables and code included; with --missing, those that cannot.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from memsum.document import Document, read_document
from memsum.document.source import with_abstract
from memsum.errors import DocumentError
from memsum.query.passages import Passages
from memsum_train.corpus.keys import Wording


def set_aside(document: Document) -> tuple[Counter[str], int]:
    """Return the words that are set aside, by reason, and how many there are in all."""
    aside: Counter[str] = Counter()
    total = 0
    for block in document.blocks:
        words = len(document.text[block.start : block.end].split())
        if block.kind not in ("reference", "code"):
            total += words
            if block.kind == "boilerplate":
                aside[block.reason or "what stands around the text"] += words
    return aside, total


def report(path: Path, share: float) -> str:
    """Return a line on a document of which much is set aside, or which is refused; nothing on others."""
    try:
        document = read_document(path, isolated=False)
    except DocumentError as error:
        return f"refused      {path.name}: {error.message}"
    aside, total = set_aside(document)
    if aside.total() <= share * max(total, 1):
        return ""
    is_told = any("were set aside" in warning for warning in document.warnings)
    parts = ", ".join(f"{words:,} {reason}" for reason, words in aside.most_common(3))
    return f"{'told' if is_told else 'NOT TOLD'}  {aside.total() / total:4.0%}  {path.name} ({total:,} words): {parts}"


def missing(record: dict[str, Any], folder: Path) -> tuple[int, int, list[str], list[str]]:
    """Return the number of points and questions of a key, and those without a sentence that can be quoted."""
    document = read_document(folder / record["file"], isolated=False)
    sentences = [Wording(sentence.text) for sentence in with_abstract(document).sentences]
    passages = [Wording(text) for text in Passages.of([document]).texts]

    def has(found: Sequence[Wording], any_of: Sequence[str]) -> bool:
        wanted = [Wording(text.replace("\u2060", "")) for text in any_of]
        return any(one.matches(other) for one in found for other in wanted)

    points = [point["any_of"][0] for point in record["points"] if not has(sentences, point["any_of"])]
    asked = [question["question"] for question in record["questions"] if not has(passages, question["any_of"])]
    return len(record["points"]), len(record["questions"]), points, asked


def read_keys(paths: Sequence[Path], folder: Path) -> Iterator[dict[str, Any]]:
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            if (folder / record["file"]).is_file():
                yield record


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--keys", type=Path, nargs="+", default=[])
    parser.add_argument("--share", type=float, default=0.25)
    parser.add_argument("--missing", action="store_true")
    args = parser.parse_args()
    files = sorted(path for path in args.folder.rglob("*") if path.is_file())
    with ProcessPoolExecutor() as pool:
        lines = [line for line in pool.map(partial(report, share=args.share), files, chunksize=8) if line]
        keys = list(read_keys(args.keys, args.folder))
        found = list(pool.map(partial(missing, folder=args.folder), keys, chunksize=8))
    print("\n".join(sorted(lines, reverse=True)))
    told = sum(line.startswith("told") for line in lines)
    untold = sum(line.startswith("NOT") for line in lines)
    print(
        f"{len(files):,} documents: {told + untold} with more than {args.share:.0%} set aside, {untold} of them without"
    )
    print(f"a warning; {len(lines) - told - untold} refused")
    for key, (_, _, points, asked) in zip(keys, found, strict=True):
        for text in (*points, *asked) if args.missing else ():
            print(f"missing  {key['file']}: {text[:100]}")
    if found:
        points = sum(one[0] for one in found), sum(len(one[2]) for one in found)
        questions = sum(one[1] for one in found), sum(len(one[3]) for one in found)
        print(f"points that can be quoted: {1 - points[1] / points[0]:.2%} of {points[0]:,}")
        print(f"answers that can be quoted: {1 - questions[1] / questions[0]:.2%} of {questions[0]:,}")


if __name__ == "__main__":
    main()
