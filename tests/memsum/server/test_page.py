"""The page in a real browser: files and text in, the slider, links, keys, downloads, darkness, hostile documents."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfReader

from memsum import Summarizer
from memsum.server.settings import Settings
from memsum.server.workers import Workers

from .browsing import DONE, MARKS, PATIENCE, drop, expected, in_view, marks, playwright, quotes, slide

pytestmark = MARKS


def test_drop_a_file_and_move_the_slider(page: playwright.Page, summarizer: Summarizer, paper: str) -> None:
    drop(page, "roads.md", paper.encode())
    assert quotes(page) == marks(page) == expected(summarizer, paper)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    for length in (1, 11, 6):
        slide(page, length)
        assert quotes(page) == marks(page) == expected(summarizer, paper, sentences=length)
        assert page.locator("#count").inner_text() == f"{length} of 11"
        assert page.locator("#map .mark").count() == length
    page.click("#changer")
    page.select_option("#order", "extraction")
    assert quotes(page) == expected(summarizer, paper, sentences=6, order="extraction")
    page.click("#suggested")
    assert len(quotes(page)) == 4
    assert requests == []  # no length asks the server again


def test_a_length_that_is_not_known_yet_comes_when_it_is(
    page: playwright.Page, summarizer: Summarizer, paper: str
) -> None:
    def late(route: playwright.Route) -> None:
        slide(page, 11)
        assert len(quotes(page)) < 11
        route.continue_()

    page.route("**/v1/readings/*?extractions=*", late)
    drop(page, "roads.md", paper.encode())
    assert quotes(page) == marks(page) == expected(summarizer, paper, sentences=11)


def test_a_pdf_is_shown_and_comes_back_highlighted(page: playwright.Page, paper_pdf: bytes) -> None:
    drop(page, "roads.pdf", paper_pdf)
    slide(page, 8)
    assert "page 2" in page.locator("#list").inner_text()
    page.click("#downloads summary")
    with page.expect_download() as download:
        page.click("[data-format=pdf]")
    assert download.value.suggested_filename == "roads-marked.pdf"
    content = Path(download.value.path()).read_bytes()
    found = [note.get_object()["/Subtype"] for sheet in PdfReader(BytesIO(content)).pages for note in sheet["/Annots"]]
    assert found.count("/Highlight") >= 8


def test_downloads_and_copy(page: playwright.Page, summarizer: Summarizer, paper: str) -> None:
    drop(page, "roads.md", paper.encode())
    slide(page, 2)
    assert page.locator("[data-format=pdf]").is_hidden()
    for form, name in (
        ("markdown", "roads-summary.md"),
        ("text", "roads-summary.txt"),
        ("json", "roads-summary.json"),
        ("html", "roads-summary.html"),
    ):
        page.click("#downloads summary")
        with page.expect_download() as download:
            page.click(f"[data-format={form}]")
        assert download.value.suggested_filename == name
        text = Path(download.value.path()).read_text("utf-8")
        if form == "json":
            assert [s["text"].split() for s in json.loads(text)["sentences"]] == [q.split() for q in quotes(page)]
        else:
            assert all(quote.partition(" (")[0] in text for quote in quotes(page))
    page.click("#downloads summary")
    page.click("#copy")
    playwright.expect(page.locator("#said")).to_have_text("Copied.", timeout=PATIENCE)
    assert page.evaluate("navigator.clipboard.readText()") == "\n".join(expected(summarizer, paper, sentences=2))


def test_click_a_sentence_and_see_its_place(page: playwright.Page, paper: str) -> None:
    padded = paper.replace("## Results", "## Sites\n\n" + "- a site without a sentence\n" * 60 + "\n## Results")
    drop(page, "roads.md", padded.encode())
    slide(page, 30)
    last = page.locator("#list li").last
    index = last.get_attribute("data-sentence")
    mark = page.locator(f"#document [data-sentence='{index}']").first
    assert not in_view(page, mark)
    last.locator("a").click()
    assert in_view(page, mark)
    assert "here" in (mark.get_attribute("class") or "")
    page.locator("#document mark").first.click()
    first = page.locator("#list li").first
    assert "here" in (first.get_attribute("class") or "")
    assert "here" not in (last.get_attribute("class") or "")


def test_keyboard_only(page: playwright.Page, summarizer: Summarizer, paper: str) -> None:
    def press(key: str, until: str) -> None:
        for _ in range(60):
            if page.evaluate("selector => document.activeElement.matches(selector)", until):
                return
            page.keyboard.press(key)
        pytest.fail(f"{key} does not lead to {until}")

    press("Tab", "#text")
    page.keyboard.insert_text(paper)
    press("Tab", "#go")
    page.keyboard.press("Enter")
    page.wait_for_selector(DONE)
    assert page.evaluate("document.activeElement.id") == "title"
    press("Tab", "#length")
    for _ in range(2):
        page.keyboard.press("ArrowLeft")
    assert quotes(page) == expected(summarizer, paper, sentences=2)
    page.keyboard.press("+")
    assert len(quotes(page)) == 3
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.locator("#list li").nth(1).get_attribute("class") == "here"
    page.keyboard.press("k")
    assert page.locator("#list li").nth(0).get_attribute("class") == "here"
    press("Tab", "#downloads summary")
    page.keyboard.press("Enter")
    press("Tab", "[data-format=markdown]")
    with page.expect_download():
        page.keyboard.press("Enter")
    press("Tab", "#list li:nth-child(3) a")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    assert page.locator("#list li").nth(2).get_attribute("class") == "here"
    press("Shift+Tab", "#again")
    page.keyboard.press("Enter")
    assert page.locator("#ask").is_visible()
    assert page.evaluate("document.activeElement.id") == "text"


def test_dark_mode_and_phones(page: playwright.Page, paper: str) -> None:
    drop(page, "roads.md", paper.encode())

    def brightness(selector: str, of: str) -> float:
        color = page.evaluate("([s, of]) => getComputedStyle(document.querySelector(s))[of]", [selector, of])
        return sum(map(int, re.findall(r"\d+", color)[:3])) / 3

    assert brightness("body", "backgroundColor") > 200 > 80 > brightness("mark", "color")
    page.emulate_media(color_scheme="dark")
    assert brightness("body", "backgroundColor") < 60
    assert brightness("mark", "backgroundColor") + 100 < brightness("mark", "color")
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    summary, document = page.locator(".quotes").bounding_box(), page.locator("#document").bounding_box()
    assert summary
    assert document
    assert summary["y"] + summary["height"] <= document["y"]


def test_on_a_phone_one_finds_back_to_the_summary(page: playwright.Page, paper: str) -> None:
    page.set_viewport_size({"width": 360, "height": 600})
    assert page.locator("#up").is_hidden()
    padded = paper.replace("## Results", "## Sites\n\n" + "- a site without a sentence\n" * 60 + "\n## Results")
    drop(page, "roads.md", padded.encode())
    slide(page, 30)
    last = page.locator("#list li").last
    last.locator("a").click()
    assert not in_view(page, last)
    page.click("#up")
    assert in_view(page, last)
    page.set_viewport_size({"width": 1200, "height": 600})
    assert page.locator("#up").is_hidden()


def test_the_menu_closes_when_one_turns_away(page: playwright.Page, paper: str) -> None:
    drop(page, "roads.md", paper.encode())
    menu = page.locator("[data-format=markdown]")
    for turn_away in (lambda: page.click("#count"), lambda: page.keyboard.press("Escape")):
        page.click("#downloads summary")
        assert menu.is_visible()
        turn_away()
        assert menu.is_hidden()


def test_a_hostile_document_is_only_text(page: playwright.Page, tmp_path: Path) -> None:
    hostile = (
        "# <img src=x onerror=alert('title')>\n\n## <script>alert('section')</script>\n\n"
        "The pump &lt;script>alert(1)&lt;/script> ran all night. It `<img src=x onerror=alert(2)>` stopped at dawn. "
        "<svg onload=alert(3)> Nobody <a href='javascript:alert(4)'>heard</a> it </p></article> stop.\n"
    )
    drop(page, "<img src=x onerror=alert('name')>.md", hostile.encode())
    slide(page, 3)
    assert "<script>alert(1)</script>" in page.locator("#document").inner_text()
    assert "<img src=x onerror=alert(2)>" in page.locator("#list").inner_text()
    assert page.locator("#result img, #result script, #document a").count() == 0
    page.click("#downloads summary")
    with page.expect_download() as download:
        page.click("[data-format=html]")
    download.value.save_as(tmp_path / "page.html")
    saved = page.context.new_page()
    saved.set_default_timeout(PATIENCE)
    ran: list[str] = []
    saved.on("dialog", lambda dialog: ran.append(dialog.message))
    saved.on("console", lambda message: ran.append(message.text))
    saved.goto((tmp_path / "page.html").as_uri())
    assert "<script>alert(1)</script>" in saved.locator("article").inner_text()
    assert saved.evaluate("document.scripts.length") == 0
    assert ran == []


def test_what_goes_wrong_is_said(page: playwright.Page) -> None:
    page.click("#go")
    assert page.locator("#problem").inner_text() == "Paste a text or choose a file first."
    page.fill("#text", "# Only a heading")
    with page.expect_response("**/v1/readings"):
        page.click("#go")
    playwright.expect(page.locator("#problem")).to_contain_text("The document has no sentences", timeout=PATIENCE)
    assert page.locator("#ask").is_visible()
    page.fill("#text", "The tide rose. It fell again.")
    page.click("#go")
    page.wait_for_selector(DONE)
    assert page.locator("#problem").is_hidden()


def test_a_token_is_asked_for_once(
    browser: playwright.Browser, running: Callable[[Settings], AbstractContextManager[tuple[str, Workers]]]
) -> None:
    with running(Settings(token="open-sesame")) as (url, _):
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(url)
        page.click("[data-try=summary]")
        page.fill("#token", "open-sesame")
        page.keyboard.press("Enter")
        page.wait_for_selector(DONE)
        assert page.locator("#key").is_hidden()
        page.reload()
        page.wait_for_selector(DONE)
        page.click("#again")
        page.click("[data-try=summary]")
        page.wait_for_selector(DONE)
        page.close()


def test_quotes_stand_above_the_fold(page: playwright.Page, paper: str) -> None:
    for width, height, count in ((1280, 900, 3), (390, 844, 2)):
        page.set_viewport_size({"width": width, "height": height})
        drop(page, "roads.md", paper.encode())
        boxes = [line.bounding_box() or {} for line in page.locator("#list li").all()]
        assert boxes[0]["y"] < height / 3
        assert boxes[count - 1]["y"] + boxes[count - 1]["height"] < height


@pytest.mark.parametrize(("name", "shows"), [("summary", "#list li"), ("question", "#list li"), ("check", ".exact")])
def test_the_first_screen_can_be_tried(page: playwright.Page, name: str, shows: str) -> None:
    assert "Everything stays on this machine." in page.locator("#ask").inner_text()
    button = page.locator(f"[data-try={name}]")
    question = button.inner_text()
    button.click()
    page.wait_for_selector(shows)
    assert page.locator("#title").inner_text().startswith("Open from seven to ten")
    assert name != "question" or page.locator("#about").input_value() == question
