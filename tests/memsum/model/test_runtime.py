"""Loading a model and reading any document with it."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import helper, numpy_helper

from memsum import Summarizer, Summary
from memsum.errors import DocumentError, MemsumError, ModelError
from memsum.features.encoding import EncodedText, Words
from memsum.isolation import cores
from memsum.model import ModelConfig
from memsum.model.graphs import Graph, _bags, by_length, shares
from memsum.model.runtime import Runtime
from memsum.select import begin
from memsum_train.corpus import Example

if TYPE_CHECKING:
    from conftest import MakePair, Pair


GRAPHS = ("sentences.onnx", "document.onnx", "step.onnx")


def extract(runtime: Runtime, sentences: list[str], count: int = 7) -> list[int]:
    episode = begin(runtime, sentences)
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


def test_constants_of_a_few_bytes_cannot_ask_for_all_memory(tmp_path: Path):
    (tmp_path / "a.onnx").write_bytes(
        _graph(
            helper.make_node("ConstantOfShape", ["wide"], ["zeros"]), helper.make_node("ReduceSum", ["zeros"], ["y"])
        )
    )
    code = (  # in a process of its own: the bound is that of a process
        "import sys; from pathlib import Path; from memsum.model import graphs; graphs._MEMORY = 2**26\n"
        "try: graphs.Graph(Path(sys.argv[1]), 1).run({'x': graphs.np.ones(1, 'f')})\n"
        "except MemoryError: print('refused')"
    )
    run = [sys.executable, "-c", code, str(tmp_path / "a.onnx")]
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout == "refused\n"


def test_numbers_that_are_none_are_refused(tmp_path: Path):
    (tmp_path / "a.onnx").write_bytes(_graph(helper.make_node("Log", ["x"], ["y"])))
    graph = Graph(tmp_path / "a.onnx", threads=1)
    assert graph.run({"x": np.ones(1, np.float32)})["y"].tolist() == [0]
    with pytest.raises(ModelError, match=r"a\.onnx gives NaN"):
        graph.run({"x": -np.ones(1, np.float32)})


def _graph(*nodes: onnx.NodeProto) -> bytes:
    """From x to y, with `wide`, the shape of 128 MB of zeros."""
    x, y = (helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [None]) for name in "xy")
    wide = numpy_helper.from_array(np.array([2**25], np.int64), "wide")
    opsets = [helper.make_opsetid("", 17)]
    model = helper.make_model(helper.make_graph(nodes, "a", [x], [y], [wide]), opset_imports=opsets, ir_version=8)
    content: bytes = model.SerializeToString()
    return content


def test_no_sentences_are_no_document(pair: Pair):
    with pytest.raises(DocumentError):
        begin(pair.runtime, [])


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
    one, two = (begin(Runtime.load(pair.folder, threads=threads), text) for threads in (1, 2))
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
        "from memsum.select import begin; "
        "begin(Runtime.load(Path(sys.argv[1])), ['One.', 'Two.']).extend(1); "
        "print(*sorted({'torch', 'onnx', 'numba', 'nltk', 'scipy', 'memsum_train.policy'} & sys.modules.keys()))"
    )
    result = subprocess.run([sys.executable, "-c", code, str(pair.folder)], capture_output=True, text=True, check=True)
    assert result.stdout.split() == []


@given(lengths=st.lists(st.integers(1, 150), min_size=1, max_size=80))
def test_sequences_of_about_one_length(lengths: list[int]):
    batches = by_length(np.array(lengths), 16)
    assert sorted(np.concatenate(batches).tolist()) == list(range(len(lengths)))
    assert all(len(batch) <= 16 for batch in batches)
    together = np.array(lengths)[np.concatenate(batches)]
    assert (np.diff(together) <= 0).all()
    for batch in batches:
        assert (np.array(lengths)[batch[4:]] >= 0.75 * lengths[batch[0]]).all()


@pytest.mark.parametrize(
    ("number", "bounds"), [(1, [0, 1]), (64, [0, 64]), (65, [0, 32, 65]), (90, [0, 45, 90]), (130, [0, 43, 86, 130])]
)
def test_neighbors_in_equal_shares(number: int, bounds: list[int]):
    assert shares(number, 64) == bounds


@pytest.mark.parametrize("number", [1, 128, 300])
def test_bags_count_the_words_of_each_sentence(number: int):
    draw = np.random.default_rng(number)
    rows = [draw.integers(0, 9, draw.integers(1, 30)).tolist() for _ in range(number)]
    starts = np.cumsum([0, *map(len, rows)])[:-1]
    ids = np.concatenate(rows)
    distinct, places = np.unique(ids, return_inverse=True)
    words = Words(distinct, distinct[:, None].astype(np.float32), places, np.zeros((number, 1), np.float32))
    counted = [
        {int(word): int(count) for word, count in zip(bag["words"][:, 0], counts, strict=True) if count}
        for bag in _bags(EncodedText.from_ids(ids, starts), words)
        for counts in bag["counts"]
    ]
    assert counted == [{word: row.count(word) for word in set(row) - {0}} for row in rows]  # 0 is the padding


LONG = 100_000  # characters
PATIENCE = 30.0  # seconds of this process's own work, after which a document counts as endless

# What is repeated until the text is long: words, marks, markup and half characters, most of them without a space.
UNITS = [
    *("a", "A.", "x y. ", "1", "1,", "12.5 ", "1. \n", ".", "!? ", "(", '"', "“", "'s ", "don't", "cannot", "-", "…"),
    *("é", "e\u0301", "\u0301", "日本語", "😀", "\u202e", "\ud800", "\x00", "\x0c", "\r", "\t"),
    *("[1] ", "et al. ", "(et al ", "@xcite ", "-lrb-", "Fig. 1. ", "I. ", "a) ", "- \n", "Results\n\n"),
    *("<p>", "&amp;", "# ", "> ", "| a ", "![", "`", "*", "$", "{", "\\begin{a}"),
]
# Every plane, surrogates and controls; as often, characters that rules are about.
CHARACTERS = st.one_of(st.characters(exclude_categories=()), st.sampled_from(" .?!'\"()[]-–’0123456789\n\tabcABC"))
WORDS = st.one_of(st.text(CHARACTERS, max_size=12), st.sampled_from(UNITS), st.sampled_from(["x" * 5_000, "7" * 5_000]))
MAGIC = [
    *(b"", b"%PDF-1.7\n", b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"{\\rtf", b"# ", b"\xff\xfe"),
    *(b"<!DOCTYPE html><p>", b"<?xml version='1.0'?><article><body><p>", b"\\documentclass{a}\\begin{document}"),
]
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]


@pytest.fixture(autouse=True)
def _limit() -> Iterator[None]:
    """Interrupt what does not end; the clock counts this process's work only, so a busy machine changes nothing."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def interrupt(*_: object) -> None:
        raise AssertionError("The summarizer does not come to an end.")

    former = signal.signal(signal.SIGVTALRM, interrupt)
    signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, former)


