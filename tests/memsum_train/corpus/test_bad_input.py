from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from memsum.batch.run import Run
from memsum.errors import CorpusError
from memsum_train.corpus.build import Conversion, build_corpus
from memsum_train.corpus.records import Example, read_examples
from memsum_train.corpus.stats import all_statistics
from memsum_train.paper.episodes import EpisodeSearch, add_episodes

from .conftest import Build

GOOD = """<article><front><article-meta><abstract><p>A short abstract.</p></abstract></article-meta></front>
<body><p>One sentence of text. And another.</p></body></article>"""
BOMB = """<?xml version="1.0"?><!DOCTYPE article [<!ENTITY a "ha ha ha ha ha ha ha ha">
<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">
<!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;">
<!ENTITY f "&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;"><!ENTITY g "&f;&f;&f;&f;&f;&f;&f;&f;&f;&f;">]>
<article><front><article-meta><abstract><p>&g;</p></abstract></article-meta></front><body><p>&g;</p></body></article>"""
SECRET = """<?xml version="1.0"?><!DOCTYPE article [<!ENTITY secret SYSTEM "{path}">]>
<article><front><article-meta><abstract><p>Known: &secret;</p></abstract></article-meta></front>
<body><p>It says &secret; here.</p></body></article>"""


def test_a_folder_of_bad_articles_loses_none_of_them(tmp_path: Path, build: Build) -> None:
    folder = tmp_path / "articles"
    folder.mkdir()
    (tmp_path / "secret.txt").write_text("PASSWORD")
    junk = random.Random(5).randbytes(5000)
    contents = {
        "bomb.xml": BOMB.encode(),
        "cut.xml": GOOD[: len(GOOD) // 2].encode(),
        "empty.nxml": b"",
        "good.xml": GOOD.encode(),
        "html.xml": b"<html><body><p>Not an article.</p></body></html>",
        "junk.txt": junk,
        "junk.xml": junk,
        "secret.xml": SECRET.format(path=tmp_path / "secret.txt").encode(),
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    counts, examples, complaints = build(folder)
    assert counts.kept + counts.failed == len(contents)
    assert "good" in [record["id"] for record in examples]
    assert {"bomb.xml", "empty.nxml", "html.xml", "junk.xml", "junk.txt"} <= {
        Path(str(record["source"])).name for record in complaints
    }
    assert not any("Unexpected" in str(record["reason"]) for record in complaints)
    assert "PASSWORD" not in f"{examples} {complaints}"


def test_lines_of_every_bad_kind_are_listed_with_their_numbers(tmp_path: Path, build: Build) -> None:
    good = json.dumps({"text": "The gate opened. Nobody passed.", "summary": "The gate opened."}).encode()
    bad = [
        good[: len(good) // 2],
        b"\x80\x81 binary \x00 junk",
        b"[]",
        b"12",
        b'"text"',
        b'{"text": "No summary."}',
        b'{"text": 5, "summary": "A number."}',
        b'{"text": [], "summary": []}',
        b'{"text": "   ", "summary": "Nothing in it."}',
        b'{"text": [null], "summary": ["x"]}',
        b'{"abstract": ["x"], "sections": null}',
    ]
    source = tmp_path / "in.jsonl"
    source.write_bytes(b"\n".join(line for pair in zip([good] * len(bad), bad, strict=True) for line in pair))
    counts, _, complaints = build(source)
    assert (counts.kept, counts.failed) == (len(bad), len(bad))
    assert [record["line"] for record in complaints] == list(range(2, 2 * len(bad) + 1, 2))
    assert not any("Unexpected" in str(record["reason"]) for record in complaints)
    assert all(str(record["reason"]).endswith(".") for record in complaints)


@pytest.mark.parametrize("content", [b"", b"\n\n  \n"])
def test_an_empty_file_is_an_error(content: bytes, tmp_path: Path, build: Build) -> None:
    (tmp_path / "in.jsonl").write_bytes(content)
    with pytest.raises(CorpusError, match="no record"):
        build(tmp_path / "in.jsonl")
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


def test_binary_junk_named_jsonl_is_an_error(tmp_path: Path, build: Build) -> None:
    (tmp_path / "in.jsonl").write_bytes(random.Random(6).randbytes(20_000))
    with pytest.raises(CorpusError, match=r"None of the [\d,]+ records could be used"):
        build(tmp_path / "in.jsonl")


def test_tiny_and_huge_documents_go_all_the_way(write_jsonl: Callable[..., str], tmp_path: Path, alone: Run) -> None:
    pytest.importorskip("numba")
    long_sentence = "The committee noted " + "the very same point again and " * 334 + "adjourned."
    assert len(long_sentence) > 10_000
    source = write_jsonl(
        "in.jsonl",
        {"id": "one", "text": "Only this sentence.", "summary": "This sentence."},
        {
            "id": "many",
            "text": " ".join(f"Station {number} reported no change." for number in range(20_000)),
            "summary": "Station 7 reported no change.",
        },
        {"id": "wide", "text": f"Short one. {long_sentence} Short two.", "summary": "The committee adjourned."},
        {"id": "strange", "text": "Alpha beta gamma. Delta.", "summary": "Unrelated words entirely."},
        {"id": "symbols", "text": "… — ! ?", "summary": "***"},
    )
    built, searched = str(tmp_path / "built.jsonl"), str(tmp_path / "searched.jsonl.zst")
    assert build_corpus([source], built, Conversion(), alone).failed == 0
    counts = add_episodes(built, searched, EpisodeSearch(), alone)
    assert (counts.kept, counts.flagged, counts.failed) == (5, 2, 0)
    examples = {example.id: example for example in read_examples(searched) if isinstance(example, Example)}
    assert len(examples["many"].text) == 20_000
    assert max(len(sentence) for sentence in examples["wide"].text) == len(long_sentence)
    assert examples["one"].indices == ((0,),)
    assert examples["strange"].indices == ()
    assert all_statistics([searched])[0].pairs == 5


def test_half_a_surrogate_pair_does_not_reach_the_corpus(build: Build) -> None:
    [record] = build({"text": "A broken \ud83d emoji. Fine.", "summary": "Broken \udc00 too."}).examples
    assert record["text"] == ["A broken \ufffd emoji.", "Fine."]
    assert record["summary"] == ["Broken \ufffd too."]
