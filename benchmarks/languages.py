"""How good summaries in other languages are: beside an earlier version, and sumy's methods at the same length.

    python benchmarks/languages.py FOLDER [--against SRC] [--sumy PYTHON] [--part held-out] [--limit N]

FOLDER holds one set per language and kind, `*.jsonl.zst` with "language", "title", "text" and "summary" (lists of
sentences). Half of the documents, by their ids, were used to choose settings; by default the others are measured. For
each set, as Markdown: mean of ROUGE-1, 2 and Lsum (words as they are, letters where no spaces are written) at memsum's
own length and at the human one with 95 % bootstrap intervals; words per human word; low-value quotes; CPU time.
SRC is the source folder of an earlier version, run in a process of its own; PYTHON an interpreter that has sumy.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

ROWS, F1 = (0, 1, 3), 2  # ROUGE-1, 2 and Lsum
OWN, HUMAN = "own length", "human length"


@dataclass(frozen=True)
class Choice:
    """What a system makes of a document: its sentences in order of extraction, and how many it quotes itself."""

    order: list[int]
    count: int | None = None
    seconds: float = 0.0


def read_set(path: Path, part: str, limit: int | None) -> list[dict[str, Any]]:
    from memsum.jsonl import read_lines

    records = [cast("dict[str, Any]", line.parse()) for line in read_lines(path)]
    wanted = [record for record in records if part == "all" or is_held_out(record["id"]) == (part == "held-out")]
    return wanted[:limit]


def is_held_out(name: str) -> bool:
    return zlib.crc32(name.encode()) % 2 == 0


def choose(records: Sequence[Mapping[str, Any]]) -> list[Choice]:
    """Summarize by the memsum that is imported; also by version 0.2, which begins where later ones read."""
    from memsum import Document, Summarizer

    summarizer = Summarizer.load(threads=1)
    read = getattr(summarizer, "read", None) or summarizer.begin
    choices = []
    for record in records:
        document = replace(Document.from_sentences(record["text"]), title=record["title"], language=record["language"])
        start = time.process_time()
        reading = read(document)
        summarize = getattr(reading, "summarize", None) or reading.summary
        own = summarize()
        seconds = time.process_time() - start
        full = summarize(sentences=len(record["text"]), order="extraction")
        order = [quote.index for quote in full.sentences]
        choices.append(Choice(order, len(own.sentences), seconds))
    return choices


def ask(command: Sequence[str], records: Sequence[Mapping[str, Any]], source: str | None = None) -> list[Any]:
    """Ask another process about the records, one JSON line each; it imports from a source folder if one is given."""
    environment = {**os.environ, "PYTHONPATH": source} if source else dict(os.environ)
    lines = "".join(json.dumps(record) + "\n" for record in records)
    answer = subprocess.run(command, input=lines, capture_output=True, text=True, env=environment, check=True).stdout
    return [json.loads(line) for line in answer.splitlines()]


def cut(order: Sequence[int], sentences: Sequence[str], words: int) -> list[int]:
    """Return the first of an order that come nearest to a number of words."""
    from memsum.summary import count_words

    chosen: list[int] = []
    total = 0
    for index in order:
        own = count_words(sentences[index])
        if chosen and abs(total + own - words) > abs(total - words):
            break
        chosen.append(index)
        total += own
    return sorted(chosen)


def score(selections: Sequence[Sequence[int]], records: Sequence[Mapping[str, Any]]) -> NDArray[np.float64]:
    """Return the mean of ROUGE-1, 2 and Lsum of each selection, in percent."""
    from memsum.text import SIGNS, UNSPACED
    from memsum_train.rouge import score_many
    from memsum_train.rouge.tokens import Tokenizer

    letters = rf"[^\W_{UNSPACED}]"  # words as they are; each letter is one where no spaces are written
    words = Tokenizer(rf"[{UNSPACED}]|{letters}+(?:[{SIGNS}]+{letters}*)*", str)
    extracts = [[record["text"][i] for i in chosen] for chosen, record in zip(selections, records, strict=True)]
    scores = score_many(extracts, [record["summary"] for record in records], words)
    return np.asarray(100 * scores[:, ROWS, F1].mean(axis=1))


def words_of(selections: Sequence[Sequence[int]], records: Sequence[Mapping[str, Any]]) -> NDArray[np.float64]:
    """Return for each selection how many words it has for each word of the human summary."""
    from memsum.summary import count_words

    pairs = zip(selections, records, strict=True)
    return np.array(
        [
            sum(count_words(record["text"][i]) for i in chosen) / max(1, sum(map(count_words, record["summary"])))
            for chosen, record in pairs
        ]
    )


def measure(
    choices: Sequence[Choice], records: Sequence[Mapping[str, Any]]
) -> tuple[dict[str, NDArray[np.float64]], list[list[int]]]:
    """Return the scores at the system's own length and at the human one, and the selections of the former."""
    from memsum.summary import count_words

    scores = {}
    own = [sorted(choice.order[: choice.count]) for choice in choices]
    if choices[0].count is not None:
        scores[OWN] = score(own, records)
    same = [
        cut(choice.order, record["text"], sum(map(count_words, record["summary"])))
        for choice, record in zip(choices, records, strict=True)
    ]
    scores[HUMAN] = score(same, records)
    return scores, own


