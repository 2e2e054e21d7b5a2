"""Both halves select the same sentences, and int8 costs next to nothing: on real documents.

    python benchmarks/parity.py MODEL CORPUS [--limit 100]

MODEL is a folder with the policy's weights; it is exported here, in both precisions. In fp32, ONNX Runtime must select
what PyTorch selects; a document where it does not is listed, with how close the two sentences were. In int8, the
selections may differ: what counts is ROUGE, document by document, with the interval of the mean difference.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

from memsum.features.expected_length import LENGTH_FILE
from memsum.features.salience import SALIENCE_FILE
from memsum.model import SelectionPenalties
from memsum.model.runtime import Runtime
from memsum.model.scorers import ATTENTION_SPAN
from memsum.select import begin
from memsum_train.corpus import Example
from memsum_train.evaluation.data import load_data
from memsum_train.paper.model import Extraction, extract
from memsum_train.policy.batch import collate
from memsum_train.policy.export import Precision, export_policy
from memsum_train.policy.folder import load_policy
from memsum_train.policy.greedy import place_in_document
from memsum_train.report.statistics import paired_bootstrap
from memsum_train.rouge import VARIANTS, score_many

F1 = 2
ALLOWED = 0.1  # points of ROUGE that int8 may cost


def torch_choices(folder: Path, examples: Sequence[Example]) -> list[Extraction]:
    """What PyTorch extracts of each document, up to its own stop."""
    policy, encoder, config = load_policy(folder)
    length = config.open_length(folder, encoder)
    extractions = []
    for example in examples:
        text = encoder.encode(example.text, example.sections, example.title)
        extraction = extract(policy, collate([text]), config.stop.max_sentences)[0]
        extraction = place_in_document(extraction, text, encoder, length)
        count = extraction.length(config.stop.threshold, config.stop.max_sentences)
        extractions.append(Extraction(extraction.choices[:count], extraction.scores[:count], extraction.stops))
    return extractions


def onnx_choices(source: Path, folder: Path, precision: Precision, examples: Sequence[Example]) -> list[Extraction]:
    """What ONNX Runtime extracts of each document, from an export in some precision."""
    for name in ("config.json", "vocabulary.txt", "embeddings.safetensors", LENGTH_FILE, SALIENCE_FILE):
        if (source / name).exists():
            shutil.copy(source / name, folder / name)
    export_policy(load_policy(source)[0], folder, precision)
    runtime = Runtime.load(folder, threads=1)
    stop = runtime.config.stop
    # What PyTorch plays is the network: the penalties for wording are the runtime's own.
    runtime.config = replace(runtime.config, penalties=SelectionPenalties())
    extractions = []
    for example in examples:
        episode = begin(runtime, example.text, headings=example.sections, title=example.title)
        count = episode.length(stop.threshold, stop.max_sentences)
        extractions.append(Extraction(tuple(episode.choices[:count]), tuple(episode.scores[:count]), ()))
    return extractions


def compare_selections(examples: Sequence[Example], wanted: list[Extraction], got: list[Extraction]) -> int:
    """Print the documents whose selections differ, and how many there are."""
    compared = differ = 0
    for number, (example, first, second) in enumerate(zip(examples, wanted, got, strict=True)):
        if len(example.text) > ATTENTION_SPAN:
            continue
        compared += 1
        if first.choices == second.choices:
            continue
        differ += 1
        pairs = zip(first.choices, second.choices, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        at = [f"{e.choices[same]} ({e.scores[same]:.7f})" if same < len(e.choices) else "stop" for e in (first, second)]
        print(f"  document {number}: after {same} sentences PyTorch {at[0]}, ONNX Runtime {at[1]}")
    print(f"PyTorch and ONNX Runtime in fp32 select the same on {compared - differ} of {compared} documents.")
    if longer := len(examples) - compared:
        print(f"  {longer} of more than {ATTENTION_SPAN} sentences, where the runtime approximates, were not compared")
    return differ


def rouge_cost(examples: Sequence[Example], exact: list[Extraction], rounded: list[Extraction]) -> float:
    """Print what int8 costs in ROUGE, and the most it costs."""
    references = [example.summary for example in examples]
    scores = []
    for extractions in (rounded, exact):
        pairs = zip(examples, extractions, strict=True)
        chosen = [[example.text[i] for i in sorted(extraction.choices)] for example, extraction in pairs]
        scores.append(100 * score_many(chosen, references)[:, :, F1])
    same = sum(set(a.choices) == set(b.choices) for a, b in zip(exact, rounded, strict=True))
    print(f"int8 and fp32 select the same on {same} of {len(examples)} documents; int8 against fp32, F1 in points:")
    costs = []
    for variant, name in enumerate(VARIANTS):
        result = paired_bootstrap(scores[0][:, variant], scores[1][:, variant])
        low, high = result.low, result.high
        print(f"  {name:10} {scores[1][:, variant].mean():6.2f} {result.difference:+.3f}  [{low:+.3f}, {high:+.3f}]")
        costs.append(-result.difference)
    return max(costs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--limit", type=int, default=100)
    arguments = parser.parse_args()
    data = load_data(arguments.corpus, arguments.limit)
    print(f"{arguments.model} | {data.signature}")
    wanted = torch_choices(arguments.model, data.examples)
    with tempfile.TemporaryDirectory() as scratch:
        exact = onnx_choices(arguments.model, Path(scratch), "fp32", data.examples)
        rounded = onnx_choices(arguments.model, Path(scratch), "int8", data.examples)
    differ = compare_selections(data.examples, wanted, exact)
    cost = rouge_cost(data.examples, exact, rounded)
    sys.exit(1 if differ or cost >= ALLOWED else 0)


if __name__ == "__main__":
    main()
