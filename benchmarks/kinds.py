"""How good a model is on documents of every kind, beside LexRank and Lead of the same number of words.

    python benchmarks/kinds.py CORPUS.jsonl... [--model default] [--against MODEL] [--limit N]

Corpora as `memsum corpus build` writes them. For each: ROUGE-1 / 2 / Lsum F1 of the model as it ships (its graphs and
its own stop) with 95 % bootstrap intervals, of LexRank and of the first sentences cut to as many words as the model's
summary of the same document, and, with --against, the paired difference to another model. Then what readers mind:
quotes of which over 40 % of the word pairs stand in the rest of the summary, quotes of under 8 words, poor quotes
(`memsum.languages.low_value`), quotes that cite others, and quotes with a number. Prints Markdown.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memsum.languages.cue_words import mark_wording
from memsum.languages.low_value import low_value
from memsum.model import find_model
from memsum.model.runtime import Runtime
from memsum.select import begin
from memsum.summary import count_words
from memsum.text import tokenize
from memsum_train.corpus import Example
from memsum_train.evaluation.baselines import lexrank_ranking
from memsum_train.evaluation.data import load_data
from memsum_train.report.statistics import estimate_mean, paired_bootstrap
from memsum_train.rouge import score_many

SHORT = 8
REPEATED = 0.4
UNSURE = 0.3  # expected share below which summaries carry a warning
ROWS = (0, 1, 3)  # ROUGE-1, ROUGE-2, ROUGE-Lsum
PRECISION, F1 = 0, 2


@dataclass(frozen=True)
class Result:
    """Selections of a system, and their scores (documents, 3)."""

    selections: list[list[int]]
    scores: NDArray[np.float64]
    shared: NDArray[np.float64]  # (documents,) share of the summary's words that the human summary has
    expected: NDArray[np.float64] | None = None  # the same, as the model expects it


def score(selections: list[list[int]], examples: Sequence[Example]) -> Result:
    extracts = [[example.text[i] for i in chosen] for chosen, example in zip(selections, examples, strict=True)]
    scores = score_many(extracts, [example.summary for example in examples])
    return Result(selections, 100 * scores[:, ROWS, F1], scores[:, 0, PRECISION])


def play(model: str, examples: Sequence[Example]) -> Result:
    runtime = Runtime.load(find_model(model).folder)
    stop, selections, expected = runtime.config.stop, [], []
    for example in examples:
        episode = begin(runtime, example.text, headings=example.sections, title=example.title)
        count = episode.length(stop.threshold, stop.max_sentences)
        selections.append(sorted(episode.choices[:count]))
        words = [count_words(example.text[i]) for i in episode.choices[:count]]
        share = np.average(episode.expected[:count], weights=np.maximum(words, 1)) if episode.expected else np.nan
        expected.append(share)
    return replace(score(selections, examples), expected=None if np.isnan(expected).all() else np.array(expected))


def cut(ranking: Sequence[int], example: Example, words: int) -> list[int]:
    """The first sentences of a ranking that come nearest to a number of words."""
    chosen: list[int] = []
    total = 0
    for index in ranking:
        own = count_words(example.text[index])
        if chosen and abs(total + own - words) > abs(total - words):
            break
        chosen.append(index)
        total += own
    return sorted(chosen)


def table_row(name: str, result: Result) -> str:
    cells = []
    for column in result.scores.T:
        interval = estimate_mean(column)
        cells.append(f"{column.mean():.2f} ({interval.low:.1f}–{interval.high:.1f})")
    sentences = np.mean([len(chosen) for chosen in result.selections])
    return f"| {name} | {' | '.join(cells)} | {sentences:.1f} |"


def traits(result: Result, examples: Sequence[Example]) -> str:
    again, short, poor, cites, numbers, quotes = 0, 0, 0, 0, 0, 0
    for chosen, example in zip(result.selections, examples, strict=True):
        said = [example.text[i] for i in chosen]
        words = [tokenize(sentence) for sentence in said]
        pairs = [set(pairwise(tokens)) for tokens in words]
        for i, own in enumerate(pairs):
            others = set().union(*(other for j, other in enumerate(pairs) if j != i))
            again += len(own & others) > REPEATED * max(1, len(own))
        short += sum(len(tokens) < SHORT for tokens in words)
        poor += int((low_value(said) >= 0.5).sum())
        cites += int(mark_wording(said)[:, 0].sum())
        numbers += sum(any(letter.isdigit() for letter in sentence) for sentence in said)
        quotes += len(said)
    shares = (f"{100 * count / max(1, quotes):.1f} %" for count in (again, short, poor, cites, numbers))
    return " | ".join(shares)


def print_confidence(results: Sequence[Result]) -> None:
    """How well the model knows what its summaries are worth, over the documents of all corpora."""
    if not results:
        return
    expected = np.concatenate([result.expected for result in results if result.expected is not None])
    shared = np.concatenate([result.shared for result in results])
    rouge = np.concatenate([result.scores.mean(axis=1) for result in results])
    known = ~np.isnan(expected)  # of everyday documents nothing is expected
    expected, shared, rouge = expected[known], shared[known], rouge[known]
    low = expected < UNSURE
    print(f"\nshare of words in the human summary: expected {expected.mean():.3f}, true {shared.mean():.3f}")
    with_shared, with_rouge = (np.corrcoef(expected, other)[0, 1] for other in (shared, rouge))
    print(f"correlation {with_shared:.2f}, with mean ROUGE {with_rouge:.2f}")
    if low.any() and not low.all():
        print(f"below {UNSURE} ({low.mean():.1%}): {shared[low].mean():.3f}; above: {shared[~low].mean():.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--model", default="default")
    parser.add_argument("--against", help="another model, for paired differences")
    parser.add_argument("--limit", type=int)
    arguments = parser.parse_args()
    minded, sure = [], []
    print("| system | R-1 | R-2 | R-Lsum | sentences |\n|---|---:|---:|---:|---:|")
    for corpus in arguments.corpora:
        data = load_data(str(corpus), arguments.limit)
        examples = data.examples
        own = play(arguments.model, examples)
        words = [
            sum(count_words(example.text[i]) for i in chosen)
            for chosen, example in zip(own.selections, examples, strict=True)
        ]
        pairs = list(zip(examples, words, strict=True))
        lexrank = score([cut(lexrank_ranking(example.text), example, most) for example, most in pairs], examples)
        lead = score([cut(range(len(example.text)), example, most) for example, most in pairs], examples)
        print(f"| **{len(examples)} {corpus.name.split('.')[0]}** | | | | |")
        print(table_row(arguments.model, own))
        print(table_row("LexRank, as many words", lexrank))
        print(table_row("Lead, as many words", lead))
        if arguments.against:
            other = play(arguments.against, examples)
            print(table_row(arguments.against, other))
            gains = [paired_bootstrap(own.scores[:, i], other.scores[:, i]) for i in range(3)]
            cells = (f"{g.difference:+.2f} ({g.low:+.2f} to {g.high:+.2f})" for g in gains)
            print(f"| difference | {' | '.join(cells)} | |", flush=True)
            minded.append(f"| {corpus.name.split('.')[0]}, {arguments.against} | {traits(other, examples)} |")
        minded.append(f"| {corpus.name.split('.')[0]}, {arguments.model} | {traits(own, examples)} |")
        sure.append(own)
    print(
        "\n| quotes | pairs said again | under 8 words | poor | cite | have a number |\n|---|---:|---:|---:|---:|---:|"
    )
    print("\n".join(minded))
    print_confidence([result for result in sure if result.expected is not None])


if __name__ == "__main__":
    main()
