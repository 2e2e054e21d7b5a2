from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memsum.batch.run import LocalEngine, Run
from memsum.errors import CorpusError
from memsum.training.corpus.build import Conversion, build_corpus, find_sources

Write = Callable[..., str]
Load = Callable[[object], list[dict[str, object]]]
Make = Callable[..., dict[str, object]]

JATS = """<?xml version="1.0"?>
<article><front><article-meta><title-group><article-title>Cork and humidity</article-title></title-group>
<abstract><p>Cork swells in humid air. The effect is small.</p></abstract></article-meta></front>
<body><sec><title>Background</title><p>Cork is used for floors. It takes up water (Fig. 2).</p></sec>
<sec><title>Results</title><sec><title>Swelling</title><p>Swelling reached 0.4 % in a week.</p></sec></sec></body>
</article>"""


def test_a_paper_becomes_sentences_that_know_their_section(
    write_jsonl: Write, load: Load, make_paper: Make, tmp_path: Path, alone: Run
) -> None:
    source = write_jsonl("papers.jsonl", make_paper())
    counts = build_corpus([source], str(tmp_path / "out.jsonl"), Conversion(), alone)
    assert (counts.kept, counts.failed) == (1, 0)
    (record,) = load(tmp_path / "out.jsonl")
    assert record == {
        "id": "paper-1",
        "text": [
            "Night trains are back.",
            "Few know how people sleep on them (Smith et al., 2019).",
            "We asked 1 travellers, i.e. those in car 5.",
            "Answers were anonymous.",
            "Most slept badly.",
            "Earplugs helped.",
        ],
        "summary": [
            "Sleep on night trains was surveyed.",
            "Most travellers slept badly.",
            "Earplugs helped (p = 0.02).",
        ],
        "sections": ["1. Introduction"] * 2 + ["2. Methods"] * 2 + ["3. Results"] * 2,
        "source": "Sample Press",
        "license": "CC BY 4.0",
        "doi": "10.0000/1",
        "title": "Night trains and sleep: survey 1",
    }


def test_strings_are_split_and_lists_are_kept(write_jsonl: Write, load: Load, tmp_path: Path, alone: Run) -> None:
    source = write_jsonl(
        "pairs.jsonl",
        {"text": "The dam held. Dr. Lee's team checked it.", "summary": "The dam held.", "year": 1998},
        {
            "text": ["the dam held .", "it was  checked ."],
            "summary": ["the dam held ."],
            "indices": [[0]],
            "score": [1.0],
        },
        {"text": ["Kept as it is. Even so."], "summary": "Split. Into two."},
    )
    build_corpus([source], str(tmp_path / "out.jsonl"), Conversion(), alone)
    first, second, third = load(tmp_path / "out.jsonl")
    assert first == {
        "text": ["The dam held.", "Dr. Lee's team checked it."],
        "summary": ["The dam held."],
        "year": 1998,
    }
    assert second["text"] == ["the dam held .", "it was  checked ."]
    assert second["indices"] == [[0]]
    assert third == {"text": ["Kept as it is. Even so."], "summary": ["Split.", "Into two."]}


def test_columns_can_be_named(write_jsonl: Write, load: Load, tmp_path: Path, alone: Run) -> None:
    source = write_jsonl("pairs.jsonl", {"article": "One. Two.", "highlights": "One.", "id": 4})
    conversion = Conversion(text_column="article", summary_column="highlights")
    build_corpus([source], str(tmp_path / "out.jsonl"), conversion, alone)
    assert load(tmp_path / "out.jsonl") == [{"id": 4, "text": ["One.", "Two."], "summary": ["One."]}]


def test_tables_have_pairs_in_all_their_columns(load: Load, tmp_path: Path, alone: Run) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow

    columns = {"id": [7, 8], "article": ["One. Two.", None], "highlights": [["One."], ["None."]], "year": [1999, 2000]}
    parquet.write_table(pyarrow.table(columns), tmp_path / "pairs.parquet")
    conversion = Conversion(text_column="article", summary_column="highlights")
    counts = build_corpus([str(tmp_path / "pairs.parquet")], str(tmp_path / "out.jsonl"), conversion, alone)
    assert load(tmp_path / "out.jsonl") == [{"id": 7, "text": ["One.", "Two."], "summary": ["One."], "year": 1999}]
    assert counts.errors is not None
    assert load(counts.errors) == [
        {
            "source": str(tmp_path / "pairs.parquet"),
            "line": 2,
            "reason": '"text" must be a list of sentences, not null.',
        }
    ]


