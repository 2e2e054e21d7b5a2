"""An imported checkpoint selects what the authors' code selects; here their inference is written down once more."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from memsum import Summarizer
from memsum.model import ModelConfig, StopSettings
from memsum_train.corpus import Example
from memsum_train.learning.data import encode_corpus
from memsum_train.paper.model import extract
from memsum_train.policy.batch import collate
from memsum_train.policy.folder import load_policy
from memsum_train.policy.importer import import_checkpoint

SENTENCES, TOKENS = 500, 100  # everything is padded to this
STEPS = 7
LONG = " ".join(["and the sample size was computed for a power of 80 % by two authors"] * 12)
# Blank sentences, repeats, words that nobody knows, marks as words, more words than fit.
ODD = [
    "Data were entered twice and checked by a second reader.",
    "",
    "Zyx qwv!",
    "Data were entered twice and checked by a second reader.",
    " \t ",
    "the <pad> mean age <eos> was the same in several languages .",
    LONG,
    "THE Committee met 3 times during the year.",
    "",
]


@dataclass
class Played:
    """What the authors' code would say at every step, and which sentence it takes."""

    choices: list[int] = field(default_factory=list)
    scores: list[Tensor] = field(default_factory=list)  # of all sentences
    stops: list[float] = field(default_factory=list)

    def selected(self, threshold: float, most: int) -> list[int]:
        for step, stop in enumerate(self.stops[:most]):
            if stop > threshold:
                return self.choices[:step]
        return self.choices[:most]