def check(summarizer: Summarizer, source: str | Path) -> None:
    result = answer(summarizer, source)
    if isinstance(result, MemsumError):
        assert result.message.endswith(".")
        return
    assert len(result) >= 1
    for sentence in result:
        assert result.document.text[sentence.start : sentence.end] == sentence.text


def answer(summarizer: Summarizer, source: str | Path) -> Summary | MemsumError:
    try:
        return summarizer.summarize(source)
    except MemsumError as error:
        return error


@pytest.mark.parametrize("unit", UNITS, ids=ascii)
def test_a_hundred_thousand_characters_of_one_kind(summarizer: Summarizer, unit: str):
    check(summarizer, unit * (LONG // len(unit)))


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=SLOW)
@given(st.lists(st.tuples(WORDS, st.integers(1, 30)), max_size=12), st.sampled_from(["", " ", ". ", "\n"]))
def test_any_text(summarizer: Summarizer, parts: list[tuple[str, int]], between: str):
    check(summarizer, between.join(word * times for word, times in parts))


@settings(max_examples=60, deadline=None, suppress_health_check=SLOW)
@given(magic=st.sampled_from(MAGIC), content=st.binary(max_size=300), times=st.integers(1, 20))
def test_any_file(summarizer: Summarizer, tmp_path: Path, magic: bytes, content: bytes, times: int):
    path = tmp_path / "document"
    path.write_bytes(magic + content * times)
    check(summarizer, path)


def test_there_are_no_more_threads_than_cores(pair: Pair):
    assert Runtime.load(pair.folder, threads=100_000).threads == cores()
