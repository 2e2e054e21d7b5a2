"""Speed of the runtime: ms per document from text to summary, where the time goes, growth, memory, and the cold start.

    python benchmarks/runtime.py [--model DIR] [--documents FILE.jsonl] [--threads 1 2] [--rounds 15]

Without a model, two are made up with the paper's sizes, a vocabulary of 60,000 words and random weights: the time does
not depend on what the weights are. Without documents, papers of PubMed's size are made up: 90 sentences, about 3,200
tokens. Each measurement runs in a process of its own, without PyTorch.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import numpy as np

SENTENCES, LENGTH, EXTRACTIONS = 90, 31, 7
WORDS = 60_000
GROWTH = (50, 500, 5_000)
MOST_GROWTH = 12  # times the time for ten times the sentences
MOST_MEMORY = 400  # MB
STAGES = ("split", "encode", "sentences", "document", "steps")


def make_words() -> list[str]:
    """Distinct words of two to five syllables."""
    rng = np.random.default_rng(0)
    syllables = [a + b for a in "bcdfglmnprstv" for b in ("a", "e", "i", "o", "u", "an", "er", "is")]
    words: dict[str, None] = {}
    while len(words) < WORDS:
        words["".join(rng.choice(syllables, rng.integers(2, 6)))] = None
    return list(words)


def make_text(words: list[str], sentences: int, seed: int) -> str:
    """Sentences with numbers, commas and citations; words are as frequent, and as often repeated, as in papers."""
    rng = np.random.default_rng(seed)
    topic = rng.choice(words, 200)
    text = []
    for length in np.clip(rng.gamma(4, LENGTH / 4, sentences).astype(int), 4, 140):
        ranks = np.exp(rng.uniform(0, np.log(WORDS), length)).astype(int) - 1
        tokens = [words[rank] if rng.random() < 0.7 else str(rng.choice(topic)) for rank in ranks]
        for place in rng.integers(1, length, length // 8):
            tokens[place] = str(rng.choice([f"{tokens[place]},", "12.5", "240", "(p < 0.05)", "[12, 13]", "et al.,"]))
        text.append(" ".join(tokens).capitalize() + ".")
    return " ".join(text)


def make_models(folder: Path, words: list[str]) -> None:
    """Random policies of both local encoders in both precisions."""
    import torch

    from memsum.features.encoding import TextEncoder
    from memsum.model import ModelConfig
    from memsum.text.vectors import WordVectors
    from memsum.text.vocabulary import PAD, UNK, Vocabulary
    from memsum_train.policy import PolicyConfig
    from memsum_train.policy.export import export_policy
    from memsum_train.policy.folder import new_policy, save_policy

    rng = np.random.default_rng(0)
    vocabulary = Vocabulary([PAD, UNK, *words, *(f"{letter}~" for letter in "abcdefghijklmnopqrstuvwxyz")])
    numbers = rng.normal(size=(len(vocabulary), 200)).astype(np.float32)
    vectors = WordVectors.quantize(vocabulary, numbers, 1 / np.arange(10, len(vocabulary) + 10, dtype=np.float32))
    torch.manual_seed(0)
    for local in ("pooled", "lstm"):
        config = PolicyConfig(local=local)  # type: ignore[arg-type]
        policy = new_policy(config, TextEncoder(vectors)).eval()
        for precision in ("fp32", "int8"):
            model = folder / f"{local}-{precision}"
            save_policy(model, policy, ModelConfig(config.to_dict()), vectors)
            export_policy(policy, model, precision)  # type: ignore[arg-type]


def measure(model: Path, texts: list[str], threads: int, rounds: int) -> dict[str, float]:
    """ms per document: the median of the rounds, and of each stage; and the peak memory in MB."""
    from memsum.document.sentences import split_sentences
    from memsum.features.source_text import SourceText
    from memsum.model.runtime import Runtime
    from memsum.select import Prepared, Selection

    runtime = Runtime.load(model, threads=threads)
    spent: dict[str, list[float]] = defaultdict(list)
    for number in range(rounds + 1):
        for text in texts:
            marks = [time.perf_counter()]
            sentences = [text[start:end] for start, end in split_sentences(text)]
            marks.append(time.perf_counter())
            selection = Selection(runtime, SourceText.of_sentences(sentences))
            read, lexicon, words = selection.read(0, len(sentences), None)
            marks.append(time.perf_counter())
            local = runtime._sentences.encode(read.encoded, words, runtime.pool)
            marks.append(time.perf_counter())
            inputs = {"sentences": local, "positions": read.encoded.indices, "features": read.encoded.features}
            if read.encoded.signals is not None:
                inputs["signals"] = read.encoded.signals.values
            outputs = runtime.graphs["document"].run(inputs)
            if "columns" in runtime.graphs:
                outputs["full"] = runtime.with_columns(read, lexicon, outputs["states"])
            salient = runtime.with_contextual_salience(read.encoded, outputs)
            marks.append(time.perf_counter())
            vars(selection)["prepared"] = Prepared(salient, outputs, read, read.encoded.indices)
            episode = selection.episode()
            episode.extend(EXTRACTIONS)
            marks.append(time.perf_counter())
            if number:  # the first round is a warm-up
                for stage, value in zip(STAGES, np.diff(marks), strict=True):
                    spent[stage].append(1000 * value)
                spent["total"].append(1000 * (marks[-1] - marks[0]))
    result = {stage: float(np.median(values)) for stage, values in spent.items()}
    result["fastest"] = min(spent["total"])
    result["memory"] = peak_memory()
    return result


def peak_memory() -> float:
    """MB; from Linux itself, because `ru_maxrss` remembers the parent's."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def summarize_once(model: Path, text: str, threads: int) -> dict[str, float]:
    """What a command does: import, load, one summary; ms of each."""
    marks = [time.perf_counter()]
    from memsum.document.sentences import split_sentences
    from memsum.model.runtime import Runtime
    from memsum.select import begin

    marks.append(time.perf_counter())
    runtime = Runtime.load(model, threads=threads)
    marks.append(time.perf_counter())
    begin(runtime, [text[start:end] for start, end in split_sentences(text)]).extend(EXTRACTIONS)
    marks.append(time.perf_counter())
    return dict(zip(("import", "load", "summary"), 1000 * np.diff(marks), strict=True))


