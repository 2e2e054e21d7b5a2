"""A reader pastes an answer of an assistant and sees which quotes are really in the document, and where."""

from __future__ import annotations

from .browsing import MARKS, drop, in_view, playwright

pytestmark = MARKS

ANSWER = (
    "The paper says “the median of the group” and “Data were entered three times and checked by a second reader”. "
    "It adds “zebras were counted at night”."
)


def check(page: playwright.Page, answer: str) -> list[str]:
    page.click("#checker")
    page.fill("#cited", answer)
    page.click("#check button[type=submit]")
    page.wait_for_selector("#verdicts > li")
    return [node.get_attribute("class") or "" for node in page.locator("#verdicts > li").all()]


def test_quotes_are_green_amber_or_red_and_lead_to_their_page(page: playwright.Page, paper_pdf: bytes) -> None:
    drop(page, "roads.pdf", paper_pdf)
    assert check(page, ANSWER) == ["exact", "edited", "not-found"]
    playwright.expect(page.locator("#checked")).to_have_text("1 of 3 quotes is in the document, word for word.")
    edited = page.locator("#verdicts > li").nth(1)
    assert edited.locator("del").all_inner_texts() == ["three times"]
    assert edited.locator("ins").all_inner_texts() == ["twice"]
    script = "nodes => nodes.map((node) => getComputedStyle(node).borderLeftColor)"
    assert len(set(page.locator("#verdicts > li").evaluate_all(script))) == 3
    assert "page 1" in edited.locator("button").inner_text()
    edited.locator("button").click()
    hit = page.locator("#pages .box.hit")
    assert hit.count() == 1
    assert in_view(page, hit)


def test_in_a_text_the_words_are_shown(page: playwright.Page, paper: str) -> None:
    drop(page, "roads.md", paper.encode())
    sentence = page.locator("#document [data-sentence]").nth(8).inner_text().lstrip("0123456789")
    assert check(page, sentence.upper()) == ["same-words"]
    page.locator("#verdicts button").click()
    found = page.evaluate("[...CSS.highlights.get('found')].map(String)[0]")
    assert found.strip(". ") in sentence


def test_another_document_forgets_what_was_checked(page: playwright.Page, paper: str) -> None:
    drop(page, "roads.md", paper.encode())
    check(page, "“nothing of this is there”")
    page.click("#again")
    drop(page, "tide.txt", b"The tide rose all night. It fell again at dawn. Nobody saw it.")
    assert page.locator("#verdicts > li").count() == 0
    assert page.locator("#cited").input_value() == ""
