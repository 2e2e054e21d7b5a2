"""From sentences to numbers: word ids, features, outline, signals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memsum.arrays import distinct, number_distinct, split_keys, stable_order
from memsum.document import read_document
from memsum.errors import ModelError
from memsum.features.encoding import FEATURES, GROUPS, TextEncoder, TextSettings
from memsum.features.salience import SALIENCE_FILE, VOTES, SalienceModel, gather_votes
from memsum.features.source_text import Outline
from memsum.languages.cue_words import WORDING, mark_wording
from memsum.languages.section_names import KINDS, mark_sections, section_kind, section_signals
from memsum.text import WordVectors, tokenize
from memsum.text.vocabulary import PAD, UNK

TEXT = ["Oral iron improved sleep quality.", "Data were checked.", "Oral iron improved sleep quality.", "", "Data"]


def test_words_lie_one_after_the_other(vectors: WordVectors):
    encoded = TextEncoder(vectors, TextSettings(collapse_repeats=False)).encode(TEXT)
    assert len(encoded) == 5
    for i, sentence in enumerate(TEXT):
        wanted = vectors.vocabulary.encode(tokenize(sentence)) or [vectors.vocabulary[UNK]]
        assert encoded.sentence(i).tolist() == wanted
        assert encoded.lengths[i] == len(wanted)
    assert encoded.indices.tolist() == [0, 1, 2, 3, 4]
    assert encoded.ids.dtype == np.int32


def test_exact_repeats_are_encoded_once_in_the_first_place(encoder: TextEncoder):
    encoded = encoder.encode(TEXT)
    assert encoded.indices.tolist() == [0, 1, 3, 4]
    assert encoded.features.shape[0] == len(encoded) == 4
    once = encoder.encode(["Oral iron improved sleep quality.", "Data were checked.", "", "Data"])
    np.testing.assert_array_equal(encoded.ids, once.ids)
    np.testing.assert_array_equal(encoded.features, once.features)


def test_long_sentences_are_cut(vectors: WordVectors):
    encoder = TextEncoder(vectors, TextSettings(max_tokens=3))
    assert encoder.encode(["Oral iron improved sleep quality.", "Data"]).lengths.tolist() == [3, 1]


@pytest.mark.parametrize("sentence", ["", "   ", "—", '"'])
def test_a_sentence_without_words_has_the_unknown_word(encoder: TextEncoder, sentence: str):
    assert encoder.encode([sentence]).ids.tolist() == [encoder.vectors.vocabulary[UNK]]


def test_a_document_without_sentences_is_empty(encoder: TextEncoder):
    encoded = encoder.encode([])
    assert len(encoded) == len(encoded.ids) == len(encoded.features) == 0


def test_rare_words_weigh_more_and_padding_nothing(encoder: TextEncoder):
    frequencies = encoder.vectors.frequencies
    order = np.argsort(frequencies[1:]) + 1
    assert (np.diff(encoder.weights[order]) <= 0).all()
    assert encoder.weights[encoder.vectors.vocabulary[PAD]] == 0
    assert ((encoder.weights >= 0) & (encoder.weights <= 1)).all()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["a b", "c", "", "a  b", "d e f"]) | st.text(max_size=20), max_size=25))
def test_places_point_to_first_occurrences(encoder: TextEncoder, sentences: list[str]):
    encoded = encoder.encode(sentences)
    assert encoded.indices.tolist() == [i for i, s in enumerate(sentences) if s not in sentences[:i]]
    assert (encoded.lengths > 0).all()
    assert encoded.lengths.sum() == len(encoded.ids)


def features(encoder: TextEncoder, sentences: list[str]) -> dict[str, np.ndarray]:
    values = encoder.encode(sentences).features
    assert values.shape == (len(set(sentences)), len(FEATURES))
    assert values.dtype == np.float32
    assert np.isfinite(values).all()
    return dict(zip(FEATURES, values.T, strict=True))


PAPER = [
    "Oral iron improved haemoglobin among pregnant women.",
    "Software version 12.1 was used throughout.",
    "After oral iron, haemoglobin changed by 22 %.",
    "Weather during the season was dry.",
    "We conclude that oral iron should be offered to pregnant women.",
]


def test_places_count_from_both_ends(encoder: TextEncoder):
    values = features(encoder, PAPER)
    np.testing.assert_allclose(values["position from the start"], [0, 0.2, 0.4, 0.6, 0.8], atol=1e-6)
    np.testing.assert_allclose(values["position from the end"], [0.8, 0.6, 0.4, 0.2, 0], atol=1e-6)
    np.testing.assert_allclose(values["nearness to the start"], [1, 1 / 2, 1 / 3, 1 / 4, 1 / 5])
    np.testing.assert_allclose(values["nearness to the end"], [1 / 5, 1 / 4, 1 / 3, 1 / 2, 1])


def test_lengths_and_numbers(encoder: TextEncoder):
    values = features(encoder, PAPER)
    lengths = encoder.encode(PAPER).lengths
    assert (np.argsort(values["length of the sentence"]) == np.argsort(lengths)).all()
    np.testing.assert_array_equal(values["share of numbers"] > 0, [False, True, True, False, False])
    assert np.ptp(values["length of the document"]) == 0
    assert features(encoder, PAPER[:2])["length of the document"][0] < values["length of the document"][0]


def test_sentences_on_the_subject_are_central_and_salient(encoder: TextEncoder):
    values = features(encoder, PAPER)
    for name in ("similarity to the document", "coverage of the document's words", "salience of the words"):
        on, off = values[name][[0, 2, 4]], values[name][[1, 3]]
        assert on.mean() > off.mean(), name
    assert values["similarity to the beginning"][0] == pytest.approx(1, abs=1e-5)
    assert values["similarity to the end"][-1] == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    "sentences",
    [
        ["Only one sentence."],
        ["word"],
        [""],
        ["", "...", "—"],
        ["12 34 56", "0.5 %"],
        ["Completely unknown словарь.", "Ещё одно слово."],
        ["The same words.", "The words same.", "same The words."],
        ["Two sentences.", "And no more."],
    ],
)
def test_odd_documents_have_finite_features(encoder: TextEncoder, sentences: list[str]):
    features(encoder, sentences)


def test_a_sentence_is_not_its_own_neighbour(encoder: TextEncoder):
    assert features(encoder, ["Only one sentence."])["similarity to the neighbours"] == [0]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(max_size=40), min_size=1, max_size=30, unique=True))
def test_any_document_has_finite_features(encoder: TextEncoder, sentences: list[str]):
    features(encoder, sentences)


def test_many_sentences(encoder: TextEncoder):
    values = features(encoder, [f"Sentence {i} of the report about water losses." for i in range(700)])
    assert np.abs(np.stack(list(values.values()))).max() < 100  # they are stored as fp16


@pytest.mark.parametrize("values", [[], [3], [2, 2, 2], [5, 1, 5, -1, 1, 0]])
def test_distinct_is_numpys_unique(values: list[int]) -> None:
    array = np.array(values, np.int64)
    assert distinct(array).tolist() == np.unique(array).tolist()


@pytest.mark.parametrize("values", [[], [0], [6], [3, 3, 3], [6, 0, 6, 2, 0]])
def test_distinct_values_are_numbered_as_by_numpy(values: list[int]):
    found, places = number_distinct(np.array(values, np.int32), 7)
    expected, inverse = np.unique(np.array(values, np.int32), return_inverse=True)
    assert found.tolist() == expected.tolist()
    assert places.tolist() == inverse.tolist()


@pytest.mark.parametrize("size", [3, 70_000, 5_000_000_000])
def test_keys_are_ordered_and_split_as_numpy_does(size: int) -> None:
    keys = np.random.default_rng(0).integers(0, size, 1000) // 3 * 3
    assert stable_order(keys, size).tolist() == np.argsort(keys, kind="stable").tolist()
    for own, expected in zip(split_keys(keys, 7), np.divmod(keys, 7), strict=True):
        assert own.tolist() == expected.tolist()


MANUAL = """# Harbour manual