def test_kinds_may_be_mixed_and_keep_their_order(
    write_jsonl: Write, load: Load, make_paper: Make, tmp_path: Path, alone: Run
) -> None:
    mixed = write_jsonl("mixed.jsonl", make_paper(1), {"text": "A pair.", "summary": "A."}, make_paper(2))
    (tmp_path / "articles" / "deep").mkdir(parents=True)
    (tmp_path / "articles" / "deep" / "cork.nxml").write_text(JATS)
    (tmp_path / "articles" / "zinc.xml").write_text(JATS.replace("Cork", "Zinc"))
    (tmp_path / "articles" / "figure.png").write_bytes(b"\x89PNG")
    (tmp_path / "articles" / ".hidden.xml").write_text(JATS)
    sources = [str(tmp_path / "articles"), mixed]
    assert find_sources(sources, Conversion()).count() == 5
    build_corpus(sources, str(tmp_path / "out.jsonl"), Conversion(), alone)
    records = load(tmp_path / "out.jsonl")
    assert [record.get("id") for record in records] == ["zinc", "cork", "paper-1", None, "paper-2"]
    assert records[1]["title"] == "Cork and humidity"
    assert records[1]["summary"] == ["Cork swells in humid air.", "The effect is small."]
    assert records[1]["sections"] == ["Background", "Background", "Results"]


def test_truncation_keeps_the_introduction(
    write_jsonl: Write, load: Load, make_paper: Make, tmp_path: Path, alone: Run
) -> None:
    (tmp_path / "cork.xml").write_text(JATS)
    untitled = make_paper(2, sections=[{"title": "Essay", "heading": "", "paragraphs": ["No such section."]}])
    source = write_jsonl("papers.jsonl", make_paper(1), untitled, {"text": "Plain. Text.", "summary": "Plain."})
    conversion = Conversion(introduction_only=True)
    counts = build_corpus([source, str(tmp_path / "cork.xml")], str(tmp_path / "out.jsonl"), conversion, alone)
    first, second = load(tmp_path / "out.jsonl")
    assert first["text"] == ["Night trains are back.", "Few know how people sleep on them (Smith et al., 2019)."]
    assert first["sections"] == ["1. Introduction"] * 2
    assert second["text"] == ["Cork is used for floors.", "It takes up water (Fig. 2)."]
    assert counts.failed == 2
    reasons = [record["reason"] for record in load(counts.errors)]
    assert reasons == [
        "The document has no section called introduction or background.",
        "The document has no sections, so it has no introduction to keep.",
    ]


def test_short_documents_and_those_without_summary_are_rejected_with_a_reason(
    write_jsonl: Write, load: Load, make_paper: Make, tmp_path: Path, alone: Run
) -> None:
    (tmp_path / "note.txt").write_text("A note without an abstract. It has two sentences.")
    source = write_jsonl("a.jsonl", make_paper(), {"text": "Too short.", "summary": "Short."}, make_paper(abstract=[]))
    counts = build_corpus(
        [source, str(tmp_path / "note.txt")], str(tmp_path / "o.jsonl"), Conversion(min_sentences=2), alone
    )
    assert counts.kept == 1
    complaints = load(counts.errors)
    assert [(record["source"], record.get("line")) for record in complaints] == [
        (source, 2),
        (source, 3),
        (str(tmp_path / "note.txt"), None),
    ]
    assert [record["reason"] for record in complaints] == [
        "The text is shorter than 2 sentences: it has 1.",
        '"summary" holds no sentence.',
        "The document has no abstract, so there is no summary to learn from.",
    ]


def test_a_record_of_no_known_kind_says_what_it_has(write_jsonl: Write, tmp_path: Path, load: Load, alone: Run) -> None:
    source = write_jsonl("a.jsonl", {"body": "x", "title": "y"}, {"text": "One.", "summary": "One."})
    counts = build_corpus([source], str(tmp_path / "o.jsonl"), Conversion(), alone)
    assert load(counts.errors)[0]["reason"] == (
        'The record has neither "text" and "summary" nor "abstract" and "sections"; its keys are "body", "title".'
    )


@pytest.mark.parametrize(
    "sections",
    [7, ["text"], [{"title": "A", "paragraphs": "One string. Is fine."}], [{"title": "A", "paragraphs": [3]}]],
)
def test_papers_of_another_shape_do_not_crash(
    sections: object, write_jsonl: Write, make_paper: Make, tmp_path: Path, alone: Run, load: Load
) -> None:
    source = write_jsonl("a.jsonl", make_paper(1), make_paper(2, sections=sections))
    counts = build_corpus([source], str(tmp_path / "o.jsonl"), Conversion(), alone)
    assert counts.kept + counts.failed == 2
    if counts.errors:
        assert "Unexpected" not in str(load(counts.errors)[0]["reason"])


