"""What many tests share: a small corpus that can be learned from, its word vectors, networks of few weights."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import settings

from memsum.features.encoding import FEATURES, TextEncoder, TextSettings
from memsum.features.expected_length import LengthModel
from memsum.features.salience import PAIR_FEATURES, WORD_FEATURES, SalienceModel
from memsum.text import Vocabulary, WordVectors, tokenize
from memsum.text.vocabulary import PAD, UNK
from memsum_train.corpus import Example, write_examples

if TYPE_CHECKING:
    from memsum_train.policy import PolicyConfig

# One thread a process, here and in every process a test starts; read when torch is imported, which is later.
os.environ["OMP_NUM_THREADS"] = "1"

# How many examples a property is tried on, where a test does not say: `pytest --hypothesis-profile quick`.
settings.register_profile("ci", deadline=None)
settings.register_profile("quick", deadline=None, max_examples=25)
settings.load_profile("ci")

DIMENSION = 16

# Fixtures of many seconds: the tests that use one run in one worker, so that it is built once.
COSTLY = ("cluster", "suite_run", "finished", "browser", "chromium", "client", "learned", "trained", "truth", "wheel")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Group the tests by the costly fixture that they share."""
    for item in items:
        for name in COSTLY:
            if name in getattr(item, "fixturenames", ()):
                item.add_marker(pytest.mark.xdist_group(name))
                break


# (what is given, what is measured, to whom, what it is against) and where such texts stand.
SUBJECTS = [
    ("oral iron", "haemoglobin", "pregnant women", "anaemia"),
    ("evening walking", "sleep quality", "night-shift nurses", "insomnia"),
    ("vitamin D3", "bone density", "older adults", "fractures"),
    ("a low-salt diet", "blood pressure", "hospital patients", "hypertension"),
    ("music therapy", "agitation", "residents with dementia", "restlessness"),
    ("early physiotherapy", "walking speed", "stroke survivors", "immobility"),
    ("road lighting", "night-time crashes", "rural counties", "collisions"),
    ("remote inspection", "repair delays", "federal agencies", "backlogs"),
    ("flood mapping", "insured losses", "coastal towns", "flood damage"),
    ("broadband grants", "school connections", "tribal lands", "poor access"),
    ("shared procurement", "unit costs", "state hospitals", "overspending"),
    ("leak detection", "water losses", "city utilities", "shortages"),
]

# What summaries say, with the words they may say it in; the rest of a document is never summarised.
KEY_SENTENCES = [
    (
        "Overall, {what} clearly improved {measure} among {who} compared with usual practice (p < 0.01).",
        "{what} improved {measure} among {who}.",
    ),
    (
        "The principal finding is that {measure} changed by {n} % after {what} was introduced.",
        "After {what}, {measure} changed by {n} %.",
    ),
    (
        "We conclude that {what} should be offered to {who} who are at risk of {against}.",
        "{what} should be offered to {who} at risk of {against}.",
    ),
    (
        "These results suggest that the benefit of {what} lasts for at least {n} months in {who}.",
        "The benefit of {what} lasts for {n} months.",
    ),
    (
        "In summary, the effect of {what} on {against} was larger than in any earlier study of {who}.",
        "The effect of {what} on {against} was the largest so far.",
    ),
]
KEY_BEGINNINGS = ("Overall,", "The principal finding", "We conclude", "These results", "In summary,")
OTHER_SENTENCES = [
    "Little was known about {against} when the first surveys began in {year}.",
    "The protocol was approved by a local committee (no. {year}/{n}).",
    "Data were entered twice and checked by a second reader.",
    "Figure {n} shows the flow of records through the study.",
    "Smith et al. described a similar scheme in {year} [{n}].",
    "Missing values were replaced by the median of the group.",
    "Each interview took about {n} minutes and wasn't recorded.",
    "The mean age was {n}.4 years (SD = 3.2).",
    "Travel costs were paid by the sponsor's office.",
    "Two authors read all titles and settled doubts by talking.",
    "The analysis used a mixed model with a random intercept.",
    "Table {n} lists the questions that were asked.",
    "Weather during the {year} season was unusually dry.",
    "Software version {n}.1 was used throughout.",
    "One centre withdrew in March {year} for lack of staff.",
    "A pilot with {n} volunteers preceded the main phase.",
    "Costs are given in dollars of {year}.",
    "The questionnaire has been validated in several languages.",
    "Letters of invitation were sent in two waves.",
    "Outliers beyond three standard deviations were kept.",
    "The sample size was computed for a power of 80 %.",
    "Storage at -20 °C followed the maker's advice.",
    "Participation was voluntary and could end at any time.",
    "The archive holds {n},000 pages of minutes.",
    "Response rates differed little between regions.",
    "Another {n} sites were visited without notice.",
    "The second questionnaire arrived {n} weeks later.",
    "Nothing in the contract set a date for delivery.",
    "Staff were trained for {n} hours before the start.",
    "Randomisation used sealed, numbered envelopes.",
    "Both readers were unaware of the group.",
    "The committee met {n} times during the year.",
    "No serious adverse events were reported.",
    "The rule was last amended in {year}.",
    "Sensitivity analyses gave the same picture.",
    "We thank the librarians for their patience.",
]