class Authors:
    """500 sentences of 100 tokens, all of them computed."""

    def __init__(self, model: Path, vocabulary: Path) -> None:
        parts = torch.load(model, weights_only=True)
        self.weights = {f"{part}.{name}": w for part, state in parts.items() for name, w in state.items()}
        self.ids = {word: i for i, word in enumerate(pickle.loads(vocabulary.read_bytes()))}
        self.heads = len(self.weights["local_sentence_encoder.mh_pool.ln_attention_score.weight"])

    def linear(self, name: str, x: Tensor) -> Tensor:
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def norm(self, name: str, x: Tensor) -> Tensor:
        return F.layer_norm(x, x.shape[-1:], self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    def lstm(self, name: str, x: Tensor) -> Tensor:
        rnn = nn.LSTM(x.shape[-1], x.shape[-1], 2, batch_first=True, bidirectional=True)
        rnn.load_state_dict({n.removeprefix(f"{name}."): w for n, w in self.weights.items() if n.startswith(name)})
        return rnn(x)[0]

    def pool(self, name: str, x: Tensor, padding: Tensor) -> Tensor:
        """x (L, w) → (w,)."""
        shares = self.linear(f"{name}.ln_attention_score", x).masked_fill(padding[:, None], -1e9).softmax(dim=0)
        values = self.linear(f"{name}.ln_value", x).chunk(self.heads, dim=1)
        return self.linear(f"{name}.ln_out", torch.cat([shares[:, h] @ values[h] for h in range(self.heads)]))

    def attend(self, name: str, x: Tensor, keys: Tensor, hidden: Tensor) -> Tensor:
        """x (N, d) looks at keys (K, d), except the hidden ones (K,)."""
        parts = {"q": x, "k": keys, "v": keys}
        q, k, v = (self.linear(f"{name}.ln_{p}", what).chunk(self.heads, dim=1) for p, what in parts.items())
        heads = []
        for h in range(self.heads):
            logits = (q[h] @ k[h].T / q[h].shape[1] ** 0.5).masked_fill(hidden, -1e9)
            heads.append(logits.softmax(dim=1) @ v[h])
        return self.linear(f"{name}.ln_out", torch.cat(heads, dim=1))

    def sequence(self, sentence: str) -> list[int]:
        ids = [self.ids[word] for word in sentence.lower().split() if word in self.ids]
        ids = [*ids[: TOKENS - 1], self.ids["<eos>"]]
        return ids + [self.ids["<pad>"]] * (TOKENS - len(ids))

    def local(self, sentences: list[str]) -> Tensor:
        ids = torch.tensor([self.sequence(sentence) for sentence in sentences])
        states = self.lstm("local_sentence_encoder.rnn", self.weights["local_sentence_encoder.word_embedding"][ids])
        padding = ids == self.ids["<pad>"]
        name = "local_sentence_encoder"
        pooled = torch.stack([self.pool(f"{name}.mh_pool", *one) for one in zip(states, padding, strict=True)])
        return self.linear(f"{name}.ln_out", F.relu(self.norm(f"{name}.norm_out", pooled)))

    def context(self, local: Tensor) -> Tensor:
        name = "global_context_encoder"
        return self.linear(
            f"{name}.ln_out", F.relu(self.norm(f"{name}.norm_out", self.lstm(f"{name}.rnn", local[None])[0]))
        )

    def history(self, local: Tensor, gone: Tensor, extracted: Tensor) -> Tensor:
        if not extracted.any():
            return torch.zeros_like(local)
        x = local
        for i in range(3):
            name = f"extraction_context_decoder.layer_list.{i}"
            x = self.norm(f"{name}.norm1", x + self.attend(f"{name}.masked_mha", x, x, gone))
            x = self.norm(f"{name}.norm2", x + self.attend(f"{name}.mha", x, local, ~extracted))
            wide = F.relu(self.linear(f"{name}.feed_forward.ln1", x))
            x = self.norm(f"{name}.norm3", x + self.linear(f"{name}.feed_forward.ln2", wide))
        return x

    def look(self, parts: list[Tensor], gone: Tensor) -> tuple[Tensor, Tensor]:
        x = self.norm("extractor.norm_input", torch.cat(parts, dim=1))
        for i in (1, 2):
            x = F.relu(self.norm(f"extractor.norm_hidden{i}", self.linear(f"extractor.ln_hidden{i}", x)))
        pooled = F.relu(self.norm("extractor.norm_pool", self.pool("extractor.mh_pool", x, gone)))
        stop = self.linear("extractor.ln_stop", pooled).sigmoid()
        return self.linear("extractor.ln_out", x).sigmoid()[:, 0].masked_fill(gone, 0), stop

    @torch.no_grad()
    def play(self, sentences: list[str]) -> Played:
        frame = [*sentences[:SENTENCES], *[""] * (SENTENCES - len(sentences))]
        empty = torch.tensor([not sentence.strip() for sentence in frame])
        local = self.local(frame)
        context = self.context(local)
        played, extracted = Played(), torch.zeros(SENTENCES, dtype=torch.bool)
        while len(played.choices) < STEPS and not (empty | extracted).all():
            gone = empty | extracted
            scores, stop = self.look([local, context, self.history(local, gone, extracted)], gone)
            choice = int(scores.argmax())
            extracted[choice] = True
            played.choices.append(choice)
            played.scores.append(scores)
            played.stops.append(float(stop))
        return played


@pytest.fixture(scope="module")
def documents(examples: list[Example]) -> list[list[str]]:
    """Of one sentence, of some, with blanks; one is longer than the frame."""
    long = [sentence for example in examples for sentence in example.text][: SENTENCES + 12]
    assert len(long) > SENTENCES
    return [["The mean age was 31.4 years."], list(examples[0].text), list(examples[1].text), ODD, long]


@pytest.fixture(scope="module")
def truth(authors_files: tuple[Path, Path], documents: list[list[str]]) -> list[Played]:
    """What the authors' code says of the documents."""
    authors = Authors(*authors_files)
    return [authors.play(document) for document in documents]


@pytest.fixture(scope="module")
def folder(authors_files: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("imported") / "model"
    import_checkpoint(*authors_files, folder, stop=StopSettings(0.6, STEPS))
    return folder


def test_in_pytorch_it_plays_the_same_episodes(folder: Path, documents: list[list[str]], truth: list[Played]):
    policy, encoder, _ = load_policy(folder)
    texts = [encoder.encode(document) for document in documents]
    for text, extraction, wanted in zip(texts, extract(policy, collate(texts), STEPS), truth, strict=True):
        assert [int(text.indices[choice]) for choice in extraction.choices] == wanted.choices
        best = [float(scores.max()) for scores in wanted.scores]
        np.testing.assert_allclose(extraction.scores, best, atol=1e-4)
        np.testing.assert_allclose(extraction.stops[: len(best)], wanted.stops, atol=1e-4)


def test_on_onnx_runtime_it_selects_the_same_sentences(folder: Path, documents: list[list[str]], truth: list[Played]):
    summarizer = Summarizer.load(folder, threads=1)
    lengths = set()
    for document, wanted in zip(documents, truth, strict=True):
        all_stops = sorted(wanted.stops)
        for threshold in (0.0, 0.6, (all_stops[0] + all_stops[-1]) / 2, 1.0):
            summary = summarizer.summarize(
                document,
                stop_threshold=threshold,
                max_sentences=STEPS,
                min_sentences=0,
                order="extraction",
                explain=True,
            )
            selected = [sentence.index for sentence in summary]
            assert selected == wanted.selected(threshold, STEPS)
            lengths.add(len(selected))
            assert summary.explanation is not None
            np.testing.assert_allclose(
                summary.explanation.stops[: len(wanted.stops)], wanted.stops[: len(selected) + 1], atol=1e-3
            )
            for scores, theirs in zip(summary.explanation.scores, wanted.scores, strict=False):
                np.testing.assert_allclose(
                    [score or 0 for score in scores[:SENTENCES]], theirs[: len(scores)], atol=1e-3
                )
    assert len(lengths) > 3  # the thresholds make a difference


def test_what_is_left_out_of_a_long_document_is_said(folder: Path, documents: list[list[str]]):
    summarizer = Summarizer.load(folder, threads=1)
    said = "The model reads 500 sentences: the last 12 of the document were left out."
    assert said in summarizer.summarize(documents[-1]).warnings
    assert said not in summarizer.summarize(documents[-1][:500]).warnings


def test_it_stops_only_beyond_the_threshold(
    authors_files: tuple[Path, Path], folder: Path, documents: list[list[str]], tmp_path: Path
):
    summarizer = Summarizer.load(folder, threads=1)
    document = documents[1]
    threshold = summarizer.read(document).summarize(sentences=1, min_sentences=0).stop.probability
    import_checkpoint(*authors_files, tmp_path, stop=StopSettings(threshold, 1))
    strict = Summarizer.load(tmp_path, threads=1)
    assert strict.summarize(document).stop.probability == threshold
    assert strict.summarize(document).stop.reason == "max_sentences"
    assert strict.summarize(document, stop_threshold=threshold).stop.reason == "policy"


@pytest.mark.parametrize("kind", ["legacy", "training", "half"])
def test_other_forms_of_the_checkpoint(
    kind: str, authors_files: tuple[Path, Path], folder: Path, tmp_path: Path, recwarn: pytest.WarningsRecorder
):
    checkpoint = torch.load(authors_files[0], weights_only=True)
    if kind == "training":
        groups = [{"lr": 1e-4, "betas": (0.9, 0.999), "params": [0]}]
        optimizer = {"state": {0: {"step": torch.tensor(3.0), "exp_avg": torch.ones(3)}}, "param_groups": groups}
        checkpoint |= {"optimizer": optimizer, "scheduler": {"last_epoch": 3, "lr_lambdas": [None]}, "current_batch": 9}
    if kind == "half":
        checkpoint["extractor"] = {name: weight.half() for name, weight in checkpoint["extractor"].items()}
    torch.save(checkpoint, tmp_path / "model.pt", _use_new_zipfile_serialization=kind != "legacy")
    import_checkpoint(tmp_path / "model.pt", authors_files[1], tmp_path / "out", stop=StopSettings(0.6, STEPS))
    same = (tmp_path / "out" / "policy.safetensors").read_bytes() == (folder / "policy.safetensors").read_bytes()
    assert same == (kind != "half")
    assert not recwarn.list


def test_it_can_be_trained_on(folder: Path, examples: list[Example]):
    """An episode that points beyond the frame loses what lies there."""
    policy, encoder, _ = load_policy(folder)
    notes = tuple(f"The archive holds {i} pages." for i in range(SENTENCES + 12))
    long = Example(notes, ("x",), indices=((3, 505), (507,), (501, 8)), scores=(0.5, 0.4, 0.3))
    beyond = Example(notes, ("x",), indices=((507,),), scores=(0.4,))
    corpus = encode_corpus([long, beyond, examples[0]], encoder)
    assert [len(corpus[i].text) for i in range(len(corpus))] == [500, len(examples[0].text)]
    assert [episode.tolist() for episode in corpus[0].episodes] == [[3], [8]]
    assert corpus[0].rewards.tolist() == pytest.approx([0.5, 0.3])
    batch = collate([corpus[1].text])
    assert extract(policy, batch, 3) == extract(policy, collate([encoder.encode(examples[0].text)]), 3)
    policy.train()
    policy.encode(batch).context.sum().backward()
    assert all(weight.grad is not None for weight in policy.local.parameters())


def test_the_folder_says_where_it_comes_from(folder: Path):
    config = ModelConfig.load(folder)
    assert config.training["imported"].keys() == {"model.pt", "vocabulary_200dim.pkl"}
    assert config.stop.max_sentences == STEPS
    assert config.stop.threshold == pytest.approx(0.6)
