"""What is searched for answers."""

from __future__ import annotations

from memsum.document import read_document
from memsum.query.passages import Passages


def test_a_row_with_a_sentence_answers_as_a_whole() -> None:
    text = (
        "# Halls\n\nWhat one pays.\n\n| Hall | Weekend | What is included |\n|---|---|---|\n"
        "| Great Hall | 310 € | The stage and its lights are included in the price. |\n"
        "| Small Hall | 90 € | Chairs for forty people stand ready in the room. |\n"
    )
    passages = Passages.of([read_document(text, format="markdown", isolated=False)])
    rows = [passage.sentence.text for passage in passages.members if passage.beside == "table"]
    assert rows[0].startswith("Great Hall | 310 € | The stage")
