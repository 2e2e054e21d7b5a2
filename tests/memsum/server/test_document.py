"""The document beside its quotes: pages, text and abstract, boxes, zoom, the strip, contents, finding."""

from __future__ import annotations

from .browsing import DONE, MARKS, PATIENCE, drop, in_view, playwright, quotes, slide
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
    assert in_view(page, box)
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


def test_contents_filter_the_quotes(page: playwright.Page, paper: str) -> None:
    drop(page, "roads.md", paper.encode())
    slide(page, 11)
    numbers = page.locator("#list li .step").all_inner_texts()
    page.click("#contents summary")
    page.get_by_role("button", name="Results 3").click()
    assert len(quotes(page)) == 3
    assert set(page.locator("#list li .step").all_inner_texts()) < set(numbers)  # a quote keeps its number
    assert page.locator("#only").inner_text().startswith("Only from Results")
    assert page.locator("#document mark").count() == 3
    page.locator("#only button").click()
    assert len(quotes(page)) == 11


def test_words_are_found_in_text_and_pages(page: playwright.Page, paper: str, paper_pdf: bytes) -> None:
    drop(page, "roads.md", paper.encode())
    page.keyboard.press("f")
    page.keyboard.type("LIGHTING")
    hits = page.locator("#hits")
    count = paper.lower().count("lighting")
    assert hits.inner_text() == f"1 of {count}"
    page.keyboard.press("Enter")
    assert hits.inner_text() == f"2 of {count}"
    assert page.evaluate("[...CSS.highlights.get('found')].map(String)") == ["lighting"]
    page.click("#previous")
    assert hits.inner_text() == f"1 of {count}"
    page.fill("#find", "zebra")
    assert hits.inner_text() == "none"
    assert page.locator("#next").is_hidden()
    drop(page, "roads.pdf", paper_pdf)
    _drawn(page, 1)
    page.fill("#find", "sensitivity")
    assert page.locator("#hits").inner_text() == "1 of 1"
    assert page.locator(".page[data-page='2'] .hit").count() == 1


def test_what_is_no_running_text_is_folded(page: playwright.Page, paper: str) -> None:
    drop(page, "roads.md", f"{paper}2. Jones K. Another scheme. 2004.\n".encode())
    folded = page.locator("#document .fold")
    assert folded.locator("summary").all_inner_texts() == ["References (2 lines)"]
    assert folded.locator("p").first.is_hidden()
    page.fill("#find", "Another scheme")
    assert folded.locator("p").first.is_visible()


def test_the_own_abstract_is_in_a_tab(page: playwright.Page) -> None:
    text = "# Bees\n\n## Abstract\n\nWe counted wild bees. Few were rare.\n\n## Methods\n\nEach plot was visited.\n"
    drop(page, "bees.md", text.encode())
    page.get_by_role("tab", name="Abstract").click()
    assert page.locator("#abstract").inner_text() == "We counted wild bees. Few were rare."
    assert page.locator("#document").is_hidden()
    page.locator("#list li a").first.click()
    assert page.locator("#document mark.here").is_visible()


def test_questions_are_kept_as_a_list(page: playwright.Page, paper: str) -> None:
    drop(page, "roads.md", paper.encode())
    for question in ("How were missing values replaced?", "Who is the king of France?"):
        page.fill("#about", question)
        page.keyboard.press("Enter")
    playwright.expect(page.locator("#missing")).to_be_visible(timeout=PATIENCE)
    chips = page.locator("#asked .chip")
    page.get_by_role("button", name="How were missing values replaced?", exact=True).click()
    playwright.expect(page.locator("#list li.here a")).to_contain_text("Missing values were replaced", timeout=PATIENCE)
    assert page.locator("#document mark.here").is_visible()  # the document went to the best answer
    page.reload()
    page.wait_for_selector(DONE)
    assert chips.count() == 5  # the summary, and two questions that can be removed
    page.get_by_role("button", name="Remove the question Who is").click()
    assert chips.count() == 3
    page.get_by_role("button", name="Summary", exact=True).click()
    playwright.expect(page.locator("#list li")).to_have_count(4, timeout=PATIENCE)


TABLE = """# Pumps

Each pump was measured for a month. All of them are old.

| pump | flow |
|---|---|
| A | 12 l/s |
| B | 14 l/s |

```
def flow(pump):
    return 12
```
"""


