"""Answers from tables and code come with their heads, or the sentence before, in every form of output."""

from __future__ import annotations

from memsum import Summarizer

TEXT = b"""# Travel

The allowance depends on the country that you travel to and is paid at the end of the month.

| Country | Daily allowance | Hotel |
|---|---|---|
| France | 40 EUR | 120 EUR |
| Spain | 35 EUR | 100 EUR |

## Install

On Ubuntu, install the program with these commands:

    sudo apt install travel
    travel --init

| Field | What we know |
|---|---|
| Impact | Forty customers lost their data for three hours. |
"""


def test_a_row_answers_with_the_heads_of_its_columns(default: Summarizer) -> None:
    summary = default.summarize(TEXT, about="What is the daily allowance in France?")
    assert summary[0].text == "France | 40 EUR | 120 EUR"
    assert summary[0].beside == "table"
    assert summary[0].context is not None
    assert (summary[0].context.kind, summary[0].context.text) == ("head", "Country | Daily allowance | Hotel")
    assert summary.to_text().startswith("Country | Daily allowance | Hotel … France | 40 EUR | 120 EUR")
    assert summary.document.text[summary[0].start : summary[0].end] == summary[0].text


def test_code_answers_line_by_line_and_is_never_in_a_summary(default: Summarizer) -> None:
    summary = default.summarize(TEXT, about="How do I install it on Ubuntu?", sentences=3)
    code = next(quote for quote in summary if quote.beside == "code")
    assert code.text == "sudo apt install travel\ntravel --init"
    assert "sudo apt install travel\n  travel --init\n" in summary.to_text(80)
    assert all(quote.beside is None for quote in default.summarize(TEXT, sentences=9))


def test_prose_in_a_cell_is_quoted_with_the_head_of_its_row(default: Summarizer) -> None:
    quotes = {quote.text: quote for quote in default.summarize(TEXT, sentences=9)}
    quote = quotes["Forty customers lost their data for three hours."]
    assert quote.context is not None
    assert (quote.context.kind, quote.context.text) == ("head", "Impact")
