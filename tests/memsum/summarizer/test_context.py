"""A quote that is not understood alone carries the sentence before it."""

from __future__ import annotations

from dataclasses import replace

from memsum import Summarizer
from memsum.features.source_text import SourceText
from memsum.languages.needs_context import NEEDED, needs_context
from memsum.model.runtime import Runtime
from memsum.select import Selection

TEXT = """\
# The pump of the north pier

## What happened

The pump of the north pier failed in March. It had run for forty years without a repair.

## What was done

However, a new pump was ordered at once. The council paid for the pump and for the lift. This took three weeks.
They were glad of it. The fishermen had feared worse.
"""


def only(summarizer: Summarizer, *indices: int) -> dict[int, str | None]:
    """The contexts of some sentences, if only these are quoted."""
    reading = summarizer.read(TEXT)
    quotes = [quote for quote in reading.summarize(ratio=1.0, context=False) if quote.index in indices]
    return {quote.index: quote.context and quote.context.text for quote in reading.contexts.add(quotes)}


def test_the_sentence_before_comes_with_its_place(summarizer: Summarizer) -> None:
    reading = summarizer.read(TEXT)
    (quote,) = reading.contexts.add([q for q in reading.summarize(ratio=1.0, context=False) if q.index == 1])
    assert quote.text.startswith("It had run")
    assert quote.context is not None
    assert reading.document.text[quote.context.start : quote.context.end] == quote.context.text
    assert reading.document.sentences[quote.context.index].text == quote.context.text
    record = quote.to_dict()["context"]
    assert record == {
        "index": 0,
        "text": "The pump of the north pier failed in March.",
        "start": quote.context.start,
        "end": quote.context.end,
        "kind": "before",
    }


def test_only_one_sentence_of_the_same_section(summarizer: Summarizer) -> None:
    assert only(summarizer, 0, 3) == {0: None, 3: None}
    assert only(summarizer, 2) == {2: None}  # the sentence before is of another section
    assert only(summarizer, 5) == {5: "This took three weeks."}  # that is dependent itself: still one
    assert only(summarizer, 0, 1) == {0: None, 1: None}  # quoted itself


def test_context_can_be_left_out(summarizer: Summarizer) -> None:
    text = "The tide rose. It fell. This was in May. They had seen it. Such tides are rare. It rained, too."
    with_it = summarizer.summarize(text, sentences=2, order="extraction")
    assert any(quote.context for quote in with_it)
    without = summarizer.summarize(text, sentences=2, order="extraction", context=False)
    assert [quote.index for quote in without] == [quote.index for quote in with_it]
    assert not any(quote.context for quote in without)
    assert "context" not in str(without.to_dict()["sentences"])


def test_the_first_sentence_has_none_and_blank_ones_are_none(summarizer: Summarizer) -> None:
    (quote,) = summarizer.summarize("This was all.")
    assert quote.context is None
    quotes = summarizer.summarize(["The tide rose.", "", "It fell."], sentences=2)
    assert [quote.context for quote in quotes] == [None, None]
    reading = summarizer.read(["The tide rose.", "  ", "It fell."])
    (quote,) = reading.contexts.add([q for q in reading.summarize(sentences=2) if q.index == 2])
    assert quote.context is not None
    assert quote.context.text == "The tide rose."


def test_a_penalty_keeps_sentences_that_need_context_out(summarizer: Summarizer) -> None:
    runtime = summarizer.runtime
    sentences = [sentence.text for sentence in summarizer.read(TEXT).document.sentences]
    needs = needs_context(sentences) >= NEEDED
    assert 0 < needs.sum() < len(needs)
    config = runtime.config
    priced = Runtime.__new__(Runtime)
    priced.__dict__ = {
        **vars(runtime),
        "config": replace(config, penalties=replace(config.penalties, needs_context=50.0)),
    }
    episode = Selection(priced, SourceText.of_sentences(sentences)).episode()
    episode.extend(len(sentences))
    assert [bool(needs[choice]) for choice in episode.choices] == sorted(needs.tolist())


RULES = """\
# Minutes of the meeting on the pump

## Rules

The pump is shared by all who live at the pier. You may not:

- open the pump without a second person
- start the pump before the tide has risen

## The old seal

- Ann buys a new seal.

The pump is started with

```
pump --start
pump --wait
pump --check
```

before the tide.
"""


