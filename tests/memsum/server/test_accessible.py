"""The page by the rules of WCAG 2.2, A and AA, as axe checks them, in the light and in the dark."""

from __future__ import annotations

import pytest

from .browsing import MARKS, PATIENCE, drop, playwright, slide

axe = pytest.importorskip("axe_playwright_python.sync_playwright")
pytestmark = MARKS

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
COLORS = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}


def _violations(page: playwright.Page) -> list[str]:
    found = axe.Axe().run(page, options=RULES).response["violations"]
    page.emulate_media(color_scheme="dark")
    found += axe.Axe().run(page, options=COLORS).response["violations"]
    page.emulate_media(color_scheme="light")
    return [f"{one['id']}: {node['html']} {node['failureSummary']}" for one in found for node in one["nodes"]]


def test_no_rule_is_broken(page: playwright.Page, paper: str, paper_pdf: bytes, url: str) -> None:
    assert _violations(page) == []
    drop(page, "roads.md", paper.encode())
    slide(page, 11)
    page.fill("#find", "lighting")
    assert _violations(page) == []
    page.locator("#list li a").first.click()
    page.click("#contents summary")
    assert _violations(page) == []
    page.fill("#about", "Who is the king of France?")
    page.keyboard.press("Enter")
    playwright.expect(page.locator("#missing")).to_be_visible(timeout=PATIENCE)
    assert _violations(page) == []
    drop(page, "roads.pdf", paper_pdf)
    page.click("#checker")
    page.fill("#cited", "“the median of the group”, “Data were entered three times and checked”, “nothing like it”")
    page.click("#check button[type=submit]")
    page.wait_for_selector("#verdicts > li")
    assert _violations(page) == []
    slide(page, 9)
    playwright.expect(page.locator(".page.drawn")).to_have_count(2, timeout=PATIENCE)
    page.locator("#list li a").first.click()
    assert _violations(page) == []
    page.goto(f"{url}docs")
    assert _violations(page) == []


def test_no_rule_is_broken_on_a_phone(page: playwright.Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    table = "| Fare | Euros |\n|---|---|\n| Adults | 5 |\n| Children | 2 |\n"
    text = "The ferry leaves from the north pier every hour. "
    drop(page, "ferry.md", f"# Ferry\n\n{text * 3}\n\n{table}\n{text}\n\n{table}\n".encode())
    playwright.expect(page.locator("#document table")).to_have_count(2)
    assert _violations(page) == []
