"""Loading a model and reading any document with it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memsum.errors import DocumentError, ModelError
from memsum.model import ModelConfig
from memsum.model.graphs import Graph
from memsum.model.runtime import Runtime
from memsum.training.corpus import Example

if TYPE_CHECKING:
    from conftest import MakePair, Pair

GRAPHS = ("sentences.onnx", "document.onnx", "step.onnx")


def extract(runtime: Runtime, sentences: list[str], count: int = 7) -> list[int]:
    episode = runtime.begin(sentences)
    episode.extend(count)
    return episode.choices


def test_a_runtime_knows_its_model(pair: Pair):
    assert pair.runtime.config == ModelConfig.load(pair.folder)
    assert pair.runtime.encoder.vectors.vocabulary.words == pair.encoder.vectors.vocabulary.words


@pytest.mark.parametrize("name", GRAPHS)
def test_a_missing_graph_is_named(pair: Pair, tmp_path: Path, name: str):
    folder = shutil.copytree(pair.folder, tmp_path / "model")
    (folder / name).unlink()
    with pytest.raises(ModelError, match=name) as error:
        Runtime.load(folder)
    assert error.value.hint


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("damage", [b"", b"not a graph", None], ids=["empty", "text", "cut in half"])
def test_a_damaged_graph_is_named(pair: Pair, tmp_path: Path, name: str, damage: bytes | None):
    folder = shutil.copytree(pair.folder, tmp_path / "model")
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: len(content) // 2] if damage is None else damage)
    with pytest.raises(ModelError, match=name):
        Runtime.load(folder)


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("variant", [{"dimension": 8}, {"history": "none", "dimension": 32}])
def test_graphs_of_two_models_do_not_mix(
    pair: Pair, make_pair: MakePair, tmp_path: Path, name: str, variant: dict[str, object]
):
    folder = shutil.copytree(pair.folder, tmp_path / "model")
    shutil.copy(make_pair(**variant).folder / name, folder / name)
    with pytest.raises(ModelError, match="do not fit"):
        Runtime.load(folder)


def test_any_graph_of_the_model_in_place_of_another_is_refused(pair: Pair, tmp_path: Path):
    folder = shutil.copytree(pair.folder, tmp_path / "model")
    shutil.copy(folder / "document.onnx", folder / "sentences.onnx")
    with pytest.raises(ModelError, match="do not fit"):
        Runtime.load(folder)


@pytest.mark.parametrize("setting", [{"local": "lstm"}, {"local": "mean"}, {"dimension": 32}, {"history": "gru"}])
def test_graphs_of_another_network_than_the_config_says(pair: Pair, tmp_path: Path, setting: dict[str, object]):
    folder = shutil.copytree(pair.folder, tmp_path / "model")
    config = ModelConfig.load(folder)
    replace(config, policy=config.policy | setting).save(folder)
    with pytest.raises(ModelError, match="another network than its config"):
        Runtime.load(folder)


def test_a_run_that_fails_names_its_graph(pair: Pair):
    graph = Graph(pair.folder / "document.onnx", threads=1)
    for arrays in ({}, {"sentences": np.zeros((3, 5), np.float32)}, {"sentences": np.zeros((3, 16), np.int64)}):
        with pytest.raises(ModelError, match=r"document\.onnx cannot be run") as error:
            graph.run(arrays)
        assert "\n" not in error.value.message
        assert error.value.message.endswith(".")


def test_no_sentences_are_no_document(pair: Pair):
    with pytest.raises(DocumentError):
        pair.runtime.begin([])


@pytest.mark.parametrize("local", ["pooled", "lstm", "mean"])
@pytest.mark.parametrize(
    "sentences",
    [
        ["The rule was last amended in 2004."],
        ["", " ", "\n"],
        ["a", "b", "?", "7", "é"],
        ["海水の温度", "は平年より", "高かった"],
        ["word " * 2_000, "x" * 10_000, "Short."],
        ["\ud800 half a pair", "a\x00b", "‮right to left"],
    ],
    ids=["one", "blank", "single characters", "unknown", "10,000 characters", "odd characters"],
)
def test_any_sentence_can_be_read(make_pair: MakePair, local: str, sentences: list[str]):
    assert sorted(extract(make_pair(local=local).runtime, sentences)) == list(range(len(sentences)))


def test_five_thousand_sentences(pair: Pair, examples: list[Example]):
    text = [f"{sentence} ({n})" for n in range(200) for sentence in examples[n % 24].text][:5_000]
    assert len(text) == 5_000
    choices = extract(pair.runtime, text, 3)
    assert len(set(choices)) == 3


@settings(max_examples=40, deadline=None)
@given(sentences=st.lists(st.text(max_size=30), min_size=1, max_size=12))
def test_every_sentence_is_extracted_once_at_its_first_place(pair: Pair, sentences: list[str]):
    first = {sentence: place for place, sentence in reversed(list(enumerate(sentences)))}
    assert sorted(extract(pair.runtime, sentences, 100)) == sorted(first.values())


@pytest.mark.parametrize("local", ["pooled", "lstm"])
def test_threads_make_no_difference(make_pair: MakePair, examples: list[Example], local: str):
    pair = make_pair(local=local)
    text = [f"{sentence} {n}" for n, example in enumerate(examples[:6]) for sentence in example.text]
    one, two = (Runtime.load(pair.folder, threads=threads).begin(text) for threads in (1, 2))
    one.extend(7)
    two.extend(7)
    assert (one.choices, one.scores, one.stops) == (two.choices, two.scores, two.stops)


def test_several_threads_share_a_runtime(pair: Pair, examples: list[Example]):
    runtime = Runtime.load(pair.folder, threads=2)
    texts = [list(example.text) for example in examples]
    wanted = [extract(runtime, text) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda text: extract(runtime, text), texts * 3)) == wanted * 3


def test_no_torch_is_imported(pair: Pair):
    code = (
        "import sys; from pathlib import Path; from memsum.model.runtime import Runtime; "
        "Runtime.load(Path(sys.argv[1])).begin(['One.', 'Two.']).extend(1); "
        "print(*sorted({'torch', 'onnx', 'numba', 'nltk', 'scipy', 'memsum.training.policy'} & sys.modules.keys()))"
    )
    result = subprocess.run([sys.executable, "-c", code, str(pair.folder)], capture_output=True, text=True, check=True)
    assert result.stdout.split() == []