def test_an_item_comes_with_the_lead_in_of_its_list(summarizer: Summarizer) -> None:
    reading = summarizer.read(RULES)
    quotes = {quote.text: quote for quote in reading.summarize(ratio=1.0, context=False)}
    (item,) = reading.contexts.add([quotes["start the pump before the tide has risen"]])
    assert item.context is not None
    assert (item.context.kind, item.context.text) == ("lead-in", "You may not:")
    answer = summarizer.summarize(RULES, sentences=1, about="start the pump before")
    assert answer.to_text() == "You may not: … start the pump before the tide has risen"
    assert "*[You may not:]*" in answer.to_markdown()
    both = reading.contexts.add([replace(item, context=None), quotes["You may not:"]])
    assert both[0].context is None  # quoted itself


def test_an_outcome_in_minutes_comes_with_the_title_of_its_item(summarizer: Summarizer) -> None:
    reading = summarizer.read(RULES)
    (quote,) = reading.contexts.add([q for q in reading.summarize(ratio=1.0) if q.text == "Ann buys a new seal."])
    assert quote.context is not None
    assert quote.context.to_dict()["kind"] == "heading"
    assert (quote.context.index, quote.context.text) == (None, "The old seal")
    assert reading.document.text[quote.context.start : quote.context.end] == "The old seal"


def test_neither_a_greeting_nor_a_date_explains_a_quote(summarizer: Summarizer) -> None:
    reading = summarizer.read(
        "# Meeting of the crew\n\n## 2031-05-02\n\nWelcome to the harbour! They meet every Friday at nine.\n\n"
        "- Ann buys a new seal.\n"
    )
    quotes = [quote for quote in reading.summarize(ratio=1.0, context=False) if not quote.text.startswith("Welcome")]
    assert [(quote.text, quote.context) for quote in reading.contexts.add(quotes)] == [
        ("They meet every Friday at nine.", None),
        ("Ann buys a new seal.", None),
    ]


def test_a_part_of_a_sentence_around_code_is_not_quoted(summarizer: Summarizer) -> None:
    quoted = {quote.text for quote in summarizer.read(RULES).summarize(ratio=1.0)}
    assert not quoted & {"The pump is started with", "before the tide."}


FAQ = """# Questions about the allotments

## Who may rent a plot?

Everybody who has lived in the town for a year. The list is open in March.

## What does it cost?

Forty euros a year, and twelve for water.

## May I keep bees?

Only behind the hedge, and not more than two hives.
"""


def test_an_answer_comes_with_its_question(summarizer: Summarizer) -> None:
    reading = summarizer.read(FAQ)
    quotes = {quote.text: quote for quote in reading.summarize(ratio=1.0)}
    context = quotes["Only behind the hedge, and not more than two hives."].context
    assert context is not None
    assert (context.kind, context.index, context.text) == ("question", None, "May I keep bees?")
    assert reading.document.text[context.start : context.end] == context.text
    answer = summarizer.summarize(FAQ, sentences=1, about="two hives behind the hedge")
    assert answer.to_text() == "May I keep bees? … Only behind the hedge, and not more than two hives."


def test_a_question_that_is_a_sentence_is_the_context_of_its_answer(summarizer: Summarizer) -> None:
    reading = summarizer.read(FAQ.replace("## ", ""))
    (quote,) = reading.contexts.add([q for q in reading.summarize(ratio=1.0) if q.text.startswith("Forty euros")])
    assert quote.context is not None
    assert (quote.context.kind, quote.context.text) == ("question", "What does it cost?")
    assert quote.context.index is not None
    assert reading.document.sentences[quote.context.index].text == "What does it cost?"


def test_a_problem_among_numbered_questions_is_one_of_them(summarizer: Summarizer) -> None:
    asked = ["(1) Who may use it?", "(2) What does a lift cost?", "(3) When is it closed?", "(4) My boat is too long."]
    answers = ["All members may.", "A lift costs nine euros.", "The crane rests in winter.", "Long boats stay ashore."]
    reading = summarizer.read("\n\n".join(f"{one}\n\n{other}" for one, other in zip(asked, answers, strict=True)))
    quotes = [one for one in reading.summarize(ratio=1.0, context=False) if one.text in answers[1:]]
    assert [one and one.text for one in reading.contexts.find(quotes)] == asked[1:]


def test_a_question_among_other_headings_is_no_context(summarizer: Summarizer) -> None:
    text = FAQ.replace("Who may rent a plot?", "Rents").replace("What does it cost?", "Costs")
    assert all(quote.context is None for quote in summarizer.summarize(text, ratio=1.0))
