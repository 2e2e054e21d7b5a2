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

from memsum.features.encoding import TextEncoder
from memsum.model import find_model
from memsum.options import SummaryOptions
from memsum_train.corpus.records import Example
from memsum_train.corpus.variants import repeat_sentences
from memsum_train.evaluation.data import Prediction, load_data
from memsum_train.evaluation.playing import Model, open_model, without_memory
from memsum_train.evaluation.systems import System, model_system
from memsum_train.rouge import score_many

_ROUGE, _F1 = (0, 1, 3), 2


def measure(system: System, examples: Sequence[Example], *, doubled: bool) -> str:
    predictions = list(system.predict(examples))
    scores = score_many([p.sentences for p in predictions], [e.summary for e in examples])
    rouge = f"{100 * scores[:, _ROUGE, _F1].mean():.2f}"
    return f"{100 * np.mean(count_copies(predictions)):.1f} %, {rouge}" if doubled else rouge


def count_copies(predictions: Sequence[Prediction]) -> list[float]:
    """Return the share of each summary's sentences of which the other copy, exact or not, is in it too: 2n, 2n + 1."""
    indices = [prediction.indices or () for prediction in predictions]
    return [1 - len({i // 2 for i in taken}) / len(taken) if taken else 0.0 for taken in indices]


def with_repeats(model: Model) -> Model:
    """Return the model that is shown every sentence, also those repeated to the letter, which models else see once."""
    settings = replace(model.encoder.settings, collapse_repeats=False)
    encoder = TextEncoder(model.encoder.vectors, settings, model.encoder.salience, model.encoder.length)
    return replace(model, encoder=encoder, runtime=None, sha256=f"{model.sha256}|repeats:seen")


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
            model_system(name, model, length),
            model_system(f"{name}, zeroed", without_memory(model), length),
            model_system(f"{name}, blocked", model, replace(length, block_trigrams=True)),
        ):
            cells = [measure(system, documents, doubled=True) for documents in (exact, near)]
            print(f"| {system.name} | {' | '.join(cells)} | {measure(system, examples, doubled=False)} |", flush=True)


if __name__ == "__main__":
    main()
