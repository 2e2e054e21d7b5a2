"""Whether models repeat themselves: every sentence of a document is followed by its copy, exact or with words left out.

    python benchmarks/repeats.py TEST.jsonl MODEL... [--documents 60] [--sentences 7]

For each model (a folder, or `default`): the share of its sentences that repeat another and the mean of ROUGE-1, 2 and
Lsum, on exact copies, on near ones, and the score on the documents as they are. *Zeroed* is the model with an empty
history at every step: what it repeats more is what its memory is worth. *Blocked* is trigram blocking.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from memsum.model import find_model
from memsum.options import SummaryOptions
from memsum_train.corpus.records import Example
from memsum_train.corpus.variants import repeat_sentences
from memsum_train.evaluation import ModelSystem, load_data
from memsum_train.evaluation.playing import open_model, with_repeats, without_memory
from memsum_train.experiments.redundancy import count_copies
from memsum_train.rouge import score_many

_ROUGE, _F1 = (0, 1, 3), 2


def measure(system: ModelSystem, examples: Sequence[Example], *, doubled: bool) -> str:
    predictions = list(system.predict(examples))
    scores = score_many([p.sentences for p in predictions], [e.summary for e in examples])
    rouge = f"{100 * scores[:, _ROUGE, _F1].mean():.2f}"
    return f"{100 * np.mean(count_copies(predictions)):.1f} %, {rouge}" if doubled else rouge


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("test")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--documents", type=int, default=60)
    parser.add_argument("--sentences", type=int, default=7)
    options = parser.parse_args()
    torch.set_num_threads(1)
    examples = load_data(options.test, options.documents).examples
    exact = [repeat_sentences(example) for example in examples]
    near = [repeat_sentences(example, near=True) for example in examples]
    print(f"{len(examples)} documents, {options.sentences} sentences each; repeated sentences, mean ROUGE")
    print("| model | exact copies | near copies | once |\n|---|---|---|---|")
    for name in options.models:
        model = with_repeats(open_model(find_model(name).folder, "cpu"))
        length = SummaryOptions(sentences=options.sentences)
        for system in (
            ModelSystem(name, model, length),
            ModelSystem(f"{name}, zeroed", without_memory(model), length),
            ModelSystem(f"{name}, blocked", model, replace(length, block_trigrams=True)),
        ):
            cells = [measure(system, documents, doubled=True) for documents in (exact, near)]
            print(f"| {system.name} | {' | '.join(cells)} | {measure(system, examples, doubled=False)} |", flush=True)


if __name__ == "__main__":
    main()
