from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memsum.batch.run import LocalEngine, Run
from memsum.errors import CorpusError
from memsum_train.corpus.build import Conversion, build_corpus, find_sources

from .conftest import Build

Write = Callable[..., str]
Load = Callable[[object], list[dict[str, object]]]
Make = Callable[..., dict[str, object]]

JATS = """<?xml version="1.0"?>
<article><front><article-meta><title-group><article-title>Cork and humidity</article-title></title-group>
<abstract><p>Cork swells in humid air. The effect is small.</p></abstract></article-meta></front>
<body><sec><title>Background</title><p>Cork is used for floors. It takes up water (Fig. 2).</p></sec>
<sec><title>Results</title><sec><title>Swelling</title><p>Swelling reached 0.4 % in a week.</p></sec></sec></body>
</article>"""


def test_a_paper_becomes_sentences_that_know_their_section(build: Build, make_paper: Make) -> None:
    counts, [record], _ = build(make_paper())
    assert (counts.kept, counts.failed) == (1, 0)
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
        "headings": ["1. Introduction"] * 2 + ["2.1 Survey"] * 2 + ["3. Results"] * 2,
        "paragraphs": [0, 0, 1, 2, 3, 3],
        "source": "Sample Press",
        "license": "CC BY 4.0",
        "doi": "10.0000/1",
        "title": "Night trains and sleep: survey 1",
    }


def test_strings_are_split_and_lists_are_kept(build: Build) -> None:
    split = {"text": ["the dam held .", "it was  checked ."], "summary": ["the dam held ."]}
    _, (first, second, third), _ = build(
        {"text": "The dam held. Dr. Lee's team checked it.", "summary": "The dam held.", "year": 1998},
        {**split, "indices": [[0]], "score": [1.0]},
        {"text": ["Kept as it is. Even so."], "summary": "Split. Into two."},
    )
    text = ["The dam held.", "Dr. Lee's team checked it."]
    assert first == {"text": text, "summary": ["The dam held."], "year": 1998}
    assert second["text"] == ["the dam held .", "it was  checked ."]
    assert second["indices"] == [[0]]
    assert third == {"text": ["Kept as it is. Even so."], "summary": ["Split.", "Into two."]}


def test_columns_can_be_named(build: Build) -> None:
    record = {"article": "One. Two.", "highlights": "One.", "id": 4}
    _, examples, _ = build(record, text_column="article", summary_column="highlights")
    assert examples == [{"id": 4, "text": ["One.", "Two."], "summary": ["One."]}]


def test_tables_have_pairs_in_all_their_columns(build: Build, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow

    columns = {"id": [7, 8], "article": ["One. Two.", None], "highlights": [["One."], ["None."]], "year": [1999, 2000]}
    path = tmp_path / "pairs.parquet"
    parquet.write_table(pyarrow.table(columns), path)
    _, examples, errors = build(path, text_column="article", summary_column="highlights")
    assert examples == [{"id": 7, "text": ["One.", "Two."], "summary": ["One."], "year": 1999}]
    assert errors == [{"source": str(path), "line": 2, "reason": '"text" must be a list of sentences, not null.'}]


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


def test_truncation_keeps_the_introduction(build: Build, make_paper: Make, tmp_path: Path) -> None:
    (tmp_path / "cork.xml").write_text(JATS)
    untitled = make_paper(2, sections=[{"title": "Essay", "heading": "", "paragraphs": ["No such section."]}])
    plain = {"text": "Plain. Text.", "summary": "Plain."}
    _, (first, second), errors = build(make_paper(1), untitled, plain, tmp_path / "cork.xml", introduction_only=True)
    assert first["text"] == ["Night trains are back.", "Few know how people sleep on them (Smith et al., 2019)."]
    assert first["sections"] == ["1. Introduction"] * 2
    assert second["text"] == ["Cork is used for floors.", "It takes up water (Fig. 2)."]
    assert [record["reason"] for record in errors] == [
        "The document has no section called introduction or background.",
        "The document has no sections, so it has no introduction to keep.",
    ]


def test_short_documents_and_those_without_summary_are_rejected_with_a_reason(
    build: Build, make_paper: Make, tmp_path: Path
) -> None:
    (tmp_path / "note.txt").write_text("A note without an abstract. It has two sentences.")
    short, bare = {"text": "Too short.", "summary": "Short."}, make_paper(abstract=[])
    counts, _, errors = build(make_paper(), short, bare, tmp_path / "note.txt", min_sentences=2)
    assert counts.kept == 1
    assert [(Path(record["source"]).name, record.get("line"), record["reason"]) for record in errors] == [
        ("records.jsonl", 2, "The text is shorter than 2 sentences: it has 1."),
        ("records.jsonl", 3, '"summary" holds no sentence.'),
        ("note.txt", None, "The document has no abstract, so there is no summary to learn from."),
    ]


def test_a_record_of_no_known_kind_says_what_it_has(build: Build) -> None:
    errors = build({"body": "x", "title": "y"}, {"text": "One.", "summary": "One."}).errors
    assert errors[0]["reason"] == (
        'The record has neither "text" and "summary" nor "abstract" and "sections"; its keys are "body", "title".'
    )


@pytest.mark.parametrize(
    "sections",
    [7, ["text"], [{"title": "A", "paragraphs": "One string. Is fine."}], [{"title": "A", "paragraphs": [3]}]],
)
def test_papers_of_another_shape_do_not_crash(sections: object, build: Build, make_paper: Make) -> None:
    counts, _, errors = build(make_paper(1), make_paper(2, sections=sections))
    assert counts.kept + counts.failed == 2
    assert "Unexpected" not in str(errors)


def test_the_limit_counts_kept_records(build: Build, make_paper: Make) -> None:
    records = ({"bad": 1}, *(make_paper(n) for n in range(30)))
    counts, examples, _ = build(*records, run=Run(LocalEngine(2), limit=12))
    assert (counts.kept, counts.failed) == (12, 1)
    assert [record["id"] for record in examples] == [f"paper-{n}" for n in range(12)]


def test_a_source_without_documents_is_named(tmp_path: Path, build: Build) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "photo.png").touch()
    for source, message in (("nowhere/at-all.jsonl", "no file or folder"), ("absent", "no file or folder absent")):
        with pytest.raises(CorpusError, match=message):
            build(source)
    with pytest.raises(CorpusError, match="holds no document"):
        build(tmp_path / "in")
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_a_document_that_begins_with_its_summary_is_rejected_if_asked(build: Build) -> None:
    summary = [
        "We measured how quickly glaciers in two valleys lost their ice between the wars.",
        "Both lost a third of their length, and the smaller one is gone from the map of 1938.",
    ]
    body = ["Glaciers are remembered by the people who live below them.", "Two of them are followed here."]
    records = [{"text": text, "summary": summary} for text in (summary + body, body)]
    assert build(*records).counts.kept == 2
    _, examples, errors = build(*records, reject_copies=True)
    assert [record["text"] for record in examples] == [body]
    assert [record["reason"] for record in errors] == ["The text begins with its own summary."]


def test_records_say_what_kind_they_are_if_it_is_given(build: Build) -> None:
    record = {"text": ["The pier was closed."], "summary": ["Closed."], "source": "Harbour office, volume 3"}
    assert [example["source"] for example in build(record, source="notes").examples] == ["notes"]