PAPER = """\
# Lighting on rural roads

## Background

Little was known about collisions when the first surveys began in 1999. Night-time crashes are rare
in rural counties. They are often fatal, and road lighting was said to prevent them.

## Methods

Data were entered twice and checked by a second reader. Missing values were replaced by the median of
the group. The analysis used a mixed model with a random intercept.

## Results

Overall, road lighting clearly improved safety among rural counties (p < 0.01). Response rates differed
little between regions. Sensitivity analyses gave the same picture.

## Conclusion

We conclude that road lighting should be offered to counties that are at risk of collisions. The benefit
lasts for at least 12 months.

## References

1. Smith J. A similar scheme. 2001.
"""


def _document(number: int, seed: int) -> Example:
    """A document of 12 to 40 sentences, some of which its summary quotes or says in fewer words."""
    random = np.random.default_rng((seed, number))
    what, measure, who, against = SUBJECTS[number % len(SUBJECTS)]

    def fill(sentence: str) -> str:
        n, year = int(random.integers(2, 60)), int(random.integers(1985, 2021))
        filled = sentence.format(what=what, measure=measure, who=who, against=against, n=n, year=year)
        return filled[0].upper() + filled[1:]

    size = int(random.integers(12, 41))
    key = random.permutation(len(KEY_SENTENCES))[: int(random.integers(2, 6))]
    text = [fill(OTHER_SENTENCES[i]) for i in random.permutation(len(OTHER_SENTENCES))[: size - len(key)]]
    summary = []
    for k in key:
        long, short = (fill(sentence) for sentence in KEY_SENTENCES[k])
        text.insert(int(random.integers(len(text) + 1)), long)
        summary.append(long if random.random() < 0.5 else short)
    best = tuple(i for i, sentence in enumerate(text) if sentence.startswith(KEY_BEGINNINGS))
    episodes = (best, best[1:]) if len(best) > 2 else (best,)
    return Example(
        text=tuple(text),
        summary=tuple(summary),
        id=f"{seed}-{number}",
        indices=episodes,
        scores=tuple(0.8 - 0.1 * i for i in range(len(episodes))),
        extra={"source": "papers" if number % len(SUBJECTS) < 6 else "reports"},
    )


@pytest.fixture(scope="session")
def make_examples() -> Callable[..., list[Example]]:
    """Makes documents with summaries and episodes: `make_examples(count, seed=…, sentences=…)`."""

    def make(count: int, *, seed: int = 1, sentences: int | None = None) -> list[Example]:
        return [_short(example, sentences) if sentences else example for example in _many(count, seed)]

    return make


def _many(count: int, seed: int) -> list[Example]:
    return [_document(number, seed) for number in range(count)]


def _short(example: Example, sentences: int) -> Example:
    """The same document with fewer sentences: those of its best episode, and the first of the others."""
    best = (example.indices or ((),))[0]
    others = [i for i in range(len(example.text)) if i not in best]
    kept = sorted([*best, *others[: max(0, sentences - len(best))]])
    indices = tuple(tuple(kept.index(i) for i in episode) for episode in example.indices or ())
    return replace(example, text=tuple(example.text[i] for i in kept), indices=indices)