def low_value_share(selections: Sequence[Sequence[int]], records: Sequence[Mapping[str, Any]]) -> float:
    from memsum.features.characters import low_value

    quotes = [record["text"][i] for chosen, record in zip(selections, records, strict=True) for i in chosen]
    return float(low_value(quotes).mean())


def shown(values: NDArray[np.float64]) -> str:
    from memsum_train.report.statistics import estimate_mean

    mean = estimate_mean(values)
    return f"{mean.mean:.2f} ({mean.low:.1f}–{mean.high:.1f})"


def difference(first: NDArray[np.float64], second: NDArray[np.float64]) -> str:
    from memsum_train.report.statistics import paired_bootstrap

    gain = paired_bootstrap(first, second)
    return f"{gain.difference:+.2f} ({gain.low:+.2f} to {gain.high:+.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--against", help="source folder of an earlier version")
    parser.add_argument("--sumy", help="a Python interpreter that has sumy")
    parser.add_argument("--part", choices=("held-out", "tuned-on", "all"), default="held-out")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--choose", action="store_true", help=argparse.SUPPRESS)  # as the other process
    arguments = parser.parse_args()
    if arguments.choose:
        for choice in choose([json.loads(line) for line in sys.stdin]):
            print(json.dumps(vars(choice)))
        return
    here = Path(__file__)
    head = ["set", "documents", "own length", "words", "low-value", "ms", "human length"]
    if arguments.against:
        head += ["before: own", "words", "low-value", "ms", "gain, own length", "gain, human length"]
    if arguments.sumy:
        head += ["sumy's best", "gain on it"]
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}", flush=True)
    means: dict[str, list[NDArray[np.float64]]] = {}
    for path in sorted(arguments.folder.glob("*.jsonl.zst")):
        records = read_set(path, arguments.part, arguments.limit)
        choices = choose(records)
        scores, own = measure(choices, records)
        columns: dict[str, NDArray[np.float64]] = {f"memsum {length}": values for length, values in scores.items()}
        cells = [
            path.name.split(".")[0],
            str(len(records)),
            shown(scores[OWN]),
            f"{words_of(own, records).mean():.2f}",
            f"{low_value_share(own, records):.1%}",
            f"{1000 * np.mean([choice.seconds for choice in choices]):.1f}",
            shown(scores[HUMAN]),
        ]
        if arguments.against:
            answers = ask([sys.executable, str(here), "--choose"], records, arguments.against)
            before = [Choice(**answer) for answer in answers]
            others, old = measure(before, records)
            columns |= {f"before {length}": values for length, values in others.items()}
            cells += [
                shown(others[OWN]),
                f"{words_of(old, records).mean():.2f}",
                f"{low_value_share(old, records):.1%}",
                f"{1000 * np.mean([choice.seconds for choice in before]):.1f}",
                *(difference(scores[length], others[length]) for length in (OWN, HUMAN)),
            ]
        if arguments.sumy:
            ranked = ask([arguments.sumy, str(here.with_name("languages_sumy.py"))], records)
            for method in ranked[0]:
                orders = [Choice(answer[method]) for answer in ranked]
                columns[f"sumy {method}"] = measure(orders, records)[0][HUMAN]
            best = max((name for name in columns if name.startswith("sumy")), key=lambda name: columns[name].mean())
            cells += [f"{best[5:]} {shown(columns[best])}", difference(scores[HUMAN], columns[best])]
            columns["sumy best"] = columns[best]
        print(f"| {' | '.join(cells)} |", flush=True)
        for name, values in columns.items():
            means.setdefault(name, []).append(values)
    print("\nMean of the sets, each counting the same:")
    for name, values in means.items():
        print(f"- {name}: {np.mean([own.mean() for own in values]):.2f}")
    for name, length in (("before own length", OWN), ("before human length", HUMAN), ("sumy best", HUMAN)):
        if name in means:
            print(f"- gain on {name}: {over_sets(means[f'memsum {length}'], means[name])}")


def over_sets(first: Sequence[NDArray[np.float64]], second: Sequence[NDArray[np.float64]]) -> str:
    """Return the mean gain over sets; documents are resampled within each."""
    random = np.random.default_rng(2022)
    gains = [a - b for a, b in zip(first, second, strict=True)]
    resampled = np.mean([own[random.integers(len(own), size=(1000, len(own)))].mean(axis=1) for own in gains], axis=0)
    low, high = np.quantile(resampled, [0.025, 0.975])
    return f"{np.mean([own.mean() for own in gains]):+.2f} ({low:+.2f} to {high:+.2f})"


if __name__ == "__main__":
    main()