Read this first.

## Ferries

Ferries leave at noon. They return at six.

- Bring a ticket.
- Leave the dog at home.

### Fares

Children travel free.

## Piers

The old pier is closed.

## Storms

In a storm the harbour closes.
"""


def test_structure_is_read_off_the_blocks() -> None:
    document = read_document(MANUAL, format="markdown")
    outline = Outline.of(document)
    texts = [sentence.text for sentence in document.sentences]
    assert len(outline) == len(texts)
    item = texts.index("Leave the dog at home.")
    assert outline.items[item]
    assert outline.headings[outline.sections[item]] == "Ferries"
    noon, six = texts.index("Ferries leave at noon."), texts.index("They return at six.")
    assert outline.paragraphs[noon] == outline.paragraphs[six]
    assert outline.headings[outline.sections[texts.index("Children travel free.")]] == "Fares"


def test_a_title_that_is_a_heading_divides_nothing() -> None:
    document = read_document(MANUAL, format="markdown")
    outline = Outline.of(document)
    titles = {outline.titles[number] for number in outline.main.tolist()}
    assert {"Ferries", "Piers", "Storms"} <= titles
    assert "Fares" not in titles


def test_without_blocks_headings_divide() -> None:
    outline = Outline.of_headings([None, "Ferries", "Ferries", "Piers"])
    assert np.diff(outline.main).tolist() == [1, 0, 1]
    assert outline.titles[outline.main[-1]] == "Piers"


def test_joined_outlines_share_no_number() -> None:
    first, second = Outline.of_headings(["Ferries"] * 3), Outline.of_headings(["Ferries", "Piers"])
    joined = Outline.join([first, second])
    assert joined.main[2] < joined.main[3] < joined.main[4]
    assert [joined.headings[number] for number in joined.sections.tolist()] == ["Ferries"] * 4 + ["Piers"]
    assert [joined.titles[number] for number in joined.main.tolist()] == ["Ferries"] * 4 + ["Piers"]


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