def test_the_limit_counts_kept_records(write_jsonl: Write, make_paper: Make, tmp_path: Path, load: Load) -> None:
    source = write_jsonl("a.jsonl", {"bad": 1}, *(make_paper(n) for n in range(30)))
    counts = build_corpus([source], str(tmp_path / "o.jsonl"), Conversion(), Run(LocalEngine(2), limit=12))
    assert (counts.kept, counts.failed) == (12, 1)
    assert [record["id"] for record in load(tmp_path / "o.jsonl")] == [f"paper-{n}" for n in range(12)]


def test_the_number_of_workers_changes_nothing(write_jsonl: Write, make_paper: Make, tmp_path: Path) -> None:
    source = write_jsonl("a.jsonl", *(make_paper(n) if n % 9 else {"bad": n} for n in range(60)))
    for workers in (1, 2):
        build_corpus([source], str(tmp_path / f"{workers}.jsonl"), Conversion(), Run(LocalEngine(workers)))
    assert (tmp_path / "1.jsonl").read_bytes() == (tmp_path / "2.jsonl").read_bytes()
    assert (tmp_path / "1.jsonl.errors.jsonl").read_bytes() == (tmp_path / "2.jsonl.errors.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("source", "expected"),
    [("nowhere/at-all.jsonl", "There is no file or folder"), ("absent", "There is no file or folder absent")],
)
def test_a_source_that_is_not_there_is_named(source: str, expected: str, tmp_path: Path, alone: Run) -> None:
    with pytest.raises(CorpusError, match=expected):
        build_corpus([source], str(tmp_path / "o.jsonl"), Conversion(), alone)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_without_documents_is_an_error(tmp_path: Path, alone: Run) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "photo.png").touch()
    with pytest.raises(CorpusError, match="holds no document"):
        build_corpus([str(tmp_path / "in")], str(tmp_path / "o.jsonl"), Conversion(), alone)


@pytest.mark.slow
def test_a_killed_run_continues_and_ends_with_the_same_file(
    write_jsonl: Write, make_paper: Make, tmp_path: Path, load: Load
) -> None:
    long = [
        {"title": "Methods", "heading": "", "paragraphs": ["Samples were dried, e.g. at 40 °C, and weighed. " * 40]}
    ]
    records = [make_paper(n, sections=long) if n % 50 else {"bad": n} for n in range(400)]
    source = write_jsonl("a.jsonl", *records)
    build_corpus([source], str(tmp_path / "once.jsonl.zst"), Conversion(), Run())
    output = tmp_path / "killed.jsonl.zst"
    partial = tmp_path / "killed.jsonl.zst.partial"
    command = [sys.executable, "-m", "memsum", "corpus", "build", source, "-o", str(output), "-w", "1"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    while process.poll() is None and not (partial.exists() and partial.read_bytes().count(b"\n") > 30):
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert partial.exists()
    assert not output.exists()
    done = partial.read_bytes().count(b"\n") - 1
    assert 30 <= done < 400
    finished = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "392 records" in finished.stderr
    assert output.read_bytes() == (tmp_path / "once.jsonl.zst").read_bytes()
    assert load(f"{output}.errors.jsonl") == load(tmp_path / "once.jsonl.zst.errors.jsonl")
    assert not partial.exists()


def test_a_document_that_begins_with_its_summary_is_rejected_if_asked(
    write_jsonl: Write, load: Load, tmp_path: Path, alone: Run
) -> None:
    summary = [
        "We measured how quickly glaciers in two valleys lost their ice between the wars.",
        "Both lost a third of their length, and the smaller one is gone from the map of 1938.",
    ]
    body = ["Glaciers are remembered by the people who live below them.", "Two of them are followed here."]
    source = write_jsonl("a.jsonl", *({"text": text, "summary": summary} for text in (summary + body, body)))
    output = str(tmp_path / "o.jsonl")
    assert build_corpus([source], output, Conversion(), alone).kept == 2
    counts = build_corpus([source], output, Conversion(reject_copies=True), alone)
    assert [record["text"] for record in load(output)] == [body]
    assert [record["reason"] for record in load(counts.errors)] == ["The text begins with its own summary."]


def test_records_say_what_kind_they_are_if_it_is_given(
    write_jsonl: Write, load: Load, tmp_path: Path, alone: Run
) -> None:
    record = {"text": ["The pier was closed."], "summary": ["Closed."], "source": "Harbour office, volume 3"}
    source, output = write_jsonl("a.jsonl", record), str(tmp_path / "o.jsonl")
    build_corpus([source], output, Conversion(source="notes"), alone)
    assert [record["source"] for record in load(output)] == ["notes"]
