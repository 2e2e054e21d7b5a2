"""What a reader takes away, and how documents come and go: citations, print, links, back, the session, drafts."""

from __future__ import annotations

from pathlib import Path

from .browsing import DONE, MARKS, PATIENCE, drop, drop_all, playwright, quotes, slide

pytestmark = MARKS


def test_a_quote_is_copied_with_its_source(page: playwright.Page, paper: str, paper_pdf: bytes) -> None:
    for name, content, source in (
        ("roads.md", paper.encode(), "(Lighting on rural roads, Background)"),
        ("roads.pdf", paper_pdf, "(roads.pdf, page 1)"),
    ):
        drop(page, name, content)
        slide(page, 9)
        line = page.locator("#list li").first
        line.hover()
        line.locator(".take").click()
        playwright.expect(page.locator("#said")).to_have_text("Copied with its source.", timeout=PATIENCE)
        assert page.evaluate("navigator.clipboard.readText()") == f"“{quotes(page)[0]}” {source}"


def test_print_shows_title_quotes_and_places_alone(page: playwright.Page, paper: str) -> None:
    drop(page, "roads.md", paper.encode())
    page.emulate_media(media="print")
    for shown in ("#title", "#facts", "#list li:first-child a", "#list li:first-child small"):
        assert page.locator(shown).is_visible()
    for hidden in ("#length", "#about", "#copy", "#document", "#map", "#terms", ".take", "#again", "#find"):
        assert page.locator(hidden).filter(visible=True).count() == 0, hidden


def test_a_link_reopens_the_document_and_back_leads_back(page: playwright.Page, paper: str, url: str) -> None:
    page.fill("#text", "The tide rose. It fell again. Nobody saw it. The boats lay on the sand.")
    page.click("#go")
    page.wait_for_selector(DONE)
    assert page.locator("#title").inner_text() == "Pasted text"
    page.click("#again")
    assert page.locator("#ask").is_visible()
    assert page.locator("#text").input_value().startswith("The tide rose.")  # nothing that was pasted is lost
    drop(page, "roads.md", paper.encode())
    assert page.locator("#title").inner_text() == "Lighting on rural roads"
    page.click("#downloads summary")
    page.click("#link")
    playwright.expect(page.locator("#said")).to_contain_text("Copied the link", timeout=PATIENCE)
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(f"{url}#reading=")
    page.go_back()
    playwright.expect(page.locator("#ask")).to_be_visible(timeout=PATIENCE)
    page.go_back()
    playwright.expect(page.locator("#title")).to_have_text("Pasted text", timeout=PATIENCE)
    page.go_forward()
    playwright.expect(page.locator("#ask")).to_be_visible(timeout=PATIENCE)
    earlier = page.locator("#earlier li")
    assert earlier.locator("a").all_inner_texts() == ["Pasted text", "Lighting on rural roads"]
    with page.expect_response(lambda response: response.status == 204):
        earlier.first.get_by_text("Forget").click()
    assert earlier.locator("a").all_inner_texts() == ["Lighting on rural roads"]
    other = page.context.new_page()  # without this tab's memory
    other.goto(link)
    other.wait_for_selector(DONE, timeout=PATIENCE)
    assert other.locator("#title").inner_text() == "Lighting on rural roads"


def test_a_draft_survives_a_reload(page: playwright.Page) -> None:
    page.fill("#text", "The tide rose, and nobody")
    page.reload()
    assert page.locator("#text").input_value() == "The tide rose, and nobody"


def test_an_address_is_told_apart_from_a_text(page: playwright.Page) -> None:
    page.fill("#text", " https://example.org/paper.pdf\n")
    page.click("#go")
    playwright.expect(page.locator("#problem")).to_have_text(
        "https://example.org/paper.pdf is an address, and memsum fetches nothing from the network. "
        "Download what is there, and give the file or its text.",
        timeout=PATIENCE,
    )


def test_reading_can_be_canceled(page: playwright.Page, paper: str) -> None:
    page.route("**/v1/readings", lambda route: None)  # never answered
    page.fill("#text", paper)
    page.click("#go")
    playwright.expect(page.locator("#doing")).to_contain_text("Reading", timeout=PATIENCE)
    page.click("#cancel")
    playwright.expect(page.locator("#busy")).to_be_hidden(timeout=PATIENCE)
    assert page.locator("#problem").is_hidden()
    assert page.locator("#go").is_enabled()


def test_several_files_have_their_own_shares(page: playwright.Page, paper: str) -> None:
    harbour = "# Harbour\n\nThe harbour board met in May. They closed the eastern quay to all boats.\n"
    drop_all(page, {"roads.md": paper.encode(), "harbour.md": harbour.encode()})
    slide(page, 13)
    assert page.locator("#title").inner_text() == "roads.md, harbour.md"
    assert page.locator("#facts").inner_text().startswith("2 documents · ")
    page.click("#contents summary")
    assert page.locator("#contents li").all_inner_texts() == ["roads.md 11", "harbour.md 2"]


def test_saved_quotes_are_those_that_are_shown(page: playwright.Page, paper: str) -> None:
    drop(page, "roads.md", paper.encode())
    page.click("#downloads summary")
    with page.expect_download() as download:
        page.click("[data-format=text]")
    assert Path(download.value.path()).read_text("utf-8").splitlines() == quotes(page)