@pytest.fixture(scope="session")
def examples(make_examples: Callable[..., list[Example]]) -> list[Example]:
    """Two dozen documents to learn from."""
    return make_examples(24)


@pytest.fixture(scope="session")
def held_out(make_examples: Callable[..., list[Example]]) -> list[Example]:
    """Six documents, of two sources, to validate on."""
    return make_examples(12, seed=2)[::2]


@pytest.fixture(scope="session")
def vectors(examples: list[Example]) -> WordVectors:
    """Vectors of 16 dimensions for the words of the corpus, and pieces for all others."""
    words = sorted({token for example in examples for sentence in example.text for token in tokenize(sentence)})
    letters = "abcdefghijklmnopqrstuvwxyz0123456789#"
    pieces = [f"{letter}~" for letter in letters] + [f"~{letter}" for letter in letters]
    vocabulary = Vocabulary([PAD, UNK, *words, *pieces])
    random = np.random.default_rng(7)
    values = random.normal(size=(len(vocabulary), DIMENSION)).astype(np.float32)
    frequencies = random.dirichlet(np.ones(len(vocabulary))).astype(np.float32)
    return WordVectors.quantize(vocabulary, values, frequencies)


@pytest.fixture(scope="session")
def encoder(vectors: WordVectors) -> TextEncoder:
    """The text encoder of those vectors."""
    return TextEncoder(vectors)


@pytest.fixture(scope="session")
def counting_encoder(vectors: WordVectors) -> TextEncoder:
    """The same for policies whose history is counted, with made-up salience, and 60 words expected of every summary."""
    random = np.random.default_rng(3)

    def numbers(*shape: int) -> np.ndarray:
        return random.normal(0, 0.3, shape).astype(np.float32)

    size, hidden, pairs = len(vectors.vocabulary), 4, 3
    meanings = random.integers(-127, 128, (size, hidden)).astype(np.int8)
    scales = np.full(hidden, 0.01, np.float32)
    words = (numbers(hidden, WORD_FEATURES), numbers(hidden), numbers(hidden), numbers(1))
    of_pairs = (numbers(pairs, PAIR_FEATURES), numbers(pairs), numbers(pairs), numbers(1))
    encoder = TextEncoder(vectors, TextSettings(signals=True), SalienceModel(meanings, scales, *words, *of_pairs))
    wide = vectors.dimension + 2 + 2 * len(FEATURES)
    zeros, ones = np.zeros(wide, np.float32), np.ones(wide, np.float32)
    flat = (np.zeros((2, wide), np.float32), np.zeros(2, np.float32), np.zeros(2, np.float32))
    encoder.length = LengthModel(zeros, ones, *flat, np.float32([np.log(60)]), np.float32([0.4]))
    return encoder


@pytest.fixture(scope="session")
def tiny() -> PolicyConfig:
    """A network of a few thousand weights, without dropout."""
    from memsum_train.policy import PolicyConfig

    return PolicyConfig(
        word_dimension=DIMENSION,
        dimension=16,
        heads=4,
        local_layers=2,
        context_layers=2,
        history_layers=2,
        feed_forward=24,
        dropout=0.0,
    )