def test_tables_and_code_look_like_what_they_are(page: playwright.Page) -> None:
    drop(page, "pumps.md", TABLE.encode())
    shown = page.locator("#document")
    assert shown.locator("th").all_inner_texts() == ["pump", "flow"]
    assert shown.locator("td").all_inner_texts() == ["A", "12 l/s", "B", "14 l/s"]
    assert shown.locator("pre").inner_text() == "def flow(pump):\n    return 12"
    page.fill("#find", "14 l/s")
    assert page.evaluate("[...CSS.highlights.get('found')].map(String)") == ["14 l/s"]
    index = int(shown.locator("tr").last.locator("[data-sentence]").first.get_attribute("data-sentence") or -1)
    row = {"index": index, "score": 1, "answer": "likely answers", "context": {"text": "pump | flow", "kind": "head"}}
    order = {"extractions": [row], "chosen": [row], "complete": True, "found": True, "warnings": []}
    page.route("**/v1/readings/*?extractions=*", lambda route: route.fulfill(json=order))
    page.fill("#about", "What is the flow of pump B?")
    playwright.expect(page.locator("#list td")).to_have_text(["B", "14 l/s"], timeout=PATIENCE)
    assert page.locator("#list th").all_inner_texts() == ["pump", "flow"]
    assert shown.locator("tr mark").all_inner_texts() == ["1B", "14 l/s"]


def test_a_row_that_holds_a_sentence_is_shown_once(page: playwright.Page) -> None:
    row = ["B", "It has to be cleaned on every first Monday of a month.", "14 l/s"]
    text = f"{TABLE}\n## Care\n\n| pump | care | flow |\n|---|---|---|\n| {' | '.join(row)} |\n"
    drop(page, "pumps.md", text.encode())
    cells = page.locator("#document tr").last.locator("td")
    assert [cells.count(), cells.first.inner_text(), cells.last.inner_text()] == [3, row[0], row[2]]
    assert cells.nth(1).inner_text().lstrip("123456789") == row[1]  # it may be a quote, and have its number
    index = int(cells.first.locator("[data-sentence]").get_attribute("data-sentence") or -1)
    found = {"index": index, "score": 1, "answer": "likely answers", "context": None}
    order = {"extractions": [found], "chosen": [found], "complete": True, "found": True, "warnings": []}
    page.route("**/v1/readings/*?extractions=*", lambda route: route.fulfill(json=order))
    page.fill("#about", "What is the flow of pump B?")
    playwright.expect(page.locator("#list td")).to_have_text(row, timeout=PATIENCE)


def test_a_transcript_says_who_speaks_when(page: playwright.Page) -> None:
    talk = "WEBVTT\n\n00:01:12.500 --> 00:01:22.000\n<v Anna>The crane was bought in May. It cost a lot.\n"
    drop(page, "talk.vtt", talk.encode())
    assert "Anna, 01:12, sentence 1" in page.locator("#list").inner_text()
    assert page.locator("#document [data-time='01:12']").inner_text().startswith("Anna: ")


def test_what_is_set_aside_is_named(page: playwright.Page) -> None:
    text = f"{TABLE}\n## Contents\n\n- [Pumps](#a)\n- [Flow](#b)\n- [Cost](#c)\n"
    drop(page, "pumps.md", text.encode())
    folded = page.locator("#document .fold summary").all_inner_texts()
    assert [one for one in folded if one.startswith("Not running text: ")], folded


def test_on_a_phone_the_text_comes_first(page: playwright.Page, paper_pdf: bytes) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    drop(page, "roads.pdf", paper_pdf)
    assert page.locator("#tab-text").get_attribute("aria-selected") == "true"


def test_what_is_far_away_is_jumped_to(page: playwright.Page) -> None:
    page.emulate_media(reduced_motion="no-preference")
    text = (
        "# Tide\n\nThe tide rose all night.\n\n" + "- a site without a sentence\n" * 300 + "\nIt fell again at dawn.\n"
    )
    drop(page, "tide.md", text.encode())
    slide(page, 2)
    mark = page.locator("#document mark").last
    page.locator("#list li a").last.evaluate("node => node.click()")
    assert in_view(page, mark)  # at once
