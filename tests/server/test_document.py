"""The document beside its quotes: pages, text and abstract, boxes, zoom, the strip, contents, finding."""

from __future__ import annotations

from .browsing import DONE, MARKS, PATIENCE, drop, playwright, slide
from .conftest import pdf_of

pytestmark = MARKS

_INK = """canvas => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return data.filter((value, at) => at % 4 === 0 && value < 100).length;
}"""


def _drawn(page: playwright.Page, number: int) -> playwright.Locator:
    sheet = page.locator(f".page[data-page='{number}'].drawn")
    playwright.expect(sheet).to_be_visible(timeout=PATIENCE)
    return sheet


def _in_view(page: playwright.Page, node: playwright.Locator) -> bool:
    top: float = node.evaluate("node => node.getBoundingClientRect().top")
    return 0 <= top < page.viewport_size["height"]


def test_the_pages_themselves_with_the_quotes_in_place(page: playwright.Page, paper_pdf: bytes) -> None:
    drop(page, "roads.pdf", paper_pdf)
    assert page.locator("#tab-pages").get_attribute("aria-selected") == "true"
    assert page.locator("#facts").inner_text().startswith("2 pages · ")
    assert _drawn(page, 1).locator("canvas").evaluate(_INK) > 1000
    slide(page, 9)
    for line in page.locator("#list li").all():
        index = line.get_attribute("data-sentence")
        boxes = page.locator(f".box[data-sentence='{index}']")
        assert boxes.count() >= 1
        assert boxes.first.locator(".step").inner_text() == line.locator(".step").inner_text()
    last = page.locator("#list li").last
    last.locator("a").click()
    box = page.locator(f".page[data-page='2'] .box[data-sentence='{last.get_attribute('data-sentence')}']").first
    assert _in_view(page, box)
    assert "here" in (box.get_attribute("class") or "")
    _drawn(page, 2)
    page.locator(".page[data-page='2'] a.box").first.click()
    line = page.locator("#list li.here")
    assert line.count() == 1
    assert "page 2" in line.inner_text()
    assert page.locator("#map .mark").count() == 9
    page.click("#tab-text")
    assert page.locator("#document mark .step").count() == 9
    assert page.locator("#document mark.here").count() == 1
    page.reload()
    page.wait_for_selector(DONE)
    assert page.locator("#tab-text").get_attribute("aria-selected") == "true"
    page.keyboard.press("Tab")
    page.locator("#tab-text").focus()
    page.keyboard.press("ArrowLeft")
    _drawn(page, 1)


def test_pages_can_be_larger(page: playwright.Page, paper_pdf: bytes) -> None:
    drop(page, "roads.pdf", paper_pdf)
    sheet = _drawn(page, 1)
    before = sheet.bounding_box()
    assert sheet.locator("canvas").evaluate("canvas => canvas.width") == 800
    for _ in range(3):
        page.click("#larger")
    assert page.locator("#scale").inner_text() == "200 %"
    assert page.locator("#larger").is_disabled()
    after = sheet.bounding_box()
    assert before
    assert after
    assert after["width"] == 2 * before["width"]
    playwright.expect(page.locator("canvas[width='1600']").first).to_be_visible(timeout=PATIENCE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 1200


def test_of_a_long_document_only_what_is_seen_is_drawn(page: playwright.Page) -> None:
    lines = ["The valve was closed by hand,", "and the pump was stopped", "until the tank was dry again."]
    pages = [[""] * (number % 9) + lines * (2 + number % 5) for number in range(1, 121)]
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/pages/" in request.url else None)
    drop(page, "manual.pdf", pdf_of(*pages))
    _drawn(page, 1)
    assert len(asked) < 6
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    _drawn(page, 120)
    assert len(asked) < 20


def test_a_page_that_cannot_be_drawn_is_a_sentence(page: playwright.Page, paper_pdf: bytes) -> None:
    says = {"error": "Page 1 takes too long to draw.", "hint": "Read its text instead."}
    page.route("**/pages/1?*", lambda route: route.fulfill(status=422, json=says))
    drop(page, "roads.pdf", paper_pdf)
    shown = page.locator(".page[data-page='1'] .placeholder")
    playwright.expect(shown).to_have_text("Page 1 takes too long to draw. Read its text instead.", timeout=PATIENCE)
    _drawn(page, 2)