def in_process(job: str, model: Path, texts: list[str], threads: int, rounds: int) -> dict[str, float]:
    """Run a measurement in a fresh interpreter; `process` is its whole life in ms."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(texts, file)
        file.flush()
        command = [sys.executable, __file__, "--job", job, "--model", str(model), "--texts", file.name]
        began = time.perf_counter()
        output = subprocess.run(
            [*command, "--threads", str(threads), "--rounds", str(rounds)], check=True, capture_output=True, text=True
        ).stdout
        result: dict[str, float] = json.loads(output)
        return result | {"process": 1000 * (time.perf_counter() - began)}


def report(models: list[Path], texts: list[str], long_texts: list[str], threads: list[int], rounds: int) -> None:
    print(f"\nWarm, {len(texts)} documents, {EXTRACTIONS} extractions, ms per document (median)")
    print(f"{'model':14} threads " + "".join(f"{name:>10}" for name in (*STAGES, "total", "fastest")) + "   memory MB")
    for model in models:
        for number in threads:
            row = in_process("measure", model, texts, number, rounds)
            times = "".join(f"{row[name]:10.2f}" for name in (*STAGES, "total", "fastest"))
            print(f"{model.name:14} {number:7} {times} {row['memory']:11.0f}")
    print(f"\nGrowth, {max(threads)} threads: ms per document (fastest), times the former, memory MB")
    for model in models:
        former = 0.0
        for sentences, text in zip(GROWTH, long_texts, strict=True):
            row = in_process("measure", model, [text], max(threads), max(2, min(rounds, 1_000 // sentences)))
            growth = row["fastest"] / former if former else 0.0
            times = f"{growth:6.1f}x" if former else " " * 7
            missed = " too much" if growth > MOST_GROWTH or row["memory"] > MOST_MEMORY else ""
            print(
                f"{model.name:14} {sentences:6} sentences {row['fastest']:10.1f} {times} {row['memory']:8.0f}{missed}"
            )
            former = row["fastest"]
    print(f"\nCold, {max(threads)} threads, best of 5, ms")
    for model in models:
        runs = [in_process("once", model, texts[:1], max(threads), 1) for _ in range(5)]
        row = min(runs, key=lambda run: run["process"])
        print(f"{model.name:14} " + "  ".join(f"{name} {value:.0f}" for name, value in row.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--documents", type=Path)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--job", help=argparse.SUPPRESS)
    parser.add_argument("--texts", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.job:
        texts, threads = json.loads(arguments.texts.read_text()), arguments.threads[0]
        if arguments.job == "once":
            print(json.dumps(summarize_once(arguments.model, texts[0], threads)))
        else:
            print(json.dumps(measure(arguments.model, texts, threads, arguments.rounds)))
        return
    words = make_words()
    with tempfile.TemporaryDirectory() as scratch:
        if arguments.model:
            models = [arguments.model]
        else:
            make_models(Path(scratch), words)
            models = sorted(Path(scratch).iterdir(), reverse=True)
        if arguments.documents:
            lines = arguments.documents.read_text(encoding="utf-8").splitlines()[:20]
            texts = [" ".join(json.loads(line)["text"]) for line in lines]
        else:
            texts = [make_text(words, SENTENCES, seed) for seed in range(3)]
        report(models, texts, [make_text(words, n, n) for n in GROWTH], arguments.threads, arguments.rounds)


if __name__ == "__main__":
    main()
