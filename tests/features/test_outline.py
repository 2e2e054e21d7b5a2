from __future__ import annotations

import numpy as np

from memsum.document import read_document
from memsum.features.outline import Outline

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
