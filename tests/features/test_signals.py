"""Sections, title, wording: what is known of a sentence besides its words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memsum.english.section_names import KINDS, is_proposal, mark_sections, section_kind, section_signals
from memsum.english.wording import WORDING, mark_wording
from memsum.errors import ModelError
from memsum.features.encoding import TextEncoder
from memsum.features.salience import SALIENCE_FILE, VOTES, SalienceModel, gather_votes, summary_targets
from memsum.features.signals import GROUPS, without_group


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("1. Introduction", "introduction"),
        ("IV. Results and discussion", "results"),
        ("Materials and Methods", "methods"),
        ("Concluding remarks", "conclusion"),
        ("What GAO Recommends", "other"),
        ("Recommendations for Executive Action", "recommendations"),
        ("Acknowledgements", "back matter"),
        ("3.2", "unknown"),
        ("", "unknown"),
        ("Ferries of the north", "other"),
        ("x" * 5_000, "other"),
    ],
)
def test_headings_have_kinds(heading: str, kind: str) -> None:
    assert KINDS[section_kind(heading)] == kind


def test_a_sentence_knows_its_section_and_its_place_in_it() -> None:
    marks = mark_sections(["Introduction"] * 2 + ["Results"] * 4, 6)
    signals = section_signals(marks)
    assert [KINDS[int(row.argmax())] for row in signals[:, :-1]] == ["introduction"] * 2 + ["results"] * 4
    assert signals[:, -1].tolist() == pytest.approx([0.25, 0.75, 0.125, 0.375, 0.625, 0.875])


@pytest.mark.parametrize("headings", [None, [], ["Ferries", "Piers", "Crews"], [None] * 3])
def test_headings_that_say_nothing_are_none(headings: list[str | None] | None) -> None:
    signals = section_signals(mark_sections(headings, 3))
    assert signals[:, 0].tolist() == [1, 1, 1]
    assert signals[:, -1].tolist() == [0.5, 0.5, 0.5]


def test_what_the_tokenizer_drops_is_marked() -> None:
    said = [
        "Smith et al. found it.",
        "It was so [3, 4].",
        "As said (Weber, 2019).",
        "this begins small",
        "Plain (n = 12).",
    ]
    marks = mark_wording(said)
    assert marks[:, :2].tolist() == [[1, 0], [1, 0], [1, 0], [0, 1], [0, 0]]
    assert marks[:, 2].tolist() == pytest.approx([0, 0, 1.19, 0, 0])


def test_wording_is_found_by_words_and_by_where_they_stand(counting_encoder: TextEncoder) -> None:
    sentences = [
        "We conclude that music therapy should be offered to residents.",
        "These results suggest that the benefit lasts.",
        "Figure 3 shows the flow of records through the study",
    ]
    signals = counting_encoder.encode(sentences).signals
    assert signals is not None
    said = signals.values[:, GROUPS["wording"]]
    found = [{name for name, value in zip(WORDING, row, strict=True) if value} for row in said]
    assert {"own work", "finding", "recommendation"} <= found[0]
    assert {"depends", "finding"} <= found[1]
    assert {"reference", "unfinished"} <= found[2]
    assert "unfinished" not in found[0] | found[1]


def test_the_title_tells_which_sentences_are_about_it(counting_encoder: TextEncoder) -> None:
    sentences = ["Overall, oral iron clearly improved haemoglobin.", "Travel costs were paid by the sponsor's office."]
    text = counting_encoder.encode(sentences, title="Oral iron and haemoglobin in pregnant women")
    assert text.signals is not None
    title = text.signals.values[:, GROUPS["title"]]
    assert title[0, 1] > title[1, 1] == 0
    assert title[:, 2].tolist() == [1, 1]
    untitled = counting_encoder.encode(sentences).signals
    assert untitled is not None
    assert not untitled.values[:, GROUPS["title"]].any()
    hidden = without_group(text.signals.values, "title")
    np.testing.assert_array_equal(hidden[:, GROUPS["title"]], 0)
    np.testing.assert_array_equal(hidden[:, GROUPS["wording"]], text.signals.values[:, GROUPS["wording"]])


def test_a_document_without_headings_is_as_one_whose_headings_are_hidden(counting_encoder: TextEncoder) -> None:
    sentences = ["Rain fell.", "It stopped.", "We conclude that it was dry."]
    with_headings = counting_encoder.encode(sentences, ["Introduction", "Results", "Conclusion"]).signals
    without = counting_encoder.encode(sentences).signals
    assert with_headings is not None
    assert without is not None
    assert not np.array_equal(with_headings.values, without.values)
    np.testing.assert_array_equal(without_group(with_headings.values, "sections"), without.values)


def test_salience_is_read_as_it_was_written(counting_encoder: TextEncoder, tmp_path: Path) -> None:
    model = counting_encoder.salience
    assert model is not None
    size = len(counting_encoder.vectors.vocabulary)
    model.save(tmp_path)
    counts, distinct = counting_encoder.count(counting_encoder.encode(["Rain fell on the pier.", "It stopped."]))
    vectors = counting_encoder.vectors.lookup(distinct)
    before, after = (one.of(counts, distinct, vectors) for one in (model, SalienceModel.load(tmp_path, size)))
    np.testing.assert_array_equal(before.words, after.words)
    np.testing.assert_array_equal(before.pairs, after.pairs)
    with pytest.raises(ModelError, match="does not fit"):
        SalienceModel.load(tmp_path, size + 1)
    (tmp_path / SALIENCE_FILE).write_bytes(b"nothing")
    with pytest.raises(ModelError, match="damaged"):
        SalienceModel.load(tmp_path, size)
    (tmp_path / SALIENCE_FILE).unlink()
    with pytest.raises(ModelError, match="missing"):
        SalienceModel.load(tmp_path, size)


def test_words_take_mean_and_maximum_of_the_votes_of_their_sentences(counting_encoder: TextEncoder) -> None:
    sentences = ["The northern cable has cracks.", "Twelve sailors were hired.", "The cable will be replaced."]
    signals = counting_encoder.encode(sentences).signals
    assert signals is not None
    votes = np.random.default_rng(4).random((3, VOTES), np.float32)
    sentence, word = signals.counts.once
    seen = gather_votes(sentence, word, votes, len(signals.salience.words))
    for row in range(len(signals.salience.words)):
        own = votes[sentence[word == row]]
        np.testing.assert_allclose(seen[row], np.concatenate([own.mean(axis=0), own.max(axis=0)]), rtol=1e-6)
    assert gather_votes(np.empty(0, np.int64), np.empty(0, np.int64), votes, 0).shape == (0, 2 * VOTES)


def test_the_memory_counts_with_the_salience_that_was_refined(counting_encoder: TextEncoder) -> None:
    sentences = ["The northern cable has cracks.", "Twelve sailors were hired.", "The cable will be replaced."]
    signals = counting_encoder.encode(sentences).signals
    assert signals is not None
    first = np.unique(signals.counts.rows[signals.counts.sentences == 0])
    assert signals.evidence is not None
    odds = signals.evidence.words.copy()
    odds[first] += 2
    refined = signals.with_salience(odds, signals.evidence.pairs)
    np.testing.assert_allclose(refined.salience.words[first], 1 / (1 + np.exp(-odds[first])), rtol=1e-5)
    np.testing.assert_allclose(refined.salience.pairs, signals.salience.pairs, rtol=1e-5)
    before, after = (one.novelty().features()[:, 8] for one in (signals, refined))
    assert after[0] > before[0]
    assert after[1] == pytest.approx(before[1], rel=0.5)


def test_targets_of_salience_are_the_words_and_pairs_of_the_summary(counting_encoder: TextEncoder) -> None:
    text = counting_encoder.encode(["Oral iron improved haemoglobin.", "Iron haemoglobin improved costs."])
    counts, distinct = counting_encoder.count(text)
    summary = counting_encoder.summary_ids(["We gave oral iron.", "Haemoglobin improved."])
    words, pairs = summary_targets(counts, distinct, summary)
    names = [counting_encoder.vectors.vocabulary.words[word] for word in distinct]
    assert {name for name, said in zip(names, words, strict=True) if said} == {
        "oral",
        "iron",
        "haemoglobin",
        "improved",
        ".",
    }
    found = {
        (names[first], names[second])
        for first, second, said in zip(counts.pairs.first, counts.pairs.second, pairs, strict=True)
        if said
    }
    # "iron haemoglobin" is no pair of the summary: a sentence ends between the two.
    assert found == {("oral", "iron"), ("haemoglobin", "improved")}


def test_proposals_are_known_by_the_names_of_their_sections():
    assert is_proposal([None, "Overview", "2. Backwards Compatibility"])
    assert is_proposal(["Guide-level explanation"])
    assert not is_proposal([None, "Install", "Usage", "How to compare two harbours"])
