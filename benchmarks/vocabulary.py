"""How much of a corpus a vocabulary knows: share of tokens that are whole words, made of pieces, or unknown.

python benchmarks/vocabulary.py VECTORS CORPUS...
"""

from __future__ import annotations

import argparse
from pathlib import Path

from memsum.text import WordVectors, tokenize
from memsum.text.vocabulary import UNK
from memsum_train.corpus.records import BadLine, read_examples


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vectors", type=Path)
    parser.add_argument("corpora", type=Path, nargs="+")
    arguments = parser.parse_args()
    vocabulary = WordVectors.load(arguments.vectors).vocabulary
    print(f"{len(vocabulary):,} words and pieces")
    print(f"{'corpus':40} {'tokens':>12} {'words':>8} {'pieces':>8} {'unknown':>8}")
    for path in arguments.corpora:
        tokens = words = unknown = 0
        for example in read_examples(path):
            if isinstance(example, BadLine):
                continue
            for sentence in example.text:
                for token in tokenize(sentence):
                    tokens += 1
                    if token in vocabulary:
                        words += 1
                    elif vocabulary[UNK] in vocabulary.encode([token]):
                        unknown += 1
        shares = (words, tokens - words - unknown, unknown)
        print(f"{path.name:40} {tokens:12,} " + " ".join(f"{100 * share / max(1, tokens):7.2f}%" for share in shares))


if __name__ == "__main__":
    main()
