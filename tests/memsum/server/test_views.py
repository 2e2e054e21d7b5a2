"""Ways to look at a summary on the page: about a question, by section, in colors, spread, in context, again."""

from __future__ import annotations

import re
from pathlib import Path

from memsum import Summarizer, read_document
from memsum.query.relevance import in_words

from .browsing import DONE, DROP, MARKS, PATIENCE, drop, drop_all, marks, playwright, quotes, slide
from .conftest import pdf_of
from .test_pages import with_stamp

pytestmark = MARKS


def test_a_reload_keeps_the_document_and_the_view(page: playwright.Page, paper: str) -> None:
    drop(page, "roads.md", paper.encode())
    slide(page, 6)
    page.click("#changer")
    page.select_option("#order", "extraction")
    page.uncheck("#roles")
    seen = quotes(page)
    page.reload()
    page.wait_for_selector(DONE)
    assert quotes(page) == seen
    assert not page.locator("#roles").is_checked()
    assert page.locator("#order").input_value() == "extraction"
    page.click("#again")
    page.reload()
    assert page.locator("#ask").is_visible()
    assert page.locator("#result").is_hidden()


def test_a_document_that_is_not_kept_any_more_is_said_after_a_reload(page: playwright.Page, paper: str) -> None:
    drop(page, "roads.md", paper.encode())
    with page.expect_response(lambda response: response.status == 204):
        page.evaluate("fetch(`v1/readings/${location.hash.split('=')[1]}`, { method: 'DELETE' })")
    page.reload()
    playwright.expect(page.locator("#problem")).to_contain_text("no longer kept", timeout=PATIENCE)
    assert page.locator("#ask").is_visible()


def test_quotes_have_the_color_of_their_role(page: playwright.Page, paper: str) -> None:
    drop(page, "roads.md", paper.encode())
    slide(page, 11)

    def colors() -> list[str]:
        script = "nodes => [...new Set(nodes.map((node) => getComputedStyle(node).backgroundColor))]"
        return page.locator("#document mark").evaluate_all(script)

    page.click("#changer")
    assert len(colors()) == 4
    assert page.locator("#legend").inner_text().split("\n") == ["background 3", "method 3", "result 3", "conclusion 2"]
    assert "background, Background, sentence 1" in page.locator("#list").inner_text()
    light = colors()
    page.emulate_media(color_scheme="dark")
    assert len(colors()) == 4
    assert not set(colors()) & set(light)
    page.uncheck("#roles")
    assert len(colors()) == 1
    assert page.locator("#legend").is_hidden()


def test_a_story_has_no_roles(page: playwright.Page) -> None:
    drop(page, "tide.txt", b"The tide rose. It fell again. Nobody saw it. The boats lay on the sand.")
    page.click("#changer")
    assert page.locator("#even").is_visible()
    assert page.locator("#roles").is_hidden()