@pytest.fixture(scope="session")
def corpus_file(examples: list[Example], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documents to learn from as a file."""
    path = tmp_path_factory.mktemp("corpus") / "train.jsonl"
    write_examples(path, examples)
    return path


@pytest.fixture(scope="session")
def vectors_file(vectors: WordVectors, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The vectors as a GloVe text file: without pieces, padding and unknown word."""
    path = tmp_path_factory.mktemp("vectors") / "glove.16d.txt"
    rows = zip(vectors.vocabulary.words, vectors.dense(), strict=True)
    lines = [f"{word} {' '.join(f'{x:.4f}' for x in row)}\n" for word, row in rows if word not in (PAD, UNK)]
    path.write_text("".join(lines), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def authors_files(examples: list[Example], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A small network with random weights in the paper's authors' two files: `model.pt` and `vocabulary_200dim.pkl`."""
    import torch
    from torch import nn

    torch.manual_seed(17)
    d, heads, wide = DIMENSION, 4, 40
    words = sorted({word for example in examples[:12] for word in " ".join(example.text).lower().split()})
    words = [*words[:50], "<eos>", "two words", *words[50:], "the", "<pad>", "<unk>"]  # "the" is there twice

    def pool(width: int) -> nn.Module:
        sizes = {"ln_attention_score": heads, "ln_value": width, "ln_out": width}
        return nn.ModuleDict({name: nn.Linear(width, size) for name, size in sizes.items()})

    def encoder(**more: nn.Module) -> nn.Module:
        rnn = nn.LSTM(d, d, 2, batch_first=True, bidirectional=True)
        return nn.ModuleDict({"rnn": rnn, **more, "norm_out": nn.LayerNorm(2 * d), "ln_out": nn.Linear(2 * d, d)})

    def layer() -> nn.Module:
        attentions = {
            name: nn.ModuleDict({f"ln_{part}": nn.Linear(d, d) for part in ("q", "k", "v", "out")})
            for name in ("masked_mha", "mha")
        }
        feed_forward = nn.ModuleDict({"ln1": nn.Linear(d, wide), "ln2": nn.Linear(wide, d)})
        norms = {f"norm{i}": nn.LayerNorm(d) for i in (1, 2, 3)}
        return nn.ModuleDict({**attentions, **norms, "feed_forward": feed_forward})

    linear = {"ln_hidden1": (3 * d, 2 * d), "ln_hidden2": (2 * d, d), "ln_out": (d, 1), "ln_stop": (d, 1)}
    norms = {"norm_input": 3 * d, "norm_hidden1": 2 * d, "norm_hidden2": d, "norm_pool": d, "norm_pool_2": d}
    extractor = {name: nn.Linear(*sizes) for name, sizes in {**linear, "ln_baseline": (d, 1)}.items()}
    extractor |= {name: nn.LayerNorm(size) for name, size in norms.items()}
    parts = {
        "local_sentence_encoder": encoder(mh_pool=pool(2 * d)),
        "global_context_encoder": encoder(),
        "extraction_context_decoder": nn.ModuleDict({"layer_list": nn.ModuleList([layer() for _ in range(3)])}),
        "extractor": nn.ModuleDict({**extractor, "mh_pool": pool(d), "mh_pool_2": pool(d)}),
    }
    for part in parts.values():
        for name, weight in part.named_parameters():  # as sure of itself as a trained network
            nn.init.normal_(weight, float("norm" in name and "weight" in name), 0.4)
    checkpoint = {name: dict(part.state_dict()) for name, part in parts.items()}
    checkpoint["local_sentence_encoder"]["word_embedding"] = torch.randn(len(words), d)

    folder = tmp_path_factory.mktemp("authors")
    torch.save(checkpoint, folder / "model.pt")
    (folder / "vocabulary_200dim.pkl").write_bytes(pickle.dumps(words))
    return folder / "model.pt", folder / "vocabulary_200dim.pkl"


@pytest.fixture(scope="session")
def paper() -> str:
    """A document in Markdown: eleven sentences, some across lines."""
    return PAPER


@pytest.fixture(scope="session")
def model_folder(tiny: PolicyConfig, vectors: WordVectors, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An exported model; untrained, it stops neither at once nor with certainty."""
    import torch

    from memsum.model import ModelConfig, StopSettings, write_manifest
    from memsum_train.policy.export import export_policy
    from memsum_train.policy.folder import new_policy, save_policy

    folder = tmp_path_factory.mktemp("models") / "tiny"
    torch.manual_seed(3)
    policy = new_policy(tiny, TextEncoder(vectors)).eval()
    save_policy(folder, policy, ModelConfig(tiny.to_dict(), stop=StopSettings(0.999, 4)), TextEncoder(vectors))
    export_policy(policy, folder)
    write_manifest(folder)
    return folder


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name cases by their argument where they are bytes: archives hold the time, which differs between workers."""
    return argname if isinstance(val, bytes) else None
