from __future__ import annotations

from pathlib import Path

from memsum.document import read_document

GOLD = Path(__file__).parents[2] / "data" / "gold" / "subtitles"


def test_sentences_have_their_speakers() -> None:
    document = read_document(GOLD / "meeting.vtt")
    assert document.format == "subtitles"
    assert [sentence.speaker for sentence in document.sentences] == ["Ana Weber", "Tom Reyes", "Ana Weber"]


def test_a_named_speaker_follows_one_that_is_not() -> None:
    document = read_document(GOLD / "film.srt")
    assert [sentence.speaker for sentence in document.sentences] == [None, None, None, "ANNA"]


def test_pauses_part_paragraphs_where_nobody_is_named() -> None:
    cue = "{}\n00:{}0:00,000 --> 00:{}0:02,000\nThe wheel turns again on Sundays.\n\n"
    document = read_document("".join(cue.format(number, number, number) for number in range(1, 4)))
    assert sum(block.kind == "paragraph" for block in document.blocks) == 3


def test_an_unfinished_file_is_read_as_far_as_it_goes() -> None:
    document = read_document("WEBVTT\n\n00:01.000 --> 00:02.000\nThe wheel turns\n\n00:02.000 --> ")
    assert [sentence.text for sentence in document.sentences] == ["The wheel turns"]
