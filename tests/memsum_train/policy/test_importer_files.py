"""Files that are not what the authors published: one sentence says why, and nothing in them is run."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from memsum.errors import ModelError
from memsum.model import StopSettings
from memsum_train.policy.importer import import_checkpoint

Parts = dict[str, dict[str, Any]]

LOCAL, CONTEXT, HISTORY = "local_sentence_encoder", "global_context_encoder", "extraction_context_decoder"


class Malicious:
    """Runs a command when it is unpickled by a loader that trusts it."""

    def __init__(self, command: str) -> None:
        self._command = command

    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        return os.system, (self._command,)


def refuse(model: Path, vocabulary: Path, folder: Path) -> str:
    with pytest.raises(ModelError) as caught:
        import_checkpoint(model, vocabulary, folder / "out", stop=StopSettings())
    assert not (folder / "out").exists()
    message = caught.value.message
    assert message.endswith(".")
    assert "\n" not in message
    return message


@pytest.fixture
def parts(authors_files: tuple[Path, Path]) -> Parts:
    return dict(torch.load(authors_files[0], weights_only=True))


@pytest.mark.parametrize("zipped", [True, False])
@pytest.mark.parametrize("place", ["instead", "beside", "within"])
def test_a_malicious_checkpoint_runs_nothing(
    zipped: bool, place: str, parts: Parts, authors_files: tuple[Path, Path], tmp_path: Path
):
    mark = tmp_path / "mark"
    evil: Any = Malicious(f"touch {mark}")
    contents = {"instead": evil, "beside": {**parts, "scheduler": evil}, "within": {**parts, LOCAL: {"rnn": evil}}}
    torch.save(contents[place], tmp_path / "model.pt", _use_new_zipfile_serialization=zipped)
    message = refuse(tmp_path / "model.pt", authors_files[1], tmp_path)
    assert "model.pt is not a checkpoint of nothing but weights" in message
    assert not mark.exists()
    torch.load(tmp_path / "model.pt", weights_only=False)
    assert mark.exists()  # it would have


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_malicious_vocabulary_runs_nothing(protocol: int, authors_files: tuple[Path, Path], tmp_path: Path):
    mark = tmp_path / "mark"
    path = tmp_path / "words.pkl"
    path.write_bytes(pickle.dumps(["<pad>", "<unk>", Malicious(f"touch {mark}")], protocol))
    assert "words.pkl is not a pickled list of words" in refuse(authors_files[0], path, tmp_path)
    assert not mark.exists()
    pickle.loads(path.read_bytes())
    assert mark.exists()  # it would have


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"words",
        b"\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\xff.",
        b"PK\x03\x04" + bytes(100),
        pickle.dumps(("a", "b")),
        pickle.dumps(["a", 3]),
        pickle.dumps({"<pad>": 0}),
        pickle.dumps(["\ud800", "<pad>"], 2),
        pickle.dumps([b"a"]),
        b"Pid\n.",  # a reference to something elsewhere
    ],
)
def test_a_vocabulary_that_is_none(content: bytes, authors_files: tuple[Path, Path], tmp_path: Path):
    (tmp_path / "words.pkl").write_bytes(content)
    assert "words.pkl is " in refuse(authors_files[0], tmp_path / "words.pkl", tmp_path)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda words: words[:-3], "words, the checkpoint vectors of"),
        (lambda words: [*words, "more"], "words, the checkpoint vectors of"),
        (lambda words: ["end" if word == "<eos>" else word for word in words], "lacks <eos>"),
        (lambda words: [word.strip("<>") for word in words], "lacks <pad> and <unk> and <eos>"),
    ],
)
def test_a_vocabulary_that_does_not_fit(
    change: Callable[[list[str]], list[str]], says: str, authors_files: tuple[Path, Path], tmp_path: Path
):
    words = pickle.loads(authors_files[1].read_bytes())
    (tmp_path / "words.pkl").write_bytes(pickle.dumps(change(words)))
    assert says in refuse(authors_files[0], tmp_path / "words.pkl", tmp_path)


@pytest.mark.parametrize("content", [b"", b"weights", b"PK\x03\x04" + bytes(100), pickle.dumps([1, 2]), "cut"])
def test_a_checkpoint_that_is_none(content: bytes | str, authors_files: tuple[Path, Path], tmp_path: Path):
    whole = authors_files[0].read_bytes()
    (tmp_path / "model.pt").write_bytes(content if isinstance(content, bytes) else whole[: len(whole) // 2])
    assert "model.pt is not a checkpoint" in refuse(tmp_path / "model.pt", authors_files[1], tmp_path)


CHANGES: dict[str, tuple[Callable[[Parts], object], str]] = {
    "no part": (lambda p: p.pop("extractor"), "has no extractor"),
    "a part of another kind": (lambda p: p.update(extractor=[1.0]), "has no extractor"),
    "no vectors": (lambda p: p[LOCAL].pop("word_embedding"), f"lacks the weight {LOCAL}.word_embedding"),
    "no LSTM": (
        lambda p: [p[CONTEXT].pop(name) for name in list(p[CONTEXT]) if "rnn" in name],
        f"lacks the weight {CONTEXT}.rnn.weight_ih_l0",
    ),
    "one direction missing": (
        lambda p: p[LOCAL].pop("rnn.bias_hh_l1_reverse"),
        f"lacks the weight {LOCAL}.rnn.bias_hh_l1_reverse",
    ),
    "no history": (lambda p: p[HISTORY].clear(), f"lacks the weight {HISTORY}.layer_list.0.feed_forward.ln1.weight"),
    "one bias missing": (
        lambda p: p[HISTORY].pop("layer_list.2.mha.ln_k.bias"),
        f"lacks the weight {HISTORY}.layer_list.2.mha.ln_k.bias",
    ),
    "another name": (
        lambda p: p["extractor"].update({"ln_end.weight": p["extractor"].pop("ln_stop.weight")}),
        "does not have: extractor.ln_end.weight",
    ),
    "one weight more": (lambda p: p[CONTEXT].update(gate=torch.ones(2)), f"does not have: {CONTEXT}.gate"),
    "another size": (
        lambda p: p["extractor"].update({"ln_hidden1.weight": torch.ones(32, 47)}),
        "extractor.ln_hidden1.weight is 32 × 47, where 32 × 48 would fit",
    ),
    "a number for a matrix": (
        lambda p: p[LOCAL].update({"ln_out.weight": torch.tensor(1.0)}),
        f"{LOCAL}.ln_out.weight is a single number",
    ),
    "heads that do not fit": (
        lambda p: p[LOCAL].update({"mh_pool.ln_attention_score.weight": torch.ones(5, 32)}),
        "cannot be split into 5 heads",
    ),
    "nothing at all": (
        lambda p: p[LOCAL].update({"ln_out.weight": torch.ones(0, 32)}),
        "must be a whole number of at least 1",
    ),
    "whole numbers": (
        lambda p: p[LOCAL].update({"norm_out.bias": torch.ones(32).long()}),
        "norm_out.bias is not a weight",
    ),
    "a list": (lambda p: p[LOCAL].update({"norm_out.bias": [0.0] * 32}), "norm_out.bias is not a weight"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_wrong_with_the_weights_is_named(
    change: str, parts: Parts, authors_files: tuple[Path, Path], tmp_path: Path
):
    alter, says = CHANGES[change]
    alter(parts)
    torch.save(parts, tmp_path / "model.pt")
    assert says in refuse(tmp_path / "model.pt", authors_files[1], tmp_path)


def test_files_that_are_not_there(authors_files: tuple[Path, Path], tmp_path: Path):
    model, vocabulary = authors_files
    assert "No such file" in refuse(tmp_path / "absent.pt", vocabulary, tmp_path)
    assert "No such file" in refuse(model, tmp_path / "absent.pkl", tmp_path)
    assert "cannot be read" in refuse(tmp_path, vocabulary, tmp_path)


def test_the_two_files_in_the_wrong_order(authors_files: tuple[Path, Path], tmp_path: Path):
    with pytest.raises(ModelError) as caught:
        import_checkpoint(*reversed(authors_files), tmp_path / "out", stop=StopSettings())
    assert "in this order" in (caught.value.hint or "")
