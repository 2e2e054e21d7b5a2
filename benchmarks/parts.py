"""What of a paper's argument its summary has, and what it has twice.

    python benchmarks/parts.py CORPUS.jsonl PAPERS.jsonl... [--model default] [--limit N]

CORPUS.jsonl as `memsum corpus build` writes it from PAPERS.jsonl, which have structured abstracts: an `abstract` of one
paragraph per part (aim, methods, results, conclusion). Summaries have the model's own length, and are compared by the
sentence encoder of questions, which plain summaries do not use. *Repeats by meaning*: quotes whose cosine to one that
was extracted before them is above 0.7. *Parts covered*: parts to one of whose sentences a quote has a cosine above 0.7,
and, less strictly, to which as a whole it has one above 0.6. Abstracts with at least three parts count; parts of fewer
than eight words, registrations of trials, funding and publishers' notices are none. Beside the model stand LexRank and
Lead with as many words, and the abstract itself. Prints Markdown, with 95 % bootstrap intervals over documents.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from kinds import cut
from memsum.arrays import F32
from memsum.document.sentences import split_sentences
from memsum.jsonl import read_lines
from memsum.model import find_model
from memsum.model.runtime import Runtime
from memsum.query.embedder import load_embedder
from memsum.select import begin
from memsum.summary import count_words
from memsum_train.corpus import Example
from memsum_train.evaluation.baselines import lexrank_ranking
from memsum_train.evaluation.data import load_data
from memsum_train.report.statistics import estimate_mean

REPEATED = 0.7
SAME, ALIKE = 0.7, 0.6  # cosines above which a quote says what a sentence of a part says, or is about the whole part
PARTS, WORDS = 3, 8  # at least
NOTICE_WORDS = 40  # at most
NOTICE = re.compile(r"supplementary material|registration|registered|clinicaltrials|isrctn|nct\d|chictr|fund", re.I)


class Encoder:
    """Vectors of texts, each computed once."""

    def __init__(self) -> None:
        self._embedder = load_embedder()
        self._vectors: dict[str, F32] = {}

    def __call__(self, texts: Sequence[str]) -> F32:
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        pieces = [self._embedder.wordpiece.encode(text) for text in new]
        self._vectors.update(zip(new, self._embedder.encode(pieces), strict=True))
        return np.stack([self._vectors[text] for text in texts])


def is_part(paragraph: str) -> bool:
    """Tell whether a paragraph of an abstract is part of its argument, and no notice."""
    words = count_words(paragraph)
    return words >= WORDS and not (words <= NOTICE_WORDS and NOTICE.search(paragraph))


def read_parts(papers: Iterable[Path]) -> dict[str, list[str]]:
    """Return the parts of each structured abstract, by the paper's id."""
    found = {}
    for path in papers:
        for line in read_lines(path):
            record = json.loads(line.raw)
            parts = [part for part in record["abstract"] if is_part(part)]
            if len(parts) >= PARTS:
                found[str(record["id"])] = parts
    return found


def extract(runtime: Runtime, example: Example) -> list[int]:
    """Return the quotes of the model's own length, in order of extraction."""
    stop = runtime.config.stop
    episode = begin(runtime, example.text, headings=example.sections, title=example.title)
    return episode.choices[: episode.length(stop.threshold, stop.max_sentences)]


def repeats(vectors: F32) -> float:
    """Return the share of sentences that repeat an earlier one."""
    likeness = np.tril(vectors @ vectors.T, -1)
    return float((likeness.max(axis=1) > REPEATED).mean())


def covered(vectors: F32, parts: Sequence[str], encode: Encoder) -> tuple[float, float]:
    """Return the share of the parts that have a sentence that is quoted, and of those that are quoted as a whole."""
    same = [(vectors @ encode([part[a:b] for a, b in split_sentences(part)]).T).max() > SAME for part in parts]
    alike = (vectors @ encode(parts).T).max(axis=0) > ALIKE
    return float(np.mean(same)), float(alike.mean())


def cell(values: Sequence[float]) -> str:
    interval = estimate_mean(values)
    return f"{100 * np.mean(values):.1f} % ({100 * interval.low:.1f}–{100 * interval.high:.1f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("papers", nargs="+", type=Path)
    parser.add_argument("--model", default="default")
    parser.add_argument("--limit", type=int)
    arguments = parser.parse_args()
    runtime, encode = Runtime.load(find_model(arguments.model).folder), Encoder()
    parts_of = read_parts(arguments.papers)
    said: dict[str, list[float]] = {}
    had: dict[str, list[tuple[float, float]]] = {}
    for example in load_data(arguments.corpus, arguments.limit).examples:
        own = extract(runtime, example)
        words = sum(count_words(example.text[i]) for i in own)
        systems = {
            arguments.model: [example.text[i] for i in own],
            "LexRank, as many words": [example.text[i] for i in cut(lexrank_ranking(example.text), example, words)],
            "Lead, as many words": [example.text[i] for i in cut(range(len(example.text)), example, words)],
            "the abstract": list(example.summary),
        }
        parts = parts_of.get(str(example.id))
        for name, sentences in systems.items():
            vectors = encode(sentences)
            said.setdefault(name, []).append(repeats(vectors))
            if parts:
                had.setdefault(name, []).append(covered(vectors, parts, encode))
    documents, structured = (len(next(iter(values.values()), [])) for values in (said, had))
    print(f"| system | repeats by meaning ({documents} papers) | parts covered ({structured}) | as a whole |")
    print("|---|---:|---:|---:|")
    for name, values in said.items():
        same, alike = map(cell, zip(*had[name], strict=True)) if name in had else ("–", "–")
        print(f"| {name} | {cell(values)} | {same} | {alike} |")


if __name__ == "__main__":
    main()
