"""A whole study in Chromium: one annotator by mouse, one by keyboard.

Keys go to whatever page is there: before them, wait until theirs is loaded. Playwright's wait_for_function polls by
`eval`, which the pages' policy forbids: use `expect`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memsum_study.store import Study

from ..memsum.server.browsing import CHROMIUM, PATIENCE
from .conftest import MakeStudy, Server

pytestmark = pytest.mark.slow

playwright_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytest.importorskip("uvicorn", reason="the serve extra is not installed")

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with playwright_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture
def study_server(make_study: MakeStudy, serve: Callable[[Path], Server]) -> Server:
    return serve(make_study(annotators=2, overlap=2))


def open_page(browser: Browser, link: str, **options: Any) -> Page:
    page = browser.new_context(**options).new_page()
    page.set_default_timeout(PATIENCE)
    if link != "about:blank":
        sign_in(page, link)
    return page


def sign_in(page: Page, link: str) -> None:
    page.goto(link)
    page.click("text=Begin as")
    page.wait_for_url("**/")


def expect_found(page: Page) -> None:
    playwright_api.expect(page.locator("#found")).to_contain_text("in the source", timeout=PATIENCE)


def by_mouse(page: Page) -> None:
    page.click(".actions a")
    for number in (1, 2, 3):
        page.wait_for_url(f"**/pairs/{number}*")
        page.click(".reference .sentence >> nth=0")
        expect_found(page)
        assert page.locator(".level-1, .level-2").count() > 0
        page.click("text=Show source document")
        page.wait_for_selector("#source .sentence")
        assert page.locator(".badge").count() == 0
        for criterion, letter in (("overall", "A"), ("coverage", "B"), ("non-redundancy", "A")):
            page.click(f'fieldset[data-criterion="{criterion}"] label:has-text("{letter}")')
        page.fill("textarea", f"Seen {number}")
        page.dblclick("#submit", no_wait_after=True) if number == 2 else page.click("#submit")
    page.wait_for_url("**/done")


def by_keyboard(page: Page) -> None:
    page.keyboard.press("Tab")
    page.focus(".actions a")
    page.keyboard.press("Enter")
    page.wait_for_url("**/pairs/1*")
    page.keyboard.press("s")
    page.wait_for_url("**/pairs/2*")
    page.keyboard.type("abu")  # the second answer is taken back
    page.keyboard.type("ab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/pairs/3*")
    page.keyboard.press("p")
    page.wait_for_url("**/pairs/2")
    page.keyboard.press("d")
    page.wait_for_selector("#source .badge")  # it has been judged
    page.click("#forward")
    page.wait_for_url("**/pairs/3*")
    page.keyboard.press("/")
    page.keyboard.type("sabb")  # letters in the box are letters
    page.keyboard.press("Enter")
    expect_found(page)
    page.keyboard.press("Escape")
    page.keyboard.type("bbb")
    page.keyboard.press("Enter")
    page.wait_for_url("**/done")
    page.click("text=Pair 1")
    page.wait_for_url("**/pairs/1")
    page.keyboard.type("aaa")
    page.keyboard.press("Enter")
    page.wait_for_url("**/done")


def test_a_study_by_mouse_and_by_keyboard(chromium: Browser, study_server: Server) -> None:
    kept = ""
    problems: list[str] = []
    asked: set[str] = set()
    for link, walk in zip(study_server.links, (by_mouse, by_keyboard), strict=True):
        page = open_page(chromium, "about:blank")
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.on("request", lambda request: asked.add("/".join(request.url.split("/")[:3])))
        sign_in(page, link)
        walk(page)
        cookies = page.context.cookies()
        assert [(cookie["httpOnly"], cookie["sameSite"]) for cookie in cookies] == [(True, "Lax")]
        kept += str(cookies) + page.evaluate("JSON.stringify([localStorage, sessionStorage])")
        page.context.close()
    assert problems == []
    assert asked == {study_server.address}  # nothing comes from elsewhere
    assert not [secret for secret in ("magpie", "heron") if secret in kept.lower()]
    with Study(study_server.path) as study:
        mouse, keyboard = study.annotators()
        assert [study.progress(one).judged for one in (mouse, keyboard)] == [3, 3]
        ballots = [[study.task(one, n).ballot.choices for n in (1, 2, 3)] for one in (mouse, keyboard)]  # type: ignore[union-attr]
        assert ballots[0] == [{"overall": "left", "coverage": "right", "non-redundancy": "left"}] * 3
        expected = [["left"] * 3, ["left", "left", "right"], ["right"] * 3]
        assert [list(choices.values()) for choices in ballots[1] if choices] == expected
        assert study.rows("SELECT count(*) FROM votes") == [(6,)]
        assert study.rows("SELECT min(seconds) > 0, min(active_seconds) >= 0 FROM votes") == [(1, 1)]
        assert len(study.records()) == 8


def test_a_pair_that_can_be_seen_takes_keys(chromium: Browser, study_server: Server) -> None:
    page = open_page(chromium, study_server.links[0])

    def late(route: Route) -> None:
        time.sleep(0.5)
        route.continue_()

    page.route("**/study.js", late)
    page.goto(f"{study_server.address}/pairs/1", wait_until="commit")
    painted = page.evaluate(
        """new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntries()[0].startTime))
        .observe({ type: "paint", buffered: true }))"""
    )
    assert painted >= page.evaluate("performance.getEntriesByName(document.scripts[0].src)[0].responseEnd")
    page.keyboard.type("aba")
    assert page.locator(".choices input:checked").count() == 3
    page.context.close()


def test_keys_after_enter_are_not_for_the_pair_that_was_sent(chromium: Browser, study_server: Server) -> None:
    page = open_page(chromium, study_server.links[0])
    page.goto(f"{study_server.address}/pairs/2")
    posts: list[str] = []
    page.on("request", lambda request: posts.append(request.url) if request.method == "POST" else None)

    def late(route: Route) -> None:
        page.keyboard.type("usp")  # while the answer is awaited
        page.keyboard.press("Enter")
        route.continue_()

    page.route("**/pairs/2", late)
    page.keyboard.type("aaa")
    page.keyboard.press("Enter")
    page.wait_for_url("**/pairs/3*")
    assert len(posts) == 1
    page.context.close()
    with Study(study_server.path) as study:
        assert study.rows("SELECT overall, coverage, non_redundancy FROM votes") == [("left",) * 3]


def test_voting_works_without_scripts(chromium: Browser, study_server: Server) -> None:
    page = open_page(chromium, study_server.links[0], java_script_enabled=False)
    page.click(".actions a")
    page.click(".reference .sentence >> nth=0")
    page.wait_for_url("**/pairs/1?query=*")
    assert page.locator(".level-1, .level-2").count() > 0
    page.click("text=Show source document")
    page.wait_for_url("**/pairs/1?source=1*")
    assert page.locator("#source .sentence").count() >= 4
    for criterion in ("overall", "coverage", "non-redundancy"):
        page.click(f'fieldset[data-criterion="{criterion}"] label:has-text("B")')
    page.click("#submit")
    page.wait_for_url("**/pairs/2*")
    assert "Pair 1 is saved" in page.inner_text("main")
    page.context.close()


def test_two_tabs_and_a_closed_one(chromium: Browser, study_server: Server) -> None:
    page = open_page(chromium, study_server.links[0])
    first = f"{study_server.address}/pairs/1"
    page.goto(first)
    other = page.context.new_page()
    other.goto(first)
    for tab, keys in ((page, "aaa"), (other, "bbb")):
        tab.keyboard.type(keys)
        tab.keyboard.press("Enter")
        tab.wait_for_url("**/pairs/2*")
    page.context.close()
    again = open_page(chromium, study_server.links[0])
    again.click(".actions a")
    again.wait_for_url("**/pairs/2*")
    again.context.close()
    with Study(study_server.path) as study:
        assert study.rows("SELECT overall, count(*) FROM votes") == [("right", 1)]


def test_a_page_is_never_wider_than_its_window(chromium: Browser, study_server: Server) -> None:
    page = open_page(chromium, study_server.links[0])
    for width in (360, 1280):
        page.set_viewport_size({"width": width, "height": 740})
        for path in ("/", "/pairs/1?source=1&query=bees", "/done"):
            page.goto(study_server.address + path)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.context.close()
