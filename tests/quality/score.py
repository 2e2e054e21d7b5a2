"""Print what a reader gets of each document; figures.txt is what it printed. --details adds what is missed.

All are shares, the more the better: points of the key in `seven` quotes and in a summary of its `own` length; questions
answered by the `first` quote, among `three`, and `replied` to at all; unanswered ones `refused`; `useful` quotes (that
are no low-value sentence); points and answers that can be quoted at all because they were `read`, and can be `asked`.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from memsum import Summarizer

HERE = Path(__file__).parent
KEYS = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted((HERE / "keys").glob("*.toml"))}


def covered(quotes: Iterable[str], sentences: Sequence[str]) -> bool:
    """Tell whether one of the quotes conveys one of the sentences."""
    return any(_conveys(_plain(quote), sentence) for quote in quotes for sentence in sentences)


def _conveys(quote: str, sentence: str) -> bool:
    """Tell whether a quote has a sentence, all cells of a row or four fifths of the words, or is half a sentence."""
    words, is_half = {*_plain(sentence).split()}, quote in _plain(sentence) and 2 * len(quote) >= len(sentence)
    has_most = is_half or len(words & {*quote.split()}) >= 0.8 * len(words)
    # Words of a sentence of fewer than six are found in too many others.
    return all(_plain(cell) in quote for cell in sentence.split(" | ")) or (len(words) >= 6 and has_most)


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", f" {text.lower()} ")


def score(summarizer: Summarizer, key: dict[str, Any]) -> dict[str, list[bool]]:
    """Read a document as a user does, summarize it and ask its questions."""
    from memsum.query.passages import Passages  # here: versions are compared by these keys that have none

    reading = summarizer.read(HERE.parents[1] / key["document"])
    texts, passages = [one.text for one in reading.document.sentences], Passages.of(reading.documents).texts
    seven, own = ([quote.text for quote in reading.summarize(sentences=count)] for count in (7, None))
    points, answers = ([one["sentences"] for one in key[name]] for name in ("points", "questions"))
    telling = [sentence for point in points for sentence in point]
    questions = [one["question"] for one in key["questions"]] + key["unanswered"]
    replies = [[quote.text for quote in reading.summarize(about=question, sentences=3)] for question in questions]
    answered = list(zip(replies, answers, strict=False))  # then come the replies to what the document does not answer
    return {
        "seven": [covered(seven, point) for point in points],
        "own": [covered(own, point) for point in points],
        "first": [covered(quotes[:1], answer) for quotes, answer in answered],
        "three": [covered(quotes, answer) for quotes, answer in answered],
        "replied": [bool(quotes) for quotes, _ in answered],
        "refused": [not quotes for quotes in replies[len(answers) :]],
        "useful": [covered([one], telling) or not covered([one], key["low_value"]) for one in {*seven, *own}],
        "read": [covered(texts, point) for point in points],
        "asked": [covered(passages, answer) for answer in answers],
    }


def table(scores: dict[str, dict[str, list[bool]]]) -> str:
    """Write the figures of each document, and their means over all documents."""
    rows = {name: [fmean(values) for values in outcomes.values()] for name, outcomes in scores.items()}
    rows["mean"] = [fmean(column) for column in zip(*rows.values(), strict=True)]
    head = f"{'document':26}" + "".join(f"{figure:>9}" for figure in next(iter(scores.values())))
    return "\n".join([head, *(f"{name:26}" + "".join(f"{x:9.3f}" for x in row) for name, row in rows.items())]) + "\n"


if __name__ == "__main__":
    summarizer = Summarizer.load(threads=1)
    found = {name: score(summarizer, key) for name, key in KEYS.items()}
    print(table(found), end="")
    for name, key in KEYS.items() if "--details" in sys.argv else ():
        there = [*found[name]["seven"], *found[name]["three"]]
        wanted = [one.get("point") or one["question"] for one in (*key["points"], *key["questions"])]
        print(f"\n{name}", *(one for one, is_there in zip(wanted, there, strict=True) if not is_there), sep="\n- ")
