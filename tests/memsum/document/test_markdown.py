from __future__ import annotations

import pytest

from memsum.document import read_document

from ...helpers import texts

NOTES = """\
---
title: "Notes on pumps"
author: A. Hale
---
<!-- Draft. Do not share. -->

# Introduction

Pumps **break often.** The [manual](https://example.org/a.b "A title. Yes.") is wrong.
It was written
in 1990.[^1] We tested *all* claims.

![A pump. In winter.](pump.png)

What we did
-----------

> The pump is
> old. It leaks.

* Open the valve
* Wait. Then
  close it.
    1. Nested step
- [x] Done

```python
# Not a heading. Not text.
```

| part | price |
|------|------:|
| seal | 1.50. |

After the table ![x](y.png) it ends.

***

<div align="center">

Indented text in a list is fine.

    code = 1. Not text.

## References ##

- Hale A. *Pumps*. 1990.

[^1]: A note. It is not text.
[link]: https://example.org
"""


def test_markdown_structure() -> None:
    document = read_document(NOTES)
    assert document.format == "markdown"
    assert document.title == "Notes on pumps"
    assert [(document.text[b.start : b.end], b.level) for b in document.blocks if b.kind == "heading"] == [
        ("Introduction", 1),
        ("What we did", 2),
        ("References", 2),
    ]
    assert texts(document, "item") == ["Open the valve", "Wait. Then close it.", "Nested step", "Done"]
    assert texts(document, "reference") == ["Hale A. Pumps. 1990."]
    assert [s.text for s in document.sentences] == [
        "Pumps break often.",
        "The manual is wrong.",
        "It was written in 1990.",
        "We tested all claims.",
        "The pump is old.",
        "It leaks.",
        "Open the valve",
        "Wait.",
        "Then close it.",
        "Nested step",
        "Done",
        "After the table it ends.",
        "Indented text in a list is fine.",
    ]
    assert {s.section for s in document.sentences} == {"Introduction", "What we did"}


def test_code_tables_and_notes_are_marked_and_kept() -> None:
    document = read_document(NOTES)
    assert {"# Not a heading. Not text.", "code = 1. Not text."} <= set(texts(document, "code"))
    assert texts(document, "table") == ["part | price", "seal | 1.50."]
    assert any(text.startswith("[^1]: A note. It is not text.") for text in texts(document, "boilerplate"))


def test_the_first_top_heading_is_the_title() -> None:
    document = read_document("# On valves\n\nValves close.\n\nSetext too\n===\n\nThey open.")
    assert document.title == "On valves"
    assert [(s.text, s.section) for s in document.sentences] == [("Valves close.", None), ("They open.", "Setext too")]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("# A\n\n``` \nnever closed. Code.", []),
        ("# A\n\n<!-- never closed. Comment.", []),
        ("# A\n\nThe year was\n1990. It rained.", ["The year was 1990.", "It rained."]),
        ("# A\n\n#hashtag is text.", ["#hashtag is text."]),
        ("# A\n\nWe chose `a.b`. Then we\nleft.", ["We chose a.b.", "Then we left."]),
        ("# A\n\n1) one\n2) two", ["one", "two"]),
        ("##\n\nEmpty heading above.", ["Empty heading above."]),
        ("---\ntitle: x", ["title: x"]),
    ],
)
def test_odd_markdown(text: str, sentences: list[str]) -> None:
    document = read_document(text, format="markdown")
    assert [s.text for s in document.sentences] == sentences


def test_abstract_with_its_own_headings() -> None:
    document = read_document("# T\n\n## Abstract\n\n### Aim\n\nTo know.\n\n## Results\n\nWe know.")
    assert [(s.text, s.section) for s in document.abstract] == [("To know.", "Aim")]
    assert [s.text for s in document.sentences] == ["We know."]


def test_an_item_knows_the_sentence_that_introduces_its_list() -> None:
    document = read_document(
        "# Rules\n\nThe pump is shared. You may not:\n\n- open it\n- move it. Ever.\n  - to the barn\n\n"
        "You may do this.\n\n- Clean it.\n\n## Minutes\n\n- Ann\n  - reports a leak\n    - in the valve\n- All agree.\n"
    )
    lead_ins = {s.text: s.lead_in for s in document.sentences}
    texts = [s.text for s in document.sentences]
    assert {text: None if at is None else texts[at] for text, at in lead_ins.items()} == {
        "The pump is shared.": None,
        "You may not:": None,
        "open it": "You may not:",
        "move it.": "You may not:",
        "Ever.": "You may not:",
        "to the barn": "You may not:",
        "You may do this.": None,
        "Clean it.": None,
        "Ann": None,
        "reports a leak": "Ann",
        "in the valve": "reports a leak",
        "All agree.": None,
    }
    assert [s.text for s in document.sentences if s.is_item][:2] == ["open it", "move it."]


def test_parts_of_a_sentence_around_code_are_marked() -> None:
    code = "```\na = 1\nb = 2\nc = 3\n```"
    document = read_document(
        f"# T\n\nWith\n\n{code}\n\nit runs. Then it stops.\n\nType this:\n\n{code}\n\nThat is all.\n"
    )
    assert [s.text for s in document.sentences if s.is_cut] == ["With", "it runs."]


def test_structure_survives_another_process() -> None:
    text = "# T\n\nYou may not:\n\n- open it\n\nSee\n\n```\na\nb\nc\n```\n\nbelow.\n"
    assert read_document(text, isolated=True) == read_document(text, isolated=False)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("# A\n\nIt costs {{ never closed. More.", ["It costs {{ never closed.", "More."]),
        ("# A\n\n{% if never closed. More.", ["{% if never closed.", "More."]),
        ("# A\n\n```\n{% x %}\n```\n\nText {% x %}here.", ["Text here."]),
        ("# A\n\n{# a note #}Text. {#anchor}", ["Text."]),
        ("\n---\ntitle: >-\n  The pump\n---\nText.", ["Text."]),
    ],
)
def test_markup_of_site_generators(text: str, sentences: list[str]) -> None:
    assert [s.text for s in read_document(text, format="markdown").sentences] == sentences


def test_underlined_headings_of_other_markup_hide_no_text() -> None:
    document = read_document(
        "Lifting\n-------\n\nThe crane lifts boats.\n\nThe crew\n~~~~~~~~\n\nTwo people work there.\n\n"
        "2. Fees\n-------\n\nA lift costs nine euros.\n\n~~~\nnot text\n~~~\n",
        format="markdown",
    )
    assert [(sentence.section, sentence.text) for sentence in document.sentences] == [
        ("Lifting", "The crane lifts boats."),
        ("The crew", "Two people work there."),
        ("2. Fees", "A lift costs nine euros."),
    ]