def test_quotes_can_be_spread_evenly(page: playwright.Page, paper: str) -> None:
    drop(page, "roads.md", paper.encode())
    page.click("#changer")
    page.check("#even")
    page.wait_for_selector(DONE)
    slide(page, 4)
    numbers = [int(n) for n in re.findall(r"sentence (\d+)", page.locator("#list").inner_text())]
    assert [(number - 1) * 4 // 11 for number in numbers] == [0, 1, 2, 3]
    assert marks(page) == quotes(page)
    page.click("#downloads summary")
    with page.expect_download() as download:
        page.click("[data-format=text]")
    saved = Path(download.value.path()).read_text("utf-8").splitlines()
    assert saved == quotes(page)


def test_a_dependent_quote_shows_the_sentence_before_it(page: playwright.Page, summarizer: Summarizer) -> None:
    text = "# Harbour\n\nThe board met in May. They closed the eastern quay. However, they kept the ferry. It is old.\n"
    drop(page, "harbour.md", text.encode())
    shown = 0
    for length in range(1, 5):
        slide(page, length)
        wanted = [s.context.text for s in summarizer.summarize(read_document(text), sentences=length) if s.context]
        assert page.locator("#list .context").all_inner_texts() == wanted
        shown += len(wanted)
    assert shown
    slide(page, 1)
    seen = quotes(page)
    page.click("#changer")
    page.uncheck("#context")
    assert page.locator("#list .context").count() == 0
    assert quotes(page) == seen


def test_a_question_is_answered_while_it_is_typed(page: playwright.Page, summarizer: Summarizer, paper: str) -> None:
    drop(page, "roads.md", paper.encode())
    about = "How were missing values replaced?"
    page.locator("#about").press_sequentially(about)
    own = summarizer.summarize(read_document(paper), about=about)
    wanted = [" ".join(s.text.split()) for s in own]
    playwright.expect(page.locator("#list li > a")).to_have_text(wanted, timeout=PATIENCE)
    relevance = in_words(own[0].relevance or 0)  # a part of the question may have found the same quotes
    playwright.expect(page.locator("#list")).to_contain_text(relevance, timeout=PATIENCE)
    assert marks(page) == wanted
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    slide(page, 2)
    longer = summarizer.summarize(read_document(paper), about=about, sentences=2)
    assert quotes(page) == [" ".join(s.text.split()) for s in longer]
    assert requests == []  # no length asks the server again
    page.click("#downloads summary")
    with page.expect_download() as download:
        page.click("[data-format=text]")
    assert Path(download.value.path()).read_text("utf-8").splitlines() == quotes(page)
    page.reload()
    page.wait_for_selector(DONE)
    assert page.locator("#about").input_value() == about
    playwright.expect(page.locator("#list li > a")).to_have_count(2, timeout=PATIENCE)
    page.locator("#about").press("Escape")
    plain = [" ".join(s.text.split()) for s in summarizer.summarize(read_document(paper))]
    playwright.expect(page.locator("#list li > a")).to_have_text(plain, timeout=PATIENCE)


def test_a_question_without_an_answer_is_said_so(page: playwright.Page, paper: str) -> None:
    drop(page, "roads.md", paper.encode())
    for question in ("quantum chromodynamics <b>x</b>", "Wie kalt war das Wasser im Januar?"):
        page.fill("#about", question)
        playwright.expect(page.locator("#missing")).to_be_visible(timeout=PATIENCE)
        assert page.locator("#missing").inner_text().startswith("No relevant sentence found.")
        assert page.locator("#length, #copy, #downloads, #list li").filter(visible=True).count() == 0
        assert marks(page) == []
    page.fill("#about", "?!")
    playwright.expect(page.locator("#warnings")).to_contain_text("The question has no words.", timeout=PATIENCE)
    page.fill("#about", "quantum chromodynamics")
    playwright.expect(page.locator("#missing")).to_be_visible(timeout=PATIENCE)
    page.click("#back")
    playwright.expect(page.locator("#list li")).to_have_count(4, timeout=PATIENCE)
    assert page.locator("#missing").is_hidden()
    assert page.locator("#length").is_visible()


def test_sections_have_their_share_and_fold(page: playwright.Page, summarizer: Summarizer, paper: str) -> None:
    drop(page, "roads.md", paper.encode())
    slide(page, 5)
    page.click("#changer")
    page.select_option("#order", "section")
    headings = page.locator("#list summary")
    playwright.expect(headings).to_have_count(4, timeout=PATIENCE)
    assert [text.rstrip(" 12") for text in headings.all_inner_texts()] == [
        "Background",
        "Methods",
        "Results",
        "Conclusion",
    ]
    wanted = summarizer.summarize(read_document(paper), by="section", sentences=5)
    assert quotes(page) == marks(page) == [" ".join(s.text.split()) for s in wanted]
    headings.first.focus()
    page.keyboard.press("Enter")
    assert page.locator("#list li").first.is_hidden()
    slide(page, 6)
    assert page.locator("#list li").first.is_hidden()  # folded it stays
    page.locator("#document mark").first.click()
    assert page.locator("#list li").first.is_visible()


def test_several_files_are_shown_as_one(page: playwright.Page, paper: str) -> None:
    harbour = "# Harbour\n\nThe harbour board met in May. They closed the eastern quay to all boats.\n"
    files = {"roads.md": paper.encode(), "photo.jpg": bytes(range(256)) * 9, "harbour.md": harbour.encode()}
    drop_all(page, files)
    slide(page, 13)
    assert page.locator("#document .file").all_inner_texts() == ["roads.md", "harbour.md"]
    assert page.locator("#warnings").inner_text().startswith("Left out: photo.jpg: The file holds binary data")
    assert "harbour.md, sentence 2" in page.locator("#list").inner_text()
    assert len(quotes(page)) == 13
    assert quotes(page) == marks(page)
    page.click("#changer")
    page.select_option("#order", "section")
    playwright.expect(page.locator("#list summary")).to_have_text(["roads.md 11", "harbour.md 2"], timeout=PATIENCE)
    assert page.locator("[data-format=pdf]").is_hidden()
    page.reload()
    page.wait_for_selector(DONE)
    assert len(quotes(page)) == 13


def test_the_pages_of_several_pdfs(page: playwright.Page, paper: str, paper_pdf: bytes) -> None:
    hostile = with_stamp(pdf_of(["The tide rose all night. It fell again at dawn."], ["Nobody saw the tide."]))
    drop_all(page, {"roads.pdf": paper_pdf, "roads.md": paper.encode(), "tide.pdf": hostile})
    assert page.locator("#title").inner_text() == "roads.pdf, roads.md, tide.pdf"
    assert page.locator("#facts").inner_text().startswith("3 documents · 4 pages · ")
    page.click("#tab-pages")
    playwright.expect(page.locator("#pages .file")).to_have_text(["roads.pdf", "tide.pdf"], timeout=PATIENCE)
    assert page.locator("#pages .folio").all_inner_texts() == ["1", "2", "1", "2"]
    slide(page, 22)

    def go_to(document: str) -> None:
        page.locator("#list li", has_text=document).last.locator("a").click()

    go_to("tide.pdf")
    killed = page.locator(".page").nth(2)
    says = re.compile("Page 1 (needs too much memory to be drawn|takes too long to draw). Read its text instead.")
    playwright.expect(killed).to_contain_text(says, timeout=PATIENCE)
    page.wait_for_selector(".page.drawn >> nth=0")
    assert page.locator(".page").nth(3).locator(".box.here").count() == 1
    go_to("roads.md")
    assert page.locator("#tab-text").get_attribute("aria-selected") == "true"
    assert page.locator("#document mark.here").is_visible()


def test_files_none_of_which_can_be_read_are_said(page: playwright.Page) -> None:
    page.evaluate(DROP, [["a.bin", list(bytes(range(256)) * 9)], ["b.bin", list(bytes(range(256)) * 9)]])
    playwright.expect(page.locator("#problem")).to_contain_text("a.bin: The file holds binary data", timeout=PATIENCE)
    assert page.locator("#ask").is_visible()


def test_a_suggested_question_is_asked(page: playwright.Page, summarizer: Summarizer, paper: str) -> None:
    about = "How were missing <i>values replaced?"
    page.route("**/questions", lambda route: route.fulfill(json={"questions": [about]}))
    drop(page, "roads.md", paper.encode())
    page.get_by_role("button", name=about).press("Enter")
    own = summarizer.summarize(read_document(paper), about=about)
    playwright.expect(page.locator("#list li > a")).to_have_text(
        [" ".join(s.text.split()) for s in own], timeout=PATIENCE
    )
    assert page.locator("#about").input_value() == about
    assert page.locator("#terms").is_hidden()


def test_a_question_has_a_length_of_its_own(page: playwright.Page, summarizer: Summarizer, paper: str) -> None:
    drop(page, "roads.md", paper.encode())
    slide(page, 10)
    about = "How were missing values replaced?"
    page.fill("#about", about)
    page.keyboard.press("Enter")
    own = len(summarizer.summarize(read_document(paper), about=about))
    playwright.expect(page.locator("#list li")).to_have_count(own, timeout=PATIENCE)
    slide(page, 3)
    assert len(quotes(page)) == 3
    page.get_by_role("button", name="Summary", exact=True).click()
    playwright.expect(page.locator("#list li")).to_have_count(10, timeout=PATIENCE)


def test_nothing_is_blank_while_a_question_is_typed(page: playwright.Page, paper: str) -> None:
    drop(page, "roads.md", paper.encode())
    page.evaluate("""() => {
      document.querySelector("#about").addEventListener("input", () => (window.typed = performance.now()));
      new MutationObserver(() => (window.blank ??= performance.now())).observe(document.querySelector("#missing"), {
        attributes: true,
      });
    }""")
    page.locator("#about").press_sequentially("zebras and quantum chromodynamics", delay=150)
    playwright.expect(page.locator("#missing")).to_be_visible(timeout=PATIENCE)
    assert page.evaluate("window.blank - window.typed") > 900


def test_1_says_the_most_only_where_it_does(page: playwright.Page, paper: str) -> None:
    drop(page, "roads.md", paper.encode())
    notes = page.locator("#numbers")
    playwright.expect(notes).to_contain_text("1 says the most")
    page.click("#changer")
    page.check("#even")
    playwright.expect(notes).not_to_contain_text("most")
    page.fill("#about", "How were missing values replaced?")
    playwright.expect(notes).to_have_text("1 is the best answer.", timeout=PATIENCE)
