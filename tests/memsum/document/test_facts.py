"""What a document's head states of itself is found, with the line that says it, in every way that heads are written."""

from __future__ import annotations

import pytest

from memsum import Summarizer
from memsum.document import read_document

BODY = "\n\nThe canal gets a gate in the north. Nobody has ever paid for it.\n\nThe gate costs more than the mill.\n"
HEADS = {
    "front matter": "---\ntitle: A gate\nstatus: Withdrawn\nversion: 2\n---\n\n# A gate",
    "a list": "# A gate\n\n* Status: **Withdrawn**\n* Version: 2\n* Author: [Anna Berg](https://example.org)",
    "a table": "# A gate\n\n| Status | Withdrawn |\n|---|---|\n| Version | 2 |",
    "a head of mails": "Subject: A gate\nStatus: Withdrawn\nVersion: 2",
    "fields": "A gate\n======\n\n:Status: Withdrawn\n:Version: 2\n\n.. note:: This is a note on gates.",
}


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
def test_a_head_states_facts(head: str) -> None:
    document = read_document((head + BODY).encode())
    facts = {fact.name: fact for fact in document.facts}
    assert facts["status"].value == "Withdrawn"
    assert facts["version"].value == "2"
    assert "Withdrawn" in document.text[facts["status"].start : facts["status"].end]


def test_what_is_said_later_is_none() -> None:
    text = (
        "# A gate\n\n"
        + "The canal gets a gate in the north, which nobody has paid for. " * 30
        + "\n\nStatus: Rejected\n"
    )
    assert read_document(text).facts == ()


def test_a_status_that_warns_is_quoted_first(summarizer: Summarizer) -> None:
    for options in ({"sentences": 2}, {"words": 30}, {"order": "extraction"}, {"by": "section"}):
        summary = summarizer.summarize((HEADS["front matter"] + BODY).encode(), **options)
        assert summary[0].text == "status: Withdrawn"
        assert summary[0].beside == "status"
        assert summary.to_text().startswith("status: Withdrawn")
        assert summary.document.text[summary[0].start : summary[0].end] == summary[0].text
        assert len(summary) == options.get("sentences", len(summary))
    accepted = HEADS["front matter"].replace("Withdrawn", "Accepted")
    assert all(quote.beside is None for quote in summarizer.summarize((accepted + BODY).encode()))


def test_json_has_them(summarizer: Summarizer) -> None:
    record = summarizer.summarize((HEADS["a list"] + BODY).encode()).to_dict()
    assert record["document"]["facts"]["version"]["value"] == "2"


def test_a_question_without_an_answer_says_what_was_not_searched(default: Summarizer) -> None:
    links = "\n".join(f"* [The {name} of the canal and of the mill](https://example.org/{name})" for name in "abcdefgh")
    summary = default.summarize(f"# A gate{BODY}\n## See also\n\n{links}\n", about="Which volcano erupted in Iceland?")
    assert not summary.found
    assert any("were not searched" in warning for warning in summary.warnings)


@pytest.mark.parametrize("name", ["effective_date", "last-updated", "Last modified"])
def test_names_of_fields_are_words(name: str) -> None:
    (fact,) = read_document(f"---\n{name}: 2021-05-01\n---\n\n# A gate{BODY}").facts
    assert (fact.name, fact.value) == ("date", "2021-05-01")
